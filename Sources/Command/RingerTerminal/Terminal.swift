import Glibc
import Ringer
import SystemPackage

/// Standard output and standard error.
package enum Terminal {
    /// Whether standard output is a terminal.
    package static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    /// Writes `line` without buffering, so that a reader of a pipe sees each event when it happens.
    package static func show(_ line: String) throws(RingerError) {
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
    package static func complain(_ line: String) {
        // An error of standard error cannot be reported.
        _ = try? FileDescriptor.standardError.writeAll((line + "\n").utf8)
    }

    /// Runs a command on a thread of its own: Swift's pool has threads that wake up every second on Linux, and the device's
    /// thread must not wait for a reader of the command's output.
    package static func run(_ command: @escaping @Sendable () async throws -> Void) throws {
        let loop = try EventLoop(name: "ringer-command")
        try loop.run {
            do {
                try await command()
            } catch {
                await waitForTermination()
                throw error
            }
            await waitForTermination()
        }
    }

    /// Ends the process by the signal that it received, so that the sender sees it in the exit status.
    private static func waitForTermination() async {
        guard TerminationSignals.isTerminating else { return }
        // The signal is raised once the device is closed, unless closing hangs.
        try? await Task.sleep(for: .seconds(5))
    }
}

extension Double {
    /// The number with `digits` decimals.
    package func fixed(_ digits: Int) -> String {
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
    package func padded(to width: Int) -> String { self + String(repeating: " ", count: Swift.max(0, width - count)) }
}
