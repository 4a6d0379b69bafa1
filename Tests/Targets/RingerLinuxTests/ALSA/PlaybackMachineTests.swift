import RingerCore
import SystemPackage
import Testing

@testable import RingerLinux

/// The life of a sound, without a PCM.
@Suite struct PlaybackMachineTests {
    private let format = HardwareFormat(pcm: "x", sampleRate: 1_000, channels: 1, periodFrames: 10, bufferFrames: 80)
    private let start = MonotonicTime(nanoseconds: 5_000_000_000)

    /// A sound of `frames` frames that has started, with a full buffer of so many.
    private func running(
        frames: Int = 200, buffer: Int = 80, period: Int = 10, isMixed: Bool = false, isCoarse: Bool = false,
        options: PlaybackOptions = PlaybackOptions()
    ) -> PlaybackMachine {
        let format = HardwareFormat(
            pcm: "x", sampleRate: 1_000, channels: 1, periodFrames: period, bufferFrames: buffer)
        var machine = PlaybackMachine(frames: Int64(frames), options: options, subject: "PCM x")
        _ = machine.handle(.play(at: start))
        _ = machine.handle(.opened(format, isMixed: isMixed, isCoarse: isCoarse))
        _ = machine.handle(.wrote(min(frames, buffer)))
        if frames < buffer {
            // The whole sound, and zeros behind it.
            _ = machine.handle(.position(delay: frames, before: start, at: start))
            _ = machine.handle(.wrote(buffer - frames))
            _ = machine.handle(.started(at: start))
        } else {
            _ = machine.handle(.started(at: start))
            _ = machine.handle(.wrote(0))
        }
        return machine
    }

    private func failure(_ errno: Errno, left: Int? = 40) -> PlaybackMachine.Event {
        .failed(RingerError("write", "PCM x", errno), left: left, at: start + .milliseconds(40))
    }

    // MARK: - Gain

    @Test("a change of gain takes back what is not about to be heard, and begins there")
    func gain() throws {
        var machine = running()
        #expect(machine.handle(.setGain(0.5, over: .milliseconds(20))).description == "[rewind but 10]")
        let actions = machine.handle(.rewound(60))
        guard case .write(let frames, let ramp)? = actions.first else {
            Issue.record("\(actions.description)")
            return
        }
        #expect(frames == 20..<80)
        #expect(ramp.gain(at: 20) == 1 && ramp.gain(at: 30) == 0.75 && ramp.gain(at: 40) == 0.5)
        // What the stream cannot take back keeps its gain.
        var stubborn = running()
        _ = stubborn.handle(.setGain(0.5, over: .milliseconds(20)))
        #expect(stubborn.handle(.rewound(0)).isEmpty)
    }

    @Test(
        "a gain falls and rises evenly, frame by frame, in ramps of any length, and turns round in mid-ramp",
        arguments: [true, false])
    func ramps(rewinds: Bool) throws {
        for (down, up, pause) in [
            (20, 20, 300), (100, 60, 50), (0, 0, 100), (200, 0, 50), (0, 300, 100), (2_000, 500, 100),
        ] {
            var machine = PlaybackMachine(frames: 1_000, options: PlaybackOptions(), subject: "PCM x")
            var pcm = SimulatedPCM(.init(rewinds: rewinds), seed: 1)
            pcm.changes = [(100, 0.2, .milliseconds(down)), (100 + pause, 1, .milliseconds(up))]
            pcm.run(&machine)
            #expect(pcm.heard == Array(0..<1_000))
            let gains = (0..<1_000).map { pcm.gains[$0] ?? -1 }
            // A ramp begins with the gain that there was.
            let fallen = try #require(gains.firstIndex { $0 < 1 })
            let risen = try #require(gains.indices.dropFirst(fallen + 1).first { gains[$0] > gains[$0 - 1] })
            let (begin, turn) = (down > 0 ? fallen - 1 : fallen, up > 0 ? risen - 1 : risen)
            #expect(begin >= 100 && begin <= (rewinds ? 130 : 200), "\(begin)")
            func falling(_ frame: Int) -> Float {
                frame - begin >= down ? 0.2 : 1 - 0.8 * Float(frame - begin) / Float(down)
            }
            for frame in begin..<1_000 {
                let low = falling(turn)
                let expected =
                    frame < turn
                    ? falling(frame) : frame - turn >= up ? 1 : low + (1 - low) * Float(frame - turn) / Float(up)
                guard abs(gains[frame] - expected) < 0.000_01 else {
                    Issue.record("\(down), \(up): frame \(frame) is at \(gains[frame]), not \(expected)")
                    break
                }
            }
        }
    }

