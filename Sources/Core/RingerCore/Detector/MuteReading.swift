/// The result of one measurement of the mute detector.
public struct MuteReading: Sendable, Hashable {
    /// Whether system sounds are heard.
    public enum Verdict: String, Sendable, Hashable, CaseIterable {
        /// A system sound ends at once: it is not heard.
        case muted
        /// A system sound plays for its full length: as far as timing shows, it is heard.
        case audible
        /// The measurement failed; ``MuteReading/cause`` is the reason.
        case unknown
    }

    /// What knew whether sounds may be heard, so that the clip's timing says so.
    @nonexhaustive
    public enum Way: String, Sendable, Hashable, CaseIterable {
        /// This process has the device, and its rules know the switch.
        case device
        /// The service played the clip.
        case service
        /// The PCM obeys the switch, and had the service's word on a category that the switch silences: it ends a clip that
        /// may not be heard.
        case pcm
        /// Nothing: no switch, no service, and a PCM that plays everything or has no service to obey.
        case none
    }

    /// Why a measurement failed, or, besides the switch, why sounds are not heard.
    @nonexhaustive
    public enum Cause: Sendable, Hashable {
        /// A session records, and so silences every playback.
        case recording
        /// An interruption is under way, or another session interrupts the PCM that obeys the switch.
        case interruption
        /// The rules silence system sounds for a reason other than the switch.
        case silenced(by: Decision.Reason)
        /// The output could not play the clip.
        case outputFailed(RingerError)
        /// The stream had an underrun or was suspended, so its duration means nothing.
        case streamDisturbed
        /// The stream stood still, or ended before its last frame.
        case streamStalled
        /// The clip was last seen playing before the threshold, and first seen over after it.
        case timingDoubtful
        /// The output had not started the clip by the deadline.
        case deadline
        /// Other code stopped the clip.
        case stopped
        /// Nothing is there that knows whether sounds may be heard: no switch, no service, no PCM that obeys one.
        case nothingKnows
        /// The output volume is 0, or the mixer's playback switch is off: with the verdict ``Verdict/muted``.
        case volume
    }

    /// Whether sounds are heard.
    public var verdict: Verdict
    /// From the clip's first frame to the decision; zero if no frame was played.
    public var elapsed: Duration
    /// A clip that is over before this was muted.
    public var threshold: Duration
    /// Where sound left the device.
    public var route: AudioRoute
    /// The most silent one of the switch's, the kept position and that of the quiet hours; nil if the process cannot read the switch's.
    public var switchPosition: SwitchPosition?
    /// Why the measurement failed, where the verdict is ``Verdict/unknown``; ``Cause/volume`` where sounds are muted by
    /// that; else nil.
    public var cause: Cause?
    /// What knew whether sounds may be heard.
    public var way: Way
    /// How many clips were played or attempted.
    public var attempts: Int
    /// When the verdict was reached.
    public var at: MonotonicTime

    package init(
        verdict: Verdict, elapsed: Duration, threshold: Duration, route: AudioRoute, switchPosition: SwitchPosition?,
        cause: Cause?, way: Way, attempts: Int, at: MonotonicTime
    ) {
        self.verdict = verdict
        self.elapsed = elapsed
        self.threshold = threshold
        self.route = route
        self.switchPosition = switchPosition
        self.cause = cause
        self.way = way
        self.attempts = attempts
        self.at = at
    }

    /// How far from the threshold the decision was.
    public var margin: Duration { elapsed < threshold ? threshold - elapsed : elapsed - threshold }

    /// Whether timing and switch contradict each other.
    public var disagreesWithSwitch: Bool {
        verdict == .muted && cause == nil && switchPosition?.silences == false
    }
}

extension MuteReading: CustomStringConvertible {
    /// `audible on speaker after 0.1 s`, `muted on speaker after 0.0 s`, `unknown on speaker: recording`.
    public var description: String {
        if let cause { return "\(verdict.rawValue) on \(route.rawValue): \(cause)" }
        return "\(verdict.rawValue) on \(route.rawValue) after \(elapsed.inSeconds) s"
    }
}

extension MuteReading.Cause: CustomStringConvertible {
    /// The cause's name, with its reason or error.
    public var description: String {
        switch self {
        case .recording: "recording"
        case .interruption: "interruption"
        case .silenced(let reason): "silenced: \(reason.rawValue)"
        case .outputFailed(let error): "outputFailed: \(error)"
        case .streamDisturbed: "streamDisturbed"
        case .streamStalled: "streamStalled"
        case .timingDoubtful: "timingDoubtful"
        case .deadline: "deadline"
        case .stopped: "stopped"
        case .nothingKnows: "nothingKnows"
        case .volume: "volume"
        }
    }
}
