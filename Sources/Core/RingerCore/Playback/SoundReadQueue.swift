import Synchronization

/// Reads and decodes sounds aside, for calls that wait: each sound once, however many calls wait for it, and within a budget
/// of the device. Any thread.
///
/// A read may never return, as from a file system that does not answer, and cannot be interrupted. A load that waits for one
/// for ``limit`` is answered as timed out, and its thread is left behind: until it returns, the same sound fails at once, and
/// while ``mostThreads`` are left behind, so does every sound. One that can be had without reading is had so then.
final class SoundReadQueue: Sendable {
    /// A call that waits for a load.
    struct Call: Sendable {
        /// Whether it still waits; a sound for which no call does is not loaded.
        var isWanted: @Sendable () -> Bool
        /// Reads and decodes the sound: that of one call serves all. With an error it must not read: it returns what can be
        /// had without, or the error.
        var read: @Sendable (_ refusal: RingerError?) -> SoundSource.Loaded
        /// Called with the result, inside a transition.
        var deliver: @Sendable (SoundSource.Loaded) -> Void
    }

    private struct Load: Sendable {
        let number: UInt64
        let key: SoundKey
        let bytes: Int
        var calls: [Call] = []
        /// Why it must not read; nil if it may.
        var refusal: RingerError?
        /// Its waiting for the file system; nil until its turn comes.
        var wait: FileWait?
        /// Whether its calls were passed on before it ended.
        var isLate = false

        /// Has it go without reading.
        mutating func refuse(_ detail: String) {
            refusal = RingerError(.timedOut, "read", key.subject, detail: detail)
        }
    }

    private struct State {
        /// In the order of their first calls.
        var loads: [Load] = []
        var lastNumber: UInt64 = 0
        var isTimerSet = false

        /// Adds calls to the load of the same sound, or as a new one. While an earlier load is late, they go without reading.
        mutating func add(
            _ calls: [Call], _ key: SoundKey, bytes: Int, _ detail: String = "an earlier read has not returned"
        ) {
            let isStuck = loads.contains { $0.key == key && $0.isLate }
            if let index = loads.firstIndex(where: { $0.key == key && !$0.isLate && ($0.refusal != nil) == isStuck }) {
                return loads[index].calls += calls
            }
            lastNumber += 1
            var load = Load(number: lastNumber, key: key, bytes: bytes, calls: calls)
            if isStuck { load.refuse(detail) }
            loads.append(load)
        }

        /// The next load that the budget allows.
        mutating func takeNext(_ clock: any DeviceClock) -> (Load, FileWait)? {
            let now = clock.now
            // The threads that read.
            let readers = loads.filter { $0.wait != nil && $0.refusal == nil }
            if readers.count(where: \.isLate) >= SoundReadQueue.mostThreads {
                for index in loads.indices where loads[index].wait == nil && loads[index].refusal == nil {
                    loads[index].refuse("too many earlier reads have not returned")
                }
            }
            let isFull = readers.count >= SoundReadQueue.mostThreads
            guard let next = loads.firstIndex(where: { $0.wait == nil && (!isFull || $0.refusal != nil) }) else {
                return nil
            }
            let counted = loads.filter { $0.wait.map { now - ($0.since ?? now) < SoundReadQueue.patience } ?? false }
            let bytes = counted.reduce(loads[next].bytes) { $0 + $1.bytes }
            // One alone may be larger.
            guard counted.isEmpty || counted.count < SoundReadQueue.mostAtOnce && bytes <= SoundReadQueue.mostBytes
            else {
                return nil
            }
            let wait = FileWait(clock)
            loads[next].wait = wait
            return (loads[next], wait)
        }

        func contains(_ number: UInt64) -> Bool { loads.contains { $0.number == number } }

        /// The calls that wait for a load that runs.
        func calls(of number: UInt64) -> [Call] { loads.first { $0.number == number }?.calls ?? [] }

        /// The load is late: its calls go without reading.
        mutating func giveUp(_ number: UInt64) {
            guard let index = loads.firstIndex(where: { $0.number == number }) else { return }
            loads[index].isLate = true
            let load = loads[index]
            loads[index].calls = []
            if !load.calls.isEmpty {
                add(load.calls, load.key, bytes: load.bytes, "no answer within \(SoundReadQueue.limit)")
            }
        }

