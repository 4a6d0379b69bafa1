/// Measures whether system sounds are heard, by timing a silent one: for a process that cannot read the switch, and as a
/// check of the switch for one that can. Any thread.
///
/// A clip of zeros is played as a system sound. If it is over before the threshold, system sounds are muted; if it still
/// plays at the threshold, they are audible, and the rest of the clip is dropped. A playback that failed, had an underrun
/// or stood still gives no verdict, nor does a clip in whose way nobody would have been: without a switch, without the
/// service, and with a PCM that plays everything, or plays in silence because it does not reach the service or is
/// interrupted. A volume of 0, where the mixer is followed, counts as muted. The clip never activates a session, and cannot
/// be heard.
public final class MuteDetector: Sendable {
    /// The parameters of a measurement.
    public struct Configuration: Sendable, Hashable {
        /// The clip's length.
        public let clip: Duration
        /// A clip that is over before this was muted; 1 ms or more.
        public let threshold: Duration
        /// The longest time from the call to the reading.
        public let deadline: Duration
        /// How many clips are played at most, where readings are doubtful.
        public let attempts: Int
        /// The clip's rate, in hertz.
        public let sampleRate: Double

        /// The standard configuration: 0.2 s of zeros at 48 kHz, a threshold of 0.1 s, three clips and 2 s at most.
        public init() {
            clip = .milliseconds(200)
            threshold = .milliseconds(100)
            deadline = .seconds(2)
            attempts = 3
            sampleRate = 48_000
        }

        /// A configuration of these values.
        ///
        /// - Throws: ``RingerError`` with code `invalid` if the threshold is below 1 ms, the clip is not longer than
        ///   the threshold or longer than 30 s, the deadline is not longer than the clip, there is no attempt, or the
        ///   rate is not in 4,000 to 192,000 Hz.
        public init(
            clip: Duration = .milliseconds(200), threshold: Duration = .milliseconds(100),
            deadline: Duration = .seconds(2), attempts: Int = 3, sampleRate: Double = 48_000
        ) throws(RingerError) {
            func require(_ condition: Bool, _ detail: String) throws(RingerError) {
                if !condition { throw RingerError(.invalid, "use the configuration", "mute detector", detail: detail) }
            }
            try require(threshold >= .milliseconds(1), "a threshold of \(threshold) is below 1 ms")
            try require(clip > threshold, "a clip of \(clip) does not outlast the threshold of \(threshold)")
            try require(
                clip <= SoundLimits.systemSoundDuration, "a clip of \(clip) is longer than a system sound may be")
            try require(deadline > clip, "a deadline of \(deadline) is not after the clip of \(clip)")
            try require(attempts >= 1, "\(attempts) attempts are fewer than 1")
            try require(
                sampleRate >= 4_000 && sampleRate <= 192_000, "a rate of \(sampleRate) Hz is not in 4,000 to 192,000")
            self.clip = clip
            self.threshold = threshold
            self.deadline = deadline
            self.attempts = attempts
            self.sampleRate = sampleRate
        }
    }

    private var core: Core { publisher.core }
    private let clock: any DeviceClock
    private let publisher: StatePublisher
    private let threshold: Duration
    private let runner: StateMachineRunner<MuteDetectorMachine>
    private let service: (any DeviceService)?
    /// A stream of readings that has not ended, and the timer of its next measurement.
    private final class Readings: Sendable {
        let continuation: AsyncStream<MuteReading>.Continuation
        let timer: TimerSlot

        init(continuation: AsyncStream<MuteReading>.Continuation, timer: TimerSlot) {
            (self.continuation, self.timer) = (continuation, timer)
        }
    }

    /// Nil once it is closed.
    private let streams = TransitionState<[Readings]?>([])
    /// Who waits for the reading of the probe that runs.
    private let waiting = TransitionState<[@Sendable (MuteReading) -> Void]>([])

    /// The clip: mono zeros.
    public let clip: PCMBuffer

