import PaymentRules
import Ringer

/// The speaker's connection to its broker: held as long as the device is open, and made anew, with growing pauses, when it
/// is lost.
///
///     payments/NAME           notices
///     payments/NAME/PROVIDER  notices of another provider, whose outcomes are at payments/NAME/PROVIDER/result
///     payments/NAME/command   what its user and its owner ask of it: ``Command``
///     payments/NAME/result    the outcome of each notice
///     payments/NAME/state     retained: whether the speaker is there, its switch, how many payments nobody has heard
///     payments/NAME/health    retained: what is broken, and counts since the start
@PaymentActor
final class Connection {
    let device: Device
    let speaker: PaymentSpeaker
    private let topic: String
    let client: MQTTClient
    /// How long the broker may take to accept the connection and the subscriptions.
    let patience: Duration
    /// Whether the broker has accepted the connection.
    private var isAccepted = false
    /// Whether it has accepted the subscriptions as well.
    var isConnected = false
    private var backOff = BackOff()
    /// The message whose acknowledgement makes the connection a good one.
    var question: CInt?
    /// Results that came without a connection, when the client is another thread's, which connects; and those that the broker
    /// has refused for now.
    private var waiting: [(topic: String, text: String)] = []
    /// The results that the broker has not acknowledged.
    private var underWay: [CInt: (topic: String, text: String)] = [:]
    /// When the broker was last sent something.
    var lastSent: MonotonicTime
    /// Called when the broker accepts the connection.
    var beginAsking: () -> Void = {}
    /// Called when it has accepted the subscriptions as well.
    var beginProbation: () -> Void = {}
    /// Called when the broker has refused a message that it may take later.
    var beginPause: () -> Void = {}
    /// Called when something waits until the socket takes it.
    var wakeWriter: () -> Void = {}
    /// The newest text of the topic `state`, and what the topic `health` said last.
    var publishedState: String?
    var publishedHealth: Health?

    /// A connection that ``run()`` makes.
    ///
    /// - Parameters:
    ///   - settings: How to reach the broker; the topics and the will are set here.
    ///   - topic: The topic of the notices.
    init(
        _ device: Device, _ speaker: PaymentSpeaker, _ settings: MQTTClient.Settings, topic: String
    ) throws(RingerError) {
        var settings = settings
        settings.topics = [topic, topic + "/command"] + speaker.settings.providers.map { "\(topic)/\($0)" }
        settings.will = (topic + "/state", JSONObject(["state": .string("offline")]).text)
        self.device = device
        self.speaker = speaker
        self.topic = topic
        client = try MQTTClient(settings)
        patience = .seconds(settings.keepAlive)
        lastSent = device.clock.now
        client.onMessage = { [unowned self] in take($0) }
        client.onAccepted = { [unowned self] in accepted($0) }
        client.onConnected = { [unowned self] in connected() }
        client.onAcknowledgement = { [unowned self] in acknowledged($0) }
        client.onRefusal = { [unowned self] in refused($0, isTemporary: $1, $2) }
    }

    /// Connects, and serves the connection, until the task is cancelled or the device is closed.
    func run() async throws {
        while true {
            do throws(RingerError) {
                // Another process that has the ledger has the client ID as well: each would throw the other off.
                try speaker.keepLedger()
                try await connect()
                try await serve()
            } catch {
                speaker.setProblem(error.code == .busy ? "ledger" : "broker", error)
            }
            client.breakOff()
            (isAccepted, isConnected, question) = (false, false, nil)
            backOff.connectionEnded(at: device.clock.now)
            try await device.sleep(for: backOff.next())
        }
    }

    /// Publishes the outcome of a notice.
    func publish(_ report: Report) {
        let name = (report.provider.map { $0 + "/" } ?? "") + "result"
        waiting.append((name, report.json))
        if isConnected { publishWaiting() }
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

    // MARK: - Messages

    /// Publishes the health at once: a ledger that cannot keep the messages to come breaks the connection off.
    private func accepted(_ session: MQTTClient.Session) {
        isAccepted = true
        speaker.brokerAccepted(session, of: client)
        beginAsking()
        speaker.connectionBegan()
        (publishedState, publishedHealth) = (nil, nil)
        publishStatusNow()
    }

    private func connected() {
        isConnected = true
        backOff.connectionBegan(at: device.clock.now)
        beginProbation()
        speaker.setProblem("broker", nil)
        speaker.sessionBegan(of: client)
        publishStatusNow()
        publishWaiting()
    }

    func publishWaiting() {
        let results = waiting
        waiting = []
        for result in results {
            if let message = publish(result.topic, result.text) { underWay[message] = result }
        }
    }

    private func acknowledged(_ message: CInt) {
        underWay[message] = nil
        if message == question { backOff.connectionIsGood() }
    }

    private func refused(_ message: CInt, isTemporary: Bool, _ error: RingerError) {
        speaker.setProblem("broker", error)
        guard isTemporary else { return }
        if let result = underWay[message] { waiting.append(result) }
        beginPause()
    }

    private func take(_ message: MQTTClient.Message) -> Bool {
        // It is acknowledged.
        lastSent = device.clock.now
        do throws(RingerError) {
            if message.topic != topic + "/command" {
                let provider = message.topic == topic ? nil : String(message.topic.dropFirst(topic.count + 1))
                // The broker's session goes on with the subscriptions of earlier starts.
                if let provider, !speaker.settings.providers.contains(provider) { return true }
                try speaker.take(
                    .init(
                        payload: message.payload, isRetained: message.isRetained, expiry: message.expiry,
                        provider: provider))
            } else if !message.isRetained {
                try speaker.takeCommand(message.payload)
            }
            speaker.setProblem("ledger", nil)
            return true
        } catch {
            speaker.setProblem("ledger", error)
            return false
        }
    }

    func publishStatusNow() {
        guard isAccepted else { return }
        let status = speaker.status
        // The time alone is no news.
        let health = speaker.health
        if health != publishedHealth {
            publishedHealth = health
            publishHealth()
        }
        // Without its subscriptions the speaker is not online.
        guard isConnected else { return }
        let state = JSONObject([
            "state": .string("online"), "policy": .string(status.policy.rawValue),
            "position": .optional(status.position?.rawValue), "unheard": .count(status.unheard),
        ]).text
        guard state != publishedState else { return }
        publishedState = state
        publish("state", state, isRetained: true)
    }

    @discardableResult
    func publishHealth() -> CInt? {
        publish("health", speaker.health.json(uptime: speaker.uptime), isRetained: true)
    }

    @discardableResult
    private func publish(_ name: String, _ payload: String, isRetained: Bool = false) -> CInt? {
        var message: CInt?
        do throws(RingerError) {
            message = try client.publish("\(topic)/\(name)", payload, isRetained: isRetained)
        } catch {
            speaker.setProblem("broker", error)
        }
        lastSent = device.clock.now
        if client.wantsWrite { wakeWriter() }
        return message
    }
}
