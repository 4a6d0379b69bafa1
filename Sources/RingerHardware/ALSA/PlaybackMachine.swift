import RingerServices
import SystemPackage

/// The life of one sound on a PCM, as a value: what the PCM answered goes in, what is to be asked of it comes out.
///
/// The sound is written as far ahead as the buffer takes it and started with what the first write took. Behind its last
/// frame go zeros, so that nothing stale is heard while its end is awaited: on a timer set to the moment at which the
/// stream's own delay says that the last frame is out, not on a period's boundary.
///
/// After an underrun, and after a suspension that the device could not resume, the sound goes on with the first frame
/// that was not heard: nothing is skipped, and it ends later by as much as the gap took.
struct PlaybackMachine: StateMachine {
    /// What bounds its patience.
    struct Limits: Sendable {
        /// How long the position may stand still beyond a full buffer, before the stream counts as dead.
        var stall: Duration = .seconds(1)
        /// How often a resume is tried while the device is not awake yet.
        var resumeAttempts = 20
        /// How long to wait between two attempts to resume.
        var resumePause: Duration = .milliseconds(100)
        /// How often in a row the stream may fail without a frame having been heard.
        var fruitlessRestarts = 5
    }

    /// What it can be woken for; one of each at a time.
    enum Timer: Sendable, Hashable, CaseIterable {
        /// The report that was asked for.
        case report
        /// The end, or room for more.
        case wake
        /// The check that the stream is alive.
        case stall
        /// The next attempt to resume.
        case resume
    }

    /// What can happen.
    enum Event: Sendable {
        case play(at: MonotonicTime)
        case opened(HardwareFormat)
        /// Of the frames last asked to be written or padded, so many were taken.
        case wrote(Int)
        case started(at: MonotonicTime)
        /// There may be room for a period, or the stream has failed.
        case ready
        /// `delay` frames were not heard yet, read after `before` and not later than `at`.
        case position(delay: Int, before: MonotonicTime, at: MonotonicTime)
        case due(Timer, at: MonotonicTime)
        case prepared
        case resumption(PCMHandle.Resumption, at: MonotonicTime)
        /// A call failed; `left` frames were in the buffer then, where that is known.
        case failed(RingerError, left: Int?, at: MonotonicTime)
        case setGain(Float, over: Duration)
        case stop
    }

    /// What can be asked to be done.
    enum Action: Sendable {
        case open
        case write(Range<Int>, GainRamp)
        case pad(frames: Int)
        case start
        case readPosition
        /// Call back when there is room for a period. Nothing where that is so already.
        case watch
        case unwatch
        /// Replaces the timer of that name.
        case schedule(Timer, at: MonotonicTime)
        case prepare
        case resume
        case tell(PlaybackEvent)
        /// Drop, forget timers and descriptors, give the PCM back if it can play on, and tell the end: at `at`, or when
        /// the stream has stopped.
        case end(PlaybackEnd, at: MonotonicTime?, StreamPosition, isReusable: Bool)
    }

    private enum Phase {
        /// Nothing has been asked for.
        case new
        case opening
        /// Ready, and not yet started.
        case filling
        case starting
        /// Frames of the sound are left to be written.
        case running
        /// The sound is written, the zeros behind it are not.
        case padding
        /// All is written; the last frame is awaited.
        case draining
        case preparing
        case resuming
        case ended
    }

    private enum Interruption {
        case underrun
        case suspension
    }

    private let total: Int
    private let reportAt: Duration?
    private let limits: Limits
    private var ramp: GainRamp
    private var phase = Phase.new
    private var format = HardwareFormat(pcm: "", sampleRate: 1, channels: 1, periodFrames: 1, bufferFrames: 1)

    /// The sound's frame with which the stream was last filled from empty.
    private var base = 0
    /// The sound's next frame to be written.
    private var written = 0
    /// Zeros written behind the sound.
    private var padded = 0
    /// What the last write asked for.
    private var asked = 0
    /// Frames of the sound known to have been heard.
    private var heard = 0
    private var unfinishedAt: MonotonicTime?

