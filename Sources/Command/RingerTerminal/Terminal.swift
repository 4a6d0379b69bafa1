import Glibc
import RingerCore
import Synchronization
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

    private static let standardOutput = "standard output"

    /// The signals that end a command, once its device is closed: also the one that says that nobody reads its output.
    package static let signals = TerminationSignals.all + [SIGPIPE]

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

    /// Whether `error` says that nobody reads standard output any more.
    private static func isBrokenPipe(_ error: any Error) -> Bool {
        guard let error = error as? RingerError else { return false }
        return error.subject == standardOutput && error.errno == .brokenPipe
    }

    /// Writes `line` to standard error, as ``show(_:)`` does.
    package static func complain(_ line: String) {
        // An error of standard error cannot be reported.
        _ = try? FileDescriptor.standardError.writeAll((line.oneLine + "\n").utf8)
    }

    /// Runs a command on a thread of its own: Swift's pool has threads that wake up every second on Linux, and the device's
    /// thread must not wait for a reader of the command's output.
    ///
    /// A command whose output nobody reads any more ends by `SIGPIPE`, once its device is closed; one that waits notices
    /// that too.
    package static func run(_ command: @escaping @Sendable () async throws -> Void) throws {
        acceptBrokenPipe()
        let loop = try EventLoop(name: "ringer-command")
        let reader = OutputReader(on: loop)
        defer { reader.cancel() }
        do {
            try loop.run {
                do {
                    try await command()
                } catch {
                    await waitForTermination()
                    throw error
                }
                await waitForTermination()
            }
        } catch  where isBrokenPipe(error) {
            // The device is closed. The thread that wrote had the signal blocked.
            raise(SIGPIPE)
            throw error
        }
    }

    /// Gives `SIGPIPE` its default action, and has this thread accept it: others of the process block it.
    private static func acceptBrokenPipe() {
        signal(SIGPIPE, SIG_DFL)
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGPIPE)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// Ends the process by the signal that it received, so that the sender sees it in the exit status.
    private static func waitForTermination() async {
        guard TerminationSignals.isTerminating else { return }
        // The signal is raised once the device is closed, unless closing hangs.
        try? await Task.sleep(for: .seconds(5))
    }
}

/// Raises `SIGPIPE` once nobody reads standard output any more, where that is a pipe or a socket.
private final class OutputReader: Sendable {
    private let watch = Mutex<EventLoop.WatchedDescriptor?>(nil)

    init(on loop: EventLoop) {
        var status = stat()
        guard fstat(STDOUT_FILENO, &status) == 0, [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else { return }
        watch.withLock { watch in
            // Errors and hang-ups alone.
            watch = loop.watch(STDOUT_FILENO, for: 0) { [weak self] _ in
                self?.cancel()
                kill(getpid(), SIGPIPE)
            }
        }
    }

    func cancel() {
        watch.withLock { $0?.cancel() }
    }
}

extension Double {
    /// The number with `digits` decimals.
    package func fixed(_ digits: Int) -> String {
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let scaled = (self.magnitude * scale).rounded()
        guard scaled < 1e15 else { return description }
        let whole = String(Int64(scaled))
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
