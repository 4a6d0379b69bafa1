/// The device: its switch, its motor, its speaker, and the rules that connect them. Any thread.
///
/// Data flows one way: an edge of the switch changes the ``DeviceState``; sounds that the new state forbids stop at
/// once; then every subscriber gets the state. It does not poll, and has no wake-ups at rest.
///
/// A device belongs to the process that opened it. In a child of `fork` every method that throws throws ``RingerError`` with the
/// code ``RingerError/Code/otherProcess``, sounds and vibrations fail with it, ``close()`` and the other methods do nothing, no
/// completion of anything else is called, and a signal does what it did before ``closeOnTermination(afterwards:)``. The child
/// executes a program, or opens a device of its own.
public final class Device: Sendable {
    /// How many events a subscriber, the observer or the log may be behind before its oldest are dropped; see
    /// ``lostEvents``.
    public static let eventBuffer = 8192

    let ports: Ports
    package let core: Core
    let publisher: StatePublisher
    let keptPosition: KeptPositionFile?
    /// Nil where a service has the quiet hours.
    private let quietHours: QuietHoursClock?
    private let silentLight: SilentLight?
    let reporter: EventReporter
    let firstPosition = FirstPosition()
    let closing: DeviceClosing
    let termination = DeviceTermination()
    let waits = DeviceWaits()
    package let process = OwningProcess()

    /// The device's clock.
    public var clock: any DeviceClock { ports.clock }
    /// The current time, on the device's clock.
    package var now: MonotonicTime { ports.clock.now }
    /// The speaker's name, for people.
    public var speakerName: String { ports.speaker.name }
    /// Plays sounds that the policy allows.
    public var player: SoundPlayer { core.transition { lazyPlayer.part } }
    let lazyPlayer: Lazily<SoundPlayer>
    /// The motor; nil if the device has none.
    public let vibrator: Vibrator?
    /// The status light; nil if the device has none.
    public var statusLight: (any StatusLight)? { ports.statusLight }
    /// The audio sessions.
    public var sessions: AudioSessions { core.transition { lazySessions.part } }
    private let lazySessions: Lazily<AudioSessions>
    /// Finds out whether sounds are heard, by timing a silent clip.
    public var muteDetector: MuteDetector { core.transition { lazyMuteDetector.part } }
    private let lazyMuteDetector: Lazily<MuteDetector>
    /// Short sounds by number, registered or predefined.
    public var sounds: SystemSoundServices { core.transition { lazySounds.part } }
    let lazySounds: Lazily<SystemSoundServices>
    /// Alerts that repeat until they are answered.
    public var alerts: Alerts { core.transition { lazyAlerts.part } }
    let lazyAlerts: Lazily<Alerts>
    /// The sounds of notifications.
    public var notifications: NotificationSounds { core.transition { lazyNotifications.part } }
    private let lazyNotifications: Lazily<NotificationSounds>

    let lazyFiles: Lazily<FileLoads>

    /// Announcements, played one after another.
    public var announcements: Announcements { core.transition { lazyAnnouncements.part } }
    let lazyAnnouncements: Lazily<Announcements>
    /// Where a service has the position, it keeps none.
    let keeper: PositionKeeper

