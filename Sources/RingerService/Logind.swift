import Ringer
import RingerBus

/// Follows logind, where there is one: whether the screen is locked, and when the machine sleeps.
///
/// The screen is locked while a session that is in the foreground of a seat has the hint `LockedHint`, which its shell sets.
/// Everything is asked asynchronously, on the connection's event loop. Its interface is org.freedesktop.login1(5).
final class Logind {
    /// What logind reports.
    enum Event: Hashable {
        /// The screen was locked or unlocked.
        case locked(Bool)
        /// The machine woke, or a sleep was given up.
        case woke
    }

    private struct Session {
        var isOnSeat = false
        var isActive = false
        var isLocked = false
    }

    private static let name = "org.freedesktop.login1"
    private static let path = "/org/freedesktop/login1"
    private static let manager = "org.freedesktop.login1.Manager"
    private static let session = "org.freedesktop.login1.Session"
    private static let bus = "org.freedesktop.DBus"

    private let connection: BusConnection
    private let handler: (Event) -> Void
    private var matches: [BusConnection.Registration] = []
    /// logind's unique name: a program may send signals that look like logind's. Nil while there is no logind.
    private var owner: String?
    private var sessions: [String: Session] = [:]
    private var wasLocked: Bool?

    /// Whether the machine is about to sleep, sleeps, or woke without a report yet.
    private(set) var isAsleep = false
    /// Whether logind reports the lock: it has a session on a seat.
    var reportsLock: Bool { sessions.values.contains { $0.isOnSeat } }

    /// - Parameters:
    ///   - connection: The system bus.
    ///   - handler: Called with each event.
    init(_ connection: BusConnection, _ handler: @escaping (Event) -> Void) {
        self.connection = connection
        self.handler = handler
        // Subscribe before asking: what changes in between is not missed.
        match("sender='\(Self.bus)',interface='\(Self.bus)',member='NameOwnerChanged',arg0='\(Self.name)'") {
            logind, message in
            guard message.sender == Self.bus, let owner = try? message.read().last?.string else { return }
            logind.adopt(owner)
        }
        match("sender='\(Self.name)',path='\(Self.path)',interface='\(Self.manager)'") { logind, message in
            logind.note(message)
        }
        match(
            "sender='\(Self.name)',path_namespace='\(Self.path)/session',interface='\(BusInterface.properties)',"
                + "member='PropertiesChanged',arg0='\(Self.session)'"
        ) { logind, message in
            logind.changed(message)
        }
        // Nobody starts logind for this.
        call(Self.bus, "/org/freedesktop/DBus", Self.bus, "GetNameOwner", [.string(Self.name)]) { logind, values in
            if let owner = values.first?.string { logind.adopt(owner) }
        }
    }

    private func match(_ rule: String, _ body: @escaping (Logind, BusMessage) -> Void) {
        matches.append(
            connection.match("type='signal'," + rule) { [weak self] message in
                if let self { body(self, message) }
            })
    }

    /// Calls a method; an error, such as that of a session that has ended, means that there is nothing to learn.
    private func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = [],
        _ body: @escaping (Logind, [BusValue]) -> Void
    ) {
        connection.call(destination, path, interface, member, arguments, autoStart: false) { [weak self] result in
            guard let self, case .success(let reply) = result, let values = try? reply.read() else { return }
            body(self, values)
        }
    }

    /// Follows another logind; an empty name means that it is gone.
    private func adopt(_ name: String) {
        let new = name.isEmpty ? nil : name
        if new == owner { return }
        owner = new
        sessions = [:]
        wasLocked = nil
        // What it has announced, it will not end.
        if isAsleep { woke() }
        guard let new else { return }
        call(new, Self.path, Self.manager, "ListSessions") { logind, values in
            for session in values.first?.elements ?? [] {
                if let path = session.elements?.last?.string { logind.ask(path) }
            }
        }
    }

    /// Reads a session's properties.
    private func ask(_ path: String) {
        guard let owner else { return }
        call(owner, path, BusInterface.properties, "GetAll", [.string(Self.session)]) { logind, values in
            guard logind.owner == owner, let properties = values.first?.dictionary else { return }
            logind.take(properties, of: path)
        }
    }

    private func note(_ message: BusMessage) {
        guard let owner, message.sender == owner, let values = try? message.read() else { return }
        switch message.member {
        case "SessionNew":
            if let path = values.last?.string { ask(path) }
        case "SessionRemoved":
            guard let path = values.last?.string, sessions.removeValue(forKey: path) != nil else { return }
            update()
        case "PrepareForSleep":
            guard let begins = values.first?.boolean else { return }
            if begins { isAsleep = true } else { woke() }
        default: break
        }
    }

    private func changed(_ message: BusMessage) {
        guard let owner, message.sender == owner, let values = try? message.read(), values.count == 3,
            let properties = values[1].dictionary
        else { return }
        let path = message.path
        // A session of which nothing is known yet, or a change without a value.
        guard sessions[path] != nil, values[2].elements?.isEmpty == true else { return ask(path) }
        take(properties, of: path)
    }

    private func take(_ properties: [String: BusValue], of path: String) {
        var session = sessions[path] ?? Session()
        if let seat = properties["Seat"]?.contents.elements?.first?.string { session.isOnSeat = !seat.isEmpty }
        if let isActive = properties["Active"]?.contents.boolean { session.isActive = isActive }
        if let isLocked = properties["LockedHint"]?.contents.boolean { session.isLocked = isLocked }
        sessions[path] = session
        update()
    }

    private func update() {
        guard reportsLock else {
            wasLocked = nil
            return
        }
        let isLocked = sessions.values.contains { $0.isOnSeat && $0.isActive && $0.isLocked }
        if isLocked == wasLocked { return }
        wasLocked = isLocked
        handler(.locked(isLocked))
    }

    private func woke() {
        isAsleep = false
        handler(.woke)
    }
}
