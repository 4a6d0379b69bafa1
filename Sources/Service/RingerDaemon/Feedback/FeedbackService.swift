import RingerCore
import RingerBus

/// Serves feedbackd's interface, `org.sigxcpu.Feedback`, so that its clients run unchanged.
///
/// The level of an event is the lowest of the profile, the application's own profile, the event's hint, and what the switch
/// permits; `important` lifts the profile for the applications that the configuration names, and never the switch. It runs
/// on the event loop's thread.
// SAFETY: all state is used on the loop's thread alone, where messages are handled.
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

    private let service: Service
    private var served: BusConnection.Registration?
    private lazy var introspection = Introspection(interfaces)
    private let profile: FeedbackProfile
    /// The calls that set a profile which is being written.
    private let kept: DeferredReplies
    private let haptic: HapticRunner
    private let events: FeedbackEvents

    /// Why the profile that was kept is not known: it counts as silent until one is set. Nil where it is known, or none was kept.
    package var problem: RingerError? { profile.problem }

    private var connection: BusConnection { service.connection }

    /// Feedback by the device of `service`. Called before that starts.
    package init(_ service: Service, _ configuration: Configuration = Configuration()) {
        self.service = service
        profile = FeedbackProfile(configuration)
        kept = DeferredReplies(service.connection)
        haptic = HapticRunner(service, profile)
        events = FeedbackEvents(service, profile, haptic)
    }

    /// Begins to serve, and owns the name. Called on the loop's thread, before the service owns its own.
    ///
    /// - Throws: ``RingerError`` where another process has the name, such as feedbackd.
    package func start() throws(RingerError) {
        try connection.own(FeedbackNames.service)
        served = try connection.serve(FeedbackNames.path) { [unowned self] message in handle(message) }
        service.onForget = { [weak self] client in
            self?.events.forget(client)
            self?.haptic.forget(client)
        }
    }

    /// Ends every event, and waits for a profile that is being written. Called on the loop's thread, once the service has
    /// stopped: what plays and turns does not wait for the disk.
    package func stop() {
        events.stop()
        haptic.end()
        served = nil
        profile.finish()
        kept.answerAll()
    }

    // MARK: - Messages

    private func handle(_ message: BusMessage) -> Bool {
        guard message.isMethodCall else { return false }
        connection.answer(message) {
            guard message.path == FeedbackNames.path else { throw BusError.unknownObject(message.path) }
            try dispatch(message)
        }
        return true
    }

    private var interfaces: [BusInterface] { [.feedback] + (service.device.vibrator == nil ? [] : [.haptic]) }

    private func dispatch(_ message: BusMessage) throws {
        let (_, method) = try message.method(of: interfaces)
        switch method.name {
        case "Introspect": connection.reply(to: message, [.string(introspection.text())])
        case "GetAll":
            let arguments = try message.read()
            let hasProfile = arguments[0].string == FeedbackNames.interface || arguments[0].string == ""
            connection.reply(
                to: message, [.dictionary(hasProfile ? ["Profile": .string(profile.level.rawValue)] : [:])])
        case "Get":
            try checkProperty(try message.read())
            connection.reply(to: message, [.variant(.string(profile.level.rawValue))])
        case "Set":
            do {
                _ = try service.clients.identify(message, .control)
            } catch {
                announceProfile(to: message.sender)
                throw error
            }
            let arguments = try message.read()
            try checkProperty(arguments)
            try setProfile(message, arguments[2].contents)
        case "TriggerFeedback":
            try service.clients.admit(message, .play) { client in
                try events.begin(message, try message.read(), for: client)
            }
        case "EndFeedback":
            let id = try message.read()[0].uint32 ?? 0
            guard id != 0 else { throw BusError.unknownMethod("Method EndFeedback is not implemented") }
            connection.reply(to: message)
            events.end(id, of: message.sender)
        case "Vibrate":
            try service.clients.admit(message, .play) { client in
                vibrate(message, try message.read(), for: client)
            }
        default: throw BusError.unknownMethod(method.name)
        }
    }

    private func checkProperty(_ arguments: [BusValue]) throws {
        guard arguments[0].string == FeedbackNames.interface, arguments[1].string == "Profile" else {
            throw BusError.unknownProperty("\(arguments[0].string ?? "") has no property \(arguments[1].string ?? "")")
        }
    }

    // MARK: - The profile

    private func setProfile(_ message: BusMessage, _ value: BusValue) throws {
        guard let level = value.string.flatMap(FeedbackLevel.init(rawValue:)) else {
            announceProfile(to: message.sender)
            throw BusError.invalidArguments("Profile is one of full, quiet and silent, as a string")
        }
        let isNew = level != profile.level
        // One that is in force already may not have been written.
        profile.set(level, kept.add(message))
        guard isNew else { return }
        events.judgeAnew()
        haptic.judgeAnew()
        announceProfile(to: nil)
    }

    /// Announces the profile in force; to one client that waits for it after a refusal, or to everybody.
    private func announceProfile(to client: String?) {
        connection.signalChanges(
            of: ["Profile": .string(profile.level.rawValue)], FeedbackNames.path, FeedbackNames.interface, to: client)
    }

    // MARK: - The motor

    private func vibrate(_ message: BusMessage, _ arguments: [BusValue], for client: ServiceClient) {
        let (pattern, app) = (HapticPattern(arguments[1]), arguments[0].string ?? "")
        let runs = pattern.isEmpty || haptic.isPermitted(app) && !events.isVibrating
        if runs { haptic.run(pattern, app, for: client) }
        connection.reply(to: message, [.boolean(runs)])
    }
}
