import Glibc
import SystemPackage

/// The device-tree overlays in `dts/`: which one describes a board's parts.
package enum DeviceTreeOverlay {
    /// The overlays of boards, with the `compatible` that each of them has: its boards.
    package static let boards: [(overlay: String, compatible: [String])] = [
        ("beaglebone", ["ti,am335x-bone"]),
        ("coral-dev-board", ["google,imx8mq-phanbell"]),
        ("orange-pi-pc", ["xunlong,orangepi-pc", "xunlong,orangepi-pc-plus", "xunlong,orangepi-pc2"]),
        (
            "raspberry-pi",
            [
                "raspberrypi,4-model-b", "raspberrypi,400", "raspberrypi,3-model-b-plus", "raspberrypi,3-model-b",
                "raspberrypi,3-model-a-plus", "raspberrypi,2-model-b", "raspberrypi,model-zero-2-w",
                "raspberrypi,model-zero-w", "raspberrypi,model-zero", "raspberrypi,model-b-plus",
                "raspberrypi,model-a-plus",
            ]
        ),
        ("rock-pi-4", ["radxa,rockpi4"]),
    ]

    /// Where the overlays were installed, or their folder in the source.
    private static var folder: String {
        ["/usr/share/ringer/dts", "/usr/local/share/ringer/dts"].first { access($0, F_OK) == 0 } ?? "dts"
    }

    /// How to describe a missing part in this machine's device tree.
    ///
    /// The machine is known by its own `compatible`. If no overlay is for it, the answer is the overlay of the part
    /// alone, which has to be changed for the board.
    ///
    /// - Parameters:
    ///   - part: The overlay of the part alone, such as "ring-silent-switch".
    ///   - driver: The kernel's driver of the part.
    ///   - paths: Where the kernel shows the device tree.
    /// - Returns: The advice; its commands compile the overlay and have it applied at each boot, once the parts are wired as it says.
    package static func advice(_ part: String, driver: String, paths: HardwarePaths = .standard) -> Repair {
        let tree = paths.system.appending("firmware").appending("devicetree").appending("base")
        let names = (try? AttributeFile(path: tree.appending("compatible")).read()) ?? ""
        // The most exact name of the board first; each ends with a zero.
        for name in names.split(separator: "\0") {
            if let board = boards.first(where: { $0.compatible.contains(String(name)) }) {
                return .decision(
                    "describe it in the device tree: \(folder)/\(board.overlay).dtso is for this board, \(name); "
                        + "driver \(driver)",
                    commands: commands(board.overlay))
            }
        }
        return .decision(
            "describe it in the device tree: \(folder)/\(part).dtso, its lines changed for this board; "
                + "driver \(driver)")
    }

    /// How the boards' usual systems apply an overlay (`dts/README.md`); none where the boot loader's configuration decides.
    private static func commands(_ overlay: String) -> [String] {
        let source = "\(folder)/\(overlay).dtso"
        func boot(_ compiled: String, _ line: String, in file: String) -> [String] {
            [
                "dtc -@ -I dts -O dtb -o \(compiled) \(source)",
                "grep -qx \(line) \(file) || printf '\\n%s\\n' \(line) >> \(file)",
            ]
        }
        return switch overlay {
        case "raspberry-pi":
            boot("/boot/firmware/overlays/ringer.dtbo", "dtoverlay=ringer", in: "/boot/firmware/config.txt")
        case "beaglebone":
            boot("/lib/firmware/ringer.dtbo", "uboot_overlay_addr4=/lib/firmware/ringer.dtbo", in: "/boot/uEnv.txt")
        // Under Armbian, which has systems for both.
        case "orange-pi-pc", "rock-pi-4": ["armbian-add-overlay \(source)"]
        default: []
        }
    }
}
