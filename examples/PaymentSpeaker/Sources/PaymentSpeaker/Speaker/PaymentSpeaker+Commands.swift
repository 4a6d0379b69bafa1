import PaymentRules
import Ringer

/// What the speaker's user and its owner ask of it.
extension PaymentSpeaker {
    /// How far the time of a command may be from the present.
    private static let window = Duration.seconds(300)

    /// Takes a message of the command topic. Without signing keys it is the word `repeat`, which does what the key does; with
    /// them it is a signed ``Command``, and obeyed once.
    ///
    /// - Throws: ``RingerError`` if the ledger cannot be used; it is to be delivered again then.
    func takeCommand(_ payload: [UInt8]) throws(RingerError) {
        guard let envelope = try envelope() else {
            guard payload == Array("repeat".utf8) else { return refuse("the command is unknown") }
            try repeatAnnouncement()
            return
        }
        let command: Command
        var outcome = Report(transaction: nil, outcome: .refused)
        do throws(Refusal) {
            let (object, signer) = try envelope.open(payload)
            (outcome.command, outcome.identifier) = (object.string("command"), object.string("jti"))
            command = try Command(object, signer: signer, envelope)
        } catch {
            outcome.reason = error.reason
            return end(&outcome)
        }
        outcome.reason = reasonToRefuse(command)
        if outcome.reason == nil { outcome.reason = try obey(command) }
        if outcome.reason == nil { outcome.outcome = .obeyed }
        end(&outcome)
    }

    /// Reports what became of a command.
    private func end(_ outcome: inout Report) {
        if outcome.outcome == .refused { status.refused += 1 }
        report(outcome)
    }

    private func reasonToRefuse(_ command: Command) -> String? {
        guard let now = settings.wallClock() else { return "the clock is not set" }
        let age = now.duration(since: command.issued)
        if age > Self.window { return "the command is old" }
        if age < .zero - Self.window { return "the command's time is to come" }
        if case .repeatAnnouncement = command.action, isSilenced {
            guard isAudible else { return Decision.Reason.volumeZero.rawValue }
            let state = device.state
            if state.ringSilent ?? .ring != .ring { return Decision.Reason.ringSilentSwitch.rawValue }
            return (state.keptPosition ?? .ring != .ring ? Decision.Reason.softwareSilent : .quietHours).rawValue
        }
        return nil
    }

    /// Records a command with its changes, and obeys it.
    ///
    /// - Returns: Why it could not be obeyed; nil if it was.
    private func obey(_ command: Command) throws(RingerError) -> String? {
        let isNew = try ledger.use { ledger throws(RingerError) in
            try ledger.obey(command) { () throws(RingerError) in
                switch command.action {
                case .setPolicy(let policy): try ledger.set("policy", to: policy.rawValue)
                case .replaceKey(let replacement): try ledger.add(replacement)
                case .repeatAnnouncement, .setVolume: break
                }
            }
        }
        guard isNew else { return "the command is a replay" }
        switch command.action {
        case .repeatAnnouncement: try repeatAnnouncement()
        case .setPolicy(let policy): set(policy)
        case .replaceKey(let replacement): settings.envelope?.apply(replacement)
        case .setVolume(let volume):
            do throws(RingerError) {
                try device.setOutputVolume(volume)
            } catch {
                return "\(error)"
            }
        }
        return nil
    }

    /// The keys, with those that commands have put in the place of others; nil if nothing is signed.
    ///
    /// - Throws: ``RingerError`` if the ledger cannot be used.
    func envelope() throws(RingerError) -> Envelope? {
        guard settings.envelope != nil, !knowsReplacedKeys else { return settings.envelope }
        for replacement in try ledger.use({ ledger throws(RingerError) in try ledger.replacedKeys() }) {
            settings.envelope?.apply(replacement)
        }
        knowsReplacedKeys = true
        return settings.envelope
    }

    /// Sets what the switch means for announcements.
    func set(_ policy: Options.Policy) {
        settings.announcer.policy = policy
        status.policy = policy
    }

    func refuse(_ reason: String, transaction: String? = nil, of provider: String? = nil) {
        status.refused += 1
        report(Report(transaction: transaction, provider: provider, outcome: .refused, reason: reason))
    }

    /// Whether payments that were silenced would be silenced again.
    private var isSilenced: Bool {
        let state = device.state
        let positions = [state.ringSilent, state.keptPosition, state.quietHours]
        return status.unheard > 0
            && (!isAudible
                || settings.announcer.policy != .announce && positions.contains { $0 ?? .ring != .ring })
    }

    /// Announces what was silenced, oldest first, once the switch is at ring; if nothing was, the last announcement once more.
    ///
    /// - Throws: ``RingerError`` if the ledger cannot be used.
    func repeatAnnouncement() throws(RingerError) {
        if isSilenced { return }
        if status.unheard > 0 {
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
}
