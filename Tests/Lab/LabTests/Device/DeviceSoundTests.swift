import Glibc
import RingerLinux
import Testing

/// Sounds on the laboratory's cards: snd-aloop returns what was played, snd-dummy plays in real time without an output.
extension VirtualTime {
    @Suite struct DeviceSoundTests {
        /// A sound in which no sample is 0, so that it stands out from the silence around it.
        static func sound(_ duration: Duration) -> PCMBuffer {
            var sound = PCMBuffer.silence(duration: duration, sampleRate: 48_000)
            for index in sound.samples.indices { sound.samples[index] = Int16(1 + index * 7919 % 20_000) }
            return sound
        }

        @Test("a sound in soloAmbient comes back from the loopback, sample for sample, at ring")
        func sampleForSample() async throws {
            let lab = try LabDevice(.init(pcm: "loopback"))
            let recorder = try LoopbackRecorder()
            let sound = Self.sound(.milliseconds(500))
            let result = await lab.device.player.playOutsideSessions(sound, as: .session(.soloAmbient))
            #expect(result.outcome == .finished)
            let heard = try await recorder.stop()
            let first = try #require(heard.firstIndex { $0 != 0 })
            #expect(Array(heard[first...].prefix(sound.samples.count)) == sound.samples)
            #expect(heard[(first + sound.samples.count)...].allSatisfy { $0 == 0 })
        }

        @Test("a file is played as it was written")
        func file() async throws {
            let path = "\(Lab.temporaryFolder)/sound.wav"
            let sound = Self.sound(.milliseconds(200))
            try write(sound, to: path)
            let lab = try LabDevice(.init(pcm: "loopback"))
            let recorder = try LoopbackRecorder()
            let result = try await lab.device.play(path)
            #expect(result.outcome == .finished)
            let heard = try await recorder.stop()
            #expect(heard.drop { $0 == 0 }.prefix(sound.samples.count).elementsEqual(sound.samples))
        }

        @Test("a sound of 0.2 s is over at most 2 ms later")
        func length() async throws {
            // The dummy card's position moves with a high-resolution timer; the loopback's in steps of 10 ms.
            let lab = try LabDevice(.init(pcm: "hw:Dummy"))
            let result = await lab.device.player.playOutsideSessions(
                Self.sound(.milliseconds(200)), as: .session(.playback))
            #expect(result.outcome == .finished)
            // The dummy card rounds its position up to a whole frame.
            let least = Duration.milliseconds(200) - .nanoseconds(1_000_000_000 / 48_000)
            #expect(result.elapsed >= least && result.elapsed <= .milliseconds(202), "\(result.elapsed)")
        }

        @Test(
            "a flip in the middle stops soloAmbient within one period, and Playback plays on; what is reported was heard",
            arguments: [AudioCategory.soloAmbient, .ambient, .playback], ["loopback", "mixed"])
        func flip(category: AudioCategory, pcm: String) async throws {
            let lab = try LabDevice(.init(pcm: pcm))
            _ = try await lab.nextPosition()
            let recorder = try LoopbackRecorder()
            let sound = Self.sound(.milliseconds(800))
            async let ended = lab.device.player.playOutsideSessions(sound, as: .session(category))
            let start = try await lab.nextStart()
            try await Task.sleep(for: .milliseconds(200))
            try LabBoard.setSwitch(silent: true)
            let (position, at) = try await lab.nextPosition()
            #expect(position == .silent)
            let result = await ended
            let heard = try await recorder.stop().filter { $0 != 0 }
            #expect(heard.count == result.position.played)
            #expect(sound.samples.starts(with: heard))
            guard category.isSilencedBySwitch else {
                #expect(result.outcome == .finished && heard.count == sound.frames)
                return
            }
            #expect(result.outcome == .silenced(by: .ringSilentSwitch))
            let period = try #require(lab.speaker?.lastGrant).period
            let length = Duration.nanoseconds(Int64(heard.count) * 1_000_000_000 / 48_000)
            // From dmix's buffer all is taken back but the period that is about to be heard.
            let late = length - (at - start)
            #expect(late <= (pcm == "mixed" ? period * 2 : period) && late >= .zero - period, "\(late)")
        }
    }

