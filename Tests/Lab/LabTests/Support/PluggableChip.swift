import Glibc
import Testing

/// A simulated GPIO chip that the test plugs in and unplugs while others use it.
///
/// It is unplugged and removed when the last reference goes. Source: the kernel's gpio-sim in configfs.
final class PluggableChip: Sendable {
    private let folder: String
    private let lineFolders: [String]

    /// Describes a chip of so many lines, some of them named; it is not plugged in yet.
    init(name: String, lines: Int, lineNames: [Int: String] = [:]) throws {
        folder = "/sys/kernel/config/gpio-sim/\(name)"
        lineFolders = lineNames.keys.sorted().map { "/sys/kernel/config/gpio-sim/\(name)/bank0/line\($0)" }
        try Self.makeFolder(folder)
        try Self.makeFolder("\(folder)/bank0")
        try KernelFile.write("\(lines)", to: "\(folder)/bank0/num_lines")
        try KernelFile.write(name, to: "\(folder)/bank0/label")
        for (line, lineName) in lineNames {
            let lineFolder = "\(folder)/bank0/line\(line)"
            try Self.makeFolder(lineFolder)
            try KernelFile.write(lineName, to: "\(lineFolder)/name")
        }
    }

    /// Plugs the chip in. Its device may have another number than the last time.
    func plug() throws -> SimulatedChip {
        try KernelFile.write("1", to: "\(folder)/live")
        return try SimulatedChip(
            device: KernelFile.read("\(folder)/dev_name"), chip: KernelFile.read("\(folder)/bank0/chip_name"))
    }

    /// Unplugs the chip, even if its lines are held.
    func unplug() throws {
        try KernelFile.write("0", to: "\(folder)/live")
    }

    deinit {
        do {
            if try KernelFile.read("\(folder)/live") == "1" { try unplug() }
        } catch {
            Issue.record(error)
        }
        for path in lineFolders + ["\(folder)/bank0", folder] where rmdir(path) < 0 {
            Issue.record(LabFailure.system("rmdir", path))
        }
    }

    private static func makeFolder(_ path: String) throws {
        guard mkdir(path, 0o755) == 0 else { throw LabFailure.system("mkdir", path) }
    }
}
