import Synchronization

/// Plays sounds that the policy allows, and stops them when it no longer does. Any thread.
public final class SoundPlayer: Sendable {
    /// Identifies a sound of the player.
    public struct ID: Sendable, Hashable {
        package let number: UInt64
    }

    /// Receives the rules after each change, on the thread that made it, after the sounds that they forbid were halted.
    typealias RulesObserver = @Sendable (PlayerRules) -> Void

    /// The duration of a change of gain.
    static let gainRamp = Duration.milliseconds(20)

    private let clock: any DeviceClock
    private let output: any SoundOutput
    private let voices = VoiceTable()
    private let completions = CompletionTable<UInt64, SoundResult>()
    private let runner: StateMachineRunner<PlayerMachine>
    private let nextNumber = Atomic<UInt64>(0)
    private let observers: RulesObservers
    private let process = OwningProcess()

    /// - Parameters:
    ///   - output: The speaker. The creator of the player closes it.
    ///   - clock: The device's clock.
    ///   - publisher: The device's state, which the player observes.
    ///   - report: Receives each decision and event, in order.
    package init(
        output: any SoundOutput, clock: any DeviceClock, publisher: StatePublisher,
        report: @escaping @Sendable (DeviceEvent) -> Void = { _ in }
    ) {
        self.clock = clock
        self.output = output
        let voices = voices
        let completions = completions
        let observers = RulesObservers()
        self.observers = observers
        let pcms = AudioRoute.allCases.map { ($0, output.pcm(for: $0)) }
        runner = StateMachineRunner(PlayerMachine(pcms: Dictionary(uniqueKeysWithValues: pcms))) { action, runner in
            switch action {
            case .begin(let id, let options):
                voices.begin(id, on: output, options) { [weak runner] event in
                    runner?.send(.playback(id, event))
                }
            case .halt(let id): voices.playback(id)?.stop()
            case .setGain(let id, let gain): voices.playback(id)?.setGain(gain, over: Self.gainRamp)
            case .forward(let id, let event): voices.forward(event, to: id)
            case .report(let event): report(event)
            case .rules(let rules): observers.notify(rules)
            case .complete(let id, let result):
                voices.remove(id)
                completions.complete(id, with: result)
            }
        }
        publisher.observe { [weak runner] state, version in
            runner?.send(.state(state, version: version, now: clock.now))
        }
    }

    /// The user's preferences. Setting them stops sounds that they forbid.
    public var preferences: UserPreferences {
        get { runner.read { $0.preferences } }
        set { runner.send(.preferences(newValue, now: clock.now)) }
    }

    /// The rules in force.
    var rules: PlayerRules { runner.read { $0.rules } }

    /// Adds an observer, which is not called with the current rules.
    ///
    /// - Returns: The observer's number, for ``removeRulesObserver(_:)``.
    func observeRules(_ observer: @escaping RulesObserver) -> UInt64 {
        observers.add(observer)
    }

    /// Removes an observer. A change in progress may still call it once.
    func removeRulesObserver(_ number: UInt64) {
        observers.remove(number)
    }

    /// How many sounds are playing.
    public var playing: Int { runner.read { $0.count } }

    /// Begins `sound` if the policy allows it, and returns at once. The sound belongs to no audio session and is not
    /// arbitrated: it plays at the same time as all others. `Device.start` and
    /// ``AudioSession/start(_:from:completion:)`` play in a session.
    ///
    /// - Parameters:
    ///   - sound: The sound.
    ///   - request: The kind of sound, for the policy.
    ///   - completion: Called once, with the outcome: before the call returns, on the caller's thread, if the policy
    ///     silences the sound; else on the callback thread (``DeviceClock/callBack(_:)``).
    /// - Returns: Identifies the sound, for ``stop(_:because:)``.
    @discardableResult
    public func startOutsideSessions(
        _ sound: PCMBuffer, as request: SoundRequest, completion: (@Sendable (SoundResult) -> Void)? = nil
    ) -> ID {
        let id = reserve()
        withUserCompletion(completion, on: clock) { begin(id, sound, SoundTerms(request: request), nil, $0) }
        return id
    }

    /// Begins `sound` for another service, whose completion and monitor run inside the player's state machine and must
    /// not block.
    func start(
        _ sound: PCMBuffer, under terms: SoundTerms, monitor: PlaybackMonitor,
        completion: @escaping @Sendable (SoundResult) -> Void
    ) -> ID {
        let id = reserve()
        begin(id, sound, terms, monitor, completion)
        return id
    }

