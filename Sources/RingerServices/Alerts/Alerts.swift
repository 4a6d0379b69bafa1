import Synchronization

/// Alerts that repeat until somebody answers: a call that comes in, a timer, an alarm.
///
/// One alert runs at a time. Starting the one that runs again does not double it, and does not lengthen it; starting
/// another one ends it as ``SoundOutcome/StopCause/replaced``. A flip of the switch in the middle turns a ringing alert
/// into a vibrating one and back, as the policy says; while the rules allow neither, it waits for them to change.
/// Another system sound interrupts it for as long as that one lasts.
public final class Alerts: Sendable {
    /// How long an alert lasts unless told otherwise: 20 s.
    public static let standardLimit = Duration.seconds(20)

    fileprivate struct Running {
        var sound: SystemSoundID
        var way: AlertWay
        var alert: RunningAlert
    }

    private let sounds: SystemSoundServices
    private let running = CurrentAlert()
    private let observer: UInt64

    /// Alerts that are played by `sounds`.
    public init(_ sounds: SystemSoundServices) {
        self.sounds = sounds
        let running = running
        observer = sounds.engine.player.observeRules { rules in
            running.value.withLock { $0?.alert }?.rules(are: rules)
        }
    }

    deinit {
        sounds.engine.player.removeRulesObserver(observer)
    }

    private var current: RunningAlert? { running.value.withLock { $0?.alert } }

    /// Whether an alert runs.
    public var isRunning: Bool { current != nil }

    /// Begins to alert and returns at once.
    ///
    /// - Parameters:
    ///   - sound: The sound of each round. A predefined one that vibrates is felt in its own pattern, and not heard.
    ///     Where it cannot be decoded, the alert is felt only.
    ///   - way: Whether it is heard, felt, both or neither, as far as the rules allow.
    ///   - limit: How long it lasts at most.
    ///   - completion: Called once, when sound and motor have stopped for good; where the same alert runs already, when that
    ///     one ends. It is called on the caller's thread before the call returns where the outcome is known by then, else
    ///     on the callback thread (``DeviceClock/callBack(_:)``).
    public func start(
        _ sound: SystemSoundID, way: AlertWay = .both, limit: Duration = standardLimit,
        completion: (@Sendable (AlertResult) -> Void)? = nil
    ) {
        guard let completion else {
            begin(sound, way, limit) { _ in }
            return
        }
        let user = UserCompletion(sounds.engine.clock, completion)
        begin(sound, way, limit) { user.complete($0) }
        user.callReturns()
    }

    /// Alerts until it is stopped or its time is over, and tells how it ended. Cancelling the task stops it.
    public func alert(
        _ sound: SystemSoundID, way: AlertWay = .both, limit: Duration = standardLimit
    ) async -> AlertResult {
        let alert = AlertToStop()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                alert.set(begin(sound, way, limit) { continuation.resume(returning: $0) })
            }
        } onCancel: {
            alert.stop()
        }
    }

    /// Stops the alert: the motor and the sound at once.
    public func stop(because cause: SoundOutcome.StopCause = .caller) {
        current?.stop(because: cause)
    }

    @discardableResult
    private func begin(
        _ sound: SystemSoundID, _ way: AlertWay, _ limit: Duration,
        _ completion: @escaping @Sendable (AlertResult) -> Void
    ) -> RunningAlert? {
        guard sounds.table.contains(sound) else {
            let now = sounds.engine.clock.now
            completion(
                AlertResult(
                    outcome: .failed(SystemSoundError.unknown(sound, "alert").cause), rounds: 0, sounded: false,
                    vibrated: false, startedAt: now, endedAt: now))
            return nil
        }
        let new = RunningAlert(sounds: sounds, sound: sound)
        // Whoever waits for it does so before anybody can stop it.
        new.join { [running, weak new] _ in
            running.value.withLock { now in
                if let new, now?.alert === new { now = nil }
            }
        }
        new.join(completion)
        let (joined, replaced): (RunningAlert?, RunningAlert?) = running.value.withLock { running in
            if let now = running, now.sound == sound, now.way == way, now.alert.join(completion) {
                return (now.alert, nil)
            }
            let before = running?.alert
            running = Running(sound: sound, way: way, alert: new)
            return (nil, before)
        }
        if let joined { return joined }
        replaced?.stop(because: .replaced)
        new.start(way, limit: limit)
        return new
    }
}

/// The alert that runs.
private final class CurrentAlert: Sendable {
    let value = Mutex<Alerts.Running?>(nil)
}

/// An alert that may have to be stopped before it is known.
private final class AlertToStop: Sendable {
    private let state = Mutex<(alert: RunningAlert?, isStopped: Bool)>((nil, false))

    func set(_ alert: RunningAlert?) {
        let isStopped = state.withLock { state in
            state.alert = alert
            return state.isStopped
        }
        if isStopped { alert?.stop(because: .caller) }
    }

    func stop() {
        let alert = state.withLock { state in
            state.isStopped = true
            return state.alert
        }
        alert?.stop(because: .caller)
    }
}
