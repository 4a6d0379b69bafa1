import RingerCore
import SystemPackage

/// The life of one sound on a PCM, as a value: the PCM's answers go in, the next calls to it come out.
///
/// The sound is written as far ahead as the buffer allows, and started after the first write. Zeros follow its last
/// frame, so that nothing stale is heard before its end is noticed. The end is a timer set by the stream's own delay to
/// the moment at which the last frame is heard; it does not depend on the period.
///
/// After an underrun, and after a suspension that the device cannot resume, the sound continues with the first frame
/// that was not heard: nothing is skipped, and it ends later by the length of the gap.
struct PlaybackMachine: Sendable {
    /// The PCM's name in errors.
    private let subject: String
    private let reportAt: Duration?
    private let limits: Limits
    private var ramp: GainRamp
    private var phase = Phase.new
    private var format = HardwareFormat(pcm: "", sampleRate: 1, channels: 1, periodFrames: 1, bufferFrames: 1)
    /// Whether the buffer is shared with other streams: what was written to it is heard even if this stream is stopped.
    private var isMixed = false
    /// Whether the position may be up to a period behind what is heard.
    private var isCoarse = false

    private var ledger: PlaybackLedger
    /// How many frames the last write offered.
    private var asked = 0
    private var unfinishedAt: MonotonicTime?

    /// There may be room that was not written to yet.
    private var hasRoom = false
    /// The descriptors reported that there is room.
    private var wasTold = false
    private var isStarted = false
    /// Why the stream is not running.
    private var interruption: Interruption?
    private var resumeAttempts = 0
    private var restarts = 0
    private var heardAtRestart: Int64 = -1

    /// The time of the report that was requested and not made yet.
    private var reportDue: MonotonicTime?
    private var isStallCheckDue = false
    /// Whether the sound was stopped.
    private(set) var isStopping = false
    /// The stop does not wait until what remains in a shared buffer is heard.
    private var endsAtOnce = false
    /// The stream's last known position, zeros and latency included, and since when it has not changed.
    private var streamPosition = Int64.min
    private var streamMovedAt = MonotonicTime(nanoseconds: 0)
    /// When the position was last read.
    private var seenAt = MonotonicTime(nanoseconds: 0)
    private var drainPause: Duration = .zero
    /// Gains that wait until it is known how many frames the stream takes back.
    private var pendingGains: [(gain: Float, duration: Duration)] = []

    /// Frames that will be heard within this time are not taken back: the thread may be that late.
    private static let safety: Duration = .milliseconds(10)

    /// A sound of `frames` frames on the PCM `subject`.
    init(frames: Int64, options: PlaybackOptions, subject: String, limits: Limits = Limits()) {
        self.subject = subject
        ledger = PlaybackLedger(total: frames)
        reportAt = options.reportAt
        ramp = GainRamp(options.gain)
        self.limits = limits
    }

    mutating func handle(_ event: Event) -> [Action] {
        if phase == .ended { return [] }
        switch event {
        case .play(let now):
            guard phase == .new else { return [] }
            if ledger.total == 0 { return [.tell(.started(at: now))] + end(.drained, at: now) }
            phase = .opening
            return [.open]
        case .opened(let format, let isMixed, let isCoarse):
            self.format = format
            self.isMixed = isMixed
            self.isCoarse = isCoarse
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
        case .setGain(let gain, let duration): return setGain(gain, over: duration)
        case .end(let frames, let round):
            ledger.end(after: frames, rounds: round)
            return []
        case .rewound(let frames): return rewound(frames)
        case .stop: return stop(atOnce: false)
        case .stopAtOnce: return stop(atOnce: true)
        }
    }
}

// MARK: - Writing

extension PlaybackMachine {
    /// Begins to write to the empty, prepared stream.
    private mutating func fill() -> [Action] {
        phase = .filling
        ledger.restart()
        drainPause = .zero
        hasRoom = false
        return write(atMost: format.bufferFrames)
    }

    private mutating func write(atMost frames: Int) -> [Action] {
        hasRoom = false
        let next = ledger.next(min(frames, Self.mostAtOnce))
        asked = next.count
        return [.write(next, ramp)]
    }

    /// Changes the gain. Frames that were written with the old gain and will not be heard soon are taken back first, if
    /// the stream supports it, so that the change does not wait for a full buffer. The last frames of a sound are not
    /// changed.
    private mutating func setGain(_ gain: Float, over duration: Duration) -> [Action] {
        if phase == .new || phase == .opening {
            // Nothing has been heard: the sound begins with this gain.
            ramp = GainRamp(gain)
            return []
        }
        guard phase == .running, ledger.ahead > 0 else {
            ramp.go(to: gain, from: ledger.written, over: format.frames(in: duration))
            return []
        }
        pendingGains.append((gain, duration))
        return [rewind]
    }

