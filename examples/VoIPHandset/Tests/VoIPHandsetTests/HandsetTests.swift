import Ringer
import RingerTestKit
import Synchronization
import Testing

@testable import VoIPHandset

/// The handset on a simulated board, in virtual time, with a SIP side that only takes notes.
@Suite("Handset: on a board")
struct HandsetTests {
    @Test("At ring a call is heard and felt, round after round, until its caller gives up")
    func rings() throws {
        let bench = try Bench()
        let start = bench.clock.now
        bench.call(1)
        #expect(bench.notes.kinds == [.ringing])
        #expect(bench.notes.reported[0].at == start)
        #expect(!bench.board.speaker.playing.isEmpty && bench.board.motor.isOn)
        // A round of 1 s, a pause of 2 s.
        bench.clock.advance(by: .seconds(10))
        #expect(bench.board.speaker.recordingCount == 4)
        bench.close(1)
        #expect(bench.isQuiet)
        #expect(bench.notes.kinds == [.ringing, .cancelled])
        #expect(bench.notes.reported[1].at == bench.clock.now)
        bench.clock.advance(by: .seconds(100))
        #expect(bench.board.speaker.recordingCount == 4)
    }

    @Test("CANCEL in the middle of a round silences it at that frame")
    func cancelled() throws {
        let bench = try Bench(ringingFor: .milliseconds(250))
        bench.close(1)
        #expect(bench.isQuiet)
        #expect(bench.board.speaker.recordings[0].played == 12_000)
    }

    @Test("CANCEL closes the ring's PCM within 50 ms")
    func cancelledReleasesOutput() throws {
        let bench = try Bench(ringingFor: .milliseconds(300))
        #expect(bench.board.speaker.isOpen)
        bench.close(1)
        bench.clock.advance(by: .milliseconds(50))
        #expect(bench.isQuiet && !bench.board.speaker.isOpen)
    }

    @Test(
        "At vibrate and at silent a call is felt as the preferences say",
        arguments: [
            (SwitchPosition.vibrate, false, HandsetEvent.Kind.vibrating), (.silent, true, .vibrating),
            (.silent, false, .silent),
        ])
    func felt(_ position: SwitchPosition, _ vibrateOnSilent: Bool, _ kind: HandsetEvent.Kind) throws {
        let bench = try Bench(position, preferences: .init(vibrateOnSilent: vibrateOnSilent))
        bench.call(1)
        #expect(bench.notes.kinds == [kind])
        #expect(bench.board.speaker.recordings.isEmpty)
        #expect(bench.board.motor.isOn == (kind == .vibrating))
        bench.close(1)
        #expect(bench.isQuiet && bench.notes.kinds == [kind, .cancelled])
    }

    // Nothing was reported until the call ended.
    @Test(
        "A ring whose PCM cannot be opened is felt, and is reported at once with the reason; it is heard once it can be"
    )
    func unheard() throws {
        for hasMotor in [true, false] {
            let bench = try Bench(preferences: .init(vibrateOnRing: hasMotor))
            bench.board.speaker.fault = .missing
            bench.call(1)
            let kind = hasMotor ? HandsetEvent.Kind.vibrating : .silent
            #expect(bench.notes.kinds == [kind] && bench.board.motor.isOn == hasMotor)
            #expect(bench.notes.reported.first?.reason?.contains("simulated speaker: cannot open") == true)
            #expect(bench.notes.reported.first?.at == bench.clock.now)
            // The next rounds fail too, which is no news.
            bench.clock.advance(by: .seconds(10))
            #expect(bench.notes.kinds == [kind])
            bench.board.speaker.fault = nil
            bench.clock.advance(by: .seconds(3))
            #expect(bench.notes.kinds == [kind, .ringing] && bench.notes.reported.last?.reason == nil)
            bench.close(1)
            #expect(bench.isQuiet && bench.notes.kinds == [kind, .ringing, .cancelled])
        }
    }

    @Test("A flip silences the ring and refuses nobody; flipped back, it rings again")
    func flipped() throws {
        let bench = try Bench(ringingFor: .milliseconds(100))
        bench.board.ringSilent.position = .silent
        bench.clock.advance()
        #expect(bench.board.speaker.playing.isEmpty)
        #expect(bench.board.speaker.recordings[0].played == 4_800)
        bench.clock.advance(by: .seconds(5))
        #expect(bench.notes.kinds == [.ringing, .vibrating])
        bench.board.ringSilent.position = .ring
        bench.clock.advance(by: .seconds(3))
        #expect(bench.notes.kinds == [.ringing, .vibrating, .ringing])
        #expect(bench.notes.all == [])
    }

    @Test("Silenced, a call is neither heard nor felt, and can be answered")
    func silenced() throws {
        let bench = try Bench()
        bench.call(1)
        bench.handset.send(.silence)
        bench.clock.advance()
        #expect(bench.isQuiet && bench.notes.kinds == [.ringing, .silent])
        bench.clock.advance(by: .seconds(20))
        #expect(bench.board.speaker.recordingCount == 1)
        bench.handset.send(.answer)
        bench.clock.advance()
        #expect(bench.notes.all == ["answer 1", "open 1"])
    }

    @Test("The key silences the ring, and the light goes on blinking; on during a call, off afterwards")
    func keyAndLight() throws {
        let bench = try Bench(ringingFor: .milliseconds(100))
        bench.board.keys.press(.silenceRing)
        bench.clock.advance()
        #expect(bench.isQuiet && bench.notes.kinds == [.ringing, .silent])
        let blinking = LightPattern.blinking(on: .milliseconds(250), off: .milliseconds(250))
        #expect(bench.board.statusLight.pattern == blinking)
        bench.handset.send(.answer)
        bench.close(1)
        #expect(bench.board.statusLight.shown.map(\.pattern) == [blinking, .on, .off])
    }

