import Glibc
import RingerCore
import RingerBus
import ServiceSupport
import Synchronization

/// A program that answers as logind does on a test's bus.
final class FakeLogind: Sendable {
    private let loop: EventLoop
    private let held = Held()

    // SAFETY: used on the loop's thread alone.
    private final class Held: @unchecked Sendable {
        var connection: BusConnection?
        var served: BusConnection.Registration?
        var sessions: [String: [String: BusValue]] = [:]
        /// The arguments of the calls of Inhibit.
        var inhibitions: [[String?]] = []
        /// The read end of the newest lock's pipe: it is at its end once the lock is released.
        var lock: CInt = -1

        deinit {
            if lock >= 0 { Glibc.close(lock) }
        }
    }

    private static let name = "org.freedesktop.login1"
    private static let path = "/org/freedesktop/login1"

    /// - Parameter ownsName: Whether it is logind; otherwise it is a program that pretends to be.
    ///   - refusesLocks: Whether it refuses to delay sleep.
    init(_ address: String, ownsName: Bool = true, refusesLocks: Bool = false) throws {
        let loop = try EventLoop(name: "logind")
        self.loop = loop
        try loop.syncThrowing { [held] () throws(RingerError) in
            let connection = try BusConnection.connect(.address(address), on: loop)
            held.connection = connection
            held.served = try connection.serve(Self.path) { [unowned held, unowned connection] message in
                switch message.member {
                case "ListSessions":
                    let sessions = held.sessions.keys.sorted().map { path in
                        BusValue.structure([
                            .string("1"), .uint32(0), .string("user"), .string(""), .objectPath(path),
                        ])
                    }
                    connection.reply(to: message, [.array(element: "(susso)", sessions)])
                case "GetAll": connection.reply(to: message, [.dictionary(held.sessions[message.path] ?? [:])])
                case "Inhibit" where refusesLocks:
                    connection.reply(to: message, .accessDenied("no locks for you"))
                case "Inhibit":
                    var pipe: [CInt] = [-1, -1]
                    guard Glibc.pipe(&pipe) == 0 else { return false }
                    for end in pipe { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
                    if held.lock >= 0 { Glibc.close(held.lock) }
                    held.lock = pipe[0]
                    held.inhibitions.append((try? message.read().map(\.string)) ?? [])
                    connection.reply(to: message, [.descriptor(pipe[1])])
                    Glibc.close(pipe[1])
                default: return false
                }
                return true
            }
            if ownsName { try connection.own(Self.name) }
        }
    }

    deinit {
        disconnect()
        loop.close()
    }

    /// Leaves the bus. Afterwards the name is free: the daemon may notice a closed connection after the next one's request.
    func leave() async {
        await withCheckedContinuation { freed in
            loop.sync { [held] in
                let bus = "org.freedesktop.DBus"
                held.connection?.call(bus, "/org/freedesktop/DBus", bus, "ReleaseName", [.string(Self.name)]) { _ in
                    freed.resume()
                }
            }
        }
        disconnect()
    }

    private func disconnect() {
        loop.sync { [held] in
            held.served = nil
            held.connection?.close()
            held.connection = nil
        }
    }

    private func signal(
        _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue], to destination: String? = nil
    ) {
        loop.sync { [held] in
            held.connection?.signal(path, interface, member, arguments, to: destination)
        }
    }

    private static func path(_ session: String) -> String { path + "/session/" + session }

    /// Makes a session, and announces it.
    func add(
        _ session: String, seat: String = "seat0", isActive: Bool = true, isLocked: Bool = false,
        of kind: String = "user"
    ) {
        let path = Self.path(session)
        loop.sync { [held] in
            held.sessions[path] = [
                "Seat": .structure([
                    .string(seat), .objectPath(seat.isEmpty ? "/" : "/org/freedesktop/login1/seat/seat0"),
                ]),
                "Active": .boolean(isActive), "LockedHint": .boolean(isLocked), "Class": .string(kind),
            ]
        }
        signal(Self.path, "org.freedesktop.login1.Manager", "SessionNew", [.string(session), .objectPath(path)])
    }

    /// Changes a property of a session.
    func set(_ session: String, _ property: String, _ value: Bool, to destination: String? = nil) {
        let path = Self.path(session)
        loop.sync { [held] in held.sessions[path]?[property] = .boolean(value) }
        signal(
            path, BusInterface.properties, "PropertiesChanged",
            [.string("org.freedesktop.login1.Session"), .dictionary([property: .boolean(value)]), .strings([])],
            to: destination)
    }

    /// Ends a session.
    func remove(_ session: String) {
        let path = Self.path(session)
        loop.sync { [held] in _ = held.sessions.removeValue(forKey: path) }
        signal(Self.path, "org.freedesktop.login1.Manager", "SessionRemoved", [.string(session), .objectPath(path)])
    }

    /// Announces that the machine is about to sleep, or has woken.
    func prepareForSleep(_ begins: Bool) {
        signal(Self.path, "org.freedesktop.login1.Manager", "PrepareForSleep", [.boolean(begins)])
    }

    /// The arguments of the calls of Inhibit, in order.
    var inhibitions: [[String?]] {
        let copy = Mutex<[[String?]]>([])
        loop.sync { [held] in copy.withLock { $0 = held.inhibitions } }
        return copy.withLock { $0 }
    }

    /// Waits until the newest lock is released.
    func lockIsReleased() async {
        while isLocked { await Task.yield() }
    }

    /// Whether somebody holds the newest lock.
    var isLocked: Bool {
        let isLocked = Mutex(false)
        loop.sync { [held] in
            var descriptor = pollfd(fd: held.lock, events: 0, revents: 0)
            poll(&descriptor, 1, 0)
            isLocked.withLock { $0 = held.lock >= 0 && descriptor.revents & Int16(POLLHUP) == 0 }
        }
        return isLocked.withLock { $0 }
    }

    /// A property of the service, when it has handled all that was sent before.
    func property(_ name: String) async throws -> BusValue? {
        let answer = Answer<BusValue?>()
        await withCheckedContinuation { continuation in
            loop.execute { [held] in
                guard let connection = held.connection else {
                    answer.set(.failure(BusError("closed", "closed")))
                    return continuation.resume()
                }
                connection.call(
                    RingerNames.service, RingerNames.path, BusInterface.properties, "Get",
                    [.string(RingerNames.interface), .string(name)]
                ) { result in
                    answer.set(
                        result.flatMap { message in
                            do throws(BusError) {
                                return .success(try message.read().first?.contents)
                            } catch {
                                return .failure(error)
                            }
                        })
                    continuation.resume()
                }
            }
        }
        return try answer.get()
    }
}
