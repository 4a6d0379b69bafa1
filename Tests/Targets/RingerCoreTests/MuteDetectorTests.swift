import RingerTestKit
import Testing

@testable import RingerCore

@Suite("The mute detector")
struct MuteDetectorTests {
    @Test("at ring the device is audible at the threshold, not at the clip's end")
    func audible() throws {
        let bench = try PlayerBench()
        bench.measure()
        bench.clock.advance(by: .milliseconds(99))
        #expect(bench.readings.all.isEmpty)
        bench.clock.advance(by: .milliseconds(1))
        let reading = try #require(bench.readings.all.first)
        #expect(reading.verdict == .audible)
        #expect(reading.elapsed == .milliseconds(100))
        #expect(reading.at == bench.start + .milliseconds(100))
        // The rest of the clip is dropped.
        bench.clock.advance(by: .zero)
        #expect(bench.board.speaker.recordings[0].outcome == .stopped)
        #expect(bench.clock.pendingTimers == 0)
    }

    @Test("a threshold of 10 ms tells ring from silent: the clip is muted at once, or audible at the threshold")
    func shortThreshold() throws {
        let configuration = try MuteDetector.Configuration(clip: .milliseconds(11), threshold: .milliseconds(10))
        for (position, verdict, elapsed) in [
            (SwitchPosition.ring, MuteReading.Verdict.audible, 10), (.silent, .muted, 0),
        ] {
            let bench = try PlayerBench(position: position)
            let detector = MuteDetector(
                player: bench.player, publisher: bench.publisher, clock: bench.clock, configuration: configuration)
            detector.measure { [readings = bench.readings] in readings.append($0) }
            bench.clock.advance(by: .nanoseconds(9_999_999))
            #expect(bench.readings.all.isEmpty == (position == .ring))
            bench.clock.advance(by: .nanoseconds(1))
            #expect(bench.readings.all.map(\.verdict) == [verdict])
            #expect(bench.readings.all.map(\.elapsed) == [.milliseconds(elapsed)])
            #expect(bench.readings.all.map(\.threshold) == [.milliseconds(10)])
        }
    }

    @Test("at silent the device is muted at once", arguments: [SwitchPosition.silent, .vibrate])
    func muted(position: SwitchPosition) throws {
        let bench = try PlayerBench(position: position)
        bench.measure()
        let reading = try #require(bench.readings.all.first)
        #expect(reading.verdict == .muted && reading.elapsed == .zero && reading.margin == .milliseconds(100))
        #expect(!reading.disagreesWithSwitch)
        #expect(bench.board.speaker.recordings.isEmpty)
    }

    @Test("an output routed to nothing is muted; where the switch says ring, the two disagree, and that is an event")
    func routedToNothing() throws {
        let bench = try PlayerBench()
        bench.board.speaker.fault = .unpaced
        bench.measure()
        bench.clock.advance(by: .milliseconds(1))
        let reading = try #require(bench.readings.all.first)
        #expect(reading.verdict == .muted && reading.disagreesWithSwitch)
        #expect(bench.events.all.contains(.detectorDisagrees(reading, .ring, at: bench.start)))
    }

