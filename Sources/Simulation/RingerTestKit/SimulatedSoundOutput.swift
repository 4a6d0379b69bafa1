import RingerCore
import Synchronization

/// A speaker that plays on the test's clock, records what was heard, and has the faults that the test sets. Any thread.
///
/// It keeps the newest ``recordingLimit`` recordings, each with its samples.
public final class SimulatedSoundOutput: SoundOutput, Sendable {
    /// A fault, and the frame at which it occurs.
    public enum Fault: Sendable, Hashable {
        /// Another process holds the output while this is set: sounds wait, and fail when their patience ends.
        case busy
        /// Another process holds the output for this time from now on.
        case busyFor(Duration)
        /// There is no such output: no sound can be played.
        case missing
        /// The stream underruns after so many frames, and continues.
        case underrun(frame: Int)
        /// The system suspends the stream after so many frames, for this time.
        case suspend(frame: Int, for: Duration)
        /// The device is unplugged after so many frames.
        case gone(frame: Int)
        /// The stream stops after so many frames, and ends only when it is stopped.
        case stall(frame: Int)
        /// The output takes everything at once, as one that leads nowhere does.
        case unpaced
    }

    /// A sound of the output.
    public struct Recording: Sendable {
        /// The sound; once it has ended, without its samples where the speaker does not keep them.
        public var sound: PCMBuffer
        /// The frames of the sound.
        public var frames: Int
        /// The route of the sound.
        public var route: AudioRoute
        /// The gain it began with, then each change.
        public var gains: [Float]
        /// Since when the sound has waited for the output; nil if it has not.
        public var waitsSince: MonotonicTime?
        /// When its first frame was accepted; nil if none was.
        public var start: MonotonicTime?
        /// When it ended; nil while it plays.
        public var end: MonotonicTime?
        /// How it ended.
        public var outcome: PlaybackEnd?
        /// Frames that were heard; on 32 bits the most that an `Int` counts, where it was more.
        public var played = 0
        /// The same, without that limit.
        package var framesPlayed: Int64 = 0

        /// Where it began, and how often it was to be played.
        var manner = SoundManner()
        /// Its gains over its frames, each from the frame on at which it was set.
        var ramps: [(first: Int64, ramp: GainRamp)] = []

        /// The gain of a frame, 0 to 1, of those that were heard: ``gains`` with their ramps.
        package func gain(at frame: Int) -> Float {
            let frame = Int64(frame)
            return ramps.last { $0.first <= frame }?.ramp.gain(at: frame) ?? gains[0]
        }

        /// The samples that were heard, without gain.
        public var samples: ArraySlice<Int16> {
            let first = manner.first * sound.channels
            if sound.samples.isEmpty { return [] }
            if first + played * sound.channels <= sound.samples.count {
                return sound.samples[first...].prefix(played * sound.channels)
            }
            return (0..<played * sound.channels).map { sound.samples[(first + $0) % sound.samples.count] }[...]
        }
    }

    private struct Question {
        let completion: @Sendable (RingerError?) -> Void
    }

    private struct State {
        var recordings = Newest<Recording>()
        var keepsSamples = true
        var fault: Fault?
        var limits = SimulatedSoundLimits()
        var answerDelay = Duration.zero
        /// The questions that were not answered yet, by number; nil once the speaker is closed.
        var questions: [UInt64: Question]? = [:]
        var lastQuestion: UInt64 = 0
        var preferences = SessionPreferences()
        var told: SoundPortFormat?
        var follower: (@Sendable (SoundPortFormat) -> Void)?
    }

    private let clock: any DeviceClock
    private let state = Mutex(State())
    private let pcm: SimulatedPCM

    /// "simulated speaker".
    public let name = "simulated speaker"
    let routes: [AudioRoute: String]
    /// The answers to ``ask(_:completion:)``, each after ``answerDelay``.
    public let formatAnswers = SimulatedAnswers()
    /// What the output reports of sounds that play: begun, under way and ended. It plays on if these are late.
    public let soundAnswers = SimulatedAnswers()