        /// The load is over. Returns the calls that waited for it.
        mutating func end(_ number: UInt64) -> [Call] {
            defer { loads.removeAll { $0.number == number } }
            return calls(of: number)
        }
    }

    /// So many sounds are decoded at the same time, each on a thread of its own.
    static let mostAtOnce = 2
    /// So many bytes of samples they have together; one sound alone may have more.
    static let mostBytes = 16 << 20
    /// A load that waits longer for a file system that does not answer no longer counts; one that decodes does.
    static let patience = Duration.seconds(2)
    /// A load that waits for the file system for so long is answered as timed out.
    static let limit = Duration.seconds(5)
    /// So many threads read at most, those included.
    static let mostThreads = 8

    private let clock: any DeviceClock
    private let core: Core
    private let state = Mutex(State())

    init(_ clock: any DeviceClock, _ core: Core) {
        self.clock = clock
        self.core = core
    }

    /// Loads a sound of about `bytes` for a call, or lets the call wait for a load of the same sound.
    func load(_ key: SoundKey, bytes: Int, for call: Call) {
        state.withLock { $0.add([call], key, bytes: bytes) }
        core.perform { [self] in beginWaiting() }
    }

    private func beginWaiting() {
        while let (load, wait) = state.withLock({ $0.takeNext(clock) }) {
            let timer = TimerSlot(clock, core)
            if load.refusal == nil { watch(load.number, wait, timer, until: clock.now + Self.limit) }
            clock.runAside { [self] in
                wait.run { run(load.number, load.refusal) }
                timer.cancel()
                beginWaiting()
            }
        }
        let mustLookAgain = state.withLock { state in
            if state.isTimerSet || !state.loads.contains(where: { $0.wait == nil }) { return false }
            state.isTimerSet = true
            return true
        }
        guard mustLookAgain else { return }
        _ = clock.schedule(at: clock.now + Self.patience) { [self] in
            state.withLock { $0.isTimerSet = false }
            beginWaiting()
        }
    }

    /// Looks at `time` whether the load has waited for the file system for too long.
    private func watch(_ number: UInt64, _ wait: FileWait, _ timer: TimerSlot, until time: MonotonicTime) {
        timer.set(at: time) { [self] in
            guard state.withLock({ $0.contains(number) }) else { return }
            let now = clock.now
            let next = (wait.since ?? now) + Self.limit
            if next > now { return watch(number, wait, timer, until: next) }
            state.withLock { $0.giveUp(number) }
            beginWaiting()
        }
    }

    private func run(_ number: UInt64, _ refusal: RingerError?) {
        while true {
            let calls = state.withLock { $0.calls(of: number) }
            let result = calls.first { $0.isWanted() }?.read(refusal)
            let waited: [Call]? = state.withLock { state in
                // A call that came where nobody waited any more has to be loaded for.
                if result == nil && state.calls(of: number).count > calls.count { return nil }
                return state.end(number)
            }
            guard let waited else { continue }
            guard let result else { return }
            core.transition { for call in waited { call.deliver(result) } }
            return
        }
    }
}

/// Whether a thread waits for the file system, whose calls may never return. Any thread.
final class FileWait: Sendable {
    /// Of the work that the calling thread does.
    private static let current = TaskLocal<FileWait?>(wrappedValue: nil)

    private let clock: any DeviceClock
    private let waitsSince: Mutex<MonotonicTime?>

    /// The wait of work that is about to begin: until then it waits for its thread.
    init(_ clock: any DeviceClock) {
        self.clock = clock
        waitsSince = Mutex(clock.now)
    }

    /// Since when the work waits; nil while it computes.
    var since: MonotonicTime? { waitsSince.withLock { $0 } }

    /// Does the work, on the calling thread.
    func run(_ work: () -> Void) {
        set(nil)
        Self.current.withValue(self, operation: work)
    }

    /// Makes a call of the file system.
    static func during<Value, Failure: Error>(_ call: () throws(Failure) -> Value) throws(Failure) -> Value {
        guard let wait = current.get() else { return try call() }
        wait.set(wait.clock.now)
        defer { wait.set(nil) }
        return try call()
    }

    private func set(_ time: MonotonicTime?) {
        waitsSince.withLock { $0 = time }
    }
}
