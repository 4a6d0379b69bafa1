import Synchronization

/// Plays sounds that the policy allows, and stops them when it no longer does. Any thread.
public final class SoundPlayer: Sendable {
    /// Identifies a sound of the player.
    public struct ID: Sendable, Hashable {
        package let number: UInt64
    }

    /// The duration of a change of gain, other than by ducking.
    package static let gainRamp = Duration.milliseconds(20)

    package let core: Core
    let clock: any DeviceClock
    private let publisher: StatePublisher
    private let output: any SoundOutput
    /// The sounds that are not over, by number.
    private let table = TransitionState<[UInt64: SoundEntry]>([:])
    /// Reads the files of all sounds of the device.
    let loads: SoundReadQueue
    let runner: StateMachineRunner<PlayerMachine>
    private let nextNumber = Atomic<UInt64>(0)
    private let observers = TransitionState<[Observer]>([])
    private let process = OwningProcess()

    /// A player over `output`, which its creator closes. It follows the device's state, and reports each decision and event,
    /// in order.
    package init(
        output: any SoundOutput, clock: any DeviceClock, publisher: StatePublisher,
        report: @escaping @Sendable (DeviceEvent) -> Void = { _ in }
    ) {
        let core = publisher.core
        self.core = core
        self.clock = clock
        self.publisher = publisher
        self.output = output
        loads = SoundReadQueue(clock, core)
        let (table, observers) = (table, observers)
        let pcms = AudioRoute.allCases.map { ($0, output.pcm(for: $0)) }
        let switchesCard = (output as? any AnsweringOutput)?.switchesCard == true
        let machine = PlayerMachine(pcms: Dictionary(uniqueKeysWithValues: pcms), movesWithNextSound: switchesCard)
        runner = StateMachineRunner(machine, in: core) { action, runner in
            switch action {
            case .begin(let id, var options):
                guard let entry = table.value[id] else { return }
                entry.gate.setGain(options.gain)
                options.gate = entry.gate
                options.reportAt = entry.monitor?.reportAt
                options.manner = entry.manner
                if let error = entry.refusal {
                    let position = StreamPosition(played: 0, total: 0)
                    return runner.send(.playback(id, .ended(.failed(error), at: clock.now, position)))
                }
                if let fallback = entry.fallback { report(.fallback(fallback, sound: id, at: clock.now)) }
                core.perform { [options] in
                    let handler: @Sendable (PlaybackEvent) -> Void = { [weak runner] in
                        runner?.send(.playback(id, $0))
                    }
                    let isOver = core.transition {
                        // One that was halted meanwhile.
                        if table.value[id] == nil { return true }
                        table.value[id]?.isHandedOver = true
                        if switchesCard { runner.send(.handOver(options.route, now: clock.now)) }
                        return false
                    }
                    if isOver { return }
                    let playback = output.play(entry.sound, options, handler)
                    let volume = core.transition {
                        table.value[id]?.playback = playback
                        return table.value[id]?.manner.volume
                    }
                    // The gate has a volume that was set meanwhile; an output with rules of its own does not obey its gain.
                    if let volume, volume != options.manner.volume {
                        (playback as? any JudgedPlayback)?.setVolume(volume)
                    }
                }
            case .halt(let id): Self.shut(id, of: table, clock, runner)
            case .setGain(let id, let gain, let ramp):
                table.value[id]?.gate.setGain(gain, over: ramp)
                core.perform { core.transition { table.value[id]?.playback }?.setGain(gain, over: ramp) }
            case .forward(let id, let event): table.value[id]?.monitor?.onEvent(event)
            case .report(let event): report(event)
            case .rulesChanged: for observer in observers.value { observer.call() }
            case .complete(let id, var result):
                guard let entry = table.value.removeValue(forKey: id) else { return }
                if case .silenced = result.outcome {} else { result.fallback = entry.fallback }
                entry.completion(result)
                core.release(entry)
            }
        }
        (output as? any AnsweringOutput)?.followCard { [weak runner] in
            runner?.send(.card($0, $1, now: clock.now))
        }
        publisher.observe { [runner] state in
            runner.send { machine, actions in
                machine.take(state, now: clock.now, &actions)
                return observers.value.isEmpty ? nil : .rulesChanged
            }
        }
    }

