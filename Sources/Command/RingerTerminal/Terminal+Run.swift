import Glibc
import RingerCore
import Synchronization

extension Terminal {
    /// The signals that end a command, once its device is closed: also the one that says that nobody reads its output.
    package static let signals = TerminationSignals.all + [SIGPIPE]

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

    /// Whether `error` says that nobody reads standard output any more.
    private static func isBrokenPipe(_ error: any Error) -> Bool {
        guard let error = error as? RingerError else { return false }
        return error.subject == standardOutput && error.errno == .brokenPipe
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