    /// Takes back what will not be heard soon. A period of a sound that goes on stays, so that the stream does not underrun
    /// before the frames are written again.
    private var rewind: Action {
        let safety = format.frames(in: Self.safety)
        return .rewind(keeping: isStopping && !isCoarse ? safety : max(format.periodFrames, safety))
    }

    private mutating func rewound(_ frames: Int) -> [Action] {
        if pendingGains.isEmpty { return isStopping ? cut(takenBack: frames) : [] }
        let (gain, duration) = pendingGains.removeFirst()
        ledger.takeBack(frames)
        ramp.go(to: gain, from: ledger.written, over: format.frames(in: duration))
        return frames > 0 && phase == .running ? write(atMost: frames) : []
    }

    private mutating func pad(atMost frames: Int) -> [Action] {
        hasRoom = false
        asked = min(frames, Self.mostAtOnce)
        return [.pad(frames: asked)]
    }

    /// More than any device, network or converter holds behind its buffer.
    private static let longestQueue = Duration.seconds(60)

    /// The most frames of one write, however large a plug-in says that its buffer is.
    private static let mostAtOnce = 1 << 16

    /// The zeros needed after the sound: the rest of its last period, and another period in case the thread is late.
    private var padding: Int {
        max(1, min(2 * format.periodFrames, format.bufferFrames - format.periodFrames))
    }

    private mutating func wrote(_ frames: Int) -> [Action] {
        let wasIdle = frames == 0 && wasTold
        wasTold = false
        switch phase {
        case .filling where ledger.isWritten:
            ledger.pad(frames)
            return start()
        case .filling:
            if frames == 0 { return end(.failed(refusal), isReusable: false) }
            ledger.wrote(frames)
            // Whether zeros are needed depends on whether the stream buffers.
            if ledger.isWritten { return [.readPosition] }
            let room = Int(clamping: Int64(format.bufferFrames) - ledger.ahead)
            return frames == asked && room > 0 ? write(atMost: room) : start()
        case .running:
            ledger.wrote(frames)
            if ledger.isWritten {
                phase = .padding
                hasRoom = true
                return [.readPosition]
            }
            if frames == asked { return write(atMost: format.bufferFrames) }
            return wasIdle ? pause() : [.watch]
        case .padding:
            ledger.pad(frames)
            if ledger.padded < padding { return wasIdle ? pause() : [.watch] }
            phase = .draining
            hasRoom = false
            return [.unwatch, .readPosition]
        case .draining:
            ledger.pad(frames)
            return [.readPosition]
        default:
            return []
        }
    }

    /// Tries again later: descriptors that wrongly report room would be reported again and again.
    private func pause() -> [Action] {
        [.unwatch, .schedule(.wake, at: seenAt + format.period / 2)]
    }

    private var refusal: RingerError {
        RingerError(.system, "write", subject, detail: "its empty buffer takes no frames")
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
            if let reportAt {
                reportDue = now + reportAt
                actions.append(.schedule(.report, at: now + reportAt))
            }
        }
        return actions + runs(at: now)
    }

    /// The stream is running, for the first time or again.
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
        if !ledger.isWritten {
            phase = .running
            // A stream without timing takes everything at once; on any other the buffer is full now.
            return actions + write(atMost: format.bufferFrames)
        }
        phase = ledger.padded < padding ? .padding : .draining
        hasRoom = phase == .padding
        return actions + [.readPosition]
    }

    private var patience: Duration { format.latency + limits.stall }
}

// MARK: - Position and time

extension PlaybackMachine {
    private func report() -> StreamPosition {
        StreamPosition(played: ledger.heard, total: ledger.total, unfinishedAt: unfinishedAt)
    }

    /// Makes the report if its time has come: if the thread was held up, the end's timer may be handled first.
    private mutating func reportIfDue(at now: MonotonicTime) -> [Action] {
        guard let due = reportDue, due <= now else { return [] }
        reportDue = nil
        return [.tell(.progress(report(), at: now))]
    }

