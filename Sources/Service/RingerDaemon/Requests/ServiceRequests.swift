import RingerCore
import RingerBus

/// The requests of clients: their numbers, their tasks, and the signals of their beginning and their end. It runs on the
/// event loop's thread.
// SAFETY: all state is used on the loop's thread alone, where the requests' tasks run.
final class ServiceRequests: @unchecked Sendable {
    private struct Request {
        var client: String
        var member: String
        /// What it has taken of the budget, until it has ended.
        let share: BudgetShare
        var task: Task<Void, Never>?
        /// The sound that it plays, where it plays one as a kind of sound or in a session.
        var sound: SoundPlayer.ID?
        /// Whether it goes on when its client leaves the bus.
        var outlivesClient = false
        /// Whether its sound's volume can be changed, and the volume that it got.
        let hasVolume: Bool
        var volume: Float?
    }

    /// The announcements that are not in the queue yet.
    let arrivals = ArrivalOrder()
    private let device: Device
    private let connection: BusConnection
    private let clients: ServiceClients
    private let publisher: ServicePublisher
    private var running: [UInt32: Request] = [:]
    /// The requests of the sounds that play, by the sound's number.
    private var playing: [UInt64: UInt32] = [:]
    private var last: UInt32 = 0

    init(_ device: Device, _ connection: BusConnection, _ clients: ServiceClients, _ publisher: ServicePublisher) {
        (self.device, self.connection, self.clients, self.publisher) = (device, connection, clients, publisher)
    }

    /// The numbers and methods of those that run, as the property `Requests` has them.
    var busValue: BusValue {
        .array(
            element: "(us)",
            running.sorted { $0.key < $1.key }.map { .structure([.uint32($0.key), .string($0.value.member)]) })
    }

    /// Answers a call with the number of a new request, and begins it: `body` gets the number and the request's share of the
    /// budget, and returns how it ended, or throws why it failed.
    func begin(
        _ message: BusMessage, for client: ServiceClient, outlivesClient: Bool = false, hasVolume: Bool = false,
        _ body: @escaping @Sendable (UInt32, BudgetShare) async throws -> RequestEnd
    ) throws {
        let share = try client.take(.requests)
        repeat { last = last == .max ? 1 : last + 1 } while running[last] != nil
        let id = last
        client.requests.insert(id)
        running[id] = Request(
            client: client.name, member: message.member, share: share, outlivesClient: outlivesClient,
            hasVolume: hasVolume)
        connection.reply(to: message, [.uint32(id)])
        running[id]?.task = Task(executorPreference: connection.loop) { [self] in
            do {
                try Task.checkCancellation()
                finish(id, try await body(id, share))
            } catch {
                finish(id, RequestEnd(error))
            }
        }
        publisher.publishSoon()
    }

    /// Plays a request's sound, which `start` begins; it gets the volume that was set since the call, if any.
    func play(
        _ id: UInt32, _ start: (Float?, @escaping @Sendable (SoundResult) -> Void) throws -> SoundPlayer.ID
    ) async throws -> RequestEnd {
        try await withCheckedThrowingContinuation { continuation in
            do {
                let sound = try start(running[id]?.volume) { continuation.resume(returning: RequestEnd($0)) }
                running[id]?.sound = sound
                if running[id] != nil { playing[sound.number] = id }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    /// Whose request plays a sound; nil where that is none's.
    func client(ofSound sound: UInt64) -> String? { playing[sound].flatMap { running[$0]?.client } }

    /// Informs the client of a sound's request that its first sample is heard.
    func started(_ sound: UInt64, at time: MonotonicTime) {
        guard let id = playing[sound], let request = running[id] else { return }
        connection.signal(
            RingerNames.path, RingerNames.interface, "Started",
            [.uint32(id), .time(time)], to: request.client)
    }

    /// Stops a request of the caller's own, or, with the permission, of any client.
    func stop(_ id: UInt32, for name: String, _ credentials: Authorization.Credentials) throws {
        guard let request = running[id] else { return }
        guard request.client == name || clients.allows(credentials, .control) else {
            throw BusError.accessDenied("request \(id) belongs to another client")
        }
        cancel(id)
    }

    /// Changes the volume of the caller's own request, 0 to 1. One that has ended is left alone.
    func setVolume(_ volume: Float, of id: UInt32, for client: ServiceClient) throws {
        guard let request = running[id] else { return }
        guard request.client == client.name else {
            throw BusError.accessDenied("request \(id) belongs to another client")
        }
        guard request.hasVolume else {
            throw BusError.invalidArguments("request \(id) plays no sound in a category or a session")
        }
        running[id]?.volume = volume
        if let sound = request.sound { device.player.setVolume(volume, of: sound) }
    }

    /// Stops the requests of a client that is no longer known.
    func forget(_ client: ServiceClient) {
        // What is to be played to its end plays on; nobody is left to be informed.
        for id in client.requests where running[id]?.outlivesClient != true { cancel(id) }
    }

    /// Stops every request, and informs the clients.
    func stop() {
        for id in running.keys.sorted() {
            cancel(id)
            finish(id, RequestEnd("stopped", "closed"))
        }
    }

    private func cancel(_ id: UInt32) {
        guard let request = running[id] else { return }
        request.task?.cancel()
        arrivals.leave(id)
        if let sound = request.sound { device.player.stop(sound) }
    }

    private func finish(_ id: UInt32, _ end: RequestEnd) {
        guard let request = running.removeValue(forKey: id) else { return }
        if let sound = request.sound { playing[sound.number] = nil }
        publisher.publishSoon()
        guard let client = clients[request.client] else { return }
        connection.signal(
            RingerNames.path, RingerNames.interface, "Ended",
            [.uint32(id), .string(end.outcome), .string(end.reason), .dictionary(end.details)], to: client.name)
        client.requests.remove(id)
    }
}
