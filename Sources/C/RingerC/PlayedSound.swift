import RingerLinux
import Synchronization

/// A sound that a program of ringer.h plays: one request, which can be paused and goes on where it was. Any thread.
///
/// What is played between two pauses is a sound of the player's of its own.
final class PlayedSound: Sendable {
    /// What it plays in.
    enum Place: Sendable {
        case category(AudioCategory, CategoryOptions)
        /// A session that the program may free meanwhile.
        case session(SessionID)
    }

    /// How it ended, and what was heard of it.
    struct End: Sendable {
        var outcome: SoundOutcome
        var startedAt: MonotonicTime?
        var endedAt: MonotonicTime
        var position: StreamPosition
        var fallback: SoundFallback?
    }

    private enum Phase {
        case paused
        /// The player is about to get it; what is to follow.
        case starting(SoundPlayer.ID, then: Phase.Wish)
        case playing(SoundPlayer.ID)
        /// It was stopped for a pause and has not ended; whether it goes on then.
        case pausing(SoundPlayer.ID, goesOn: Bool)
        /// It was stopped for good and has not ended.
        case stopping(SoundPlayer.ID, SoundOutcome.StopCause)
        case ended

        enum Wish {
            case play
            case pause
            case stop(SoundOutcome.StopCause)
        }

        /// The player's sound.
        var id: SoundPlayer.ID? {
            switch self {
            case .starting(let id, _), .playing(let id), .pausing(let id, _), .stopping(let id, _): id
            case .paused, .ended: nil
            }
        }
    }

    private struct State {
        var phase: Phase
        /// What is left to be played of it.
        var manner: SoundManner
        /// How many frames were heard before the player's sound.
        var before: Int64 = 0
        /// How many of the player's sound were heard when its stream stood still last, and since when it has run.
        var heard: Int64 = 0
        var runsSince: MonotonicTime?
        var startedAt: MonotonicTime?
        /// Kept while the program has it: the last reference to a session removes it.
        weak var session: AudioSession?
        var isSessionFreed = false
    }

    private let device: Device
    private let sound: PCMBuffer
    private let total: Int64
    private let place: Place
    private let completion: @Sendable (End) -> Void
    private let state: Mutex<State>

    /// - Parameters:
    ///   - total: How many frames are played in all.
    ///   - session: That of the place.
    ///   - completion: Called once, with the end, unless ``begin()`` throws.
    init(
        _ sound: PCMBuffer, in manner: SoundManner, total: Int64, place: Place, session: AudioSession?,
        on device: Device,
        completion: @escaping @Sendable (End) -> Void
    ) {
        self.device = device
        self.sound = sound
        self.total = total
        self.place = place
        self.completion = completion
        // A pause, stop or gain that comes before it has begun is obeyed then.
        state = Mutex(State(phase: .starting(device.player.reserve(), then: .play), manner: manner, session: session))
    }

    /// Whether the player's sound of this number is this one.
    func plays(_ number: UInt64) -> Bool { state.withLock { $0.phase.id?.number == number } }

    /// Whether it is the session's.
    func isOf(_ session: SessionID) -> Bool {
        if case .session(session) = place { true } else { false }
    }

    /// The frame of the sound that is heard at `now`.
    func frame(at now: MonotonicTime) -> Int {
        state.withLock { state in
            let running = state.runsSince.map { Int64(((now - $0).inSeconds * sound.sampleRate).rounded()) } ?? 0
            let heard = min(max(state.heard + running, 0), state.manner.frames(of: sound))
            return state.manner.after(heard, of: sound).first
        }
    }

    // MARK: - The program's requests

    /// Begins it, once.
    ///
    /// - Throws: ``RingerError`` if the category does not allow an option, or the device is closed.
    func begin() throws {
        if let id = state.withLock({ $0.phase.id }) { try start(id) }
    }

    /// Gives it to the player, as its sound `id`.
    private func start(_ id: SoundPlayer.ID) throws {
        let (manner, session, wasHeard) = state.withLock { ($0.manner, $0.session, $0.before > 0) }
        // It was paused at its end.
        if wasHeard, manner.frames(of: sound) == 0 { return end(.finished) }
        let completion: @Sendable (SoundResult) -> Void = { [self] in ended(id, $0) }
        switch place {
        case .category(let category, let options):
            try device.start(
                sound, in: manner, reserved: id, category: category, options: options, completion: completion)
        case .session:
            guard let session else { return end(.stopped(.sessionRemoved)) }
            session.start(sound, in: manner, reserved: id, completion: completion)
        }
        let (stops, volume) = state.withLock { state in
            guard case .starting(id, let wish) = state.phase else { return (false, manner.volume) }
            switch wish {
            case .play: state.phase = .playing(id)
            case .pause: state.phase = .pausing(id, goesOn: false)
            case .stop(let cause): state.phase = .stopping(id, cause)
            }
            if case .play = wish { return (false, state.manner.volume) }
            return (true, state.manner.volume)
        }
        if volume != manner.volume { device.player.setVolume(volume, of: id) }
        if stops { device.player.stop(id) }
    }

