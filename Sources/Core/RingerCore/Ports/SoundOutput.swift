@_exported import SoundFile

/// The speaker: plays PCM sound and reports its progress.
///
/// On Linux an ALSA PCM for each playing sound; in a test, one that records samples on the test's clock.
///
/// One of your own, as any other port, keeps its handlers in a structure: `Mutex<Handlers>`. A `Mutex` of a bare function, or a
/// dictionary, wraps it once more each time `withLock` reads it, until a thread's stack is full.
public protocol SoundOutput: Sendable {
    /// The output's name, for people: "ALSA default".
    var name: String { get }

    /// Whether the output itself ends what the ring/silent switch does not let be heard: an ALSA PCM `ringer:` with
    /// `WHEN_SILENCED=skip`. ``StreamPosition/judgement`` says whether it has somebody to obey. False by default.
    var obeysSwitch: Bool { get }

    /// The PCM for sounds of `route`. When the route changes between two routes with the same PCM, the codec switches
    /// and a playing sound follows; a sound never moves to another PCM.
    func pcm(for route: AudioRoute) -> String

    /// Begins to play `sound`, and returns at once.
    ///
    /// `handler` receives the sound's events in order on the output's own thread, never from within this call unless the
    /// output is closed: first ``PlaybackEvent/waiting(_:at:)`` if another sound or process holds the output; then
    /// ``PlaybackEvent/started(at:)``, unless the output could not be opened or the sound was stopped before; and last,
    /// exactly once, ``PlaybackEvent/ended(_:at:_:)``. A sound without frames starts and ends as drained.
    func play(
        _ sound: PCMBuffer, _ options: PlaybackOptions, _ handler: @escaping @Sendable (PlaybackEvent) -> Void
    ) -> any Playback

    /// Sets the handler of problems that limit the output, such as a PCM that plays one sound at a time. It is called
    /// once for each problem, on the output's own thread.
    func reportProblems(_ handler: @escaping @Sendable (RingerError) -> Void)

    /// Sets the handler that is called, on the output's own thread, whenever the format changes that the output was
    /// granted last.
    func follow(_ handler: @escaping @Sendable (SoundPortFormat) -> Void)

    /// Sets the preferences for PCMs that are opened from now on; the hardware's nearest values are used. Open PCMs do
    /// not change.
    func prefer(_ preferences: SessionPreferences)

    /// Finds out what format the hardware of `route` grants under the preferences, unless that is known or the route is
    /// playing.
    ///
    /// If the format differs from the previous one, the handler of ``follow(_:)`` is called first. Then `completion` is
    /// called once, with an error if the hardware could not be asked; possibly on another thread or from within this
    /// call.
    func ask(_ route: AudioRoute, completion: @escaping @Sendable (RingerError?) -> Void)

    /// Closes the PCMs on which no sound plays, so that another process can open the hardware. Later sounds open them
    /// again.
    ///
    /// - Parameters:
    ///   - stoppingSounds: Whether playing and waiting sounds are stopped first.
    ///   - completion: Called once they are closed; possibly on another thread or from within this call.
    func release(stoppingSounds: Bool, completion: @escaping @Sendable () -> Void)

    /// Stops all sounds and frees the output's system resources. A sound played later fails as closed. A second call does
    /// nothing.
    func close()
}

/// An output whose threads may be held up by the hardware: closing it can be begun without waiting for them.
package protocol AnsweringOutput: SoundOutput {
    /// Whether the output itself switches the codec, before a sound on another route: until then a playing sound stays where
    /// it is, though the new route has the same PCM.
    var switchesCard: Bool { get }

    /// Sets the handler of switches of the card. It is called on the output's own thread with a route, and with an error if the
    /// card may be at another output: when the card was switched for a sound, or need not be, before the sound's PCM is open,
    /// so that what it stops then is not heard; and after a sound that ended before its turn. While further switches wait,
    /// only the last one is reported, and those that fail.
    func followCard(_ handler: @escaping @Sendable (AudioRoute, RingerError?) -> Void)

    /// Does what ``SoundOutput/close()`` does. `completion` is called once, possibly on another thread or from within this call.
    func close(completion: @escaping @Sendable () -> Void)
}

extension SoundOutput {
    /// Plays everything.
    public var obeysSwitch: Bool { false }
}

/// A sound of the output.
public protocol Playback: Sendable {
    /// Stops the sound within one audio period. It ends as stopped once it is no longer heard, unless it has already
    /// ended.
    func stop()

    /// Changes the sound's gain to `gain`, 0 to 1, linearly over `duration`, beginning with the next period that is
    /// written.
    func setGain(_ gain: Float, over duration: Duration)
}

/// An output of another process, which does not look at a sound's gate while the sound plays.
package protocol RemoteOutput: SoundOutput {}

