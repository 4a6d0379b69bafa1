import RingerHardware
@_exported import RingerServices

/// The device: its switch, its motor, its speaker, and the rules between them.
///
/// Everything flows one way: an edge of the switch becomes a ``DeviceState``; sounds that the state forbids stop at
/// once, then every subscriber is told. Nothing polls; at rest, nothing wakes up.
public final class Device: Sendable {
    /// What the device is made of. ``discover(_:)`` finds these on hardware, ``simulated(_:configuration:)`` takes them
    /// from a simulated board.
    public struct Ports: Sendable {
        /// The device's time.
        public var clock: any DeviceClock
        /// The Ring/Silent switch; nil where there is none, which counts as one at ring. Until its first position it counts
        /// as ``UserPreferences/whenSwitchUnreadable``.
        public var ringSilent: (any RingSilentSwitch)?
        /// The vibration motor; nil where there is none.
        public var motor: (any VibrationMotor)?
        /// The speaker.
        public var speaker: any SoundOutput
        /// The microphone; nil where nobody knows of one.
        public var microphone: (any SoundInput)?
        /// Jacks, volume and the like.
        public var stateSources: [any DeviceStateSource]
        /// The routes that the device has.
        public var routes: RouteBoard
        /// Says whether another process plays, when it is asked; nil where nobody knows.
        public var otherAudio: (@Sendable () -> Bool)?
        /// What could not be had, and why: told as ``DeviceEvent/degraded(_:at:)``.
        public var problems: [RingerError]
        /// Frees what all the ports share, after they were closed.
        public var close: @Sendable () -> Void

        /// The ports of a device.
        public init(
            clock: any DeviceClock, ringSilent: (any RingSilentSwitch)?, motor: (any VibrationMotor)?,
            speaker: any SoundOutput, microphone: (any SoundInput)? = nil,
            stateSources: [any DeviceStateSource] = [],
            routes: RouteBoard = .standard, otherAudio: (@Sendable () -> Bool)? = nil, problems: [RingerError] = [],
            close: @escaping @Sendable () -> Void = {}
        ) {
            self.clock = clock
            self.ringSilent = ringSilent
            self.motor = motor
            self.speaker = speaker
            self.microphone = microphone
            self.stateSources = stateSources
            self.routes = routes
            self.otherAudio = otherAudio
            self.problems = problems
            self.close = close
        }
    }

    /// How many events a subscriber may be behind before the oldest are dropped for it; see ``lostEvents``.
    public static let eventBuffer = 8192

    private let ports: Ports
    private let publisher: StatePublisher
    let reporter: EventReporter
    let firstPosition = FirstPosition()
    private let silencing = Once()
    private let teardown: DeviceTeardown
    let termination = DeviceTermination()
    let waits = DeviceWaits()

    /// The device's time.
    public var clock: any DeviceClock { ports.clock }
    /// What the speaker is, for people.
    public var speakerName: String { ports.speaker.name }
    /// Plays sounds as the policy allows.
    public var player: SoundPlayer { lazyPlayer.part }
    private let lazyPlayer: Lazily<SoundPlayer>
    /// The motor; nil where the device has none.
    public let vibrator: Vibrator?
    /// The audio sessions.
    public var sessions: AudioSessions { lazySessions.part }
    private let lazySessions: Lazily<AudioSessions>
    /// Finds out by timing whether sounds are heard.
    public var muteDetector: MuteDetector { lazyMuteDetector.part }
    private let lazyMuteDetector: Lazily<MuteDetector>
    /// Short sounds by number, registered or predefined.
    public var sounds: SystemSoundServices { lazySounds.part }
    private let lazySounds: Lazily<SystemSoundServices>
    /// Alerts that repeat until somebody answers.
    public var alerts: Alerts { lazyAlerts.part }
    private let lazyAlerts: Lazily<Alerts>
    /// The sounds of notifications.
    public var notifications: NotificationSounds { lazyNotifications.part }
    private let lazyNotifications: Lazily<NotificationSounds>

