/// Whether an alert is to be heard, felt or both. The switch and the user's preferences may allow less.
public enum AlertWay: String, Sendable, Hashable, CaseIterable {
    /// It is heard.
    case sound
    /// It is felt.
    case vibration
    /// It is heard and felt.
    case both
    /// It is neither heard nor felt: it runs and ends unnoticed.
    case none

    /// Whether it may be heard.
    public var isHeard: Bool { self == .sound || self == .both }
    /// Whether it may be felt.
    public var isFelt: Bool { self == .vibration || self == .both }
}

/// What an alert is for the rules.
public enum AlertKind: String, Sendable, Hashable, CaseIterable {
    /// It honours the switch.
    case alert
    /// An alarm of a clock, a timer or a smoke detector (``SoundRequest/alarm``): heard at silent too, by default.
    case alarm

    /// Its rounds for the policy.
    package var request: SoundRequest { self == .alarm ? .alarm : .alert }
}

/// Alerts that repeat until somebody answers: an incoming call, a timer, an alarm. Any thread.
///
/// One alert runs at a time. Starting the one that runs again neither doubles nor lengthens it; starting another one ends
/// it as ``SoundOutcome/StopCause/replaced``. A flip of the switch turns a ringing alert into a vibrating one and back, as
/// the policy says; while the rules allow neither, the alert waits for them to change. A round that fails is followed by
/// the next one, 20 times a second at most. Another system sound interrupts the alert for as long as it lasts, and a loop
/// of another sound alternates with it.
public final class Alerts: Sendable {
    /// How long an alert lasts unless the caller chooses: 20 s.
    public static let standardLimit = Duration.seconds(20)

    /// What makes two starts the same alert.
    struct Identity: Sendable, Equatable {
        var sound: SystemSoundID
        var kind: AlertKind
        /// Whose alert it is: a client joins its own alerts alone.
        var client: UInt64
        var way: AlertWay
        var vibration: VibrationPattern?
        var pause: Duration
    }

    private let sounds: SystemSoundServices
    /// The alert that runs, and those that were replaced and have not completed, in the order of their starts.
    let running = TransitionState<(all: [RunningAlert], isClosed: Bool)>(([], false))
    /// The one that goes on; nil if there is none.
    private var open: RunningAlert? { running.value.all.last { $0.isOpen } }

    /// Alerts that are played by `sounds`.
    package init(_ sounds: SystemSoundServices) {
        self.sounds = sounds
        let running = running
        sounds.engine.player.observeRules { [weak running] in
            running?.value.all.last { $0.isOpen }?.rulesChanged()
        }
    }

    /// Whether an alert runs. False as soon as ``stop(because:releasingOutput:)`` has returned, though its sound may last for a period more.
    public var isRunning: Bool { sounds.engine.core.read { open != nil } }

    /// Begins to alert and returns at once.
    ///
    /// A ringer of 1 s on and 3 s off, until somebody answers:
    ///
    ///     alerts.start(1005, limit: nil, vibration: try VibrationPattern(milliseconds: "1000"), pause: .seconds(3))
    ///
    /// - Parameters:
    ///   - sound: The sound of each round. A predefined one that vibrates is felt in its own pattern, and not heard.
    ///     Where it cannot be decoded, the alert is felt only.
    ///   - kind: Whether it is an alert or an alarm for the rules.
    ///   - way: Whether it is heard, felt, both or neither, as far as the rules allow. On a device without a motor, `both`
    ///     is the same as `sound`.
    ///   - limit: How long it lasts at most, without the time that the machine sleeps; nil until it is stopped.
    ///   - vibration: The vibration of each round; nil for that of the sound. A round is over when its sound and its
    ///     vibration are.
    ///   - pause: From the end of a round to the beginning of the next.
    ///   - completion: Called once, when sound and motor have stopped for good; where the same alert runs already, when that
    ///     one ends. It is called on the caller's thread before the call returns where the outcome is known by then, else
    ///     on the callback thread (``DeviceClock/callBack(_:)``). It may start the alert again: an alert that is replaced
    ///     completes 50 ms after its start at the earliest, so that two that restart each other take no processor time.
    public func start(
        _ sound: SystemSoundID, kind: AlertKind = .alert, way: AlertWay = .both, limit: Duration? = standardLimit,
        vibration: VibrationPattern? = nil, pause: Duration = .zero,
        completion: (@Sendable (AlertResult) -> Void)? = nil
    ) {
        withUserCompletion(completion, on: sounds.engine.clock, sounds.engine.core) {
            begin(sound, kind: kind, way: way, limit: limit, vibration: vibration, pause: pause, completion: $0)
        }
    }