    /// A device of these parts.
    ///
    /// - Throws: ``RingerError`` if the switch or a state source does not start. The ports are closed then.
    public init(_ ports: Ports, configuration: Configuration = Configuration()) throws(RingerError) {
        let core = Core(ports.clock.thread)
        let reporter = EventReporter(clock: ports.clock, core, configuration)
        let report: @Sendable (DeviceEvent) -> Void = { reporter.report($0) }
        let keptPosition =
            ports.service == nil
            ? configuration.positionFile.map { KeptPositionFile($0, initial: configuration.initialPosition) } : nil
        let initial = configuration.initialPosition
        let isKnown = ports.service == nil && (initial != .ring || ports.hasButton)
        let first = keptPosition?.first ?? (isKnown ? TimedPosition(initial) : nil)
        let silentLight = ports.silentLight.map { [clock = ports.clock] light in
            SilentLight(light, core) { report(.degraded($0, at: clock.now)) }
        }
        self.silentLight = silentLight
        let publisher = StatePublisher(
            in: core, hasSwitch: ports.ringSilent != nil,
            keptPosition: first.map { ($0.position, until: $0.end?.at, ports.clock.now) }
        ) { reporter.report($0()) }
        let quietHours =
            ports.service == nil
            ? QuietHoursClock(ports.clock, ports.timeZone, publisher) { reporter.report($0) } : nil
        self.quietHours = quietHours
        let keeper = PositionKeeper(keptPosition, first: first, ports.clock, publisher, quietHours, report: report)
        (self.keptPosition, self.keeper) = (keptPosition, keeper)
        // Before anything sounds.
        keeper.look()
        self.core = core
        self.ports = ports
        self.reporter = reporter
        self.publisher = publisher
        let player = Lazily {
            let player = SoundPlayer(output: ports.speaker, clock: ports.clock, publisher: publisher, report: report)
            player.preferences = ports.service?.preferences ?? configuration.preferences
            return player
        }
        lazyPlayer = player
        let detector = Lazily {
            MuteDetector(
                player: player.part, publisher: publisher, clock: ports.clock, configuration: configuration.detector,
                outputObeys: ports.speaker.obeysSwitch, service: ports.service, report: report)
        }
        lazyMuteDetector = detector
        let sessions = Lazily {
            AudioSessions(
                player: player.part, publisher: publisher, clock: ports.clock, board: ports.routes,
                output: ports.speaker, input: ports.microphone, otherAudio: ports.otherAudio,
                service: ports.service, report: report)
        }
        lazySessions = sessions
        let files = Lazily { FileLoads(player.part) }
        lazyFiles = files
        let announcements = Lazily { Announcements(sessions.part) }
        lazyAnnouncements = announcements
        let volumeKeys = VolumeKeys(player: player, sessions: sessions)
        let vibrator =
            Self.serviceMotor(ports, core, configuration, report)
            ?? ports.motor.map { motor in
                Vibrator(
                    motor: motor, clock: ports.clock, in: core, longestOnTime: configuration.longestOnTime
                ) {
                    report(.vibration($0))
                }
            }
        self.vibrator = vibrator
        let sounds = Lazily {
            SystemSoundServices(
                player: player.part, vibrator: vibrator, configuration: configuration.sounds, report: report)
        }
        lazySounds = sounds
        let alerts = Lazily { Alerts(sounds.part) }
        lazyAlerts = alerts
        lazyNotifications = Lazily {
            NotificationSounds(sounds.part, configuration: configuration.notifications)
        }
        let silence: @Sendable () -> Void = {
            quietHours?.close()
            keeper.close()
            // Queues first: nothing may begin another round, or replace a stopped sound.
            announcements.ifMade { $0.clear(because: .closed) }
            files.ifMade { $0.stopAll(because: .closed) }
            alerts.change { $0.close() }
            detector.change { $0.close() }
            sessions.ifMade { $0.close() }
            sounds.ifMade { $0.stopAll(because: .closed) }
            player.ifMade { $0.stopAll(because: .closed) }
        }
        closing = DeviceClosing(
            ports, core, vibrator, keptPosition, silentLight, report: report, silence: silence,
            refuse: { sounds.change { $0.close() } }
        ) { [waits, termination] in
            // For what a driver holds up.
            core.transition {
                vibrator?.giveUp()
                player.ifMade { $0.giveUp() }
                sessions.change { $0.giveUp() }
            }
            waits.close()
            // The ends of sounds reach their subscribers before the streams end.
            core.perform {
                publisher.finish()
                reporter.finish()
            }
            core.flush()
            // Last, so that a signal that arrives meanwhile waits for the end of closing.
            termination.end()
        }
        for problem in ports.problems + [keptPosition?.problem].compactMap(\.self) {
            report(.degraded(problem, at: ports.clock.now))
        }
        let (speakerName, clock) = (ports.speaker.name, ports.clock)
        ports.speaker.reportProblems { report(.degraded($0, at: clock.now)) }
        (clock as? EventLoop)?.onFailure { [weak core, weak reporter] error in
            guard let core, let reporter else { return }
            core.perform { reporter.report(.degraded(error, at: .now)) }
        }
        ports.speaker.follow { publisher.change(.outputFormat($0), from: speakerName, at: clock.now) }
        quietHours?.follow { configuration.preferences }
        do throws(RingerError) {
            ports.service?.follow(
                preferences: { preferences in
                    core.transition { Self.put(preferences, in: player.part, clock, report) }
                },
                sessions: { id, verdict in core.transition { sessions.part.take(verdict, of: id) } },
                activity: { publisher.sessions(are: $0) })
            // The sessions choose the route when jacks come and go.
            if !ports.stateSources.isEmpty { core.transition { _ = sessions.part } }
            for (index, source) in ports.stateSources.enumerated() {
                // The source's name is certain only once it is open, and may change when it comes back.
                try source.start { [weak closing] change in
                    // The motor first; then the switch, before anything sounds.
                    if change == .wokeFromSleep {
                        vibrator?.wakes()
                        ports.ringSilent?.reread()
                        for source in ports.stateSources { source.rereadAfterSleep() }
                        quietHours?.look()
                        keeper.look()
                        announcements.ifMade { $0.wakes() }
                    }
                    if case .buttonPressed(_, let time) = change {
                        let name = source.name
                        return core.transition {
                            // The file of a device that closes is being waited for.
                            if closing?.hasBegun != false { return }
                            keeper.move(change, from: name, index: index, at: time) {
                                if let error = $0 { report(.degraded(error, at: clock.now)) }
                            }
                        }
                    }
                    publisher.change(change, from: source.name, index: index, at: clock.now)
                    // Over the service they are the service's.
                    guard ports.service == nil, let steps = VolumeKeys.steps(of: change) else { return }
                    core.transition { Self.put(volumeKeys.preferences(after: steps), in: player.part, clock, report) }
                }
            }
            if let ringSilent = ports.ringSilent {
                try ringSilent.start { [firstPosition] event in
                    publisher.ringSilent(event, from: ringSilent.name)
                    firstPosition.take(event)
                }
            }
        } catch {
            close()
            throw error
        }
        // Last: a switch whose position is known by now does not make it flash.
        if let silentLight {
            publisher.observeForLight { [weak player, preferences = configuration.preferences] state in
                var preferences = preferences
                player?.ifMade { preferences = $0.preferences }
                silentLight.show(state.position(preferences))
            }
        }
    }