    /// There may be room, and nothing was written into it yet.
    private var hasRoom = false
    /// That there is room was told by the descriptors.
    private var wasTold = false
    private var isStarted = false
    /// Why the stream does not run at the moment.
    private var interruption: Interruption?
    private var resumeAttempts = 0
    private var restarts = 0
    private var heardAtRestart = -1

    private var isReportDue = false
    private var isStallCheckDue = false
    private var isStopping = false
    /// Where the stream was last seen, zeros and latency included, and since when it has been there.
    private var streamPosition = Int.min
    private var streamMovedAt = MonotonicTime(nanoseconds: 0)
    /// When the position was last read.
    private var seenAt = MonotonicTime(nanoseconds: 0)
    private var drainPause: Duration = .zero

    /// The life of a sound of `frames` frames.
    init(frames: Int, options: PlaybackOptions, limits: Limits = Limits()) {
        total = frames
        reportAt = options.reportAt
        ramp = GainRamp(options.gain)
        self.limits = limits
    }

    /// The format that the PCM granted.
    var granted: HardwareFormat { format }

    mutating func handle(_ event: Event) -> [Action] {
        if phase == .ended { return [] }
        switch event {
        case .play(let now):
            guard phase == .new else { return [] }
            if total == 0 { return [.tell(.started(at: now))] + end(.drained, at: now) }
            phase = .opening
            return [.open]
        case .opened(let format):
            self.format = format
            return fill()
        case .wrote(let frames): return wrote(frames)
        case .started(let now): return started(at: now)
        case .ready:
            guard phase == .running || phase == .padding else { return [.unwatch] }
            hasRoom = true
            wasTold = true
            return [.readPosition]
        case .position(let delay, let before, let now): return position(delay, before: before, at: now)
        case .due(let timer, let now): return due(timer, at: now)
        case .prepared: return fill()
        case .resumption(let result, let now): return resumption(result, at: now)
        case .failed(let error, let left, let now): return failed(error, left: left, at: now)
        case .setGain(let gain, let duration):
            ramp.go(to: gain, from: written, over: format.frames(in: duration))
            return []
        case .stop: return stop()
        }
    }
}

// MARK: - Writing

extension PlaybackMachine {
    /// Begins to write into the empty, prepared stream.
    private mutating func fill() -> [Action] {
        phase = .filling
        base = written
        padded = 0
        drainPause = .zero
        hasRoom = false
        return write(atMost: format.bufferFrames)
    }

    private mutating func write(atMost frames: Int) -> [Action] {
        hasRoom = false
        asked = min(total - written, frames)
        return [.write(written..<written + asked, ramp)]
    }

    private mutating func pad(atMost frames: Int) -> [Action] {
        hasRoom = false
        asked = frames
        return [.pad(frames: asked)]
    }

    /// The zeros that must be behind the sound: the last period whole, and one more for a thread that comes late.
    private var padding: Int {
        max(1, min(2 * format.periodFrames, format.bufferFrames - format.periodFrames))
    }

    private mutating func wrote(_ frames: Int) -> [Action] {
        let wasIdle = frames == 0 && wasTold
        wasTold = false
        switch phase {
        case .filling where written == total:
            padded += frames
            return start()
        case .filling:
            if frames == 0 { return end(.failed(refusal), isReusable: false) }
            written += frames
            // Whether zeros are wanted depends on whether the stream keeps what it is given.
            if written == total { return [.readPosition] }
            let room = format.bufferFrames - (written - base)
            return frames == asked && room > 0 ? write(atMost: room) : start()
        case .running:
            written += frames
            if written == total {
                phase = .padding
                hasRoom = true
                return [.readPosition]
            }
            if frames == asked { return write(atMost: format.bufferFrames) }
            return wasIdle ? pause() : [.watch]
        case .padding:
            padded += frames
            if padded < padding { return wasIdle ? pause() : [.watch] }
            phase = .draining
            hasRoom = false
            return [.unwatch, .readPosition]
        case .draining:
            padded += frames
            return [.readPosition]
        default:
            return []
        }
    }

