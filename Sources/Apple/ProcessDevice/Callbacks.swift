import CLinux
import Glibc
import RingerCore
import Synchronization
import SystemPackage

/// Runs the program's callbacks one after another: on the device's callback thread, never on the device's own; or, once the
/// program has asked for the descriptor, where it dispatches them; or, while it runs its run loop, there.
package final class Callbacks: Sendable {
    private struct Waiting {
        /// Has the thread; nil where the program dispatches callbacks, which may leave some for good: they keep no clock.
        var clock: (any DeviceClock)?
        var body: @Sendable () -> Void
    }

    private struct State {
        /// An eventfd, which is readable while callbacks wait; nil until it is asked for. It is never closed: the program may
        /// be polling it.
        var descriptor: CInt?
        /// Whether the program dispatches callbacks by itself, for good.
        var hasDispatcher = false
        /// How many runs of the run loop are under way, and how many ever began.
        var runs = 0
        var begunRuns: UInt64 = 0
        /// Whether callbacks wait for the next run.
        var awaitsRun = false
        var waiting: [Waiting] = []

        /// Whether callbacks wait for ``Callbacks/dispatch()``; else the thread runs them.
        var isDispatched: Bool { hasDispatcher || runs > 0 || awaitsRun }

        mutating func add(_ callback: Waiting) {
            waiting.append(callback)
            signal()
        }

        mutating func take() -> (@Sendable () -> Void)? {
            let body = waiting.isEmpty ? nil : waiting.removeFirst().body
            if let descriptor, waiting.isEmpty {
                var count: UInt64 = 0
                read(descriptor, &count, 8)
            }
            return body
        }

        /// Makes the descriptor readable while callbacks wait.
        func signal() {
            guard let descriptor, !waiting.isEmpty else { return }
            var one: UInt64 = 1
            write(descriptor, &one, 8)
        }
    }

    /// How long callbacks wait for the run loop to run again.
    package static let patience = Duration.seconds(1)

    private let state = Mutex(State())

    /// Whether callbacks wait for the program, which runs them.
    var areDispatched: Bool { state.withLock { $0.isDispatched } }

    /// Runs `body` after the callbacks before it.
    func run(on clock: any DeviceClock, _ body: @escaping @Sendable () -> Void) {
        // A child of fork shares the descriptor with its parent, who would find it readable for ever.
        guard ProcessDevice.process.isCurrent else { return clock.callBack(body) }
        let isDispatched = state.withLock { state in
            state.add(Waiting(clock: state.hasDispatcher ? nil : clock, body: body))
            return state.isDispatched
        }
        if isDispatched { awaitRun() } else { clock.callBack { [self] in runNext() } }
    }

    /// Runs the first callback, on the thread, unless it waits for the program by now.
    private func runNext() {
        state.withLock { $0.isDispatched ? nil : $0.take() }?()
    }

    /// Leaves the callbacks that wait for the next run of the run loop to the thread, if none begins in time.
    private func awaitRun() {
        let (clock, begunRuns) = state.withLock { state in
            (state.awaitsRun && !state.hasDispatcher ? state.waiting.last?.clock : nil, state.begunRuns)
        }
        guard let clock else { return }
        _ = clock.schedule(at: clock.now + Self.patience) { [self] in
            let waiting = state.withLock { state in
                guard state.awaitsRun, state.begunRuns == begunRuns else { return [] as [Waiting] }
                state.awaitsRun = false
                return state.waiting
            }
            for callback in waiting { callback.clock?.callBack { [self] in runNext() } }
        }
    }

    /// The descriptor that is readable while callbacks wait. From the first call on they run in ``dispatch()`` alone; one
    /// that runs already on the thread runs to its end.
    ///
    /// - Throws: ``RingerError`` with the system's reason.
    package func descriptor() throws(RingerError) -> CInt {
        try open { $0.hasDispatcher = true }
    }

    /// Begins a run of the run loop: callbacks run in ``dispatch()`` until ``endRun()``.
    ///
    /// - Returns: The descriptor that is readable while callbacks wait.
    /// - Throws: ``RingerError`` with the system's reason; no run has begun then.
    package func beginRun() throws(RingerError) -> CInt {
        try open { state in
            state.runs += 1
            state.begunRuns += 1
            state.awaitsRun = false
        }
    }

    /// Ends a run of the run loop. For ``patience`` callbacks wait for the next one.
    package func endRun() {
        state.withLock { state in
            state.runs -= 1
            if state.runs == 0 { state.awaitsRun = true }
        }
        awaitRun()
    }

    private func open(_ change: (inout State) -> Void) throws(RingerError) -> CInt {
        // The parent of a child of fork would miss what the child reads.
        try ProcessDevice.process.check("open", "the callbacks' descriptor")
        let (descriptor, reason) = state.withLock { state in
            let descriptor = state.descriptor ?? ringer_eventfd()
            if descriptor < 0 { return (descriptor, errno) }
            if state.descriptor == nil {
                state.descriptor = descriptor
                state.signal()
            }
            change(&state)
            return (descriptor, 0)
        }
        if descriptor < 0 { throw RingerError("open", "the callbacks' descriptor", Errno(rawValue: reason)) }
        return descriptor
    }

    /// Runs the callbacks that wait, on the calling thread, in order. Those that come meanwhile wait for the next call; one of
    /// these callbacks may itself dispatch those after it.
    ///
    /// - Returns: How many ran.
    @discardableResult
    package func dispatch() -> Int {
        if !ProcessDevice.process.isCurrent { return 0 }
        let due = state.withLock { $0.waiting.count }
        for ran in 0..<due {
            guard let body = state.withLock({ $0.take() }) else { return ran }
            Self.perform(body)
        }
        return due
    }

    /// Runs `body`, a callback that was handed to another thread: sounds that it plays count as played from a callback.
    package static func perform(_ body: () -> Void) {
        UserCode.run(body)
    }
}

extension ProcessDevice {
    /// Hands a callback over to another thread.
    package typealias CallbackPlace = @Sendable (_ callback: @escaping @Sendable () -> Void) -> Void
}
