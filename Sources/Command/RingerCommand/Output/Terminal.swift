import Glibc
import RingerCore
import SystemPackage

/// Standard output and standard error.
enum Terminal {
    /// Whether standard output is a terminal.
    static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    /// Writes `line` without buffering, so that a reader of a pipe sees each event when it happens.
    static func show(_ line: String) throws(RingerError) {
        try write(line + "\n")
    }

    /// Writes `text` without buffering.
    static func write(_ text: String) throws(RingerError) {
        do {
            try FileDescriptor.standardOutput.writeAll(text.utf8)
        } catch {
            throw RingerError("write", "standard output", (error as? Errno) ?? .ioError)
        }
    }

    /// Writes `line` to standard error.
    static func complain(_ line: String) {
        // An error of standard error cannot be reported.
        _ = try? FileDescriptor.standardError.writeAll((line + "\n").utf8)
    }
}

extension Double {
    /// The number with `digits` decimals.
    func fixed(_ digits: Int) -> String {
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let scaled = (self.magnitude * scale).rounded()
        guard scaled < 1e15 else { return description }
        let whole = String(Int(scaled))
        let padded = String(repeating: "0", count: max(0, digits + 1 - whole.count)) + whole
        let point = padded.index(padded.endIndex, offsetBy: -digits)
        let text = digits > 0 ? "\(padded[..<point]).\(padded[point...])" : padded
        return self < 0 && scaled > 0 ? "-" + text : text
    }
}

extension String {
    /// The text, padded with spaces to `width`.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: Swift.max(0, width - count)) }
}
