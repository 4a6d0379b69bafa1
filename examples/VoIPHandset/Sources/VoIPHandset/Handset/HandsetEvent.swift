import Ringer

/// The number of a call, of the SIP endpoint's making.
typealias CallNumber = UInt32

/// What happened to a call, as it is printed.
struct HandsetEvent: Sendable, Hashable {
    enum Kind: String, Sendable {
        /// It rings, and is heard.
        case ringing
        /// It is felt, and not heard.
        case vibrating
        /// It is neither heard nor felt; the light shows it.
        case silent
        /// The user answered it; ring tone and motor have stopped, and the PCM is free for the call.
        case answered
        /// Another caller has taken the place of the one before; the call goes on.
        case replaced
        /// The caller has dialled a digit.
        case digit
        /// The caller gave up before an answer.
        case cancelled
        /// The call is over that was answered.
        case ended
        /// It was refused: by the user, because the handset is busy, or because nobody answered.
        case refused
    }

    /// The call's Call-ID.
    var call: String
    var kind: Kind
    /// Whether the call is heard now: its ring tone.
    var sound = false
    /// Whether the call is felt now.
    var motor = false
    /// When: of the first frame of the ring tone, the motor's turn, or the silence.
    var at: MonotonicTime
    /// The caller's address, of a new call or one that was refused without ringing.
    var peer: String?
    /// The Call-ID of the caller that has taken the place of the one before.
    var by: String?
    /// What was dialled, and whether by RTP or INFO.
    var digit: String?
    var way: String?
    /// The ring that the caller chose, of a new call; nil for the default ring.
    var ring: String?
    /// Why it was refused, or is not heard although the switch lets it be.
    var reason: String?
    /// How much of the caller's sound was played in the call.
    var heard: Duration?
}
