/// A session's number, unique on the device for as long as its coordinator lives. The session's maker chooses it.
///
/// It means the same session in every process. 0 and the largest number denote no session.
public struct SessionID: RawRepresentable, Sendable, Hashable, Comparable {
    /// The number.
    public let rawValue: UInt64

    /// The session of this number.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Whether `left` has the smaller number.
    public static func < (left: SessionID, right: SessionID) -> Bool { left.rawValue < right.rawValue }
}

/// The number of a client of the coordinator: a process, or a part of this one. When a client dies, its sessions are
/// removed.
package struct SessionClientID: RawRepresentable, Sendable, Hashable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The process that the coordinator runs in.
    package static let local = SessionClientID(rawValue: 0)
    /// The device itself, for sounds that are played without a session of the firmware's. Its sessions mix with each other.
    package static let ownSounds = SessionClientID(rawValue: .max)
}

/// The number of an interruption that no session causes, such as a telephone call. The reporter chooses it.
public struct OutsideInterruption: RawRepresentable, Sendable, Hashable {
    /// The number.
    public let rawValue: UInt64

    /// The interruption of this number.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

/// What interrupts a session.
@nonexhaustive
public enum InterruptionCause: Sendable, Hashable {
    /// Another session, which was activated.
    case session(SessionID)
    /// Something other than a session: a call that rings, an alarm clock.
    case outside(OutsideInterruption)
    /// What the service reports: a session of another process, or of this one.
    case service
}

/// What the service that arbitrates a process's sessions decided about one of them.
package enum SessionVerdict: Sendable, Hashable {
    /// It is interrupted.
    case interrupted
    /// The interruption ended. With `shouldResume` the session is active again.
    case interruptionEnded(shouldResume: Bool)
    /// What refused its activation is over: it would be admitted now.
    case refusalEnded
    /// Whether another session ducks it.
    case ducked(Bool)
    /// Whether somebody else plays: a session, or a process that has none.
    case otherAudio(isPlaying: Bool)
}

extension InterruptionCause: CustomStringConvertible {
    /// `session(3)` or `outside(3)`, with the number.
    public var description: String {
        switch self {
        case .session(let id): "session(\(id.rawValue))"
        case .outside(let interruption): "outside(\(interruption.rawValue))"
        case .service: "service"
        }
    }
}

/// Why an interruption has no end.
@nonexhaustive
public enum InterruptionDropReason: String, Sendable, Hashable {
    /// The user accepted it: a call was answered.
    case answered
    /// The session was activated again before the end.
    case reactivated
    /// The session was deactivated before the end.
    case deactivated
    /// The session was removed, or its client died.
    case removed
}

/// Why a session's sound stops.
@nonexhaustive
public enum SessionStopReason: String, Sendable, Hashable {
    /// The session was interrupted.
    case interruption
    /// The session was deactivated while it played.
    case deactivation
    /// The session was removed, or its client died.
    case removal
    /// The output is gone: a headphone was pulled out. The session stays active; its sound is paused.
    case oldDeviceUnavailable
}
