import RingerServices

/// The speaker over ALSA: a PCM handle for each sound that plays, all of them written from one thread.
///
/// The thread sleeps while nothing plays. ALSA's own messages become the errors' ``RingerError/detail``; nothing is
/// printed.
public final class ALSASoundOutput: SoundOutput {
    public let name: String
    private let pcm: String
    private let routes: [AudioRoute: String]
    private let limits: PlaybackMachine.Limits
    private let thread: SoundThread

    /// An output that plays to `pcm`.
    ///
    /// Nothing is opened yet: a PCM that is missing shows when it is played to, or by ``grant(sampleRate:channels:route:)``.
    ///
    /// - Parameters:
    ///   - pcm: The PCM's name in ALSA's configuration, for every route that `routes` does not name.
    ///   - routes: The PCM of each route that has one of its own.
    ///   - realTimePriority: 1 to 99 for `SCHED_FIFO`; nil for the ordinary scheduler. Where the process may not have
    ///     it, ``schedulingError`` says so.
    ///   - linger: How long a PCM stays open after its sound, so that the next one starts at once. While it does, a
    ///     device that takes one stream only is busy for other processes.
    /// - Throws: ``RingerError`` where the system has no descriptor or thread left.
    public convenience init(
        pcm: String = "default", routes: [AudioRoute: String] = [:], realTimePriority: Int? = nil,
        linger: Duration = .seconds(2)
    ) throws(RingerError) {
        try self.init(
            pcm: pcm, routes: routes, realTimePriority: realTimePriority, linger: linger,
            limits: PlaybackMachine.Limits())
    }

    init(
        pcm: String, routes: [AudioRoute: String] = [:], realTimePriority: Int? = nil, linger: Duration = .seconds(2),
        limits: PlaybackMachine.Limits
    ) throws(RingerError) {
        name = "ALSA \(pcm)"
        self.pcm = pcm
        self.routes = routes
        self.limits = limits
        thread = try SoundThread(realTimePriority: realTimePriority, linger: linger)
    }

    deinit {
        thread.shutDown()
    }

    /// Why the sound thread does not run with the real-time priority that was asked for; nil where it does, or none was.
    public var schedulingError: RingerError? { thread.loop.schedulingError }

    /// What the PCM that was opened last granted; nil before the first.
    public var lastGrant: HardwareFormat? { thread.lastGrant }

    public func play(
        _ sound: PCMBuffer, _ options: PlaybackOptions, _ handler: @escaping @Sendable (PlaybackEvent) -> Void
    ) -> any Playback {
        let voice = ALSAVoice(
            sound, options, pcm: routes[options.route] ?? pcm, on: thread, limits: limits, handler)
        thread.loop.execute { voice.begin() }
        return voice
    }

    /// Stops every sound and closes every PCM. When it returns, each has been told its end; a sound that is played
    /// later fails as closed.
    public func close() {
        thread.shutDown()
    }
}