    /// Announcements, played one after another.
    public var announcements: Announcements { lazyAnnouncements.part }
    private let lazyAnnouncements: Lazily<Announcements>

    /// A device of these ports.
    ///
    /// - Throws: ``RingerError`` where the switch or a state source does not start. The ports are closed then.
    public init(_ ports: Ports, configuration: Configuration = Configuration()) throws(RingerError) {
        let reporter = EventReporter(
            clock: ports.clock, logger: configuration.logger, observer: configuration.observer)
        let report: @Sendable (DeviceEvent) -> Void = { reporter.report($0) }
        let publisher = StatePublisher(hasSwitch: ports.ringSilent != nil, report: report)
        self.ports = ports
        self.reporter = reporter
        self.publisher = publisher
        teardown = DeviceTeardown(ports: ports, waits: waits, publisher: publisher, reporter: reporter)
        let player = Lazily {
            let player = SoundPlayer(output: ports.speaker, clock: ports.clock, publisher: publisher, report: report)
            player.preferences = configuration.preferences
            return player
        }
        lazyPlayer = player
        lazyMuteDetector = Lazily {
            MuteDetector(
                player: player.part, publisher: publisher, clock: ports.clock, configuration: configuration.detector,
                report: report)
        }
        let sessions = Lazily {
            AudioSessions(
                player: player.part, publisher: publisher, clock: ports.clock, board: ports.routes,
                output: ports.speaker, input: ports.microphone, otherAudio: ports.otherAudio, report: report)
        }
        lazySessions = sessions
        lazyAnnouncements = Lazily { Announcements(sessions.part) }
        let vibrator = ports.motor.map { motor in
            Vibrator(motor: motor, clock: ports.clock, longestOnTime: configuration.longestOnTime) {
                report(.vibration($0))
            }
        }
        self.vibrator = vibrator
        let sounds = Lazily {
            SystemSoundServices(
                player: player.part, vibrator: vibrator, clock: ports.clock, configuration: configuration.sounds,
                report: report)
        }
        lazySounds = sounds
        lazyAlerts = Lazily { Alerts(sounds.part) }
        lazyNotifications = Lazily {
            NotificationSounds(sounds.part, configuration: configuration.notifications)
        }
        for problem in ports.problems { report(.degraded(problem, at: ports.clock.now)) }
        let (speakerName, clock) = (ports.speaker.name, ports.clock)
        ports.speaker.reportProblems { report(.degraded($0, at: clock.now)) }
        ports.speaker.follow { publisher.change(.outputFormat($0), from: speakerName, at: clock.now) }
        do throws(RingerError) {
            // Where jacks come and go, the sessions know what that means for the route.
            if !ports.stateSources.isEmpty { _ = sessions.part }
            for source in ports.stateSources {
                // What it is, is known for certain only once it is open, and may change when it comes back.
                try source.start { publisher.change($0, from: source.name, at: clock.now) }
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
    }

    deinit {
        close()
    }

    // MARK: - State

    /// The state now.
    public var state: DeviceState { publisher.state }

    /// What the switch is, for people; nil where there is none.
    var switchName: String? { ports.ringSilent?.name }

    /// Why the switch cannot be read now, and in its detail what mends it; nil while it can be read, while a slider settles,
    /// and without a switch.
    public var switchProblem: RingerError? { publisher.switchProblem }

    /// The states from now on, the current one first. A subscriber that is slow misses states in between, never the
    /// newest; one that must miss nothing reads ``events``.
    public var states: DeviceStates { publisher.states }

    /// Everything that happens from now on. A subscriber that is more than ``eventBuffer`` events behind loses the
    /// oldest of them; ``lostEvents`` counts those.
    public var events: AsyncStream<DeviceEvent> { reporter.events }

    /// Everything that happens from now on, with the position of the switch first, as if it had just moved there.
    public var eventsFromPosition: AsyncStream<DeviceEvent> { reporter.eventsFromPosition }

    /// How many events were lost in all because subscribers were slow.
    public var lostEvents: Int { reporter.lostEvents }

    /// What the user chose. Setting it stops sounds that it forbids.
    public var preferences: UserPreferences {
        get { player.preferences }
        set { player.preferences = newValue }
    }

    /// Tells the device that its screen was locked, or unlocked.
    public func setScreenLocked(_ isLocked: Bool) {
        publisher.change(.screenLocked(isLocked), from: "firmware", at: clock.now)
    }

    /// Tells the device where sound leaves it now.
    public func setRoute(_ route: AudioRoute) {
        // The sessions follow the route.
        _ = sessions
        publisher.change(.route(route), from: "firmware", at: clock.now)
    }

    /// What becomes of `request` now.
    public func decide(_ request: SoundRequest) -> Decision {
        RingerPolicy.decide(request, state: state, preferences: preferences)
    }

    // MARK: - Sound and vibration

    /// Plays a sound file in a category, and returns its outcome. Cancelling the task stops it.
    ///
    /// It plays in the device's own session of that category and options, which is active meanwhile: others are
    /// interrupted, ducked or played beside as ``AudioSession/activate()`` says, and resume afterwards. The device's own
    /// sessions mix with each other. Refused for the sake of a session of a higher priority, the sound ends as silenced by
    /// ``Decision/Reason/sessionPriority``; interrupted, by ``Decision/Reason/interruption``. In
    /// ``AudioCategory/audioProcessing`` it fails with ``RingerError/Code/incompatibleCategory``.
    ///
    /// The file is read and decoded on a thread of its own, so that a slow one delays no edge of the switch where the
    /// caller runs on the device's thread.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - category: The purpose of the sound, which says whether the switch silences it.
    ///   - options: The category's options.
    /// - Returns: The outcome, and when.
    /// - Throws: ``RingerError`` where the file cannot be read or is no sound, or the category does not allow an option.
    public func play(
        _ path: String, category: AudioCategory = .default, options: CategoryOptions = []
    ) async throws(RingerError) -> SoundResult {
        try await play(try await SoundLoader.loadElsewhere(path), category: category, options: options)
    }

    /// Plays a sound in a category, as ``play(_:category:options:)`` does with a file.
    ///
    /// - Throws: ``RingerError`` where the category does not allow an option.
    public func play(
        _ sound: PCMBuffer, category: AudioCategory = .default, options: CategoryOptions = []
    ) async throws(RingerError) -> SoundResult {
        let number = player.reserve()
        try Self.check(category, options)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                sessions.playOwn(sound, reserved: number, as: category, options) { continuation.resume(returning: $0) }
                // The task may have been cancelled before there was anything to stop.
                if Task.isCancelled { player.stop(number) }
            }
        } onCancel: {
            player.stop(number)
        }
    }

