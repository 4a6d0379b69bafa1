import RingerBus
import RingerCore
import Synchronization

/// A program on the bus that calls the service.
package final class BusClient: Sendable {
    package struct Ended: Sendable, Equatable {
        package var request: UInt32
        package var outcome: String
        package var reason: String

        package init(request: UInt32, outcome: String, reason: String) {
            self.request = request
            self.outcome = outcome
            self.reason = reason
        }
    }

    private let loop: EventLoop
    private let held: Held
    private let gate = Latch()
    private let replyTimeout: Duration?
    /// The signals that it got: member and arguments.
    package let signals: AsyncStream<(member: String, arguments: [BusValue])>

    // SAFETY: used on the loop's thread alone.
    private final class Held: @unchecked Sendable {
        var connection: BusConnection?
        var match: BusConnection.Registration?
    }

    /// - Parameters:
    ///   - user: Whose program it is; nil for the user who runs the test.
    ///   - replyTimeout: How long to wait for each reply; nil for ever.
    package init(_ address: String, as user: TestUser? = nil, replyTimeout: Duration? = .seconds(120)) throws {
        let loop = try EventLoop(name: "client")
        self.loop = loop
        self.replyTimeout = replyTimeout
        held = Held()
        let (signals, continuation) = AsyncStream<(member: String, arguments: [BusValue])>.makeStream()
        self.signals = signals
        try loop.syncThrowing { [held] () throws(RingerError) in
            let connection = try TestUser.run(as: user) { () throws(RingerError) in
                try BusConnection.connect(.address(address), on: loop)
            }
            held.match = BusName(RingerNames.service, on: connection) { _ in }.signals { message in
                continuation.yield((message.member, (try? message.read()) ?? []))
            }
            connection.onDisconnect { _ in continuation.finish() }
            held.connection = connection
        }
    }

    deinit {
        close()
        loop.close()
    }

    /// Keeps the client from reading what arrives, until ``unblock()``.
    package func block() {
        loop.execute { [gate] in gate.wait() }
    }

    package func unblock() {
        gate.open()
    }

    /// Returns once the bus has passed on what was sent before.
    package func flush() async {
        await withCheckedContinuation { continuation in
            loop.execute { [held, replyTimeout] in
                guard let connection = held.connection else { return continuation.resume() }
                let bus = "org.freedesktop.DBus"
                connection.call(bus, "/org/freedesktop/DBus", bus, "GetId", [], timeout: replyTimeout) { _ in
                    continuation.resume()
                }
            }
        }
    }

    /// Leaves the bus.
    package func close() {
        loop.sync { [held] in
            held.match = nil
            held.connection?.close()
            held.connection = nil
        }
    }

    /// Calls a method and returns the reply's values.
    package func call(
        _ member: String, _ arguments: [BusValue] = [], interface: String = RingerNames.interface,
        path: String = RingerNames.path, of destination: String = RingerNames.service
    ) async throws -> [BusValue] {
        let answer = Answer<[BusValue]>()
        await withCheckedContinuation { continuation in
            loop.execute { [held, replyTimeout] in
                guard let connection = held.connection else {
                    answer.set(.failure(BusError("closed", "closed")))
                    return continuation.resume()
                }
                connection.call(destination, path, interface, member, arguments, timeout: replyTimeout) { result in
                    let values = result.flatMap { message in
                        do throws(BusError) { return .success(try message.read()) } catch { return .failure(error) }
                    }.mapError { error in
                        // Says which of many calls it was.
                        guard error.name.hasSuffix(".NoReply") else { return error }
                        return BusError(error.name, "\(member) of \(path): \(error.message)")
                    }
                    answer.set(values)
                    continuation.resume()
                }
            }
        }
        return try answer.get()
    }

    /// The error's name with which a call ends; nil where it succeeds.
    package func error(
        _ member: String, _ arguments: [BusValue] = [], interface: String = RingerNames.interface,
        path: String = RingerNames.path
    ) async -> String? {
        do {
            _ = try await call(member, arguments, interface: interface, path: path)
            return nil
        } catch {
            return (error as? BusError)?.name ?? "\(error)"
        }
    }

    /// Sets a property; the error's name, or nil where it succeeds.
    package func set(_ property: String, _ value: BusValue) async -> String? {
        await error(
            "Set", [.string(RingerNames.interface), .string(property), .variant(value)],
            interface: BusInterface.properties)
    }

    /// Calls a method of the bus itself.
    package func bus(_ member: String, _ arguments: [BusValue] = []) async throws -> BusValue? {
        let bus = "org.freedesktop.DBus"
        return try await call(member, arguments, interface: bus, path: "/org/freedesktop/DBus", of: bus).first
    }

    /// The unique names of all programs on the bus, those of this one and the service's among them.
    package func everybody() async throws -> [String] {
        try await bus("ListNames")?.strings?.filter { $0.hasPrefix(":") } ?? []
    }

    /// Sends a signal to one program, as anybody may, and returns once the bus has passed it on.
    package func signal(
        _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue], to destination: String
    ) async throws {
        loop.sync { [held] in held.connection?.signal(path, interface, member, arguments, to: destination) }
        _ = try await bus("GetId")
    }

    /// Begins a request and returns its number.
    package func request(
        _ member: String, _ arguments: [BusValue], path: String = RingerNames.path
    ) async throws -> UInt32 {
        let interface = path == RingerNames.path ? RingerNames.interface : RingerNames.sessionInterface
        return try await call(member, arguments, interface: interface, path: path).first?.uint32 ?? 0
    }

    package func play(_ sound: BusValue, _ options: [String: BusValue] = [:]) async throws -> UInt32 {
        try await request("Play", [.variant(sound), .dictionary(options)])
    }

    /// Moves the service's clock forward.
    package func advance(_ duration: Duration) async throws {
        let microseconds = UInt64(duration / .microseconds(1))
        _ = try await call("Advance", [.uint64(microseconds)], interface: RingerNames.simulatedBoardInterface)
    }

    package func property(_ name: String) async throws -> BusValue? {
        try await call("Get", [.string(RingerNames.interface), .string(name)], interface: BusInterface.properties)
            .first?.contents
    }

    /// Waits for the next Ended signal.
    package func ended() async -> Ended? {
        for await signal in signals where signal.member == "Ended" {
            return Ended(
                request: signal.arguments[0].uint32 ?? 0, outcome: signal.arguments[1].string ?? "",
                reason: signal.arguments[2].string ?? "")
        }
        return nil
    }
}

/// What a call led to. ThreadSanitizer sees the lock, and does not see a continuation that is resumed before its task waits.
package final class Answer<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, BusError>?>(nil)

    package init() {}

    package func set(_ result: Result<Value, BusError>) {
        self.result.withLock { $0 = result }
    }

    package func get() throws -> Value {
        guard let result = result.withLock({ $0 }) else { throw BusError("unanswered", "there is no answer") }
        return try result.get()
    }
}
