import RingerTestKit
import Synchronization
import Testing

@testable import RingerCore

@Suite("The device's own sessions")
struct OwnSessionReentryTests {
    // The lock of the table of these sessions was held while the state machine ran, and was taken again.
    @Test("a sound that is played when the first session is being made is played too")
    func reentry() throws {
        let bench = try PlayerBench()
        let (sessions, player) = (bench.sessions, bench.player)
        let isFirst = Atomic(true)
        sessions.observeSettling {
            guard isFirst.exchange(false, ordering: .relaxed) else { return }
            sessions.playOwn(Self.sound, reserved: player.reserve(), as: .ambient, []) { _ in }
        }
        sessions.playOwn(Self.sound, reserved: player.reserve(), as: .playback, []) { _ in }
        bench.clock.advance(by: .seconds(1))
        #expect(bench.board.speaker.recordings.map(\.played) == [800, 800])
    }

    @Test("a category with the same options has one session, however often it is played in")
    func one() throws {
        let bench = try PlayerBench()
        for options in [CategoryOptions.mixWithOthers, [], .mixWithOthers, []] {
            bench.sessions.playOwn(Self.sound, reserved: bench.player.reserve(), as: .playback, options) { _ in }
            bench.clock.advance(by: .seconds(1))
        }
        #expect(bench.sessions.all.count == 2 && bench.board.speaker.recordings.count == 4)
    }

    private static let sound = PCMBuffer.silence(duration: .milliseconds(100), sampleRate: 8_000)
}