    /// Begins to play a sound in a category, as ``play(_:category:options:)`` does, and returns at once.
    ///
    /// - Parameters:
    ///   - sound: The sound.
    ///   - category: The purpose of the sound.
    ///   - options: The category's options.
    ///   - completion: Called once, with the outcome: on the caller's thread before the call returns where that is known by
    ///     then, else on the callback thread (``DeviceClock/callBack(_:)``).
    /// - Returns: The sound; ``SoundPlayer/stop(_:because:)`` stops it.
    /// - Throws: ``RingerError`` where the category does not allow an option.
    @discardableResult
    public func start(
        _ sound: PCMBuffer, category: AudioCategory = .default, options: CategoryOptions = [],
        completion: (@Sendable (SoundResult) -> Void)? = nil
    ) throws(RingerError) -> SoundPlayer.ID {
        try Self.check(category, options)
        let number = player.reserve()
        guard let completion else {
            sessions.playOwn(sound, reserved: number, as: category, options) { _ in }
            return number
        }
        let user = UserCompletion(clock, completion)
        sessions.playOwn(sound, reserved: number, as: category, options) { user.complete($0) }
        user.callReturns()
        return number
    }

    private static func check(_ category: AudioCategory, _ options: CategoryOptions) throws(RingerError) {
        guard category.allowedOptions.isSuperset(of: options) else {
            throw RingerError(
                .invalid, "play with options \(options.rawValue)", "category \(category.rawValue)",
                detail: "the category does not allow them")
        }
    }

