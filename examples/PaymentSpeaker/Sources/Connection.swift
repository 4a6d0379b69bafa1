import PaymentRules
import Ringer

/// The speaker's connection to its broker: held as long as the device is open, and made anew, with growing pauses, when it
/// is lost.
///
///     payments/NAME           notices
///     payments/NAME/command   "repeat": does what the key does
///     payments/NAME/result    the outcome of each notice
///     payments/NAME/state     retained: whether the speaker is there, its switch, how many payments nobody has heard
///     payments/NAME/health    retained: what is broken, and counts since the start
@PaymentActor
final class Connection {
    private let device: Device
    private let speaker: PaymentSpeaker
    private let policy: Options.Policy
    private let topic: String
    private let client: MQTTClient
    private let keepAlive: Duration
    private var isConnected = false
    private var backOff = BackOff()
    /// Results that came without a connection. The client is another thread's then, which connects.
    private var waiting: [String] = []
    /// When the broker was last sent something.
    private var lastSent: MonotonicTime
    /// Called when something waits until the socket takes it.
    private var wakeWriter: () -> Void = {}
    /// The newest texts of the retained topics.
    private var retained: [String: String] = [:]

    /// A connection that ``run()`` makes.
    ///
    /// - Parameters:
    ///   - settings: How to reach the broker; the topics and the will are set here.
    ///   - topic: The topic of the notices.
    init(
        _ device: Device, _ speaker: PaymentSpeaker, _ settings: MQTTClient.Settings, topic: String,
        policy: Options.Policy
    ) throws(RingerError) {
        var settings = settings
        settings.topics = [topic, topic + "/command"]
        settings.will = (topic + "/state", JSONObject(["state": .string("offline")]).text)
        self.device = device
        self.speaker = speaker
        self.policy = policy
        self.topic = topic
        client = try MQTTClient(settings)
        keepAlive = .seconds(settings.keepAlive)
        lastSent = device.clock.now
        client.onMessage = { [unowned self] in take($0) }
        client.onConnected = { [unowned self] in connected() }
        client.onRefusal = { [unowned self] in self.speaker.setProblem("broker", $0) }
    }

    /// Connects, and serves the connection, until the task is cancelled or the device is closed.
    func run() async throws {
        while true {
            do throws(RingerError) {
                try await connect()
                let begin = device.clock.now
                defer { backOff.connectionHeld(device.clock.now - begin) }
                try await serve()
            } catch {
                speaker.setProblem("broker", error)
            }
            client.breakOff()
            isConnected = false
            try await device.sleep(for: .seconds(backOff.next() * Double.random(in: 0.5...1)))
        }
    }

    /// Publishes the outcome of a notice.
    func publish(_ report: Report) {
        if isConnected { publish("result", report.json) } else { waiting.append(report.json) }
    }

    /// Publishes the status when it has changed, at most once a second.
    func publishStatus() async throws {
        for await _ in speaker.statusChanged {
            publishStatusNow()
            try await device.sleep(for: .seconds(1))
        }
    }

    // MARK: - The connection

