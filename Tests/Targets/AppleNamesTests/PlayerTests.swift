import AVFoundation
import ProcessDevice
import RingerLinux
import RingerTestKit
import Testing

extension AppleNames {
    /// AVAudioPlayer in virtual time.
    @Suite @MainActor struct Player {
        /// Notes what the player tells.
        private final class Delegate: AVAudioPlayerDelegate, Sendable {
            let notes = Notes()

            func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
                notes.add("finished \(flag)")
            }
        }

        private let delegate = Delegate()

        /// A player of 1 s at 8 kHz.
        private func player(_ bench: ProcessBench) throws -> AVAudioPlayer {
            let player = try AVAudioPlayer(data: try bench.wave(frames: 8000))
            player.delegate = delegate
            return player
        }

        @Test func `It plays to its end and reports it 20 ms later`() async throws {
            let bench = try ProcessBench()
            let player = try player(bench)
            #expect(player.duration == 1 && player.numberOfChannels == 1 && !player.isPlaying)
            #expect(player.prepareToPlay() && player.play() && player.isPlaying)
            bench.clock.advance(by: .milliseconds(250))
            #expect(player.currentTime == 0.25)
            bench.clock.advance(by: .milliseconds(750))
            #expect(!player.isPlaying && player.currentTime == 0)
            bench.clock.advance(by: .microseconds(19_999))
            #expect(bench.clock.pendingTimers == 1)
            bench.clock.advance(by: .microseconds(1))
            try await eventually { delegate.notes.all == ["finished true"] }
            #expect(bench.board.speaker.recordings.map(\.played) == [8000])
        }

        @Test func `It repeats as often as it is told, for ever with -1, and stops at once`() async throws {
            let bench = try ProcessBench()
            let player = try player(bench)
            player.numberOfLoops = 2
            #expect(player.play())
            bench.clock.advance(by: .seconds(4))
            #expect(bench.board.speaker.recordings.map(\.played) == [24_000])
            try await eventually { delegate.notes.all == ["finished true"] }
            player.numberOfLoops = -1
            #expect(player.play())
            bench.clock.advance(by: .milliseconds(5500))
            player.stop()
            bench.clock.advance(by: .seconds(2))
            #expect(bench.board.speaker.recordings.map(\.played) == [24_000, 44_000])
            #expect(!player.isPlaying && player.currentTime == 0.5)
            #expect(delegate.notes.all == ["finished true"])
        }

        @Test func `It pauses, goes on, and goes to a position`() throws {
            let bench = try ProcessBench()
            let player = try player(bench)
            #expect(player.play())
            bench.clock.advance(by: .milliseconds(400))
            player.pause()
            bench.clock.advance(by: .seconds(1))
            #expect(player.currentTime == 0.4)
            #expect(player.play())
            bench.clock.advance(by: .milliseconds(100))
            player.currentTime = 0.75
            bench.clock.advance(by: .milliseconds(100))
            #expect(player.currentTime == 0.85 && player.isPlaying)
            bench.clock.advance(by: .milliseconds(150))
            #expect(!player.isPlaying)
            #expect(bench.board.speaker.recordings.map(\.sound.frames) == [8000, 4800, 2000])
            for time in [-1, .nan, .infinity, -.infinity, 1e300] {
                player.currentTime = time
                #expect((0...1).contains(player.currentTime))
            }
        }