    deinit {
        // In a child of fork the parent uses the hardware. The last reference may go on any thread: none waits.
        if process.isCurrent { closing.begin() }
    }

    private static func serviceMotor(
        _ ports: Ports, _ core: Core, _ configuration: Configuration,
        _ report: @escaping @Sendable (DeviceEvent) -> Void
    ) -> Vibrator? {
        guard let service = ports.service, let name = ports.serviceMotorName else { return nil }
        return Vibrator(
            of: service, name: name, clock: ports.clock, in: core, longestOnTime: configuration.longestOnTime
        ) { report(.vibration($0)) }
    }

    // MARK: - State

    /// The current state.
    public var state: DeviceState { publisher.state }

    /// What the sound hardware granted last.
    package var hardware: HardwareFigures { publisher.hardware }

    /// What owns the hardware, where another process does.
    package var service: (any DeviceService)? { ports.service }

    /// The switch's name, for people; nil if there is none.
    var switchName: String? { ports.ringSilent?.name }

    /// Why the switch cannot be read now, with the repair in its detail; nil while it can be read, while a slider
    /// settles, and without a switch.
    public var switchProblem: RingerError? { publisher.switchProblem }

    /// The current state, then each new one. A slow subscriber may miss states in between, never the newest; ``events``
    /// has every change.
    public var states: DeviceStates { publisher.states }

