import Glibc
import Synchronization
import SystemPackage

/// Threads that do not belong to Swift's pool and end with their body.
package enum DetachedThread {
    /// The stack of a thread that reads and decodes a file or synthesises a sound, in bytes.
    package static let workStackSize = 256 * 1024

    /// Runs `body` on a new detached thread.
    ///
    /// The thread blocks all signals, which the program handles, except those that a crash raises. The corresponding C
    /// function is `pthread_create`.
    ///
    /// - Parameters:
    ///   - stackSize: The thread's stack in bytes.
    ///   - inheritsScheduling: Whether the thread has the caller's scheduling policy if that is `SCHED_FIFO` or `SCHED_RR`; false
    ///     for the ordinary one in their place.
    /// - Throws: The system's reason if it has no thread left.
    @discardableResult
    package static func start(
        stackSize: Int, inheritsScheduling: Bool = false, _ body: @escaping @Sendable () -> Void
    ) throws(Errno) -> pthread_t {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, stackSize)
        // Only a real-time policy is left behind: a sandbox may forbid to set any, and without rights a process under SCHED_IDLE
        // cannot change its own.
        if !inheritsScheduling, [SCHED_FIFO, SCHED_RR].contains(sched_getscheduler(0)) {
            pthread_attr_setinheritsched(&attributes, CInt(PTHREAD_EXPLICIT_SCHED))
        }
        let argument = Unmanaged.passRetained(ThreadBody(run: body))
        // It inherits its mask: from its first instruction it has no signal, and it takes no lock of Swift's for this, which a
        // child of fork would find taken for ever.
        var (blocked, before) = (sigset_t(), sigset_t())
        sigfillset(&blocked)
        // With these blocked, the process would end without the backtrace that their handler prints.
        for signal in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] { sigdelset(&blocked, signal) }
        pthread_sigmask(SIG_SETMASK, &blocked, &before)
        var id = pthread_t()
        let result = pthread_create(&id, &attributes, runDetachedThread, argument.toOpaque())
        pthread_sigmask(SIG_SETMASK, &before, nil)
        guard result == 0 else {
            argument.release()
            throw Errno(rawValue: result)
        }
        return id
    }

    /// Runs `body` on a thread of its own and returns its result: for work that would hold up the caller's thread.
    ///
    /// No thread of Swift's pool is started.
    ///
    /// - Parameters:
    ///   - stackSize: The thread's stack in bytes.
    ///   - body: The work. It is not interrupted when the task is cancelled.
    /// - Throws: The system's reason if it has no thread left: `body` does not run then.
    package static func run<Value: Sendable>(
        stackSize: Int = workStackSize, _ body: @escaping @Sendable () -> Value
    ) async throws(Errno) -> Value {
        // The thread lets go of the work before it reports the result: it may hold what the next one needs.
        let work = Mutex(Work(body: body))
        let result: Result<Value, Errno> = await withCheckedContinuation { continuation in
            do throws(Errno) {
                try start(stackSize: stackSize) {
                    guard let value = work.withLock({ $0.body.take() })?() else { return }
                    continuation.resume(returning: .success(value))
                }
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
        return try result.get()
    }
}

/// What a new thread runs: made on the thread that starts it, and run on the new one.
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
    body.run()
    return nil
}

/// What a thread does once.
private struct Work<Value: Sendable>: Sendable {
    var body: (@Sendable () -> Value)?
}
