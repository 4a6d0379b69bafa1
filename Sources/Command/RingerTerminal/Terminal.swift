import Glibc
import RingerCore
import SystemPackage

/// Standard output and standard error.
package enum Terminal {
    /// Whether standard output is a terminal.
    package static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    /// The columns of the terminal; 80 where standard output has none.
    static var width: Int {
        var size = winsize()
        return ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// Whether standard output takes something now: it does not on a terminal that Ctrl-S stopped.
    static var isReady: Bool {
        var output = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        return poll(&output, 1, 0) > 0
    }

    /// A variable of the environment.
    static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    static let standardOutput = "standard output"

    /// Writes `line` without buffering, so that a reader of a pipe sees each event when it happens. Whatever names and tags are in
    /// it, it is one line, without control characters.
    package static func show(_ line: String) throws(RingerError) {
        try write(line.oneLine + "\n")
    }

    /// Writes `text` without buffering.
    static func write(_ text: String) throws(RingerError) {
        do {
            try FileDescriptor.standardOutput.writeAll(text.utf8)
        } catch {
            throw RingerError("write", standardOutput, (error as? Errno) ?? .ioError)
        }
    }

    /// Writes `line` to standard error, as ``show(_:)`` does.
    package static func complain(_ line: String) {
        // An error of standard error cannot be reported.
        _ = try? FileDescriptor.standardError.writeAll((line.oneLine + "\n").utf8)
    }
}
