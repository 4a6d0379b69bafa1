import CLinux
import Glibc
import Synchronization
import SystemPackage

/// Handles the signals that end a process on the threads of event loops, where more is allowed than in a signal
/// handler: above all, turning the motor off.
///
/// Signals are caught while there is a ``Registration``. When one arrives, the body of every registration runs on its
/// own loop. After the end of the last body, the signal is raised again with its previous disposition; by default it
/// ends the process as the sender expects.
///
/// A child of fork has no registrations: a signal does there what it did before it was caught.
package enum TerminationSignals {
    /// `SIGTERM`, `SIGINT` and `SIGHUP`.
    package static let all: [CInt] = [SIGTERM, SIGINT, SIGHUP]

    /// Those of ``all`` that the program leaves to the system: it neither handles nor ignores them, and the calling thread does
    /// not block them.
    package static var unclaimed: [CInt] {
        var blocked = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &blocked)
        return all.filter { signal in
            var action = sigaction()
            return sigaction(signal, nil, &action) == 0 && action.sa_flags & SA_SIGINFO == 0
                && action.__sigaction_handler.sa_handler == nil && sigismember(&blocked, signal) == 0
        }
    }

    /// Whether a caught signal has arrived. It ends the process once every body has returned; the program must not exit
    /// before that with a status of its own.
    package static var isTerminating: Bool { hasCome.load(ordering: .acquiring) }

    /// A body that runs when a signal arrives, until it is cancelled, on any thread.
    package final class Registration: Sendable {
        fileprivate let id: UInt64

        fileprivate init(id: UInt64) {
            self.id = id
        }

        /// Removes the body. With the last registration, the signals get their previous disposition back; a signal that
        /// arrived and for which no body was started acts at once. A running body is not affected. A second call does
        /// nothing.
        package func cancel() {
            TerminationSignals.cancel(id)
        }
    }

    /// Called with the signal, and with what to call once at its end, on any thread.
    package typealias Body = @Sendable (CInt, _ done: @escaping @Sendable () -> Void) -> Void

    private struct Entry {
        var id: UInt64
        var signals: [CInt]
        var loop: EventLoop
        var body: Body
        var watch: EventLoop.WatchedDescriptor?
        var isRunning = false
    }

    private struct State {
        let process = OwningProcess()
        var entries: [Entry] = []
        var nextID: UInt64 = 0
        /// Never closed: a signal handler may write to it at any moment.
        var pipe: (read: CInt, write: CInt)?

        func isCaught(_ signal: CInt) -> Bool { entries.contains { $0.signals.contains(signal) } }
    }

    private static let hasCome = Atomic(false)
    private static let state = Mutex(State())

    /// Catches `signals` from now on, and calls `body` on the loop's thread when a caught signal comes.
    ///
    /// Signals that the process ignores stay ignored, such as `SIGHUP` under nohup. The other threads of the process
    /// may have the signals blocked; the loop's thread accepts them.
    ///
    /// - Returns: The registration, which lasts until it is cancelled; dropping it does not cancel it.
    /// - Throws: ``RingerError`` if the system refuses.
    package static func handle(
        _ signals: [CInt] = all, on loop: EventLoop, _ body: @escaping @Sendable (CInt) -> Void
    ) throws(RingerError) -> Registration {
        try handle(
            signals, on: loop,
            untilDone: { signal, done in
                body(signal)
                done()
            })
    }

    /// The same with a body that may end after it has returned.
    package static func handle(
        _ signals: [CInt] = all, on loop: EventLoop, untilDone body: @escaping Body
    ) throws(RingerError) -> Registration {
        let (result, pipe) = state.withLock { state in
            if !state.process.isCurrent { forgetParent(&state) }
            do throws(RingerError) {
                let pipe = try openPipe(&state)
                let caught = try catchSignals(signals, state, pipe.write)
                state.nextID += 1
                state.entries.append(Entry(id: state.nextID, signals: caught, loop: loop, body: body))
                return (Result<Entry?, RingerError>.success(state.entries.last), pipe.read)
            } catch {
                return (.failure(error), -1)
            }
        }
        guard let entry = try result.get() else { throw RingerError(.system, "catch signals", "process") }
        setMask(SIG_UNBLOCK, entry.signals, on: loop)
        // Nobody reads the pipe, so that it stays readable for every loop.
        let watch = loop.watch(pipe, for: Int16(POLLIN)) { _ in run(entry.id) }
        let isCancelled = state.withLock { state in
            guard let index = state.entries.firstIndex(where: { $0.id == entry.id }) else { return true }
            state.entries[index].watch = watch
            return false
        }
        if isCancelled { watch.cancel() }
        return Registration(id: entry.id)
    }

    /// In a child of fork: the registrations, the pipe and a signal that came are the parent's.
    private static func forgetParent(_ state: inout State) {
        for descriptor in [state.pipe?.read, state.pipe?.write] { if let descriptor { close(descriptor) } }
        state = State()
        _ = ringer_end_catching()
        hasCome.store(false, ordering: .releasing)
    }

    /// On the loop's thread: runs the body of a registration.
    private static func run(_ id: UInt64) {
        let body = state.withLock { state -> Body? in
            guard let index = state.entries.firstIndex(where: { $0.id == id }) else { return nil }
            state.entries[index].watch?.cancel()
            // A signal may arrive before the watch was stored.
            if state.entries[index].isRunning { return nil }
            state.entries[index].isRunning = true
            return state.entries[index].body
        }
        guard let body else { return }
        hasCome.store(true, ordering: .releasing)
        body(ringer_caught_signal()) { end(id) }
    }

    private static func cancel(_ id: UInt64) {
        let isWaiting = state.withLock { state in state.entries.contains { $0.id == id && !$0.isRunning } }
        if isWaiting { end(id) }
    }

    private static func end(_ id: UInt64) {
        // The signals to block on the loop's thread again, and the one to raise.
        let (blocked, signal): (Entry?, CInt) = state.withLock { state in
            guard let index = state.entries.firstIndex(where: { $0.id == id }) else { return (nil, 0) }
            let entry = state.entries.remove(at: index)
            entry.watch?.cancel()
            for signal in entry.signals where !state.isCaught(signal) { ringer_release_signal(signal) }
            let blocked = state.entries.contains { $0.loop === entry.loop } ? nil : entry
            guard state.entries.isEmpty, let pipe = state.pipe else { return (blocked, 0) }
            let signal = ringer_end_catching()
            var bytes: [UInt8] = Array(repeating: 0, count: 64)
            while read(pipe.read, &bytes, bytes.count) > 0 {}
            return (blocked, signal)
        }
        // The signal has its previous disposition again: the default one ends the process here.
        if signal != 0 { kill(getpid(), signal) }
        if let blocked { setMask(SIG_BLOCK, blocked.signals, on: blocked.loop) }
    }

    /// Changes which signals the loop's thread accepts. A thread inherits the mask of its creator, and the parent
    /// process may have blocked them all: at least one thread must accept them.
    private static func setMask(_ how: CInt, _ signals: [CInt], on loop: EventLoop) {
        loop.executeOnThread {
            var set = sigset_t()
            sigemptyset(&set)
            for signal in signals { sigaddset(&set, signal) }
            pthread_sigmask(how, &set, nil)
        }
    }

    private static func openPipe(_ state: inout State) throws(RingerError) -> (read: CInt, write: CInt) {
        if let pipe = state.pipe { return pipe }
        var descriptors: [CInt] = [-1, -1]
        guard ringer_pipe(&descriptors) == 0 else { throw RingerError("make a pipe", "signals", .current) }
        let pipe = (read: descriptors[0], write: descriptors[1])
        state.pipe = pipe
        return pipe
    }

    /// Catches those of `signals` that the process does not ignore, and returns them.
    private static func catchSignals(
        _ signals: [CInt], _ state: State, _ descriptor: CInt
    ) throws(RingerError) -> [CInt] {
        var caught: [CInt] = []
        for signal in signals {
            let result = state.isCaught(signal) ? 1 : ringer_catch_signal(signal, descriptor)
            if result > 0 { caught.append(signal) }
            guard result < 0 else { continue }
            let reason = Errno.current
            for signal in caught where !state.isCaught(signal) { ringer_release_signal(signal) }
            throw RingerError("catch it", "signal \(signal)", reason)
        }
        return caught
    }
}