    /// Enforces a halt, under the lock and in the transition that halts the sound, before all effects and the user's code: shuts
    /// the sound's gate, which the sound thread obeys by itself, and has the output look at it at once. Nothing else shuts it.
    private static func shut(
        _ id: UInt64, of table: TransitionState<[UInt64: SoundEntry]>, _ clock: any DeviceClock,
        _ runner: StateMachineRunner<PlayerMachine>
    ) {
        guard let entry = table.value[id] else { return }
        entry.gate.shut()
        if entry.isHandedOver {
            runner.core.perform { [core = runner.core] in core.transition { table.value[id]?.playback }?.stop() }
        } else {
            runner.send(.playback(id, .ended(.stopped, at: clock.now, StreamPosition(played: 0, total: entry.frames))))
        }
    }

    deinit {
        // In a child of fork nobody may be left who frees the lock.
        if process.isCurrent { publisher.stopObserving() }
    }

    /// The user's preferences. Setting them stops sounds that they forbid.
    public var preferences: UserPreferences {
        get { runner.read { $0.preferences } }
        set { runner.send(.preferences(newValue, now: clock.now)) }
    }

    /// The rules in force.
    var rules: PlayerRules { runner.read { $0.rules } }

    /// Adds an observer that is never removed. It is called after each change of the rules, inside the transition, after the
    /// sounds that they forbid were halted.
    func observeRules(_ observer: @escaping @Sendable () -> Void) {
        core.transition { observers.value.append(Observer(call: observer)) }
    }

    /// How many sounds are playing.
    public var playing: Int { runner.read { $0.count } }

    /// Whether a sound that is not over has begun.
    func hasBegun(_ id: ID) -> Bool { runner.read { $0.sounds[id.number]?.startedAt != nil } }

    /// Begins `sound` if the policy allows it, and returns at once. The sound belongs to no audio session and is not
    /// arbitrated: it plays at the same time as all others. `Device.start` and
    /// ``AudioSession/start(_:from:completion:)`` play in a session.
    ///
    /// - Parameter completion: Called once, with the outcome: before the call returns, on the caller's thread, if the policy
    ///   silences the sound; else on the callback thread (``DeviceClock/callBack(_:)``).
    /// - Returns: Identifies the sound, for ``stop(_:because:)``.
    @discardableResult
    public func startOutsideSessions(
        _ sound: PCMBuffer, as request: SoundRequest, completion: (@Sendable (SoundResult) -> Void)? = nil
    ) -> ID {
        let id = reserve()
        withUserCompletion(completion, on: clock, core) {
            start(sound, reserved: id, under: SoundTerms(request: request), completion: $0)
        }
        return id
    }

