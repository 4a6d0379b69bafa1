/// A session as the coordinator knows it.
public struct SessionState: Sendable, Hashable {
    /// Whether a session is active.
    public enum Phase: String, Sendable, Hashable {
        /// It is not active, and does not wait to be.
        case inactive
        /// It is active.
        case active
        /// It was active, was interrupted, and waits for the end of the interruption.
        case interrupted
    }

    /// The session's number.
    public let id: SessionID
    /// The client that made it.
    package let client: SessionClientID
    /// The session's name, for people.
    public let name: String
    /// How much it matters.
    public let priority: SessionPriority
    /// Category, options and overrides.
    public internal(set) var settings = SessionSettings()
    /// Whether it is active.
    public internal(set) var phase = Phase.inactive
    /// Whether its client set a category, be it the default one.
    package internal(set) var isCategorySet = false
    /// Whether it uses a hardware codec, which needs a category that its client set.
    package internal(set) var usesHardwareCodec = false
    /// Whether its application is in the background: `ambient` and `soloAmbient` are silent there.
    public internal(set) var isInBackground = false
    /// Whether it is playing, or recording.
    public internal(set) var isSounding = false
    /// Whether another session ducks it: see ``Ducking``.
    public internal(set) var isDucked = false
    /// Whether somebody else plays, as the service that arbitrates it reports.
    package internal(set) var isOtherAudioPlaying = false
    /// The sample rate and buffer duration that it prefers.
    public internal(set) var preferences = SessionPreferences()
    /// Where its sound goes.
    public internal(set) var route: SessionRoute
    /// What interrupts it. The interruption ends when none is left.
    public internal(set) var causes: [InterruptionCause] = []
    /// Whether all interruptions that ended so far allow it to resume.
    package internal(set) var mayResume = true
    /// When it was activated last, or its options began to interrupt others while it was active, in nanoseconds of
    /// CLOCK_MONOTONIC; 0 if it never was. No two sessions of a coordinator have the same.
    package internal(set) var activation: UInt64 = 0
    /// Whether another arbiter activated it, before this one.
    var isResumed = false

    init(
        id: SessionID, client: SessionClientID, name: String, priority: SessionPriority, route: SessionRoute
    ) {
        self.id = id
        self.client = client
        self.name = name
        self.priority = priority
        self.route = route
    }

    /// Whether it is one of the device's own sessions, which sounds are played in without a session of the firmware's.
    package var isOwn: Bool { client == .ownSounds }
    /// Whether it is active and not interrupted.
    public var isActive: Bool { phase == .active }
    /// Whether it was interrupted and the interruption has not ended.
    public var isInterrupted: Bool { phase == .interrupted }
}

/// The sample rate and buffer duration that a session prefers. The hardware may grant others.
public struct SessionPreferences: Sendable, Hashable {
    /// The sample rate, in hertz; 0 for none.
    public var sampleRate: Double = 0
    /// The duration that the hardware takes at a time, in seconds; 0 for none: 10 ms.
    public var ioBufferDuration: Float = 0

    /// Preferences, by default none.
    public init(sampleRate: Double = 0, ioBufferDuration: Float = 0) {
        self.sampleRate = sampleRate
        self.ioBufferDuration = ioBufferDuration
    }

    /// The sample rates that a session can prefer, in hertz. Others are set to the nearer limit.
    package static let sampleRates = 8_000.0...192_000
    /// The buffer durations that a session can prefer, in seconds. Others are set to the nearer limit.
    package static let ioBufferDurations = 0.001...2

    /// `value`, or the nearer limit of `range`; 0 stays 0.
    ///
    /// - Throws: ``SessionError/Code/badParameter`` for a negative number, an infinite one, or NaN.
    package static func limited(
        _ value: Double, to range: ClosedRange<Double>, _ operation: String
    ) throws(SessionError) -> Double {
        guard value.isFinite, value >= 0 else {
            throw SessionError(.badParameter, operation, detail: "not a positive number")
        }
        return value == 0 ? 0 : min(max(value, range.lowerBound), range.upperBound)
    }
}
