import RingerTestKit
import Synchronization
import Testing

@testable import RingerCore

@Suite("Stops beside other threads")
struct StopTests {
    private static let count = 1_000
    private static let sound = PCMBuffer.silence(duration: .seconds(10), sampleRate: 8_000)

    /// Another thread, which changes the preferences of a session of its own again and again.
    private final class BusyThread: Sendable {
        private let mustEnd = Atomic(false)
        private let hasBegun = Atomic(false)
        private let hasEnded = Atomic(false)

        init(_ session: AudioSession) throws {
            try DetachedThread.start(stackSize: DetachedThread.workStackSize) { [self] in
                var rate = 8_000.0
                while !mustEnd.load(ordering: .acquiring) {
                    rate = 56_000 - rate
                    try? session.setPreferredSampleRate(rate)
                    hasBegun.store(true, ordering: .releasing)
                }
                hasEnded.store(true, ordering: .releasing)
            }
            while !hasBegun.load(ordering: .acquiring) {}
        }

        func end() {
            mustEnd.store(true, ordering: .releasing)
            while !hasEnded.load(ordering: .acquiring) {}
        }
    }

    // The stop overtook the start, which waited for the other thread, and was lost.
    @Test("sounds that are stopped at once never begin, while another thread is at work on another session")
    func stoppedAtOnce() throws {
        let bench = try PlayerBench()
        let session = bench.sessions.make(name: "music", category: .playback, priority: .ordinary)
        session.activate { #expect($0 == nil) }
        let other = try BusyThread(bench.sessions.make(name: "other", category: .ambient))
        for _ in 0..<Self.count {
            session.stop(session.start(Self.sound) { [results = bench.results] in results.append($0) })
        }
        other.end()
        bench.clock.advance(by: .seconds(1))
        #expect(bench.board.speaker.playing.isEmpty)
        #expect(bench.board.speaker.recordings.allSatisfy { $0.start == nil })
        #expect(bench.outcomes == Array(repeating: .stopped(.caller), count: Self.count))
        withExtendedLifetime(session) {}
    }

    /// A player and sessions of a core that can be kept from performing effects, as a starved thread of the device is.
    private struct Starved {
        let clock = VirtualClock()
        let core = Core()
        let board: SimulatedBoard
        let publisher: StatePublisher
        let player: SoundPlayer
        let sessions: AudioSessions
        let results = Record<SoundResult>()

        init() {
            board = SimulatedBoard(clock: clock, position: .ring)
            publisher = StatePublisher(in: core)
            publisher.ringSilent(.position(.ring, at: clock.now), from: "switch")
            player = SoundPlayer(output: board.speaker, clock: clock, publisher: publisher)
            sessions = AudioSessions(player: player, publisher: publisher, clock: clock)
        }

        /// Calls `body` and lets a second pass while no effect is performed.
        func whileStarved(_ body: @escaping @Sendable () -> Void) {
            core.perform { [clock] in
                body()
                clock.advance(by: .seconds(1))
            }
        }

        /// Expects that the one sound was heard for so many frames.
        func expect(_ outcome: SoundOutcome, played: Int?) {
            clock.advance(by: .seconds(1))
            #expect(results.all.map(\.outcome) == [outcome])
            #expect(board.speaker.recordings.map(\.start).map { $0 == nil } == [played == nil])
            if let played { #expect(board.speaker.recordings.map(\.played) == [played]) }
        }
    }

    @Test(
        "a flip and a lock silence a sound though the device's thread is starved", arguments: [true, false],
        [Duration.zero, .milliseconds(100)])
    func flip(isFlip: Bool, after time: Duration) {
        let starved = Starved()
        starved.player.startOutsideSessions(Self.sound, as: .session(.soloAmbient)) { [results = starved.results] in
            results.append($0)
        }
        if time > .zero { starved.clock.advance(by: time) }
        starved.whileStarved { [publisher = starved.publisher, now = starved.clock.now] in
            if isFlip {
                publisher.ringSilent(.position(.silent, at: now), from: "switch")
            } else {
                publisher.change(.screenLocked(true), from: "firmware", at: now)
            }
        }
        starved.expect(.silenced(by: isFlip ? .ringSilentSwitch : .screenLock), played: time == .zero ? nil : 880)
    }

    @Test(
        "an interruption and a deactivation end a session's sound though the device's thread is starved",
        arguments: [true, false])
    func interruption(isInterruption: Bool) {
        let starved = Starved()
        let session = starved.sessions.make(category: .playback)
        session.activate { #expect($0 == nil) }
        session.start(Self.sound) { [results = starved.results] in results.append($0) }
        starved.clock.advance(by: .milliseconds(100))
        starved.whileStarved { [sessions = starved.sessions] in
            if isInterruption { _ = sessions.interruptionBegan() } else { session.deactivate { _ in } }
        }
        starved.expect(
            isInterruption ? .silenced(by: .interruption) : .stopped(.sessionDeactivated), played: 880)
    }

    // It was over only when that thread came to it: hundreds of them slowed down every change meanwhile.
    @Test("a sound that is started and stopped while the device's thread is starved never begins, and is over at once")
    func startedAndStopped() {
        let starved = Starved()
        starved.whileStarved { [player = starved.player, results = starved.results] in
            player.stop(
                player.startOutsideSessions(Self.sound, as: .session(.playback)) { results.append($0) })
            #expect(player.playing == 0)
        }
        starved.clock.advance(by: .seconds(1))
        #expect(starved.results.all.map(\.outcome) == [.stopped(.caller)])
        #expect(starved.board.speaker.recordings.isEmpty)
    }

    @Test("an announcement that is removed at once never begins, whatever else is reported")
    func announcement() throws {
        let bench = try PlayerBench()
        let announcements = Announcements(bench.sessions)
        let id = try announcements.add(Announcement(Self.sound)) { [results = bench.results] in results.append($0) }
        announcements.remove(id)
        bench.clock.advance(by: .seconds(1))
        #expect(bench.outcomes == [.stopped(.caller)])
        #expect(bench.board.speaker.recordings.allSatisfy { $0.start == nil })
    }
}
