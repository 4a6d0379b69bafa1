import CPaymentSpeaker
import Ringer

/// What a fleet watches of a speaker: the retained topic `health`.
struct Health: Equatable {
    /// Whether ages can be judged.
    enum Clock: String {
        case set
        /// A time service keeps no clock, and payments wait for it.
        case waiting
        case unset
    }

    /// The version, and the revision where the build said which.
    static let version: String = {
        let revision = String(cString: payment_revision())
        return "0.2.0" + (revision.isEmpty ? "" : " (\(revision))")
    }()

    var status: PaymentSpeaker.Status
    var clock: Clock
    /// The size of the ledger's file, in bytes; nil if there is none.
    var ledger: Int64?

    /// The object on one line.
    ///
    /// - Parameter uptime: The time since the program's start.
    func json(uptime: Duration) -> String {
        JSONObject([
            "version": .string(Self.version), "uptime": .integer(Int64(uptime / .seconds(1))),
            "problems": .strings(status.problems.values.sorted()), "lastError": .optional(status.lastError),
            "switch": .optional(status.position?.rawValue),
            "volume": status.volume.map { .real((Double($0) * 1000).rounded() / 1000) } ?? .null,
            "quietHoursVolume": status.quietHoursVolume.map { .real((Double($0) * 1000).rounded() / 1000) } ?? .null,
            "route": .string(status.route.rawValue), "queue": .count(status.queue),
            "ledger": ledger.map(JSONObject.Value.integer) ?? .null, "clock": .string(clock.rawValue),
            "received": .count(status.received), "announced": .count(status.announced),
            "duplicates": .count(status.duplicates), "refused": .count(status.refused),
        ]).text
    }
}