    /// Turns the motor in `pattern`, and tells how it ended. No setting holds a vibration back. Cancelling the task stops
    /// it.
    ///
    /// - Parameter pattern: The turns and rests.
    /// - Returns: How it ended; failed where the device has no motor.
    public func vibrate(_ pattern: VibrationPattern = .standard) async -> VibrationEnd {
        guard let vibrator else {
            return .failed(RingerError(.notFound, "vibrate", "vibration motor", detail: "the device has none"))
        }
        return await vibrator.vibrate(pattern)
    }

    /// Stops every sound and the motor, at once.
    public func stopAll() {
        lazyAnnouncements.ifMade { $0.clear() }
        lazyAlerts.ifMade { $0.stop() }
        lazySounds.ifMade { $0.stopAll() }
        vibrator?.stop()
        lazyPlayer.ifMade { $0.stopAll() }
    }

    /// Stops every sound, and has the speaker close its PCMs. `completion` is called once they are closed.
    func releaseOutput(_ completion: @escaping @Sendable () -> Void) {
        // Nothing must begin another round, or take the place of what is being stopped. A paused queue begins nothing.
        lazyAnnouncements.ifMade { if !$0.isPaused { $0.clear(because: .outputReleased) } }
        lazyAlerts.ifMade { $0.stop(because: .outputReleased) }
        lazySounds.ifMade { $0.stopAll(because: .outputReleased) }
        lazyPlayer.ifMade { $0.stopAll(because: .outputReleased) }
        ports.speaker.release(stoppingSounds: true, completion: completion)
    }

    // MARK: - Life

    /// Stops everything and frees it: the motor first. It returns when all is closed, whichever call began it; a call from
    /// within another one, on the same thread, returns at once.
    public func close() {
        silencing.run { silence() }
        if let loop = clock as? EventLoop {
            // A thread that waited for the loop's would wait for ever where the loop's thread closes the device too: so the
            // loop's thread is the only one that tears down.
            loop.sync { [teardown] in teardown.run() }
        } else {
            teardown.run()
        }
        // Last: a signal that comes meanwhile waits for the end of closing.
        termination.end()
    }

    /// Stops the motor and all sounds. It does not wait for the device's thread, which may be busy.
    private func silence() {
        // Nothing must begin another round, or take the place of what is being stopped.
        lazyAnnouncements.ifMade { $0.clear(because: .closed) }
        lazyAlerts.ifMade { $0.stop(because: .closed) }
        lazySounds.change { $0.close() }
        lazySessions.ifMade { $0.close() }
        do throws(RingerError) {
            try vibrator?.close()
        } catch {
            reporter.report(.vibration(.offFailed(error, attempt: 1, at: clock.now)))
        }
        lazySounds.ifMade { $0.stopAll(because: .closed) }
        lazyPlayer.ifMade { $0.stopAll(because: .closed) }
    }
}

/// What a closed device frees, once. The device itself is no part of it: it may be going.
private final class DeviceTeardown: Sendable {
    private let ports: Device.Ports
    private let waits: DeviceWaits
    private let publisher: StatePublisher
    private let reporter: EventReporter
    private let once = Once()

    init(ports: Device.Ports, waits: DeviceWaits, publisher: StatePublisher, reporter: EventReporter) {
        self.ports = ports
        self.waits = waits
        self.publisher = publisher
        self.reporter = reporter
    }

    func run() {
        once.run {
            ports.ringSilent?.close()
            for source in ports.stateSources { source.close() }
            ports.speaker.close()
            ports.close()
            waits.close()
            publisher.finish()
            reporter.finish()
        }
    }
}
