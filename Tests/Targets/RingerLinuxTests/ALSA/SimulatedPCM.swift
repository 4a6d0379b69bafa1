import RingerCore
import SystemPackage

@testable import RingerLinux

/// A PCM in virtual time, which carries out what a ``PlaybackMachine`` asks for and fails as chance has it.
struct SimulatedPCM {
    /// How likely it is that something goes wrong, in percent of the calls.
    struct Troubles {
        var refusesRoom = 0
        var underruns = 0
        var suspends = 0
        var resumes: [PCMHandle.Resumption] = [.running]
        /// The position changes in steps of so many frames.
        var granularity = 1
        /// Frames in the device's own queue.
        var latency = 0
        /// How likely it is that the gain is changed before time passes.
        var gains = 0
        /// Whether the stream takes back what was written.
        var rewinds = true
        /// How likely it is that the sound is stopped before time passes.
        var stops = 0
        /// Whether the buffer is shared with other streams: what is in it when the stream stops is heard.
        var isMixed = false
    }

    private let format = HardwareFormat(
        pcm: "simulated", sampleRate: 1_000, channels: 1, periodFrames: 10, bufferFrames: 80)
    private let troubles: Troubles
    private var random: SeededRandom

    private(set) var now = MonotonicTime(nanoseconds: 1_000_000_000)
    private var isRunning = false
    /// What was written since the stream was prepared: the sound's frames by number, nil for a zero.
    private var buffer: [Int?] = []
    private var played = 0
    private var isWatched = false
    private var timers: [PlaybackMachine.Timer: MonotonicTime] = [:]
    private var queue: [PlaybackMachine.Action] = []

    /// The sound's frames in the order in which they were heard.
    private(set) var heard: [Int] = []
    /// The gain with which each frame was written last.
    private(set) var gains: [Int: Float] = [:]
    /// The gains that are set, each once so many frames were heard.
    var changes: [(after: Int, gain: Float, duration: Duration)] = []
    private(set) var events: [PlaybackEvent] = []
    private(set) var steps = 0

    init(_ troubles: Troubles, seed: UInt64) {
        self.troubles = troubles
        random = SeededRandom(seed: seed)
    }

    /// Plays to the end, or until so many steps that something must be wrong.
    mutating func run(_ machine: inout PlaybackMachine) {
        queue = machine.handle(.play(at: now))
        while steps < 100_000 {
            steps += 1
            if !queue.isEmpty {
                let action = queue.removeFirst()
                if let answer = perform(action) { queue += machine.handle(answer) }
                if case .ended = events.last { return }
                continue
            }
            guard let event = sleep() else { return }
            queue += machine.handle(event)
        }
    }

    /// Lets time pass to whatever comes next.
    private mutating func sleep() -> PlaybackMachine.Event? {
        if let change = changes.first, heard.count >= change.after {
            changes.removeFirst()
            return .setGain(change.gain, over: change.duration)
        }
        if chance(troubles.stops) { return .stop }
        if chance(troubles.gains) { return .setGain(chance(50) ? 1 : 0.5, over: .milliseconds(20)) }
        let timer = timers.min { $0.value < $1.value }
        if isWatched {
            if hasFailed || room >= format.periodFrames {
                pass(to: now + .microseconds(50))
                return .ready
            }
            let roomAt = now + .milliseconds(format.periodFrames - room)
            if roomAt < timer?.value ?? roomAt + .seconds(1) {
                pass(to: roomAt)
                return .ready
            }
        }
        guard let timer else { return nil }
        timers[timer.key] = nil
        pass(to: timer.value)
        return .due(timer.key, at: now)
    }

    private var room: Int { format.bufferFrames - (buffer.count - played) }
    private var hasFailed: Bool { failure != nil }
    private var failure: Errno?

    private mutating func pass(to time: MonotonicTime) {
        let frames = Int((time - now).nanoseconds.quotientAndRemainder(dividingBy: 1_000_000).quotient)
        now = max(now, time)
        guard isRunning, failure == nil else { return }
        advance(by: max(1, frames))
    }

    private mutating func advance(by frames: Int) {
        let end = min(buffer.count, played + frames)
        heard += buffer[played..<end].compactMap { $0 }
        played = end
        if played == buffer.count { fail(.brokenPipe) }
    }

    private mutating func fail(_ errno: Errno) {
        failure = errno
        isRunning = false
    }

    private mutating func chance(_ percent: Int) -> Bool {
        percent > 0 && Int(random.next() % 100) < percent
    }

    private mutating func perform(_ action: PlaybackMachine.Action) -> PlaybackMachine.Event? {
        switch action {
        case .open: return .opened(format, isMixed: troubles.isMixed, isCoarse: troubles.granularity > 1)
        case .write(let frames, let ramp):
            let answer = write(frames.map { Int($0) })
            if case .wrote(let count) = answer {
                for frame in frames.prefix(count) { gains[Int(frame)] = ramp.gain(at: frame) }
            }
            return answer
        case .pad(let frames): return write(.init(repeating: nil, count: frames))
        case .start:
            isRunning = true
            return .started(at: now)
        case .readPosition: return position()
        case .rewind(let kept):
            let count = troubles.rewinds && isRunning && failure == nil ? max(0, buffer.count - played - kept) : 0
            buffer.removeLast(count)
            return .rewound(count)
        case .watch: isWatched = true
        case .unwatch: isWatched = false
        case .schedule(let timer, let deadline): timers[timer] = deadline
        case .prepare:
            buffer = []
            played = 0
            isRunning = false
            failure = nil
            return .prepared
        case .resume: return resume()
        case .tell(let event): events.append(event)
        case .end(let end, let time, let position, _):
            if troubles.isMixed, isRunning { heard += buffer[played...].compactMap { $0 } }
            events.append(.ended(end, at: time ?? now, position))
        }
        return nil
    }

    private mutating func write(_ frames: [Int?]) -> PlaybackMachine.Event {
        if let failed = failed() { return failed }
        if isRunning, chance(troubles.refusesRoom) { return .wrote(0) }
        let taken = frames.prefix(room)
        buffer += taken
        return .wrote(taken.count)
    }

    private mutating func position() -> PlaybackMachine.Event {
        let before = now
        if isRunning {
            if chance(troubles.underruns) { fail(.brokenPipe) }
            if chance(troubles.suspends) { fail(.streamsPipe) }
        }
        if let failed = failed() { return failed }
        let told = played / troubles.granularity * troubles.granularity
        return .position(delay: buffer.count - told + (isRunning ? troubles.latency : 0), before: before, at: now)
    }

    private mutating func failed() -> PlaybackMachine.Event? {
        guard let failure else { return nil }
        return .failed(RingerError("play", "simulated", failure), left: buffer.count - played, at: now)
    }

    private mutating func resume() -> PlaybackMachine.Event {
        let result = troubles.resumes.randomElement(using: &random) ?? .refused
        switch result {
        case .running:
            failure = nil
            isRunning = true
        case .prepared: failure = nil
        case .later, .refused: break
        }
        return .resumption(result, at: now)
    }
}

/// Chance that is the same in every run.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
