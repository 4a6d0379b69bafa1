import RingerServices
import Synchronization

/// A device's time that the test moves.
///
/// Nothing happens by itself: ``advance(by:)`` calls every timer that falls due, one after another, at its own instant,
/// on the caller's thread, and returns when all was done. The same test gives the same instants in every run.
public final class VirtualClock: DeviceClock, Sendable {
    private struct Entry {
        var deadline: MonotonicTime
        var id: UInt64
        var body: @Sendable () -> Void
    }

    private struct State {
        var now: MonotonicTime
        var timers: [Entry] = []
        var nextID: UInt64 = 0
    }

    private let state: Mutex<State>

    /// A clock that stands at `start`, by default 1,000 s after the origin.
    public init(start: MonotonicTime = MonotonicTime(nanoseconds: 1_000_000_000_000)) {
        state = Mutex(State(now: start))
        UserCode.countRunners()
    }

    /// Runs completions, observers and log handlers on the calling thread, as soon as no state machine is at work on it.
    ///
    /// Such code may move the clock itself, as code that blocks for that long would; the device goes on meanwhile.
    public func callBack(_ body: @escaping @Sendable () -> Void) {
        UserCode.runAfterRunners(body)
    }

    /// The instant to which the test has moved the clock.
    public var now: MonotonicTime { state.withLock { $0.now } }

    /// Calls `body` when the test moves the clock to `deadline` or past it.
    public func schedule(at deadline: MonotonicTime, _ body: @escaping @Sendable () -> Void) -> any DeviceTimer {
        state.withLock { state in
            state.nextID += 1
            state.timers.append(Entry(deadline: deadline, id: state.nextID, body: body))
            return Timer(clock: self, id: state.nextID)
        }
    }

    /// How many timers wait. A device at rest has none.
    public var pendingTimers: Int { state.withLock { $0.timers.count } }

    /// Moves the clock forward by `duration`, calling on the way whatever falls due.
    public func advance(by duration: Duration = .zero) {
        advance(to: now + duration)
    }

    /// Moves the clock forward to `target`, calling on the way whatever falls due.
    public func advance(to target: MonotonicTime) {
        while runNext(until: target) {}
        state.withLock { $0.now = max($0.now, target) }
    }

    /// Runs `operation`, moving the clock from one timer to the next for as long as it waits for one.
    ///
    /// - Parameter operation: What is to be waited for, such as a sound that plays to its end.
    /// - Returns: What `operation` returned.
    public func drive<Result: Sendable>(_ operation: @escaping @Sendable () async -> Result) async -> Result {
        let isDone = Flag()
        let task = Task {
            let result = await operation()
            isDone.raise()
            return result
        }
        while !isDone.isRaised {
            // Let the operation get as far as it can by itself before time goes on.
            for _ in 0..<32 where !isDone.isRaised { await Task.yield() }
            if !isDone.isRaised { _ = runNext(until: nil) }
        }
        return await task.value
    }

    /// Moves to the next timer, not past `limit`, and calls it; false where there is none.
    private func runNext(until limit: MonotonicTime?) -> Bool {
        let body: (@Sendable () -> Void)? = state.withLock { state in
            guard
                let index = state.timers.indices.min(by: { left, right in
                    (state.timers[left].deadline, state.timers[left].id)
                        < (state.timers[right].deadline, state.timers[right].id)
                })
            else { return nil }
            if let limit, state.timers[index].deadline > limit { return nil }
            let entry = state.timers.remove(at: index)
            state.now = max(state.now, entry.deadline)
            return entry.body
        }
        body?()
        return body != nil
    }

    private struct Timer: DeviceTimer {
        weak let clock: VirtualClock?
        let id: UInt64

        func cancel() {
            clock?.state.withLock { $0.timers.removeAll { $0.id == id } }
        }
    }

    private final class Flag: Sendable {
        private let value = Atomic(false)
        var isRaised: Bool { value.load(ordering: .acquiring) }
        func raise() { value.store(true, ordering: .releasing) }
    }
}