    @Test("a sound ends with the round that is asked for, or with the one that was begun to be written")
    func rounds() throws {
        // The end that is asked for, in rounds of 50 frames, and the next write after 80 frames.
        for (end, next) in [(Int64(100), Int64(80)..<100), (50, 80..<100), (150, 80..<150), (400, 80..<160)] {
            var machine = running()
            _ = machine.handle(.end(after: end, rounds: 50))
            _ = machine.handle(.ready)
            guard case .write(let frames, _)? = machine.handle(.position(delay: 0, before: start, at: start)).last
            else { throw TestFailure("nothing is written") }
            #expect(frames == next, "\(end)")
        }
        var written = running(frames: 60)
        _ = written.handle(.end(after: 120, rounds: 60))
        guard
            case .end(.drained, _, let position, _)? = written.handle(.position(delay: 0, before: start, at: start))
                .last
        else { throw TestFailure("it goes on") }
        #expect(position.played == 60 && position.total == 60)
    }

    @Test("a gain that is set before the PCM is open is the one that the sound begins with")
    func gainBeforeOpen() throws {
        var machine = PlaybackMachine(frames: 200, options: PlaybackOptions(), subject: "PCM x")
        _ = machine.handle(.play(at: start))
        #expect(machine.handle(.setGain(0.5, over: .milliseconds(20))).isEmpty)
        guard case .write(0..<80, let ramp)? = machine.handle(.opened(format, isMixed: false, isCoarse: false)).first
        else {
            throw TestFailure("nothing is written")
        }
        #expect(ramp.gain(at: 0) == 0.5)
    }

    // MARK: - Every frame once

    private static let troubles: [(String, SimulatedPCM.Troubles)] = [
        ("none", .init()),
        ("descriptors that lie", .init(refusesRoom: 50)),
        ("a coarse position", .init(granularity: 10)),
        ("a queue of its own", .init(latency: 300)),
        ("underruns", .init(underruns: 20)),
        ("suspensions", .init(suspends: 20, resumes: [.running, .prepared, .later, .refused])),
        ("changes of the gain", .init(gains: 40)),
        ("changes of the gain on a stream that takes nothing back", .init(gains: 40, rewinds: false)),
        (
            "everything",
            .init(
                refusesRoom: 20, underruns: 10, suspends: 10, resumes: [.running, .later, .refused], gains: 20)
        ),
    ]

    @Test("every frame is heard once and in order, whatever the PCM does", arguments: 0..<troubles.count)
    func everyFrame(index: Int) throws {
        var drained = 0
        for seed in UInt64(1)...300 {
            let frames = Int(seed * 7 % 400) + 1
            var machine = PlaybackMachine(
                frames: Int64(frames), options: PlaybackOptions(reportAt: .milliseconds(100)), subject: "PCM x")
            var pcm = SimulatedPCM(Self.troubles[index].1, seed: seed)
            pcm.run(&machine)
            let names = pcm.events.names
            #expect(names.first == "started", "\(Self.troubles[index].0), seed \(seed): \(names)")
            #expect(names.count { $0 == "started" } == 1)
            #expect(names.count { ["drained", "failed", "stopped"].contains($0) } == 1)
            #expect(names.count { $0 == "progress" } <= 1)
            guard names.last == "drained" else {
                // Nothing but patience may have run out.
                #expect(pcm.events.error?.errno == .brokenPipe || pcm.events.error?.errno == .streamsPipe)
                continue
            }
            drained += 1
            #expect(pcm.heard == Array(0..<frames), "\(Self.troubles[index].0), seed \(seed): \(names)")
            #expect(pcm.steps < 5_000)
        }
        #expect(drained > 200)
    }