    /// Connects on a thread of its own, which ends with it: names may take long to resolve, and hosts to answer.
    private func connect() async throws(RingerError) {
        let connecting = client.connecting
        let result: Result<Void, RingerError> = await withCheckedContinuation { continuation in
            device.clock.runAside {
                do throws(RingerError) {
                    try connecting.run()
                    continuation.resume(returning: .success(()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        try result.get()
    }

    private func serve() async throws(RingerError) {
        lastSent = device.clock.now
        try client.write()
        let descriptor = client.descriptor
        // A new one each time: cancelling its reader ends a stream for good.
        let unsent = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        wakeWriter = { unsent.continuation.yield() }
        let result = await withTaskGroup(of: Result<Void, RingerError>.self) { group in
            group.addTask { await Self.result { () throws(RingerError) in try await self.read(descriptor) } }
            group.addTask {
                await Self.result { () throws(RingerError) in try await self.write(unsent.stream, descriptor) }
            }
            group.addTask { await Self.result { () throws(RingerError) in try await self.ask() } }
            defer { group.cancelAll() }
            return await group.next() ?? .success(())
        }
        try result.get()
    }

    private static func result(
        _ body: @PaymentActor () async throws(RingerError) -> Void
    ) async -> Result<Void, RingerError> {
        do throws(RingerError) {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }

    private func read(_ descriptor: CInt) async throws(RingerError) {
        for await _ in try device.watch(descriptor) {
            try client.read()
            if client.wantsWrite { wakeWriter() }
        }
    }

    private func write(_ unsent: AsyncStream<Void>, _ descriptor: CInt) async throws(RingerError) {
        for await _ in unsent {
            guard client.wantsWrite else { continue }
            for await _ in try device.watch(descriptor, for: .writable) {
                try client.write()
                if !client.wantsWrite { break }
            }
        }
    }

    /// Asks the broker whether it is there, when nothing was sent for the keep-alive time.
    private func ask() async throws(RingerError) {
        while true {
            let due = lastSent + keepAlive
            if due <= device.clock.now {
                try client.keepAlive()
                lastSent = device.clock.now
            } else {
                // Cancelled, or the device is closed.
                guard (try? await device.sleep(until: due)) != nil else { return }
            }
        }
    }

    // MARK: - Messages

    private func connected() {
        isConnected = true
        speaker.setProblem("broker", nil)
        retained = [:]
        publishStatusNow()
        for result in waiting { publish("result", result) }
        waiting = []
    }

    private func take(_ message: MQTTClient.Message) -> Bool {
        // It is acknowledged.
        lastSent = device.clock.now
        do throws(RingerError) {
            if message.topic == topic {
                try speaker.take(
                    .init(payload: message.payload, isRetained: message.isRetained, expiry: message.expiry))
            } else if !message.isRetained, message.payload == Array("repeat".utf8) {
                try speaker.repeatAnnouncement()
            }
            speaker.setProblem("ledger", nil)
            return true
        } catch {
            speaker.setProblem("ledger", error)
            return false
        }
    }

    private func publishStatusNow() {
        guard isConnected else { return }
        let status = speaker.status
        retain(
            "state",
            JSONObject([
                "state": .string("online"), "policy": .string(policy.rawValue),
                "position": .optional(status.position?.rawValue), "unheard": .integer(status.unheard),
            ]))
        retain(
            "health",
            JSONObject([
                "problems": .strings(status.problems.values.sorted()), "received": .integer(status.received),
                "announced": .integer(status.announced), "duplicates": .integer(status.duplicates),
                "refused": .integer(status.refused),
            ]))
    }

    private func retain(_ name: String, _ object: JSONObject) {
        let text = object.text
        guard retained.updateValue(text, forKey: name) != text else { return }
        publish(name, text, isRetained: true)
    }

    private func publish(_ name: String, _ payload: String, isRetained: Bool = false) {
        do throws(RingerError) {
            try client.publish("\(topic)/\(name)", payload, isRetained: isRetained)
        } catch {
            speaker.setProblem("broker", error)
        }
        lastSent = device.clock.now
        if client.wantsWrite { wakeWriter() }
    }
}

/// The pauses between attempts to connect, in seconds: each is twice the one before. A random part of them keeps a fleet
/// apart.
struct BackOff {
    private static let pauses = 0.5...60.0
    /// A connection that held for so long was none that fails again and again, such as one whose messages cannot be kept.
    private static let proof = Duration.seconds(60)
    private var pause = BackOff.pauses.lowerBound

    /// Begins anew after a connection that held.
    mutating func connectionHeld(_ time: Duration) {
        if time >= Self.proof { pause = Self.pauses.lowerBound }
    }

    /// The longest that the next pause may be.
    mutating func next() -> Double {
        defer { pause = min(pause * 2, Self.pauses.upperBound) }
        return pause
    }
}
