import RingerCore
import RingerTestKit
import Synchronization
import Testing

@Suite("The simulated board")
struct SimulatedBoardTests {
    // 200,000 sounds took 235 MB.
    @Test("the speaker keeps the newest 1,000 recordings, or as many as set, and counts all")
    func recordings() {
        let clock = VirtualClock()
        let board = SimulatedBoard(clock: clock)
        func play(_ frames: Int) {
            let sound = PCMBuffer(sampleRate: 48_000, channels: 1, samples: Array(repeating: 1, count: frames))
            _ = board.speaker.play(sound, PlaybackOptions()) { _ in }
        }
        for frames in 1...1_200 {
            play(frames)
            clock.advance(by: .seconds(1))
        }
        #expect(board.speaker.recordings.count == 1_000 && board.speaker.recordingCount == 1_200)
        #expect(board.speaker.recordings.map(\.played) == Array(201...1_200))
        #expect(board.speaker.recordings.allSatisfy { $0.outcome == .drained })

        board.speaker.recordingLimit = 2
        #expect(board.speaker.recordings.map(\.played) == [1_199, 1_200])
        for frames in 1...3 { play(frames) }
        #expect(board.speaker.recordings.map(\.sound.frames) == [2, 3])
        // The first of the three ends when its recording is no longer kept.
        clock.advance(by: .seconds(1))
        #expect(board.speaker.recordings.map(\.played) == [2, 3] && board.speaker.recordingCount == 1_203)
    }

    // A service that is tested for months would keep the samples of 1,000 sounds of its clients.
    @Test("a speaker that does not keep samples keeps those of a sound until it ends, and what else is known of it")
    func withoutSamples() {
        let clock = VirtualClock()
        let speaker = SimulatedBoard(clock: clock).speaker
        speaker.keepsSamples = false
        let sound = PCMBuffer(sampleRate: 48_000, channels: 1, samples: Array(repeating: 1, count: 4_800))
        _ = speaker.play(sound, PlaybackOptions()) { _ in }
        clock.advance(by: .milliseconds(50))
        #expect(speaker.recordings.map(\.sound.frames) == [4_800])
        clock.advance(by: .seconds(1))
        #expect(speaker.recordings.map(\.sound.frames) == [0] && speaker.recordings.map(\.samples.count) == [0])
        #expect(speaker.recordings.map(\.frames) == [4_800] && speaker.recordings.map(\.played) == [4_800])
    }

    // Its PCM was freed after the report: on another thread it could be released before, and stayed open for 2 s.
    @Test("when a sound's end is reported the speaker can be released, and is closed then")
    func releasedAtTheEnd() {
        let clock = VirtualClock()
        let speaker = SimulatedBoard(clock: clock).speaker
        let isOpen = Mutex<[Bool]>([])
        let sound = PCMBuffer(sampleRate: 48_000, channels: 1, samples: Array(repeating: 1, count: 48_000))
        let playback = speaker.play(sound, PlaybackOptions()) { [weak speaker] event in
            guard case .ended = event, let speaker else { return }
            isOpen.withLock { $0.append(speaker.isOpen) }
            speaker.release(stoppingSounds: false) { isOpen.withLock { $0.append(speaker.isOpen) } }
        }
        clock.advance(by: .milliseconds(50))
        playback.stop()
        clock.advance()
        #expect(isOpen.withLock { $0 } == [true, false])
        #expect(!speaker.isOpen)
    }

    @Test("the motor keeps the newest turns, and counts all")
    func turns() throws {
        let clock = VirtualClock()
        let motor = SimulatedBoard(clock: clock).motor
        motor.turnLimit = 3
        for _ in 0..<5 {
            try motor.turnOn(strength: 1, limit: .seconds(1))
            clock.advance(by: .milliseconds(10))
            try motor.turnOff()
        }
        #expect(motor.turns.count == 3 && motor.turnCount == 5)
        #expect(motor.turns.compactMap(\.length) == Array(repeating: .milliseconds(10), count: 3))
    }

    @Test("a motor that was closed cannot be turned on")
    func closedMotor() throws {
        let motor = SimulatedBoard(clock: VirtualClock()).motor
        try motor.close()
        let error = #expect(throws: RingerError.self) { try motor.turnOn(strength: 1, limit: .seconds(1)) }
        #expect(error?.code == .closed && motor.turns.isEmpty)
        try motor.turnOff()
        try motor.close()
    }