    /// Alerts until it is stopped or its time is over, and returns how it ended. Cancelling the task stops it. The
    /// parameters are those of ``start(_:kind:way:limit:vibration:pause:completion:)``.
    public func alert(
        _ sound: SystemSoundID, kind: AlertKind = .alert, way: AlertWay = .both, limit: Duration? = standardLimit,
        vibration: VibrationPattern? = nil, pause: Duration = .zero
    ) async -> AlertResult {
        await alert(sound, of: sounds, kind: kind, way: way, limit: limit, vibration: vibration, pause: pause)
    }

    /// Alerts by a sound that `client` registered, or by a predefined one.
    package func alert(
        _ sound: SystemSoundID, of client: SystemSoundServices, kind: AlertKind, way: AlertWay, limit: Duration?,
        vibration: VibrationPattern?, pause: Duration
    ) async -> AlertResult {
        let core = self.sounds.engine.core
        let alert = TransitionState<RunningAlert?>(nil)
        return await outcome(core) {
            alert.value = begin(
                sound, of: client, kind: kind, way: way, limit: limit, vibration: vibration, pause: pause,
                completion: $0)
        } onCancel: {
            core.transition { alert.value?.stop(because: .caller) }
        }
    }

    /// Stops the alert: the motor and the sound at once. A start after this call begins a new alert.
    ///
    /// - Parameters:
    ///   - cause: Why.
    ///   - releasingOutput: Whether the speaker's PCMs are closed, as far as no other sound plays on them, instead of being
    ///     kept for the next sound: for a program that takes the call. `Device.releaseOutput()` returns once they are.
    public func stop(because cause: SoundOutcome.StopCause = .caller, releasingOutput: Bool = false) {
        sounds.engine.core.transition {
            for alert in running.value.all { alert.stop(because: cause) }
        }
        if releasingOutput { sounds.engine.player.releaseOutput() }
    }

    /// Stops the alert because the device is closed: no clock begins another round of one. Later ones fail as closed.
    package func close() {
        sounds.engine.core.transition {
            running.value.isClosed = true
            stop(because: .closed)
        }
    }

    /// Begins the alert, or joins the one that runs. `completion` runs inside a transition.
    ///
    /// - Returns: The alert; nil for a sound that there is not, and on a closed device.
    @discardableResult
    package func begin(
        _ sound: SystemSoundID, of client: SystemSoundServices? = nil, kind: AlertKind = .alert,
        way: AlertWay = .both, limit: Duration?,
        vibration: VibrationPattern? = nil, pause: Duration = .zero,
        completion: @escaping @Sendable (AlertResult) -> Void
    ) -> RunningAlert? {
        let isPredefined = SystemSoundID.predefined.contains(sound.rawValue)
        let sounds = isPredefined ? self.sounds : client ?? self.sounds
        func refuse(_ error: RingerError) -> RunningAlert? {
            let now = sounds.engine.clock.now
            completion(
                AlertResult(
                    outcome: .failed(error), rounds: 0, sounded: false, vibrated: false, startedAt: now, endedAt: now))
            return nil
        }
        guard sounds.table.contains(sound) else { return refuse(SystemSoundError.unknown(sound, "alert").cause) }
        let owner = (client ?? self.sounds).client
        let identity = Identity(
            sound: sound, kind: kind, client: owner, way: way, vibration: vibration, pause: pause)
        let new = RunningAlert(identity, limit: limit, sounds)
        return sounds.engine.core.transition {
            if running.value.isClosed { return refuse(RingerError(.closed, "alert", "device")) }
            let current = open
            if let current, current.identity == identity {
                current.join(completion)
                return current
            }
            running.value.all.append(new)
            new.join { [running, core = sounds.engine.core, weak new] _ in
                guard let new else { return }
                running.value.all.removeAll { $0 === new }
                // It has the samples of its sound.
                core.release(new)
            }
            new.join(completion)
            current?.stop(because: .replaced)
            new.start()
            return new
        }
    }
}
