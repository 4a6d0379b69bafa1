import CLinux
import Glibc
import Ringer
import RingerBus

/// The programs on the bus for which something was begun: who they are, what they may do, and how much at once. Whatever a
/// program asks for is admitted here. It runs on the event loop's thread; the bus is asked asynchronously who a caller is.
// SAFETY: all state is used on the loop's thread alone.
final class ServiceClients: @unchecked Sendable {
    private let budget: ServiceBudget
    /// Called with a client that is no longer known: it has left the bus, cannot be watched, or has read all that it may.
    var onForget: ((ServiceClient) -> Void)?
    private let device: Device
    private let connection: BusConnection
    private let authorization: Authorization
    private var known: [String: ServiceClient] = [:]
    /// The calls of a program of which the bus has yet to say who it is.
    private struct Waiting {
        /// In the order in which they came.
        var calls: [(Authorization.Credentials?) -> Void] = []
        /// Why a call was refused, to be reported once it is known whose it was.
        var refusal: String?
    }

    private var waiting: [String: Waiting] = [:]

    init(_ device: Device, _ connection: BusConnection, _ authorization: Authorization, _ budget: ServiceBudget) {
        (self.device, self.connection, self.authorization, self.budget) = (device, connection, authorization, budget)
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
        let most = budget.limits.ofConnection(.requests)
        let isFirst = waiting[name] == nil
        defer { if isFirst { askWho(name) } }
        guard Self.hasDescriptorsLeft, waiting[name, default: Waiting()].calls.count < most else {
            let refusal = "more than \(most) calls of one client wait, half of requests-per-user, or too many in all"
            waiting[name, default: Waiting()].refusal = refusal
            connection.reply(to: message, .limitsExceeded(refusal))
            refused?()
            return
        }
        waiting[name, default: Waiting()].calls.append(run)
    }

    /// As ``identify(_:_:refused:_:)``, for what lasts longer than the call: `body` gets the caller's client.
    func admit(
        _ message: BusMessage, _ permission: Authorization.Permission,
        _ body: @escaping (ServiceClient) throws -> Void
    ) {
        identify(message, permission) { [self] credentials in
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

    /// Whether a quarter of the process's descriptors is free, of which the kernel gives out the lowest: more than a message
    /// brings. Nobody knows how many a message has brought, and the connection to the bus does not survive one that the kernel
    /// could not deliver whole.
    private static var hasDescriptorsLeft: Bool {
        let descriptor = ringer_eventfd()
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return descriptor < getdtablesize() / 4 * 3
    }

    /// Asks the bus who a program is, and runs its calls.
    private func askWho(_ name: String) {
        connection.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetConnectionCredentials",
            [.string(name)]
        ) { [weak self] result in
            guard let self, let program = waiting.removeValue(forKey: name) else { return }
            let values = (try? result.get().read().first)?.dictionary
            let groups = values?["UnixGroupIDs"]?.elements?.compactMap(\.uint32) ?? []
            // It may have left the bus.
            let credentials = values?["UnixUserID"]?.uint32.map {
                Authorization.Credentials(user: $0, groups: Set(groups))
            }
            if let credentials, let refusal = program.refusal { budget.report(refusal, of: credentials.user) }
            for call in program.calls { call(credentials) }
        }
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

    /// A request of the client has ended. Everybody may be a reader: what it takes is given back after its last one.
    func requestEnded(_ id: UInt32, of client: ServiceClient) {
        client.requests.remove(id)
        if client.requests.isEmpty, !allows(client.credentials, .play) { forget(client.name) }
    }
}
