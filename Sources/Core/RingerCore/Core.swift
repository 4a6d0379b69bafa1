import Glibc
import Synchronization

/// The one owner of a device's state machines: makes their transitions one at a time, and performs what follows from them.
///
/// A *transition* is what one call, edge or answer leads to in all state machines together. Any thread makes it, under one
/// lock: state machines call each other directly, gates of sounds are shut, and when the call returns every thread sees the
/// result.
///
/// An *effect* is what touches anything else: hardware, files, timers, threads, streams, the user's code. Effects are
/// performed outside of the lock, one at a time, in the order in which transitions added them, by the device's thread: at the
/// end of its own transition, or in its next turn. Without such a thread, as in virtual time, the thread of the transition
/// performs them, until another one takes over. An effect must not block.
///
/// Nobody who holds a lock that transitions take waits for this one: to make a transition inside another is not to wait.
// SAFETY: the variables are used under `lock` alone; nothing that is called meanwhile uses them, so that their accesses do not
// overlap and need no check.
package final class Core: @unchecked Sendable {
    package typealias Effect = @Sendable () -> Void

    private let hasThread: Bool
    private let thread: any DeviceThread
    private let lock = Mutex<Void>(())
    /// The thread that makes a transition; 0 for none.
    private let owner = Atomic<UInt>(0)
    /// The effects that were added and not taken, from `head` to `tail`. Behind them is memory for the next ones.
    @exclusivity(unchecked) private var effects: [Waiting] = []
    @exclusivity(unchecked) private var head = 0
    @exclusivity(unchecked) private var tail = 0
    /// How many effects were added in all, and how many were taken.
    @exclusivity(unchecked) private var added: UInt64 = 0
    @exclusivity(unchecked) private var taken: UInt64 = 0
    /// How many effects had been added when the device's thread was last given work that takes them.
    @exclusivity(unchecked) private var announced: UInt64 = 0
    /// The thread that performs effects; 0 for none.
    @exclusivity(unchecked) private var performer: UInt = 0
    /// Whether another thread made a transition meanwhile, where there is no thread of the device.
    @exclusivity(unchecked) private var othersWait = false

    /// An effect, nil once it was taken. An array of functions, and a generic
    /// function that returns one, would wrap each, at the price of an allocation.
    private struct Waiting {
        var effect: Effect?
    }

    /// In the place of the device's thread where there is none.
    private struct NoThread: DeviceThread {
        var isCurrentThread: Bool { false }
        func execute(_ body: @escaping @Sendable () -> Void) { body() }
    }

    /// A core whose effects are performed by `thread`; nil for that of the transition.
    package init(_ thread: (any DeviceThread)? = nil) {
        hasThread = thread != nil
        self.thread = thread ?? NoThread()
    }

    /// Makes a transition, or a part of the one that the calling thread makes.
    package func transition<Answer: Sendable>(_ body: () -> Answer) -> Answer {
        let caller = UInt(pthread_self())
        if owner.load(ordering: .relaxed) == caller { return body() }
        let (answer, isDue) = lock.withLock { _ in
            owner.store(caller, ordering: .relaxed)
            let answer = body()
            owner.store(0, ordering: .relaxed)
            if !hasThread && performer != 0 && performer != caller { othersWait = true }
            return (answer, added > taken && performer == 0)
        }
        if isDue { performSoon(caller) }
        return answer
    }

    /// Reads what transitions change. Performs no effect: the caller may hold a lock of its own that an effect takes.
    package func read<Answer: Sendable>(_ body: () -> Answer) -> Answer {
        let caller = UInt(pthread_self())
        if owner.load(ordering: .relaxed) == caller { return body() }
        return lock.withLock { _ in
            owner.store(caller, ordering: .relaxed)
            defer { owner.store(0, ordering: .relaxed) }
            return body()
        }
    }

    /// Whether the calling thread makes a transition.
    var isInTransition: Bool { owner.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Adds an effect.
    package func perform(_ effect: @escaping Effect) {
        if isInTransition { add(effect) } else { transition { add(effect) } }
    }

    @inline(__always)
    private func add(_ effect: @escaping Effect) {
        if tail < effects.count {
            effects[tail].effect = effect
        } else {
            effects.append(Waiting(effect: effect))
        }
        tail += 1
        added += 1
    }

    /// Frees `object` outside of the lock.
    package func release(_ object: some Sendable) {
        perform { withExtendedLifetime(object) {} }
    }

    /// Performs every effect that waits, on the device's thread, which may be performing one.
    package func flush() {
        _ = performEffects(UInt(pthread_self()), isTurn: false)
    }

    /// Whether effects are performed by another thread than the calling one.
    package var hasOtherThread: Bool { hasThread && !thread.isCurrentThread }

    /// Whether the calling thread is the device's, or performs effects in its place: it must not wait for them.
    package var isOnItsThread: Bool {
        thread.isCurrentThread || lock.withLock { _ in performer == UInt(pthread_self()) }
    }

    // MARK: - Performing effects

    /// The effects that wait, in order.
    var waiting: [Effect] { lock.withLock { _ in effects[head..<tail].compactMap(\.effect) } }

    /// Performs the oldest effect: for tests, whose thread of the device may leave the effects to them.
    ///
    /// - Returns: Whether there was one.
    package func performNext() -> Bool {
        var isLeft = false
        guard let effect = take(upTo: .max, isOutermost: false, &isLeft).effect else { return false }
        effect()
        return true
    }

    private func performSoon(_ caller: UInt) {
        if !hasThread || thread.isCurrentThread { return takeTurn(caller) }
        let count = lock.withLock { _ in announced > taken ? 0 : added }
        if count == 0 { return }
        thread.execute { [self] in takeTurn(UInt(pthread_self())) }
        // Only now, since this thread may have been held up before: until then others announce theirs.
        lock.withLock { _ in announced = max(announced, count) }
    }

    /// Performs the effects that wait now. What they add is performed in the next turn, after a look at the descriptors.
    private func takeTurn(_ caller: UInt) {
        if performEffects(caller, isTurn: true) {
            thread.execute { [self] in takeTurn(UInt(pthread_self())) }
        }
    }

    /// Performs the effects that wait, of a turn only those that wait now.
    ///
    /// - Returns: Whether some are left, which nobody performs. They count as announced.
    private func performEffects(_ caller: UInt, isTurn: Bool) -> Bool {
        if !hasThread { UserCode.enterDrain() }
        defer { if !hasThread { UserCode.leaveDrain() } }
        var isLeft = false
        repeat {
            let (before, limit) = lock.withLock { _ in
                let before = performer
                if before == 0 { performer = caller }
                defer { othersWait = false }
                return (before, isTurn ? othersWait ? taken + 1 : added : .max)
            }
            // Another thread performs what is left, where there is no thread of the device.
            if before != 0 && before != caller { return false }
            while let effect = take(upTo: limit, isOutermost: before == 0, &isLeft).effect { effect() }
            // Another thread that makes transitions all the time takes over in between, instead of holding this one for ever.
            if isLeft && !hasThread && lock.withLock({ _ in othersWait }) { sched_yield() }
        } while isLeft && !hasThread
        return isLeft
    }

    /// The next effect; nil if none is left up to `limit`, when the outermost caller is no longer the performer.
    private func take(upTo limit: UInt64, isOutermost: Bool, _ isLeft: inout Bool) -> Waiting {
        lock.withLock { _ in
            guard taken < min(added, limit) else {
                if isOutermost {
                    performer = 0
                    isLeft = added > taken
                    if isLeft { announced = added }
                }
                return Waiting(effect: nil)
            }
            let effect = effects[head].effect.take()
            head += 1
            taken += 1
            if head == tail {
                if tail > 64 { effects = [] }
                (head, tail) = (0, 0)
            } else if head >= 1024 && head * 2 >= tail {
                // Under lasting load there is always one that waits.
                effects.removeFirst(head)
                tail -= head
                head = 0
            }
            return Waiting(effect: effect)
        }
    }
}
