import Glibc
import PaymentRules
import Ringer

/// Where the whole program runs: on the main thread, beside the device's own. The ledger waits for the disk there, which
/// does not hold up the switch.
@globalActor
actor PaymentActor {
    static let shared = PaymentActor()
}

/// Takes payment notices, records each in the ledger, and announces those that are to be announced, one after another.
///
/// It knows nothing of MQTT: ``Connection`` hands it messages and publishes its reports.
@PaymentActor
final class PaymentSpeaker {
    /// A message of the notice topic.
    struct Message: Sendable {
        var payload: [UInt8]
        var isRetained = false
        /// The seconds until it expires; nil if it does not.
        var expiry: UInt32?
        /// The provider whose topic it came on; nil for the speaker's own.
        var provider: String?
    }

    /// How the speaker behaves.
    struct Settings: Sendable {
        var announcer: Announcer
        var staleness: Staleness
        /// The keys that sign notices and commands; nil if they are not signed.
        var envelope: Envelope?
        /// The wall clock; nil while it is not set.
        var wallClock: @Sendable () -> WallTime?
        /// How long after the start and after the first connection payments wait for the wall clock; nil if they do not.
        var clockPatience: Duration?
        /// Whether what waited for the clock in vain is announced, or recorded as stale.
        var withoutClock = Options.WithoutClock.announce
        var retention = Retention()
        /// The providers that have topics of their own.
        var providers: [String] = []
    }

    /// What the device shows of the speaker, and the fleet sees of it.
    struct Status: Sendable, Hashable {
        var position: SwitchPosition?
        var policy = Options.Policy.announce
        /// The output's volume, 0 to 1; nil where it is unknown.
        var volume: Float?
        /// The volume that the quiet hours give announcements now, 0 to 1; nil where they give none.
        var quietHoursVolume: Float?
        var route = AudioRoute.speaker
        /// How many payments wait to be announced.
        var queue = 0
        /// How many payments were silenced, and wait for somebody to ask for them.
        var unheard = 0
        /// Why announcements fail now.
        var problems: [String: String] = [:]
        /// The newest problem, also when it is over.
        var lastError: String?
        var received = 0
        var announced = 0
        var refused = 0
        var duplicates = 0
    }

    /// What is known of a pending payment beside the ledger, since it arrived in this process.
    struct Arrival {
        var at: MonotonicTime
        var expires: MonotonicTime?
    }

    /// The status light while there are payments that nobody has heard.
    static let unheardLight = LightPattern.blinking(on: .milliseconds(500), off: .milliseconds(500))

    let device: Device
    let ledger: LedgerFile
    var settings: Settings
    /// Whether ``settings`` has the keys that commands have put in the place of others.
    var knowsReplacedKeys = false
    /// Called with the outcome of each notice, once it is recorded.
    var report: (Report) -> Void = { _ in }
    /// Called with each new problem, once until it changes.
    var reportProblem: (RingerError) -> Void = { _ in }
    var arrivals: [String: Arrival] = [:]
    /// A time that has passed for certain, and the device's time then.
    var passed: (time: WallTime, at: MonotonicTime)?
    /// Until when payments wait for the wall clock; nil if they do not.
    var clockDeadline: MonotonicTime?
    var hasBeenConnected = false
    /// Whether the newest session of the broker has its subscriptions.
    var hasWholeSession = true
    /// How many payments have had their outcome since the ledger was pruned.
    var endedSincePruning = 0
    let start: MonotonicTime
    var isRepeatRequested = false
    /// The payment that was announced last; nil before the first one of this process.
    var last: Ledger.Payment?
    let work = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let statusChanges = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    /// The current status; ``statusChanged`` has an element after a change.
    var status = Status() {
        didSet { if status != oldValue { statusChanges.continuation.yield() } }
    }

    /// An element after each change of ``status``; several changes may share one.
    var statusChanged: AsyncStream<Void> { statusChanges.stream }

    init(_ device: Device, ledger: LedgerFile, settings: Settings) {
        self.device = device
        self.ledger = ledger
        self.settings = settings
        start = device.clock.now
        status.policy = settings.announcer.policy
        clockDeadline = settings.clockPatience.map { [start] in start + $0 }
        ledger.onReplacement = { [unowned self] in setProblem("ledger file", $0) }
    }

    /// Announces payments until the task is cancelled or the device is closed. A ledger that cannot be used is a problem
    /// until it can be.
    func run() async throws {
        // From here on: a move before the task begins is not missed.
        let events = device.eventsFromPosition
        setProblem("switch", device.switchProblem)
        followState()
        setProblem("recordings", settings.announcer.check())
        work.continuation.yield()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.announcePending() }
            group.addTask { await self.follow(events) }
            try await group.next()
            group.cancelAll()
        }
    }

    /// Reports what is broken in the health topic; nil if it works again.
    func setProblem(_ part: String, _ error: RingerError?) {
        let text = error.map { "\($0)" }
        guard status.problems[part] != text else { return }
        status.problems[part] = text
        if let text { status.lastError = text }
        if let error { reportProblem(error) }
    }

    // MARK: - Taking notices

    /// Takes a notice, and returns once it is recorded.
    ///
    /// - Throws: ``RingerError`` if the ledger cannot record it; it is to be delivered again then.
    func take(_ message: Message) throws(RingerError) {
        let arrivedAt = device.clock.now
        // As its provider states it, and as the ledger has it.
        let (stated, notice): (Notice, Notice)
        let (envelope, provider) = (try envelope(), message.provider)
        do throws(Refusal) {
            stated = try Envelope.open(message.payload, envelope, of: provider)
            notice = try qualified(stated, by: provider)
        } catch {
            return refuse(error.reason, transaction: error.transaction, of: provider)
        }
        let now = settings.wallClock()
        if Staleness.isToCome(paid: notice.time, now: now) {
            return refuse("the time of the payment is to come", transaction: stated.transaction, of: provider)
        }
        let expires = message.expiry.flatMap { seconds in
            now.map { WallTime(microseconds: $0.microseconds + Int64(seconds) * 1_000_000) }
        }
        let reason = settings.staleness.reason(
            paid: notice.time, expires: expires, isRetained: message.isRetained, now: latestTime())
        var outcome = Report(
            transaction: stated.transaction, provider: provider, outcome: .stale, reason: reason, amount: notice.amount)
        let recording = try ledger.use { ledger throws(RingerError) in
            try ledger.record(notice, receivedAt: now, expires: expires, staleBecause: reason)
        }
        switch recording {
        case .recorded:
            status.received += 1
            guard reason == nil else { return report(outcome) }
            status.queue += 1
            arrivals[notice.transaction] = Arrival(
                at: arrivedAt, expires: message.expiry.map { arrivedAt + .seconds(Int64($0)) })
            work.continuation.yield()
        case .known(let state):
            status.duplicates += 1
            (outcome.outcome, outcome.recorded, outcome.reason) = (.duplicate, state.rawValue, nil)
            report(outcome)
        case .differs:
            status.refused += 1
            (outcome.outcome, outcome.reason) = (.refused, "the transaction is recorded with another content")
            report(outcome)
        }
    }
}
