import RingerCore
import Synchronization

/// The speaker over ALSA: one PCM handle for each playing sound, all written by one thread.
///
/// Any thread may use it. The one that writes sleeps while nothing plays. ALSA's own messages are not printed; they become
/// the errors' ``RingerError/detail``.
public final class ALSASoundOutput: AnsweringOutput {
    /// "ALSA" and the PCM of the routes that have no PCM of their own.
    public var name: String { "ALSA \(pcm)" }
    let pcm: String
    /// The PCM of each route.
    private let board: RouteBoard
    /// Whether the PCM is the plug-in `ringer`, which ends at once what may not be heard, while it reaches the service.
    public var obeysSwitch: Bool { pcm.hasPrefix("ringer:") && pcm.contains(part: "WHEN_SILENCED=skip") }
    package let switchesCard: Bool
    private let limits: PlaybackMachine.Limits
    let thread: SoundThread
    private let lastNumber = Atomic<UInt64>(0)

    /// An output that plays to `pcm`.
    ///
    /// Nothing is opened yet: a missing PCM is noticed when a sound is played, or by
    /// ``grant(sampleRate:channels:route:)``.
    ///
    /// - Parameters:
    ///   - pcm: The PCM's name in ALSA's configuration, for every route that is not in `routes`.
    ///   - routes: The routes that have a PCM of their own, and its name. Headphones and a headset stand in for each other.
    ///   - realTimePriority: 1 to 99 for `SCHED_FIFO`; nil for the ordinary scheduler. If the process lacks the right
    ///     to it, ``schedulingError`` says so.
    ///   - busyPatience: How long a sound waits for a PCM that another process holds, trying every 20 ms; zero to fail
    ///     at once. For other sounds of this output it waits without limit.
    ///   - linger: How long a PCM stays open after its sound, so that the next one starts at once. Meanwhile a device
    ///     that takes a single stream is busy for other processes.
    /// - Throws: ``RingerError`` if the system has no descriptor or thread left.
    public convenience init(
        pcm: String = "default", routes: [AudioRoute: String] = [:], realTimePriority: Int? = nil,
        busyPatience: Duration = .seconds(2), linger: Duration = .seconds(2)
    ) throws(RingerError) {
        try self.init(
            pcm: pcm, routes: routes, realTimePriority: realTimePriority, busyPatience: busyPatience, linger: linger,
            limits: PlaybackMachine.Limits())
    }

    /// An output that switches the card as `useCases` says, before the first sound and before one on another route.
    package convenience init(
        pcm: String, routes: [AudioRoute: String], useCases: UseCases?, realTimePriority: Int?,
        busyPatience: Duration, linger: Duration
    ) throws(RingerError) {
        try self.init(
            pcm: pcm, routes: routes, useCases: useCases.map { UseCaseSelector($0, pcm: pcm) },
            realTimePriority: realTimePriority, busyPatience: busyPatience, linger: linger,
            limits: PlaybackMachine.Limits())
    }

    init(
        pcm: String, routes: [AudioRoute: String] = [:], useCases: UseCaseSelector? = nil,
        realTimePriority: Int? = nil, busyPatience: Duration = .seconds(2), linger: Duration = .seconds(2),
        limits: PlaybackMachine.Limits
    ) throws(RingerError) {
        self.pcm = pcm
        board = RouteBoard(pcm: pcm, routes: routes)
        switchesCard = useCases != nil
        self.limits = limits
        thread = try SoundThread(
            realTimePriority: realTimePriority, linger: linger, busyPatience: busyPatience, limits: limits, useCases)
    }

    deinit {
        thread.shutDown {}
    }

    /// Why the sound thread does not run with the requested real-time priority; nil if it does, or none was requested.
    public var schedulingError: RingerError? { thread.loop.schedulingError }

    /// The format granted by the PCM that was opened last; nil before the first.
    public var lastGrant: HardwareFormat? { thread.lastGrant }

    /// The PCM of `route`.
    public func pcm(for route: AudioRoute) -> String { board.pcm(for: route) ?? pcm }

    /// The format in which the PCM of `route` takes sound of `channels` channels at `sampleRate` frames a second.
    ///
    /// Opens the PCM if necessary, and keeps it open as after a sound: the first sound of that format starts at once.
    /// Blocks until the sound thread has answered; do not call it from a task.
    ///
    /// - Throws: ``RingerError`` as a sound's end would report it: not found, busy, permission denied, unsupported.
    public func grant(
        sampleRate: Double, channels: Int, route: AudioRoute = .speaker
    ) throws(RingerError) -> HardwareFormat {
        try thread.grant(pcm(for: route), sampleRate: sampleRate, channels: channels)
    }

