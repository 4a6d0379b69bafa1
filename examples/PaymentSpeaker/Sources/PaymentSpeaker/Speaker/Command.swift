import PaymentRules
import Ringer

/// What the owner of a speaker asks of it, in a message that is signed as notices are:
/// `{"command":"volume","volume":0.5,"device":"counter","jti":"7f3a","iat":1795601600}`.
struct Command: Sendable {
    enum Action: Sendable {
        /// Does what the key does.
        case repeatAnnouncement
        /// Sets the mixer's volume, 0 to 1.
        case setVolume(Float)
        /// Sets what the Ring/Silent switch means for announcements.
        case setPolicy(Options.Policy)
        /// Replaces the key that has signed the command.
        case replaceKey(Envelope.Replacement)
    }

    var action: Action
    /// The command's name, for its report.
    var name: String
    /// What no other command has: `jti` of RFC 7519.
    var identifier: String
    /// When it was signed: `iat` of RFC 7519, seconds since 1970.
    var issued: WallTime

    /// The command of a signed object.
    ///
    /// - Parameters:
    ///   - signer: The name of the key that has signed it.
    ///   - envelope: The keys.
    /// - Throws: ``Refusal`` with the reason.
    init(_ object: JSONObject, signer: String, _ envelope: Envelope) throws(Refusal) {
        guard let identifier = object.string("jti"), (1...128).contains(identifier.utf8.count) else {
            throw Refusal("jti is not a string of 1 to 128 bytes")
        }
        // Beyond are years after 9999.
        guard let seconds = object.number("iat"), (0...253_402_300_799).contains(seconds) else {
            throw Refusal("iat is not a number of seconds since 1970")
        }
        self.identifier = identifier
        issued = WallTime(microseconds: Int64(seconds * 1_000_000))
        name = object.string("command") ?? ""
        switch name {
        case "repeat": action = .repeatAnnouncement
        case "volume":
            guard let volume = object.number("volume"), (0...1).contains(volume) else {
                throw Refusal("volume is not a number from 0 to 1")
            }
            action = .setVolume(Float(volume))
        case "policy":
            guard let policy = object.string("policy").flatMap(Options.Policy.init(rawValue:)) else {
                throw Refusal("policy is none of \(Options.Policy.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            action = .setPolicy(policy)
        case "key":
            action = .replaceKey(
                try envelope.replacement(of: signer, by: object.string("name"), object.string("key")))
        default: throw Refusal("the command is unknown")
        }
    }
}