    /// Reserves the number of a sound that is about to begin.
    package func reserve() -> ID {
        ID(number: nextNumber.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    /// Begins `sound` with a reserved number. `completion` and the monitor run inside the transition.
    func start(
        _ sound: PCMBuffer, reserved id: ID, under terms: SoundTerms, monitor: PlaybackMonitor? = nil,
        completion: @escaping @Sendable (SoundResult) -> Void
    ) {
        if refuses(sound, completion) { return }
        core.transition {
            add(sound, as: id, monitor: monitor, completion: completion)
            start(id, under: terms)
        }
    }

    /// In a child of fork the sound has failed; nothing there makes a transition.
    func refuses(_ sound: PCMBuffer, _ completion: @Sendable (SoundResult) -> Void) -> Bool {
        if process.isCurrent { return false }
        let (error, now) = (process.error("play", output.name), clock.now)
        completion(SoundResult(unplayed: .failed(error), frames: Int64(sound.frames), requestedAt: now, endedAt: now))
        return true
    }

    /// Adds a sound with a reserved number, which can be stopped from now on: ``start(_:under:)`` or ``end(_:_:)`` follows
    /// in the same transition, inside of which `completion` runs.
    func add(
        _ sound: PCMBuffer, as id: ID, in manner: SoundManner = SoundManner(), monitor: PlaybackMonitor? = nil,
        completion: @escaping @Sendable (SoundResult) -> Void
    ) {
        table.value[id.number] = SoundEntry(
            sound: sound, manner: manner, monitor: monitor, completion: completion)
    }

    /// Begins a sound that was added.
    func start(_ id: ID, under terms: SoundTerms) {
        core.transition {
            guard let entry = table.value[id.number] else { return }
            runner.send(
                .play(
                    id.number, terms, frames: entry.frames, volume: entry.manner.volume,
                    announcement: entry.manner.announcement, outcome: entry.outcome, now: clock.now))
        }
    }

    /// Ends a sound that was added and does not begin.
    func end(_ id: ID, _ outcome: SoundOutcome) {
        core.transition {
            guard let entry = table.value.removeValue(forKey: id.number) else { return }
            let now = clock.now
            entry.completion(
                SoundResult(unplayed: outcome, frames: entry.frames, requestedAt: now, endedAt: now))
            core.release(entry)
        }
    }

    /// Changes the volume of a sound to `volume`, 0 to 1, within ``gainRamp``.
    package func setVolume(_ volume: Float, of id: ID) {
        core.transition {
            // The player may not know it yet.
            table.value[id.number]?.manner.volume = volume
            if let playback = table.value[id.number]?.playback as? any JudgedPlayback {
                core.perform { playback.setVolume(volume) }
            }
            runner.send(.volume(id.number, volume))
        }
    }

    /// Changes how often a sound is played in all. A round that was begun to be written is played to its end, and a sound that
    /// was written to its end stays as it is.
    ///
    /// - Returns: False, and nothing changes, if the output does not look at a sound's gate.
    package func setRounds(_ rounds: Int, of id: ID) -> Bool {
        if output is any RemoteOutput { return false }
        core.transition {
            table.value[id.number]?.manner.rounds = rounds
            table.value[id.number]?.gate.rounds = rounds
        }
        return true
    }

    /// Changes the terms of a sound.
    func setTerms(_ terms: SoundTerms, of id: ID) {
        runner.send(.terms(id.number, terms, now: clock.now))
    }

    /// Plays `sound` as ``startOutsideSessions(_:as:completion:)`` does, and returns its outcome. Cancelling the task
    /// stops the sound.
    public func playOutsideSessions(_ sound: PCMBuffer, as request: SoundRequest) async -> SoundResult {
        let id = reserve()
        return await outcome(core) {
            start(sound, reserved: id, under: SoundTerms(request: request), completion: $0)
        } onCancel: {
            stop(id)
        }
    }

    /// Stops a sound: when the call has returned, one that has not begun never does, and one that plays ends within one audio
    /// period. Does nothing if it is over.
    public func stop(_ id: ID, because cause: SoundOutcome.StopCause = .caller) {
        core.transition {
            // The player may not know it yet.
            table.value[id.number]?.stop(as: .stopped(cause))
            runner.send(.halt(id.number, .stopped(cause)))
        }
    }

    /// Stops every sound.
    public func stopAll(because cause: SoundOutcome.StopCause = .caller) {
        core.transition {
            // In place: a loop over the sounds would have the first change copy them all.
            var index = table.value.startIndex
            while index != table.value.endIndex {
                table.value.values[index].stop(as: .stopped(cause))
                table.value.formIndex(after: &index)
            }
            runner.send(.haltAll(.stopped(cause)))
        }
    }

    /// Ends the sounds whose output, which is closed, has not said that they have ended.
    package func giveUp() {
        // Some may have been started since.
        runner.send(.haltAll(.stopped(.closed)))
        for (id, entry) in core.read({ table.value.sorted { $0.key < $1.key } }) {
            runner.send(.playback(id, .ended(.stopped, at: clock.now, StreamPosition(played: 0, total: entry.frames))))
        }
    }

    /// Starts closing the PCMs on which no sound plays. `completion` is called once they are closed, on any thread.
    package func releaseOutput(completion: @escaping @Sendable () -> Void = {}) {
        core.perform { [output] in output.release(stoppingSounds: false, completion: completion) }
    }
}
