import RingerCore

/// A device's signals over time: its switch, its sound, its motor, and the policy's decisions.
///
/// A value, made from the device's events. ``ValueChangeDump`` and ``TimelinePicture`` present it.
public struct SignalTrace: Sendable, Hashable {
    /// A change of a signal.
    public struct Change: Sendable, Hashable {
        /// The time of the change.
        public var at: MonotonicTime
        /// The signal and its new value.
        public var signal: Signal

        /// A change of `signal` at `time`.
        public init(at time: MonotonicTime, _ signal: Signal) {
            at = time
            self.signal = signal
        }
    }

    /// A signal and its value.
    public enum Signal: Sendable, Hashable {
        /// The switch's position.
        case ringSilent(SwitchPosition)
        /// The sound of this number begins or ends.
        case sound(UInt64, isOn: Bool)
        /// The motor's strength, 0 to 1; 0 is off.
        case motor(Float)
        /// The policy decided about a sound.
        case decision(Decision)
        /// The outcome of a sound.
        case outcome(SoundOutcome)
        /// A remark: a call, a completion.
        case mark(String)
    }

    /// When the trace begins.
    public var start: MonotonicTime
    /// When it ends; nil for its last change.
    public var end: MonotonicTime?
    private var unsorted: [Change] = []

    /// A trace that begins at `start`.
    public init(start: MonotonicTime) {
        self.start = start
    }

    /// The changes in the order of their times: the kernel's timestamp of an edge may be older than changes added
    /// before. Changes from before the start are moved to the start.
    public var changes: [Change] {
        let early = unsorted.map { Change(at: max($0.at, start), $0.signal) }
        // Swift's sort keeps the order of equal elements only by the index.
        return early.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }

    /// When the trace is over.
    public var lastInstant: MonotonicTime { max(end ?? start, unsorted.map(\.at).max() ?? start, start) }

    /// Adds a change.
    public mutating func add(_ signal: Signal, at time: MonotonicTime) {
        unsorted.append(Change(at: time, signal))
    }

    /// Adds the signals that `event` changes; many events change none.
    public mutating func add(_ event: DeviceEvent) {
        switch event {
        case .switchMoved(let position, _, let time): add(.ringSilent(position), at: time)
        case .decided(let decision, _, _, let time): add(.decision(decision), at: time)
        case .playback(.started(let time), let sound): add(.sound(sound, isOn: true), at: time)
        case .playback(.ended(_, let time, _), let sound): add(.sound(sound, isOn: false), at: time)
        case .soundEnded(let outcome, _, let time): add(.outcome(outcome), at: time)
        case .vibration(.on(let strength, let time)): add(.motor(strength), at: time)
        case .vibration(.off(let time)): add(.motor(0), at: time)
        case .vibration, .playback, .fallback, .switchLost, .switchFound, .switchEdgesDropped, .stateChanged, .key,
            .detectorDisagrees, .degraded, .session, .routeChanged, .preferencesChanged:
            break
        }
    }
}
