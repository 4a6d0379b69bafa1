import RingerCore
import Synchronization

/// A device's clock that the test moves.
///
/// Time passes only in ``advance(by:)`` and its relatives: they call every timer that expires, in order, each at its
/// own time, on the caller's thread. The same test has the same times in every run.
public final class VirtualClock: DeviceClock, Sendable {
    private struct Entry {
        var deadline: MonotonicTime
        var id: UInt64
        /// Whether it waits for the wall clock.
        var isOfWall = false
        var body: @Sendable () -> Void
    }

    /// A function in a structure of its own: one that is read from a mutex directly is wrapped anew each time.
    private struct Settling: Sendable {
        var body: @Sendable () -> Void
    }

    private struct State {
        var now: MonotonicTime
        var timeAsleep = Duration.zero
        /// The wall clock when the other one was 0: on January 1, 2026.
        var wallOrigin = Duration.seconds(1_767_225_600)
        var timers: [Entry] = []
        var nextID: UInt64 = 0
        /// Calls of ``drive(patience:_:)`` that wait for a timer, or for their operation.
        var drives: [UInt64: CheckedContinuation<Void, Never>] = [:]
        /// Called before time moves.
        var settling: Settling?
    }

    private let state: Mutex<State>

    /// A clock at `start`, by default 1,000 s after the origin.
    public init(start: MonotonicTime = MonotonicTime(nanoseconds: 1_000_000_000_000)) {
        state = Mutex(State(now: start))
    }

    /// Runs completions, observers and log handlers on the calling thread, as soon as what follows from its call of the
    /// device has been done.
    ///
    /// They may move the clock themselves, as code that blocks for that long would; the device continues meanwhile.
    public func callBack(_ body: @escaping @Sendable () -> Void) {
        UserCode.runAfterEffects(body)
    }

    /// Runs `body` at once, on the calling thread.
    public func runAside(_ body: @escaping @Sendable () -> Void) {
        body()
    }

    /// The time to which the test has moved the clock.
    public var now: MonotonicTime { state.withLock { $0.now } }

    /// Calls `body` when the test moves the clock to `deadline` or beyond.
    public func schedule(at deadline: MonotonicTime, _ body: @escaping @Sendable () -> Void) -> any DeviceTimer {
        schedule { _ in Entry(deadline: deadline, id: 0, body: body) }
    }

    /// The wall clock, which goes with this one until the test sets it.
    public var wallTime: Duration { state.withLock { $0.wallOrigin + .nanoseconds($0.now.nanoseconds) } }

    /// Calls `body` when the wall clock reaches `time`, or is set, or the machine sleeps.
    public func schedule(atWallTime time: Duration, _ body: @escaping @Sendable () -> Void) -> any DeviceTimer {
        schedule { wallOrigin in
            let deadline = MonotonicTime(nanoseconds: (time - wallOrigin).nanoseconds)
            return Entry(deadline: deadline, id: 0, isOfWall: true, body: body)
        }
    }

    private func schedule(_ entry: (_ wallOrigin: Duration) -> Entry) -> any DeviceTimer {
        let timer = state.withLock { state in
            state.nextID += 1
            var entry = entry(state.wallOrigin)
            entry.id = state.nextID
            state.timers.append(entry)
            return Timer(clock: self, id: state.nextID)
        }
        wakeDrives()
        return timer
    }

    /// Sets the wall clock, forward or back, which calls the timers that wait for it.
    public func setWallTime(_ time: Duration) {
        changeWall { $0.wallOrigin = time - .nanoseconds($0.now.nanoseconds) }
    }

    private func changeWall(_ change: (inout State) -> Void) {
        let told = state.withLock { state in
            change(&state)
            defer { state.timers.removeAll(where: \.isOfWall) }
            return state.timers.filter(\.isOfWall)
        }
        for timer in told { timer.body() }
    }

    /// How long the machine has slept.
    public var timeAsleep: Duration { state.withLock { $0.timeAsleep } }

    /// Lets the machine sleep for `duration`: the clock stands still, as the kernel's does, and no timer expires; the wall clock
    /// goes on. A test reports the waking with `DeviceStateChange.wokeFromSleep`.
    public func sleep(for duration: Duration) {
        changeWall { state in
            state.timeAsleep += duration
            state.wallOrigin += duration
        }
    }

    /// How many timers are pending. A device at rest has none.
    public var pendingTimers: Int { state.withLock { $0.timers.count } }

