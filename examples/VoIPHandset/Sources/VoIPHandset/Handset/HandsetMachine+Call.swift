import Ringer

extension HandsetMachine {
    /// A call, from its coming until it is closed.
    struct Call: Sendable {
        enum Phase: Sendable {
            case ringing
            /// It rings for its caller only.
            case silenced
            /// Answered; the PCM is not free yet.
            case answering
            case talking
            /// This side refused it: `.closed` follows.
            case refusing
            /// This side hung up: `.closed` follows.
            case hangingUp
        }

        var number: CallNumber
        var name: String
        var peer: String
        /// What it rings by; nil the default ring.
        var ring: Ring?
        var phase = Phase.ringing
        /// What was reported of its ring.
        var shown: HandsetEvent.Kind?

        var isAnswered: Bool { phase == .answering || phase == .talking }
        var isUnanswered: Bool { phase == .ringing || phase == .silenced }
        /// Whether it has the PCM, or is about to.
        var hasOutput: Bool { isAnswered || phase == .hangingUp }
    }
}
