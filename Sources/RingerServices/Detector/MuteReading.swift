/// What the mute detector found.
public struct MuteReading: Sendable, Hashable {
    /// Whether sounds are heard.
    public enum Verdict: String, Sendable, Hashable, CaseIterable {
        /// A system sound ends at once: it is not heard.
        case muted
        /// A system sound plays: it is heard, as far as timing tells.
        case audible
        /// Neither can be said; ``MuteReading/cause`` tells why.
        case unknown
    }

    /// Why nothing can be said.
    public enum Cause: Sendable, Hashable {
        /// A session records, and so silences every playback.
        case recording
        /// An interruption is under way.
        case interruption
        /// The rules hold system sounds back for a reason that has nothing to do with the switch.
        case silenced(by: Decision.Reason)
        /// The output could not play the clip.
        case outputFailed(RingerError)
        /// The stream ran dry or was suspended on the way, so its time says nothing.
        case streamDisturbed
        /// The stream stood still, or ended before its last frame.
        case streamStalled
        /// The end came between two looks, one before the threshold and one after it.
        case timingDoubtful
        /// Nothing was heard of the clip until the deadline.
        case deadline
        /// The clip was stopped by somebody else.
        case stopped
    }

    /// Whether sounds are heard.
    public var verdict: Verdict
    /// From the clip's first frame to the moment that decided; zero where no frame was played.
    public var elapsed: Duration
    /// What decides: a clip that is over before this was muted.
    public var threshold: Duration
    /// Where sound left the device.
    public var route: AudioRoute
    /// Where the switch stood, if the process sees one.
    public var switchPosition: SwitchPosition?
    /// Why nothing can be said; nil where something can.
    public var cause: Cause?
    /// How many clips were played, or tried.
    public var attempts: Int
    /// When it was decided.
    public var at: MonotonicTime

    /// How far from the threshold the decision was.
    public var margin: Duration { elapsed < threshold ? threshold - elapsed : elapsed - threshold }

    /// Whether timing and switch contradict each other.
    public var disagreesWithSwitch: Bool {
        guard let switchPosition else { return false }
        return switch verdict {
        case .muted: !switchPosition.silences
        case .audible, .unknown: false
        }
    }
}

extension MuteReading.Cause: CustomStringConvertible {
    /// The cause's name, and what is known of it besides.
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
        }
    }
}