    /// Pauses it, or goes on with it.
    func pause(_ isPaused: Bool) {
        let next = device.player.reserve()
        let (stopped, begins): (SoundPlayer.ID?, Bool) = state.withLock { state in
            switch state.phase {
            case .starting(let id, let wish):
                if case .stop = wish { return (nil, false) }
                state.phase = .starting(id, then: isPaused ? .pause : .play)
                return (nil, false)
            case .playing(let id) where isPaused:
                state.phase = .pausing(id, goesOn: false)
                return (id, false)
            case .pausing(let id, _):
                state.phase = .pausing(id, goesOn: !isPaused)
                return (nil, false)
            case .paused where !isPaused:
                state.phase = .starting(next, then: .play)
                return (nil, true)
            case .paused, .playing, .stopping, .ended: return (nil, false)
            }
        }
        if let stopped { device.player.stop(stopped) }
        if begins { goOn(next) }
    }

    /// Stops it.
    func stop(because cause: SoundOutcome.StopCause = .caller) {
        let (stopped, isOver): (SoundPlayer.ID?, Bool) = state.withLock { state in
            switch state.phase {
            case .starting(let id, _):
                state.phase = .starting(id, then: .stop(cause))
                return (nil, false)
            case .playing(let id):
                state.phase = .stopping(id, cause)
                return (id, false)
            case .pausing(let id, _):
                state.phase = .stopping(id, cause)
                return (nil, false)
            case .paused: return (nil, true)
            case .stopping, .ended: return (nil, false)
            }
        }
        if let stopped { device.player.stop(stopped, because: cause) }
        if isOver { end(.stopped(cause)) }
    }

    /// The program has freed its session: what is paused of it, or about to be, ends, as what plays ends with the session.
    func sessionIsFreed() {
        let isOver = state.withLock { state in
            state.isSessionFreed = true
            if case .paused = state.phase { return true }
            return false
        }
        if isOver { end(.stopped(.sessionRemoved)) }
    }

    /// The output is about to be released: what goes on after a pause ends with it. What is paused stays so.
    func outputIsReleased() {
        state.withLock { state in
            if case .pausing(let id, goesOn: true) = state.phase { state.phase = .stopping(id, .outputReleased) }
        }
    }

    func setVolume(_ volume: Float) {
        let id = state.withLock { state in
            state.manner.volume = volume
            return state.phase.id
        }
        if let id { device.player.setVolume(volume, of: id) }
    }

    // MARK: - The player's reports

    /// The stream of the player's sound runs, or stands still, since `time`.
    func stream(runs: Bool, at time: MonotonicTime) {
        state.withLock { state in
            if let since = state.runsSince {
                state.heard += Int64(((time - since).inSeconds * sound.sampleRate).rounded())
            }
            state.runsSince = runs ? time : nil
        }
    }

    private func ended(_ id: SoundPlayer.ID, _ result: SoundResult) {
        let next = device.player.reserve()
        let (goesOn, outcome): (Bool, SoundOutcome?) = state.withLock { state in
            guard state.phase.id == id else { return (false, nil) }
            state.manner = state.manner.after(result.position.played, of: sound)
            state.before += result.position.played
            (state.heard, state.runsSince) = (0, nil)
            if state.startedAt == nil { state.startedAt = result.startedAt }
            guard result.outcome == .stopped(.caller) else { return (false, result.outcome) }
            switch state.phase {
            case .pausing where state.isSessionFreed: return (false, .stopped(.sessionRemoved))
            case .pausing(_, goesOn: true):
                // A pause that comes from now on is one of the next sound.
                state.phase = .starting(next, then: .play)
                return (true, nil)
            case .pausing:
                state.phase = .paused
                return (false, nil)
            case .stopping(_, let cause): return (false, .stopped(cause))
            case .paused, .starting, .playing, .ended: return (false, result.outcome)
            }
        }
        if let outcome { end(outcome, at: result.endedAt) }
        if goesOn { goOn(next) }
    }

    private func goOn(_ id: SoundPlayer.ID) {
        do {
            try start(id)
        } catch {
            end(.failed(error as? RingerError ?? RingerError(.system, "play", "sound", detail: "\(error)")))
        }
    }

    private func end(_ outcome: SoundOutcome, at time: MonotonicTime? = nil) {
        let end: End? = state.withLock { state in
            if case .ended = state.phase { return nil }
            state.phase = .ended
            let isSilenced = if case .silenced = outcome { true } else { false }
            return End(
                outcome: outcome, startedAt: state.startedAt, endedAt: time ?? device.clock.now,
                position: StreamPosition(played: state.before, total: total),
                fallback: isSilenced ? nil : SoundFallback(sound))
        }
        if let end { completion(end) }
    }
}
