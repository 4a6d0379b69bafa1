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

    // It was activated, and stayed so: the music that it interrupted never went on.
    @Test("a sound that has nowhere to go fails, and interrupts no session")
    func withoutRoute() throws {
        let board = try RouteBoard([.init(.headphone, pcm: "headphone")])
        let bench = try PlayerBench(routes: board)
        bench.publisher.change(.headphoneInserted(false), from: "jack", at: bench.clock.now)
        let music = bench.sessions.make(name: "music", category: .playback, priority: .ordinary)
        music.activate { #expect($0 == nil) }
        let results = bench.results
        bench.sessions.playOwn(Self.sound, reserved: bench.player.reserve(), as: .playback, []) { results.append($0) }
        bench.clock.advance(by: .seconds(1))
        let codes: [RingerError.Code?] = bench.outcomes.map { outcome in
            if case .failed(let error) = outcome { error.code } else { nil }
        }
        #expect(codes == [.notFound] && music.isActive)
    }

    private static let sound = PCMBuffer.silence(duration: .milliseconds(100), sampleRate: 8_000)
}
