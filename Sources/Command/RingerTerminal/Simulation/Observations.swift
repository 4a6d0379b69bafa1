import RingerCore
import Synchronization

/// The sounds, alerts, vibrations and sessions that a test on the simulated board has begun, and their outcomes.
///
/// In virtual time the device's observer and completions run on the thread that moves the clock. All events of an instant
/// have therefore arrived here before the next step.
final class Observations: Sendable {
    /// Something that a step began: a sound, an alert, a vibration, a session.
    struct Request: Sendable {
        /// The name that the script gave it.
        var name: String?
        /// A description for people: "playback", "alert 1007".
        var title: String
        /// The number of its sound, if it has one.
        var sound: UInt64?
        /// Whether it is an alert. Each round of an alert is a sound with a number of its own.
        var isAlert = false
        /// Whether it is a session that does not end with a sound.
        var isBareSession = false
        var session: AudioSession?
        /// How it ended; nil while it runs.
        var ending: Ending?
        /// Whether it is an announcement that plays now.
        var isAnnounced: (@Sendable () -> Bool)?
        /// Stops it.
        var stop: (@Sendable () -> Void)?
    }

    private struct State {
        var requests: [Request] = []
        /// The sounds that were started and are not over, and those of them that are alerts.
        var playing: Set<UInt64> = []
        var alerts: Set<UInt64> = []
        var reading: MuteReading?
    }

    private let state = Mutex(State())

    /// Records an event of the device.
    func note(_ event: DeviceEvent) {
        state.withLock { state in
            switch event {
            case .decided(_, .alert, let sound, _), .decided(_, .alarm, let sound, _): state.alerts.insert(sound)
            case .playback(.started, let sound): state.playing.insert(sound)
            case .soundEnded(_, let sound, _):
                state.playing.remove(sound)
                state.alerts.remove(sound)
            default: break
            }
        }
    }

    /// Records what the detector found.
    func note(_ reading: MuteReading) {
        state.withLock { $0.reading = reading }
    }

    /// The detector's latest reading.
    var reading: MuteReading? { state.withLock { $0.reading } }

    /// Records that a step begins something.
    ///
    /// - Returns: The request's number, for ``end(_:_:)`` and ``change(_:_:)``.
    func begin(_ request: Request) -> Int {
        state.withLock { state in
            state.requests.append(request)
            return state.requests.count - 1
        }
    }

    /// Changes a request.
    func change(_ number: Int, _ body: (inout Request) -> Void) {
        state.withLock { if $0.requests.indices.contains(number) { body(&$0.requests[number]) } }
    }

    /// Records how a request ended.
    func end(_ number: Int, _ ending: Ending) {
        change(number) { $0.ending = ending }
    }

    /// The newest request of that name; without a name, the newest one that `fits`.
    func request(named name: String?, where fits: (Request) -> Bool = { _ in true }) -> Request? {
        state.withLock { state in
            state.requests.last { name == nil ? fits($0) : $0.name == name }
        }
    }

    /// Whether the sound of `request` is being played.
    func isPlaying(_ request: Request) -> Bool {
        if let isAnnounced = request.isAnnounced { return isAnnounced() }
        return state.withLock { state in
            if request.isAlert {
                let others = Set(state.requests.compactMap(\.sound))
                return request.ending == nil && !state.playing.intersection(state.alerts).subtracting(others).isEmpty
            }
            return request.sound.map(state.playing.contains) ?? false
        }
    }

    /// The titles of what is being played, for people.
    var titlesPlaying: [String] {
        let requests = state.withLock { $0.requests }
        return requests.filter(isPlaying).map { $0.name ?? $0.title }
    }

    /// Drops all references: a session is removed with its last one, which ends interruptions, and these are noted here.
    func forget() {
        // Released after the lock, which the device's observer takes.
        _ = state.withLock { state in
            let forgotten = state
            state = State()
            return forgotten
        }
    }
}

/// How something that a script began ended.
struct Ending: Sendable {
    /// "finished", "silenced", "stopped", "failed", "refused", "timed-out" or "limited".
    var word: String
    /// The reason or the cause.
    var by: String?
    var elapsed: Duration

    /// The end of a sound or a vibration. A vibration and an alert have a word of their own, `limited`, for their time limit.
    init(_ outcome: SoundOutcome, after elapsed: Duration, limited: String? = nil) {
        self.elapsed = elapsed
        if let limited, outcome == .stopped(.limited) {
            word = limited
            return
        }
        switch outcome {
        case .finished: word = "finished"
        case .silenced(let reason): (word, by) = ("silenced", reason.rawValue)
        case .stopped(let cause): (word, by) = ("stopped", cause.rawValue)
        case .failed(let error): (word, by) = ("failed", "\(error)")
        }
    }

    /// The end of an alert.
    init(_ result: AlertResult) {
        self.init(result.outcome, after: result.elapsed, limited: "timed-out")
    }

    /// A session that may not be activated.
    init(_ refusal: SessionError) {
        (word, by, elapsed) = ("refused", "\(refusal)", .zero)
    }

    /// The ending in words: "silenced by ringSilentSwitch after 250 ms".
    var sentence: String {
        let reason = by.map { word == "failed" || word == "refused" ? ": \($0)" : " by \($0)" } ?? ""
        return "\(word)\(reason) after \(elapsed.words)"
    }
}
