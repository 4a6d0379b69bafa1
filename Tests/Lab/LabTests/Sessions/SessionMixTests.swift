import RingerLinux
import Testing

/// What is heard of several sounds at once through `dmix`, which runs at their rate.
extension VirtualTime {
    @Suite struct SessionMixTests {
        /// A tone whose every sample is known.
        struct Tone {
            let sound: PCMBuffer
            /// Those of the sound.
            let samples: [Int]
            /// The most by which two neighbouring samples differ.
            let steepest: Int

            init(_ frequency: Double, level: Double, _ duration: Duration) {
                var sound = PCMBuffer.silence(duration: duration, sampleRate: 48_000)
                for index in sound.samples.indices {
                    // It begins at its crest, so that its first sample differs from silence.
                    sound.samples[index] = Int16((level * cosine(Double(index) * frequency / 48_000)).rounded())
                }
                self.sound = sound
                samples = sound.samples.map(Int.init)
                steepest = zip(samples, samples.dropFirst()).map { abs($0 - $1) }.max() ?? 0
            }
        }

        @Test("two sessions that play at once through dmix are heard as their sum, and the ducked one at -14 dB of it")
        func ducked() async throws {
            let lab = try LabDevice(.init(pcm: "mixed"))
            let recorder = try LoopbackRecorder()
            let tone = Tone(200, level: 10_000, .milliseconds(1500))
            let chime = Tone(1000, level: 3000, .milliseconds(200))
            let speech = Tone(1000, level: 6000, .milliseconds(400))
            let sessions = lab.device.sessions
            let music = try sessions.make(name: "music", category: .playback, options: .mixWithOthers)
            let other = sessions.make(name: "other", category: .ambient)
            let voice = try sessions.make(name: "voice", category: .playback, options: .duckOthers)
            try await music.activate()
            try await other.activate()
            async let result = music.play(tone.sound)
            let start = try await lab.nextStart()
            try await Task.sleep(for: .milliseconds(203))
            #expect(await other.play(chime.sound).outcome == .finished)
            try await Task.sleep(for: .milliseconds(107))
            try await voice.activate()
            #expect(await voice.play(speech.sound).outcome == .finished)
            let up = MonotonicTime.now
            try await voice.deactivate()
            #expect(await result.outcome == .finished)
            let recording = try await recorder.stop().map(Int.init)
            let first = try #require(recording.firstIndex { $0 != 0 })
            let heard = Array(recording[first...].prefix(tone.sound.frames))
            #expect(heard.count == tone.sound.frames && recording[(first + heard.count)...].allSatisfy { $0 == 0 })

            // While both play, the sum; to the very sample, since dmix adds them and nothing converts.
            let full = tone.samples
            let chimeBegins = try #require(heard.indices.first { heard[$0] != full[$0] })
            let chimeEnds = chimeBegins + chime.sound.frames
            let isSum = zip(heard[chimeBegins..<chimeEnds], full[chimeBegins...]).map(-) == chime.samples
            #expect(isSum, "chime from \(chimeBegins)")

            // What is left without the voice is the music: whole, going down, down, coming back, whole.
            let down = full.map { Double($0) * 0.199_526 }
            let change = try #require((chimeEnds..<heard.count).first { heard[$0] != full[$0] })
            let tenth = SessionSoundTests.frames(.milliseconds(100))
            func isVoice(from begin: Int) -> Bool {
                (tenth..<speech.sound.frames).allSatisfy { index in
                    let music = Double(heard[begin + index] - speech.samples[index])
                    return abs(music - down[begin + index]) <= 1.5
                }
            }
            let voiceBegins = try #require(
                (change..<change + tenth).first(where: isVoice),
                "the sum of the voice and the music at -14 dB is nowhere")
            var rest = heard
            rest.replaceSubrange(chimeBegins..<chimeEnds, with: full[chimeBegins..<chimeEnds])
            for index in speech.samples.indices { rest[voiceBegins + index] -= speech.samples[index] }
            func isDown(_ index: Int) -> Bool { abs(Double(rest[index]) - down[index]) <= 1.5 }
            // The ramp's last samples are as good as down; near the tone's zeros every gain is the same.
            let fallEnds = 1 + (rest.indices.prefix(voiceBegins + 9600).last { !isDown($0) } ?? 0)
            let riseBegins = try #require(rest[fallEnds...].indices.first { !isDown($0) })
            let riseEnds = 1 + (rest.indices.last { rest[$0] != full[$0] } ?? 0)
            let toUp = SessionSoundTests.frames(up - start)
            print(
                "ducking while both play: voice at \(voiceBegins), music falls from \(change) to \(fallEnds);",
                "voice ends at \(voiceBegins + speech.sound.frames), deactivated at \(toUp),",
                "music rises from \(riseBegins) to \(riseEnds)")
            #expect(fallEnds - voiceBegins <= SessionSoundTests.frames(.milliseconds(50)))
            #expect(riseBegins >= toUp && riseEnds - toUp <= SessionSoundTests.frames(.milliseconds(50)))
            // No click: nowhere does it jump further than the undisturbed tone.
            let jumps = zip(rest, rest.dropFirst()).map { abs($0 - $1) }
            #expect((jumps.max() ?? 0) <= tone.steepest + 1, "\(jumps.firstIndex { $0 > tone.steepest + 1 } ?? -1)")
        }

        @Test("two processes that play at once through dmix are heard as their sum")
        func processes() async throws {
            let path = "\(Lab.temporaryFolder)/other.wav"
            try write(SessionSoundTests.level(300, .milliseconds(200)), to: path)
            let lab = try LabDevice(.init(pcm: "mixed"))
            let recorder = try LoopbackRecorder()
            let session = lab.device.sessions.make(name: "music", category: .ambient)
            try await session.activate()
            async let music = session.play(SessionSoundTests.level(1000, .seconds(2)))
            _ = try await lab.nextStart()
            let other = try ChildProcess([
                RingerCommandLine.path, "session", "-c", "ambient", "--play", path, "--pcm", "mixed",
            ])
            let outcome = try await other.wait()
            #expect(outcome.status == 0 && outcome.output.contains("finished"), "\(outcome.output)")
            #expect(await music.outcome == .finished)
            let heard = try await recorder.stop()
            #expect(heard.count { $0 == 1300 } == 9600 && heard.count { $0 == 1000 } == 96_000 - 9600)
            #expect(Set(heard) == [0, 1000, 1300])
        }
    }
}

/// The cosine of so many turns. No mathematics library is needed for what a test plays.
private func cosine(_ turns: Double) -> Double {
    // A turn's half is enough: the series is exact there to far below a 16-bit sample.
    let angle = (turns - turns.rounded()) * 2 * Double.pi
    var (sum, term) = (1.0, 1.0)
    for step in stride(from: 1.0, through: 29, by: 2) {
        term *= -angle * angle / (step * (step + 1))
        sum += term
    }
    return sum
}
