import Glibc
import Ringer
import RingerBus
import RingerHardware
import Synchronization

/// The service: answers the interface `org.ringer.Ringer1` on a bus for one device.
///
/// Everything runs on the event loop's thread, and nothing there waits: who a caller is, the bus is asked asynchronously, and
/// files are read on threads of their own.
// SAFETY: all state is used on the loop's thread alone, where messages are handled and the tasks below run.
package final class Service: @unchecked Sendable {
    /// How much clients may ask for at once.
    package struct Limits: Sendable {
        /// Clients on the bus. Each one costs the service a match rule, of which a bus grants 512 to a connection.
        package var clients = 64
        /// Of these, programs that may only read: everybody may be one, and they leave room for those that may play.
        package var readers = 16
        /// Requests of one client that have not ended.
        package var requests = 16
        /// Sessions of one client.
        package var sessions = 32

        package init() {}
    }

    private struct Request {
        var client: String
        var member: String
        var task: Task<Void, Never>?
        /// The sound that it plays, where it plays one as a kind of sound or in a session.
        var sound: SoundPlayer.ID?
        /// Whether it goes on when its client leaves the bus.
        var outlivesClient = false
        /// Continues an announcement that waits for its turn.
        var turn: CheckedContinuation<Void, Never>?
    }

    let device: Device
    let loop: EventLoop
    let connection: BusConnection
    private let board: SimulatedBoardService?
    private let preferencesFile: PreferencesFile?
    private let followsLogind: Bool
    private var logind: Logind?
    private let authorization: Authorization
    let limits: Limits
    private(set) lazy var light = ServiceLight(device) { [unowned self] in reportDegraded($0) }
    private var served: BusConnection.Registration?
    private lazy var introspection = Introspection(natives)
    private static let sessionIntrospection = Introspection([.session])
    private(set) var clients: [String: ServiceClient] = [:]
    /// The calls of programs of which the bus has yet to say who they are, in the order in which they came.
    private var waiting: [String: [(Authorization.Credentials?) -> Void]] = [:]
    /// How many clients it knows.
    package var clientCount: Int { clients.count }
    private var requests: [UInt32: Request] = [:]
    /// The requests of the sounds that play, by the sound's number.
    private var playing: [UInt64: UInt32] = [:]
    /// The announcements that are not in the queue yet, in the order of their calls.
    private var arriving: [UInt32] = []
    private var lastRequest: UInt32 = 0
    private var lastSession: UInt32 = 0
    /// The properties as they were published last.
    private var published: [String: BusValue] = [:]
    private var isPublishDue = false
    private var events: Task<Void, Never>?
    private var isStopped = false
    /// Called with the name of a client that has left the bus.
    var onForget: ((String) -> Void)?
    /// What clients have set of the preferences while their file could not be read; nil where it was read.
    private var setUnread: [String: BusValue]?
    /// The calls that set preferences which are being written.
    private var keeping: [Int: Kept] = [:]
    private var lastKept = 0
    /// The files that threads of their own read now.
    private var reading = 0
    /// Whether such a thread is at work.
    package var isReading: Bool { reading > 0 }

    /// A service of `device` on `connection`, whose event loop is `loop`.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - loop: The event loop, on whose thread everything runs.
    ///   - connection: The connection to the bus.
    ///   - authorization: Who may do what.
    ///   - limits: How much clients may ask for at once.
    ///   - preferencesFile: Where preferences that a client sets are kept; nil for nowhere.
    ///   - followsLogind: Whether lock and sleep come from logind, where there is one on the bus.
    ///   - board: The simulated board, where the device is one.
    package init(
        _ device: Device, loop: EventLoop, connection: BusConnection, authorization: Authorization = Authorization(),
        limits: Limits = Limits(), preferencesFile: PreferencesFile? = nil, followsLogind: Bool = false,
        board: SimulatedBoardService? = nil
    ) {
        self.device = device
        self.loop = loop
        self.connection = connection
        self.board = board
        self.preferencesFile = preferencesFile
        self.followsLogind = followsLogind
        self.authorization = authorization
        self.limits = limits
    }

    // MARK: - Starting and stopping

    /// Begins to serve, and owns the service's name. Called on the loop's thread.
    ///
    /// - Throws: ``RingerError`` where the bus refuses the name, or another process has it.
    package func start() throws(RingerError) {
        served = try connection.serve(RingerNames.path) { [unowned self] message in handle(message) }
        published = properties()
        // Sessions follow others that begin and end to play.
        device.sessions.observeSettling { [weak self] in
            guard let self else { return }
            loop.execute { [weak self] in self?.publishSoon() }
        }
        if preferencesFile?.unreadable != nil {
            setUnread = [:]
            readPreferences(after: .seconds(1))
        }
        let stream = device.events
        events = Task(executorPreference: loop) { [self] in
            for await event in stream { note(event) }
        }
        if followsLogind {
            logind = Logind(connection, delaysSleep: device.vibrator != nil) { [unowned self] event in
                switch event {
                case .locked(let isLocked): device.setScreenLocked(isLocked)
                case .sleeps: device.prepareForSleep()
                case .woke: device.wokeFromSleep()
                case .inhibitorRefused(let error): reportDegraded(error)
                }
                publishSoon()
            }
        }
        try connection.own(RingerNames.service)
    }

    /// Stops every sound and the motor, ends every request, and informs the clients; waits for preferences that are being
    /// written. Called on the loop's thread.
    package func stop() {
        if isStopped { return }
        isStopped = true
        device.stopAll()
        for id in requests.keys.sorted() {
            cancel(id)
            finish(id, RequestEnd("stopped", "closed"))
        }
        for client in clients.values { client.sounds.close() }
        for client in clients.values { client.sessions.values.forEach { $0.events?.cancel() } }
        clients = [:]
        waiting = [:]
        events?.cancel()
        served = nil
        logind = nil
        // Last, since it waits for the disk: who set preferences is informed that they are kept.
        preferencesFile?.finish()
        for number in keeping.keys.sorted() { answer(number) }
    }

    /// Tells every subscriber what is wrong.
    func reportDegraded(_ error: RingerError) {
        connection.signal(RingerNames.path, RingerNames.interface, "Degraded", [.string("\(error)")])
    }

    private func note(_ event: DeviceEvent) {
        if case .degraded(let error, _) = event { reportDegraded(error) }
        if case .key(let key, let isPressed, let time) = event {
            connection.signal(
                RingerNames.path, RingerNames.interface, "Key",
                [.string(key.rawValue), .boolean(isPressed), .uint64(UInt64(clamping: time.nanoseconds))])
        }
        if case .playback(.started(let time), let sound) = event, let id = playing[sound], let request = requests[id] {
            connection.signal(
                RingerNames.path, RingerNames.interface, "Started",
                [.uint32(id), .uint64(UInt64(clamping: time.nanoseconds))],
                to: request.client)
        }
        publishSoon()
    }

    // MARK: - Properties

    /// Publishes what has changed, once what runs now has returned and the bus has taken what was sent: while the bus is
    /// busy, changes are not queued, and the newest state is published.
    func publishSoon() {
        if isPublishDue || isStopped { return }
        isPublishDue = true
        loop.execute { [self] in connection.whenWritten { [weak self] in self?.publish() } }
    }

    /// Publishes what has changed.
    func publish() {
        isPublishDue = false
        if isStopped { return }
        let now = properties()
        let changed = now.filter { published[$0.key] != $0.value }
        published = now
        if !changed.isEmpty {
            connection.signal(
                RingerNames.path, BusInterface.properties, "PropertiesChanged",
                [.string(RingerNames.interface), .dictionary(changed), .strings([])])
        }
        for client in clients.values {
            for session in client.sessions.values { publish(session, to: client.name) }
        }
    }

    private func publish(_ session: ServiceSession, to owner: String) {
        let changed = session.takeChanges()
        if !changed.isEmpty {
            connection.signal(
                session.path, BusInterface.properties, "PropertiesChanged",
                [.string(RingerNames.sessionInterface), .dictionary(changed), .strings([])], to: owner)
        }
        if session.takeEndOfRefusal() {
            connection.signal(session.path, RingerNames.sessionInterface, "RefusalEnded", [], to: owner)
        }
    }

    private func properties() -> [String: BusValue] {
        var values: [String: BusValue] = [:]
        for property in BusInterface.ringer.properties { values[property.name] = value(of: property.name) }
        return values
    }

    private func value(of property: String) -> BusValue {
        let state = device.state
        switch property {
        case "SwitchPosition": return .string(state.ringSilent?.rawValue ?? "")
        case "SwitchReadability":
            return .string(
                !state.isSwitchConnected && !state.isSwitchUnreadable
                    ? "none" : state.isSwitchUnreadable ? "unreadable" : "readable")
        case "Route": return .string(state.route.rawValue)
        case "ScreenLocked": return .boolean(state.isScreenLocked)
        case "Jacks":
            return .strings(
                (state.isHeadphoneInserted ? ["headphone"] : []) + (state.isMicrophoneInserted ? ["microphone"] : []))
        case "Volume": return .double(Double(state.outputVolume ?? -1))
        case "InputAvailable": return .boolean(state.isInputAvailable ?? false)
        case "PlaybackSilenced": return .boolean(state.sessions.contains(.silencesPlayback))
        case "Requests":
            return .array(
                element: "(us)",
                requests.sorted { $0.key < $1.key }.map { .structure([.uint32($0.key), .string($0.value.member)]) })
        case "Preferences": return .dictionary(device.preferences.busValues)
        case "Motor": return .string(device.vibrator?.name ?? "")
        case "StatusLight": return .string(device.statusLight?.name ?? "")
        case "Routes":
            let present = device.sessions.routes.present
            return .strings(AudioRoute.allCases.filter { present.contains($0) }.map(\.rawValue))
        case "SampleRate": return .double(device.hardware.sampleRate)
        case "OutputChannels": return .uint32(device.hardware.outputChannels)
        case "InputChannels": return .uint32(device.hardware.inputChannels)
        case "OutputLatency": return .double(Double(device.hardware.outputLatency))
        case "InputLatency": return .double(Double(device.hardware.inputLatency))
        case "BufferDuration": return .double(Double(device.hardware.ioBufferDuration))
        case "OutputLost": return .boolean(device.hardware.isServerDead)
        case "Board": return .string(board != nil ? "simulated" : "hardware")
        default: return .string("")
        }
    }

    // MARK: - Messages

    private func handle(_ message: BusMessage) -> Bool {
        guard message.isMethodCall else { return false }
        // The report of waking may come after the first request.
        if logind?.isAsleep == true { device.rereadSwitch() }
        do throws(BusError) {
            try dispatch(message)
        } catch {
            connection.reply(to: message, error)
        }
        return true
    }

    private func dispatch(_ message: BusMessage) throws(BusError) {
        let path = message.path
        if path == RingerNames.path { return try dispatch(message, to: nil) }
        guard let session = session(at: path) else { throw .unknownObject(path) }
        try dispatch(message, to: session)
    }

    func session(at path: String) -> (owner: ServiceClient, session: ServiceSession)? {
        let prefix = RingerNames.path + "/session/"
        guard path.hasPrefix(prefix), let number = UInt32(path.dropFirst(prefix.count)) else { return nil }
        for client in clients.values {
            if let session = client.sessions[number], session.path == path { return (client, session) }
        }
        return nil
    }

    /// The interfaces of the main object.
    private var natives: [BusInterface] { [.ringer] + (board == nil ? [] : [.simulatedBoard]) }

    private func dispatch(
        _ message: BusMessage, to target: (owner: ServiceClient, session: ServiceSession)?
    ) throws(BusError) {
        let natives = target == nil ? natives : [.session]
        let (interface, member) = (message.interface, message.member)
        // A call need not name the interface.
        let native = natives.first { ($0.name == interface || interface.isEmpty) && $0.method(member) != nil }
        let standard = [BusInterface.introspectable, BusInterface.properties].first { name in
            (name == interface || interface.isEmpty) && BusInterface.standardMethod(name, member) != nil
        }
        guard
            let method = native?.method(member)
                ?? standard.flatMap({ BusInterface.standardMethod($0, member) })
        else { throw .unknownMethod("\(interface) has no method \(member) on \(message.path)") }
        guard message.signature == method.signature else {
            throw .invalidArguments("\(member) takes (\(method.signature)), not (\(message.signature))")
        }
        if member == "Introspect" {
            guard target == nil else {
                return connection.reply(to: message, [.string(Self.sessionIntrospection.text())])
            }
            let sessions = clients[message.sender]?.sessions.keys.sorted() ?? []
            return connection.reply(
                to: message, [.string(introspection.text(children: sessions.map { "session/\($0)" }))])
        }
        if let target, message.sender != target.owner.name {
            throw .accessDenied("\(message.path) belongs to another client")
        }
        // Nothing is read of a message before its caller is admitted, and no descriptor is kept.
        let beginsRequest = method.output.first?.name == "request"
        if let target {
            if beginsRequest { try checkRequests(of: target.owner) }
            guard native == nil else { return try call(message, try message.read(), of: target) }
            return try property(message, natives, target)
        }
        switch member {
        case "Set":
            identify(message, .control) { [self] _ throws(BusError) in try property(message, natives, nil) }
        case "Get", "GetAll": try property(message, natives, nil)
        case _ where native?.name == RingerNames.simulatedBoardInterface:
            try board?.call(member, try message.read(), isBusy: { self.reading > 0 }) {
                self.connection.reply(to: message, $0)
            }
        // Everybody may call them, and there is next to nothing to read.
        case "Decide", "Detect", "Stop": try call(message, try message.read())
        default:
            admit(message, .play) { [self] client throws(BusError) in
                if beginsRequest { try checkRequests(of: client) }
                try call(message, try message.read())
            }
        }
    }

    private func property(
        _ message: BusMessage, _ natives: [BusInterface], _ target: (owner: ServiceClient, session: ServiceSession)?
    ) throws(BusError) {
        let arguments = try message.read()
        if target != nil { device.sessions.lookForOtherAudio() }
        guard let native = natives.first(where: { arguments[0].string == $0.name || arguments[0].string == "" }) else {
            throw .unknownProperty("\(message.path) has no interface \(arguments[0].string ?? "")")
        }
        if message.member == "GetAll" {
            var values: [String: BusValue] = [:]
            for property in native.properties {
                values[property.name] = value(of: property.name, native, target)
            }
            return connection.reply(to: message, [.dictionary(values)])
        }
        let name = arguments[1].string ?? ""
        guard let property = native.property(name) else {
            throw .unknownProperty("\(native.name) has no property \(name)")
        }
        if message.member == "Get" {
            return connection.reply(to: message, [.variant(value(of: name, native, target))])
        }
        guard property.isWritable else {
            throw .readOnlyProperty("\(native.name).\(name) is read-only")
        }
        let value = arguments[2].contents
        guard value.signature == property.type else {
            throw .invalidArguments("\(name) has the type \(property.type), not \(value.signature)")
        }
        if let target {
            try target.session.set(name, value)
            return connection.reply(to: message)
        }
        try set(name, value, message)
        publishSoon()
    }

    private func value(
        of property: String, _ interface: BusInterface, _ target: (owner: ServiceClient, session: ServiceSession)?
    ) -> BusValue {
        if let target { return target.session.value(of: property) }
        if let board, interface.name == RingerNames.simulatedBoardInterface { return board.value(of: property) }
        return value(of: property)
    }

    /// Sets a property for a caller that may, and replies to `message`.
    private func set(_ property: String, _ value: BusValue, _ message: BusMessage) throws(BusError) {
        switch property {
        case "ScreenLocked":
            if logind?.reportsLock == true {
                throw .readOnlyProperty("ScreenLocked is read-only: logind reports the lock")
            }
            device.setScreenLocked(value.boolean ?? false)
        case "Preferences":
            var preferences = device.preferences
            try preferences.set(value)
            device.preferences = preferences
            setUnread?.merge(value.dictionary ?? [:]) { $1 }
            if let preferencesFile { return keep(preferences, in: preferencesFile, message) }
        case "Volume":
            guard let volume = value.double, (0...1).contains(volume) else {
                throw .invalidArguments("Volume: a volume is 0 to 1")
            }
            do throws(RingerError) {
                try device.setOutputVolume(Float(volume))
            } catch {
                throw BusError(error)
            }
        default: throw BusError(RingerError(.unsupported, "set the property", property))
        }
        connection.reply(to: message)
    }

    /// Writes the preferences, and then replies: who set them knows that they are kept.
    private func keep(_ preferences: UserPreferences, in file: PreferencesFile, _ message: BusMessage) {
        if setUnread != nil {
            return connection.reply(
                to: message,
                BusError(file.unreadable ?? RingerError(.busy, "keep the preferences", file.path)))
        }
        lastKept &+= 1
        let (number, kept) = (lastKept, Kept(message))
        keeping[number] = kept
        file.write(preferences) { [weak self] error in
            kept.result.withLock { $0 = .some(error) }
            self?.loop.execute { [weak self] in self?.answer(number) }
        }
    }

    /// Reads the preferences after `delay`, and then ever more rarely, where their file could not be read: what clients have
    /// set by then stays as it is.
    private func readPreferences(after delay: Duration) {
        _ = device.clock.schedule(at: device.clock.now + delay) { [weak self, loop] in
            loop.execute { [weak self] in
                guard let self, let file = preferencesFile, !isStopped else { return }
                reading += 1
                Task(executorPreference: loop) { [self] in
                    let (read, errors) = await DetachedThread.run {
                        var errors: [RingerError] = []
                        let preferences = file.read { errors.append($0) }
                        return (preferences, errors)
                    }
                    reading -= 1
                    takePreferences(read, errors, after: delay, from: file)
                }
            }
        }
    }

    private func takePreferences(
        _ read: UserPreferences?, _ errors: [RingerError], after delay: Duration, from file: PreferencesFile
    ) {
        // The reason was reported at the start.
        guard var preferences = read else { return readPreferences(after: min(delay * 2, .seconds(30))) }
        for error in errors { reportDegraded(error) }
        let changes = setUnread ?? [:]
        setUnread = nil
        do throws(BusError) {
            try preferences.set(.dictionary(changes))
        } catch {
            // It does not come here: each was accepted when it was set.
        }
        device.preferences = preferences
        publishSoon()
        guard !changes.isEmpty, !isStopped else { return }
        file.write(preferences) { [weak self, loop] error in
            guard let error else { return }
            loop.execute { [weak self] in self?.reportDegraded(error) }
        }
    }

    /// Replies to who set preferences, once they are written.
    private func answer(_ number: Int) {
        guard let kept = keeping[number], let result = kept.result.withLock({ $0 }) else { return }
        keeping[number] = nil
        if let error = result {
            connection.reply(to: kept.message, BusError(error))
        } else {
            connection.reply(to: kept.message)
        }
    }

    /// A call that set preferences which are being written.
    // SAFETY: the message is used on the loop's thread alone.
    private final class Kept: @unchecked Sendable {
        let message: BusMessage
        /// The result of writing them: an error, or none.
        let result = Mutex<RingerError??>(nil)

        init(_ message: BusMessage) {
            self.message = message
        }
    }

    // MARK: - Clients

    /// Calls `body` once the bus has said who the caller is, if that one may do it; else replies with an error, and calls
    /// `refused`. Nothing is kept of the caller.
    func identify(
        _ message: BusMessage, _ permission: Authorization.Permission, refused: (() -> Void)? = nil,
        _ body: @escaping (Authorization.Credentials) throws(BusError) -> Void
    ) {
        let run = { [self] (credentials: Authorization.Credentials?) in
            guard let credentials, authorization.allows(credentials, permission) else {
                connection.reply(
                    to: message, .accessDenied("\(message.member): the caller is not permitted to do this"))
                refused?()
                return
            }
            do throws(BusError) {
                try body(credentials)
            } catch {
                connection.reply(to: message, error)
            }
        }
        let name = message.sender
        if let client = clients[name] { return run(client.credentials) }
        // The message is kept meanwhile, with its descriptors.
        guard CallerDescriptors.areLeft, waiting[name, default: []].count < limits.requests else {
            connection.reply(
                to: message,
                .limitsExceeded("more than \(limits.requests) calls of one client wait, or too many in all"))
            refused?()
            return
        }
        waiting[name, default: []].append(run)
        if waiting[name]?.count == 1 { askWho(name) }
    }

    /// Asks the bus who a program is, and runs its calls.
    private func askWho(_ name: String) {
        connection.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetConnectionCredentials",
            [.string(name)]
        ) { [weak self] result in
            guard let self, let calls = waiting.removeValue(forKey: name) else { return }
            let values = (try? result.get().read().first)?.dictionary
            let groups = values?["UnixGroupIDs"]?.elements?.compactMap(\.uint32) ?? []
            // It may have left the bus.
            let credentials = values?["UnixUserID"]?.uint32.map {
                Authorization.Credentials(user: $0, groups: Set(groups))
            }
            for call in calls { call(credentials) }
        }
    }

    /// As ``identify(_:_:refused:_:)``, for what lasts longer than the call: `body` gets the caller's client.
    func admit(
        _ message: BusMessage, _ permission: Authorization.Permission, refused: (() -> Void)? = nil,
        _ body: @escaping (ServiceClient) throws(BusError) -> Void
    ) {
        identify(message, permission, refused: refused) { [self] credentials throws(BusError) in
            let client: ServiceClient
            do throws(BusError) {
                client = try self.client(message.sender, credentials)
            } catch {
                refused?()
                throw error
            }
            try body(client)
        }
    }

    private func client(_ name: String, _ credentials: Authorization.Credentials) throws(BusError) -> ServiceClient {
        if let client = clients[name] { return client }
        let readers = clients.values.count { !may($0, .play) }
        guard clients.count < limits.clients, authorization.allows(credentials, .play) || readers < limits.readers
        else {
            throw .limitsExceeded("as many clients as there may be use the service already")
        }
        let client = ServiceClient(name, credentials, device.sounds.makeClient())
        clients[name] = client
        client.watch = BusName(name, on: connection) { [weak self] change in
            switch change {
            case .found(.some), .changed(_, .some): break
            // A client whose death would go unnoticed is not served.
            case .found(nil), .changed(_, nil), .unwatched: self?.loop.execute { [weak self] in self?.forget(name) }
            }
        }
        return client
    }

    /// Ends what a client asked for: it has left the bus, or cannot be watched.
    private func forget(_ name: String) {
        guard let client = clients.removeValue(forKey: name) else { return }
        onForget?(name)
        for id in client.requests {
            // What is to be played to its end plays on; nobody is left to be informed.
            if requests[id]?.outlivesClient == true { continue }
            cancel(id)
        }
        for session in client.sessions.values { session.events?.cancel() }
        client.sessions = [:]
    }

    // MARK: - Requests

    /// Throws where a client has as many requests as it may have.
    private func checkRequests(of client: ServiceClient) throws(BusError) {
        guard client.requests.count < limits.requests else {
            throw .limitsExceeded("\(limits.requests) requests of this client run already")
        }
    }

    /// Answers a call with the number of a new request, and begins it: `body` returns how it ended.
    func begin(
        _ message: BusMessage, for client: ServiceClient, outlivesClient: Bool = false,
        _ body: @escaping @Sendable (UInt32) async -> RequestEnd
    ) throws(BusError) {
        try checkRequests(of: client)
        repeat { lastRequest = lastRequest == .max ? 1 : lastRequest + 1 } while requests[lastRequest] != nil
        let id = lastRequest
        client.requests.insert(id)
        requests[id] = Request(client: client.name, member: message.member, outlivesClient: outlivesClient)
        connection.reply(to: message, [.uint32(id)])
        requests[id]?.task = Task(executorPreference: loop) { [self] in
            finish(id, Task.isCancelled ? RequestEnd(CancellationError()) : await body(id))
        }
        publishSoon()
    }

    /// Plays a request's sound, which `start` begins.
    func play(
        _ id: UInt32, _ start: (@escaping @Sendable (SoundResult) -> Void) throws -> SoundPlayer.ID
    ) async throws -> RequestEnd {
        try await withCheckedThrowingContinuation { continuation in
            do {
                let sound = try start { continuation.resume(returning: RequestEnd($0)) }
                requests[id]?.sound = sound
                if requests[id] != nil { playing[sound.number] = id }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    private func cancel(_ id: UInt32) {
        guard let request = requests[id] else { return }
        request.task?.cancel()
        proceed(id)
        // Those after it do not wait for a read that may never return.
        leaveQueue(id)
        if let sound = request.sound { device.player.stop(sound) }
    }

    private func finish(_ id: UInt32, _ end: RequestEnd) {
        guard let request = requests.removeValue(forKey: id) else { return }
        if let sound = request.sound { playing[sound.number] = nil }
        publishSoon()
        guard let client = clients[request.client] else { return }
        client.requests.remove(id)
        defer {
            // Everybody may be a reader: what it takes is given back.
            if client.requests.isEmpty, !may(client, .play) { forget(client.name) }
        }
        connection.signal(
            RingerNames.path, RingerNames.interface, "Ended",
            [.uint32(id), .string(end.outcome), .string(end.reason), .dictionary(end.details)], to: client.name)
    }

    /// Reads the file at `path` on a thread of its own.
    func load(_ path: String) async throws -> PCMBuffer {
        try await whileReading { try await SoundLoader.loadElsewhere(path) }
    }

    /// Reads a caller's file on a thread of its own.
    func load(_ file: CallerFile, maximumDuration: Duration? = nil) async throws -> PCMBuffer {
        try await whileReading { try await file.load(maximumDuration: maximumDuration) }
    }

    /// Returns what `load` read for the calling task's request. Throws `CancellationError` where that was stopped meanwhile:
    /// a sound that began now would cut off others.
    private func whileReading(_ load: () async throws -> PCMBuffer) async throws -> PCMBuffer {
        reading += 1
        defer { reading -= 1 }
        do {
            let sound = try await load()
            try Task.checkCancellation()
            return sound
        } catch {
            try Task.checkCancellation()
            throw error
        }
    }

    /// Calls `load`, and returns its result once the announcements that were called for before are in the queue or have ended.
    /// The caller adds its own to the queue before it waits for anything.
    func inTurn<Loaded>(_ id: UInt32, _ load: () async throws -> Loaded) async throws -> Loaded {
        arriving.append(id)
        defer { leaveQueue(id) }
        let loaded = try await load()
        if arriving.first != id, !Task.isCancelled { await withCheckedContinuation { requests[id]?.turn = $0 } }
        try Task.checkCancellation()
        return loaded
    }

    /// The announcements after this one no longer wait for it.
    private func leaveQueue(_ id: UInt32) {
        arriving.removeAll { $0 == id }
        if let next = arriving.first { proceed(next) }
    }

    /// Continues an announcement that waits for its turn.
    private func proceed(_ id: UInt32) {
        requests[id]?.turn.take()?.resume()
    }

    /// Stops a request of the client's own, or, with the permission, of any client.
    func stopRequest(_ id: UInt32, for name: String, _ credentials: Authorization.Credentials) throws(BusError) {
        guard let request = requests[id] else { return }
        guard request.client == name || authorization.allows(credentials, .control) else {
            throw .accessDenied("request \(id) belongs to another client")
        }
        cancel(id)
    }

    /// Whether a client may do what is reserved to some.
    func may(_ client: ServiceClient, _ permission: Authorization.Permission) -> Bool {
        authorization.allows(client.credentials, permission)
    }

    // MARK: - Sessions

    func makeSession(_ message: BusMessage, _ options: BusOptions, for client: ServiceClient) throws(BusError) {
        var options = options
        let name = try options.string("name") ?? ""
        let category = try options.name("category", of: AudioCategory.self)
        let categoryOptions = try options.categoryOptions() ?? []
        let priority = SessionPriority(rawValue: Int(try options.int32("priority") ?? 0))
        try options.finish()
        guard priority <= .call || may(client, .control) else {
            throw .accessDenied("a session of priority \(priority.rawValue) needs the permission to control the device")
        }
        guard client.sessions.count < limits.sessions else {
            throw .limitsExceeded("\(limits.sessions) sessions of this client exist already")
        }
        let made: AudioSession
        do throws(SessionError) {
            made =
                category == nil && categoryOptions.isEmpty
                ? device.sessions.make(name: name, priority: priority)
                : try device.sessions.make(
                    name: name, category: category ?? .default, options: categoryOptions, priority: priority)
        } catch {
            throw BusError(error)
        }
        lastSession &+= 1
        let (number, owner) = (lastSession, client.name)
        let session = ServiceSession(made, RingerNames.path + "/session/\(number)")
        client.sessions[number] = session
        let (path, stream) = (session.path, made.events)
        session.events = Task(executorPreference: loop) { [self] in
            for await event in stream { tell(event, of: path, to: owner) }
        }
        connection.reply(to: message, [.objectPath(session.path)])
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
        if let session = session(at: path)?.session { publish(session, to: owner) }
    }

    func release(_ target: (owner: ServiceClient, session: ServiceSession)) {
        let session = target.session.session
        target.session.events?.cancel()
        // A request that plays in it keeps the session until its sound has stopped.
        Task(executorPreference: loop) {
            // It fails where the device was closed, which has stopped the sounds.
            try? await session.deactivate()
        }
        target.owner.sessions = target.owner.sessions.filter { $0.value !== target.session }
    }
}
