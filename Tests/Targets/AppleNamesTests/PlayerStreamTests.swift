import AVFoundation
import ProcessDevice
import RingerLinux
import RingerClient
import RingerTestKit
import ServiceSupport
import SessionRules
import Testing

extension AppleNames {
    /// AVAudioPlayer plays one stream, whatever changes meanwhile.
    @Suite @MainActor struct PlayerStream {
        /// Notes what the player tells, and changes the volume of a player that has finished.
        private final class Delegate: AVAudioPlayerDelegate, Sendable {
            let notes = Notes()

            func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
                player.volume = 0.25
                notes.add("finished \(flag)")
            }
        }

        private let delegate = Delegate()

        /// A player of a sound at 8 kHz whose frames all differ.
        private func player(frames: Int = 8_000, loops: Int = 0) throws -> AVAudioPlayer {
            let sound = PCMBuffer(sampleRate: 8_000, channels: 1, samples: (1...frames).map { Int16($0) })
            let format = LinearPCM(.signedInteger, bytesPerSample: 2, byteOrder: .little)
            let data = try SoundFiles.encode(sound, container: .wave, codec: .linearPCM(format))
            let player = try AVAudioPlayer(data: Data(data))
            player.delegate = delegate
            player.numberOfLoops = loops
            return player
        }

        private func isOneStream(_ bench: ProcessBench, rounds: Int, of frames: Int = 8_000) -> Bool {
            let recordings = bench.board.speaker.recordings
            let round = (1...frames).map { Int16($0) }
            return recordings.count == 1 && recordings[0].outcome == .drained
                && recordings[0].samples.elementsEqual((0..<rounds).flatMap { _ in round })
        }

        // MARK: - Volume

        // Each change stopped the sound and began another one.
        @Test func `A thousand changes of the volume are gains of the stream that plays`() async throws {
            let bench = try ProcessBench()
            let player = try player()
            #expect(player.play())
            var gains: [Float] = [1]
            for change in 1...1_000 {
                bench.clock.advance(by: .microseconds(900))
                player.volume = Float(change % 10) / 10
                gains.append(Float(change % 10) / 10)
            }
            #expect(player.currentTime == 0.9)
            bench.clock.advance(by: .milliseconds(150))
            #expect(isOneStream(bench, rounds: 1))
            #expect(bench.board.speaker.recordings.map(\.gains) == [gains])
            try await eventually { delegate.notes.all == ["finished true"] }
            // The handler's volume is that of the next play.
            #expect(player.volume == 0.25 && player.play())
            bench.clock.advance(by: .milliseconds(1))
            #expect(bench.board.speaker.recordings.last?.gains == [0.25])
        }

        @Test func `The volume is between 0 and 1, and counts from the next play where nothing is heard`() throws {
            let bench = try ProcessBench()
            let player = try player()
            for (volume, gain) in [(-1, 0), (.nan, 0), (7, 1), (0.5, 0.5)] as [(Float, Float)] {
                player.volume = volume
                #expect(player.volume == gain)
            }
            #expect(player.play())
            bench.clock.advance(by: .milliseconds(100))
            for volume: Float in [0, .nan, 7] { player.volume = volume }
            player.pause()
            player.volume = 0.75
            bench.clock.advance(by: .milliseconds(100))
            #expect(player.play())
            bench.clock.advance(by: .milliseconds(1_000))
            player.volume = 1
            bench.clock.advance(by: .milliseconds(100))
            // Not a number is 0, which it was already.
            #expect(bench.board.speaker.recordings.map(\.gains) == [[0.5, 0, 1], [0.75]])
        }

