import Ringer

/// What the device's events say about ring tone and motor. A pure value.
struct AlertObserver: Sendable {
    private var alertSounds: Set<UInt64> = []
    private var playing: Set<UInt64> = []
    private(set) var isFelt = false
    /// Why the last round of the ring tone that was to be heard was not; nil where it was.
    private(set) var failure: RingerError?

    /// Whether a round of the ring tone is heard.
    var isHeard: Bool { !playing.isEmpty }

    /// An alert begins: what is heard of the last one does not count any more.
    mutating func beginAlert() {
        alertSounds = []
        playing = []
        failure = nil
    }

    /// Takes an event in.
    ///
    /// - Returns: When it changed what is heard and felt, or what the rules allow; nil if it did not.
    mutating func take(_ event: DeviceEvent) -> MonotonicTime? {
        switch event {
        case .decided(let decision, .alert, let sound, _):
            if decision.isHeard { alertSounds.insert(sound) }
            return nil
        case .playback(.started(let time), let sound):
            guard alertSounds.contains(sound) else { return nil }
            playing.insert(sound)
            failure = nil
            return time
        case .soundEnded(let outcome, let sound, let time):
            guard alertSounds.remove(sound) != nil else { return nil }
            let wasHeard = playing.remove(sound) != nil
            guard case .failed(let error) = outcome else { return wasHeard ? time : nil }
            failure = error
            return time
        case .vibration(.on(_, let time)):
            isFelt = true
            return time
        case .vibration(.off(let time)):
            isFelt = false
            return time
        case .switchMoved(_, _, let time), .switchLost(_, _, let time), .stateChanged(_, _, let time):
            return time
        case .session(_, _, _, let time):
            return time
        default:
            return nil
        }
    }
}
