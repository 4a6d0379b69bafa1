import RingerTestKit
import Testing

@testable import RingerCore

/// Sounds on a speaker that another one holds.
@Suite("A busy speaker")
struct BusySpeakerTests {
    @Test("a sound waits for another process, says so, and is heard whole when the speaker is free")
    func waits() throws {
        let bench = try PlayerBench()
        bench.board.speaker.fault = .busyFor(.milliseconds(510))
        let id = bench.play(1000)
        bench.clock.advance(by: .zero)
        #expect(bench.waiting == [id.number])
        bench.clock.advance(by: .seconds(2))
        #expect(bench.outcomes == [.finished])
        #expect(bench.board.speaker.recordings[0].start == bench.start + .milliseconds(520))
        #expect(bench.results.all[0].elapsed == .milliseconds(1000))
        #expect(bench.waiting.count == 1 && bench.clock.pendingTimers == 0)
    }

    @Test(
        "its patience ends after 2 s, or when the speaker's does", arguments: [nil, Duration.milliseconds(70), .zero])
    func patience(patience: Duration?) throws {
        let bench = try PlayerBench()
        if let patience { bench.board.speaker.busyPatience = patience }
        bench.board.speaker.fault = .busy
        bench.play(1000)
        bench.clock.advance(by: .seconds(10))
        #expect(bench.failures == [.busy])
        #expect(bench.results.all[0].endedAt == bench.start + (patience ?? .seconds(2)))
        #expect(bench.clock.pendingTimers == 0)
    }

    @Test("a sound of the user interface and the detector's clip fail at once", arguments: [true, false])
    func impatient(isOurs: Bool) throws {
        let bench = try PlayerBench()
        if isOurs {
            bench.board.speaker.mixes = false
            bench.play(5000, as: .session(.playback))
        } else {
            bench.board.speaker.fault = .busy
        }
        bench.clock.advance(by: .zero)
        bench.play(100, as: .systemSound())
        bench.clock.advance(by: .zero)
        #expect(bench.failures == [.busy])
        bench.measure()
        bench.clock.advance(by: .zero)
        guard case .outputFailed(let error) = bench.readings.all.first?.cause else {
            Issue.record("\(bench.readings.all)")
            return
        }
        #expect(error.code == .busy && bench.waiting.isEmpty)
    }

    @Test("on a speaker that does not mix, sounds wait for each other without limit, and the reason is reported once")
    func queue() throws {
        let bench = try PlayerBench()
        bench.board.speaker.mixes = false
        bench.play(60_000)
        bench.play(300, as: .alert)
        bench.play(300, as: .notification())
        bench.clock.advance(by: .seconds(61))
        #expect(bench.outcomes == [.finished, .finished, .finished])
        let recordings = bench.board.speaker.recordings
        #expect(recordings.map(\.start) == [0, 60_000, 60_300].map { bench.start + .milliseconds($0) })
        #expect(bench.problems.all.map(\.code) == [.unsupported])
        #expect(bench.waiting.count == 2)
    }

    @Test("a flip silences a sound that waits, at once, and it is never heard")
    func flipWhileWaiting() throws {
        let bench = try PlayerBench()
        bench.board.speaker.mixes = false
        bench.play(1000, as: .session(.playback))
        bench.play(1000, as: .session(.soloAmbient))
        bench.clock.advance(by: .milliseconds(100))
        bench.board.ringSilent.position = .silent
        bench.clock.advance(by: .zero)
        #expect(bench.outcomes == [.silenced(by: .ringSilentSwitch)])
        bench.board.ringSilent.position = .ring
        bench.clock.advance(by: .seconds(5))
        #expect(bench.outcomes == [.silenced(by: .ringSilentSwitch), .finished])
        #expect(bench.board.speaker.recordings.map(\.played) == [48_000, 0])
    }
}

extension PlayerBench {
    /// The sounds that were reported to wait, in order.
    fileprivate var waiting: [UInt64] {
        events.all.compactMap { if case .playback(.waiting, let sound) = $0 { sound } else { nil } }
    }

    fileprivate var failures: [RingerError.Code] {
        outcomes.compactMap { if case .failed(let error) = $0 { error.code } else { nil } }
    }
}
