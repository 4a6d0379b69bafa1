import Synchronization

/// Plays sounds as the policy allows, and stops those that it does not allow any more.
public final class SoundPlayer: Sendable {
    /// A sound that was handed to the player.
    public struct ID: Sendable, Hashable {
        package let number: UInt64
    }

    /// Takes the rules after each change, on the thread that brought it, once the sounds that they forbid were halted.
    typealias RulesObserver = @Sendable (PlayerRules) -> Void

    /// How long a change of gain takes.
    static let gainRamp = Duration.milliseconds(20)

    private let clock: any DeviceClock
    private let output: any SoundOutput
    private let voices = VoiceTable()
    private let completions = CompletionTable<UInt64, SoundResult>()
    private let runner: StateMachineRunner<PlayerMachine>
    private let nextNumber = Atomic<UInt64>(0)
    private let observers: RulesObservers

    /// A player over `output`.
    ///
    /// - Parameters:
    ///   - output: The speaker; whoever made the player closes it.
    ///   - clock: The device's time.
    ///   - publisher: The device's state, which the player follows.
    ///   - report: Is told what is decided and what happens, in order.
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

    /// What the user chose. Setting it stops sounds that it forbids.
    public var preferences: UserPreferences {
        get { runner.read { $0.preferences } }
        set { runner.send(.preferences(newValue, now: clock.now)) }
    }

    /// What decides now.
    var rules: PlayerRules { runner.read { $0.rules } }

    /// Adds an observer. It is not told what is so now.
    ///
    /// - Returns: The number to remove it by.
    func observeRules(_ observer: @escaping RulesObserver) -> UInt64 {
        observers.add(observer)
    }

    /// Removes an observer. It may be told once more, by a change that is under way.
    func removeRulesObserver(_ number: UInt64) {
        observers.remove(number)
    }

    /// How many sounds play now.
    public var playing: Int { runner.read { $0.count } }

    /// Begins `sound`, if the policy allows it, and returns at once. No audio session is arbitrated for it: it is heard
    /// beside all others. `Device.start` and ``AudioSession/start(_:from:completion:)`` play in a session.
    ///
    /// - Parameters:
    ///   - sound: The sound.
    ///   - request: The kind of sound, for the policy.
    ///   - completion: Called once, with the outcome: on the caller's thread before the call returns where the policy
    ///     silences the sound, else on the callback thread (``DeviceClock/callBack(_:)``).
    /// - Returns: The sound, to stop it by.
    @discardableResult
    public func startOutsideSessions(
        _ sound: PCMBuffer, as request: SoundRequest, completion: (@Sendable (SoundResult) -> Void)? = nil
    ) -> ID {
        let id = reserve()
        let terms = SoundTerms(request: request)
        guard let completion else {
            begin(id, sound, terms, nil) { _ in }
            return id
        }
        let user = UserCompletion(clock, completion)
        begin(id, sound, terms, nil) { user.complete($0) }
        user.callReturns()
        return id
    }

    /// Begins `sound` for another service, whose completion and monitor run inside the player's state machine and must not
    /// block.
    func start(
        _ sound: PCMBuffer, under terms: SoundTerms, monitor: PlaybackMonitor,
        completion: @escaping @Sendable (SoundResult) -> Void
    ) -> ID {
        let id = reserve()
        begin(id, sound, terms, monitor, completion)
        return id
    }

    /// A number for a sound that is yet to be begun, or never will be.
    package func reserve() -> ID {
        ID(number: nextNumber.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    /// Begins `sound` under a number that was reserved.
    func start(
        _ sound: PCMBuffer, reserved id: ID, as request: SoundRequest,
        completion: @escaping @Sendable (SoundResult) -> Void
    ) {
        begin(id, sound, SoundTerms(request: request), nil, completion)
    }

    /// Begins `sound` under a number that was reserved, and under the terms of its session.
    func start(
        _ sound: PCMBuffer, reserved id: ID, under terms: SoundTerms,
        completion: @escaping @Sendable (SoundResult) -> Void
    ) {
        begin(id, sound, terms, nil, completion)
    }

    /// Gives a sound other terms.
    func setTerms(_ terms: SoundTerms, of id: ID) {
        runner.send(.terms(id.number, terms, now: clock.now))
    }

    /// Plays `sound` as ``startOutsideSessions(_:as:completion:)`` does, and returns its outcome. Cancelling the task stops
    /// it.
    ///
    /// - Parameters:
    ///   - sound: The sound.
    ///   - request: What it is, for the policy.
    /// - Returns: What became of it, and when.
    public func playOutsideSessions(_ sound: PCMBuffer, as request: SoundRequest) async -> SoundResult {
        let id = reserve()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                begin(id, sound, SoundTerms(request: request), nil) { continuation.resume(returning: $0) }
                // The task may have been cancelled before there was anything to stop.
                if Task.isCancelled { stop(id) }
            }
        } onCancel: {
            stop(id)
        }
    }

    /// Stops a sound within one audio period; one that is over stays so.
    public func stop(_ id: ID, because cause: SoundOutcome.StopCause = .caller) {
        runner.send(.stop(id.number, cause))
    }

    /// Stops every sound.
    public func stopAll(because cause: SoundOutcome.StopCause = .caller) {
        runner.send(.stopAll(cause))
    }

    /// Has the output begin to close the PCMs that no sound plays on.
    func releaseOutput() {
        output.release(stoppingSounds: false) {}
    }

    /// Tells the policy that the sound is something else now: its session was interrupted, its category changed.
    package func setRequest(_ request: SoundRequest, of id: ID) {
        runner.send(.request(id.number, request, now: clock.now))
    }

    private func begin(
        _ id: ID, _ sound: PCMBuffer, _ terms: SoundTerms, _ monitor: PlaybackMonitor?,
        _ completion: @escaping @Sendable (SoundResult) -> Void
    ) {
        completions.add(id.number, completion)
        voices.add(id.number, sound, monitor)
        let now = clock.now
        let known: SoundResult? = runner.send { machine in
            var actions = machine.handle(.play(id.number, terms, frames: sound.frames, now: now))
            // A sound that is not begun has its outcome at once, whatever other threads have the machine do meanwhile.
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
    /// When the output reports its progress, counted from the first frame; nil for never.
    var reportAt: Duration?
    /// Called with each event, in order, inside the player's state machine. It must not block.
    var onEvent: @Sendable (PlaybackEvent) -> Void
}

/// Who is told each change of the rules.
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