    // MARK: - Position

    @Test("frames that were left are vouched for by the instant before they were asked for")
    func unfinishedAt() {
        var machine = running()
        _ = machine.handle(.ready)
        let before = start + .milliseconds(10)
        _ = machine.handle(.position(delay: 70, before: before, at: before + .milliseconds(50)))
        let actions = machine.handle(.stop)
        #expect(actions.description == "[readPosition]")
        let end = machine.handle(.failed(RingerError("x", "x", .brokenPipe), left: nil, at: start))
        #expect(end.position == StreamPosition(played: 10, total: 200, unfinishedAt: before))
    }

    @Test("a report that is due while the stream is suspended has the last known position")
    func reportWhileSuspended() {
        var machine = running(options: PlaybackOptions(reportAt: .milliseconds(50)))
        _ = machine.handle(failure(.streamsPipe, left: 30))
        let due = start + .milliseconds(50)
        let told = machine.handle(.due(.report, at: due)).told
        #expect(told == [.progress(StreamPosition(played: 50, total: 200), at: due)])
    }

    // It was made once, with a position that did not yet say what the report was asked for.
    @Test("a position that was asked for before the report's time is not the report's, however long the answer took")
    func earlyPosition() {
        var machine = running(options: PlaybackOptions(reportAt: .milliseconds(50)))
        _ = machine.handle(.ready)
        let (early, late) = (start + .milliseconds(49), start + .milliseconds(70))
        #expect(machine.handle(.position(delay: 31, before: early, at: late)).told.isEmpty)
        _ = machine.handle(.due(.report, at: late))
        let told = machine.handle(.position(delay: 10, before: late, at: late)).told
        #expect(told == [.progress(StreamPosition(played: 70, total: 200, unfinishedAt: late), at: late)])
    }

    @Test("a report whose timer comes too late is made before the end")
    func lateReport() {
        var machine = running(frames: 50, options: PlaybackOptions(reportAt: .milliseconds(20)))
        let late = start + .milliseconds(60)
        let actions = machine.handle(.position(delay: 20, before: late, at: late))
        #expect(actions.told == [.progress(StreamPosition(played: 50, total: 50), at: late)])
        #expect(actions.end == .drained)
    }

    @Test("a device with a coarse position is asked less and less often, at most once a period")
    func coarse() throws {
        var machine = running(frames: 50)
        _ = machine.handle(.position(delay: 80, before: start, at: start))
        var pauses: [Duration] = []
        for _ in 0..<12 {
            let now = start + .milliseconds(50)
            _ = machine.handle(.due(.wake, at: now))
            _ = machine.handle(.position(delay: 31, before: now, at: now))
            _ = machine.handle(.wrote(0))
            let actions = machine.handle(.position(delay: 31, before: now, at: now))
            pauses.append(try #require(actions.wake) - now)
        }
        #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(pauses.last == format.period)
    }

    // MARK: - Trouble

    @Test("descriptors that wrongly report room are ignored for half a period")
    func spurious() {
        var machine = running()
        _ = machine.handle(.ready)
        let now = start + .milliseconds(10)
        _ = machine.handle(.position(delay: 70, before: now, at: now))
        #expect(machine.handle(.wrote(0)).description == "[unwatch, schedule wake]")
        #expect(machine.handle(.due(.wake, at: now)).description == "[readPosition]")
    }

    // Each zero that the device took looked like a movement, and it was given zeros for ever.
    @Test(
        "a device that always says that hours are ahead fails when the sound was written, however many zeros it takes")
    func absurdDelay() throws {
        var machine = running(frames: 50)
        var now = start
        for _ in 0..<1_000 {
            now = now + .milliseconds(10)
            _ = machine.handle(.due(.stall, at: now))
            let actions = machine.handle(.position(delay: 1 << 28, before: now, at: now))
            if let end = actions.end {
                #expect(end == .failed(RingerError(.timedOut, "play", "PCM x", detail: "its position stands still")))
                #expect(now - start == format.latency + PlaybackMachine.Limits().stall)
                return
            }
            _ = machine.handle(.due(.wake, at: now))
            _ = machine.handle(.position(delay: 1 << 28, before: now, at: now))
            _ = machine.handle(.wrote(10))
        }
        Issue.record("it has not ended")
    }

    @Test("a PCM whose empty buffer takes no frames fails")
    func refusal() {
        var machine = PlaybackMachine(frames: 10, options: PlaybackOptions(), subject: "PCM x")
        _ = machine.handle(.play(at: start))
        _ = machine.handle(.opened(format, isMixed: false, isCoarse: false))
        #expect(
            machine.handle(.wrote(0)).end
                == .failed(RingerError(.system, "write", "PCM x", detail: "its empty buffer takes no frames")))
    }

