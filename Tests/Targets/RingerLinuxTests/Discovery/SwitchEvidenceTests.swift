import Glibc
import RingerLinux
import RingerCore
import SystemPackage
import Testing

/// Switches that the process may not open, as sysfs and the device tree show them.
@Suite struct SwitchEvidenceTests {
    private let directory: TemporaryDirectory
    private var paths: HardwarePaths { directory.paths }

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Writes what sysfs shows of an input device.
    private func describeInput(_ file: String, name: String, _ capabilities: [String: String]) throws {
        try directory.write("\(name)\n", to: "sys/class/input/\(file)/device/name")
        for (kind, words) in capabilities {
            try directory.write("\(words)\n", to: "sys/class/input/\(file)/device/capabilities/\(kind)")
        }
    }

    // Used to be no switch at all, which counts as ring.
    @Test("a switch whose file does not open is found by its capabilities in sysfs")
    func inputDevices() throws {
        for file in ["event0", "event1", "event2", "event3"] { try directory.write("", to: "input/\(file)") }
        try describeInput("event0", name: "keyboard", ["sw": "0", "abs": "0"])
        try describeInput("event1", name: "alert-slider", ["sw": "0", "abs": "400000000"])
        try describeInput("event2", name: "ring-silent-switch", ["sw": "4000", "abs": "0"])
        try describeInput("event3", name: "lid", ["sw": "1", "abs": "0"])
        let findings = HardwareDiscovery.scan(paths)
        #expect(
            findings.switches.map(\.specification)
                == [.evdev(.automatic(name: "ring-silent-switch")), .slider(.automatic(name: "alert-slider"))])
        let input = directory.path.appending("input")
        #expect(
            findings.switches.map(\.name)
                == ["evdev \(input)/event2 (ring-silent-switch)", "slider \(input)/event1 (alert-slider)"])
        #expect(findings.switches.map { $0.problem?.error.subject } == ["\(input)/event2", "\(input)/event1"])
        // The other two are not the switch: to open them would be of use, but nothing depends on it.
        #expect(findings.problems.map(\.error.subject) == ["\(input)/event0", "\(input)/event3"])
    }

    @Test("an input device whose file this process does not see is found, a container's for instance")
    func missingFile() throws {
        try describeInput("event7", name: "ring-silent-switch", ["sw": "4000"])
        let candidate = try #require(HardwareDiscovery.scan(paths).switches.first)
        #expect(candidate.specification == .evdev(.automatic(name: "ring-silent-switch")))
        #expect(candidate.problem?.error.code == .notFound)
        #expect(candidate.problem?.error.detail?.contains("DeviceAllow") == true)
    }

    @Test(
        "the words of a capability are read from the last one, whatever their number",
        arguments: [("4000", true), ("1 4000", true), ("4000 0", false), ("", false), ("x", false), ("b fff", false)])
    func words(_ words: String, _ isSwitch: Bool) throws {
        try describeInput("event0", name: "", ["sw": words])
        #expect(HardwareDiscovery.scan(paths).switches.isEmpty != isSwitch)
    }

    @Test(
        "a chip that may not be opened has the switch's line where the device tree says so",
        arguments: ["gpiochip0", nil])
    func gpioChip(_ file: String?) throws {
        if let file { try directory.write("", to: file) }
        try directory.write("", to: "sys/bus/gpio/devices/gpiochip0/of_node/gpio-line-names")
        #expect(HardwareDiscovery.scan(paths).switches.isEmpty)
        try directory.write(
            "\0led\0ring-silent\0", to: "sys/bus/gpio/devices/gpiochip0/of_node/gpio-line-names")
        let candidate = try #require(HardwareDiscovery.scan(paths).switches.first)
        #expect(candidate.specification == .gpio(.named("ring-silent")))
        #expect(candidate.name == "GPIO gpiochip0 (ring-silent)")
        #expect(candidate.problem?.error.subject == directory.path.appending("gpiochip0").string)
    }

    @Test("a line of a controller without a driver is found in the device tree, unless the controller is disabled")
    func deviceTree() throws {
        let tree = "sys/firmware/devicetree/base"
        try directory.write("soc\0", to: "\(tree)/soc/name")
        try directory.write("ring-silent-2\0silent\0", to: "\(tree)/soc/gpio@0/gpio-line-names")
        #expect(HardwareDiscovery.scan(paths).switches.isEmpty)
        let many = String(repeating: "a-line-without-a-use\0", count: 400)
        try directory.write(many + "ring-silent\0", to: "\(tree)/soc/gpio@1/gpio-line-names")
        let candidate = try #require(HardwareDiscovery.scan(paths).switches.first)
        #expect(candidate.specification == .gpio(.named("ring-silent")))
        #expect(candidate.problem?.error.subject.hasSuffix("/soc/gpio@1") == true)
        try directory.write("okay\0", to: "\(tree)/soc/status")
        #expect(!HardwareDiscovery.scan(paths).switches.isEmpty)
        try directory.write("disabled\0", to: "\(tree)/soc/status")
        #expect(HardwareDiscovery.scan(paths).switches.isEmpty)
    }

    @Test("a line is not looked for where an input device is the switch: it is likely that switch's own")
    func lineOfTheInputDevice() throws {
        try describeInput("event0", name: "ring-silent-switch", ["sw": "4000"])
        try directory.write("ring-silent\0", to: "sys/bus/gpio/devices/gpiochip0/of_node/gpio-line-names")
        #expect(HardwareDiscovery.scan(paths).switches.count == 1)
    }

    @Test(
        "a switch that belongs to a group is repaired by joining it",
        .enabled(if: geteuid() == 0, "it changes a file's group, which root may"))
    func permission() throws {
        let file = try directory.write("", to: "input/event0")
        try describeInput("event0", name: "ring-silent-switch", ["sw": "4000"])
        try #require(chown(file.string, 0, 1) == 0)
        chmod(file.string, 0o660)
        for folder in ["", "input", "sys", "sys/class", "sys/class/input"] {
            chmod(directory.path.pushing(FilePath(folder)).string, 0o755)
        }
        let base = "sys/class/input/event0/device"
        for folder in ["sys/class/input/event0", base, "\(base)/capabilities"] {
            chmod(directory.path.pushing(FilePath(folder)).string, 0o755)
        }
        for name in ["\(base)/name", "\(base)/capabilities/sw"] {
            chmod(directory.path.pushing(FilePath(name)).string, 0o444)
        }
        let findings = withoutRootsRights { HardwareDiscovery.scan(paths) }
        #expect(findings.switches.first?.problem?.error.code == .permissionDenied)
        #expect(findings.switches.first?.problem?.repair?.sentence.hasPrefix("usermod -aG daemon ") == true)
        #expect(findings.problems.isEmpty)
    }

    // Used to be reported as missing, with a remedy for containers.
    @Test(
        "a switch in a directory that may not be read is one without permission, not one that is missing",
        .enabled(if: geteuid() == 0, "it gives up root's rights, which root may"))
    func forbiddenDirectory() throws {
        try directory.write("", to: "input/event0")
        try describeInput("event0", name: "ring-silent-switch", ["sw": "4000"])
        let attributes = "sys/class/input/event0/device"
        for folder in ["", "sys", "sys/class", "sys/class/input", "sys/class/input/event0", attributes] {
            chmod(directory.path.pushing(FilePath(folder)).string, 0o755)
        }
        chmod(directory.path.pushing(FilePath("\(attributes)/capabilities")).string, 0o755)
        for name in ["name", "capabilities/sw"] {
            chmod(directory.path.pushing(FilePath("\(attributes)/\(name)")).string, 0o444)
        }
        let findings = withoutRootsRights { HardwareDiscovery.scan(paths) }
        #expect(findings.switches.first?.problem?.error.code == .permissionDenied)
    }
}