    /// Looks again later: descriptors that tell of room where there is none would be told from over and over.
    private func pause() -> [Action] {
        [.unwatch, .schedule(.wake, at: seenAt + format.period / 2)]
    }

    private var refusal: RingerError {
        RingerError(.system, "write", PCMHandle.subject(format.pcm), detail: "its empty buffer takes no frames")
    }

    private mutating func start() -> [Action] {
        phase = .starting
        return [.start]
    }

    private mutating func started(at now: MonotonicTime) -> [Action] {
        guard phase == .starting else { return [] }
        var actions: [Action] = []
        if !isStarted {
            isStarted = true
            actions.append(.tell(.started(at: now)))
            if let reportAt { actions.append(.schedule(.report, at: now + reportAt)) }
        }
        return actions + runs(at: now)
    }

    /// The stream runs: for the first time, or again.
    private mutating func runs(at now: MonotonicTime) -> [Action] {
        var actions: [Action] = []
        switch interruption {
        case .underrun: actions.append(.tell(.recovered(at: now)))
        case .suspension: actions.append(.tell(.resumed(at: now)))
        case nil: break
        }
        interruption = nil
        streamPosition = .min
        streamMovedAt = now
        actions.append(.schedule(.stall, at: now + patience))
        if written < total {
            phase = .running
            // A stream that keeps no time takes everything at once; on one that does, this finds the buffer full.
            return actions + write(atMost: format.bufferFrames)
        }
        phase = padded < padding ? .padding : .draining
        hasRoom = phase == .padding
        return actions + [.readPosition]
    }

    private var patience: Duration { format.latency + limits.stall }
}

// MARK: - Position and time

extension PlaybackMachine {
    /// Takes in that `left` frames, zeros included, are still to be heard.
    private mutating func note(left: Int) {
        heard = max(heard, min(max(written + padded - left, base), written))
    }

    private func report() -> StreamPosition {
        StreamPosition(played: heard, total: total, unfinishedAt: unfinishedAt)
    }

    private mutating func position(_ delay: Int, before: MonotonicTime, at now: MonotonicTime) -> [Action] {
        if phase == .filling {
            // What is given to a stream that keeps nothing is gone: zeros behind it would only be heard too.
            let room = format.bufferFrames - (written - base)
            return delay > 0 && room > 0 ? pad(atMost: room) : start()
        }
        note(left: delay)
        seenAt = now
        if heard < total { unfinishedAt = before }
        let position = written + padded - delay
        let hasMoved = position != streamPosition
        if hasMoved {
            streamPosition = position
            streamMovedAt = now
        }
        if isStopping { return end(.stopped) }

        var actions: [Action] = []
        if isReportDue {
            isReportDue = false
            actions.append(.tell(.progress(report(), at: now)))
        }
        if heard >= total { return actions + end(.drained, at: now) }
        if isStallCheckDue {
            isStallCheckDue = false
            if now - streamMovedAt >= patience {
                let error = RingerError(
                    .timedOut, "play", PCMHandle.subject(format.pcm), detail: "its position stands still")
                return actions + end(.failed(error), isReusable: false)
            }
            actions.append(.schedule(.stall, at: streamMovedAt + patience))
        }
        switch phase {
        case .running where hasRoom: return actions + write(atMost: format.bufferFrames)
        case .padding where hasRoom: return actions + pad(atMost: format.bufferFrames)
        // Frames may be in the device's own queue, behind its buffer, and leave it only while more follow them.
        case .draining where hasRoom: return actions + pad(atMost: format.bufferFrames)
        case .draining: return actions + awaitEnd(delay: delay, hasMoved: hasMoved, at: now)
        default: return actions
        }
    }