    @Test("a stream that ran dry behind the last frame has drained")
    func dryBehindTheEnd() {
        var machine = running(frames: 50)
        _ = machine.handle(.position(delay: 80, before: start, at: start))
        #expect(machine.handle(failure(.brokenPipe, left: 0)).end == .drained)
    }

    @Test("a resume that is not possible yet is tried again on a timer, a limited number of times")
    func resumeLater() {
        var machine = running()
        #expect(machine.handle(failure(.streamsPipe)).description == "[unwatch, tell suspended, resume]")
        var attempts = 1
        while true {
            let actions = machine.handle(.resumption(.later, at: start))
            if actions.description == "[prepare]" { break }
            #expect(actions.description == "[schedule resume]")
            #expect(machine.handle(.due(.resume, at: start)).description == "[resume]")
            attempts += 1
        }
        #expect(attempts == PlaybackMachine.Limits().resumeAttempts)
    }

    @Test("a suspended stream that cannot be resumed continues with the first frame that was not heard")
    func resumeRefused() {
        var machine = running()
        _ = machine.handle(failure(.streamsPipe, left: 30))
        _ = machine.handle(.resumption(.refused, at: start))
        #expect(machine.handle(.prepared).description == "[write 50..<130]")
    }

    @Test("a failure before the start is not reported, and the stream starts once it can")
    func failureBeforeStart() {
        var machine = PlaybackMachine(frames: 10, options: PlaybackOptions(), subject: "PCM x")
        _ = machine.handle(.play(at: start))
        _ = machine.handle(.opened(format, isMixed: false, isCoarse: false))
        let failed = machine.handle(failure(.brokenPipe, left: 0))
        #expect(failed.description == "[unwatch, prepare]")
        _ = machine.handle(.prepared)
        _ = machine.handle(.wrote(10))
        _ = machine.handle(.position(delay: 10, before: start, at: start))
        _ = machine.handle(.wrote(70))
        #expect(machine.handle(.started(at: start)).told == [.started(at: start)])
    }

    @Test("a device that goes while the stream is prepared anew is disconnected")
    func goneInPrepare() {
        var machine = running()
        _ = machine.handle(failure(.brokenPipe))
        let gone = RingerError("prepare", "PCM x", Errno(rawValue: 19))
        #expect(machine.handle(.failed(gone, left: nil, at: start)).end == .failed(gone))
        #expect(gone.code == .disconnected)
    }

    // MARK: - Stopping

    @Test("a sound that was not begun is stopped at once, and cannot be begun")
    func stopBeforePlay() {
        var machine = PlaybackMachine(frames: 10, options: PlaybackOptions(), subject: "PCM x")
        #expect(machine.handle(.stop).end == .stopped)
        #expect(machine.handle(.play(at: start)).isEmpty)
    }

    @Test("a suspended sound is stopped at once")
    func stopSuspended() {
        var machine = running()
        _ = machine.handle(failure(.streamsPipe))
        _ = machine.handle(.resumption(.later, at: start))
        #expect(machine.handle(.stop).end == .stopped)
        #expect(machine.handle(.due(.resume, at: start)).isEmpty)
    }

