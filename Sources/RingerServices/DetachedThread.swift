import Glibc
import SystemPackage

/// Threads of Ringer's own, which do not belong to Swift's pool and end with what they run.
package enum DetachedThread {
    /// Runs `body` on a new detached thread.
    ///
    /// The thread takes no signals, which are the program's affair, but those that a crash raises. The corresponding C
    /// function is `pthread_create`.
    ///
    /// - Parameters:
    ///   - stackSize: The thread's stack, in bytes.
    ///   - inheritsScheduling: Whether it has the caller's scheduling policy, which may be `SCHED_FIFO`; false for the
    ///     ordinary one.
    ///   - body: What it runs. The thread ends when it returns.
    /// - Returns: The thread.
    /// - Throws: The system's reason where it has no thread left.
    @discardableResult
    package static func start(
        stackSize: Int, inheritsScheduling: Bool = false, _ body: @escaping @Sendable () -> Void
    ) throws(Errno) -> pthread_t {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, stackSize)
        if !inheritsScheduling { pthread_attr_setinheritsched(&attributes, CInt(PTHREAD_EXPLICIT_SCHED)) }
        let argument = Unmanaged.passRetained(ThreadBody(run: body))
        var id = pthread_t()
        let result = pthread_create(&id, &attributes, runDetachedThread, argument.toOpaque())
        guard result == 0 else {
            argument.release()
            throw Errno(rawValue: result)
        }
        return id
    }

    /// Runs `body` on a thread of its own and returns what it returns: for work that would hold up the caller's thread.
    ///
    /// No thread of Swift's pool is started for it. Where the system has no thread left, `body` runs on the caller's.
    ///
    /// - Parameters:
    ///   - stackSize: The thread's stack, in bytes.
    ///   - body: The work. It is not interrupted when the task is cancelled.
    package static func run<Value: Sendable>(
        stackSize: Int = 256 * 1024, _ body: @escaping @Sendable () -> Value
    ) async -> Value {
        await withCheckedContinuation { continuation in
            do throws(Errno) {
                try start(stackSize: stackSize) { continuation.resume(returning: body()) }
            } catch {
                continuation.resume(returning: body())
            }
        }
    }

    /// Has the calling thread take no signals but those that a crash raises: blocked, they would end the process without
    /// the backtrace that a handler prints.
    fileprivate static func blockSignals() {
        var signals = sigset_t()
        sigfillset(&signals)
        for signal in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] { sigdelset(&signals, signal) }
        // The starting thread may have blocked those too.
        pthread_sigmask(SIG_SETMASK, &signals, nil)
    }
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}

private func runDetachedThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    // SAFETY: the argument is the reference that `start` retained for this thread, and only for it.
    let body = Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue()
    DetachedThread.blockSignals()
    body.run()
    return nil
}
