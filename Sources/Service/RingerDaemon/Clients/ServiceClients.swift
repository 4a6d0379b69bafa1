import RingerCore
import RingerBus

/// The programs on the bus for which something was begun: who they are, what they may do, and how much at once. Whatever a
/// program asks for is admitted here. It runs on the event loop's thread.
// SAFETY: all state is used on the loop's thread alone.
final class ServiceClients: @unchecked Sendable {
    private let budget: ServiceBudget
    /// Called with a client that is no longer known: it has left the bus, cannot be watched, or has read all that it may.
    var onForget: ((ServiceClient) -> Void)?
    private let device: Device
    private let connection: BusConnection
    private let authorization: Authorization
    private var known: [String: ServiceClient] = [:]

    init(_ device: Device, _ connection: BusConnection, _ authorization: Authorization, _ budget: ServiceBudget) {
        (self.device, self.connection, self.authorization, self.budget) = (device, connection, authorization, budget)
        connection.received.onRefusal = { [budget] in budget.report($1, of: $0.user) }
    }

    /// How many clients it knows.
    var count: Int { known.count }

    /// The client of this name; nil where it is not known, or no longer.
    subscript(name: String) -> ServiceClient? { known[name] }

    /// Forgets everybody: the service stops.
    func stop() {
        for client in known.values { client.sounds.close() }
        known = [:]
    }

    /// Reports to a client alone what is wrong with its own file, and writes it to the log as refusals are.
    func report(_ error: RingerError, to client: String) {
        connection.signal(RingerNames.path, RingerNames.interface, "Degraded", [.string("\(error)")], to: client)
        if let user = known[client]?.credentials.user { budget.report("\(error)", of: user) }
    }

    // MARK: - Admission

    /// Who has called, if that one may do it.
    func identify(
        _ message: BusMessage, _ permission: Authorization.Permission
    ) throws(BusError) -> Authorization.Credentials {
        guard let caller = message.caller, allows(caller, permission) else { throw Self.denied(message) }
        return caller
    }

    /// As ``identify(_:_:)``, for what lasts longer than the call: `body` gets the caller's client.
    func admit(
        _ message: BusMessage, _ permission: Authorization.Permission, _ body: (ServiceClient) throws -> Void
    ) throws {
        let credentials = try identify(message, permission)
        let isNew = known[message.sender] == nil
        let client = try client(message.sender, credentials)
        do {
            try body(client)
        } catch {
            // What is refused uses up nothing.
            if isNew { forget(client.name) }
            throw error
        }
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

    private func client(_ name: String, _ credentials: Authorization.Credentials) throws -> ServiceClient {
        if let client = known[name] { return client }
        let payer = Budget.Payer(
            user: credentials.user, connection: name, permission: authorization.highest(of: credentials))
        let share = try budget.share(.clients, for: payer)
        let client = ServiceClient(credentials, payer, share, budget, device)
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
}