        @Test func `While another session ducks it, the volume is a factor of the ducked gain`() throws {
            let bench = try ProcessBench()
            try AVAudioSession.sharedInstance().setCategory(.playback, options: .mixWithOthers)
            let player = try player()
            #expect(player.play())
            let voice = try bench.device.sessions.make(category: .playback, options: .duckOthers)
            voice.activate { _ in }
            bench.clock.advance(by: .milliseconds(100))
            player.volume = 0.5
            bench.clock.advance(by: .milliseconds(100))
            voice.deactivate { _ in }
            bench.clock.advance(by: .milliseconds(800))
            let ducked = Ducking.gain
            #expect(bench.board.speaker.recordings.map(\.gains) == [[1, ducked, ducked * 0.5, 0.5]])
            #expect(isOneStream(bench, rounds: 1))
        }

        @Test func `A fade goes evenly to its volume, and a new volume ends it`() throws {
            let bench = try ProcessBench()
            let player = try player()
            #expect(player.play())
            player.setVolume(0, fadeDuration: 0.2)
            bench.clock.advance(by: .milliseconds(100))
            #expect(abs(player.volume - 0.5) < 0.001)
            bench.clock.advance(by: .milliseconds(100))
            #expect(player.volume == 0)
            player.setVolume(1, fadeDuration: 1)
            bench.clock.advance(by: .milliseconds(100))
            player.volume = 0.3
            bench.clock.advance(by: .milliseconds(200))
            #expect(player.volume == 0.3)
            for duration in [0, -1, .nan, .infinity] as [TimeInterval] {
                player.setVolume(0.5, fadeDuration: duration)
                #expect(player.volume == 0.5)
            }
            bench.clock.advance(by: .milliseconds(500))
            let gains = try #require(bench.board.speaker.recordings.first?.gains)
            #expect(gains.count == 18 && gains.prefix(11) == gains.prefix(11).sorted(by: >)[...])
            #expect(isOneStream(bench, rounds: 1))
        }

        // MARK: - Rounds

        // Each round was a stream of its own, 2.5 ms after the one before.
        @Test func `Rounds are one stream, however short they are`() async throws {
            for (ends, (frames, loops)) in zip(1..., [(8_000, 2), (10, 999), (1, 99)]) {
                let bench = try ProcessBench()
                let player = try player(frames: frames, loops: loops)
                #expect(player.play())
                bench.clock.advance(by: .milliseconds(frames * (loops + 1) / 16))
                player.volume = 0.5
                bench.clock.advance(by: .seconds(2))
                #expect(isOneStream(bench, rounds: loops + 1, of: frames))
                #expect(!player.isPlaying && player.currentTime == 0)
                try await eventually { delegate.notes.all.count == ends }
            }
            #expect(Set(delegate.notes.all) == ["finished true"])
        }

        @Test func `Without end it plays until it is stopped, and its position is that of the round`() throws {
            let bench = try ProcessBench()
            let player = try player(loops: -1)
            #expect(player.play())
            bench.clock.advance(by: .milliseconds(600_250))
            #expect(player.currentTime == 0.25)
            player.stop()
            bench.clock.advance(by: .seconds(2))
            #expect(!player.isPlaying && player.currentTime == 0.25)
            #expect(bench.board.speaker.recordings.map(\.played) == [8 * 600_250])
            #expect(delegate.notes.all.isEmpty)
        }

        @Test func `Loops that change while it plays end the round that has begun, or add others to the stream`()
            async throws
        {
            // The loops at first, those set after 1.5 s, and the rounds that are played.
            let cases = [(-1, 0, 2), (5, 0, 2), (5, 2, 3), (1, 3, 4), (3, 1, 2)]
            for (ends, (before, after, rounds)) in zip(1..., cases) {
                let bench = try ProcessBench()
                let player = try player(loops: before)
                #expect(player.play())
                bench.clock.advance(by: .milliseconds(1_500))
                player.numberOfLoops = after
                bench.clock.advance(by: .milliseconds(100))
                #expect(abs(player.currentTime - 0.6) < 0.001)
                bench.clock.advance(by: .seconds(10))
                #expect(isOneStream(bench, rounds: rounds), "\(before), then \(after)")
                #expect(!player.isPlaying)
                try await eventually { delegate.notes.all.count == ends }
            }
            let bench = try ProcessBench()
            let player = try player(loops: 1)
            #expect(player.play())
            for loops in [-1, 0, 7, Int.min, Int.max, 2] {
                bench.clock.advance(by: .milliseconds(100))
                player.numberOfLoops = loops
            }
            bench.clock.advance(by: .seconds(10))
            #expect(isOneStream(bench, rounds: 3))
            try await eventually { delegate.notes.all == Array(repeating: "finished true", count: 6) }
        }

