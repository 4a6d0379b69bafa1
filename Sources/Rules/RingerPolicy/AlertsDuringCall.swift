/// What becomes of alerts and notification sounds while a call is on (``SessionActivity/call``). It never makes one louder than
/// the switch and the other preferences leave it, and concerns neither critical ones nor alarms.
public enum AlertsDuringCall: String, Sendable, Hashable, CaseIterable {
    /// As ``felt`` if the call's session has the priority of a call, and heard otherwise.
    case automatic
    /// Heard, as without a call.
    case heard
    /// Heard at -20 dB.
    case quiet
    /// Felt instead of heard, though the call records: nothing on a device without a motor. At vibrate and silent it is as without
    /// a call.
    case felt
    /// Neither heard nor felt.
    case none

    /// The factor of ``quiet`` on the samples: -20 dB.
    static let quietGain: Float = 0.1
}
