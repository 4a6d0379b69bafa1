import Foundation
import Ringer
import RingerTestKit
import Synchronization
import Testing

@testable import VoIPHandset

/// Calls beside announcements and alarms, and for a day, in virtual time.
@Suite("Handset: beside other sounds")
struct HandsetSessionTests {
    @Test("An announcement waits until the call is over; one that a call cut off is repeated whole")
    func announcement() throws {
        let bench = try Bench()
        let sound = PCMBuffer.silence(duration: .milliseconds(1_500))
        let ends = Mutex<[SoundOutcome]>([])
        func announce() throws {
            try bench.device.announcements.add(Announcement(sound)) { result in
                ends.withLock { $0.append(result.outcome) }
            }
        }
        try announce()
        bench.clock.advance(by: .milliseconds(500))
        bench.call(1)
        try announce()
        bench.clock.advance(by: .seconds(5))
        bench.handset.send(.answer)
        bench.clock.advance(by: .seconds(60))
        #expect(ends.withLock { $0 } == [])
        bench.close(1)
        bench.clock.advance(by: .seconds(3))
        #expect(ends.withLock { $0 } == [.finished, .finished])
        let whole = bench.board.speaker.recordings.filter {
            $0.sound.frames == sound.frames && $0.played == $0.sound.frames
        }
        #expect(whole.count == 2)
    }

    @Test("A call that is answered while an alarm sounds is muted until the alarm is over", arguments: [true, false])
    func alarmWhileRinging(_ notifiesOthers: Bool) throws {
        let bench = try Bench()
        let alarm = bench.makeAlarm()
        bench.call(1)
        alarm.activate { #expect($0 == nil) }
        bench.handset.send(.answer)
        bench.clock.advance(by: .milliseconds(100))
        #expect(bench.notes.all.contains("answer 1") && bench.notes.all.suffix(2) == ["mute 1 true", "open 1"])
        alarm.deactivate(notifyOthers: notifiesOthers) { _ in }
        bench.clock.advance()
        #expect(bench.notes.all.last == "mute 1 false" && bench.session?.isActive == true)
        bench.close(1)
    }

    @Test(
        "A call that comes while an alarm sounds is muted, and has its session a second after the alarm at the latest",
        arguments: [true, false])
    func callDuringAlarm(_ hasMicrophone: Bool) throws {
        // Its session used to stay inactive: what other sessions played was heard in the call.
        let bench = try Bench()
        bench.board.surroundings.set(.inputAvailable(hasMicrophone))
        let alarm = bench.makeAlarm()
        alarm.activate { #expect($0 == nil) }
        bench.call(1)
        bench.clock.advance(by: .seconds(3))
        bench.handset.send(.answer)
        bench.clock.advance(by: .seconds(10))
        // One complaint, though it was refused every second.
        #expect(bench.notes.all.count == 4 && bench.notes.all.suffix(3) == ["answer 1", "mute 1 true", "open 1"])
        #expect(bench.session?.isActive == false)
        alarm.deactivate { _ in }
        bench.clock.advance(by: .seconds(1))
        #expect(bench.notes.all.count == 5 && bench.notes.all.last == "mute 1 false")
        #expect(
            bench.session?.isActive == true
                && bench.session?.settings.category == (hasMicrophone ? .playAndRecord : .playback))
        bench.close(1)
        bench.clock.advance(by: .seconds(5))
        #expect(bench.clock.pendingTimers == 0)
    }

    @Test("A call that is given up during an alarm leaves no timer")
    func cancelledDuringAlarm() throws {
        let bench = try Bench()
        let alarm = bench.makeAlarm()
        alarm.activate { #expect($0 == nil) }
        bench.call(1)
        bench.clock.advance(by: .milliseconds(1_500))
        bench.close(1)
        #expect(bench.clock.pendingTimers == 0 && bench.session?.isActive == false)
    }

    /// The resident memory of this process.
    static func residentPages() throws -> Int {
        let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return try #require(Int(fields[1]))
    }

    @Test(
        "A day with a call every five minutes leaves nothing behind: no timer, no sound, an open PCM at no time between, no memory"
    )
    func day() async throws {
        await #expect(processExitsWith: .success) {
            let bench = try Bench()
            bench.board.speaker.recordingLimit = 1
            var pages: [Int] = []
            for number in 0..<288 {
                let call = CallNumber(number + 1)
                bench.call(call)
                bench.clock.advance(by: .seconds(10))
                if number % 2 == 0 { bench.handset.send(.answer) }
                bench.clock.advance(by: .seconds(30))
                bench.close(call)
                bench.clock.advance(by: .seconds(1))
                #expect(bench.isQuiet && !bench.board.speaker.isOpen && bench.clock.pendingTimers == 0)
                #expect(bench.session?.isActive == false)
                bench.clock.advance(by: .seconds(259))
                if number % 12 == 11 { pages.append(try Self.residentPages()) }
            }
            #expect(bench.notes.kinds.filter { $0 == .ended }.count == 144)
            #expect(bench.notes.kinds.filter { $0 == .cancelled }.count == 144)
            // What leaks grows in each quarter of the day after its first hour; a new arena of the allocator only in one.
            let growth = [5, 11, 17, 23].map { pages[$0] - pages[$0 - 5] }
            #expect(growth.min()! < 25, "\(growth) pages")
        }
    }
}
