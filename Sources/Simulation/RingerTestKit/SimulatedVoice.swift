import RingerCore
import Synchronization

/// One sound of the simulated speaker, which obeys the sound's gate. Any thread.
final class SimulatedVoice: Playback, Sendable {
    typealias Record = @Sendable (_ change: (inout SimulatedSoundOutput.Recording) -> Void) -> Void

    private struct State {
        var start: MonotonicTime?
        var pausedFor = Duration.zero
        var isPaused = false
        var isOver = false
        /// How many frames are to be played.
        var total: Int64
        /// How often.
        var rounds: Int
        var timers: [any DeviceTimer] = []
        /// The next look at the gate.
        var look: (any DeviceTimer)?
    }

    /// How often it looks at the gate while it is heard: the period of the simulated PCM.
    private static let period = Duration.milliseconds(10)

    let number: UInt64
    private let clock: any DeviceClock
    private let pcm: SimulatedPCM
    private let sound: PCMBuffer
    private let options: PlaybackOptions
    private var total: Int64 { state.withLock { $0.total } }
    private let gate: Gate
    private let fault: SimulatedSoundOutput.Fault?
    private let handler: @Sendable (PlaybackEvent) -> Void
    private let granted: @Sendable () -> Void
    private let record: Record
    private let state: Mutex<State>

    init(
        clock: any DeviceClock, pcm: SimulatedPCM, sound: PCMBuffer, options: PlaybackOptions,
        fault: SimulatedSoundOutput.Fault?, handler: @escaping @Sendable (PlaybackEvent) -> Void,
        opened granted: @escaping @Sendable () -> Void, record: @escaping Record
    ) {
        number = pcm.reserve()
        self.clock = clock
        self.pcm = pcm
        self.sound = sound
        self.options = options
        state = Mutex(State(total: options.manner.frames(of: sound), rounds: options.manner.rounds))
        gate = options.gate ?? Gate(gain: options.gain)
        self.fault = fault
        self.handler = handler
        self.granted = granted
        self.record = record
    }

    func begin() {
        guard pcm.add(self) else { return failed(RingerError(.closed, "play", SimulatedPCM.subject)) }
        at(clock.now) { voice in voice.pcm.open(voice, waits: voice.options.waitsWhenBusy) }
    }

    func stop() {
        if options.gate == nil { gate.shut() }
        at(clock.now) { _ in }
    }

    /// Stops within the call.
    func stopNow() {
        end(.stopped, played: framesPlayed())
    }

    func setGain(_ gain: Float, over duration: Duration) {
        let (frame, frames) = (framesPlayed(), Int((duration.inSeconds * sound.sampleRate).rounded()))
        record { recording in
            var ramp = recording.ramps.last?.ramp ?? GainRamp(recording.gains[0])
            ramp.go(to: gain, from: frame, over: frames)
            recording.ramps.append((frame, ramp))
            recording.gains.append(gain)
        }
    }

    /// Why it cannot be opened, even if no other sound holds the PCM; nil if it can.
    var openError: RingerError? { fault?.openError }

    /// The PCM is busy, and the sound waits.
    func waits(for error: RingerError) {
        let now = clock.now
        record { $0.waitsSince = now }
        tell(.waiting(error, at: now))
    }

    /// The PCM cannot be opened.
    func failed(_ error: RingerError) {
        end(.failed(error), played: 0)
    }

    /// The PCM is open: the sound begins.
    func opened() {
        let start = clock.now
        let (isOver, begins) = state.withLock { state in
            let begins = !state.isOver && gate.begin()
            if begins { state.start = start }
            return (state.isOver, begins)
        }
        if isOver { return pcm.remove(self) }
        if !begins { return stopNow() }
        record { $0.start = start }
        lookLater()
        handler(.started(at: start))
        granted()
        if let report = options.reportAt {
            at(start + report) { voice in voice.tellProgress() }
        }
        switch fault {
        case .unpaced:
            at(start) { voice in voice.end(.drained, played: voice.total) }
        case .underrun(let frame) where Int64(frame) < total:
            at(start + duration(of: Int64(frame))) { voice in
                voice.tell(.underrun(at: voice.clock.now))
                voice.tell(.recovered(at: voice.clock.now))
            }
            awaitEnd(at: start)
        case .suspend(let frame, let pause) where Int64(frame) < total:
            at(start + duration(of: Int64(frame))) { voice in
                voice.state.withLock { $0.isPaused = true }
                voice.tell(.suspended(at: voice.clock.now))
            }
            at(start + duration(of: Int64(frame)) + pause) { voice in
                voice.state.withLock { state in
                    state.isPaused = false
                    state.pausedFor = pause
                }
                voice.tell(.resumed(at: voice.clock.now))
            }
            awaitEnd(at: start + pause)
        case .gone(let frame) where Int64(frame) < total:
            at(start + duration(of: Int64(frame))) { voice in
                let error = RingerError(.disconnected, "write", "simulated speaker")
                voice.end(.failed(error), played: Int64(frame))
            }
        case .stall(let frame) where Int64(frame) < total:
            break
        default:
            awaitEnd(at: start)
        }
    }

