import Ringer
import RingerBus

/// Serves feedbackd's interface, `org.sigxcpu.Feedback`, so that its clients run unchanged.
///
/// The level of an event is the lowest of the profile, the application's own profile, the event's hint, and what the switch
/// permits; `important` lifts the profile for the applications that the configuration names, and never the switch.
// SAFETY: all state is used on the loop's thread alone, where messages are handled and the tasks below run.
package final class FeedbackService: @unchecked Sendable {
    /// What the configuration says of feedback.
    package struct Configuration: Sendable {
        /// The applications whose important events ignore the profile.
        package var important: Set<String> = [
            "mobi.phosh.Stevia", "org.sigxcpu.FbdAlertSlider", "org.gnome.clocks", "sm.puri.OSK0",
        ]
        /// The profiles of applications; each can only lower.
        package var profiles: [String: FeedbackLevel] = [:]
        /// The file that keeps the profile; nil where it is not kept.
        package var profileFile: String?

        package init() {}
    }

    /// Why an event's feedback ended, as libfeedback knows it.
    private enum Reason: UInt32 {
        case natural = 0
        case explicit = 2
        case notFound = 4_294_967_295
    }

    /// An event whose feedback is given.
    // SAFETY: used on the loop's thread alone.
    private final class Running: @unchecked Sendable {
        let id: UInt32
        let client: String
        let app: String
        let event: FeedbackEvent
        let hints: Hints
        let timeout: Int32
        var sound: SoundPlayer.ID?
        var vibration: Vibrator.ID?
        var light: ServiceLight.Token?
        var timer: (any DeviceTimer)?
        /// What gives it.
        var task: Task<Void, Never>?
        /// Whether the motor has turned for it.
        var hasTurned = false
        var isOver = false

        init(_ id: UInt32, _ client: String, _ app: String, _ event: FeedbackEvent, _ hints: Hints, _ timeout: Int32) {
            self.id = id
            self.client = client
            self.app = app
            self.event = event
            self.hints = hints
            self.timeout = timeout
        }

        /// Whether it is given again and again.
        var repeats: Bool { timeout >= 0 }

        /// Whether it ends with its caller: what plays once is played to its end, but a light has none.
        var endsWithCaller: Bool { repeats || light != nil }
    }

    /// The hints of an event; those of another type are ignored, as unknown ones are.
    private struct Hints {
        /// The level that the event has at most; nil where the hint names none that is known.
        var level: FeedbackLevel? = .full
        var isImportant = false
        var soundFile: String?

        init(_ values: [String: BusValue]) {
            if let name = values["profile"]?.string { level = FeedbackLevel(rawValue: name) }
            isImportant = values["important"]?.boolean ?? false
            soundFile = values["sound-file"]?.string
        }
    }

    private let service: Service
    private let configuration: Configuration
    private var served: BusConnection.Registration?
    private lazy var introspection = Introspection(interfaces)
    private(set) var profile = FeedbackLevel.full
    /// Why the profile that was kept is not known: it counts as silent until one is set. Nil where it is known, or none was kept.
    package let problem: RingerError?
    private var running: [UInt32: Running] = [:]
    private var lastID: UInt32 = 0
    /// The pattern that a caller of Haptic runs, and who it is.
    private var haptic: (client: String, app: String, task: Task<Void, Never>)?
    /// Keeps the profile; nil where it is not kept.
    private let profileFile: TextFileWriter?

    /// From the end of an event's vibration to its next one: without a rest, the rounds of a loop would be one long turn.
    private static let rest = Duration.milliseconds(500)
    /// From the beginning of a loop's round to the next one, at least: a round may be silenced at once, or have an empty file.
    private static let shortestRound = Duration.milliseconds(50)

    private var device: Device { service.device }
    private var connection: BusConnection { service.connection }

    /// Feedback by the device of `service`. Called before that starts.
    package init(_ service: Service, _ configuration: Configuration = Configuration()) {
        self.service = service
        self.configuration = configuration
        profileFile = configuration.profileFile.map { TextFileWriter(path: $0) }
        var problem: RingerError?
        do throws(RingerError) {
            if let file = configuration.profileFile { profile = try Self.profile(in: file) }
        } catch {
            // It may have been silent.
            if error.code != .notFound { (profile, problem) = (.silent, error) }
        }
        self.problem = problem
    }

    private static func profile(in file: String) throws(RingerError) -> FeedbackLevel {
        let line = try TextFile.read(file).split(separator: "\n").first ?? ""
        guard let level = FeedbackLevel(rawValue: String(line)) else {
            throw RingerError(.invalid, "read", file, detail: "its first line is not full, quiet or silent")
        }
        return level
    }

    /// Begins to serve, and owns the name. Called on the loop's thread, before the service owns its own.
    ///
    /// - Throws: ``RingerError`` where another process has the name, such as feedbackd.
    package func start() throws(RingerError) {
        try connection.own(FeedbackNames.service)
        served = try connection.serve(FeedbackNames.path) { [unowned self] message in handle(message) }
        service.onForget = { [unowned self] client in forget(client.name) }
    }

    /// Ends every event, and waits for a profile that is being written. Called on the loop's thread, once the service has
    /// stopped: what plays and turns does not wait for the disk.
    package func stop() {
        for id in running.keys.sorted() { end(id, .explicit) }
        endHaptic()
        served = nil
        profileFile?.finish()
    }

    // MARK: - Messages

    private func handle(_ message: BusMessage) -> Bool {
        guard message.isMethodCall else { return false }
        do throws(BusError) {
            guard message.path == FeedbackNames.path else { throw .unknownObject(message.path) }
            try dispatch(message)
        } catch {
            connection.reply(to: message, error)
        }
        return true
    }

    private var interfaces: [BusInterface] { [.feedback] + (device.vibrator == nil ? [] : [.haptic]) }

    private func dispatch(_ message: BusMessage) throws(BusError) {
        let (interface, member) = (message.interface, message.member)
        let native = interfaces.first { ($0.name == interface || interface.isEmpty) && $0.method(member) != nil }
        let standard = [BusInterface.introspectable, BusInterface.properties].first { name in
            (name == interface || interface.isEmpty) && BusInterface.standardMethod(name, member) != nil
        }
        guard let method = native?.method(member) ?? standard.flatMap({ BusInterface.standardMethod($0, member) })
        else {
            throw .unknownMethod("\(interface) has no method \(member) on \(message.path)")
        }
        guard message.signature == method.signature else {
            throw .invalidArguments("\(member) takes (\(method.signature)), not (\(message.signature))")
        }
        // Nothing is read of a message before its caller is admitted, unless everybody may call it.
        switch member {
        case "Introspect": connection.reply(to: message, [.string(introspection.text())])
        case "GetAll":
            let arguments = try message.read()
            let hasProfile = arguments[0].string == FeedbackNames.interface || arguments[0].string == ""
            connection.reply(to: message, [.dictionary(hasProfile ? ["Profile": .string(profile.rawValue)] : [:])])
        case "Get":
            try checkProperty(try message.read())
            connection.reply(to: message, [.variant(.string(profile.rawValue))])
        case "Set":
            let sender = message.sender
            service.clients.identify(message, .control, refused: { [self] in announceProfile(to: sender) }) {
                [self] _ throws(BusError) in
                let arguments = try message.read()
                try checkProperty(arguments)
                try setProfile(message, arguments[2].contents)
            }
        case "TriggerFeedback":
            service.clients.admit(message, .play) { [self] client throws(BusError) in
                try trigger(message, try message.read(), for: client)
            }
        case "EndFeedback":
            let id = try message.read()[0].uint32 ?? 0
            guard id != 0 else { throw .unknownMethod("Method EndFeedback is not implemented") }
            connection.reply(to: message)
            // Nobody ends the event of another.
            if running[id]?.client == message.sender { end(id, .explicit) }
        case "Vibrate":
            service.clients.admit(message, .play) { [self] client throws(BusError) in
                vibrate(message, try message.read(), for: client)
            }
        default: throw .unknownMethod(member)
        }
    }

    private func checkProperty(_ arguments: [BusValue]) throws(BusError) {
        guard arguments[0].string == FeedbackNames.interface, arguments[1].string == "Profile" else {
            throw .unknownProperty("\(arguments[0].string ?? "") has no property \(arguments[1].string ?? "")")
        }
    }

    // MARK: - The profile

    private func setProfile(_ message: BusMessage, _ value: BusValue) throws(BusError) {
        guard let level = value.string.flatMap(FeedbackLevel.init(rawValue:)) else {
            announceProfile(to: message.sender)
            throw .invalidArguments("Profile is one of full, quiet and silent, as a string")
        }
        connection.reply(to: message)
        guard level != profile else { return }
        profile = level
        for id in running.keys.sorted() { judgeAnew(id) }
        if let haptic, !mayVibrate(haptic.app) { endHaptic() }
        announceProfile(to: nil)
        keep(level)
    }

    /// Announces the profile in force; to one client that waits for it after a refusal, or to everybody.
    private func announceProfile(to client: String?) {
        connection.signal(
            FeedbackNames.path, BusInterface.properties, "PropertiesChanged",
            [
                .string(FeedbackNames.interface), .dictionary(["Profile": .string(profile.rawValue)]), .strings([]),
            ], to: client)
    }

    private func keep(_ level: FeedbackLevel) {
        let (loop, service) = (service.loop, service)
        profileFile?.write(level.rawValue + "\n") { error in
            if let error { loop.execute { service.publisher.reportDegraded(error) } }
        }
    }

    /// The level of an event now, as profiles and hints say. What the switch permits is the policy's to say.
    private func level(_ app: String, _ hints: Hints) -> FeedbackLevel {
        let ignoresProfile = hints.isImportant && configuration.important.contains(app)
        return min(
            ignoresProfile ? .full : profile, min(hints.level ?? .silent, configuration.profiles[app] ?? .full))
    }

    // MARK: - Events

    private func trigger(
        _ message: BusMessage, _ arguments: [BusValue], for client: ServiceClient
    ) throws(BusError) {
        let (app, name) = (arguments[0].string ?? "", arguments[1].string ?? "")
        guard !app.isEmpty, !name.isEmpty else {
            throw .invalidArguments("TriggerFeedback: \(app.isEmpty ? "the app_id" : "the event") is empty")
        }
        let hints = Hints(arguments[2].dictionary ?? [:])
        let timeout = max(arguments[3].int32 ?? -1, -1)
        guard running.values.count(where: { $0.client == client.name }) < service.clients.limits.requests else {
            throw .limitsExceeded("\(service.clients.limits.requests) events of this client run already")
        }
        repeat { lastID = lastID == .max ? 1 : lastID + 1 } while running[lastID] != nil
        let id = lastID
        // libfeedback knows an event by the reply's number: its end must come after it.
        connection.reply(to: message, [.uint32(id)])
        let known = FeedbackEvent.named[name]
        let event = Running(id, client.name, app, known ?? .unknown, hints, timeout)
        let hasLight = event.event.light != nil && device.statusLight != nil
        guard known != nil || hints.soundFile != nil, hints.level != nil,
            hasLight || parts(of: event) != (false, false)
        else {
            return ended(event, .notFound)
        }
        running[id] = event
        event.task = Task(executorPreference: service.loop) { [self] in await give(event) }
    }

    /// What of an event is given now: its sound, its vibration.
    private func parts(of event: Running) -> (sound: Bool, vibration: Bool) {
        let level = level(event.app, event.hints)
        let (hasSound, hasVibration) = (
            event.event.sound != nil || event.hints.soundFile != nil,
            event.event.vibration != nil && device.vibrator != nil
        )
        return (
            level == .full && hasSound && device.decide(event.event.kind).isHeard,
            level >= .quiet && hasVibration && device.decide(.alert).vibrates
        )
    }

    /// Gives an event's feedback until it is over.
    private func give(_ event: Running) async {
        guard !event.isOver else { return }
        if let pattern = event.event.light, device.statusLight != nil {
            do throws(RingerError) {
                event.light = try service.light.push(pattern)
            } catch {
                service.publisher.reportDegraded(error)
            }
        }
        if event.timeout > 0 {
            event.timer = device.clock.schedule(at: device.clock.now + .seconds(Int(event.timeout))) { [self] in
                service.loop.execute { [self] in end(event.id, .natural) }
            }
        }
        var samples: PCMBuffer?
        while !event.isOver {
            let began = device.clock.now
            let (isHeard, isFelt) = parts(of: event)
            // A light alone lasts until the event is ended.
            if event.light != nil && !isHeard && !isFelt { return }
            // The profile or the switch forbid all that is left.
            if !isHeard && !isFelt { return end(event.id, .explicit) }
            if isHeard && samples == nil {
                samples = await load(event)
                if samples == nil { return end(event.id, .natural) }
                // The profile may have been lowered meanwhile.
                continue
            }
            async let felt = isFelt ? turn(event) : false
            let heard = isHeard ? await play(samples, of: event) : false
            let wasGiven = await felt || heard
            // What could not be given would fail for ever.
            if !event.repeats || !wasGiven { return end(event.id, .natural) }
            if device.clock.now - began < Self.shortestRound {
                // It fails where the event has ended.
                try? await device.sleep(until: began + Self.shortestRound)
            }
        }
    }

    /// The samples of an event's sound; nil where there are none that can be read.
    private func load(_ event: Running) async -> PCMBuffer? {
        if let file = event.hints.soundFile { return try? await service.reads.load(file) }
        return event.event.sound.flatMap { try? device.sounds.samples(of: $0) }
    }

    /// Plays an event's sound once; returns whether it was heard to its end.
    private func play(_ samples: PCMBuffer?, of event: Running) async -> Bool {
        guard let samples, !event.isOver else { return false }
        let result: SoundResult = await withCheckedContinuation { continuation in
            event.sound = device.player.startOutsideSessions(samples, as: event.event.kind) {
                continuation.resume(returning: $0)
            }
        }
        event.sound = nil
        if case .silenced = result.outcome { return true }
        return result.outcome == .finished
    }

    /// Turns the motor in an event's pattern once, and rests where another round follows. The first round replaces what runs;
    /// later ones leave the motor to the vibrations of other events. Returns whether another round may follow.
    private func turn(_ event: Running) async -> Bool {
        guard let vibrator = device.vibrator, let pattern = event.event.vibration, !event.isOver else { return false }
        var end = VibrationEnd.replaced
        if !event.hasTurned || !isVibrating {
            event.hasTurned = true
            endHaptic()
            end = await withCheckedContinuation { continuation in
                event.vibration = vibrator.start(pattern) { continuation.resume(returning: $0) }
            }
            event.vibration = nil
        }
        guard event.repeats else { return false }
        var rest = Self.rest
        switch end {
        case .finished, .limited: break
        // Two loops that replaced each other at once would do nothing else. The other rests in time.
        case .replaced where isVibrating: rest = Self.rest / 2
        // What replaced it is not an event's, and its end is not known.
        case .replaced: rest += pattern.duration ?? .zero
        case .stopped, .failed: return false
        }
        do {
            try await device.sleep(for: rest)
            return true
        } catch {
            // The event has ended, or the device is closed.
            return false
        }
    }

    /// Stops what the profile no longer permits of an event.
    private func judgeAnew(_ id: UInt32) {
        guard let event = running[id] else { return }
        let (isHeard, isFelt) = parts(of: event)
        if event.light != nil { return }
        if !isHeard && !isFelt { return end(id, .explicit) }
        if !isHeard, let sound = event.sound { device.player.stop(sound) }
        if !isFelt, let vibration = event.vibration { device.vibrator?.stop(vibration) }
    }

    private func end(_ id: UInt32, _ reason: Reason) {
        guard let event = running.removeValue(forKey: id) else { return }
        event.isOver = true
        event.task?.cancel()
        event.timer?.cancel()
        if let sound = event.sound { device.player.stop(sound) }
        if let vibration = event.vibration { device.vibrator?.stop(vibration) }
        if let light = event.light {
            do throws(RingerError) {
                try service.light.pop(light)
            } catch {
                service.publisher.reportDegraded(error)
            }
        }
        ended(event, reason)
    }

    private func ended(_ event: Running, _ reason: Reason) {
        connection.signal(
            FeedbackNames.path, FeedbackNames.interface, "FeedbackEnded",
            [.uint32(event.id), .uint32(reason.rawValue)], to: event.client)
    }

    /// A client has left the bus: what repeats ends, and what plays once plays out. Of all that plays out so, no more is kept
    /// than one client may have: the newest.
    private func forget(_ client: String) {
        for event in running.values where event.client == client && event.endsWithCaller { end(event.id, .explicit) }
        let left = running.filter { service.clients[$0.value.client] == nil }.keys.sorted()
        for id in left.dropLast(service.clients.limits.requests) { end(id, .explicit) }
        if haptic?.client == client { endHaptic() }
    }

    // MARK: - The motor

    /// Whether the motor turns for an event.
    private var isVibrating: Bool { running.values.contains { $0.vibration != nil } }

    /// Whether the profiles and the policy permit an application's pattern now.
    private func mayVibrate(_ app: String) -> Bool {
        level(app, Hints([:])) >= .quiet && device.decide(.alert).vibrates
    }

    private func endHaptic() {
        haptic?.task.cancel()
        haptic = nil
    }

    private func vibrate(_ message: BusMessage, _ arguments: [BusValue], for client: ServiceClient) {
        let pattern = HapticPattern(arguments[1])
        let app = arguments[0].string ?? ""
        guard pattern.isEmpty || mayVibrate(app) && !isVibrating else {
            return connection.reply(to: message, [.boolean(false)])
        }
        endHaptic()
        if !pattern.isEmpty {
            let task = Task(executorPreference: service.loop) { [self] in
                await pattern.run(on: device) { [self] in mayVibrate(app) }
            }
            haptic = (client.name, app, task)
        }
        connection.reply(to: message, [.boolean(true)])
    }
}