    @Test("without a switch a clip that takes its time says nothing, and one that the output takes at once is muted")
    func noSwitch() throws {
        let bench = try PlayerBench(position: nil)
        // The board's own switch, which the process does not see, says the opposite each time.
        bench.board.ringSilent.position = .silent
        bench.measure()
        bench.clock.advance(by: .seconds(1))
        bench.board.ringSilent.position = .ring
        bench.board.speaker.fault = .unpaced
        bench.measure()
        bench.clock.advance(by: .seconds(1))
        #expect(bench.readings.all.map(\.verdict) == [.unknown, .muted])
        #expect(
            bench.readings.all.map(\.cause) == [.nothingKnows, nil] && bench.readings.all.map(\.way) == [.none, .none])
        #expect(bench.readings.all.map(\.elapsed) == [.milliseconds(100), .zero])
        #expect(bench.readings.all.allSatisfy { $0.switchPosition == nil && !$0.disagreesWithSwitch })
        #expect(bench.board.speaker.recordings.count == 2)
    }

    @Test("a flip to silent in the middle of the clip reads muted, and agrees with the switch")
    func flipInTheMiddle() throws {
        let bench = try PlayerBench()
        bench.measure()
        bench.clock.advance(by: .milliseconds(50))
        bench.board.ringSilent.position = .silent
        bench.clock.advance(by: .zero)
        let reading = try #require(bench.readings.all.first)
        #expect(reading.verdict == .muted && reading.elapsed == .milliseconds(50))
        #expect(!reading.disagreesWithSwitch)
    }

    @Test(
        "an output that fails, or goes away in the middle, is neither muted nor audible",
        arguments: [SimulatedSoundOutput.Fault.busy, .missing, .gone(frame: 480)])
    func failed(fault: SimulatedSoundOutput.Fault) throws {
        let bench = try PlayerBench()
        bench.board.speaker.fault = fault
        bench.measure()
        bench.clock.advance(by: .seconds(1))
        let reading = try #require(bench.readings.all.first)
        #expect(reading.verdict == .unknown)
        guard case .outputFailed = reading.cause else {
            Issue.record("\(String(describing: reading.cause))")
            return
        }
    }

    @Test(
        "a stream that stands still is unknown at the deadline, and does not wedge the next probe",
        arguments: [0, 2_400])
    func stalled(frame: Int) throws {
        let bench = try PlayerBench()
        bench.board.speaker.fault = .stall(frame: frame)
        bench.measure()
        bench.clock.advance(by: .seconds(3))
        #expect(bench.readings.all.map(\.verdict) == [.unknown])
        #expect(bench.readings.all.first?.cause == .streamStalled)
        bench.board.speaker.fault = nil
        bench.measure()
        bench.clock.advance(by: .seconds(3))
        #expect(bench.readings.all.map(\.verdict) == [.unknown, .audible])
    }

    @Test("an underrun is repeated, and unknown where it comes every time")
    func underrun() throws {
        let bench = try PlayerBench()
        bench.board.speaker.fault = .underrun(frame: 480)
        bench.measure()
        bench.clock.advance(by: .seconds(3))
        let reading = try #require(bench.readings.all.first)
        #expect(reading.verdict == .unknown && reading.cause == .streamDisturbed && reading.attempts == 3)
        #expect(bench.board.speaker.recordings.count == 3)
    }

    @Test("recording and interruptions are consulted before anything is played")
    func sessions() throws {
        let bench = try PlayerBench()
        bench.publisher.sessions(are: .records)
        bench.measure()
        bench.publisher.sessions(are: .interrupted)
        bench.measure()
        #expect(bench.readings.all.map(\.cause) == [.recording, .interruption])
        #expect(bench.readings.all.map(\.verdict) == [.unknown, .unknown])
        #expect(bench.board.speaker.recordings.isEmpty)
    }

    // They followed each other without time passing: the device's thread did nothing else any more.
    @Test("readings without an interval are a threshold apart where they need no time of their own")
    func paced() throws {
        let bench = try PlayerBench()
        bench.publisher.sessions(are: .records)
        let readings = bench.detector.readings(every: .zero)
        for _ in 0..<50 {
            #expect(bench.clock.pendingTimers == 1)
            bench.clock.advance(by: .milliseconds(99))
            bench.publisher.sessions(are: [])
            bench.publisher.sessions(are: .records)
            bench.clock.advance(by: .milliseconds(1))
        }
        #expect(bench.board.speaker.recordings.isEmpty)
        withExtendedLifetime(readings) {}
    }

    @Test("callers at the same time share one clip")
    func shared() throws {
        let bench = try PlayerBench()
        bench.measure()
        bench.clock.advance(by: .milliseconds(30))
        bench.measure()
        bench.measure()
        bench.clock.advance(by: .seconds(1))
        #expect(bench.readings.all.count == 3 && Set(bench.readings.all).count == 1)
        #expect(bench.board.speaker.recordings.count == 1)
    }

    @Test("the clip is 0.2 s of zeros")
    func silentClip() throws {
        let bench = try PlayerBench()
        #expect(bench.detector.clip.duration == .milliseconds(200))
        #expect(bench.detector.clip.samples.allSatisfy { $0 == 0 })
    }

    @Test("sound effects that the user switched off do not make the device muted")
    func soundEffectsOff() throws {
        let bench = try PlayerBench()
        bench.player.preferences.soundEffects = false
        bench.measure()
        bench.clock.advance(by: .seconds(1))
        #expect(bench.readings.all.first?.verdict == .audible)
    }

    @Test("a volume of 0 is muted with that cause")
    func volume() throws {
        let bench = try PlayerBench()
        bench.board.surroundings.set(.outputVolume(0))
        bench.measure()
        bench.clock.advance(by: .seconds(1))
        bench.board.surroundings.set(.outputVolume(0.1))
        bench.measure()
        bench.clock.advance(by: .seconds(1))
        #expect(bench.readings.all.map(\.verdict) == [.muted, .audible])
        #expect(bench.readings.all.map(\.cause) == [.volume, nil])
        #expect(bench.readings.all.allSatisfy { $0.way == .device && !$0.disagreesWithSwitch })
    }

    @Test("the reading carries the route: headphones are heard at silent")
    func route() throws {
        let bench = try PlayerBench(position: .silent)
        bench.board.surroundings.set(.headphoneInserted(true))
        bench.measure()
        bench.clock.advance(by: .seconds(1))
        let reading = try #require(bench.readings.all.first)
        #expect(reading.verdict == .audible && reading.route == .headphone && reading.switchPosition == .silent)
    }

    @Test("readings come at their interval, and changes alone where only those are wanted")
    func stream() async throws {
        let bench = try PlayerBench()
        let verdicts = try await bench.clock.drive { [bench] in
            var verdicts: [MuteReading.Verdict] = []
            for await reading in bench.detector.readings(every: .seconds(1), changesOnly: true) {
                verdicts.append(reading.verdict)
                if verdicts.count == 2 { break }
                bench.board.ringSilent.position = .silent
            }
            return verdicts
        }
        #expect(verdicts == [.audible, .muted])
    }

    // Only a reading that was sent noticed it: where changes alone were wanted, clips were played for ever.
    @Test("a stream that is dropped in the middle of a clip plays no other one, whether or not the reading is a change")
    func droppedStream() throws {
        let bench = try PlayerBench()
        var readings: AsyncStream<MuteReading>? = bench.detector.readings(every: .seconds(1), changesOnly: true)
        bench.clock.advance(by: .milliseconds(1150))
        withExtendedLifetime(readings) {}
        readings = nil
        bench.clock.advance(by: .seconds(10))
        #expect(bench.board.speaker.recordings.count == 2 && bench.clock.pendingTimers == 0)
    }
}