    @Suite struct StopTests {
        @Test(
            "through dmix a sound begins when its start is reported, wherever in a period its card is",
            arguments: ["mixed", "mixed_uneven", "mixed_default"])
        func start(pcm: String) async throws {
            let lab = try LabDevice(.init(pcm: pcm))
            let recorder = try LoopbackRecorder()
            var starts: [MonotonicTime] = []
            for _ in 0..<2 {
                async let ended = lab.device.player.playOutsideSessions(
                    DeviceSoundTests.sound(.milliseconds(50)), as: .session(.playback))
                starts.append(try await lab.nextStart())
                #expect(await ended.outcome == .finished)
                try await Task.sleep(for: .milliseconds(100))
            }
            let heard = try await [0] + recorder.stop()
            let begins = heard.indices.dropFirst().filter { heard[$0] != 0 && heard[$0 - 1] == 0 }
            try #require(begins.count == 2)
            let late = Duration.milliseconds(begins[1] - begins[0]) / 48 - (starts[1] - starts[0])
            // The card moves in steps of 10 ms.
            #expect(late <= .milliseconds(10) && late >= .milliseconds(-10), "\(late)")
        }

        @Test(
            "what is heard after a stop has returned is 10 ms at most, whatever the period",
            arguments: ["loopback", "mixed", "mixed_uneven", "mixed_default"])
        func stopThenSilence(pcm: String) async throws {
            let lab = try LabDevice(.init(pcm: pcm))
            let sound = DeviceSoundTests.sound(.milliseconds(800))
            for milliseconds in [30, 200, 203, 207, 411] {
                let recorder = try LoopbackRecorder()
                async let ended = lab.device.player.playOutsideSessions(sound, as: .session(.playback))
                let start = try await lab.nextStart()
                try await Task.sleep(for: .milliseconds(milliseconds))
                lab.device.stopAll()
                let stopped = MonotonicTime.now
                let result = await ended
                #expect(result.outcome == .stopped(.caller))
                let recording = try await recorder.stop()
                let first = try #require(recording.firstIndex { $0 != 0 })
                let last = try #require(recording.lastIndex { $0 != 0 })
                let length = Duration.nanoseconds(Int64(last + 1 - first) * 1_000_000_000 / 48_000)
                let late = start + length - stopped
                print("stopThenSilence \(pcm): \(milliseconds) ms, silent \(late) after the stop")
                #expect(late <= .milliseconds(10) + Lab.lateness, "\(late)")
                #expect(last + 1 - first == result.position.played)
            }
        }
    }

    @Suite struct MixedRateTests {
        @Test("a sound that dmix's rate conversion does not give back is over when it is no longer heard")
        func converted() async throws {
            let lab = try LabDevice(.init(pcm: "mixed"))
            let recorder = try LoopbackRecorder()
            var sound = PCMBuffer.silence(duration: .milliseconds(800), sampleRate: 24_000)
            for index in sound.samples.indices { sound.samples[index] = 10_000 }
            let ended = Task { [sound] in await lab.device.player.playOutsideSessions(sound, as: .session(.playback)) }
            _ = try await lab.nextStart()
            try await Task.sleep(for: .milliseconds(200))
            lab.device.stopAll()
            let result = await ended.value
            let played = Int(result.position.played)
            #expect(result.outcome == .stopped(.caller) && played < sound.frames / 2)
            // The conversion smooths both edges.
            let heard = try await recorder.stop().count { $0 > 5000 }
            #expect(abs(heard - 2 * played) <= 4, "\(heard) of \(2 * played)")
        }
    }

