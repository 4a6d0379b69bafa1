import RingerCore
import RingerBus

/// The sessions of clients: objects on the bus, each of which answers its owner alone. It runs on the event loop's thread.
// SAFETY: all state is used on the loop's thread alone, where the tasks below run.
final class ServiceSessions: @unchecked Sendable {
    private static let introspection = Introspection([.session])
    private static let prefix = RingerNames.path + "/session/"

    private let device: Device
    private let connection: BusConnection
    private let clients: ServiceClients
    private let requests: ServiceRequests
    private let publisher: ServicePublisher
    private var sessions: [UInt32: ServiceSession] = [:]
    private var last: UInt32 = 0

    init(
        _ device: Device, _ connection: BusConnection, _ clients: ServiceClients, _ requests: ServiceRequests,
        _ publisher: ServicePublisher
    ) {
        (self.device, self.connection, self.clients) = (device, connection, clients)
        (self.requests, self.publisher) = (requests, publisher)
    }

    /// The paths of a client's sessions, below the service's own.
    func paths(of client: String) -> [String] {
        (clients[client]?.sessions ?? []).sorted().map { "session/\($0)" }
    }

    private func session(at path: String) -> ServiceSession? {
        guard path.hasPrefix(Self.prefix), let number = UInt32(path.dropFirst(Self.prefix.count)),
            let session = sessions[number], session.path == path
        else { return nil }
        return session
    }

    // MARK: - Beginning and ending

    /// Makes a session for a client that `message` asks for, and replies with its path.
    func make(_ message: BusMessage, _ options: BusOptions, for client: ServiceClient) throws {
        var options = options
        let name = try options.string("name") ?? ""
        let category = try options.name("category", of: AudioCategory.self)
        let categoryOptions = try options.categoryOptions() ?? []
        let priority = SessionPriority(rawValue: Int(try options.int32("priority") ?? 0))
        try options.finish()
        guard priority <= .call || clients.allows(client.credentials, .control) else {
            throw BusError.accessDenied(
                "a session of priority \(priority.rawValue) needs the permission to control the device")
        }
        let share = try client.take(.sessions)
        let made =
            category == nil && categoryOptions.isEmpty
            ? device.sessions.make(name: name, priority: priority)
            : try device.sessions.make(
                name: name, category: category ?? .default, options: categoryOptions, priority: priority)
        repeat { last &+= 1 } while sessions[last] != nil
        let session = ServiceSession(made, of: client, share, last, Self.prefix + "\(last)")
        sessions[last] = session
        client.sessions.insert(last)
        let (path, stream, owner) = (session.path, made.events, client.name)
        session.events = Task(executorPreference: connection.loop) { [self] in
            for await event in stream { tell(event, of: path, to: owner) }
        }
        connection.reply(to: message, [.objectPath(session.path)])
    }

    /// Ends the sessions of a client that is no longer known.
    func forget(_ client: ServiceClient) {
        for number in client.sessions { sessions.removeValue(forKey: number)?.events?.cancel() }
        client.sessions = []
    }

    /// Ends every session.
    func stop() {
        for session in sessions.values { session.events?.cancel() }
        sessions = [:]
    }

    private func release(_ target: ServiceSession) {
        let session = target.session
        target.events?.cancel()
        // A request that plays in it keeps the session until its sound has stopped.
        Task(executorPreference: connection.loop) {
            // It fails where the device was closed, which has stopped the sounds.
            try? await session.deactivate()
        }
        sessions[target.number] = nil
        target.owner.sessions.remove(target.number)
    }

    // MARK: - Signals

    /// Publishes what has changed of every session.
    func publish() {
        for session in sessions.values { publish(session) }
    }

    private func publish(_ session: ServiceSession) {
        let (changed, owner) = (session.takeChanges(), session.owner.name)
        if !changed.isEmpty {
            connection.signalChanges(of: changed, session.path, RingerNames.sessionInterface, to: owner)
        }
        if session.takeEndOfRefusal() {
            connection.signal(session.path, RingerNames.sessionInterface, "RefusalEnded", [], to: owner)
        }
    }

