import RingerLinux
import SystemPackage
import Testing

@Suite struct DeviceTreeOverlayTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func advice(_ compatible: String?) throws -> Repair {
        if let compatible {
            try directory.write(compatible, to: "sys/firmware/devicetree/base/compatible")
        }
        return DeviceTreeOverlay.advice(
            "ring-silent-switch", driver: "gpio-keys",
            paths: HardwarePaths(system: directory.path.appending("sys")))
    }

    @Test(
        "a board is known by any name in its compatible",
        arguments: [
            ("raspberrypi,4-model-b\0brcm,bcm2711\0", "raspberry-pi", "raspberrypi,4-model-b"),
            ("ti,am335x-bone-black\0ti,am335x-bone\0ti,am33xx\0", "beaglebone", "ti,am335x-bone"),
            ("radxa,rockpi4b\0radxa,rockpi4\0rockchip,rk3399\0", "rock-pi-4", "radxa,rockpi4"),
            ("google,imx8mq-phanbell\0fsl,imx8mq\0", "coral-dev-board", "google,imx8mq-phanbell"),
            ("xunlong,orangepi-pc2\0allwinner,sun50i-h5\0", "orange-pi-pc", "xunlong,orangepi-pc2"),
        ])
    func known(compatible: String, overlay: String, name: String) throws {
        #expect(
            try advice(compatible).sentence
                == "describe it in the device tree: dts/\(overlay).dtso is for this board, \(name); driver gpio-keys")
    }

    @Test(
        "any other machine gets the overlay of the part",
        arguments: [
            nil, "", "acme,raspberrypi\0brcm,bcm2711\0", "raspberrypi,4-model\0",
            "ti,am335x-bone-blue\0ti,am33xx\0",
        ])
    func unknown(compatible: String?) throws {
        let advice = try advice(compatible)
        #expect(advice.sentence.contains("dts/ring-silent-switch.dtso, its lines changed for this board"))
        #expect(advice.isDecision && advice.commands.isEmpty)
    }

    @Test("a known board has the commands that apply its overlay, which wait for the owner's decision")
    func commands() throws {
        let advice = try advice("raspberrypi,4-model-b\0brcm,bcm2711\0")
        #expect(advice.isDecision)
        #expect(
            advice.commands == [
                "dtc -@ -I dts -O dtb -o /boot/firmware/overlays/ringer.dtbo dts/raspberry-pi.dtso",
                "grep -qx dtoverlay=ringer /boot/firmware/config.txt || "
                    + "printf '\\n%s\\n' dtoverlay=ringer >> /boot/firmware/config.txt",
            ])
    }

    @Test("every overlay of a board has the compatible that the board is known by")
    func overlays() throws {
        let folder = FilePath(#filePath).removingLastComponent().appending("../../../../dts")
        for (overlay, compatible) in DeviceTreeOverlay.boards {
            let text = try readText(folder.appending("\(overlay).dtso"))
            let root = try #require(text.split(separator: "compatible = ", maxSplits: 1).last?.prefix { $0 != ";" })
            let names = root.split(separator: "\"").map(String.init).filter { $0.contains(",") && !$0.hasPrefix(",") }
            #expect(names == compatible, "\(overlay)")
        }
    }

    private func readText(_ path: FilePath) throws -> String {
        let file = try FileDescriptor.open(path, .readOnly)
        return try file.closeAfter {
            var bytes: [UInt8] = Array(repeating: 0, count: 65_536)
            let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0) }
            return String(decoding: bytes[..<count], as: UTF8.self)
        }
    }
}