@Suite("The detector's doubts")
struct MuteDetectorDoubtTests {
    /// A clip that ended: `left` is when frames were last known to be left, `end` when the end was seen.
    func reading(left: Duration?, end: Duration, attempts: Int = 1) throws -> MuteReading? {
        let start = MonotonicTime(nanoseconds: 1_000_000_000)
        var machine = MuteDetectorMachine(try .init(attempts: attempts))
        _ = machine.handle(.measure(DeviceState(ringSilent: .ring), now: start))
        _ = machine.handle(.playback(clip: 1, .started(at: start), now: start))
        let position = StreamPosition(played: 9600, total: 9600, unfinishedAt: left.map { start + $0 })
        let result = SoundResult(
            outcome: .finished, requestedAt: start, startedAt: start, endedAt: start + end, position: position)
        for case .answer(let reading) in machine.handle(.over(clip: 1, result, DeviceState(ringSilent: .ring))) {
            return reading
        }
        return nil
    }

    @Test("an end seen before the threshold is muted, however late the thread was")
    func early() throws {
        #expect(try reading(left: nil, end: .milliseconds(99))?.verdict == .muted)
    }

    @Test("frames left after the threshold are audible")
    func late() throws {
        #expect(try reading(left: .milliseconds(100), end: .milliseconds(200))?.verdict == .audible)
    }

    @Test("a stream that has played less than two thirds of its due frames at the threshold is judged at its end")
    func deepBuffer() {
        let start = MonotonicTime(nanoseconds: 0)
        for (played, isDecided) in [(0, false), (3_199, false), (3_200, true), (4_800, true)] {
            var machine = MuteDetectorMachine(.init())
            _ = machine.handle(.measure(DeviceState(), now: start))
            _ = machine.handle(.playback(clip: 1, .started(at: start), now: start))
            let look = start + .milliseconds(100)
            let position = StreamPosition(played: Int64(played), total: 9_600, unfinishedAt: look)
            let actions = machine.handle(.playback(clip: 1, .progress(position, at: look), now: look))
            #expect(actions.isEmpty != isDecided)
        }
    }

    @Test("an end between two looks on either side of the threshold is no verdict")
    func doubtful() throws {
        #expect(try reading(left: .milliseconds(99), end: .milliseconds(101))?.cause == .timingDoubtful)
        #expect(try reading(left: nil, end: .milliseconds(300))?.cause == .timingDoubtful)
    }

