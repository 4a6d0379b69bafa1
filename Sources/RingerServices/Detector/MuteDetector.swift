import Synchronization

/// Finds out whether system sounds are heard by timing a silent one: for a process that cannot see the switch, and as a
/// cross-check for one that can.
///
/// A clip of zeros is played as a system sound. One that is over before the threshold was muted; one that still plays
/// at the threshold is heard, and the rest of it is dropped. A playback that failed, ran dry or stood still says
/// neither. The clip never activates a session, and is no sound that anybody could hear.
public final class MuteDetector: Sendable {
    /// How the detector measures.
    public struct Configuration: Sendable, Hashable {
        /// The clip's length.
        public let clip: Duration
        /// A clip that is over before this was muted.
        public let threshold: Duration
        /// How long after the call a reading is given in any case.
        public let deadline: Duration
        /// How many clips are played, at most, before a doubtful reading is given as it is.
        public let attempts: Int
        /// The clip's rate, in hertz.
        public let sampleRate: Double

        /// The standard configuration: 0.2 s of zeros at 48 kHz, a threshold of 0.1 s, three clips and 2 s at most.
        public init() {
            self.init(
                checked: .milliseconds(200), threshold: .milliseconds(100), deadline: .seconds(2), attempts: 3,
                sampleRate: 48_000)
        }

        /// A configuration of these values.
        ///
        /// - Throws: ``RingerError`` with code `invalid` where the threshold is not above 0, the clip is not longer than the
        ///   threshold or longer than 30 s, the deadline is not longer than the clip, there is no attempt, or the rate is not
        ///   in 4,000 to 192,000 Hz.
        public init(
            clip: Duration = .milliseconds(200), threshold: Duration = .milliseconds(100),
            deadline: Duration = .seconds(2), attempts: Int = 3, sampleRate: Double = 48_000
        ) throws(RingerError) {
            func require(_ condition: Bool, _ detail: String) throws(RingerError) {
                if !condition { throw RingerError(.invalid, "use the configuration", "mute detector", detail: detail) }
            }
            try require(threshold > .zero, "a threshold of \(threshold) is not above 0")
            try require(clip > threshold, "a clip of \(clip) does not outlast the threshold of \(threshold)")
            try require(
                clip <= SoundLimits.systemSoundDuration, "a clip of \(clip) is longer than a system sound may be")
            try require(deadline > clip, "a deadline of \(deadline) is not after the clip of \(clip)")
            try require(attempts >= 1, "\(attempts) attempts are fewer than 1")
            try require(
                sampleRate >= 4_000 && sampleRate <= 192_000, "a rate of \(sampleRate) Hz is not in 4,000 to 192,000")
            self.init(
                checked: clip, threshold: threshold, deadline: deadline, attempts: attempts, sampleRate: sampleRate)
        }

        private init(
            checked clip: Duration, threshold: Duration, deadline: Duration, attempts: Int, sampleRate: Double
        ) {
            self.clip = clip
            self.threshold = threshold
            self.deadline = deadline
            self.attempts = attempts
            self.sampleRate = sampleRate
        }
    }

    private let clock: any DeviceClock
    private let store: DeviceStateStore
    private let runner: StateMachineRunner<MuteDetectorMachine>
    private let completions = CompletionTable<UInt64, MuteReading>()
    private let nextCaller = Atomic<UInt64>(0)

    /// The clip: mono zeros.
    public let clip: PCMBuffer