    /// Moves the clock forward by `duration`, calling the timers that expire.
    public func advance(by duration: Duration = .zero) {
        advance(to: now + duration)
    }

    /// Moves the clock forward to `target`, calling the timers that expire.
    public func advance(to target: MonotonicTime) {
        while runNext(until: target) {}
        state.withLock { $0.now = max($0.now, target) }
    }

    /// Moves the clock to the next timer, if it expires by `limit`, and calls it.
    ///
    /// - Returns: Whether there was one; if not, the clock does not move.
    public func advanceToNextTimer(by limit: MonotonicTime) -> Bool { runNext(until: limit) }

    /// Runs `operation`, moving the clock from timer to timer while it waits.
    ///
    /// It runs on the calling thread, and time moves once it waits, however long that thread stood still. Tasks that it does not
    /// wait for, and those of an actor with an executor of its own, run beside it.
    ///
    /// - Parameters:
    ///   - patience: How long, in real time, the operation may take without a pending timer: a part of it may be running on
    ///     another thread.
    ///   - operation: What to wait for, such as a sound that plays to its end. It must not block the thread until time moves.
    /// - Returns: The result of `operation`.
    /// - Throws: The error of `operation`; `RingerError` with the code `timedOut` if it waits for something that time
    ///   does not bring, such as a move of the switch. The operation is cancelled then.
    public func drive<Value: Sendable>(
        patience: Duration = .seconds(10), _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let isDone = Flag()
        let executor = DrivenExecutor { [weak self] in self?.wakeDrives() }
        defer { executor.abandon() }
        let task = Task(executorPreference: executor) {
            defer {
                isDone.raise()
                self.wakeDrives()
            }
            return try await operation()
        }
        while !isDone.isRaised {
            executor.run()
            // What others do for it.
            for _ in 0..<32 where !isDone.isRaised && executor.isEmpty { await Task.yield() }
            let isWaiting = { @Sendable in !isDone.isRaised && executor.isEmpty }
            if !isWaiting() || runNext(until: nil, if: isWaiting) { continue }
            // All threads may have stood still for that long: what has happened by now counts.
            if await isMoving(within: patience, isWaiting) || !isWaiting() || pendingTimers > 0 { continue }
            task.cancel()
            try Task.checkCancellation()
            throw RingerError(
                .timedOut, "drive the operation", "virtual clock",
                detail:
                    "no timer is pending, and nothing has happened for \(patience): it waits for something that time "
                    + "does not bring")
        }
        return try await task.value
    }

    /// Whether a timer is scheduled, or the operation goes on, before `patience` of real time is over.
    private func isMoving(within patience: Duration, _ isWaiting: @escaping @Sendable () -> Bool) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await self.nextMove(isWaiting)
                return true
            }
            group.addTask {
                try? await Task.sleep(for: patience)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }

    /// Returns once a timer is pending, the operation goes on or the task is cancelled.
    private func nextMove(_ isWaiting: @escaping @Sendable () -> Bool) async {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if !isWaiting() || Task.isCancelled || !state.timers.isEmpty { return true }
                    state.drives[id] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.drives.removeValue(forKey: id) }?.resume()
        }
    }

    private func wakeDrives() {
        let waiting = state.withLock { state in
            if state.drives.isEmpty { return [] as [CheckedContinuation<Void, Never>] }
            defer { state.drives = [:] }
            return Array(state.drives.values)
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Sets what is called before time moves to the next timer: it waits until what runs on other threads at the present
    /// time has settled, such as messages between a service and its clients.
    package func settle(with body: @escaping @Sendable () -> Void) {
        state.withLock { $0.settling = Settling(body: body) }
    }

    /// Moves to the next timer, not beyond `limit`, and calls it. Returns false if there is none. Nothing moves where the operation
    /// that waits goes on with what has settled.
    private func runNext(until limit: MonotonicTime?, if isWaiting: () -> Bool = { true }) -> Bool {
        state.withLock { $0.settling }?.body()
        guard isWaiting() else { return true }
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
            // What it holds is let go of outside of the lock.
            _ = clock?.state.withLock { state in
                state.timers.firstIndex { $0.id == id }.map { state.timers.remove(at: $0) }
            }
        }
    }

    /// Any thread.
    private final class Flag: Sendable {
        private let value = Atomic(false)
        var isRaised: Bool { value.load(ordering: .acquiring) }
        func raise() { value.store(true, ordering: .releasing) }
    }
}
