import RingerServices

/// The speaker over ALSA: a PCM handle for each sound that plays, all of them written from one thread.
///
/// The thread sleeps while nothing plays. ALSA's own messages become the errors' ``RingerError/detail``; nothing is
/// printed.
public final class ALSASoundOutput: SoundOutput {
    /// "ALSA" and the PCM of every route that has none of its own.
    public var name: String { "ALSA \(pcm)" }
    let pcm: String
    private let routes: [AudioRoute: String]
    private let limits: PlaybackMachine.Limits
    let thread: SoundThread

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

    /// The PCM of `route`: its own, or else that of every route.
    public func pcm(for route: AudioRoute) -> String { routes[route] ?? pcm }

    /// What the PCM of `route` grants to sound of `channels` channels at `sampleRate` frames a second.
    ///
    /// Opens it, where it is not open, and leaves it open for as long as after a sound: the first sound of that format
    /// starts at once. Waits for the sound thread, so it is not for a task's executor.
    ///
    /// - Throws: ``RingerError``, as a sound's end would tell it: not found, busy, permission denied, unsupported.
    public func grant(
        sampleRate: Double, channels: Int, route: AudioRoute = .speaker
    ) throws(RingerError) -> HardwareFormat {
        try thread.grant(pcm(for: route), sampleRate: sampleRate, channels: channels)
    }

    /// Tells `handler` what the hardware behind the PCM that was opened last was granted: what it runs at behind `plug` and
    /// `dmix`. What lies beyond its buffer is measured when a format is played for the first time, and told then.
    public func follow(_ handler: @escaping @Sendable (SoundPortFormat) -> Void) {
        thread.follow(handler)
    }

    /// Has PCMs that are opened from now on run at the nearest rate, and in the nearest period. Where the hardware has
    /// another rate than a sound, `plug` converts. The buffer is 80 ms long, and two periods at least.
    public func prefer(_ preferences: SessionPreferences) {
        thread.prefer(preferences)
    }

    /// Opens the PCM of `route`, configures it, and closes it again, on the sound thread. Without a preferred rate it is
    /// asked for 48,000 Hz, in stereo. A PCM of this output that is idle gives way.
    public func ask(_ route: AudioRoute, completion: @escaping @Sendable (RingerError?) -> Void) {
        thread.ask(pcm(for: route), completion)
    }

    /// Begins to play `sound` on the PCM of its route, and returns at once.
    ///
    /// The rate is rounded to whole hertz. What the PCM cannot play as it is, `plug` converts; where that cannot
    /// either, the sound fails as unsupported. After an underrun, and after a suspension that the device could not
    /// resume, it goes on with the first frame that was not heard, and ends later by as much as the gap took; a stream
    /// whose position stands still for a second fails as timed out.
    ///
    /// `handler` is called on the sound thread, where everything that plays waits for it to return. After ``close()``
    /// it is called from a task.
    public func play(
        _ sound: PCMBuffer, _ options: PlaybackOptions, _ handler: @escaping @Sendable (PlaybackEvent) -> Void
    ) -> any Playback {
        let voice = ALSAVoice(
            sound, options, pcm: pcm(for: options.route), on: thread, limits: limits, handler)
        thread.loop.execute { [isLate = thread.isClosed] in voice.begin(isLate: isLate) }
        return voice
    }

    /// Stops every sound and closes every PCM. When it returns, each has been told its end; a sound that is played
    /// later fails as closed.
    public func close() {
        thread.shutDown()
    }
}