    /// Reserves the number of a sound that may begin later.
    package func reserve() -> ID {
        ID(number: nextNumber.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    /// Begins `sound` with a reserved number.
    func start(
        _ sound: PCMBuffer, reserved id: ID, as request: SoundRequest,
        completion: @escaping @Sendable (SoundResult) -> Void
    ) {
        begin(id, sound, SoundTerms(request: request), nil, completion)
    }

    /// Begins `sound` with a reserved number, on the terms of its session.
    func start(
        _ sound: PCMBuffer, reserved id: ID, under terms: SoundTerms,
        completion: @escaping @Sendable (SoundResult) -> Void
    ) {
        begin(id, sound, terms, nil, completion)
    }

    /// Changes the terms of a sound.
    func setTerms(_ terms: SoundTerms, of id: ID) {
        runner.send(.terms(id.number, terms, now: clock.now))
    }

    /// Plays `sound` as ``startOutsideSessions(_:as:completion:)`` does, and returns its outcome. Cancelling the task
    /// stops the sound.
    ///
    /// - Parameters:
    ///   - sound: The sound.
    ///   - request: The kind of sound, for the policy.
    /// - Returns: The outcome and its times.
    public func playOutsideSessions(_ sound: PCMBuffer, as request: SoundRequest) async -> SoundResult {
        let id = reserve()
        return await outcome({ begin(id, sound, SoundTerms(request: request), nil, $0) }, onCancel: { stop(id) })
    }

    /// Stops a sound within one audio period. Does nothing if it is over.
    public func stop(_ id: ID, because cause: SoundOutcome.StopCause = .caller) {
        runner.send(.stop(id.number, cause))
    }

    /// Stops every sound.
    public func stopAll(because cause: SoundOutcome.StopCause = .caller) {
        runner.send(.stopAll(cause))
    }

    /// Starts closing the PCMs on which no sound plays. `completion` is called once they are closed, on any thread.
    package func releaseOutput(completion: @escaping @Sendable () -> Void = {}) {
        output.release(stoppingSounds: false, completion: completion)
    }

    /// Changes the kind of a sound for the policy: its session was interrupted, or changed its category.
    package func setRequest(_ request: SoundRequest, of id: ID) {
        runner.send(.request(id.number, request, now: clock.now))
    }

    private func begin(
        _ id: ID, _ sound: PCMBuffer, _ terms: SoundTerms, _ monitor: PlaybackMonitor?,
        _ completion: @escaping @Sendable (SoundResult) -> Void
    ) {
        if !process.isCurrent {
            return completion(
                SoundResult(
                    outcome: .failed(process.error("play", output.name)), requestedAt: clock.now, endedAt: clock.now,
                    position: StreamPosition(played: 0, total: sound.frames)))
        }
        completions.add(id.number, completion)
        voices.add(id.number, sound, monitor)
        let now = clock.now
        let known: SoundResult? = runner.send { machine in
            var actions = machine.handle(.play(id.number, terms, frames: sound.frames, now: now))
            // A sound that is refused gets its outcome at once, even if another thread is running the machine's
            // actions.
            guard case .complete(_, let result)? = actions.last else { return (actions, nil) }
            actions.removeLast()
            return (actions, result)
        }
        guard let known else { return }
        voices.remove(id.number)
        completions.complete(id.number, with: known)
    }
}

/// Receives the output's events of one sound.
struct PlaybackMonitor: Sendable {
    /// When the output reports its progress, measured from the first frame; nil for never.
    var reportAt: Duration?
    /// Called with each event, in order, inside the player's state machine. It must not block.
    var onEvent: @Sendable (PlaybackEvent) -> Void
}

/// The observers of changes of the rules. Any thread.
private final class RulesObservers: Sendable {
    private struct State {
        var observers: [(number: UInt64, observer: SoundPlayer.RulesObserver)] = []
        var last: UInt64 = 0
    }

    private let state = Mutex(State())

    func add(_ observer: @escaping SoundPlayer.RulesObserver) -> UInt64 {
        state.withLock { state in
            state.last += 1
            state.observers.append((state.last, observer))
            return state.last
        }
    }

    func remove(_ number: UInt64) {
        state.withLock { $0.observers.removeAll { $0.number == number } }
    }

    func notify(_ rules: PlayerRules) {
        for entry in state.withLock({ $0.observers }) { entry.observer(rules) }
    }
}
