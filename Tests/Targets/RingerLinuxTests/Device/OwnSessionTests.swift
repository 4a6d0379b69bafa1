import RingerLinux
import RingerTestKit
import Synchronization
import Testing

@Suite("Sounds that are played without a session of the firmware's")
final class OwnSessionTests: SimulatedDeviceTests {
    private let outcomes = Record<SoundOutcome>()

    private func start(
        _ milliseconds: Int, _ category: AudioCategory, options: CategoryOptions = []
    ) throws {
        try device.start(
            .silence(duration: .milliseconds(milliseconds), sampleRate: 8_000), category: category, options: options
        ) { [outcomes] in outcomes.append($0.outcome) }
    }

    @Test("its session says that the switch silences it, to those who follow events alone")
    func silencedEvent() throws {
        let events = Mutex<[DeviceEvent]>([])
        let device = try Device.simulated(
            board, configuration: Device.Configuration(observer: { event in events.withLock { $0.append(event) } }))
        try device.start(.silence(duration: .seconds(1), sampleRate: 8_000), category: .soloAmbient) { _ in }
        clock.advance(by: .milliseconds(500))
        board.ringSilent.position = .silent
        clock.advance(by: .seconds(1))
        var silenced = 0
        for case .session(.silenced(by: .ringSilentSwitch), _, _, _) in events.withLock({ $0 }) { silenced += 1 }
        #expect(silenced == 1)
    }

    // It used to play through the call.
    @Test("an announcement is not heard through a call")
    func duringACall() throws {
        let call = device.sessions.interruptionBegan()
        try start(100, .playback)
        clock.advance(by: .seconds(1))
        #expect(outcomes.all == [.silenced(by: .interruption)] && board.speaker.recordings.isEmpty)
        device.sessions.interruptionEnded(call)
        try start(100, .playback)
        clock.advance(by: .seconds(1))
        #expect(outcomes.all.last == .finished)
    }

    @Test("a session of a higher priority refuses it, with that reason")
    func refused() throws {
        let call = device.sessions.make(category: .playAndRecord, priority: .call)
        call.activate { #expect($0 == nil) }
        try start(100, .playback)
        clock.advance(by: .seconds(1))
        #expect(outcomes.all == [.silenced(by: .sessionPriority)] && call.isActive)
    }

    // It used to be silenced, while a session's sound fails.
    @Test("a sound in audioProcessing fails as it does in a session, and one in record is silenced")
    func categoriesThatDoNotPlay() throws {
        try start(100, .audioProcessing)
        try start(100, .record)
        let session = device.sessions.make(category: .audioProcessing)
        session.start(.silence(duration: .milliseconds(100), sampleRate: 8_000)) { [outcomes] in
            outcomes.append($0.outcome)
        }
        let errors = outcomes.all.compactMap { outcome in if case .failed(let error) = outcome { error } else { nil } }
        #expect(errors.map(\.code) == [.incompatibleCategory, .incompatibleCategory])
        #expect(outcomes.all.count == 3 && outcomes.all[1] == .silenced(by: .categoryDoesNotPlay))
        #expect(device.sessions.all.filter(\.isActive).isEmpty && board.speaker.recordings.isEmpty)
    }

    // It was silenced, as if another session mattered more.
    @Test("a sound that needs an input on a board without one fails, with that reason")
    func withoutInput() throws {
        board.surroundings.set(.inputAvailable(false))
        try start(100, .playAndRecord)
        let errors = outcomes.all.compactMap { outcome in if case .failed(let error) = outcome { error } else { nil } }
        #expect(errors.map(\.code) == [.notFound] && outcomes.all.count == 1)
    }

    @Test("a call that begins in the middle silences it, and it does not resume on its own")
    func interrupted() throws {
        try start(1000, .playback)
        clock.advance(by: .milliseconds(400))
        let call = device.sessions.interruptionBegan()
        clock.advance(by: .milliseconds(100))
        #expect(outcomes.all == [.silenced(by: .interruption)] && board.speaker.recordings[0].played == 3_200)
        device.sessions.interruptionEnded(call)
        clock.advance(by: .seconds(1))
        #expect(board.speaker.recordings.count == 1)
        #expect(device.sessions.all.allSatisfy { $0.phase == .inactive })
    }

    @Test("sounds of several categories mix with each other")
    func mixed() throws {
        try start(300, .soloAmbient)
        try start(200, .playback)
        try start(100, .playback, options: .honoursRingSilentSwitch)
        clock.advance(by: .seconds(1))
        #expect(outcomes.all == [.finished, .finished, .finished])
        #expect(Set(board.speaker.recordings.map(\.start)).count == 1)
    }

    @Test("music is interrupted meanwhile, and resumes after the last sound")
    func music() throws {
        let music = device.sessions.make(category: .playback)
        music.activate { #expect($0 == nil) }
        try start(100, .playback)
        try start(200, .playback)
        clock.advance(by: .milliseconds(150))
        #expect(music.isInterrupted)
        clock.advance(by: .milliseconds(100))
        #expect(music.isActive)
    }

    @Test("a sound that the switch silences interrupts no session")
    func silenced() throws {
        board.ringSilent.position = .silent
        let music = device.sessions.make(category: .playback)
        music.activate { #expect($0 == nil) }
        try start(100, .soloAmbient)
        try start(100, .playback, options: .honoursRingSilentSwitch)
        try start(100, .record)
        #expect(
            outcomes.all == [
                .silenced(by: .ringSilentSwitch), .silenced(by: .ringSilentSwitch), .silenced(by: .categoryDoesNotPlay),
            ])
        #expect(music.isActive)
    }

    @Test("options that the category does not allow are refused")
    func refusedOptions() {
        let error = #expect(throws: RingerError.self) {
            try device.start(.silence(duration: .seconds(1), sampleRate: 8_000), options: .honoursRingSilentSwitch)
        }
        #expect(error?.code == .invalid)
    }

    @Test("a flip silences a playback that honours the switch, and leaves one that does not")
    func honoursSwitch() throws {
        try start(1000, .playback, options: .honoursRingSilentSwitch)
        try start(1000, .playback)
        clock.advance(by: .milliseconds(500))
        device.setScreenLocked(true)
        board.ringSilent.position = .silent
        clock.advance(by: .seconds(1))
        #expect(outcomes.all == [.silenced(by: .ringSilentSwitch), .finished])
    }

    @Test("a session in the background is silent in soloAmbient, and plays on in playback")
    func background() throws {
        for (category, isHeard) in [(AudioCategory.soloAmbient, false), (.playback, true)] {
            let session = device.sessions.make(category: category)
            session.activate { #expect($0 == nil) }
            session.start(.silence(duration: .seconds(1), sampleRate: 8_000)) { [outcomes] in
                outcomes.append($0.outcome)
            }
            clock.advance(by: .milliseconds(500))
            try session.setInBackground(true)
            #expect(session.isInBackground && session.isAudible == isHeard)
            clock.advance(by: .seconds(1))
            #expect(outcomes.all.last == (isHeard ? .finished : .silenced(by: .background)))
            try session.setInBackground(false)
            #expect(session.isAudible)
        }
    }
}
