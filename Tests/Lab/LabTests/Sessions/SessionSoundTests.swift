import RingerLinux
import Testing

/// Sessions heard through the loopback: several at once through dmix.
extension VirtualTime {
    @Suite struct SessionSoundTests {
        /// A sound of constant samples, so that every sample shows its gain.
        static func level(_ value: Int16, _ duration: Duration) -> PCMBuffer {
            var sound = PCMBuffer.silence(duration: duration, sampleRate: 48_000)
            for index in sound.samples.indices { sound.samples[index] = value }
            return sound
        }

        static func frames(_ duration: Duration) -> Int { Int(duration.inSeconds * 48_000) }

        @Test("two sessions that play at once through one PCM are mixed, sample for sample")
        func mixed() async throws {
            let lab = try LabDevice(.init(pcm: "mixed"))
            let recorder = try LoopbackRecorder()
            let first = lab.device.sessions.make(name: "first", category: .ambient)
            let second = lab.device.sessions.make(name: "second", category: .ambient)
            try await first.activate()
            try await second.activate()
            async let long = first.play(Self.level(1000, .milliseconds(600)))
            try await Task.sleep(for: .milliseconds(200))
            async let short = second.play(Self.level(300, .milliseconds(200)))
            #expect(await short.outcome == .finished)
            #expect(await long.outcome == .finished)
            let heard = try await recorder.stop()
            #expect(heard.count { $0 == 1300 } == 9600)
            #expect(heard.count { $0 == 1000 } == 19_200)
            #expect(Set(heard) == [0, 1000, 1300])
        }

        @Test(
            "a session that ducks takes another down to the documented gain within 50 ms, evenly, and back again",
            arguments: ["loopback", "mixed"])
        func ducking(pcm: String) async throws {
            let lab = try LabDevice(.init(pcm: pcm))
            let recorder = try LoopbackRecorder()
            let music = try lab.device.sessions.make(name: "music", category: .playback, options: .mixWithOthers)
            let voice = try lab.device.sessions.make(name: "voice", category: .playback, options: .duckOthers)
            try await music.activate()
            let level: Int16 = 10_000
            let ducked = Int16((Float(level) * Ducking.gain).rounded())
            async let result = music.play(Self.level(level, .seconds(1)))
            let start = try await lab.nextStart()
            try await Task.sleep(for: .milliseconds(305))
            let down = MonotonicTime.now
            try await voice.activate()
            try await Task.sleep(for: .milliseconds(300))
            let up = MonotonicTime.now
            try await voice.deactivate()
            #expect(await result.outcome == .finished)
            let recording = try await recorder.stop()
            let first = try #require(recording.firstIndex { $0 != 0 })
            let heard = Array(recording[first...].prefix(48_000))

            let fallBegins = try #require(heard.firstIndex { $0 < level })
            let fallEnds = try #require(heard.firstIndex { $0 == ducked })
            let riseBegins = try #require(heard[fallEnds...].firstIndex { $0 > ducked })
            let riseEnds = try #require(heard[riseBegins...].firstIndex { $0 == level })
            let (toDown, toUp) = (Self.frames(down - start), Self.frames(up - start))
            // In frames of the sound: the loopback hands on every 10 ms what was played.
            print(
                "ducking \(pcm): down \(fallBegins - toDown)..\(fallEnds - toDown), up \(riseBegins - toUp)..\(riseEnds - toUp)"
            )
            #expect(fallBegins >= toDown && fallEnds - toDown <= Self.frames(.milliseconds(50)))
            #expect(riseBegins >= toUp && riseEnds - toUp <= Self.frames(.milliseconds(50)))
            // No click: no two samples differ by more than the ramp's slope, and it never turns round.
            let slope = Int(Float(level - ducked) / Float(Self.frames(Ducking.ramp))) + 2
            for index in fallBegins...fallEnds {
                let step = Int(heard[index - 1]) - Int(heard[index])
                #expect(step >= 0 && step <= slope, "\(index): \(step)")
            }
            for index in riseBegins...riseEnds {
                let step = Int(heard[index]) - Int(heard[index - 1])
                #expect(step >= 0 && step <= slope, "\(index): \(step)")
            }
            #expect(heard[fallEnds..<riseBegins].allSatisfy { $0 == ducked })
            #expect(heard[riseEnds...].allSatisfy { $0 == level } && heard.count == 48_000)
        }

        @Test(
            "an interruption is heard: silenced sounds stop within a period, and resumed ones continue where they were")
        func interruption() async throws {
            let lab = try LabDevice(.init(pcm: "mixed"))
            let recorder = try LoopbackRecorder()
            let music = lab.device.sessions.make(name: "music", category: .playback)
            try await music.activate()
            var sound = Self.level(1, .milliseconds(500))
            for index in sound.samples.indices { sound.samples[index] = Int16(1 + index) }
            async let first = music.play(sound)
            let start = try await lab.nextStart()
            try await Task.sleep(for: .milliseconds(200))
            let at = MonotonicTime.now
            let call = lab.device.sessions.interruptionBegan()
            let result = await first
            #expect(result.outcome == .silenced(by: .interruption))
            try await Task.sleep(for: .milliseconds(100))
            lab.device.sessions.interruptionEnded(call)
            #expect(music.isAudible)
            #expect(await music.play(sound, from: result.position.played).outcome == .finished)
            let heard = try await recorder.stop().filter { $0 != 0 }
            let (played, due) = (Int(result.position.played), Self.frames(at - start))
            #expect(abs(played - due) <= 2 * 480, "\(played) of \(due)")
            // Each frame was heard once: none beyond those reported, none skipped.
            #expect(heard.count == sound.frames)
            #expect(sound.samples.elementsEqual(heard))
        }
    }
}
