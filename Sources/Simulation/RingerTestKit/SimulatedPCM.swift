import RingerCore
import Synchronization

/// The PCM of a simulated speaker: the sounds that play on it, and those that wait for it. Any thread.
final class SimulatedPCM: Sendable {
    /// Who else holds the PCM.
    enum Holder: Sendable {
        case nobody
        case process
        case processUntil(MonotonicTime)
    }

    fileprivate struct State {
        var voices: [UInt64: SimulatedVoice] = [:]
        var last: UInt64 = 0
        var isClosed = false
        var playing: Set<UInt64> = []
        var holder = Holder.nobody
        var mixes = true
        var retry: (any DeviceTimer)?
        /// Until when it stays open without a sound.
        var lingersUntil: MonotonicTime?
        var problemHandler: (@Sendable (RingerError) -> Void)?
    }

    private let clock: any DeviceClock
    private let shared: Shared
    private let queue: StateMachineRunner<PCMQueue>

    /// The state that the queue's actions change. Any thread.
    private final class Shared: Sendable {
        let state = Mutex(State())
    }

    init(_ clock: any DeviceClock) {
        self.clock = clock
        let shared = Shared()
        self.shared = shared
        let core = Core()
        queue = StateMachineRunner(PCMQueue(), in: core) { action, queue in
            core.perform { [weak queue] in if let queue { Self.perform(action, queue, clock, shared) } }
        }
    }

    private static func perform(
        _ action: PCMQueue.Action, _ queue: StateMachineRunner<PCMQueue>, _ clock: any DeviceClock, _ shared: Shared
    ) {
        func voice(_ number: UInt64) -> SimulatedVoice? { shared.state.withLock { $0.voices[number] } }
        switch action {
        case .open(let number):
            guard let voice = voice(number) else { return }
            if let error = voice.openError ?? shared.state.withLock({ $0.open(number, clock.now) }) {
                return queue.send(.refused(number, error, now: clock.now))
            }
            queue.send(.opened(number, hardware: nil))
            voice.opened()
        case .waiting(let number, let error): voice(number)?.waits(for: error)
        case .fail(let number, let error): voice(number)?.failed(error)
        case .retry(let time):
            let timer = clock.schedule(at: time) { [weak queue] in queue?.send(.retry(now: clock.now)) }
            shared.state.withLock { state in
                state.retry?.cancel()
                state.retry = timer
            }
        case .doesNotMix:
            shared.state.withLock { $0.problemHandler }?(
                RingerError(.unsupported, "play two sounds at once", subject))
        }
    }

    static let subject = "simulated speaker"
    /// How long it stays open after a sound.
    static let linger = Duration.seconds(2)

    /// Whether several sounds may play at once.
    var mixes: Bool {
        get { shared.state.withLock { $0.mixes } }
        set { shared.state.withLock { $0.mixes = newValue } }
    }

    /// How long a sound waits for another process.
    var busyPatience: Duration {
        get { queue.read { $0.patience } }
        set {
            queue.send { queue in
                queue.patience = newValue
                return ([], ())
            }
        }
    }

    func setHolder(_ holder: Holder) {
        shared.state.withLock { $0.holder = holder }
    }

    func reportProblems(_ handler: @escaping @Sendable (RingerError) -> Void) {
        shared.state.withLock { $0.problemHandler = handler }
    }

    /// Why nobody can open the PCM now; nil if it can be opened.
    var openError: RingerError? { shared.state.withLock { $0.busyError(clock.now) } }

    /// Reserves the number of a sound.
    func reserve() -> UInt64 {
        shared.state.withLock { state in
            state.last += 1
            return state.last
        }
    }

    /// Adds a sound that is about to open the PCM; false if the speaker is closed.
    func add(_ voice: SimulatedVoice) -> Bool {
        shared.state.withLock { state in
            if !state.isClosed { state.voices[voice.number] = voice }
            return !state.isClosed
        }
    }

    /// Opens the PCM for the sound, at once or when it is its turn, unless the sound is over.
    func open(_ voice: SimulatedVoice, waits: Bool) {
        guard shared.state.withLock({ $0.voices[voice.number] != nil }) else { return }
        queue.send(.add(voice.number, pcm: Self.subject, waits: waits, now: clock.now))
    }

    /// The sound is over. `report` is called when the PCM is free, before a sound that waits for it begins.
    func remove(_ voice: SimulatedVoice, report: () -> Void = {}) {
        let now = clock.now
        let wasKnown = shared.state.withLock { state in
            if state.playing.remove(voice.number) != nil { state.lingersUntil = now + Self.linger }
            return state.voices.removeValue(forKey: voice.number) != nil
        }
        report()
        if wasKnown { queue.send(.removed(voice.number)) }
    }

    /// Whether the PCM is open: a sound plays, or did less than ``linger`` ago.
    var isOpen: Bool {
        let now = clock.now
        return shared.state.withLock { state in
            !state.playing.isEmpty || state.lingersUntil.map { now < $0 } ?? false
        }
    }

    /// Stops every sound within the call, and takes no other.
    func close() {
        shared.state.withLock { $0.isClosed = true }
        stopAll()
    }

    private func stopAll() {
        // The newest first, so that no waiting sound starts because the one before it was stopped.
        let voices = shared.state.withLock { $0.voices.sorted { $0.key > $1.key } }
        for (_, voice) in voices { voice.stopNow() }
    }

    /// Closes the PCM, unless a sound plays on it that is not to be stopped.
    func release(stoppingSounds: Bool) {
        if stoppingSounds { stopAll() }
        let isInUse = shared.state.withLock { state in
            state.lingersUntil = nil
            return !state.voices.isEmpty
        }
        // Sounds that were stopped before this have ended by then.
        if isInUse {
            _ = clock.schedule(at: clock.now) { [shared] in shared.state.withLock { $0.lingersUntil = nil } }
        }
    }
}

extension SimulatedPCM.State {
    fileprivate func busyError(_ now: MonotonicTime) -> RingerError? {
        switch holder {
        case .nobody: return nil
        case .processUntil(let end) where end <= now: return nil
        case .process, .processUntil: return RingerError(.busy, "open", SimulatedPCM.subject)
        }
    }

    /// Opens the PCM for a sound, or returns why it cannot be opened.
    fileprivate mutating func open(_ number: UInt64, _ now: MonotonicTime) -> RingerError? {
        if let error = busyError(now) { return error }
        if !mixes && !playing.isEmpty { return RingerError(.busy, "open", SimulatedPCM.subject) }
        playing.insert(number)
        return nil
    }
}
