import Glibc
import RingerCore
import SystemPackage

/// Which GPIO line to use.
public enum GPIOLine: Sendable, Hashable {
    /// The first line of that name on any chip: `gpio-line-names` in the device tree.
    case named(String)
    /// The line at `offset` of a chip: the chip's file, "/dev/gpiochip0"; its name, "gpiochip0"; its number, "0"; or
    /// its label, which stays the same when the numbers change.
    case offset(Int, chip: String)

    /// The line, for people.
    var description: String {
        switch self {
        case .named(let name): name
        case .offset(let offset, let chip): "\(chip) line \(offset)"
        }
    }

    /// The name of what uses the line, as `request`: "GPIO gpiochip0 line 2 (ring-silent)".
    func name(of request: borrowing GPIOLineRequest) -> String {
        switch self {
        case .named(let name): "GPIO \(request.subject) (\(name))"
        case .offset: "GPIO \(request.subject)"
        }
    }

    /// Finds the line: its chip, open, and its offset.
    func locate(in paths: HardwarePaths) throws(RingerError) -> LocatedLine {
        switch self {
        case .named(let name): try Self.find(name, paths.devices)
        case .offset(let offset, let chip): try find(offset, on: chip, paths.devices)
        }
    }

    private func find(
        _ offset: Int, on chip: String, _ devices: FilePath
    ) throws(RingerError) -> LocatedLine {
        guard let offset = UInt32(exactly: offset) else {
            throw RingerError(.invalid, "find the line", description, detail: "no line has this offset")
        }
        return LocatedLine(chip: try Self.open(chip, devices), offset: offset)
    }

    private static func find(_ name: String, _ devices: FilePath) throws(RingerError) -> LocatedLine {
        var failure: RingerError?
        for file in try DirectoryListing.existing("gpiochip", in: devices) {
            do throws(RingerError) {
                let chip = try GPIOChip(devices.appending(file))
                if let offset = try chip.offset(ofLine: name) { return LocatedLine(chip: chip, offset: offset) }
            } catch {
                if mayHideChip(error) { failure = failure ?? error }
            }
        }
        if let failure { throw failure }
        throw RingerError(.notFound, "find a GPIO line of this name", name)
    }

    private static func open(_ chip: String, _ devices: FilePath) throws(RingerError) -> GPIOChip {
        if chip.hasPrefix("/") { return try GPIOChip(FilePath(chip)) }
        let file = devices.appending(chip.allSatisfy(\.isNumber) ? "gpiochip\(chip)" : chip)
        if access(file.string, F_OK) == 0 { return try GPIOChip(file) }
        var failure: RingerError?
        for file in try DirectoryListing.existing("gpiochip", in: devices) {
            do throws(RingerError) {
                let candidate = try GPIOChip(devices.appending(file))
                if candidate.label == chip { return candidate }
            } catch {
                if mayHideChip(error) { failure = failure ?? error }
            }
        }
        if let failure { throw failure }
        throw RingerError(.notFound, "find a GPIO chip of this name or label", chip)
    }

    /// Whether a chip that could not be looked at may have the line: it is forbidden, or the system lacked a descriptor
    /// or memory. Files that are not chips, and chips that are disappearing, are skipped.
    private static func mayHideChip(_ error: RingerError) -> Bool {
        switch error.code {
        case .notFound, .disconnected, .unsupported, .invalid: false
        // A file in /dev without a device.
        default: error.errno != .noSuchAddressOrDevice
        }
    }
}

/// A line that was found.
struct LocatedLine: ~Copyable {
    let chip: GPIOChip
    let offset: UInt32
}
