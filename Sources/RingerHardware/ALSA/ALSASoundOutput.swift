import RingerServices
import Synchronization

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
    private let lastNumber = Atomic<UInt64>(0)

    /// An output that plays to `pcm`.
    ///
    /// Nothing is opened yet: a PCM that is missing shows when it is played to, or by ``grant(sampleRate:channels:route:)``.
    ///
    /// - Parameters:
    ///   - pcm: The PCM's name in ALSA's configuration, for every route that `routes` does not name.
    ///   - routes: The PCM of each route that has one of its own.
    ///   - realTimePriority: 1 to 99 for `SCHED_FIFO`; nil for the ordinary scheduler. Where the process may not have
    ///     it, ``schedulingError`` says so.
    ///   - busyPatience: How long a sound waits for a PCM that another process holds, which is tried every 20 ms; zero
    ///     has it fail at once. For another sound of this output it waits as long as that one lasts.
    ///   - linger: How long a PCM stays open after its sound, so that the next one starts at once. While it does, a
    ///     device that takes one stream only is busy for other processes.
    /// - Throws: ``RingerError`` where the system has no descriptor or thread left.
    public convenience init(
        pcm: String = "default", routes: [AudioRoute: String] = [:], realTimePriority: Int? = nil,
        busyPatience: Duration = .seconds(2), linger: Duration = .seconds(2)
    ) throws(RingerError) {
        try self.init(
            pcm: pcm, routes: routes, realTimePriority: realTimePriority, busyPatience: busyPatience, linger: linger,
            limits: PlaybackMachine.Limits())
    }

    init(
        pcm: String, routes: [AudioRoute: String] = [:], realTimePriority: Int? = nil,
        busyPatience: Duration = .seconds(2), linger: Duration = .seconds(2), limits: PlaybackMachine.Limits
    ) throws(RingerError) {
        self.pcm = pcm
        self.routes = routes
        self.limits = limits
        thread = try SoundThread(realTimePriority: realTimePriority, linger: linger, busyPatience: busyPatience)
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

    /// Why the PCM of `route` plays one sound at a time, with the line of `asound.conf` that has ALSA's default PCM mix; nil
    /// where it plays several.
    ///
    /// Opens it twice at once, for 48,000 Hz in stereo, and closes it. Waits for the sound thread.
    ///
    /// - Throws: ``RingerError`` where it cannot be opened once: not found, busy, permission denied, unsupported.
    public func mixingProblem(route: AudioRoute = .speaker) throws(RingerError) -> RingerError? {
        try thread.mixingProblem(of: pcm(for: route))
    }

    /// Calls `handler` with each PCM that plays one sound at a time, when that is found out: when it is opened, or when a
    /// sound has to wait for another. The error's detail is the line of `asound.conf` that has ALSA's default PCM mix.
    public func reportProblems(_ handler: @escaping @Sendable (RingerError) -> Void) {
        thread.reports.reportProblems(handler)
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
    /// Where the PCM is busy, the sound waits, unless its options say otherwise: behind the other sounds of this output on
    /// the same hardware, or for another process, as long as the output's patience lasts.
    ///
    /// `handler` is called on the sound thread, where everything that plays waits for it to return. After ``close()``
    /// it is called from a task.
    public func play(
        _ sound: PCMBuffer, _ options: PlaybackOptions, _ handler: @escaping @Sendable (PlaybackEvent) -> Void
    ) -> any Playback {
        let voice = ALSAVoice(
            lastNumber.wrappingAdd(1, ordering: .relaxed).newValue, sound, options, pcm: pcm(for: options.route),
            on: thread, limits: limits, handler)
        thread.loop.execute { [isLate = thread.isClosed] in voice.begin(isLate: isLate) }
        return voice
    }

    /// Closes the PCMs that are kept for the next sound. It is done when PCMs are closed that were being opened for sounds
    /// that have ended meanwhile, too.
    public func release(stoppingSounds: Bool, completion: @escaping @Sendable () -> Void) {
        thread.release(stoppingSounds: stoppingSounds, completion)
    }

    /// Stops every sound and closes every PCM. When it returns, each has been told its end; a sound that is played
    /// later fails as closed.
    public func close() {
        thread.shutDown()
    }
}