    @Suite struct DeviceDetectorTests {
        @Test("at ring the dummy card is audible at the threshold; the figure is the same in every run")
        func audible() async throws {
            let lab = try LabDevice(.init(pcm: "hw:Dummy"))
            let reading = await lab.device.muteDetector.measure()
            #expect(reading.verdict == .audible && !reading.disagreesWithSwitch)
            #expect(reading.elapsed >= .milliseconds(100) && reading.elapsed < .milliseconds(101))
        }

        @Test("at silent it is muted at once, and nothing is played")
        func muted() async throws {
            try LabBoard.setSwitch(silent: true)
            try await Task.sleep(for: .milliseconds(50))
            let lab = try LabDevice(.init(pcm: "hw:Dummy"))
            let reading = await lab.device.muteDetector.measure()
            #expect(reading.verdict == .muted && reading.elapsed < .milliseconds(5))
        }

        @Test("a PCM that is routed to nothing is muted, and contradicts the switch at ring")
        func null() async throws {
            let lab = try LabDevice(.init(pcm: "null"))
            let reading = await lab.device.muteDetector.measure()
            #expect(reading.verdict == .muted && reading.elapsed < .milliseconds(5))
            #expect(reading.disagreesWithSwitch)
        }

        @Test("a PCM that another one holds, and one that is not there, are unknown, with the reason")
        func unknown() async throws {
            let holder = try ALSASoundOutput(pcm: "hw:Dummy,0,0")
            defer { holder.close() }
            _ = try await blocking { try holder.grant(sampleRate: 48_000, channels: 1) }
            for (pcm, code) in [
                ("hw:Dummy,0,0", RingerError.Code.busy), ("hw:Nowhere", .notFound), ("nothing", .notFound),
            ] {
                let lab = try LabDevice(.init(pcm: pcm))
                let reading = await lab.device.muteDetector.measure()
                #expect(reading.verdict == .unknown)
                guard case .outputFailed(let error) = reading.cause else {
                    Issue.record("\(String(describing: reading.cause))")
                    continue
                }
                #expect(error.code == code, "\(error)")
                #expect(error.subject.contains(pcm))
            }
        }
    }
}

extension EitherTime {
    @Suite struct BlockedPCMTests {
        // Closing the device waited for the open.
        @Test("a process whose PCM blocks ends on SIGTERM")
        func terminated() async throws {
            try #require(mkfifo("/tmp/blocked", 0o600) == 0)
            defer { unlink("/tmp/blocked") }
            let sound = "\(Lab.temporaryFolder)/blocked.wav"
            try write(.silence(duration: .milliseconds(100), sampleRate: 48_000), to: sound)
            let play = try ChildProcess([RingerCommandLine.path, "play", sound, "--pcm", "blocked"])
            try await Task.sleep(for: .seconds(1))
            try play.send(15)
            // If it does not end, this test fails instead of hanging.
            let limit = Task {
                try await Task.sleep(for: .seconds(20))
                try play.send(9)
            }
            #expect(try await play.wait().status == 128 + 15)
            limit.cancel()
        }
    }

    @Suite struct DeviceMotorTests {
        @Test(
            "a vibration that is told to end leaves the line low, whatever the motor",
            arguments: ["ff:auto", "gpio:vibrator", "led:vibrator"])
        func terminated(motor: String) async throws {
            let line =
                switch motor.prefix(2) {
                case "ff": LabBoard.motorLine
                case "gp": LabBoard.rawMotorLine
                default: LabBoard.ledMotorLine
                }
            let vibrate = try ChildProcess([
                RingerCommandLine.path, "vibrate", "--pattern", "9000", "--motor", motor, "--pcm", "null",
            ])
            for _ in 0..<6_000 {
                guard try !LabBoard.chip.isHigh(line) else { break }
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(try LabBoard.chip.isHigh(line))
            try vibrate.send(15)
            #expect(try await vibrate.wait().status == 128 + 15)
            #expect(try !LabBoard.chip.isHigh(line))
        }
    }
}
