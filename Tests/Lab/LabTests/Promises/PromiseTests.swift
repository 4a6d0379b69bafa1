import Glibc
import RingerLinux
import Testing

extension VirtualTime {
    /// What Ringer promises, each on every way to the board: no sound in a silent room, no missed announcement, and no motor
    /// that stays on.
    @Suite struct PromiseTests {
        /// What a sample needs from the program to the recorder at most: the card hands on what was played every 10 ms, and
        /// the recorder takes 10 ms at once.
        private static let transport = Duration.milliseconds(20)
        private static let period = Duration.milliseconds(10)

        // MARK: - No sound in a silent room

        @Test(
            "a sound that the policy forbids is silent within a period after a flip",
            arguments: PromiseWay.allCases, ForbiddenSound.allCases)
        func flip(way: PromiseWay, sound: ForbiddenSound) async throws {
            let bench = try await PromiseBench(way)
            let recorder = try LoopbackRecorder()
            try sound.start(on: bench.device)
            try await bench.sounds()
            try await Task.sleep(for: .milliseconds(205))
            try await bench.flip(to: .silent)
            let flipped = recorder.count
            try await Task.sleep(for: .milliseconds(500))
            bench.device.stopAll()
            let heard = try await recorder.stop()
            #expect(heard[..<flipped].contains { $0 != 0 })
            let last = try #require(heard.lastIndex { $0 != 0 })
            let rest = Duration.milliseconds(last + 1 - flipped) / 48
            #expect(rest <= Self.period + Self.transport + Lab.lateness, "heard for \(rest) after the flip")
        }

        @Test(
            "nothing is heard in a silent room, not one sample", arguments: PromiseWay.allCases,
            ForbiddenSound.allCases)
        func silentRoom(way: PromiseWay, sound: ForbiddenSound) async throws {
            try LabBoard.setSwitch(silent: true)
            try await Task.sleep(for: .milliseconds(50))
            let bench = try await PromiseBench(way)
            #expect(bench.device.state.ringSilent == .silent)
            let recorder = try LoopbackRecorder()
            try sound.start(on: bench.device)
            try await Task.sleep(for: .milliseconds(500))
            bench.device.stopAll()
            let heard = try await recorder.stop()
            #expect(heard.allSatisfy { $0 == 0 })
        }

        // MARK: - No missed announcement

        @Test(
            "announcements are heard whole and in order after what kept them from it",
            arguments: PromiseWay.allCases, Obstacle.allCases)
        func announcements(way: PromiseWay, obstacle: Obstacle) async throws {
            let bench = try await PromiseBench(way)
            let recorder = try LoopbackRecorder()
            let other = try await bench.otherProgram()
            let session =
                obstacle == .music
                ? other.sessions.make(name: "music", category: .playback)
                : other.sessions.make(name: "call", category: .playAndRecord, priority: .call)
            if obstacle == .callBefore { try await session.activate() }

            // Two of which every sample is known, and none is 0 or in the other.
            var sounds = [PCMBuffer](
                repeating: .silence(duration: .milliseconds(400), sampleRate: 48_000), count: 2)
            for index in sounds[0].samples.indices {
                sounds[0].samples[index] = Int16(1 + index)
                sounds[1].samples[index] = -Int16(1 + index)
            }
            let results = Probe<SoundResult>(try EventLoop(name: "lab-results"))
            for sound in sounds { try bench.device.announcements.add(Announcement(sound)) { results.tell($0) } }

            if obstacle != .callBefore { try await bench.sounds() }
            try await Task.sleep(for: .milliseconds(155))
            switch obstacle {
            case .callBefore:
                #expect(!recorder.hasHeard)
                try await session.deactivate()
            case .call, .music:
                try await session.activate()
                try await Task.sleep(for: .milliseconds(300))
                try await session.deactivate()
            case .shortCall:
                try await session.activate()
                try await session.deactivate()
            case .shortInterruption:
                let sessions = bench.device.sessions
                sessions.interruptionEnded(sessions.interruptionBegan())
            case .flip:
                try await bench.flip(to: .silent)
            }
            var outcomes: [SoundOutcome] = []
            while outcomes.count < sounds.count, let result = try? await results.next() {
                outcomes.append(result.outcome)
            }
            #expect(outcomes == [.finished, .finished])
            let heard = try await recorder.stop()
            var rest = heard[...]
            for sound in sounds {
                let begin = rest.indices.first { index in
                    rest[index] == sound.samples[0] && rest[index...].starts(with: sound.samples)
                }
                guard let begin else {
                    Issue.record("announcement \(sound.samples[0]) is not heard whole")
                    break
                }
                rest = rest[(begin + sound.frames)...]
            }
        }

        // MARK: - No motor that stays on

        @Test(
            "a motor never stays on: its limit, a stop, the closing of the device and the death of the program end it",
            arguments: PromiseWay.allCases, MotorEnd.allCases)
        func motor(way: PromiseWay, end: MotorEnd) async throws {
            let bench = try await PromiseBench(way)
            let recorder = try LineRecorder(LabBoard.chip, line: LabBoard.motorLine)
            var longest = Duration.milliseconds(300)
            switch end {
            case .limit:
                longest = .seconds(10)
                #expect(await bench.device.vibrate(try VibrationPattern(milliseconds: "60000")) == .stopped(.limited))
            case .stop, .close:
                bench.device.alerts.start(
                    1005, way: .both, limit: nil, vibration: try VibrationPattern(milliseconds: "60000"))
                try await turns()
                try await Task.sleep(for: longest)
                if end == .stop { bench.device.stopAll() } else { bench.device.close() }
            case .death:
                let program = try bench.ringer("vibrate", "--pattern", "60000")
                try await turns()
                try await Task.sleep(for: longest)
                try program.send(SIGKILL)
                _ = try await program.wait()
            }
            // A client's death goes by the bus, and the drivers set the line from a work queue.
            try await Task.sleep(for: .milliseconds(50) + Lab.lateness)
            #expect(try !LabBoard.chip.isHigh(LabBoard.motorLine))
            // And it stays off.
            try await Task.sleep(for: .seconds(1))
            let pulses = try await recorder.stop()
            #expect(pulses.count == 1 && pulses[0].length <= longest + .milliseconds(30) + Lab.lateness, "\(pulses)")
        }

        /// Waits until the motor turns.
        private func turns() async throws {
            for _ in 0..<1000 {
                guard try !LabBoard.chip.isHigh(LabBoard.motorLine) else { break }
                try await Task.sleep(for: .milliseconds(5))
            }
            try #require(try LabBoard.chip.isHigh(LabBoard.motorLine))
        }
    }
}