    @Test("On answer sound and motor stop within the same instant, and the PCM is closed when the call's audio opens")
    func answered() throws {
        let bench = try Bench(ringingFor: .milliseconds(300))
        #expect(bench.board.speaker.isOpen)
        bench.handset.send(.answer)
        bench.clock.advance()
        #expect(bench.isQuiet && !bench.board.speaker.isOpen)
        #expect(bench.notes.all == ["answer 1", "open 1"])
        #expect(bench.notes.kinds == [.ringing, .answered])
        #expect(bench.device.sessions.all.first { $0.name == "call" }?.settings.category == .playAndRecord)
    }

    @Test("A second call is felt, and silent where alerts during calls are", arguments: [true, false])
    func second(_ isFelt: Bool) throws {
        let bench = try Bench(preferences: .init(alertsDuringCall: isFelt ? .automatic : .none))
        bench.call(1)
        bench.handset.send(.answer)
        bench.clock.advance()
        let heard = bench.board.speaker.recordingCount
        bench.call(2)
        bench.clock.advance(by: .seconds(3))
        #expect(bench.notes.kinds == [.ringing, .answered, isFelt ? .vibrating : .silent])
        #expect(bench.board.speaker.recordingCount == heard)
        #expect((bench.board.motor.turnCount > 2) == isFelt)
        // The first one hangs up: the second one rings.
        bench.close(1)
        #expect(bench.notes.kinds.last == .ringing)
        bench.close(2)
        #expect(bench.isQuiet)
    }

    @Test("The key answers the call that rings, and ends the one that is talked to; then the next one rings")
    func key() throws {
        let bench = try Bench()
        func press() {
            bench.board.keys.press(.repeatAnnouncement)
            bench.clock.advance()
            bench.board.keys.release(.repeatAnnouncement)
            bench.clock.advance()
        }
        press()
        bench.call(1)
        press()
        #expect(bench.notes.all == ["answer 1", "open 1"])
        bench.call(2)
        press()
        #expect(bench.notes.all.last == "hang up 1")
        bench.close(1)
        press()
        #expect(bench.notes.all.suffix(2) == ["answer 2", "open 2"])
    }

    @Test("A call that comes as soon as the SIP side takes calls can be answered")
    func early() throws {
        let bench = try Bench()
        let notes = Notes()
        notes.handlers.withLock { [handset = bench.handset] in
            $0.whenStarted = {
                handset.take(.incoming(1, name: "early", peer: "sip:a@b"))
                handset.send(.answer)
            }
        }
        bench.handset.connect(notes)
        #expect(notes.all.first == "answer 1")
    }

    @Test("An endpoint that is stopped before it takes calls ends, and what is asked of it afterwards does nothing")
    func stoppedEndpoint() throws {
        let endpoint = try SIPEndpoint(
            .init(address: "127.0.0.1", port: 0, descriptors: 20_000, playback: "null", capture: "null"),
            handler: { _ in })
        #expect(endpoint.port != 0)
        endpoint.stop()
        endpoint.start()
        endpoint.answer(1)
        endpoint.stop()
    }

    @Test("A call that nobody answers is refused after its time, and leaves no timer")
    func limit() throws {
        let bench = try Bench(rules: .init(ringLimit: .seconds(30)))
        bench.call(1)
        bench.clock.advance(by: .seconds(29))
        #expect(bench.notes.all == [])
        bench.clock.advance(by: .seconds(1))
        #expect(bench.notes.all == ["give up 1"])
        #expect(bench.isQuiet)
        bench.close(1)
        #expect(bench.notes.kinds.last == .refused)
        bench.clock.advance(by: .seconds(5))
        #expect(bench.clock.pendingTimers == 0)
    }

    @Test("It answers by itself after its time")
    func answersByItself() throws {
        let bench = try Bench(rules: .init(answersAfter: .seconds(1)))
        bench.call(1)
        bench.clock.advance(by: .seconds(1))
        #expect(bench.notes.all == ["answer 1", "open 1"])
        // A second caller waits until the first call is over.
        bench.call(2)
        bench.clock.advance(by: .seconds(10))
        #expect(bench.notes.all.count == 2)
        bench.close(1)
        bench.clock.advance(by: .seconds(1))
        #expect(bench.notes.all.suffix(2) == ["answer 2", "open 2"])
    }

    @Test("A speaker that fails leaves a call that is felt")
    func brokenSpeaker() throws {
        let bench = try Bench()
        bench.board.speaker.fault = .missing
        bench.call(1)
        #expect(bench.board.motor.isOn)
        bench.close(1)
        #expect(bench.isQuiet && bench.notes.kinds.last == .cancelled)
    }

    @Test("A caller's names are written as JSON, and without control characters for people")
    func lines() {
        let event = HandsetEvent(
            call: "a\"\\\u{1b}[2J\u{9b}", kind: .ringing, sound: true, motor: false,
            at: MonotonicTime(nanoseconds: 1_000_002_000))
        #expect(
            event.json
                == #"{"call":"a\"\\\u001b[2J\u009b","event":"ringing","sound":true,"motor":false,"at":1.000002}"#)
        #expect(event.sentence == "a\"\\?[2J?: ringing, heard")
    }
}