    /// The reading after a clip that took its time on a PCM that says this of it.
    func reading(_ judgement: OutputJudgement?, _ state: DeviceState, outputObeys: Bool = true) -> MuteReading? {
        let start = MonotonicTime(nanoseconds: 0)
        var machine = MuteDetectorMachine(.init(), outputObeys: outputObeys)
        _ = machine.handle(.measure(state, now: start))
        _ = machine.handle(.playback(clip: 1, .started(at: start), now: start))
        let look = start + .milliseconds(100)
        var position = StreamPosition(played: 4_800, total: 9_600, unfinishedAt: look)
        position.judgement = judgement
        for case .answer(let reading) in machine.handle(
            .playback(clip: 1, .progress(position, at: look), now: look))
        {
            return reading
        }
        return nil
    }

    @Test("a clip that took its time is audible only where its PCM has its service's word, or a switch was read")
    func judged() {
        let unreadable = DeviceState(isSwitchUnreadable: true)
        for state in [DeviceState(), unreadable, DeviceState(ringSilent: .ring)] {
            for (judgement, verdict, cause, way) in [
                (OutputJudgement.heard, MuteReading.Verdict.audible, MuteReading.Cause?.none, MuteReading.Way.pcm),
                (.silenced, .muted, nil, .pcm),
                (.interrupted, .unknown, .interruption, .pcm),
                (.unjudged, .unknown, .nothingKnows, .none),
            ] {
                let reading = reading(judgement, state)
                #expect(reading?.verdict == verdict && reading?.cause == cause && reading?.way == way)
            }
        }
        for state in [DeviceState(), unreadable] {
            #expect(reading(nil, state)?.verdict == .unknown && reading(nil, state)?.cause == .nothingKnows)
        }
        #expect(reading(nil, DeviceState(ringSilent: .ring))?.way == .device)
    }

    // The rules silenced the clip before the PCM was asked.
    @Test("a switch that cannot be read does not silence the clip of an output that obeys it")
    func passesUnreadableSwitch() {
        let unreadable = DeviceState(isSwitchUnreadable: true)
        var terms = SoundTerms(request: .systemSound(isUISound: false))
        #expect(terms.decide(unreadable, UserPreferences()) == .silence(.switchUnreadable))
        terms.passesUnreadableSwitch = true
        #expect(terms.decide(unreadable, UserPreferences()).isHeard)
        #expect(terms.decide(DeviceState(ringSilent: .silent), UserPreferences()) == .silence(.ringSilentSwitch))
    }

    @Test("a doubtful reading is repeated where there are attempts left")
    func repeated() throws {
        #expect(try reading(left: nil, end: .milliseconds(300), attempts: 2) == nil)
    }

    @Test("a clip that ended before its last frame was played is no verdict")
    func short() throws {
        let start = MonotonicTime(nanoseconds: 0)
        var machine = MuteDetectorMachine(try .init(attempts: 1))
        _ = machine.handle(.measure(DeviceState(), now: start))
        _ = machine.handle(.playback(clip: 1, .started(at: start), now: start))
        let result = SoundResult(
            outcome: .finished, requestedAt: start, startedAt: start, endedAt: start + .milliseconds(5),
            position: StreamPosition(played: 10, total: 9600))
        let actions = machine.handle(.over(clip: 1, result, DeviceState()))
        guard case .answer(let reading)? = actions.first else {
            Issue.record("no answer")
            return
        }
        #expect(reading.verdict == .unknown && reading.cause == .streamStalled)
    }
}

@Suite("The detector's configuration")
struct MuteDetectorConfigurationTests {
    @Test("one that could give no verdict is refused, not trapped")
    func refused() {
        func refusal(_ make: () throws(RingerError) -> MuteDetector.Configuration) -> RingerError.Code? {
            do throws(RingerError) { _ = try make() } catch { return error.code }
            return nil
        }
        #expect(refusal { () throws(RingerError) in try .init(clip: .milliseconds(100)) } == .invalid)
        #expect(refusal { () throws(RingerError) in try .init(clip: .seconds(31), deadline: .seconds(60)) } == .invalid)
        #expect(refusal { () throws(RingerError) in try .init(threshold: .zero) } == .invalid)
        #expect(refusal { () throws(RingerError) in try .init(threshold: .microseconds(999)) } == .invalid)
        #expect(refusal { () throws(RingerError) in try .init(threshold: .milliseconds(1)) } == nil)
        #expect(refusal { () throws(RingerError) in try .init(deadline: .milliseconds(200)) } == .invalid)
        #expect(refusal { () throws(RingerError) in try .init(attempts: 0) } == .invalid)
        #expect(refusal { () throws(RingerError) in try .init(sampleRate: .nan) } == .invalid)
        #expect(refusal { () throws(RingerError) in try .init(attempts: 1) } == nil)
    }
}