    /// Looks at the gate in each period.
    private func lookLater() {
        let next = clock.schedule(at: clock.now + Self.period) { [self] in
            if !gate.isOpen { return stopNow() }
            lookAtRounds()
            lookLater()
        }
        let isOver = state.withLock { state in
            state.look = next
            return state.isOver
        }
        if isOver { next.cancel() }
    }

    /// Changes how often it is to be played: at least with the round that was begun.
    private func lookAtRounds() {
        let (rounds, played) = (gate.rounds, framesPlayed())
        let left = state.withLock { state -> Int64? in
            guard rounds > 0, state.rounds != rounds else { return nil }
            let (first, frames) = (Int64(options.manner.first), Int64(sound.frames))
            let begun = (played + first + frames - 1) / frames
            state.rounds = rounds
            state.total = max(Int64(rounds), begun) * frames - first
            return state.total - played
        }
        guard let left else { return }
        record { [sound, options] in ($0.sound, $0.manner) = (sound, options.manner) }
        awaitEnd(at: clock.now, left)
    }

    /// Ends after so many frames from `time` on, unless it is to end elsewhere by then.
    private func awaitEnd(at time: MonotonicTime, _ frames: Int64? = nil) {
        let total = total
        at(time + duration(of: frames ?? total)) { voice in
            if voice.total == total { voice.end(.drained, played: total) }
        }
    }

    private func tellProgress() {
        let now = clock.now
        let played = framesPlayed()
        tell(
            .progress(
                StreamPosition(played: played, total: total, unfinishedAt: played < total ? now : nil),
                at: now))
    }

    private func tell(_ event: PlaybackEvent) {
        if !state.withLock({ $0.isOver }) { handler(event) }
    }

    private func end(_ end: PlaybackEnd, played: Int64) {
        let now = clock.now
        let (isFirst, timers, start) = state.withLock { state in
            defer {
                state.isOver = true
                state.timers = []
                state.look = nil
            }
            return (!state.isOver, state.timers + (state.look.map { [$0] } ?? []), state.start)
        }
        guard isFirst else { return }
        for timer in timers { timer.cancel() }
        record { recording in
            recording.end = now
            recording.outcome = end
            (recording.played, recording.framesPlayed) = (Int(clamping: played), played)
        }
        // Virtual time is exact: until the end, frames were left.
        let unfinishedAt = start.flatMap { fault == .unpaced ? nil : max($0, now) }
        let position = StreamPosition(played: played, total: total, unfinishedAt: unfinishedAt)
        pcm.remove(self) { handler(.ended(end, at: now, position)) }
    }

    private func framesPlayed() -> Int64 {
        let (start, pausedFor) = state.withLock { ($0.start, $0.pausedFor) }
        guard let start else { return 0 }
        let heard = Int64((((clock.now - start) - pausedFor).inSeconds * sound.sampleRate).rounded(.down))
        var frames = min(max(heard, 0), total)
        if case .stall(let frame) = fault { frames = min(frames, Int64(frame)) }
        return frames
    }

    private func duration(of frames: Int64) -> Duration {
        .nanoseconds(Int64((Double(frames) / sound.sampleRate * 1e9).rounded()))
    }

    /// Calls `body` at `time`, unless the gate is shut then: the sound ends.
    private func at(_ time: MonotonicTime, _ body: @escaping @Sendable (SimulatedVoice) -> Void) {
        let timer = clock.schedule(at: time) { [self] in if gate.isOpen { body(self) } else { stopNow() } }
        state.withLock { state in
            if !state.isOver { state.timers.append(timer) }
        }
    }
}
