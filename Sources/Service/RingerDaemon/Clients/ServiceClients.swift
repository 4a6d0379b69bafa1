import Ringer
import RingerBus

extension Service {
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
}

/// The programs on the bus for which something was begun: who they are, what they may do, and how much at once. Whatever a
/// program asks for is admitted here. It runs on the event loop's thread; the bus is asked asynchronously who a caller is.
// SAFETY: all state is used on the loop's thread alone.
final class ServiceClients: @unchecked Sendable {
    let limits: Service.Limits
    /// Called with a client that is no longer known: it has left the bus, cannot be watched, or has read all that it may.
    var onForget: ((ServiceClient) -> Void)?
    private let device: Device
    private let connection: BusConnection
    private let authorization: Authorization
    private var known: [String: ServiceClient] = [:]
    /// The calls of programs of which the bus has yet to say who they are, in the order in which they came.
    private var waiting: [String: [(Authorization.Credentials?) -> Void]] = [:]

    init(_ device: Device, _ connection: BusConnection, _ authorization: Authorization, _ limits: Service.Limits) {
        (self.device, self.connection, self.authorization, self.limits) = (device, connection, authorization, limits)
    }

    /// How many clients it knows.
    var count: Int { known.count }

    /// The client of this name; nil where it is not known, or no longer.
    subscript(name: String) -> ServiceClient? { known[name] }

    /// Forgets everybody: the service stops.
    func stop() {
        for client in known.values { client.sounds.close() }
        (known, waiting) = ([:], [:])
    }

    // MARK: - Admission

    /// Calls `body` once the bus has said who the caller is, if that one may do it; else replies with an error, and calls
    /// `refused`. Nothing is kept of the caller.
    func identify(
        _ message: BusMessage, _ permission: Authorization.Permission, refused: (() -> Void)? = nil,
        _ body: @escaping (Authorization.Credentials) throws -> Void
    ) {
        let run = { [self] (credentials: Authorization.Credentials?) in
            guard let credentials, authorization.allows(credentials, permission) else {
                connection.reply(to: message, Self.denied(message))
                refused?()
                return
            }
            connection.answer(message) { try body(credentials) }
        }
        let name = message.sender
        if let client = known[name] { return run(client.credentials) }
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

    /// As ``identify(_:_:refused:_:)``, for what lasts longer than the call: `body` gets the caller's client.
    func admit(
        _ message: BusMessage, _ permission: Authorization.Permission,
        _ body: @escaping (ServiceClient) throws -> Void
    ) {
        identify(message, permission) { [self] credentials in try body(try client(message.sender, credentials)) }
    }

    /// Whether a program with these credentials may do it.
    func allows(_ credentials: Authorization.Credentials, _ permission: Authorization.Permission) -> Bool {
        authorization.allows(credentials, permission)
    }

    /// Throws where an admitted client lacks a permission that its call needs besides.
    func check(_ permission: Authorization.Permission, of client: ServiceClient, _ message: BusMessage) throws {
        guard allows(client.credentials, permission) else { throw Self.denied(message) }
    }

    private static func denied(_ message: BusMessage) -> BusError {
        .accessDenied("\(message.member): the caller is not permitted to do this")
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

    private func client(_ name: String, _ credentials: Authorization.Credentials) throws -> ServiceClient {
        if let client = known[name] { return client }
        let readers = known.values.count { !allows($0.credentials, .play) }
        guard known.count < limits.clients, allows(credentials, .play) || readers < limits.readers else {
            throw BusError.limitsExceeded("as many clients as there may be use the service already")
        }
        let client = ServiceClient(name, credentials, device.sounds.makeClient())
        known[name] = client
        client.watch = BusName(name, on: connection) { [weak self] change in
            switch change {
            case .found(.some), .changed(_, .some): break
            // A client whose death would go unnoticed is not served.
            case .found(nil), .changed(_, nil), .unwatched:
                self?.connection.loop.execute { [weak self] in self?.forget(name) }
            }
        }
        return client
    }

    private func forget(_ name: String) {
        if let client = known.removeValue(forKey: name) { onForget?(client) }
    }

    // MARK: - Limits

    /// Throws where a client has as many requests as it may have.
    func checkRequests(of client: ServiceClient) throws {
        try check(client.requests.count, limits.requests, "requests of this client run already")
    }

    /// Throws where a client that has `count` sessions may have no more.
    func checkSessions(_ count: Int) throws {
        try check(count, limits.sessions, "sessions of this client exist already")
    }

    /// Throws where a client for which the feedback of `count` events is given may have no more.
    func checkEvents(_ count: Int) throws {
        try check(count, limits.requests, "events of this client run already")
    }

    private func check(_ count: Int, _ limit: Int, _ what: String) throws {
        guard count < limit else { throw BusError.limitsExceeded("\(limit) \(what)") }
    }

    /// A request of the client has ended. Everybody may be a reader: what it takes is given back after its last one.
    func requestEnded(_ id: UInt32, of client: ServiceClient) {
        client.requests.remove(id)
        if client.requests.isEmpty, !allows(client.credentials, .play) { forget(client.name) }
    }
}