    /// An idle speaker on `clock`.
    ///
    /// - Parameters:
    ///   - clock: The clock.
    ///   - routes: The routes that have a PCM of their own, and its name.
    public init(clock: any DeviceClock, routes: [AudioRoute: String] = [:]) {
        self.clock = clock
        self.routes = routes
        pcm = SimulatedPCM(clock)
    }

    /// The newest sounds, at most ``recordingLimit``, in order.
    public var recordings: [Recording] { state.withLock { $0.recordings.elements } }

    /// How many sounds there were in all.
    public var recordingCount: Int { state.withLock { $0.recordings.count } }

    /// How many recordings are kept, 1 or more: 1,000 unless set otherwise.
    public var recordingLimit: Int {
        get { state.withLock { $0.recordings.limit } }
        set { state.withLock { $0.recordings.limit = newValue } }
    }

    /// Whether recordings keep their samples when their sounds have ended, which is so unless set otherwise. Applies to sounds
    /// that end from now on.
    public var keepsSamples: Bool {
        get { state.withLock { $0.keepsSamples } }
        set { state.withLock { $0.keepsSamples = newValue } }
    }

    /// The sounds that are playing, in the order in which they began.
    public var playing: [Recording] {
        state.withLock { $0.recordings.elements.filter { $0.start != nil && $0.end == nil } }
    }

    /// The fault of sounds that are played from now on; nil for none.
    public var fault: Fault? {
        get { state.withLock { $0.fault } }
        set {
            state.withLock { $0.fault = newValue }
            switch newValue {
            case .busy: pcm.setHolder(.process)
            case .busyFor(let duration): pcm.setHolder(.processUntil(clock.now + duration))
            default: pcm.setHolder(.nobody)
            }
        }
    }

    /// Whether several sounds are heard at once. If not, each waits for the end of those before it.
    public var mixes: Bool {
        get { pcm.mixes }
        set { pcm.mixes = newValue }
    }

    /// How long a sound waits while another process holds the output: 2 s at first; zero to fail at once.
    public var busyPatience: Duration {
        get { pcm.busyPatience }
        set { pcm.busyPatience = newValue }
    }

    /// The hardware's limits. Applies to sounds that are opened from now on.
    public var limits: SimulatedSoundLimits {
        get { state.withLock { $0.limits } }
        set { state.withLock { $0.limits = newValue } }
    }

    /// The preferences set last.
    public var preferences: SessionPreferences { state.withLock { $0.preferences } }

    /// How long ``ask(_:completion:)`` takes. Zero at first: it answers within the call. Hardware has to open its PCM.
    public var answerDelay: Duration {
        get { state.withLock { $0.answerDelay } }
        set { state.withLock { $0.answerDelay = newValue } }
    }

    /// The PCM of `route`. Routes without a PCM of their own have one PCM: a playing sound follows when the route changes
    /// among them, and stays when it changes to another PCM. Headphones and a headset stand in for each other.
    public func pcm(for route: AudioRoute) -> String { RouteBoard(pcm: name, routes: routes).pcm(for: route) ?? name }

    /// Sets the handler that is called once, when a sound has to wait for another because the speaker does not mix.
    public func reportProblems(_ handler: @escaping @Sendable (RingerError) -> Void) {
        pcm.reportProblems(handler)
    }

    /// Sets the handler that is called whenever the granted format changes.
    public func follow(_ handler: @escaping @Sendable (SoundPortFormat) -> Void) {
        state.withLock { $0.follower = handler }
    }

    /// Sets the preferences of the next sound.
    public func prefer(_ preferences: SessionPreferences) {
        state.withLock { $0.preferences = preferences }
    }