    /// A detector over `player`.
    ///
    /// - Parameters:
    ///   - outputObeys: Whether the output itself ends what may not be heard.
    ///   - service: What measures instead, with parameters of its own; nil where this process has the device.
    ///   - report: Gets an event for each reading that contradicts the switch.
    package init(
        player: SoundPlayer, publisher: StatePublisher, clock: any DeviceClock,
        configuration: Configuration = Configuration(), outputObeys: Bool = false,
        service: (any DeviceService)? = nil,
        report: @escaping @Sendable (DeviceEvent) -> Void = { _ in }
    ) {
        let core = publisher.core
        self.clock = clock
        self.publisher = publisher
        self.service = service
        threshold = configuration.threshold
        let clip = PCMBuffer.silence(duration: configuration.clip, sampleRate: configuration.sampleRate)
        self.clip = clip
        let waiting = waiting
        let deadline = TimerSlot(clock, core)
        // The player's sound that the last clip is.
        let current = TransitionState<SoundPlayer.ID?>(nil)
        let machine = MuteDetectorMachine(configuration, outputObeys: outputObeys)
        runner = StateMachineRunner(machine, in: core) { action, runner in
            switch action {
            case .play(let number):
                // Not a user-interface sound: only the switch can silence it. It does not wait for a busy PCM: that would be
                // no measure of the switch.
                let sound = player.reserve()
                current.value = sound
                player.start(
                    clip, reserved: sound,
                    under: SoundTerms(
                        request: .systemSound(isUISound: false), waitsWhenBusy: false,
                        passesUnreadableSwitch: outputObeys),
                    monitor: PlaybackMonitor(reportAt: configuration.threshold) { [weak runner] event in
                        runner?.send(.playback(clip: number, event, now: clock.now))
                    },
                    completion: { [weak runner] in runner?.send(.over(clip: number, $0, publisher.state)) })
            case .stop:
                if let sound = current.value { player.stop(sound) }
            case .setDeadline(let probe, let time):
                deadline.set(at: time) { [weak runner] in runner?.send(.deadline(probe: probe, now: clock.now)) }
            case .answer(let reading):
                deadline.cancel()
                if reading.disagreesWithSwitch, let position = reading.switchPosition {
                    report(.detectorDisagrees(reading, position, at: reading.at))
                }
                let completions = waiting.value
                waiting.value = []
                for completion in completions { completion(reading) }
            }
        }
    }

    /// Measures once. Callers at the same time share one clip.
    ///
    /// - Returns: The reading; it never takes longer than the configuration's deadline.
    public func measure() async -> MuteReading {
        await outcome(core) { begin($0) }
    }

    /// Measures once.
    ///
    /// - Parameter completion: Called once with the reading: on the caller's thread before the call returns where the
    ///   rules silence the clip at once or a session leaves nothing to measure, else on the callback thread
    ///   (``DeviceClock/callBack(_:)``).
    public func measure(completion: @escaping @Sendable (MuteReading) -> Void) {
        withUserCompletion(completion, on: clock, core) { begin($0) }
    }

    private func begin(_ completion: @escaping @Sendable (MuteReading) -> Void) {
        if let service { return service.measure(completion: completion) }
        core.transition {
            waiting.value.append(completion)
            runner.send(.measure(publisher.state, now: clock.now))
        }
    }

    /// Measures now and then again and again, until the stream is dropped, its task cancelled or the device closed.
    ///
    /// A measurement begins at least the configuration's threshold after the one before, however short the interval: where
    /// a session records, readings need no time of their own.
    ///
    /// - Parameters:
    ///   - interval: From one reading to the next measurement.
    ///   - changesOnly: Whether a reading is left out whose verdict is that of the reading before.
    /// - Returns: The readings. A slow reader misses readings in between, never the newest.
    public func readings(every interval: Duration, changesOnly: Bool = false) -> AsyncStream<MuteReading> {
        let (stream, continuation) = AsyncStream<MuteReading>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let readings = Readings(continuation: continuation, timer: TimerSlot(clock, core))
        let isClosed = core.transition {
            streams.value?.append(readings)
            return streams.value == nil
        }
        guard !isClosed else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [core, streams] _ in
            core.perform {
                core.transition { streams.value?.removeAll { $0 === readings } }
                readings.timer.cancel()
            }
        }
        measureAgain(every: interval, changesOnly: changesOnly, after: nil, for: readings)
        return stream
    }

    /// Ends the streams of readings.
    package func close() {
        core.perform { [core, streams] in
            let open = core.transition {
                defer { streams.value = nil }
                return streams.value
            }
            for readings in open ?? [] { readings.continuation.finish() }
        }
    }

    private func measureAgain(
        every interval: Duration, changesOnly: Bool, after last: MuteReading.Verdict?, for readings: Readings
    ) {
        let start = clock.now
        begin { [core, weak self] reading in
            core.perform { [weak self] in
                guard let self else { return readings.continuation.finish() }
                guard core.read({ self.streams.value?.contains { $0 === readings } }) == true else { return }
                if !changesOnly || reading.verdict != last { readings.continuation.yield(reading) }
                readings.timer.set(at: max(self.clock.now + interval, start + self.threshold)) { [weak self] in
                    self?.measureAgain(
                        every: interval, changesOnly: changesOnly, after: reading.verdict, for: readings)
                }
            }
        }
    }
}
