import Ringer

/// The session in which the broker keeps notices while the speaker is away, and the ledger, which has what it delivered.
extension PaymentSpeaker {
    /// The name of the ledger's setting that says for which client ID a broker has had a session.
    private static let setting = "session"

    /// Takes the ledger for this process.
    ///
    /// - Throws: ``RingerError`` with the code `busy` where another process has it. Any other error of the ledger is reported to
    ///   the broker, so there is none.
    func keepLedger() throws(RingerError) {
        do throws(RingerError) {
            try ledger.lockFile()
        } catch {
            if error.code == .busy { throw error }
        }
    }

    /// The broker has accepted a connection: notices are missing where it had a session and has none.
    func brokerAccepted(_ session: MQTTClient.Session, of client: MQTTClient) {
        if session.isPresent {
            // A connection that ended before it had subscribed has left a session without subscriptions.
            if hasWholeSession { setProblem("session", nil) }
        } else if hadSession(of: client) {
            hasWholeSession = false
            setProblem(
                "session",
                RingerError(
                    .notFound, "resume the session", client.broker,
                    detail:
                        "notices since the last connection are lost where it had not delivered them: publish them again"
                ))
        }
        let wanted = client.settings.sessionExpiry
        setProblem(
            "session expiry",
            session.expiry >= wanted
                ? nil
                : RingerError(
                    .unsupported, "keep the session long enough", client.broker,
                    detail: "\(session.expiry) s instead of \(wanted) s after a connection; later notices are lost"))
    }

    /// Whether a broker has had a session of the client's; so it counts while the ledger cannot be read.
    private func hadSession(of client: MQTTClient) -> Bool {
        do throws(RingerError) {
            return try ledger.use { ledger throws(RingerError) in try ledger.setting(Self.setting) }
                == client.settings.identifier
        } catch {
            setProblem("ledger", error)
            return true
        }
    }

    /// The broker has accepted the subscriptions: from now on it keeps notices.
    func sessionBegan(of client: MQTTClient) {
        hasWholeSession = true
        let identifier = client.settings.identifier
        do throws(RingerError) {
            try ledger.use { ledger throws(RingerError) in
                if try ledger.setting(Self.setting) != identifier { try ledger.set(Self.setting, to: identifier) }
            }
        } catch {
            setProblem("ledger", error)
        }
    }
}
