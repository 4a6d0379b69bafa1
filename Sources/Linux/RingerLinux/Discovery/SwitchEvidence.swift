import RingerCore
import SystemPackage

/// Evidence of a Ring/Silent switch in files that every user may read: sysfs and the device tree.
///
/// It tells a process without permission for the device files that there is a switch whose position it cannot read.
struct SwitchEvidence {
    private let system: FilePath

    init(_ paths: HardwarePaths) {
        system = paths.system
    }

    // MARK: - Input devices

    /// The names of the kernel's input devices, "event0", in numeric order.
    var inputDevices: [String] { DirectoryListing.numbered("event", in: system.appending("class").appending("input")) }

    /// Whether the input device `file`, "event0", has `code`, a switch, a key or an axis.
    ///
    /// The corresponding files are `capabilities/sw`, `key` and `abs`: hexadecimal words of the process's own word
    /// size, the highest first, leading zeros left out.
    func has(_ code: EvdevCode, inputDevice file: String) -> Bool {
        let kind =
            switch code.type {
            case EvdevCode.muteDevice.type: "sw"
            case EvdevCode.mute.type: "key"
            default: "abs"
            }
        let attribute = AttributeFile(path: device(file).appending("capabilities").appending(kind))
        guard let words = (try? attribute.read())?.split(separator: " ") else { return false }
        let (index, bit) = Int(code.code).quotientAndRemainder(dividingBy: UInt.bitWidth)
        guard index < words.count, let word = UInt(words[words.count - 1 - index], radix: 16) else { return false }
        return word >> UInt(bit) & 1 != 0
    }

    /// The name of the input device; empty if it has none.
    func name(ofInputDevice file: String) -> String {
        (try? AttributeFile(path: device(file).appending("name")).read()) ?? ""
    }

    private func device(_ file: String) -> FilePath {
        system.appending("class").appending("input").appending(file).appending("device")
    }

    // MARK: - GPIO lines

    /// The names of the kernel's GPIO chips, "gpiochip0", in numeric order.
    var chips: [String] { DirectoryListing.numbered("gpiochip", in: chipFolder) }

    /// Whether the device tree gives one of the chip's lines the name `line`.
    func hasLine(_ line: String, chip: String) -> Bool {
        Self.names(line, chipFolder.appending(chip).appending("of_node"))
    }

    /// The device-tree node of an enabled GPIO chip that names one of its lines `line`; nil if there is none. The
    /// chip's driver may not be loaded.
    func node(ofLine line: String) -> FilePath? {
        Self.find(line, system.appending("firmware").appending("devicetree").appending("base"))
    }

    private var chipFolder: FilePath { system.appending("bus").appending("gpio").appending("devices") }

    private static func find(_ line: String, _ node: FilePath) -> FilePath? {
        let contents = DirectoryListing.contents(of: node)
        if contents.files.contains("status") {
            let status = (try? AttributeFile(path: node.appending("status")).read()) ?? ""
            // Strings in a device tree end with a zero. Nodes below a disabled node are disabled too.
            guard status.hasPrefix("ok") || status.isEmpty else { return nil }
        }
        if contents.files.contains("gpio-line-names") && names(line, node) { return node }
        for child in contents.directories {
            if let found = find(line, node.appending(child)) { return found }
        }
        return nil
    }

    private static func names(_ line: String, _ node: FilePath) -> Bool {
        guard let names = bytes(node.appending("gpio-line-names")) else { return false }
        return names.split(separator: 0).contains { $0.elementsEqual(line.utf8) }
    }

    /// The bytes of a property, which may be longer than a page.
    private static func bytes(_ file: FilePath) -> [UInt8]? {
        try? FileDescriptor.open(file, .readOnly, options: .closeOnExec).closeAfterReading()
    }
}

extension FileDescriptor {
    fileprivate func closeAfterReading() throws -> [UInt8] {
        try closeAfter {
            var bytes: [UInt8] = []
            var piece: [UInt8] = Array(repeating: 0, count: 4096)
            while true {
                let count = try piece.withUnsafeMutableBytes { try read(into: $0) }
                if count == 0 { return bytes }
                bytes += piece[..<count]
            }
        }
    }
}