    private func tell(_ event: SessionEvent, of path: String, to owner: String) {
        func signal(_ member: String, _ arguments: [BusValue]) {
            connection.signal(path, RingerNames.sessionInterface, member, arguments, to: owner)
        }
        switch event {
        case .interruptionBegan(let cause): signal("InterruptionBegan", [.string("\(cause)")])
        case .interruptionEnded(let shouldResume): signal("InterruptionEnded", [.boolean(shouldResume)])
        case .interruptionDropped: signal("InterruptionEnded", [.boolean(false)])
        case .routeChanged(let change):
            signal(
                "RouteChanged", [.uint32(change.reason.rawValue), .string(change.old.name), .string(change.new.name)])
        case .ducked: signal("Ducked", [.boolean(true)])
        case .unducked: signal("Ducked", [.boolean(false)])
        default: break
        }
        if let session = session(at: path) { publish(session) }
    }

    // MARK: - Calls

    /// Answers a call to the object of a session.
    func answer(_ message: BusMessage) throws {
        guard let target = session(at: message.path) else { throw BusError.unknownObject(message.path) }
        let (interface, method) = try message.method(of: [.session])
        if method.name == "Introspect" {
            return connection.reply(to: message, [.string(Self.introspection.text())])
        }
        guard message.sender == target.owner.name else {
            throw BusError.accessDenied("\(message.path) belongs to another client")
        }
        // Nothing is read of a message whose caller may not begin a request.
        if method.beginsRequest { try target.owner.check(.requests) }
        if interface != nil { return try call(message, try message.read(), of: target) }
        device.sessions.lookForOtherAudio()
        switch try PropertyCall(message, [.session]) {
        case .getAll: connection.reply(to: message, [.dictionary(target.properties)])
        case .get(_, let name): connection.reply(to: message, [.variant(target.value(of: name))])
        case .set(let name, let value):
            try target.set(name, value)
            connection.reply(to: message)
        }
    }

    private func call(_ message: BusMessage, _ arguments: [BusValue], of target: ServiceSession) throws {
        let session = target.session
        switch message.member {
        case "Activate":
            device.sessions.lookForOtherAudio()
            target.isRefused = false
            reply(to: message) {
                try await session.activate()
            } refused: { [self] in
                self.session(at: message.path)?.isRefused = true
                // What refused it may be over already.
                publisher.publishSoon()
            }
        case "Resume":
            let time = arguments[0].uint64 ?? 0
            device.sessions.lookForOtherAudio()
            target.isRefused = false
            reply(to: message) {
                try await session.resume(since: time)
            } values: {
                [.boolean(session.isActive)]
            }
        case "Deactivate":
            target.isRefused = false
            let notifyOthers = arguments[0].boolean ?? true
            reply(to: message) { try await session.deactivate(notifyOthers: notifyOthers) }
        case "SetCategory":
            guard let category = arguments[0].string.flatMap(AudioCategory.init(rawValue:)),
                let options = arguments[1].strings.flatMap({ CategoryOptions(names: $0) })
            else { throw BusError.invalidArguments("SetCategory: there is no such category or option") }
            try session.setCategory(category, options: options)
            connection.reply(to: message)
        case "Release":
            release(target)
            connection.reply(to: message)
        case "Play":
            let sound = try SoundArgument(arguments[0], of: "Play", for: target.owner)
            var options = BusOptions(arguments[1], of: "Play")
            let manner = try MannerOptions(&options)
            try options.finish()
            let sounds = target.owner.sounds
            try requests.begin(message, for: target.owner, hasVolume: true) {
                [device, requests, reads = target.owner.reads] request, share in
                let samples = try await sound.samples(sounds, reads, for: share)
                return try await requests.play(request) { volume, completion in
                    let id = device.player.reserve()
                    session.start(
                        samples, in: manner.manner(of: samples, volume: volume), reserved: id, completion: completion)
                    return id
                }
            }
        default: throw BusError.unknownMethod("\(RingerNames.sessionInterface) has no method \(message.member)")
        }
    }

    /// Replies to a call once `body` has returned, with what `values` are then; `refused` is called after the reply with its
    /// error.
    private func reply(
        to message: BusMessage, _ body: @escaping @Sendable () async throws -> Void,
        values: @escaping @Sendable () -> [BusValue] = { [] }, refused: @escaping @Sendable () -> Void = {}
    ) {
        Task(executorPreference: connection.loop) { [self] in
            do {
                try await body()
                // Who activated the session has what the hardware granted before it goes on.
                publisher.publish()
                connection.reply(to: message, values())
            } catch {
                connection.reply(to: message, BusError(error))
                refused()
            }
        }
    }
}