    /// All events from now on. A subscriber that is more than ``eventBuffer`` events behind loses its oldest ones;
    /// ``lostEvents`` counts them.
    public var events: AsyncStream<DeviceEvent> { reporter.events() }

    /// All events from now on, beginning with the switch's position as if it had just moved there.
    public var eventsFromPosition: AsyncStream<DeviceEvent> {
        // No event comes between the state and the subscription.
        core.read { reporter.events(startingWith: publisher.state.switchMoved) }
    }

    /// How many events all slow subscribers together, and an observer or a log that blocked, have lost.
    public var lostEvents: Int { reporter.lostEvents }

    /// The user's preferences. Setting them stops sounds that they forbid.
    public var preferences: UserPreferences {
        get { player.preferences }
        set { setPreferences(newValue) { _ in } }
    }

    /// Sets the user's preferences. `completion` is called once: over the service when it has kept them, or with why it has not.
    package func setPreferences(
        _ preferences: UserPreferences, completion: @escaping @Sendable (RingerError?) -> Void
    ) {
        do throws(RingerError) {
            try process.check("set the preferences", "device")
        } catch {
            return completion(error)
        }
        core.transition {
            Self.put(preferences, in: player, clock) { [reporter] in reporter.report($0) }
            silentLight?.show(state.position(preferences))
        }
        quietHours?.follow { player.preferences }
        guard let service = ports.service else { return completion(nil) }
        service.setPreferences(preferences, completion: completion)
    }

    private static func put(
        _ preferences: UserPreferences, in player: SoundPlayer, _ clock: any DeviceClock,
        _ report: (DeviceEvent) -> Void
    ) {
        let isNew = player.preferences != preferences
        player.preferences = preferences
        if isNew { report(.preferencesChanged(preferences, at: clock.now)) }
    }

    /// Reads the switch anew, which takes effect before this returns.
    package func rereadSwitch() {
        ports.ringSilent?.reread()
    }

    /// Sets whether the screen is locked, which the firmware knows.
    public func setScreenLocked(_ isLocked: Bool) {
        if !process.isCurrent { return }
        publisher.change(.screenLocked(isLocked), from: "firmware", at: clock.now)
        ports.service?.setScreenLocked(isLocked)
    }

    /// Sets the route that the device's sound takes now.
    public func setRoute(_ route: AudioRoute) {
        if !process.isCurrent { return }
        // The sessions follow the route.
        _ = sessions
        publisher.change(.route(route), from: "firmware", at: clock.now)
    }

    /// Sets the output volume in the mixer, and turns the mixer's playback switch on where the volume is above 0. The state
    /// has the new volume when this returns. The corresponding C function is `snd_mixer_selem_set_playback_volume_all`.
    ///
    /// Over the service it waits for the reply; called on the device's own thread it does not, and a refusal is a
    /// ``DeviceEvent/degraded(_:at:)``.
    ///
    /// - Parameter volume: The volume, 0 to 1; it becomes the nearest of the mixer's steps.
    /// - Throws: ``RingerError``: `invalid` outside of 0 to 1; `unsupported` if the device does not follow a mixer
    ///   (`Device.Hardware.following`), or the mixer has no such element; `notFound` while the card is missing; the driver's
    ///   reason.
    public func setOutputVolume(_ volume: Float) throws(RingerError) {
        try process.check("set the volume", "device")
        guard (0...1).contains(volume) else {
            throw RingerError(.invalid, "set the volume to \(volume)", "output", detail: "a volume is 0 to 1")
        }
        guard let set = ports.setOutputVolume else {
            throw RingerError(.unsupported, "set the volume", "output", detail: "the device follows no mixer")
        }
        try set(volume)
    }

    /// The policy's decision about `request` in the current state.
    public func decide(_ request: SoundRequest) -> Decision {
        RingerPolicy.decide(request, state: state, preferences: preferences)
    }

    func change(_ change: DeviceStateChange, from source: String) {
        publisher.change(change, from: source, at: clock.now)
    }

    func report(_ event: DeviceEvent) {
        reporter.report(event)
    }
}
