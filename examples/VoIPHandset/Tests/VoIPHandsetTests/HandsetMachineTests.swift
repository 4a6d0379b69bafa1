import Ringer
import Testing

@testable import VoIPHandset

/// The rules of the handset, as a value.
@Suite("Handset: the rules")
struct HandsetMachineTests {
    typealias Machine = HandsetMachine

    let heard = Machine.Observation(isHeard: true, isFelt: true, mayBeHeard: true, mayBeFelt: true)
    let felt = Machine.Observation(isHeard: false, isFelt: true, mayBeHeard: false, mayBeFelt: true)
    let neither = Machine.Observation()

    func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }

    func incoming(_ call: CallNumber, _ milliseconds: Int64, ring: Ring? = nil) -> Machine.Event {
        .incoming(call, name: "call-\(call)", peer: "sip:peer@\(call)", ring: ring, at: at(milliseconds))
    }

    private func reports(_ actions: [Machine.Action]) -> [HandsetEvent] {
        actions.compactMap { if case .report(let event) = $0 { event } else { nil } }
    }

    /// The machine while a call rings.
    private func ringing() -> Machine {
        var machine = Machine(rules: .init())
        _ = machine.handle(incoming(1, 0))
        return machine
    }

    /// The machine in a call that was answered, whose audio is open.
    private func talking() -> Machine {
        var machine = ringing()
        for event in [.answer, .alertEnded(1, at: at(5)), Machine.Event.outputReleased(1, at: at(6))] {
            _ = machine.handle(event)
        }
        return machine
    }

    @Test("A call rings at once, before its session; the ring is reported with its first frame")
    func rings() {
        var machine = Machine(rules: .init())
        #expect(
            machine.handle(incoming(1, 0)) == [
                .startAlert(1, .ring), .useSession(.ringing), .light(.blinking), .setRingLimit(1, after: .seconds(60)),
            ])
        let shown = machine.handle(.observed(heard, at: at(10)))
        #expect(
            reports(shown) == [
                HandsetEvent(
                    call: "call-1", kind: .ringing, sound: true, motor: true, at: at(10), peer: "sip:peer@1")
            ])
        // Reported once, though rounds follow.
        #expect(machine.handle(.observed(heard, at: at(2000))) == [])
    }

    @Test("CANCEL stops the alert first, and is reported once sound and motor have stopped")
    func cancelled() {
        var machine = ringing()
        _ = machine.handle(.observed(heard, at: at(10)))
        let closed = machine.handle(.closed(1, heard: .zero, at: at(100)))
        #expect(closed.first == .stopAlert)
        #expect(closed.contains(.endSession) && closed.contains(.light(.off)) && closed.contains(.cancelTimers(1)))
        #expect(reports(closed) == [])
        let quiet = machine.handle(.alertEnded(1, at: at(105)))
        #expect(reports(quiet) == [HandsetEvent(call: "call-1", kind: .cancelled, at: at(105))])
        #expect(machine.callCount == 0)
    }

    @Test("What happens within a call is reported under its name; of a call that is over nothing is")
    func withinACall() {
        var machine = ringing()
        _ = machine.handle(.answer)
        let digit = machine.handle(.dialled(1, digit: "5", way: "INFO", at: at(20)))
        #expect(reports(digit).map(\.json) == [Self.digit])
        let replaced = machine.handle(.replaced(1, by: "call-2", peer: "sip:peer@2", at: at(30)))
        #expect(
            reports(replaced) == [
                HandsetEvent(call: "call-1", kind: .replaced, at: at(30), peer: "sip:peer@2", by: "call-2")
            ])
        #expect(replaced.count == 1 && machine.callCount == 1)
        _ = machine.handle(.closed(1, heard: .zero, at: at(40)))
        #expect(machine.handle(.dialled(1, digit: "5", way: "RTP", at: at(50))) == [])
    }

    private static let digit =
        #"{"call":"call-1","event":"digit","sound":false,"motor":false,"at":0.020000,"digit":"5","way":"INFO"}"#

    @Test("An answer silences the ring before anything else, and opens the call's audio only when the PCM is free")
    func answered() {
        var machine = ringing()
        _ = machine.handle(.observed(heard, at: at(10)))
        #expect(
            machine.handle(.answer) == [
                .cancelTimers(1), .stopAlert, .useSession(.talking), .light(.on), .answer(1), .releaseOutput(1),
            ])
        #expect(machine.handle(.alertEnded(1, at: at(20))) == [])
        let released = machine.handle(.outputReleased(1, at: at(21)))
        #expect(
            released == [.openAudio(1), .report(HandsetEvent(call: "call-1", kind: .answered, at: at(21)))])
        let closed = machine.handle(.closed(1, heard: .seconds(2), at: at(3000)))
        #expect(
            closed == [
                .endSession, .light(.off), .cancelTimers(1),
                .report(HandsetEvent(call: "call-1", kind: .ended, at: at(3000), heard: .seconds(2))),
            ])
    }

    @Test("A call that ends while its PCM is being freed is not opened")
    func endedWhileAnswering() {
        var machine = ringing()
        _ = machine.handle(.answer)
        let closed = machine.handle(.closed(1, heard: .zero, at: at(5)))
        #expect(reports(closed) == [])
        #expect(machine.handle(.outputReleased(1, at: at(6))) == [])
        #expect(reports(machine.handle(.alertEnded(1, at: at(7)))).map(\.kind) == [.ended])
    }

    @Test("A second call is felt, not heard, and rings when the first one is over and its PCM closed")
    func second() {
        var machine = talking()
        #expect(machine.handle(incoming(2, 100)).first == .startAlert(2, .feel))
        // The rules would let an alert be heard; this one is not.
        let observation = Machine.Observation(isHeard: false, isFelt: true, mayBeHeard: true, mayBeFelt: true)
        let shown = reports(machine.handle(.observed(observation, at: at(101))))
        #expect(shown.map(\.kind) == [.vibrating] && shown[0].motor && !shown[0].sound)
        // Hanging up begins no ring yet: the call still has the PCM.
        let hangUp = machine.handle(.hangUp)
        #expect(hangUp == [.hangUp(1), .cancelTimers(1)])
        let closed = machine.handle(.closed(1, heard: .seconds(1), at: at(200)))
        #expect(closed.prefix(3) == [.stopAlert, .startAlert(3, .ring), .useSession(.ringing)])
    }

    @Test("Without the preference a second call is silent: the light only")
    func secondUnfelt() {
        var machine = talking()
        _ = machine.handle(incoming(2, 100))
        let shown = reports(machine.handle(.observed(.init(mayBeHeard: true), at: at(101))))
        #expect(shown.map(\.kind) == [.silent] && !shown[0].motor)
    }

    @Test("Who answers a second call ends the first one")
    func answersSecond() {
        var machine = ringing()
        _ = machine.handle(.answer)
        _ = machine.handle(.outputReleased(1, at: at(6)))
        _ = machine.handle(incoming(2, 100))
        let actions = machine.handle(.answer)
        #expect(
            actions.compactMap { action -> Int? in
                switch action {
                case .hangUp(1): 1
                case .answer(2): 2
                case .releaseOutput(2): 3
                default: nil
                }
            } == [1, 2, 3])
        _ = machine.handle(.closed(1, heard: .zero, at: at(110)))
        #expect(machine.handle(.outputReleased(2, at: at(111))).first == .openAudio(2))
    }

    @Test("Silence stops the ring, and refuses nobody; the next call rings")
    func silenced() {
        var machine = ringing()
        _ = machine.handle(.observed(heard, at: at(10)))
        #expect(machine.handle(.silence) == [.stopAlert])
        #expect(reports(machine.handle(.alertEnded(1, at: at(30)))).map(\.kind) == [.silent])
        #expect(machine.handle(incoming(2, 100)).first == .startAlert(2, .ring))
        // The silenced call can still be answered.
        #expect(machine.handle(.answer).contains(.answer(1)))
    }

    @Test("What is shown follows the switch: heard, felt, silent")
    func flips() {
        var machine = ringing()
        var kinds: [HandsetEvent.Kind] = []
        let between = Machine.Observation(isHeard: true, isFelt: true, mayBeHeard: false, mayBeFelt: true)
        let ending = Machine.Observation(isHeard: false, isFelt: true, mayBeHeard: false, mayBeFelt: false)
        for (step, observation) in [heard, between, felt, ending, neither, heard].enumerated() {
            kinds += reports(machine.handle(.observed(observation, at: at(Int64(step))))).map(\.kind)
        }
        #expect(kinds == [.ringing, .vibrating, .silent, .ringing])
    }

    @Test("A device without a motor is never reported as felt")
    func withoutMotor() {
        var machine = Machine(rules: .init(hasMotor: false))
        _ = machine.handle(incoming(1, 0))
        let shown = reports(
            machine.handle(.observed(.init(mayBeHeard: false, mayBeFelt: true), at: at(1))))
        #expect(shown.map(\.kind) == [.silent])
    }

    @Test("A refused call, and one that nobody answers, are reported once when all is quiet")
    func refused() {
        for (event, action, reason) in [
            (Machine.Event.reject, Machine.Action.refuse(1), "rejected"),
            (.ringLimit(1), .giveUp(1), "not answered"),
        ] {
            var machine = Machine(rules: .init())
            _ = machine.handle(incoming(1, 0))
            let actions = machine.handle(event)
            #expect(actions.first == .stopAlert && actions.contains(action))
            #expect(reports(machine.handle(.closed(1, heard: .zero, at: at(5)))) == [])
            let quiet = reports(machine.handle(.alertEnded(1, at: at(6))))
            #expect(quiet == [HandsetEvent(call: "call-1", kind: .refused, at: at(6), reason: reason)])
        }
    }

    @Test("One of two ringing calls is given up: the other rings on")
    func oneOfTwo() {
        var machine = ringing()
        _ = machine.handle(.observed(heard, at: at(10)))
        #expect(reports(machine.handle(incoming(2, 20))).map(\.call) == ["call-2"])
        let closed = machine.handle(.closed(1, heard: .zero, at: at(30)))
        #expect(!closed.contains(.stopAlert))
        #expect(reports(closed).map(\.kind) == [.cancelled])
    }

    @Test("An alert that fails is not begun again and again; its call is silent, and the next one is tried")
    func failedAlert() {
        var machine = ringing()
        let failed = machine.handle(.alertEnded(1, at: at(1)))
        #expect(failed.count == 1 && reports(failed).map(\.kind) == [.silent])
        #expect(reports(machine.handle(.closed(1, heard: .zero, at: at(2)))).map(\.kind) == [.cancelled])
        #expect(machine.handle(incoming(2, 3)).first == .startAlert(2, .ring))
    }

    @Test("An alarm that interrupts the call mutes it")
    func interrupted() {
        var machine = ringing()
        _ = machine.handle(.answer)
        _ = machine.handle(.outputReleased(1, at: at(6)))
        #expect(machine.handle(.sessionAudible(false)) == [.mute(1, true)])
        #expect(machine.handle(.sessionAudible(false)) == [])
        #expect(machine.handle(.sessionAudible(true)) == [.mute(1, false)])
    }

    @Test("A call that is answered during an alarm is muted before its audio opens")
    func answeredDuringAlarm() {
        // The alarm used to be forgotten where no call was talked to, and the call was heard over it.
        var machine = ringing()
        #expect(machine.handle(.sessionAudible(false)) == [])
        _ = machine.handle(.answer)
        #expect(machine.handle(.outputReleased(1, at: at(6))).prefix(2) == [.mute(1, true), .openAudio(1)])
        #expect(machine.handle(.sessionAudible(true)) == [.mute(1, false)])
        // The next call has a session of its own.
        _ = machine.handle(.sessionAudible(false))
        _ = machine.handle(.closed(1, heard: .zero, at: at(10)))
        _ = machine.handle(incoming(2, 20))
        _ = machine.handle(.answer)
        #expect(machine.handle(.outputReleased(2, at: at(26))).first == .openAudio(2))
    }

    @Test("A refused session is tried again while there is a call, and said once")
    func refusedSession() {
        var machine = Machine(rules: .init())
        #expect(machine.handle(.sessionRefused("late")) == [])
        _ = machine.handle(incoming(1, 0))
        #expect(
            machine.handle(.sessionRefused("alarm")) == [
                .complain("alarm"), .setSessionTimer(after: .seconds(1)),
            ])
        #expect(machine.handle(.sessionDue) == [.useSession(.ringing)])
        #expect(machine.handle(.sessionRefused("alarm")) == [.setSessionTimer(after: .seconds(1))])
        _ = machine.handle(.closed(1, heard: .zero, at: at(10)))
        #expect(machine.handle(.sessionDue) == [])
    }

    @Test("Answering by itself never ends a call; the next one is answered when that is over")
    func answerTime() {
        // A second caller used to end the first one's call.
        var machine = Machine(rules: .init(answersAfter: .seconds(1)))
        _ = machine.handle(incoming(1, 0))
        #expect(machine.handle(.answerTime(1)).contains(.answer(1)))
        _ = machine.handle(.outputReleased(1, at: at(6)))
        #expect(machine.handle(incoming(2, 100)).contains(.setAnswerTime(2, after: .seconds(1))))
        #expect(machine.handle(.answerTime(2)) == [])
        #expect(machine.handle(incoming(3, 200)).contains(.setAnswerTime(3, after: .seconds(1))))
        let given = machine.handle(.closed(3, heard: .zero, at: at(300)))
        #expect(!given.contains(.setAnswerTime(2, after: .seconds(1))))
        let closed = machine.handle(.closed(1, heard: .zero, at: at(400)))
        #expect(closed.contains(.setAnswerTime(2, after: .seconds(1))))
        #expect(machine.handle(.answerTime(2)).contains(.answer(2)))
    }
}
