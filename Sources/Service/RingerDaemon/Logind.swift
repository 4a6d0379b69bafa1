import Glibc
import RingerCore
import RingerBus
import SystemPackage

/// Follows logind, where there is one: whether the screen is locked, and when the machine sleeps. It can delay a sleep until
/// what has to be done before has been done.
///
/// The screen is locked while a session that is in the foreground of a seat has the hint `LockedHint`, which its shell sets,
/// or is of the class `greeter` or `lock-screen`.
/// It runs on the event loop's thread, and asks asynchronously. Its interface is org.freedesktop.login1(5).
final class Logind {
    /// What logind reports.
    enum Event: Hashable {
        /// The screen was locked or unlocked.
        case locked(Bool)
        /// The machine is about to sleep: it waits until the handler returns.
        case sleeps
        /// The machine woke, or a sleep was given up.
        case woke
        /// logind does not let this process delay a sleep, for this reason.
        case inhibitorRefused(RingerError)
    }

    private struct Session {
        var isOnSeat = false
        var isActive = false
        var isLocked = false
        /// Whether it asks for the password in place of another session.
        var isLockScreen = false
    }

    private static let name = "org.freedesktop.login1"
    private static let path = "/org/freedesktop/login1"
    private static let manager = "org.freedesktop.login1.Manager"
    private static let session = "org.freedesktop.login1.Session"

    private let connection: BusConnection
    private let handler: (Event) -> Void
    private var matches: [BusConnection.Registration] = []
    /// The unique name of the logind that is followed; nil while there is none.
    private var owner: String?
    private var sessions: [String: Session] = [:]
    private var wasLocked: Bool?
    private let delaysSleep: Bool
    /// logind lets the machine sleep when this is closed. Nil where it is not delayed, and while the machine sleeps.
    private var inhibitor: FileDescriptor?

    /// Whether the machine is about to sleep, sleeps, or woke without a report yet.
    private(set) var isAsleep = false
    /// Whether logind reports the lock: it has a session on a seat.
    var reportsLock: Bool { sessions.values.contains { $0.isOnSeat } }

    /// - Parameters:
    ///   - connection: The system bus.
    ///   - delaysSleep: Whether the machine waits for the handler before it sleeps.
    ///   - handler: Called with each event.
    init(_ connection: BusConnection, delaysSleep: Bool, _ handler: @escaping (Event) -> Void) {
        self.connection = connection
        self.delaysSleep = delaysSleep
        self.handler = handler
        let name = BusName(Self.name, on: connection) { [weak self] change in
            switch change {
            case .found(let owner), .changed(_, let owner): self?.adopt(owner)
            case .unwatched: break
            }
        }
        signals(of: name, "path='\(Self.path)',interface='\(Self.manager)'") { logind, message in
            logind.note(message)
        }
        signals(
            of: name,
            "path_namespace='\(Self.path)/session',interface='\(BusInterface.properties)',"
                + "member='PropertiesChanged',arg0='\(Self.session)'"
        ) { logind, message in
            logind.changed(message)
        }
    }

    deinit {
        release()
    }

    private func signals(of name: BusName, _ rule: String, _ body: @escaping (Logind, BusMessage) -> Void) {
        matches.append(
            name.signals(rule) { [weak self] message in
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

    /// Follows another logind; nil means that it is gone.
    private func adopt(_ new: String?) {
        if new == owner { return }
        owner = new
        sessions = [:]
        wasLocked = nil
        release()
        // What it has announced, it will not end.
        if isAsleep { woke() }
        guard let new else { return }
        inhibit()
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
        guard let values = try? message.read() else { return }
        switch message.member {
        case "SessionNew":
            if let path = values.last?.string { ask(path) }
        case "SessionRemoved":
            guard let path = values.last?.string, sessions.removeValue(forKey: path) != nil else { return }
            update()
        case "PrepareForSleep":
            guard let begins = values.first?.boolean else { return }
            if begins {
                isAsleep = true
                handler(.sleeps)
                release()
            } else {
                woke()
                inhibit()
            }
        default: break
        }
    }

    private func changed(_ message: BusMessage) {
        guard let values = try? message.read(), values.count == 3,
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
        if let kind = properties["Class"]?.contents.string {
            session.isLockScreen = kind == "greeter" || kind == "lock-screen"
        }
        sessions[path] = session
        update()
    }

    private func update() {
        guard reportsLock else {
            wasLocked = nil
            return
        }
        let isLocked = sessions.values.contains { $0.isOnSeat && $0.isActive && ($0.isLocked || $0.isLockScreen) }
        if isLocked == wasLocked { return }
        wasLocked = isLocked
        handler(.locked(isLocked))
    }

    private func woke() {
        isAsleep = false
        handler(.woke)
    }

    // MARK: - Delaying sleep

    /// Takes a lock that delays a sleep until ``release()``, for logind's `InhibitDelayMaxSec` at most (5 s by default).
    private func inhibit() {
        guard delaysSleep, let owner else { return }
        connection.call(
            owner, Self.path, Self.manager, "Inhibit",
            [
                .string("sleep"), .string("ringerd"), .string("The vibration motor is turned off first."),
                .string("delay"),
            ],
            autoStart: false
        ) { [weak self] result in
            // A sleep that was announced before logind knew the lock is not delayed by it.
            guard let self, self.owner == owner, !isAsleep else { return }
            do throws(RingerError) {
                let values: [BusValue]
                do throws(BusError) {
                    values = try result.get().read()
                } catch {
                    throw RingerError(.permissionDenied, "delay sleep", Self.name, detail: error.message)
                }
                guard case .descriptor(let descriptor)? = values.first else {
                    throw RingerError(.system, "delay sleep", Self.name, detail: "the reply has no descriptor")
                }
                // The message closes its own.
                let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
                guard own >= 0 else { throw RingerError("delay sleep", Self.name, Errno(rawValue: errno)) }
                release()
                inhibitor = FileDescriptor(rawValue: own)
            } catch {
                handler(.inhibitorRefused(error))
            }
        }
    }

    /// Lets the machine sleep.
    private func release() {
        guard let inhibitor else { return }
        self.inhibitor = nil
        // A descriptor of this process's own that is open closes.
        try? inhibitor.close()
    }
}
