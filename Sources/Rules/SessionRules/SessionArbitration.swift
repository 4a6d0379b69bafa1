import RingerPolicy

/// What a session does to the sound of others, as its category, options and overrides say together.
package enum SessionMixing: Int, Sendable, Hashable, CaseIterable {
    /// It plays alone among those that do not mix.
    case exclusive
    /// Like ``exclusive``, and no playback is heard meanwhile: `record` and `audioProcessing`.
    case silencing
    /// It plays beside others.
    case mixing
    /// It plays beside others, which play more quietly.
    case ducking
}

/// How much a session matters beside others. Firmware may use numbers between and beyond the named ones.
///
/// Between sessions of the same priority the newest wins, as on a phone between applications. A session of a higher
/// priority that does not mix interrupts every lower one, mixing or not, and lower ones cannot be activated beside it.
public struct SessionPriority: RawRepresentable, Sendable, Hashable, Comparable {
    /// The number; the larger matters more.
    public let rawValue: Int

    /// The priority of this number.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// What most sounds have: music, announcements, games.
    public static let ordinary = SessionPriority(rawValue: 0)
    /// A call, or its ring tone.
    public static let call = SessionPriority(rawValue: 100)
    /// A warning that has to be heard even during a call.
    public static let alarm = SessionPriority(rawValue: 200)

    /// Whether `left` matters less.
    public static func < (left: SessionPriority, right: SessionPriority) -> Bool { left.rawValue < right.rawValue }
}

/// How far and how fast a session's gain falls while another session ducks it, unless the user chose otherwise:
/// `UserPreferences.duckingDepth`, `duckingDown` and `duckingUp`.
public enum Ducking {
    /// The level of a ducked sound, in decibels below its own.
    public static let decibels: Float = -14
    /// The same as a factor on the samples: 10 to the power of -14/20.
    public static let gain: Float = 0.199_526_23
    /// How long the gain takes to fall, and to rise again. Together with a period that is already on its way it has
    /// fallen within 50 ms; much shorter ramps are heard as clicks.
    public static let ramp = Duration.milliseconds(20)
}

/// Which session plays, is interrupted, is ducked or is refused when one is activated beside an active one.
///
/// The three tables below are the rules, one for each relation of the two priorities; nothing else decides. They follow
/// Apple's words: a session that does not mix interrupts others that do not; one that mixes plays beside them; a session
/// that ducks lowers others for as long as it is active; recording silences all playback.
package enum SessionArbitration {
    /// The result for both sessions.
    package enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// Both are heard.
        case bothPlay
        /// The active one is interrupted.
        case activeInterrupted
        /// Both are heard, the active one more quietly.
        case activeDucked
        /// Both are heard, the new one more quietly.
        case newDucked
        /// Both are active, and the active one is not heard while the new one, which records, is active.
        case activeSilenced
        /// Both are active, and the new one is not heard while the active one, which records, is active.
        case newSilenced
        /// The new one is refused, with ``SessionError/Code/notActive``.
        case refused
    }

    /// How the new session's priority compares to the active one's.
    package enum Relation: Int, Sendable, Hashable, CaseIterable {
        /// The new one matters less.
        case lower
        /// They matter the same.
        case same
        /// The new one matters more.
        case higher

        /// How `new` compares to `active`.
        package init(_ new: SessionPriority, to active: SessionPriority) {
            self = new == active ? .same : new < active ? .lower : .higher
        }
    }

    /// The outcome for an active session and one that is activated now.
    ///
    /// One rule stands beside the tables: a session that interrupts speech interrupts an active one that speaks, unless
    /// that one matters more. It acts once, at the activation; `includingSpeech` is false if a session resumes.
    package static func outcome(
        active: SessionSettings, new: SessionSettings, relation: Relation = .same, includingSpeech: Bool = true
    ) -> Outcome {
        let outcome = outcome(active: active.mixing, new: new.mixing, relation: relation)
        let speaks = active.isSpoken && active.category.plays
        return includingSpeech && speaks && new.interruptsSpeech && relation != .lower && outcome != .refused
            ? .activeInterrupted : outcome
    }

    /// The outcome in the tables.
    package static func outcome(
        active: SessionMixing, new: SessionMixing, relation: Relation = .same
    ) -> Outcome {
        let row = active.rawValue * SessionMixing.allCases.count + new.rawValue
        return switch relation {
        case .lower: lower[row]
        case .same: same[row]
        case .higher: higher[row]
        }
    }

    // Rows: the active session. Columns: the new one.

    /// Sessions of the same priority: Apple's rules between applications.
    package static let same: [Outcome] = [
        //              exclusive           silencing           mixing         ducking
        /* exclusive */ .activeInterrupted, .activeInterrupted, .bothPlay, .activeDucked,
        /* silencing */ .activeInterrupted, .activeInterrupted, .newSilenced, .newSilenced,
        /* mixing    */ .bothPlay, .activeSilenced, .bothPlay, .activeDucked,
        /* ducking   */ .newDucked, .activeSilenced, .newDucked, .activeDucked,
    ]

    /// The new session matters more: one that does not mix is the only one active, and no session that matters less
    /// silences it.
    package static let higher: [Outcome] = [
        //              exclusive           silencing           mixing         ducking
        /* exclusive */ .activeInterrupted, .activeInterrupted, .bothPlay, .activeDucked,
        /* silencing */ .activeInterrupted, .activeInterrupted, .activeInterrupted, .activeInterrupted,
        /* mixing    */ .activeInterrupted, .activeInterrupted, .bothPlay, .activeDucked,
        /* ducking   */ .activeInterrupted, .activeInterrupted, .bothPlay, .activeDucked,
    ]

    /// The new session matters less. It is refused where the active one, activated later, would have interrupted it, and
    /// does not duck sessions that matter more.
    package static let lower: [Outcome] = [
        //              exclusive  silencing  mixing     ducking
        /* exclusive */ .refused, .refused, .refused, .refused,
        /* silencing */ .refused, .refused, .refused, .refused,
        /* mixing    */ .bothPlay, .refused, .bothPlay, .bothPlay,
        /* ducking   */ .newDucked, .refused, .newDucked, .newDucked,
    ]
}