    @Test("the motor, the microphone and the speaker answer when the test lets them")
    func lateAnswers() throws {
        let clock = VirtualClock()
        let start = clock.now
        let board = SimulatedBoard(clock: clock)
        let vibrator = Vibrator(motor: board.motor, clock: clock)
        let ends = Record<SoundOutcome>()
        board.motor.answers.areLate = true
        vibrator.start(try VibrationPattern(milliseconds: "100")) { ends.append($0) }
        clock.advance(by: .milliseconds(150))
        #expect(board.motor.isOn && board.motor.answers.waiting == 1)
        #expect(board.motor.answers.giveNext())
        clock.advance(by: .milliseconds(20))
        // It is being turned off, and a vibration begins.
        vibrator.start(try VibrationPattern(milliseconds: "100")) { ends.append($0) }
        #expect(board.motor.answers.giveNext() && board.motor.turns.map(\.start) == [start, clock.now])
        clock.advance(by: .milliseconds(100))
        #expect(ends.all == [.finished] && board.motor.isOn)
        board.motor.answers.areLate = false
        #expect(ends.all == [.finished, .finished] && !board.motor.isOn && !board.motor.answers.giveNext())

        let answers = Record<String>()
        board.speaker.formatAnswers.areLate = true
        board.microphone.answers.areLate = true
        board.speaker.ask(.speaker) { _ in answers.append("speaker") }
        board.microphone.ask(SessionPreferences(), pcm: nil) { _ in answers.append("microphone") }
        #expect(answers.all.isEmpty)
        board.microphone.answers.giveNext()
        board.speaker.formatAnswers.giveNext()
        #expect(answers.all == ["microphone", "speaker"])
    }

    // They were given at once from the moment on at which answers were no longer late.
    @Test("answers to questions that are asked while the late ones are given come after these")
    func orderOfAnswers() {
        let microphone = SimulatedBoard(clock: VirtualClock()).microphone
        let answers = Record<Int>()
        func ask(_ number: Int, then body: @escaping @Sendable () -> Void = {}) {
            microphone.ask(SessionPreferences(), pcm: nil) { _ in
                answers.append(number)
                body()
            }
        }
        microphone.answers.areLate = true
        ask(1) { microphone.ask(SessionPreferences(), pcm: nil) { _ in answers.append(3) } }
        ask(2)
        microphone.answers.areLate = false
        #expect(answers.all == [1, 2, 3] && microphone.answers.waiting == 0)

        microphone.answers.areLate = true
        ask(4) { microphone.answers.areLate = true }
        ask(5)
        microphone.answers.areLate = false
        #expect(answers.all == [1, 2, 3, 4] && microphone.answers.waiting == 1)
        microphone.answers.areLate = false
        ask(6)
        #expect(answers.all == [1, 2, 3, 4, 5, 6])
    }

    @Test("a sound plays while what is reported of it is late, and closing the speaker reports all of it")
    func lateSoundAnswers() {
        let clock = VirtualClock()
        let speaker = SimulatedBoard(clock: clock).speaker
        let events = Record<PlaybackEvent>()
        let sound = PCMBuffer(sampleRate: 48_000, channels: 1, samples: Array(repeating: 1, count: 480))
        speaker.soundAnswers.areLate = true
        for _ in 0..<2 { _ = speaker.play(sound, PlaybackOptions()) { events.append($0) } }
        clock.advance(by: .milliseconds(20))
        #expect(speaker.recordings.map(\.outcome) == [.drained, .drained] && events.all.isEmpty)
        speaker.soundAnswers.giveNext()
        #expect(events.all.count == 1 && speaker.soundAnswers.waiting == 3)
        speaker.close()
        #expect(events.all.count == 4 && speaker.soundAnswers.waiting == 0)
    }

    @Test("the motor turns until it is turned off, unless its hardware has a limit of its own")
    func ownLimit() throws {
        let clock = VirtualClock()
        let motor = SimulatedBoard(clock: clock).motor
        try motor.turnOn(strength: 1, limit: .milliseconds(100))
        clock.advance(by: .seconds(60))
        #expect(motor.isOn && clock.pendingTimers == 0)
        try motor.turnOff()
        motor.hasOwnLimit = true
        try motor.turnOn(strength: 1, limit: .milliseconds(100))
        clock.advance(by: .seconds(60))
        #expect(motor.turns.compactMap(\.length) == [.seconds(60), .milliseconds(100)])
    }
}

@Suite("The simulated board's state")
struct SimulatedStateSourceTests {
    @Test(
        "a microphone is a board's input while it is plugged in, also when the board's own is switched off",
        arguments: [
            (
                [.inputAvailable(false), .microphoneInserted(true)],
                [.inputAvailable(false), .microphoneInserted(true), .inputAvailable(true)]
            ),
            // What nobody set is not known.
            (
                [.microphoneInserted(true), .inputAvailable(true), .inputAvailable(false)],
                [.microphoneInserted(true), .inputAvailable(true), .inputAvailable(true)]
            ),
        ] as [([DeviceStateChange], [DeviceStateChange])])
    func microphone(changes: [DeviceStateChange], reported: [DeviceStateChange]) throws {
        let source = SimulatedStateSource()
        let told = Record<DeviceStateChange>()
        try source.start { told.append($0) }
        for change in changes + [.microphoneInserted(false)] { source.set(change) }
        #expect(told.all == reported + [.microphoneInserted(false), .inputAvailable(false)])
    }

    // Each change used to wrap the handler once more, until a call of it went deeper than the stack.
    @Test("it may be changed any number of times")
    func manyChanges() throws {
        let source = SimulatedStateSource()
        let count = Atomic(0)
        try source.start { _ in count.add(1, ordering: .relaxed) }
        for step in 0..<200_000 { source.set(.screenLocked(step.isMultiple(of: 2))) }
        #expect(count.load(ordering: .relaxed) == 200_000)
        source.close()
        source.set(.screenLocked(true))
        #expect(count.load(ordering: .relaxed) == 200_000)
    }
}