    /// A detector over `player`.
    ///
    /// - Parameters:
    ///   - player: Plays the clip, if the policy lets it.
    ///   - store: The device's state.
    ///   - clock: The device's time.
    ///   - configuration: How it measures.
    ///   - report: Is told of readings that contradict the switch.
    package init(
        player: SoundPlayer, store: DeviceStateStore, clock: any DeviceClock,
        configuration: Configuration = Configuration(), report: @escaping @Sendable (DeviceEvent) -> Void = { _ in }
    ) {
        self.clock = clock
        self.store = store
        let clip = PCMBuffer.silence(duration: configuration.clip, sampleRate: configuration.sampleRate)
        self.clip = clip
        let completions = completions
        let deadline = TimerSlot(clock)
        let current = PlayingClip()
        runner = StateMachineRunner(MuteDetectorMachine(configuration)) { action, runner in
            switch action {
            case .play(let number):
                // A system sound that is no user-interface sound: the switch alone can hold it back.
                let sound = player.start(
                    clip, as: .systemSound(isUISound: false),
                    monitor: PlaybackMonitor(reportAt: configuration.threshold) { [weak runner] event in
                        runner?.send(.playback(clip: number, event, now: clock.now))
                    },
                    completion: { [weak runner] in runner?.send(.over(clip: number, $0, store.state)) })
                current.set(number, sound)
            case .stop(let number):
                if let sound = current.sound(of: number) { player.stop(sound) }
            case .setDeadline(let probe, let time):
                deadline.set(at: time) { [weak runner] in runner?.send(.deadline(probe: probe, now: clock.now)) }
            case .answer(let callers, let reading):
                deadline.cancel()
                if reading.disagreesWithSwitch, let position = reading.switchPosition {
                    report(.detectorDisagrees(reading, position, at: reading.at))
                }
                for caller in callers { completions.complete(caller, with: reading) }
            }
        }
    }

    /// Measures once. Callers at the same time share one clip.
    ///
    /// - Returns: The reading; it never takes longer than the configuration's deadline.
    public func measure() async -> MuteReading {
        await withCheckedContinuation { continuation in
            begin { continuation.resume(returning: $0) }
        }
    }

    /// Measures once.
    ///
    /// - Parameter completion: Called once with the reading: on the caller's thread before the call returns where the
    ///   switch silences the clip at once, else on the callback thread (``DeviceClock/callBack(_:)``).
    public func measure(completion: @escaping @Sendable (MuteReading) -> Void) {
        let user = UserCompletion(clock, completion)
        begin { user.complete($0) }
        user.callReturns()
    }

    private func begin(_ completion: @escaping @Sendable (MuteReading) -> Void) {
        let caller = nextCaller.wrappingAdd(1, ordering: .relaxed).newValue
        completions.add(caller, completion)
        runner.send(.measure(caller: caller, store.state, now: clock.now))
    }

    /// Measures now and then again and again, until the stream is dropped or its task cancelled.
    ///
    /// - Parameters:
    ///   - interval: From one reading to the next measurement.
    ///   - changesOnly: Whether a reading is left out whose verdict is that of the reading before.
    /// - Returns: The readings. A slow reader misses readings in between, never the newest.
    public func readings(every interval: Duration, changesOnly: Bool = false) -> AsyncStream<MuteReading> {
        let (stream, continuation) = AsyncStream<MuteReading>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let timer = TimerSlot(clock)
        continuation.onTermination = { _ in timer.cancel() }
        measureAgain(every: interval, changesOnly: changesOnly, after: nil, timer, continuation)
        return stream
    }

    private func measureAgain(
        every interval: Duration, changesOnly: Bool, after last: MuteReading.Verdict?, _ timer: TimerSlot,
        _ continuation: AsyncStream<MuteReading>.Continuation
    ) {
        begin { [weak self] reading in
            if !changesOnly || reading.verdict != last {
                if case .terminated = continuation.yield(reading) { return }
            }
            guard let self else { return continuation.finish() }
            timer.set(at: clock.now + interval) { [weak self] in
                self?.measureAgain(
                    every: interval, changesOnly: changesOnly, after: reading.verdict, timer, continuation)
            }
        }
    }
}

/// Which sound the present clip is.
private final class PlayingClip: Sendable {
    private let playing = Mutex<(clip: UInt64, sound: SoundPlayer.ID)?>(nil)

    func set(_ clip: UInt64, _ sound: SoundPlayer.ID) {
        playing.withLock { $0 = (clip, sound) }
    }

    func sound(of clip: UInt64) -> SoundPlayer.ID? {
        playing.withLock { $0?.clip == clip ? $0?.sound : nil }
    }
}
