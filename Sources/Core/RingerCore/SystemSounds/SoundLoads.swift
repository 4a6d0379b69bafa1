import Synchronization

/// Reads and decodes sounds aside, for calls that wait: each sound once, however many calls wait for it, and within a budget
/// of the device. Any thread.
final class SoundLoads: Sendable {
    /// What makes two loads the same.
    enum Key: Sendable, Hashable {
        case cached(SoundCache.Key)
        case file(String)
        case contained(String, otherwise: SystemSoundID)
        case kept(ObjectIdentifier)
        /// The call's own.
        case call(UInt64)
    }

    /// A call that waits for a load.
    struct Call: Sendable {
        var number: UInt64
        /// Reads and decodes the sound: that of one call serves all.
        var read: @Sendable () -> SoundSource.Loaded
        /// Called with the result before the call gets it.
        var keep: @Sendable (SoundSource.Loaded) -> Void = { _ in }
    }

    private struct Load: Sendable {
        var key: Key
        var bytes: Int
        var calls: [Call]
        var startedAt: MonotonicTime?
    }

    private struct State {
        /// In the order of their first calls.
        var waiting: [Load] = []
        var running: [Load] = []
        var isTimerSet = false

        /// The next load that the budget allows.
        mutating func takeNext(_ now: MonotonicTime) -> Load? {
            guard var next = waiting.first, running.count < SoundLoads.mostThreads else { return nil }
            let counted = running.filter { $0.startedAt.map { now - $0 < SoundLoads.patience } ?? true }
            let bytes = counted.reduce(next.bytes) { $0 + $1.bytes }
            // One alone may be larger.
            guard counted.isEmpty || counted.count < SoundLoads.mostAtOnce && bytes <= SoundLoads.mostBytes else {
                return nil
            }
            waiting.removeFirst()
            next.startedAt = now
            running.append(next)
            return next
        }

        /// The calls that wait for a load that runs.
        func calls(of key: Key) -> [Call] { running.first { $0.key == key }?.calls ?? [] }

        /// The load is over. Returns the calls that waited for it.
        mutating func end(_ key: Key) -> [Call] {
            defer { running.removeAll { $0.key == key } }
            return calls(of: key)
        }
    }

    /// So many sounds are decoded at the same time, each on a thread of its own.
    static let mostAtOnce = 2
    /// So many bytes of samples they have together; one sound alone may have more.
    static let mostBytes = 16 << 20
    /// A load that takes longer, as from a file system that does not answer, no longer counts.
    static let patience = Duration.seconds(2)
    /// So many threads there are at most, those included.
    static let mostThreads = 8

    private let clock: any DeviceClock
    private let core: Core
    private let isWanted: @Sendable (UInt64) -> Bool
    private let deliver: @Sendable (UInt64, SoundSource.Loaded) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - isWanted: Returns whether a call still waits; a sound for which none does is not loaded.
    ///   - deliver: Called with the result for each call.
    init(
        _ clock: any DeviceClock, _ core: Core, isWanted: @escaping @Sendable (UInt64) -> Bool,
        deliver: @escaping @Sendable (UInt64, SoundSource.Loaded) -> Void
    ) {
        self.clock = clock
        self.core = core
        self.isWanted = isWanted
        self.deliver = deliver
    }

    /// Loads a sound of about `bytes` for a call, or lets the call wait for a load of the same sound.
    func load(_ key: Key, bytes: Int, for call: Call) {
        state.withLock { state in
            if let index = state.waiting.firstIndex(where: { $0.key == key }) {
                state.waiting[index].calls.append(call)
            } else if let index = state.running.firstIndex(where: { $0.key == key }) {
                state.running[index].calls.append(call)
            } else {
                state.waiting.append(Load(key: key, bytes: bytes, calls: [call]))
            }
        }
        core.perform { [self] in beginWaiting() }
    }

    private func beginWaiting() {
        while let load = state.withLock({ $0.takeNext(clock.now) }) {
            clock.runAside { [self] in
                run(load.key)
                beginWaiting()
            }
        }
        let mustLookAgain = state.withLock { state in
            if state.waiting.isEmpty || state.isTimerSet { return false }
            state.isTimerSet = true
            return true
        }
        guard mustLookAgain else { return }
        _ = clock.schedule(at: clock.now + Self.patience) { [self] in
            state.withLock { $0.isTimerSet = false }
            beginWaiting()
        }
    }

    private func run(_ key: Key) {
        while true {
            let calls = state.withLock { $0.calls(of: key) }
            let result = calls.first { isWanted($0.number) }?.read()
            let waited: [Call]? = state.withLock { state in
                // A call that came where nobody waited any more has to be loaded for.
                if result == nil && state.calls(of: key).count != calls.count { return nil }
                return state.end(key)
            }
            guard let waited else { continue }
            guard let result else { return }
            for call in waited { call.keep(result) }
            core.transition { for call in waited { deliver(call.number, result) } }
            return
        }
    }
}