/// A sound of an output that decides the gain by rules of its own, such as the service: it takes the volume alone.
package protocol JudgedPlayback: Playback {
    /// Changes the volume, 0 to 1.
    func setVolume(_ volume: Float)
}

/// How to play a sound.
public struct PlaybackOptions: Sendable, Hashable {
    /// The gain, 0 to 1. With 1 the samples are not changed.
    public var gain: Float
    /// The route that the sound takes.
    public var route: AudioRoute
    /// When to report the progress, once: the time after the first frame was accepted.
    public var reportAt: Duration?
    /// Whether the sound waits for a busy PCM: without limit for sounds of this process, as long as the output's
    /// patience for other processes. If false, the sound fails at once.
    public var waitsWhenBusy: Bool
    /// What the sound is for the policy, and its session: for an output that judges anew.
    package var terms: SoundTerms?
    /// The part of the sound that is played, and the factor that ``gain`` contains.
    package var manner = SoundManner()
    /// Says at any time whether the sound may be heard, and its gain. An output that looks at it takes ``Playback/stop()``
    /// and ``Playback/setGain(_:over:)`` as a request to look at once.
    package var gate: Gate?

    /// By default a plain sound from the speaker.
    public init(
        gain: Float = 1, route: AudioRoute = .speaker, reportAt: Duration? = nil, waitsWhenBusy: Bool = true
    ) {
        self.gain = gain
        self.route = route
        self.reportAt = reportAt
        self.waitsWhenBusy = waitsWhenBusy
    }
}

/// How much of a sound was played, according to the stream.
public struct StreamPosition: Sendable, Hashable {
    /// Frames of the sound that were heard, 0 to ``total``.
    public var played: Int64
    /// Frames of the whole sound.
    public var total: Int64
    /// The last time at which frames were known to be left; nil if none ever were.
    ///
    /// A thread that was held up notices the end late: the true end lies between this time and the reported one.
    public var unfinishedAt: MonotonicTime?
    /// What the output itself says of the sound now, where ``PlaybackOptions/reportAt`` is set; nil if it plays everything.
    public var judgement: OutputJudgement?

    /// A position of `played` frames of `total`.
    public init(played: Int64, total: Int64, unfinishedAt: MonotonicTime? = nil) {
        self.played = played
        self.total = total
        self.unfinishedAt = unfinishedAt
    }
}

/// What an output that obeys the switch by itself says of a sound.
@nonexhaustive
public enum OutputJudgement: Sendable, Hashable {
    /// It is heard.
    case heard
    /// The switch, or another rule, silences it.
    case silenced
    /// Another session, or an interruption, silences it for a while.
    case interrupted
    /// Nobody judges it, and it is played in silence: the service is not there, or refused it.
    case unjudged
}

/// What happens to a sound that was handed to the output.
@nonexhaustive
public enum PlaybackEvent: Sendable, Hashable {
    /// The PCM is busy, and the sound waits for it. The error names the holder: a sound of this process, or another
    /// process.
    case waiting(RingerError, at: MonotonicTime)
    /// The stream is running: the first frame was accepted.
    case started(at: MonotonicTime)
    /// The report that ``PlaybackOptions/reportAt`` asked for: made at that time, or as soon afterwards as the thread
    /// gets to run, and always before an end that comes later than that time.
    case progress(StreamPosition, at: MonotonicTime)
    /// The stream underran.
    case underrun(at: MonotonicTime)
    /// The stream is running again after an underrun.
    case recovered(at: MonotonicTime)
    /// The system suspended the stream.
    case suspended(at: MonotonicTime)
    /// The stream is running again after a suspension.
    case resumed(at: MonotonicTime)
    /// The sound is over. No event follows.
    case ended(PlaybackEnd, at: MonotonicTime, StreamPosition)
}

/// How a sound ended.
@nonexhaustive
public enum PlaybackEnd: Sendable, Hashable {
    /// Every frame was heard.
    case drained
    /// It was stopped.
    case stopped
    /// The output failed.
    case failed(RingerError)
    /// The service that played it ended it, for a reason of its own.
    case ended(SoundOutcome)
}

/// The format that a PCM granted, as sessions report it: behind conversion, that of the hardware.
public struct SoundPortFormat: Sendable, Hashable {
    /// Frames a second.
    public var sampleRate: Double
    /// Samples in a frame.
    public var channels: Int
    /// The duration of a period: what the hardware takes, or gives, at a time.
    public var bufferDuration: Duration
    /// The least time from the program to the output, or from the input to the program: a period, plus the delay that
    /// the driver reports beyond its buffer.
    ///
    /// Frames that the program has written ahead add to it; a sound's first frame has none ahead of it.
    public var latency: Duration

    /// A format.
    public init(sampleRate: Double, channels: Int, bufferDuration: Duration, latency: Duration) {
        self.sampleRate = sampleRate
        self.channels = channels
        self.bufferDuration = bufferDuration
        self.latency = latency
    }
}