    private static let stops: [(String, SimulatedPCM.Troubles)] = [
        ("a buffer of its own", .init(stops: 5)),
        ("a shared buffer", .init(stops: 5, isMixed: true)),
        ("a shared buffer that gives nothing back", .init(rewinds: false, stops: 5, isMixed: true)),
        ("a shared buffer, changes of the gain", .init(gains: 20, stops: 5, isMixed: true)),
        ("a shared buffer, underruns", .init(underruns: 10, stops: 5, isMixed: true)),
    ]

    @Test(
        "of a sound that is stopped, what is reported as played was heard, no more and no less",
        arguments: 0..<stops.count)
    func stopped(index: Int) {
        var stopped = 0
        for seed in UInt64(1)...300 {
            var machine = PlaybackMachine(
                frames: Int64(seed * 7 % 400) + 1, options: PlaybackOptions(), subject: "PCM x")
            var pcm = SimulatedPCM(Self.stops[index].1, seed: seed)
            pcm.run(&machine)
            guard case .ended(.stopped, _, let position)? = pcm.events.last else { continue }
            stopped += 1
            #expect(pcm.heard.elementsEqual(0..<Int(position.played)), "\(Self.stops[index].0), seed \(seed)")
        }
        #expect(stopped > 50)
    }

    @Test("what a stopped sound left in a shared buffer is taken back, except for what is heard at once")
    func stoppedInSharedBuffer() {
        var machine = running(isMixed: true)
        _ = machine.handle(.stop)
        let taken = machine.handle(.position(delay: 60, before: start, at: start))
        #expect(taken.description == "[rewind but 10]")
        #expect(machine.handle(.rewound(50)).description == "[unwatch, readPosition]")
        let left = machine.handle(.position(delay: 10, before: start, at: start))
        #expect(left.wake == start + .milliseconds(10) && left.end == nil)
        var closed = machine
        #expect(closed.handle(.stopAtOnce).description == "[readPosition]")
        let cut = closed.handle(.position(delay: 10, before: start, at: start))
        #expect(cut.end == .stopped && cut.position?.played == 20)
        _ = machine.handle(.due(.wake, at: start + .milliseconds(10)))
        let over = machine.handle(failure(.brokenPipe, left: 0))
        #expect(over.end == .stopped && over.position?.played == 30)
    }

    @Test(
        "of a stopped sound 10 ms stay in a shared buffer, or a period where the position is no more exact",
        arguments: [(false, "[rewind but 10]"), (true, "[rewind but 125]")])
    func stoppedInLongPeriods(isCoarse: Bool, rewind: String) {
        var machine = running(frames: 2_000, buffer: 375, period: 125, isMixed: true, isCoarse: isCoarse)
        _ = machine.handle(.stop)
        let actions = machine.handle(.position(delay: 300, before: start, at: start))
        #expect(actions.description == rewind)
    }

    @Test("a stream that fails while it is stopped is stopped")
    func failureWhileStopping() {
        var machine = running()
        _ = machine.handle(.stop)
        #expect(machine.handle(failure(.brokenPipe)).end == .stopped)
    }
}

extension [PlaybackMachine.Action] {
    /// The actions in short.
    fileprivate var description: String {
        "["
            + map { action in
                switch action {
                case .open: "open"
                case .write(let frames, _): "write \(frames)"
                case .pad(let frames): "pad \(frames)"
                case .start: "start"
                case .readPosition: "readPosition"
                case .rewind(let frames): "rewind but \(frames)"
                case .watch: "watch"
                case .unwatch: "unwatch"
                case .schedule(let timer, _): "schedule \(timer)"
                case .prepare: "prepare"
                case .resume: "resume"
                case .tell(let event): "tell \(event.name)"
                case .end: "end"
                }
            }.joined(separator: ", ") + "]"
    }

    fileprivate var told: [PlaybackEvent] {
        compactMap { if case .tell(let event) = $0 { event } else { nil } }
    }

    fileprivate var wake: MonotonicTime? {
        for case .schedule(.wake, let time) in self { return time }
        return nil
    }

    fileprivate var end: PlaybackEnd? {
        for case .end(let end, _, _, _) in self { return end }
        return nil
    }

    fileprivate var position: StreamPosition? {
        for case .end(_, _, let position, _) in self { return position }
        return nil
    }
}
