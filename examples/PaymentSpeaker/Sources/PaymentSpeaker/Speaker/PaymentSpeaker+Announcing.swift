import PaymentRules
import Ringer

/// What is announced, one payment after another.
extension PaymentSpeaker {
    func announcePending() async throws {
        try await countUnheard()
        let newest = try await patiently { ledger throws(RingerError) in try ledger.newestTime() }
        if passed == nil { passed = newest.map { ($0, device.clock.now) } }
        try await countQueue()
        try await prune()
        let policy = try await patiently { ledger throws(RingerError) in try ledger.setting("policy") }
        if let policy = policy.flatMap(Options.Policy.init(rawValue:)) { set(policy) }
        // Beside the announcements: a large ledger takes long, and so do the rules of a language.
        async let ledger: Void = checkLedger()
        async let rules: Void = checkRules()
        try await announceEach()
        _ = try await (ledger, rules)
    }

    /// Finds rules that cannot speak an amount, or speak two alike, before a payment meets them.
    func checkRules() async {
        let announcer = settings.announcer
        setProblem(
            "language",
            await withCheckedContinuation { continuation in
                device.clock.runAside { continuation.resume(returning: announcer.faultOfRules()) }
            })
    }

    /// Reads the whole ledger, and replaces it if a part is damaged that nothing has used yet.
    func checkLedger() async throws {
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

    func announceEach() async throws {
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
                    report(makeReport(on: transaction, .stale, reason: reason))
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
    func announce(_ payment: Ledger.Payment) async throws -> Bool {
        let notice = payment.notice
        let arrival = arrivals[payment.notice.transaction]
        var outcome = makeReport(
            on: notice.transaction, .announced, isRepeated: payment.repeats > 0, isRequested: payment.isRequested,
            amount: notice.amount)
        let deadline = payment.isRequested ? nil : deadline(of: payment)
        if let deadline, deadline.wait <= .zero {
            return try await end(payment, .stale, &outcome, because: deadline.reason)
        }
        let isOfUnknownTime = hasWaitedInVain(payment)
        if isOfUnknownTime, settings.withoutClock == .drop {
            return try await end(payment, .stale, &outcome, because: Self.timeUnknown)
        }
        // It arrived while the clock was not set.
        if Staleness.isToCome(paid: notice.time, now: settings.wallClock()) {
            return try await end(payment, .stale, &outcome, because: "to come")
        }
        let prefaces: [Preface] =
            (payment.repeats > 0 ? [.lastPayment] : []) + (isOfUnknownTime ? [.timeUnknown] : [])
        let (announcement, fault) = announcement(of: payment, prefaces, expiry: deadline?.wait)
        do throws(RingerError) {
            try ledger.use { ledger throws(RingerError) in try ledger.set(payment, to: .announcing) }
            setProblem("ledger", nil)
        } catch {
            // Later it may be stale.
            setProblem("ledger", error)
            return false
        }
        let wasAudible = isAudible
        let result = try await device.announcements.announce(announcement)
        // What this process cuts off by its own end is announced at the next start.
        try Task.checkCancellation()
        if let arrival, let started = result.startedAt {
            outcome.firstFrame = (started - arrival.at) / .seconds(1)
        }
        switch result.outcome {
        case .finished:
            setProblem("sound", nil)
            guard wasAudible, isAudible else {
                // A part of it was heard: when it is announced again, it begins with the clip that says so.
                if wasAudible != isAudible {
                    try await patiently { ledger throws(RingerError) in
                        try ledger.set(payment, to: .announcing, isCutOff: true)
                    }
                }
                return try await endUnheard(payment, &outcome, because: .volumeZero)
            }
            status.announced += 1
            last = payment
            return try await end(
                payment, .announced, &outcome,
                because: fault != nil ? "chime" : isOfUnknownTime ? Self.timeUnknown : nil)
        case .silenced(let reason): return try await endUnheard(payment, &outcome, because: reason)
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

    /// Records a payment that nobody could hear; by the policy it is felt.
    private func endUnheard(
        _ payment: Ledger.Payment, _ outcome: inout Report, because reason: Decision.Reason
    ) async throws -> Bool {
        guard settings.announcer.policy == .vibrate,
            [.ringSilentSwitch, .softwareSilent, .quietHours, .volumeZero].contains(reason)
        else {
            return try await end(payment, .silenced, &outcome, because: reason.rawValue)
        }
        if case .failed(let error) = await device.vibrate() {
            setProblem("motor", error)
            return try await end(payment, .silenced, &outcome, because: reason.rawValue)
        }
        setProblem("motor", nil)
        return try await end(payment, .vibrated, &outcome, because: reason.rawValue)
    }

    /// Announces a payment that was announced before, because somebody asked for it. The ledger stays as it is.
    func announceAgain(_ payment: Ledger.Payment) async throws {
        let (announcement, fault) = announcement(of: payment, [.lastPayment], expiry: nil)
        let wasAudible = isAudible
        let result = try await device.announcements.announce(announcement)
        try Task.checkCancellation()
        var outcome = makeReport(
            on: payment.notice.transaction, .announced, isRequested: true, reason: fault == nil ? nil : "chime",
            amount: payment.notice.amount)
        switch result.outcome {
        case .finished:
            setProblem("sound", nil)
            if !wasAudible || !isAudible {
                (outcome.outcome, outcome.reason) = (.silenced, Decision.Reason.volumeZero.rawValue)
            }
        case .silenced(let reason): (outcome.outcome, outcome.reason) = (.silenced, reason.rawValue)
        case .stopped(let cause): (outcome.outcome, outcome.reason) = (.silenced, cause.rawValue)
        // Who asked asks again.
        case .failed(let error): return setProblem("sound", error)
        @unknown default: (outcome.outcome, outcome.reason) = (.silenced, "\(result.outcome)")
        }
        report(outcome)
    }

    /// The announcement of a payment; while there are faults in the recordings, they are looked for again each time.
    func announcement(
        of payment: Ledger.Payment, _ prefaces: [Preface], expiry: Duration?
    ) -> (announcement: Announcement, fault: RingerError?) {
        let made = settings.announcer.announcement(
            of: payment.notice, prefaces, expiry: expiry)
        if made.fault != nil || status.problems["recordings"] != nil {
            setProblem("recordings", made.fault ?? settings.announcer.check())
        }
        return made
    }

    /// When the payment becomes stale; nil for never.
    func deadline(of payment: Ledger.Payment) -> Staleness.Deadline? {
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
    func end(
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
        endedSincePruning += 1
        if endedSincePruning >= 250 { try await prune() }
        return true
    }

    /// Deletes payments that are kept no longer: at the start, and then more than come.
    private func prune() async throws {
        endedSincePruning = 0
        let now = settings.wallClock()
        _ = try await patiently { ledger throws(RingerError) in try ledger.prune(settings.retention, now: now) }
    }

    /// Uses the ledger, again and again while it cannot be used: the disk may be full.
    func patiently<Value>(_ body: (Ledger) throws(RingerError) -> Value) async throws -> Value {
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
}