        // The timer ran on, and held the player.
        @Test func `A start at a time is cancelled by a stop, a play and the player's end`() throws {
            let bench = try ProcessBench()
            var player: AVAudioPlayer? = try player(bench)
            func start() { #expect(player?.play(atTime: (player?.deviceCurrentTime ?? 0) + 0.1) == true) }
            let before = bench.clock.pendingTimers
            start()
            start()
            #expect(bench.clock.pendingTimers == before + 1)
            player?.stop()
            #expect(bench.clock.pendingTimers == before)
            start()
            player?.pause()
            bench.clock.advance(by: .seconds(2))
            #expect(bench.board.speaker.recordingCount == 0)
            start()
            bench.clock.advance(by: .milliseconds(99))
            #expect(bench.board.speaker.recordingCount == 0)
            bench.clock.advance(by: .milliseconds(1))
            #expect(bench.board.speaker.recordingCount == 1 && player?.isPlaying == true)
            player?.stop()
            let idle = bench.clock.pendingTimers
            start()
            player = nil
            #expect(bench.clock.pendingTimers == idle)
        }

        @Test func `At silent it goes on without a sound`() throws {
            let bench = try ProcessBench(.silent)
            let player = try player(bench)
            #expect(player.play() && player.isPlaying)
            bench.clock.advance(by: .milliseconds(300))
            #expect(player.isPlaying && player.currentTime == 0.3)
            #expect(bench.board.speaker.recordingCount == 0)
        }

        @Test func `A flip of the switch silences it, and lets it be heard again`() async throws {
            let bench = try ProcessBench()
            let player = try player(bench)
            #expect(player.play())
            bench.clock.advance(by: .milliseconds(200))
            bench.board.ringSilent.position = .silent
            bench.clock.advance(by: .milliseconds(200))
            #expect(player.isPlaying)
            #expect(bench.board.speaker.playing.count == 0)
            bench.board.ringSilent.position = .ring
            try await eventually { bench.board.speaker.recordingCount == 2 }
            #expect(bench.board.speaker.recordings.last?.sound.frames == 4800)
            bench.clock.advance(by: .milliseconds(600))
            #expect(!player.isPlaying)
        }

        @Test func `At silent its end comes when it would be heard at ring`() async throws {
            let bench = try ProcessBench(.silent)
            let player = try player(bench)
            #expect(player.play())
            bench.clock.advance(by: .milliseconds(999))
            #expect(player.isPlaying)
            bench.clock.advance(by: .milliseconds(1))
            #expect(!player.isPlaying)
            try await eventually { delegate.notes.all == ["finished true"] }
        }

        @Test func `In the category playback the switch has no say, and the volume is a gain`() throws {
            let bench = try ProcessBench(.silent)
            try AVAudioSession.sharedInstance().setCategory(.playback)
            let player = try player(bench)
            player.volume = 0.5
            #expect(player.play())
            bench.clock.advance(by: .seconds(2))
            #expect(bench.board.speaker.recordings.first?.gains == [0.5])
            for volume: Float in [-1, .nan, 7] {
                player.volume = volume
                #expect((0...1).contains(player.volume))
            }
        }

        @Test func `An interruption pauses it, and during a call it does not play`() async throws {
            let bench = try ProcessBench()
            let player = try player(bench)
            #expect(player.play())
            bench.clock.advance(by: .milliseconds(300))
            let call = bench.device.sessions.interruptionBegan()
            bench.clock.advance(by: .milliseconds(100))
            #expect(!player.isPlaying && player.currentTime == 0.3)
            #expect(!player.play())
            bench.device.sessions.interruptionEnded(call)
            #expect(player.play())
            bench.clock.advance(by: .milliseconds(700))
            try await eventually { !player.isPlaying }
        }

        @Test func `It is paused with its session, and an older deactivation does not pause it`() async throws {
            let bench = try ProcessBench(.silent)
            let session = AVAudioSession.sharedInstance()
            let player = try player(bench)
            #expect(player.play())
            try session.setActive(false)
            try await eventually { !player.isPlaying }
            #expect(player.play())
            try session.setActive(false)
            try session.setActive(true)
            #expect(player.play())
            // The events of all that are over before that of this route.
            let notes = Notes()
            let observer = NotificationCenter.default.addObserver(
                forName: AVAudioSession.routeChangeNotification, object: session, queue: nil
            ) { _ in notes.add("route") }
            defer { NotificationCenter.default.removeObserver(observer) }
            bench.board.surroundings.set(.headphoneInserted(true))
            try await eventually { !notes.all.isEmpty }
            #expect(player.isPlaying)
        }

        @Test func `A stop beside a change of the volume leaves nothing playing`() throws {
            let bench = try ProcessBench()
            let player = try player(bench)
            for round in 0..<1_000 {
                #expect(player.play())
                let hasChanged = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    for volume in [Float(0.5), 0.6, 0.7, 1] { player.volume = volume }
                    hasChanged.signal()
                }
                // As the rounds go on, the stop comes later.
                for _ in 0..<round { _ = player.isPlaying }
                player.stop()
                hasChanged.wait()
                bench.clock.advance()
                let soundsLeft = bench.board.speaker.playing.count
                #expect(!player.isPlaying && soundsLeft == 0)
            }
        }

