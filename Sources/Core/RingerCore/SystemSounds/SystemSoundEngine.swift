import Synchronization

/// What all clients of a device share: the one system sound, the one motor, and the cache of decoded samples.
/// Any thread.
final class SystemSoundEngine: Sendable {
    let core: Core
    let configuration: SystemSoundServices.Configuration
    let cache: SoundCache
    let player: SoundPlayer
    let clock: any DeviceClock
    /// Why nothing can be felt; nil if there is a motor.
    let missingMotor: RingerError?
    let runner: StateMachineRunner<SystemSoundMachine>
    /// Of the calls that are not over.
    let completions = CompletionTable<UInt64, SystemSoundAttempt>()
    /// The number of the last client.
    let clients = Atomic<UInt64>(0)
    let isRehearsed = Atomic(false)
    private static let noMotor = RingerError(.notFound, "vibrate", "vibration motor", detail: "the device has none")

    init(
        player: SoundPlayer, vibrator: Vibrator?, configuration: SystemSoundServices.Configuration,
        report: @escaping @Sendable (DeviceEvent) -> Void
    ) {
        let (core, clock) = (player.core, player.clock)
        self.core = core
        self.configuration = configuration
        self.player = player
        self.clock = clock
        cache = SoundCache(limit: configuration.cacheLimit)
        missingMotor = vibrator == nil ? Self.noMotor : nil
        // The number of a call, and the vibration that the vibrator runs for it.
        let vibrating = TransitionState<(number: UInt64, vibration: Vibrator.ID)?>(nil)
        let completions = completions
        let runner = StateMachineRunner(SystemSoundMachine(), in: core) { action, runner in
            switch action {
            case .startSound(let number, let samples, let terms):
                var samples = samples
                // It was reported as the call's.
                samples.shortfall = nil
                player.start(samples, reserved: SoundPlayer.ID(number: number), under: terms) { result in
                    runner.send(.soundEnded(number, result))
                }
            case .stopSound(let number, let cause):
                player.stop(SoundPlayer.ID(number: number), because: cause)
            case .startVibration(let number, let pattern, let request):
                // The rules may have changed since the call was made.
                guard player.rules.decide(request).vibrates else {
                    runner.send(.vibrationForbidden(number, now: clock.now))
                    return
                }
                guard let vibrator else {
                    runner.send(.vibrationEnded(number, .failed(Self.noMotor), now: clock.now))
                    return
                }
                let vibration = vibrator.reserve()
                vibrating.value = (number, vibration)
                vibrator.begin(vibration, pattern) { runner.send(.vibrationEnded(number, $0, now: clock.now)) }
            case .stopVibration(let number):
                if let now = vibrating.value, now.number == number { vibrator?.stop(now.vibration) }
            case .schedule(let number, let time):
                core.perform { _ = clock.schedule(at: time) { runner.send(.timer(number, now: clock.now)) } }
            case .complete(let call):
                completions.complete(call.number, with: call)
                if let samples = call.samples { core.release(samples) }
            case .report(let event):
                report(event)
            }
        }
        self.runner = runner
        player.observeRules { [weak player, weak runner] in
            if let player { runner?.send(.rules(player.rules, now: clock.now)) }
        }
    }

    /// Stops every call for a sound that `isMeant` accepts.
    func stop(
        because cause: SoundOutcome.StopCause, where isMeant: @escaping @Sendable (SystemSoundQueue.Sound) -> Bool
    ) {
        runner.send(.stopAll(cause, now: clock.now, where: isMeant))
    }
}