    /// Why the PCM of `route` cannot play two sounds at once; nil if it can. The error's detail has the line of
    /// `asound.conf` that makes ALSA's default PCM mix.
    ///
    /// Opens the PCM twice, for 48,000 Hz in stereo, and closes it. Blocks until the sound thread has answered.
    ///
    /// - Throws: ``RingerError`` if the PCM cannot be opened at all: not found, busy, permission denied, unsupported.
    public func mixingProblem(route: AudioRoute = .speaker) throws(RingerError) -> RingerError? {
        try findMixingProblem(route: route)?.error
    }

    /// ``mixingProblem(route:)`` with its repair.
    package func findMixingProblem(route: AudioRoute = .speaker) throws(RingerError) -> HardwareProblem? {
        try thread.mixingProblem(of: pcm(for: route))
    }

    /// Calls `handler` with an error for each PCM that cannot play two sounds at once, when it is opened or when a
    /// sound has to wait for another. The error's detail has the line of `asound.conf` that makes ALSA's default PCM
    /// mix. It is called on the sound thread: the start of the sound waits for it to return.
    public func reportProblems(_ handler: @escaping @Sendable (RingerError) -> Void) {
        thread.reports.setHandlers { $0.problem = handler }
    }

    package func followCard(_ handler: @escaping @Sendable (AudioRoute, RingerError?) -> Void) {
        thread.reports.setHandlers { $0.card = handler }
    }

    /// Reports to `handler` the format of the hardware behind the PCM that was opened last, behind `plug` and `dmix`.
    /// The latency beyond its buffer is measured and reported when a format is played for the first time. It is called on the
    /// sound thread: the start of the sound waits for it to return.
    public func follow(_ handler: @escaping @Sendable (SoundPortFormat) -> Void) {
        thread.follow(handler)
    }

    /// Sets the preferred rate and period of PCMs that are opened from now on; the hardware's nearest ones are used.
    /// `plug` converts sounds of another rate. The buffer holds 80 ms, and at least three periods.
    public func prefer(_ preferences: SessionPreferences) {
        thread.prefer(preferences)
    }

    /// Opens the PCM of `route`, configures it for the preferred rate (48,000 Hz without one) in stereo, and closes it
    /// again, on the sound thread. Closes an idle PCM of this output that is in the way.
    public func ask(_ route: AudioRoute, completion: @escaping @Sendable (RingerError?) -> Void) {
        thread.ask(pcm(for: route), completion)
    }

    /// Begins to play `sound` on the PCM of its route, and returns at once.
    ///
    /// The rate is rounded to whole hertz. `plug` converts what the PCM cannot play; a format that `plug` cannot
    /// convert either fails as unsupported. After an underrun, and after a suspension that the device cannot resume,
    /// the sound continues with the first frame that was not heard, and ends later by the length of the gap. A stream
    /// whose position does not change for 1 s fails as timed out.
    ///
    /// A sound that is stopped is over when it is no longer heard: at once on hardware of its own; in dmix's buffer after
    /// 10 ms, or after up to 80 ms, and at least two periods, if `plug` converts the rate, for then ALSA takes nothing back.
    ///
    /// If the PCM is busy, the sound waits unless its options say otherwise: for earlier sounds of this output on the
    /// same hardware without limit, for other processes as long as the output's `busyPatience`.
    ///
    /// `handler` is called on the sound thread: all playing sounds wait for it to return. After ``close()`` it is called
    /// from within this call.
    public func play(
        _ sound: PCMBuffer, _ options: PlaybackOptions, _ handler: @escaping @Sendable (PlaybackEvent) -> Void
    ) -> any Playback {
        let voice = ALSAVoice(
            lastNumber.wrappingAdd(1, ordering: .relaxed).newValue, sound, options, pcm: pcm(for: options.route),
            on: thread, limits: limits, handler)
        thread.loop.execute { [isLate = thread.isClosed] in voice.begin(isLate: isLate) }
        return voice
    }

    /// Closes the PCMs that are kept open for the next sound. `completion` is called once they are closed, including
    /// PCMs that were being opened for sounds that have ended meanwhile.
    public func release(stoppingSounds: Bool, completion: @escaping @Sendable () -> Void) {
        thread.release(stoppingSounds: stoppingSounds, completion)
    }

    /// Stops every sound and closes every PCM. A sound played later fails as closed.
    ///
    /// The first call waits until the end of each sound was reported, and for alsa-lib for 0.5 s at most; one on the sound
    /// thread does not wait. A thread that is blocked in alsa-lib then is left behind: it cannot be ended, and ends when
    /// its call returns; what it opens is closed.
    public func close() {
        let isDone = Latch()
        thread.shutDown { isDone.open() }
        if !thread.loop.isCurrentThread { isDone.wait(until: .now + limits.close) }
    }

    package func close(completion: @escaping @Sendable () -> Void) {
        thread.shutDown(completion)
    }
}