    /// Answers after ``answerDelay``, with an error if every sound fails; when it is closed, at once.
    public func ask(_ route: AudioRoute, completion: @escaping @Sendable (RingerError?) -> Void) {
        let (number, delay): (UInt64?, Duration) = state.withLock { state in
            state.lastQuestion += 1
            state.questions?[state.lastQuestion] = Question(completion: completion)
            return (state.questions == nil ? nil : state.lastQuestion, state.answerDelay)
        }
        guard let number else { return completion(Self.closedError) }
        if delay == .zero { return answer(number) }
        _ = clock.schedule(at: clock.now + delay) { [weak self] in self?.answer(number) }
    }

    private static let closedError = RingerError(.closed, "ask", SimulatedPCM.subject)

    private func answer(_ number: UInt64) {
        formatAnswers.give { [weak self] in self?.answerNow(number) }
    }

    private func answerNow(_ number: UInt64) {
        guard let completion = state.withLock({ $0.questions?.removeValue(forKey: number) })?.completion else { return }
        if let error = fault?.openError ?? pcm.openError { return completion(error) }
        grant(sampleRate: 48_000)
        completion(nil)
    }

    private func grant(sampleRate: Double) {
        let news: (tell: @Sendable (SoundPortFormat) -> Void, format: SoundPortFormat)? = state.withLock { state in
            let format = state.limits.grant(sampleRate: sampleRate, state.preferences)
            guard format != state.told else { return nil }
            state.told = format
            return state.follower.map { ($0, format) }
        }
        if let news { news.tell(news.format) }
    }

    /// Plays on the clock: each frame is heard at its own time.
    public func play(
        _ sound: PCMBuffer, _ options: PlaybackOptions, _ handler: @escaping @Sendable (PlaybackEvent) -> Void
    ) -> any Playback {
        let (number, fault) = state.withLock { state in
            // The part that is played is a sound of its own, unless it is repeated.
            let isRepeated = options.manner.rounds > 1
            var played = sound
            if !isRepeated { played.samples.removeFirst(min(options.manner.first, sound.frames) * sound.channels) }
            var recording = Recording(
                sound: played, frames: played.frames, route: options.route, gains: [options.gain])
            if isRepeated { recording.manner = options.manner }
            return (state.recordings.append(recording), state.fault)
        }
        let voice = SimulatedVoice(
            clock: clock, pcm: pcm, sound: sound, options: options, fault: fault,
            handler: { [soundAnswers] event in soundAnswers.give { handler(event) } },
            opened: { [weak self] in self?.grant(sampleRate: sound.sampleRate) },
            record: { [weak self] change in
                self?.state.withLock { state in
                    guard let index = state.recordings.index(of: number) else { return }
                    change(&state.recordings.elements[index])
                    if !state.keepsSamples, state.recordings.elements[index].end != nil {
                        state.recordings.elements[index].sound.samples = []
                    }
                }
            })
        voice.begin()
        return voice
    }

    /// Whether the speaker's PCM is open, so that another process could not open a single-stream device: while a sound
    /// plays, and for 2 s after it.
    public var isOpen: Bool { pcm.isOpen }

    /// Closes the PCM within the call, unless a sound plays that is not to be stopped.
    public func release(stoppingSounds: Bool, completion: @escaping @Sendable () -> Void) {
        pcm.release(stoppingSounds: stoppingSounds)
        completion()
    }

    /// Stops every sound, and answers every question, within the call: the clock may stand still, or be closed, from now on.
    /// A sound played later, and a question asked later, fails as closed.
    public func close() {
        pcm.close()
        soundAnswers.areLate = false
        let questions = state.withLock { state in
            defer { state.questions = nil }
            return state.questions ?? [:]
        }
        for question in questions.values { question.completion(Self.closedError) }
        formatAnswers.areLate = false
    }
}

extension SimulatedSoundOutput.Fault {
    /// Why the output cannot be opened, even if no other sound holds it; nil if it can.
    var openError: RingerError? {
        switch self {
        case .missing: RingerError(.notFound, "open", SimulatedPCM.subject)
        case .busy, .busyFor, .underrun, .suspend, .gone, .stall, .unpaced: nil
        }
    }
}