        @Test func `A player stops its sound on the device that plays it, though the process has another by now`()
            throws
        {
            let bench = try ProcessBench()
            let player = try player(bench)
            #expect(player.play())
            bench.clock.advance(by: .milliseconds(100))
            let other = try Device.simulated(SimulatedBoard(clock: bench.clock))
            defer { other.close() }
            ProcessDevice.use(other)
            player.stop()
            bench.clock.advance(by: .milliseconds(1))
            #expect(bench.board.speaker.recordings.map(\.played) == [800])
        }

        @Test func `An observer on the main queue does not hold callbacks up while the main thread waits for one`()
            async throws
        {
            let bench = try ProcessBench()
            let session = AVAudioSession.sharedInstance()
            try session.setActive(true)
            let notes = Notes()
            let observer = NotificationCenter.default.addObserver(
                forName: AVAudioSession.routeChangeNotification, object: session, queue: .main
            ) { notification in
                notes.add("reason \(notification.userInfo?[AVAudioSessionRouteChangeReasonKey] as? Int ?? -1)")
            }
            defer { NotificationCenter.default.removeObserver(observer) }
            bench.board.surroundings.set(.headphoneInserted(true))
            #expect(vibratesWhileMainWaits(bench))
            try await eventually { notes.all.contains("reason 1") }
        }

        private func vibratesWhileMainWaits(_ bench: ProcessBench) -> Bool {
            let isOver = DispatchSemaphore(value: 0)
            AudioServicesPlaySystemSoundWithCompletion(kSystemSoundID_Vibrate) { isOver.signal() }
            bench.clock.advance(by: .seconds(1))
            return isOver.wait(timeout: .now() + 10) == .success
        }

        @Test func `A player without a file has nothing to play`() throws {
            let bench = try ProcessBench()
            let player = AVAudioPlayer()
            #expect(player.duration == 0 && player.url == nil)
            #expect(!player.play() && !player.play(atTime: player.deviceCurrentTime) && !player.isPlaying)
            withExtendedLifetime(bench) {}
        }

        @Test func `A file without frames is no sound`() throws {
            let bench = try ProcessBench()
            #expect(throws: (any Error).self) { try AVAudioPlayer(data: try bench.wave(frames: 0)) }
        }

        // A player that was stopped, or went elsewhere, kept it to itself.
        @Test func `Why not all of a file is heard is kept as the process's failure, however the player ends`() throws {
            let bench = try ProcessBench()
            let file = bench.directory.appending(path: "cut.wav")
            try bench.wave(frames: 8000).prefix(44 + 8000).write(to: file)
            let ends: [(String, (AVAudioPlayer) -> Void)] = [
                ("whole", { _ in bench.clock.advance(by: .seconds(1)) }), ("stopped", { $0.stop() }),
                ("paused", { $0.pause() }), ("moved", { $0.currentTime = 0.3 }),
            ]
            for (name, end) in ends {
                ProcessDevice.use(nil)
                ProcessDevice.use(bench.device)
                let player = try AVAudioPlayer(contentsOf: file)
                #expect(player.duration == 0.5 && player.play())
                bench.clock.advance(by: .milliseconds(100))
                #expect(ProcessDevice.failure == nil)
                end(player)
                bench.clock.advance(by: .milliseconds(10))
                let failure = ProcessDevice.failure
                #expect(
                    failure?.code == .soundIncomplete && failure?.subject == file.path,
                    "\(name): \(String(describing: failure))")
            }
            // Nothing is missing of what the switch silences.
            ProcessDevice.use(nil)
            ProcessDevice.use(bench.device)
            bench.board.ringSilent.position = .silent
            let player = try AVAudioPlayer(contentsOf: file)
            #expect(player.play())
            bench.clock.advance(by: .seconds(1))
            #expect(!player.isPlaying && ProcessDevice.failure == nil)
        }

        @Test func `What is no sound is an error with a sentence`() throws {
            let bench = try ProcessBench()
            for (make, code) in [
                ({ try AVAudioPlayer(contentsOf: bench.directory.appending(path: "none.wav")) }, -43),
                ({ try AVAudioPlayer(data: Data("no sound".utf8)) }, 0x7479_703F),
            ] {
                let error = #expect(throws: NSError.self) { _ = try make() }
                #expect(error?.domain == NSOSStatusErrorDomain && error?.code == code)
                #expect(error?.localizedDescription.isEmpty == false)
            }
        }
    }
}
