import RingerCore
import RingerBus

/// The service: answers the interface `org.ringer.Ringer1` on a bus for one device. It runs on the event loop's thread, and
/// nothing there waits: who a caller is, the bus is asked asynchronously, and files are read on threads of their own.
///
/// A call's caller is admitted by `ServiceClients`; the call is answered by `ServiceMethods`, `ServiceProperties` or, where it is
/// for a session, `ServiceSessions`; what goes on after the reply is run by `ServiceRequests`.
// SAFETY: all state is used on the loop's thread alone, where messages are handled and the tasks below run.
package final class Service: @unchecked Sendable {
    let device: Device
    let loop: EventLoop
    let connection: BusConnection
    let clients: ServiceClients
    let publisher: ServicePublisher
    let light: ServiceLight
    private let requests: ServiceRequests
    private let sessions: ServiceSessions
    private let preferences: ServicePreferences
    private let properties: ServiceProperties
    private let methods: ServiceMethods
    private let board: SimulatedBoardService?
    private let followsLogind: Bool
    private var logind: Logind?
    private var served: BusConnection.Registration?
    private lazy var introspection = Introspection(interfaces)
    private var events: Task<Void, Never>?
    private var isStopped = false
    /// Called with a client that has left the bus, before what it asked for is stopped.
    var onForget: ((ServiceClient) -> Void)?

    /// How many clients it knows.
    package var clientCount: Int { clients.count }
    /// Whether a thread reads its preferences.
    package var isReading: Bool { preferences.isReading }

    /// A service of `device` on `connection`, whose event loop is `loop`.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - loop: The event loop, on whose thread everything runs.
    ///   - connection: The connection to the bus.
    ///   - authorization: Who may do what.
    ///   - budget: How much programs may have at once.
    ///   - preferencesFile: Where preferences that a client sets are kept; nil for nowhere.
    ///   - followsLogind: Whether lock and sleep come from logind, where there is one on the bus.
    ///   - board: The simulated board, where the device is one.
    package init(
        _ device: Device, loop: EventLoop, connection: BusConnection, authorization: Authorization = Authorization(),
        budget: ServiceBudget, preferencesFile: PreferencesFile? = nil, followsLogind: Bool = false,
        board: SimulatedBoardService? = nil
    ) {
        (self.device, self.loop, self.connection) = (device, loop, connection)
        (self.board, self.followsLogind) = (board, followsLogind)
        publisher = ServicePublisher(connection)
        light = ServiceLight(device) { [publisher] in publisher.reportDegraded($0) }
        clients = ServiceClients(device, connection, authorization, budget)
        requests = ServiceRequests(device, connection, clients, publisher)
        sessions = ServiceSessions(device, connection, clients, requests, publisher)
        preferences = ServicePreferences(device, connection, preferencesFile, publisher)
        properties = ServiceProperties(device, connection, requests, preferences, publisher, board)
        methods = ServiceMethods(
            device: device, connection: connection, clients: clients, requests: requests, sessions: sessions,
            light: light,
            kept: DeferredReplies(connection))
    }

    // MARK: - Starting and stopping

    /// Begins to serve, and owns the service's name. Called on the loop's thread.
    ///
    /// - Throws: ``RingerError`` where the bus refuses the name, or another process has it.
    package func start() throws(RingerError) {
        served = try connection.serve(RingerNames.path) { [unowned self] message in handle(message) }
        clients.onForget = { [weak self] in self?.forget($0) }
        properties.start()
        publisher.publishChanges = { [weak self] in
            self?.properties.publish()
            self?.sessions.publish()
        }
        // Sessions follow others that begin and end to play.
        device.sessions.observeSettling { [weak publisher, loop] in
            loop.execute { [weak publisher] in publisher?.publishSoon() }
        }
        preferences.start()
        let stream = device.events
        events = Task(executorPreference: loop) { [self] in
            for await event in stream { note(event) }
        }
        if followsLogind { followLogind() }
        try connection.own(RingerNames.service)
    }

    private func followLogind() {
        logind = Logind(connection, delaysSleep: device.vibrator != nil) { [unowned self] event in
            switch event {
            case .locked(let isLocked): device.setScreenLocked(isLocked)
            case .sleeps: device.prepareForSleep()
            case .woke: device.wokeFromSleep()
            case .inhibitorRefused(let error): publisher.reportDegraded(error)
            }
            publisher.publishSoon()
        }
        properties.logind = logind
    }

    /// Stops every sound and the motor, ends every request, and informs the clients; waits for preferences that are being
    /// written. Called on the loop's thread.
    package func stop() {
        if isStopped { return }
        isStopped = true
        publisher.publishChanges = nil
        device.stopAll()
        requests.stop()
        clients.stop()
        sessions.stop()
        events?.cancel()
        served = nil
        logind = nil
        // Last, since it waits for the disk.
        preferences.stop()
        device.finishKeeping()
        methods.kept.answerAll()
    }

    /// Ends what a client asked for.
    private func forget(_ client: ServiceClient) {
        onForget?(client)
        requests.forget(client)
        sessions.forget(client)
    }

    private func note(_ event: DeviceEvent) {
        if case .degraded(let error, _) = event { publisher.reportDegraded(error) }
        if case .fallback(let fallback, let sound, _) = event, let error = fallback.error {
            if let client = requests.client(ofSound: sound) {
                clients.report(error, to: client)
            } else {
                publisher.reportDegraded(error)
            }
        }
        if case .preferencesChanged = event { preferences.keepChanges() }
        if case .key(let key, let isPressed, let time) = event {
            connection.signal(
                RingerNames.path, RingerNames.interface, "Key",
                [.string(key.rawValue), .boolean(isPressed), .time(time)])
        }
        if case .playback(.started(let time), let sound) = event { requests.started(sound, at: time) }
        publisher.publishSoon()
    }

    // MARK: - Messages

    private func handle(_ message: BusMessage) -> Bool {
        guard message.isMethodCall else { return false }
        // The report of waking may come after the first request.
        if logind?.isAsleep == true { device.rereadSwitch() }
        connection.answer(message) {
            if message.path == RingerNames.path { try dispatch(message) } else { try sessions.answer(message) }
        }
        return true
    }

    /// The interfaces of the main object.
    private var interfaces: [BusInterface] { [.ringer] + (board == nil ? [] : [.simulatedBoard]) }

    /// Answers a call to the main object. Of a message whose caller is not admitted no descriptor is kept.
    private func dispatch(_ message: BusMessage) throws {
        let (interface, method) = try message.method(of: interfaces)
        switch method.name {
        case "Introspect":
            let children = sessions.paths(of: message.sender)
            connection.reply(to: message, [.string(introspection.text(children: children))])
        case "Get", "GetAll": try properties.answer(message, interfaces)
        case "Set":
            _ = try clients.identify(message, .control)
            try properties.answer(message, interfaces)
        case _ where interface?.name == RingerNames.simulatedBoardInterface:
            try board?.call(method.name, try message.read(), isBusy: { [preferences] in preferences.isReading }) {
                [connection] in
                connection.reply(to: message, $0)
            }
        case "Decide": try methods.decide(message, try message.read())
        case "SetPosition", "SetPositionUntil":
            _ = try clients.identify(message, .control)
            try methods.setPosition(message, try message.read())
            properties.publish()
        case "Stop":
            // Those who may not play have nothing to stop.
            let caller = try clients.identify(message, .read)
            try requests.stop(try message.read()[0].uint32 ?? 0, for: message.sender, caller)
            connection.reply(to: message)
        default:
            try clients.admit(message, .play) { client in
                if method.beginsRequest { try client.check(.requests) }
                try methods.call(message, try message.read(), for: client)
            }
        }
    }
}
