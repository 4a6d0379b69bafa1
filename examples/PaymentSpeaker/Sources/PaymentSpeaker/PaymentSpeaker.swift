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
    }

    /// What the device shows of the speaker, and the fleet sees of it.
    struct Status: Sendable, Hashable {
        var position: SwitchPosition?
        /// The output's volume, 0 to 1; nil where it is unknown.
        var volume: Float?
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
    private struct Arrival {
        var at: MonotonicTime
        var expires: MonotonicTime?
    }

    /// The status light while there are payments that nobody has heard.
    private static let unheardLight = LightPattern.blinking(on: .milliseconds(500), off: .milliseconds(500))

    private let device: Device
    private let ledger: LedgerFile
    private let settings: Settings
    /// Called with the outcome of each notice, once it is recorded.
    var report: (Report) -> Void = { _ in }
    /// Called with each new problem, once until it changes.
    var reportProblem: (RingerError) -> Void = { _ in }
    private var arrivals: [String: Arrival] = [:]
    /// A time that has passed for certain, and the device's time then.
    private var passed: (time: WallTime, at: MonotonicTime)?
    /// Until when payments wait for the wall clock; nil if they do not.
    private var clockDeadline: MonotonicTime?
    private var hasBeenConnected = false
    private let start: MonotonicTime
    private var isRepeatRequested = false
    /// The payment that was announced last; nil before the first one of this process.
    private var last: Ledger.Payment?
    private let work = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let statusChanges = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    /// The current status; ``statusChanged`` has an element after a change.
    private(set) var status = Status() {
        didSet { if status != oldValue { statusChanges.continuation.yield() } }
    }

    /// An element after each change of ``status``; several changes may share one.
    var statusChanged: AsyncStream<Void> { statusChanges.stream }

    init(_ device: Device, ledger: LedgerFile, settings: Settings) {
        self.device = device
        self.ledger = ledger
        self.settings = settings
        start = device.clock.now
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
        let notice: Notice
        do throws(Refusal) {
            notice = try Envelope.open(message.payload, settings.envelope)
        } catch {
            return refuse(error.reason, transaction: error.transaction)
        }
        let now = settings.wallClock()
        if Staleness.isToCome(paid: notice.time, now: now) {
            return refuse("the time of the payment is to come", transaction: notice.transaction)
        }
        let expires = message.expiry.flatMap { seconds in
            now.map { WallTime(microseconds: $0.microseconds + Int64(seconds) * 1_000_000) }
        }
        let reason = settings.staleness.reason(
            paid: notice.time, expires: expires, isRetained: message.isRetained, now: latestTime())
        var outcome = Report(
            transaction: notice.transaction, outcome: .stale, reason: reason, amount: notice.amount,
            currency: notice.currency)
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

    /// Takes a message of the command topic: `repeat` does what the key does. Where notices are signed it is as well, and obeyed
    /// once.
    ///
    /// - Throws: ``RingerError`` if the ledger cannot be used; it is to be delivered again then.
    func takeCommand(_ payload: [UInt8]) throws(RingerError) {
        let signed: WallTime?
        do throws(Refusal) {
            signed = try Envelope.openRepeat(payload, settings.envelope)
        } catch {
            return refuse(error.reason)
        }
        if let signed, let reason = try reasonToRefuse(repeatSignedAt: signed) { return refuse(reason) }
        try repeatAnnouncement()
    }

    private func refuse(_ reason: String, transaction: String? = nil) {
        status.refused += 1
        report(Report(transaction: transaction, outcome: .refused, reason: reason))
    }

    /// Records a signed command; the reason if it comes too late, or was made before the last one: it may be a replay.
    private func reasonToRefuse(repeatSignedAt signed: WallTime) throws(RingerError) -> String? {
        if let reason = settings.staleness.reason(paid: signed, expires: nil, isRetained: false, now: latestTime()) {
            return "the command is \(reason)"
        }
        // It would make every later one a replay.
        if let now = settings.wallClock(), signed.duration(since: now) > .seconds(300) {
            return "the command's time is to come"
        }
        let isNew = try ledger.use { ledger throws(RingerError) in try ledger.recordRepeat(signedAt: signed) }
        return isNew ? nil : "the command is a replay"
    }

    /// Announces what was silenced, oldest first; if nothing was, the last announcement once more.
    ///
    /// - Throws: ``RingerError`` if the ledger cannot be used.
    func repeatAnnouncement() throws(RingerError) {
        if status.unheard > 0 {
            // At silent they would be silenced again.
            guard settings.announcer.policy == .announce || device.state.ringSilent ?? .ring == .ring else { return }
            show(
                unheard: try ledger.use { ledger throws(RingerError) in
                    try ledger.requestSilenced()
                    return try ledger.countSilenced()
                })
            status.queue = try ledger.use { ledger throws(RingerError) in try ledger.countPending() }
        } else {
            isRepeatRequested = true
        }
        work.continuation.yield()
    }

    // MARK: - The clock

    /// Payments that the broker has kept may arrive now.
    func connectionBegan() {
        if !hasBeenConnected { clockDeadline = settings.clockPatience.map { device.clock.now + $0 } }
        hasBeenConnected = true
    }

    /// What the fleet watches.
    var health: Health {
        let waits = clockDeadline.map { device.clock.now < $0 } ?? false
        return Health(
            status: status, clock: settings.wallClock() != nil ? .set : waits ? .waiting : .unset, ledger: ledger.size)
    }

    /// The time since the start.
    var uptime: Duration { device.clock.now - start }

    /// The present time; while the clock is not set, the latest time that has passed for certain; nil if none is known.
    private func latestTime() -> WallTime? {
        if let now = settings.wallClock() {
            setProblem("clock", nil)
            passed = (now, device.clock.now)
            return now
        }
        return passed.map { passed in
            let since = (device.clock.now - passed.at) / .microseconds(1)
            return WallTime(microseconds: passed.time.microseconds + Int64(since))
        }
    }

    /// Whether payments wait for the wall clock: after a night without power, only it can tell those that the broker has
    /// kept from new ones. Nothing reports when a time service sets it.
    private func waitsForClock() -> Bool {
        guard let clockDeadline, settings.wallClock() == nil else { return false }
        setProblem(
            "clock",
            RingerError(
                .init(rawValue: "unset"), "judge the age of payments", "wall clock",
                detail:
                    "after a start they wait until a time service has set it, for \(settings.clockPatience ?? .zero)"))
        return device.clock.now < clockDeadline
    }

    // MARK: - Announcing

    private func announcePending() async throws {
        try await countUnheard()
        let newest = try await patiently { ledger throws(RingerError) in try ledger.newestTime() }
        if passed == nil { passed = newest.map { ($0, device.clock.now) } }
        try await countQueue()
        // Beside the announcements: a large ledger takes long.
        async let check: Void = checkLedger()
        try await announceEach()
        try await check
    }

    /// Reads the whole ledger, and replaces it if a part is damaged that nothing has used yet.
    private func checkLedger() async throws {
        let (path, replacements) = (ledger.path, ledger.replacements)
        let fault = await withCheckedContinuation { continuation in
            device.clock.runAside { continuation.resume(returning: Ledger.fault(of: path)) }
        }
        guard let fault, fault.code == .damaged else { return }
        ledger.replace(because: fault, checkedAfter: replacements)
        try await countUnheard()
        try await countQueue()
        // What was taken over.
        work.continuation.yield()
    }

    private func announceEach() async throws {
        /// The wait after a failure, in seconds.
        var patience = 1
        for await _ in work.stream {
            while !Task.isCancelled {
                if isRepeatRequested {
                    isRepeatRequested = false
                    if last == nil {
                        last = try await patiently { ledger throws(RingerError) in try ledger.lastAnnounced() }
                    }
                    if let last { try await announceAgain(last) }
                }
                let pending = try await patiently { ledger throws(RingerError) in try ledger.pending() }
                guard let pending else {
                    status.queue = 0
                    break
                }
                switch pending {
                case .unreadable(let transaction, let reason):
                    report(Report(transaction: transaction, outcome: .stale, reason: reason))
                    continue
                case .payment(let payment):
                    if !payment.isRequested, waitsForClock() {
                        try await device.sleep(for: .seconds(1))
                        continue
                    }
                    if try await announce(payment) {
                        patience = 1
                        continue
                    }
                }
                try await device.sleep(for: .seconds(patience))
                patience = min(patience * 2, 30)
            }
        }
    }

    /// Announces a payment.
    ///
    /// - Returns: False if it failed, and is to be tried again.
    private func announce(_ payment: Ledger.Payment) async throws -> Bool {
        let notice = payment.notice
        let arrival = arrivals[payment.notice.transaction]
        var outcome = Report(
            transaction: notice.transaction, outcome: .announced, isRepeated: payment.repeats > 0,
            isRequested: payment.isRequested, amount: notice.amount, currency: notice.currency)
        let deadline = payment.isRequested ? nil : deadline(of: payment)
        if let deadline, deadline.wait <= .zero {
            return try await end(payment, .stale, &outcome, because: deadline.reason)
        }
        // It arrived while the clock was not set.
        if Staleness.isToCome(paid: notice.time, now: settings.wallClock()) {
            return try await end(payment, .stale, &outcome, because: "to come")
        }
        let (announcement, fault) = announcement(of: payment, isRepetition: payment.repeats > 0, expiry: deadline?.wait)
        do throws(RingerError) {
            try ledger.use { ledger throws(RingerError) in try ledger.set(payment, to: .announcing) }
            setProblem("ledger", nil)
        } catch {
            // Later it may be stale.
            setProblem("ledger", error)
            return false
        }
        let result = try await device.announcements.announce(announcement)
        // What this process cuts off by its own end is announced at the next start.
        try Task.checkCancellation()
        if let arrival, let started = result.startedAt {
            outcome.firstFrame = (started - arrival.at) / .seconds(1)
        }
        switch result.outcome {
        case .finished:
            setProblem("sound", nil)
            status.announced += 1
            last = payment
            return try await end(payment, .announced, &outcome, because: fault == nil ? nil : "chime")
        case .silenced(let reason):
            guard settings.announcer.policy == .vibrate, reason == .ringSilentSwitch else {
                return try await end(payment, .silenced, &outcome, because: reason.rawValue)
            }
            if case .failed(let error) = await device.vibrate() {
                setProblem("motor", error)
                return try await end(payment, .silenced, &outcome, because: reason.rawValue)
            }
            setProblem("motor", nil)
            return try await end(payment, .vibrated, &outcome, because: reason.rawValue)
        case .stopped(.closed): throw CancellationError()
        case .stopped(.expired):
            return try await end(payment, .stale, &outcome, because: deadline?.reason)
        case .stopped(let cause):
            return try await end(payment, .silenced, &outcome, because: cause.rawValue)
        case .failed(let error):
            setProblem("sound", error)
            try await patiently { ledger throws(RingerError) in
                try ledger.set(payment, to: .received, isCutOff: result.startedAt != nil)
            }
            return false
        @unknown default:
            return try await end(payment, .silenced, &outcome, because: "\(result.outcome)")
        }
    }

    /// Announces a payment that was announced before, because somebody asked for it. The ledger stays as it is.
    private func announceAgain(_ payment: Ledger.Payment) async throws {
        let (announcement, fault) = announcement(of: payment, isRepetition: true, expiry: nil)
        let result = try await device.announcements.announce(announcement)
        try Task.checkCancellation()
        var outcome = Report(
            transaction: payment.notice.transaction, outcome: .announced, isRequested: true,
            reason: fault == nil ? nil : "chime", amount: payment.notice.amount, currency: payment.notice.currency)
        switch result.outcome {
        case .finished: setProblem("sound", nil)
        case .silenced(let reason): (outcome.outcome, outcome.reason) = (.silenced, reason.rawValue)
        case .stopped(let cause): (outcome.outcome, outcome.reason) = (.silenced, cause.rawValue)
        // Who asked asks again.
        case .failed(let error): return setProblem("sound", error)
        @unknown default: (outcome.outcome, outcome.reason) = (.silenced, "\(result.outcome)")
        }
        report(outcome)
    }

    /// The announcement of a payment; while there are faults in the recordings, they are looked for again each time.
    private func announcement(
        of payment: Ledger.Payment, isRepetition: Bool, expiry: Duration?
    ) -> (announcement: Announcement, fault: RingerError?) {
        let made = settings.announcer.announcement(
            of: payment.notice, isRepetition: isRepetition, expiry: expiry)
        if made.fault != nil || status.problems["recordings"] != nil {
            setProblem("recordings", made.fault ?? settings.announcer.check())
        }
        return made
    }

    /// When the payment becomes stale; nil for never.
    private func deadline(of payment: Ledger.Payment) -> Staleness.Deadline? {
        let arrival = arrivals[payment.notice.transaction]
        // What arrived in this process expires by the monotonic clock, which is not set.
        let byClock = settings.staleness.deadline(
            paid: payment.notice.time, expires: arrival == nil ? payment.expires : nil, now: latestTime())
        guard let expires = arrival?.expires else { return byClock }
        let expiry = Staleness.Deadline(wait: expires - device.clock.now, reason: "expired")
        if let byClock, byClock.wait < expiry.wait { return byClock }
        return expiry
    }

    /// Records the outcome, then reports it.
    private func end(
        _ payment: Ledger.Payment, _ state: Ledger.State, _ outcome: inout Report, because reason: String? = nil
    ) async throws -> Bool {
        let firstFrame = outcome.firstFrame
        try await patiently { ledger throws(RingerError) in
            try ledger.set(payment, to: state, because: reason, firstFrame: firstFrame)
        }
        arrivals[payment.notice.transaction] = nil
        status.queue = max(status.queue - 1, 0)
        outcome.outcome = Report.Outcome(rawValue: state.rawValue) ?? .announced
        outcome.reason = reason
        try await countUnheard()
        report(outcome)
        return true
    }

    /// Uses the ledger, again and again while it cannot be used: the disk may be full.
    private func patiently<Value>(_ body: (Ledger) throws(RingerError) -> Value) async throws -> Value {
        var pause = 1
        while true {
            do throws(RingerError) {
                let value = try ledger.use(body)
                setProblem("ledger", nil)
                return value
            } catch {
                setProblem("ledger", error)
            }
            try await device.sleep(for: .seconds(pause))
            pause = min(pause * 2, 30)
        }
    }

    // MARK: - The device

    private func follow(_ events: AsyncStream<DeviceEvent>) async {
        for await event in events {
            switch event {
            case .switchMoved(let position, _, _):
                status.position = position
                setProblem("switch", device.switchProblem)
            case .stateChanged, .routeChanged: followState()
            case .switchLost, .switchFound: setProblem("switch", device.switchProblem)
            // Of the switch, before its first position, or of the output.
            case .degraded(let error, _): setProblem(error == device.switchProblem ? "switch" : "sound", error)
            case .key(.repeatAnnouncement, isPressed: true, _):
                do throws(RingerError) {
                    try repeatAnnouncement()
                } catch {
                    setProblem("ledger", error)
                }
            default: break
            }
        }
    }

    /// What the device says of itself beside its switch.
    private func followState() {
        let state = device.state
        (status.volume, status.route) = (state.outputVolume, state.route)
    }

    private func countUnheard() async throws {
        show(unheard: try await patiently { ledger throws(RingerError) in try ledger.countSilenced() })
    }

    private func countQueue() async throws {
        status.queue = try await patiently { ledger throws(RingerError) in try ledger.countPending() }
    }

    private func show(unheard: Int) {
        status.unheard = unheard
        do throws(RingerError) {
            try device.statusLight?.show(status.unheard > 0 ? Self.unheardLight : .off)
            setProblem("status light", nil)
        } catch {
            setProblem("status light", error)
        }
    }
}
