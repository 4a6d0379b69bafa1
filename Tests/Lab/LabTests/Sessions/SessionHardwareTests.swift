import RingerLinux
import Testing

/// What sessions report of the hardware, compared with the kernel's state of its substreams.
extension EitherTime {
    @Suite struct SessionHardwareTests {
        /// The playback substream of `card` that is open, as the kernel shows it.
        private struct Substream {
            var rate = 0
            var channels = 0
            var periodFrames = 0

            init(card: String) throws {
                let folder = "/proc/asound/\(card)/pcm0p"
                for name in try KernelFile.names(in: folder) where name.hasPrefix("sub") {
                    let text = try KernelFile.read("\(folder)/\(name)/hw_params")
                    for line in text.split(separator: "\n") {
                        let words = line.split(separator: " ")
                        guard words.count > 1, let value = Int(words[1]) else { continue }
                        switch words[0] {
                        case "rate:": rate = value
                        case "channels:": channels = value
                        case "period_size:": periodFrames = value
                        default: break
                        }
                    }
                }
            }
        }

        private static func sound(_ rate: Double, channels: Int = 1) -> PCMBuffer {
            PCMBuffer.silence(duration: .milliseconds(300), sampleRate: rate, channels: channels)
        }

        private static func expectEqual(_ session: AudioSession, _ substream: Substream) {
            #expect(session.sampleRate == Double(substream.rate))
            #expect(session.outputChannels == substream.channels)
            #expect(abs(session.ioBufferDuration - Double(substream.periodFrames) / Double(substream.rate)) < 1e-6)
            #expect(session.outputLatency >= session.ioBufferDuration)
        }

        @Test(
            "a session that prefers 44.1 kHz and 10 ms tells what the kernel granted, whatever the sound's own rate is",
            arguments: [("default", "Dummy"), ("hw:Dummy", "Dummy"), ("loopback", "Loopback")],
            [(44_100, 2), (48_000, 1), (22_050, 1)])
        func preferred(pcm: (name: String, card: String), sound: (rate: Double, channels: Int)) async throws {
            let lab = try LabDevice(.init(pcm: pcm.name, linger: .seconds(3600)))
            let session = lab.device.sessions.make(name: "announcement", category: .playback)
            try session.setPreferredSampleRate(44_100)
            try session.setPreferredIOBufferDuration(0.01)
            try await session.activate()
            // Before anything was played.
            #expect(session.sampleRate == 44_100 && session.outputChannels == 2)
            #expect(abs(session.ioBufferDuration - 0.01) < 1e-3)
            async let result = session.play(Self.sound(sound.rate, channels: sound.channels))
            _ = try await lab.nextStart()
            let substream = try Substream(card: pcm.card)
            #expect(substream.rate == 44_100)
            #expect(await result.outcome == .finished)
            Self.expectEqual(session, substream)
        }

        @Test("a buffer that is preferred longer is granted, and not any more once its session is inactive")
        func buffer() async throws {
            let lab = try LabDevice(.init(pcm: "hw:Dummy", linger: .seconds(3600)))
            let session = lab.device.sessions.make(name: "first", category: .playback)
            try session.setPreferredIOBufferDuration(0.04)
            try await session.activate()
            async let result = session.play(Self.sound(48_000, channels: 2))
            _ = try await lab.nextStart()
            let substream = try Substream(card: "Dummy")
            #expect(substream.rate == 48_000 && substream.periodFrames == 1920)
            #expect(await result.outcome == .finished)
            Self.expectEqual(session, substream)
            try await session.deactivate()
            let next = lab.device.sessions.make(name: "second", category: .playback)
            try await next.activate()
            #expect(abs(next.ioBufferDuration - 0.01) < 1e-6 && next.sampleRate == 48_000)
        }

        @Test("where dmix has one rate, that is what the hardware has, whatever is preferred and played")
        func mixed() async throws {
            let lab = try LabDevice(.init(pcm: "mixed", linger: .seconds(3600)))
            let session = lab.device.sessions.make(name: "announcement", category: .playback)
            try session.setPreferredSampleRate(44_100)
            try await session.activate()
            #expect(session.preferredSampleRate == 44_100)
            #expect(session.sampleRate == 48_000 && session.outputChannels == 1)
            async let result = session.play(Self.sound(22_050))
            _ = try await lab.nextStart()
            let substream = try Substream(card: "Loopback")
            #expect(await result.outcome == .finished)
            Self.expectEqual(session, substream)
        }

        @Test("a call knows the channels of its input")
        func input() async throws {
            let lab = try LabDevice()
            let session = lab.device.sessions.make(name: "call", category: .playAndRecord)
            #expect(session.inputChannels == 0)
            try await session.activate()
            #expect(session.inputChannels == 2 && abs(session.inputLatency - 0.01) < 1e-3)
        }

        @Test("hardware that another one holds keeps its figures, and an event says why")
        func busy() async throws {
            let holder = try ALSASoundOutput(pcm: "loopback", linger: .seconds(60))
            defer { holder.close() }
            _ = try await blocking { try holder.grant(sampleRate: 48_000, channels: 1) }
            let lab = try LabDevice(.init(pcm: "loopback"))
            let session = lab.device.sessions.make(name: "announcement", category: .playback)
            try await session.activate()
            #expect(session.isActive && session.sampleRate == 0)
            while true {
                guard case .degraded(let error, _) = try await lab.events.next() else { continue }
                if error.subject == "PCM loopback" {
                    #expect(error.code == .busy)
                    return
                }
            }
        }
    }
}