    private mutating func position(_ delay: Int, before: MonotonicTime, at now: MonotonicTime) -> [Action] {
        if phase == .filling {
            // A stream that does not buffer has played everything: zeros would only add silence.
            let room = Int(clamping: Int64(format.bufferFrames) - ledger.ahead)
            return delay > 0 && room > 0 ? pad(atMost: room) : start()
        }
        ledger.note(left: delay)
        seenAt = now
        if !ledger.isHeard { unfinishedAt = before }
        let position = ledger.position(left: delay)
        // Behind the sound, zeros move a position that is made of a number which no device can mean.
        let isPossible = !ledger.isWritten || delay - format.bufferFrames <= format.frames(in: Self.longestQueue)
        let hasMoved = position != streamPosition && isPossible
        if hasMoved {
            streamPosition = position
            streamMovedAt = now
        }
        if isStopping {
            if !isMixed || ledger.isHeard { return end(.stopped) }
            if !ledger.isCut { return [rewind] }
            if endsAtOnce { return end(.stopped) }
        }

        var actions = reportIfDue(at: ledger.isHeard ? now : before)
        if ledger.isHeard { return actions + end(.drained, at: now) }
        if isStallCheckDue {
            isStallCheckDue = false
            if now - streamMovedAt >= patience {
                let error = RingerError(
                    .timedOut, "play", subject, detail: "its position stands still")
                return actions + end(.failed(error), isReusable: false)
            }
            actions.append(.schedule(.stall, at: streamMovedAt + patience))
        }
        switch phase {
        case .running where hasRoom: return actions + write(atMost: format.bufferFrames)
        case .padding where hasRoom: return actions + pad(atMost: format.bufferFrames)
        // Frames may be in the device's own queue after the buffer, and leave it only when others follow.
        case .draining where hasRoom: return actions + pad(atMost: format.bufferFrames)
        case .draining: return actions + awaitEnd(delay: delay, hasMoved: hasMoved, at: now)
        default: return actions
        }
    }

    /// Sets the timer for the last frame, or for the moment at which the zeros after it run out.
    private mutating func awaitEnd(delay: Int, hasMoved: Bool, at now: MonotonicTime) -> [Action] {
        // A device with a coarse position repeats itself: ask it less often.
        let least: Duration = .microseconds(200)
        drainPause = hasMoved ? least : min(max(drainPause, least) * 2, max(format.period, least))
        // The last zeros filled the buffer.
        let left = format.duration(
            ofFrames: min(ledger.soundLeft(of: delay), format.bufferFrames - format.periodFrames))
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
            return answers ? [.readPosition] : reportIfDue(at: now)
        case .wake:
            guard answers else { return [] }
            hasRoom = true
            return [.readPosition]
        case .stall:
            // A suspended stream has its own time-out.
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
        if phase != .opening, let left { ledger.note(left: left) }
        isStallCheckDue = false
        if isStopping { return end(.stopped) }
        var actions = reportIfDue(at: now)
        // The stream underran after the last frame: the sound is finished.
        if ledger.isHeard { return actions + end(.drained, at: now) }

        guard mayRestart(after: error) else {
            var error = error
            // The device was there before: it is disconnected, not missing.
            if isStarted, error.errno == .noSuchFileOrDirectory { error.code = .disconnected }
            return actions + end(.failed(error), isReusable: false)
        }

        let why: Interruption = error.errno == .streamsPipe ? .suspension : .underrun
        actions.append(.unwatch)
        // Nothing is reported before the start was.
        if isStarted {
            interruption = why
            actions.append(.tell(why == .suspension ? .suspended(at: now) : .underrun(at: now)))
        }
        guard why == .suspension else { return actions + prepare() }
        phase = .resuming
        resumeAttempts = 1
        return actions + [.resume]
    }

    /// Whether the stream can be restarted after `error`, and was not restarted too often.
    private mutating func mayRestart(after error: RingerError) -> Bool {
        switch phase {
        case .filling, .starting, .running, .padding, .draining: break
        case .new, .opening, .preparing, .resuming, .ended: return false
        }
        guard error.errno == .brokenPipe || error.errno == .streamsPipe else { return false }
        if ledger.heard > heardAtRestart { restarts = 0 }
        heardAtRestart = ledger.heard
        restarts += 1
        return restarts <= limits.fruitlessRestarts
    }

    /// Prepares the stream again, and continues with the first frame that was not heard.
    private mutating func prepare() -> [Action] {
        phase = .preparing
        ledger.rewind()
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

    private mutating func stop(atOnce: Bool) -> [Action] {
        if isStopping && (!atOnce || endsAtOnce) { return [] }
        isStopping = true
        endsAtOnce = atOnce
        switch phase {
        case .running, .padding, .draining: return [.readPosition]
        default: return end(.stopped)
        }
    }

    /// A stopped sound in a buffer that is shared with other streams is over once what could not be taken back is heard.
    private mutating func cut(takenBack frames: Int) -> [Action] {
        ledger.takeBack(frames)
        ledger.cut()
        phase = .draining
        hasRoom = false
        return [.unwatch, .readPosition]
    }

    private mutating func end(
        _ end: PlaybackEnd, at now: MonotonicTime? = nil, isReusable: Bool = true
    ) -> [Action] {
        phase = .ended
        return [.end(end, at: now, report(), isReusable: isReusable)]
    }
}