        // Three rounds counted as begun, by the clock.
        @Test func `A loop that waited for the speaker ends with the round that has begun there`() throws {
            let bench = try ProcessBench()
            bench.board.speaker.fault = .busyFor(.milliseconds(1_500))
            let player = try player(loops: -1)
            #expect(player.play())
            bench.clock.advance(by: .milliseconds(2_000))
            player.numberOfLoops = 0
            bench.clock.advance(by: .seconds(20))
            #expect(bench.board.speaker.recordings.map(\.played) == [8_000])
            #expect(!player.isPlaying)
        }

        @Test func `Of rounds that were paused, or are not heard, none is lost or added`() async throws {
            let bench = try ProcessBench()
            let player = try player(loops: 2)
            #expect(player.play())
            bench.clock.advance(by: .milliseconds(1_500))
            player.pause()
            bench.clock.advance(by: .milliseconds(500))
            #expect(player.currentTime == 0.5 && player.play())
            bench.clock.advance(by: .milliseconds(250))
            bench.board.ringSilent.position = .silent
            bench.clock.advance(by: .milliseconds(500))
            // The third round goes on in silence, and is the last.
            #expect(player.isPlaying && player.currentTime == 0.25)
            bench.clock.advance(by: .milliseconds(749))
            #expect(player.isPlaying)
            bench.clock.advance(by: .milliseconds(1))
            #expect(!player.isPlaying)
            try await eventually { delegate.notes.all == ["finished true"] }
            #expect(bench.board.speaker.recordings.map(\.played) == [12_000, 2_000])
        }

        @Test func `At silent, changed loops move the end`() throws {
            for (before, after, milliseconds) in [(-1, 0, 2_000), (0, 2, 3_000)] {
                let bench = try ProcessBench(.silent)
                let start = bench.clock.now
                let player = try player(loops: before)
                #expect(player.play())
                bench.clock.advance(by: .milliseconds(before < 0 ? 1_500 : 500))
                player.numberOfLoops = after
                bench.clock.advance(to: start + .milliseconds(milliseconds - 1))
                #expect(player.isPlaying)
                bench.clock.advance(by: .milliseconds(1))
                #expect(!player.isPlaying)
            }
        }

        // The service is asked for a number of rounds once.
        @Test func `Over the service the rounds are one request, and a change of the volume is one of its sound`()
            async throws
        {
            let bus = try TestBus()
            let bench = try ServiceBench(bus: bus)
            let device = try await Device.connect(to: .address(bus.address), clock: bench.clock)
            ProcessDevice.use(device)
            defer { device.close() }
            let player = try player(loops: 2)
            #expect(player.play())
            try await eventually { bench.board.speaker.recordingCount == 1 }
            bench.clock.advance()
            #expect(bench.board.speaker.playing.count == 1)
            player.volume = 0.5
            try await eventually { bench.board.speaker.recordings[0].gains == [1, 0.5] }
            bench.clock.advance(by: .seconds(1))
            player.numberOfLoops = 1
            try await eventually { bench.board.speaker.recordings.count == 2 }
            bench.clock.advance(by: .seconds(3))
            try await eventually { !player.isPlaying }
            #expect(bench.board.speaker.recordings.map(\.played).reduce(0, +) == 16_000)
        }
    }
}
