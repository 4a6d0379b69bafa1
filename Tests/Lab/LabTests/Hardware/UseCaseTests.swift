import Glibc
import Ringer
import RingerCore
import Testing

extension RealTime {
    /// The use cases in Tests/Lab/ucm2.
    @Suite struct UseCaseTests {
        static let folder =
            #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/ucm2"

        @Test("PCM, routes, jack and volume come from the card's use cases, and options win over them")
        func sources() async throws {
            // The laboratory's card has none by itself.
            let found = SoundParts(Device.Hardware())
            #expect(found.useCases == nil && found.problem == nil && !found.hasJacks && found.routes.isEmpty)
            #expect(found.pcm == "default" && found.volumeElement == nil)
            try withUseCases {
                let parts = SoundParts(Device.Hardware())
                #expect(parts.problem == nil)
                #expect(parts.useCases?.verb == "HiFi" && parts.useCases?.file.lastComponent == "Dummy.conf")
                #expect(parts.pcm == "plughw:Dummy" && parts.volumeElement == "Synth")
                #expect(parts.routes == [.receiver: "plughw:Dummy", .headphone: "plughw:Dummy,0,1"])
                #expect(parts.hasJacks && parts.useCases?.headphoneJacks == ["Socket Jack"])

                let named = SoundParts(
                    Device.Hardware(pcm: "default", routes: [.headphone: "null"], volumeElement: "Master"))
                #expect(named.pcm == "default" && named.volumeElement == "Master")
                #expect(named.routes == [.receiver: "default", .headphone: "null"])

                // Another card has no use cases.
                #expect(SoundParts(Device.Hardware(card: "Loopback")).useCases == nil)
            }
        }

        @Test("the card is switched to the output of each sound, and back, and its jack moves the route")
        func switching() async throws {
            let jack = try UserControl.boolean("Socket Jack")
            try jack.unlock()
            let device = try await withUseCases {
                try await Device.discover(Device.Hardware(motor: MotorSpecification.none, linger: .zero))
            }
            defer { device.close() }
            let paths = ["Synth", "Line", "CD"]
            for path in paths { try await set(path, isOn: true) }
            // Nothing is switched before a sound.
            #expect(device.sessions.routes.board.hasReceiver)
            var states = device.states.makeAsyncIterator()
            for (isInserted, path, route) in [
                (false, "Synth", AudioRoute.speaker), (true, "Line", .headphone), (false, "Synth", .speaker),
            ] {
                try jack.set(isInserted ? 1 : 0)
                while let state = await states.next(), state.isHeadphoneInserted != isInserted {}
                #expect(device.state.route == route)
                let sound = PCMBuffer.silence(duration: .milliseconds(100))
                // alsa-lib reads the environment when the first sound opens the configuration.
                let result = try await withUseCases { try await device.play(sound, category: .playback) }
                #expect(result.outcome == .finished)
                for other in paths { #expect(try await isOn(other) == (other == path), "\(other) for \(route)") }
            }
        }

        @Test("doctor says where each part of the card comes from")
        func doctor() async throws {
            let jack = try UserControl.boolean("Socket Jack")
            let own = try await ChildProcess.run(RingerCommandLine.path, "doctor")
            #expect(own.output.contains("period") && own.output.contains("(found)") && !own.output.contains("UCM"))
            let run = try await withUseCases {
                try await ChildProcess.run(
                    RingerCommandLine.path, "doctor", "--mixer-element", "Master", "--route-pcm", "line=null")
            }
            let lines = run.output.split(separator: "\n").map(String.init)
            for (part, name, source) in [
                ("speaker", "ALSA plughw:Dummy:", "(UCM)"), ("route", "receiver: plughw:Dummy", "(UCM)"),
                ("route", "headphone: plughw:Dummy,0,1", "(UCM)"), ("route", "line: null", "(option)"),
                ("jack", "control \"Socket Jack\" of sound card 0", "(UCM)"),
                ("volume", "volume of sound card 0, Master:", "(option)"),
                ("UCM", "\(Self.folder)/conf.d/Dummy/Dummy.conf: HiFi", ""),
            ] {
                #expect(
                    lines.contains {
                        $0.hasPrefix("ok       \(part)") && $0.contains(name) && $0.hasSuffix(source)
                    }, "\(part) \(name) in \(run.output)")
            }
            withExtendedLifetime(jack) {}
        }

        @Test("faulty use cases are a problem, and the device does without")
        func faulty() async throws {
            let folder = "\(Lab.temporaryFolder)/ucm2"
            try #require(mkdir(folder, 0o755) == 0 && mkdir("\(folder)/conf.d", 0o755) == 0)
            try #require(mkdir("\(folder)/conf.d/Dummy", 0o755) == 0)
            let top = "Syntax 4\nUseCasePath.card { Directory \"conf.d/Dummy\" File \"Dummy.conf\" }\n"
            try write(Array(top.utf8), to: "\(folder)/ucm.conf")
            let card = "Syntax 4\nSectionUseCase.\"HiFi\" { File \"missing.conf\" }\n"
            try write(Array(card.utf8), to: "\(folder)/conf.d/Dummy/Dummy.conf")
            try withUseCases(in: folder) {
                let parts = SoundParts(Device.Hardware())
                #expect(parts.useCases == nil && parts.pcm == "default")
                #expect(parts.problem?.operation == "read" && parts.problem?.subject == "use cases of sound card 0")
                #expect(parts.problem?.detail != nil)
            }
        }

        /// Runs `body` with the laboratory's use cases. The tests run one after another.
        private func withUseCases<Result>(
            in folder: String = UseCaseTests.folder, _ body: () async throws -> Result
        ) async throws -> Result {
            setenv("ALSA_CONFIG_UCM2", folder, 1)
            defer { unsetenv("ALSA_CONFIG_UCM2") }
            return try await body()
        }

        private func withUseCases(in folder: String = UseCaseTests.folder, _ body: () throws -> Void) throws {
            setenv("ALSA_CONFIG_UCM2", folder, 1)
            defer { unsetenv("ALSA_CONFIG_UCM2") }
            try body()
        }

        private func isOn(_ path: String) async throws -> Bool {
            let run = try await ChildProcess.run("amixer", "-D", "hw:Dummy", "cget", "name=\(path) Capture Switch")
            #expect(run.status == 0)
            return run.output.contains(": values=on")
        }

        private func set(_ path: String, isOn: Bool) async throws {
            let run = try await ChildProcess.run(
                "amixer", "-D", "hw:Dummy", "cset", "name=\(path) Capture Switch", isOn ? "on" : "off")
            #expect(run.status == 0)
        }
    }
}
