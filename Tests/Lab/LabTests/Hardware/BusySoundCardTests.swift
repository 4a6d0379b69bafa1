import Glibc
import RingerLinux
import Testing

extension EitherTime {
    /// A card that another process holds, or is to have.
    @Suite struct BusySoundCardTests {
        /// One stream of the dummy card.
        private let pcm = "hw:Dummy,0,0"
        private let format = ["-q", "-t", "raw", "-f", "S16_LE", "-r", "48000", "-c", "2"]

        private func waits(_ lab: LabDevice) async throws {
            while true {
                if case .playback(.waiting(let error, _), _) = try await lab.events.next() {
                    #expect(error.code == .busy && error.subject == "PCM \(pcm)")
                    return
                }
            }
        }

        @Test("a sound waits for aplay, which ends, and is heard to its end")
        func waits() async throws {
            let lab = try LabDevice(.init(pcm: pcm, busyPatience: .seconds(30)))
            let player = try ChildProcess(["aplay", "-D", pcm] + format + ["/dev/zero"])
            while !OtherAudio().isPlaying() { try await Task.sleep(for: .milliseconds(10)) }
            async let result = lab.device.player.playOutsideSessions(
                .silence(duration: .milliseconds(100)), as: .session(.playback))
            try await waits(lab)
            try player.send(SIGKILL)
            _ = try await player.wait()
            #expect(await result.outcome == .finished)
        }

        @Test("another process opens the card as soon as releaseOutput returns")
        func release() async throws {
            let lab = try LabDevice(.init(pcm: pcm, linger: .seconds(3600)))
            let aplay = ["aplay", "-D", pcm] + format + ["-d", "1", "/dev/zero"]
            // Kept for the next sound, it is in the way.
            _ = await lab.device.player.playOutsideSessions(
                .silence(duration: .milliseconds(50)), as: .session(.playback))
            _ = try await lab.nextStart()
            let refused = try await ChildProcess(aplay).wait()
            #expect(refused.status != 0 && refused.output.contains("busy"))
            await lab.device.releaseOutput()
            let idle = try await ChildProcess(aplay).wait()
            #expect(idle.status == 0, "\(idle.output)")

            async let result = lab.device.player.playOutsideSessions(
                .silence(duration: .seconds(60)), as: .session(.playback))
            _ = try await lab.nextStart()
            await lab.device.releaseOutput()
            let playing = try await ChildProcess(aplay).wait()
            #expect(playing.status == 0, "\(playing.output)")
            #expect(await result.outcome == .stopped(.outputReleased))
        }

        @Test("where ringer-pipewire is installed, doctor names the programs that have a card open themselves")
        func pastPipeWire() async throws {
            let program = "\(Lab.temporaryFolder)/ringer-pipewire"
            try write(Array("#!/bin/sh\necho PipeWire 1.4.2\necho ringer-pipewire runs\n".utf8), to: program)
            chmod(program, 0o755)
            defer { unlink(program) }
            func doctor() async throws -> String {
                let path = "PATH=\(Lab.temporaryFolder):/usr/bin:/bin"
                return try await ChildProcess.run("env", path, RingerCommandLine.path, "doctor", "--pcm", "null").output
            }
            let own = "(\(getpid())): it has opened hw:"
            let lab = try LabDevice(.init(pcm: pcm))
            async let result = lab.device.player.playOutsideSessions(
                .silence(duration: .seconds(60)), as: .session(.playback))
            _ = try await lab.nextStart()
            let playing = try await doctor()
            #expect(playing.contains(own) && playing.contains(",0 itself, not through PipeWire"), "\(playing)")
            await lab.device.releaseOutput()
            let idle = try await doctor()
            #expect(idle.contains("ringer-pipewire runs") && !idle.contains(own), "\(idle)")
            #expect(await result.outcome == .stopped(.outputReleased))
        }

        @Test("a PCM that does not mix is reported, with a line that makes it mix")
        func mixing() async throws {
            let pcm = "hw:Loopback,0,0"
            let doctor = try await ChildProcess.run(RingerCommandLine.path, "doctor", "--pcm", pcm)
            let line = try #require(doctor.output.split(separator: "\n").first { $0.contains("pcm.!default") })
            #expect(doctor.output.contains("none     mixing   PCM \(pcm): cannot play two sounds at once"))
            let definition = String(line[try #require(line.firstRange(of: "pcm.!default")).lowerBound...])

            let path = "\(Lab.temporaryFolder)/mixing.conf"
            let present = try #require(getenv("ALSA_CONFIG_PATH").map { String(cString: $0) })
            try write(Array((try KernelFile.read(present) + "\n" + definition + "\n").utf8), to: path)
            defer { unlink(path) }
            let repaired = try await ChildProcess.run(
                "env", "ALSA_CONFIG_PATH=\(path)", RingerCommandLine.path, "doctor", "--pcm", "default")
            #expect(
                repaired.output.contains("ok       mixing   ALSA default plays several sounds at once"),
                "\(repaired.output)")

            let lab = try LabDevice(.init(pcm: pcm))
            let sounds = (0..<2).map { _ in PCMBuffer.silence(duration: .milliseconds(100)) }
            async let first = lab.device.player.playOutsideSessions(sounds[0], as: .session(.playback))
            async let second = lab.device.player.playOutsideSessions(sounds[1], as: .session(.playback))
            #expect(await [first.outcome, second.outcome] == [.finished, .finished])
            while true {
                guard case .degraded(let error, _) = try await lab.events.next(),
                    error.operation == "play two sounds at once"
                else { continue }
                #expect(error.subject == "PCM \(pcm)" && error.detail?.contains(definition) == true)
                break
            }
        }
    }
}
