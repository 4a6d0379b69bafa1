import CLinux
import Synchronization
import SystemPackage

/// The thread that runs user code (completions, observers, log handlers), one call after another.
///
/// Any thread may hand over calls. The first one starts it. It sleeps while there is nothing to run, and ends after ``finish()``. A later call starts
/// it again until that call has run.
///
/// Nothing that was handed over is dropped: a completion belongs to a call that waits for it. Whoever hands over something
/// that nobody asked for, such as events, limits how much of it waits.
final class CallbackThread: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var isStarted = false
        var isFinished = false
    }

    /// Stack size in bytes, for user code. Unused pages take no memory.
    private static let stackSize = 1024 * 1024

    private let state = Mutex(State())
    private let wake = Latch()

    /// Runs `body` on the thread, after the bodies added before it.
    ///
    /// - Throws: ``RingerError`` if the system has no thread left. `body` is kept and runs after the next successful
    ///   call or ``retry()``.
    func add(_ body: @escaping @Sendable () -> Void) throws(RingerError) {
        state.withLock { $0.waiting.append(body) }
        try wakeOrStart()
    }

    /// Starts the thread if it could not be started before and bodies are waiting.
    func retry() throws(RingerError) {
        if state.withLock({ !$0.waiting.isEmpty }) { try wakeOrStart() }
    }

    /// Ends the thread once it has run the bodies added so far.
    func finish() {
        let mustWake = state.withLock { state in
            state.isFinished = true
            return state.isStarted
        }
        if mustWake { wake.open() }
    }

    private func wakeOrStart() throws(RingerError) {
        let mustStart = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted
        }
        guard mustStart else { return wake.open() }
        do throws(Errno) {
            try DetachedThread.start(stackSize: Self.stackSize) {
                ringer_name_thread("ringer-callback")
                self.run()
            }
        } catch {
            state.withLock { $0.isStarted = false }
            throw RingerError("start the thread", "callback thread", error)
        }
    }

    private func run() {
        while true {
            let (bodies, isOver): ([@Sendable () -> Void], Bool) = state.withLock { state in
                let bodies = state.waiting
                state.waiting = []
                let isOver = bodies.isEmpty && state.isFinished
                if isOver { state.isStarted = false }
                return (bodies, isOver)
            }
            if isOver { return }
            for body in bodies { UserCode.run(body) }
            if bodies.isEmpty { wake.wait() }
        }
    }
}
