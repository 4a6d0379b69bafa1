@_exported import SoundFile

/// The speaker: plays PCM, and tells what becomes of it.
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
    /// `handler` is told what happens, in order, on the output's own thread, never from within this call: first
    /// ``PlaybackEvent/started(at:)``, unless the output could not be opened or the sound was stopped before that, and
    /// last, exactly once, ``PlaybackEvent/ended(_:at:_:)``. A sound without frames starts and ends as drained.
    func play(
        _ sound: PCMBuffer, _ options: PlaybackOptions, _ handler: @escaping @Sendable (PlaybackEvent) -> Void
    ) -> any Playback

    /// Tells `handler` from now on what the output was granted last, whenever that is another format than was told
    /// before, on the output's own thread. One can follow; the one who follows last does.
    func follow(_ handler: @escaping @Sendable (SoundPortFormat) -> Void)

    /// Has what is opened from now on be as near to `preferences` as the hardware comes. What is open stays as it is.
    func prefer(_ preferences: SessionPreferences)

    /// Asks the hardware of `route` what it grants under the preferences, unless that is known or it plays just now.
    ///
    /// Where it is another format than was told before, whoever follows is told first. Then `completion` is called, once,
    /// with why it could not be asked; it may be on another thread, and from within this call.
    func ask(_ route: AudioRoute, completion: @escaping @Sendable (RingerError?) -> Void)

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
    /// When to tell, once, how far playing has come: this long after the first frame was accepted.
    public var reportAt: Duration?

    /// Options, by default those of a plain sound from the speaker.
    public init(gain: Float = 1, route: AudioRoute = .speaker, reportAt: Duration? = nil) {
        self.gain = gain
        self.route = route
        self.reportAt = reportAt
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