    /// Sleeps until the last frame is out, or the zeros behind it are about to be used up.
    private mutating func awaitEnd(delay: Int, hasMoved: Bool, at now: MonotonicTime) -> [Action] {
        // A device that tells its position in coarse steps repeats itself: ask it less often.
        let least: Duration = .microseconds(200)
        drainPause = hasMoved ? least : min(max(drainPause, least) * 2, max(format.period, least))
        // The last zeros filled the buffer.
        let left = format.duration(ofFrames: min(max(0, delay - padded), format.bufferFrames - format.periodFrames))
        return [.schedule(.wake, at: now + max(left, drainPause))]
    }

    private mutating func due(_ timer: Timer, at now: MonotonicTime) -> [Action] {
        let answers: Bool
        switch phase {
        case .running, .padding, .draining: answers = true
        default: answers = false
        }
        switch timer {
        case .report:
            if answers {
                isReportDue = true
                return [.readPosition]
            }
            return [.tell(.progress(report(), at: now))]
        case .wake:
            guard answers else { return [] }
            hasRoom = true
            return [.readPosition]
        case .stall:
            // A stream that is suspended has patience of its own.
            guard answers else { return [] }
            isStallCheckDue = true
            return [.readPosition]
        case .resume:
            return phase == .resuming ? [.resume] : []
        }
    }
}

// MARK: - Failure and end

extension PlaybackMachine {
    private mutating func failed(_ error: RingerError, left: Int?, at now: MonotonicTime) -> [Action] {
        var actions: [Action] = []
        if phase != .opening, let left { note(left: left) }
        if isReportDue {
            isReportDue = false
            actions.append(.tell(.progress(report(), at: now)))
        }
        isStallCheckDue = false
        if isStopping { return end(.stopped) }
        // A stream that ran dry behind the last frame has done what it should.
        if heard >= total { return actions + end(.drained, at: now) }

        guard mayRestart(after: error) else {
            var error = error
            // Where it played a moment ago, that there is no such device means that it went.
            if isStarted, error.errno == .noSuchFileOrDirectory { error.code = .disconnected }
            return actions + end(.failed(error), isReusable: false)
        }

        let why: Interruption = error.errno == .streamsPipe ? .suspension : .underrun
        actions.append(.unwatch)
        // Before the stream was told to have started, nobody is to hear of its troubles.
        if isStarted {
            interruption = why
            actions.append(.tell(why == .suspension ? .suspended(at: now) : .underrun(at: now)))
        }
        guard why == .suspension else { return actions + prepare() }
        phase = .resuming
        resumeAttempts = 1
        return actions + [.resume]
    }

    /// Whether `error` is one that a stream survives, and it has not failed so too often.
    private mutating func mayRestart(after error: RingerError) -> Bool {
        switch phase {
        case .filling, .starting, .running, .padding, .draining: break
        case .new, .opening, .preparing, .resuming, .ended: return false
        }
        guard error.errno == .brokenPipe || error.errno == .streamsPipe else { return false }
        if heard > heardAtRestart { restarts = 0 }
        heardAtRestart = heard
        restarts += 1
        return restarts <= limits.fruitlessRestarts
    }

    /// Empties the stream, and goes on with the first frame that was not heard.
    private mutating func prepare() -> [Action] {
        phase = .preparing
        written = heard
        return [.prepare]
    }

    private mutating func resumption(_ result: PCMHandle.Resumption, at now: MonotonicTime) -> [Action] {
        guard phase == .resuming else { return [] }
        switch result {
        case .running: return runs(at: now)
        case .prepared: return start()
        case .later where resumeAttempts < limits.resumeAttempts:
            resumeAttempts += 1
            return [.schedule(.resume, at: now + limits.resumePause)]
        case .later, .refused: return prepare()
        }
    }

    private mutating func stop() -> [Action] {
        if isStopping { return [] }
        isStopping = true
        switch phase {
        case .running, .padding, .draining: return [.readPosition]
        default: return end(.stopped)
        }
    }

    private mutating func end(
        _ end: PlaybackEnd, at now: MonotonicTime? = nil, isReusable: Bool = true
    ) -> [Action] {
        phase = .ended
        return [.end(end, at: now, report(), isReusable: isReusable)]
    }
}
