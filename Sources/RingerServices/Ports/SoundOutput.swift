@_exported import SoundFile

/// The speaker: plays PCM, and reports how that goes.
///
/// On Linux an ALSA PCM for each sound that plays; in a test, one that records samples on the test's clock.
public protocol SoundOutput: Sendable {
    /// What the output is, for people: "ALSA default".
    var name: String { get }

    /// The PCM that sounds of `route` are played to. Between two routes of one PCM the codec switches, and a sound that
    /// plays follows it; between two PCMs no sound moves.
    func pcm(for route: AudioRoute) -> String

    /// Begins to play `sound`, and returns at once.
    ///
    /// `handler` gets the sound's events, in order, on the output's own thread, never from within this call: first
    /// ``PlaybackEvent/waiting(_:at:)``, where another sound or process holds the output, then
    /// ``PlaybackEvent/started(at:)``, unless the output could not be opened or the sound was stopped before that, and
    /// last, exactly once, ``PlaybackEvent/ended(_:at:_:)``. A sound without frames starts and ends as drained.
    func play(
        _ sound: PCMBuffer, _ options: PlaybackOptions, _ handler: @escaping @Sendable (PlaybackEvent) -> Void
    ) -> any Playback

    /// Calls `handler` from now on with what keeps the output from doing all that is asked of it, such as a PCM that plays
    /// one sound at a time; each problem once, on the output's own thread. It replaces the handler before.
    func reportProblems(_ handler: @escaping @Sendable (RingerError) -> Void)

    /// Calls `handler` from now on with the format that the output was granted last, whenever that changes, on the
    /// output's own thread. It replaces the handler before.
    func follow(_ handler: @escaping @Sendable (SoundPortFormat) -> Void)

    /// Has what is opened from now on be as near to `preferences` as the hardware comes. What is open stays as it is.
    func prefer(_ preferences: SessionPreferences)

    /// Asks the hardware of `route` what it grants under the preferences, unless that is known or it plays just now.
    ///
    /// Where it is another format than before, the handler of ``follow(_:)`` is called first. Then `completion` is called,
    /// once, with the reason where the hardware could not be asked; it may be on another thread, and from within this call.
    func ask(_ route: AudioRoute, completion: @escaping @Sendable (RingerError?) -> Void)

    /// Closes the PCMs that no sound plays on, so that another process can open the hardware. What is played later opens
    /// them again.
    ///
    /// - Parameters:
    ///   - stoppingSounds: Whether the sounds that play, and those that wait, are stopped first.
    ///   - completion: Called once, when they are closed; it may be on another thread, and from within this call.
    func release(stoppingSounds: Bool, completion: @escaping @Sendable () -> Void)

    /// Stops what plays and frees what the system holds for it. A second call does nothing.
    func close()
}

/// A sound that was handed to the output.
public protocol Playback: Sendable {
    /// Stops the sound within one audio period. It ends as stopped, unless it has ended already.
    func stop()

    /// Takes the sound to `gain`, 0 to 1, evenly over `duration`, beginning with the next period that is written.
    func setGain(_ gain: Float, over duration: Duration)
}

/// How to play a sound.
public struct PlaybackOptions: Sendable, Hashable {
    /// The gain, 0 to 1. At 1 the samples are played as they are.
    public var gain: Float
    /// Where the sound is to leave the device.
    public var route: AudioRoute
    /// When to report, once, how far playing has come: this long after the first frame was accepted.
    public var reportAt: Duration?
    /// Whether the sound waits where another sound of this process holds the PCM, however long, or another process does,
    /// for as long as the output's patience lasts; it fails at once where not.
    public var waitsWhenBusy: Bool

    /// Options, by default those of a plain sound from the speaker.
    public init(
        gain: Float = 1, route: AudioRoute = .speaker, reportAt: Duration? = nil, waitsWhenBusy: Bool = true
    ) {
        self.gain = gain
        self.route = route
        self.reportAt = reportAt
        self.waitsWhenBusy = waitsWhenBusy
    }
}

/// How far a sound was played, as the stream itself tells it.
public struct StreamPosition: Sendable, Hashable {
    /// Frames of the sound that were heard, of ``total``.
    public var played: Int
    /// Frames of the whole sound.
    public var total: Int
    /// The last instant at which frames were known to be left; nil where none ever were.
    ///
    /// A thread that was held up sees the end late. Between this instant and the end's own lies the true end.
    public var unfinishedAt: MonotonicTime?

    /// A position of `played` frames of `total`.
    public init(played: Int, total: Int, unfinishedAt: MonotonicTime? = nil) {
        self.played = played
        self.total = total
        self.unfinishedAt = unfinishedAt
    }
}

/// What happens to a sound that was handed to the output.
@nonexhaustive
public enum PlaybackEvent: Sendable, Hashable {
    /// The PCM is busy, and the sound waits for it. The error says who holds it: a sound of this process, or another
    /// process.
    case waiting(RingerError, at: MonotonicTime)
    /// The stream runs: the first frame was accepted.
    case started(at: MonotonicTime)
    /// The report asked for with ``PlaybackOptions/reportAt``: told at that time or as soon after it as the thread gets to
    /// run, and before the end where that comes later than the report's time.
    case progress(StreamPosition, at: MonotonicTime)
    /// The stream ran out of frames.
    case underrun(at: MonotonicTime)
    /// The stream runs again after an underrun.
    case recovered(at: MonotonicTime)
    /// The system suspended the stream.
    case suspended(at: MonotonicTime)
    /// The stream runs again after it was suspended.
    case resumed(at: MonotonicTime)
    /// It is over. Nothing follows.
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
}
