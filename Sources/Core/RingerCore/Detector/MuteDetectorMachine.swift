/// The detector's rules: events of the clip's playback go in, a reading comes out. A pure value.
///
/// There is one probe at a time. Who asks while it runs gets its reading.
struct MuteDetectorMachine: StateMachine {
    enum Event: Sendable {
        /// A caller asks for a reading.
        case measure(DeviceState, now: MonotonicTime)
        /// An event of the output, about the clip of this number.
        case playback(clip: UInt64, PlaybackEvent, now: MonotonicTime)
        /// The clip of this number is over; the device was in this state then.
        case over(clip: UInt64, SoundResult, DeviceState)
        /// The time of the probe of this number is up.
        case deadline(probe: UInt64, now: MonotonicTime)
    }

    enum Action: Sendable, Equatable {
        case play(clip: UInt64)
        /// Stop the clip that was played last.
        case stop
        case setDeadline(probe: UInt64, at: MonotonicTime)
        /// The reading for all who asked since the last one.
        case answer(MuteReading)
    }

    private struct Probe {
        var state: DeviceState
        var attempts = 0
        var startedAt: MonotonicTime?
        var isDisturbed = false
        /// What the output itself said of the clip last.
        var judgement: OutputJudgement?
    }

    let configuration: MuteDetector.Configuration
    /// Whether the output itself ends what may not be heard. It does only while its judge is there, so that a clip which took
    /// its time is judged by ``StreamPosition/judgement``.
    let outputObeys: Bool
    private var probe: Probe?
    private var clip: UInt64 = 0
    private var number: UInt64 = 0

    init(_ configuration: MuteDetector.Configuration, outputObeys: Bool = false) {
        self.configuration = configuration
        self.outputObeys = outputObeys
    }

    mutating func handle(_ event: Event, _ actions: inout [Action]) {
        switch event {
        case .measure(let state, let now):
            if probe == nil { measure(state, now, &actions) }
        case .playback(let clip, let event, let now):
            if clip == self.clip { playback(event, now, &actions) }
        case .over(let clip, let result, let state):
            if clip == self.clip { over(result, state, &actions) }
        case .deadline(let number, let now):
            guard number == self.number, let probe else { break }
            actions.append(.stop)
            let cause: MuteReading.Cause = probe.startedAt == nil ? .deadline : .streamStalled
            answer(.unknown, elapsed: probe.startedAt.map { now - $0 } ?? .zero, cause, now, &actions)
        }
    }

    private mutating func measure(_ state: DeviceState, _ now: MonotonicTime, _ actions: inout [Action]) {
        number += 1
        probe = Probe(state: state)
        if state.sessions.contains(.interrupted) {
            return answer(.unknown, elapsed: .zero, .interruption, now, &actions)
        }
        if state.sessions.contains(.records) || state.sessions.contains(.silencesPlayback) {
            return answer(.unknown, elapsed: .zero, .recording, now, &actions)
        }
        actions.append(.setDeadline(probe: number, at: now + configuration.deadline))
        playClip(&actions)
    }

    private mutating func playClip(_ actions: inout [Action]) {
        clip += 1
        probe?.attempts += 1
        probe?.startedAt = nil
        probe?.isDisturbed = false
        probe?.judgement = nil
        actions.append(.play(clip: clip))
    }

    private mutating func playback(_ event: PlaybackEvent, _ now: MonotonicTime, _ actions: inout [Action]) {
        switch event {
        case .started(let time):
            probe?.startedAt = time
        case .underrun, .recovered, .suspended, .resumed:
            probe?.isDisturbed = true
        case .progress(let position, _):
            probe?.judgement = position.judgement
            guard let probe, let start = probe.startedAt, !probe.isDisturbed else { return }
            // Frames are left at the threshold, and most of those due by then were played: the device is audible, and the
            // rest of the clip is dropped. A stream behind a deep buffer, or one that stands still, is judged at its end.
            guard let left = position.unfinishedAt, left - start >= configuration.threshold,
                Double(position.played) >= leastShare * Double(position.total)
            else { return }
            actions.append(.stop)
            answer(.audible, elapsed: left - start, nil, now, &actions)
        case .waiting, .ended:
            break  // The player reports the end with its outcome, as `.over`.
        }
    }

    /// The share of the clip that has to be played at the threshold: two thirds of what real time allows.
    private var leastShare: Double { configuration.threshold / configuration.clip * 2 / 3 }

    private mutating func over(_ result: SoundResult, _ state: DeviceState, _ actions: inout [Action]) {
        probe?.state = state
        probe?.judgement = result.position.judgement
        guard let probe else { return }
        let elapsed = result.elapsed
        func give(_ cause: MuteReading.Cause, orRepeat mayRepeat: Bool = false) {
            if mayRepeat && probe.attempts < configuration.attempts { return playClip(&actions) }
            answer(.unknown, elapsed: elapsed, cause, result.endedAt, &actions)
        }
        switch result.outcome {
        case .silenced(by: .ringSilentSwitch), .silenced(by: .softwareSilent), .silenced(by: .quietHours):
            // Before the clip, or by a flip in its middle: both are muted.
            answer(.muted, elapsed: elapsed, nil, result.endedAt, &actions)
        case .silenced(by: let reason):
            give(.silenced(by: reason))
        case .stopped:
            give(.stopped)
        case .failed(let error):
            give(.outputFailed(error))
        case .finished:
            guard let start = result.startedAt else { return give(.deadline) }
            if probe.isDisturbed { return give(.streamDisturbed, orRepeat: true) }
            if result.position.played < result.position.total { return give(.streamStalled, orRepeat: true) }
            if elapsed < configuration.threshold {
                answer(.muted, elapsed: elapsed, nil, result.endedAt, &actions)
            } else if let left = result.position.unfinishedAt, left - start >= configuration.threshold {
                answer(.audible, elapsed: left - start, nil, result.endedAt, &actions)
            } else {
                give(.timingDoubtful, orRepeat: true)
            }
        }
    }

    private mutating func answer(
        _ verdict: MuteReading.Verdict, elapsed: Duration, _ cause: MuteReading.Cause?, _ now: MonotonicTime,
        _ actions: inout [Action]
    ) {
        guard let probe else { return }
        self.probe = nil
        let knowsSwitch =
            probe.state.ringSilent != nil || (probe.state.isSwitchUnreadable && !outputObeys)
            || (verdict == .muted && probe.state.quietHours != nil)
        var way: MuteReading.Way = knowsSwitch ? .device : .none
        if let judgement = probe.judgement { way = judgement == .unjudged ? .none : .pcm }
        var (verdict, cause) = (verdict, cause)
        if verdict == .audible {
            if probe.state.outputVolume == 0 {
                (verdict, cause) = (.muted, .volume)
            } else if way == .none {
                // That the clip took its time says nothing where nobody would have ended it.
                (verdict, cause) = (.unknown, .nothingKnows)
            } else if probe.judgement == .silenced {
                // The PCM plays silence in the clip's time.
                verdict = .muted
            } else if probe.judgement == .interrupted {
                (verdict, cause) = (.unknown, .interruption)
            }
        }
        let reading = MuteReading(
            verdict: verdict, elapsed: elapsed, threshold: configuration.threshold, route: probe.state.route,
            switchPosition: probe.state.readPosition, cause: cause, way: way, attempts: probe.attempts, at: now)
        actions.append(.answer(reading))
    }
}
