/// Who plays, who is interrupted, who goes down and who is refused when a session is activated beside an active one.
///
/// The rules are the three tables below, one for each relation of the two priorities. They follow Apple's words: a
/// session that does not mix interrupts others that do not; one that mixes goes on; ducking takes others down for as
/// long as the session is active; recording silences all playback.
public enum SessionArbitration {
    /// What becomes of the two.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// Both are heard.
        case bothPlay
        /// The active one is interrupted.
        case activeInterrupted
        /// Both are heard, the active one more quietly.
        case activeDucked
        /// Both are heard, the new one more quietly.
        case newDucked
        /// Both are active, and the active one is not heard while the new one is: it records.
        case activeSilenced
        /// Both are active, and the new one is not heard while the active one is: it records.
        case newSilenced
        /// The new one is refused, with ``SessionError/Code/notActive``.
        case refused
    }

    /// How the new session's priority stands to the active one's.
    public enum Relation: Int, Sendable, Hashable, CaseIterable {
        /// The new one matters less.
        case lower
        /// They matter the same.
        case same
        /// The new one matters more.
        case higher

        /// How `new` stands to `active`.
        public init(_ new: SessionPriority, to active: SessionPriority) {
            self = new == active ? .same : new < active ? .lower : .higher
        }
    }

    /// What becomes of an active session and one that is newly activated.
    ///
    /// One thing stands beside the tables: a session that interrupts speech interrupts an active one that speaks,
    /// unless that one matters more.
    public static func outcome(
        active: SessionSettings, new: SessionSettings, relation: Relation = .same
    ) -> Outcome {
        let outcome = outcome(active: active.mixing, new: new.mixing, relation: relation)
        let speaks = active.isSpoken && active.category.plays
        return speaks && new.interruptsSpeech && relation != .lower && outcome != .refused
            ? .activeInterrupted : outcome
    }

    /// What the tables say.
    public static func outcome(active: SessionMixing, new: SessionMixing, relation: Relation = .same) -> Outcome {
        let row = active.rawValue * SessionMixing.allCases.count + new.rawValue
        return switch relation {
        case .lower: lower[row]
        case .same: same[row]
        case .higher: higher[row]
        }
    }

    // Rows: the active session. Columns: the new one.

    /// Sessions of the same priority: Apple's rules between applications.
    static let same: [Outcome] = [
        //              exclusive           silencing           mixing         ducking
        /* exclusive */ .activeInterrupted, .activeInterrupted, .bothPlay, .activeDucked,
        /* silencing */ .activeInterrupted, .activeInterrupted, .newSilenced, .newSilenced,
        /* mixing    */ .bothPlay, .activeSilenced, .bothPlay, .activeDucked,
        /* ducking   */ .newDucked, .activeSilenced, .newDucked, .activeDucked,
    ]

    /// The new session matters more: one that does not mix has the device to itself, and nothing that matters less
    /// silences it.
    static let higher: [Outcome] = [
        //              exclusive           silencing           mixing         ducking
        /* exclusive */ .activeInterrupted, .activeInterrupted, .bothPlay, .activeDucked,
        /* silencing */ .activeInterrupted, .activeInterrupted, .activeInterrupted, .activeInterrupted,
        /* mixing    */ .activeInterrupted, .activeInterrupted, .bothPlay, .activeDucked,
        /* ducking   */ .activeInterrupted, .activeInterrupted, .bothPlay, .activeDucked,
    ]

    /// The new session matters less: the same seen from the other side. It is refused where the active one, activated
    /// later, would have interrupted it, and ducks nobody that matters more.
    static let lower: [Outcome] = [
        //              exclusive  silencing  mixing     ducking
        /* exclusive */ .refused, .refused, .refused, .refused,
        /* silencing */ .refused, .refused, .refused, .refused,
        /* mixing    */ .bothPlay, .refused, .bothPlay, .bothPlay,
        /* ducking   */ .newDucked, .refused, .newDucked, .newDucked,
    ]
}
