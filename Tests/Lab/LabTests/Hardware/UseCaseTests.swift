import Glibc
import RingerLinux
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

        @Test("a sound on another route begins on a card that is switched, though a PCM of its name is open")
        func slowSwitch() async throws {
            // Pauses first, so that a sound that did not wait begins before the card is switched.
            let cset = "cset \"name='CD Capture Switch' on\""
            let folder = try useCases("slow", replacing: cset, with: "usleep 1000000\n\t\t\(cset)")
            try await withUseCases(in: folder) {
                let loop = try EventLoop(name: "lab-clock")
                defer { loop.close() }
                var hardware = Device.Hardware()
                hardware.linger = .seconds(3600)
                let speaker = try SoundParts(hardware).makeSpeaker(hardware)
                defer { speaker.close() }
                for (route, path) in [(AudioRoute.speaker, "Synth"), (.receiver, "CD")] {
                    let events = Probe<PlaybackEvent>(loop)
                    let sound = speaker.play(.silence(duration: .seconds(60)), .init(route: route)) { events.tell($0) }
                    guard case .started = try await events.next() else { throw LabFailure("it did not start") }
                    #expect(try await isOn(path), "\(route)")
                    sound.stop()
                    _ = try await end(events)
                }
            }
        }

        @Test("a sound on the speaker is silenced though the jack is in: the next sound switches the card")
        func keepsSpeaker() async throws {
            let jack = try UserControl.boolean("Socket Jack")
            try jack.unlock()
            let folder = try useCases("shared", replacing: "hw:${CardId},0,1", with: "hw:${CardId}")
            try LabBoard.setSwitch(silent: false)
            defer { try? LabBoard.setSwitch(silent: false) }
            try await withUseCases(in: folder) {
                let lab = try LabDevice(.init(motor: MotorSpecification.none))
                _ = try await lab.nextPosition()
                let sound = PCMBuffer.silence(duration: .seconds(60))
                async let ended = lab.device.play(sound, category: .ambient)
                _ = try await lab.nextStart()
                try jack.set(1)
                while lab.device.state.route != .headphone { _ = try await lab.nextRoute() }
                try LabBoard.setSwitch(silent: true)
                #expect(try await ended.outcome == .silenced(by: .ringSilentSwitch))
            }
        }

        @Test("a card that went and came back is switched before the next sound on the same route")
        func cardComesBack() async throws {
            try await withUseCases {
                let hardware = Device.Hardware()
                let speaker = try SoundParts(hardware).makeSpeaker(hardware)
                defer { speaker.close() }
                let loop = try EventLoop(name: "lab-clock")
                defer { loop.close() }
                for _ in 0..<2 {
                    for path in ["Synth", "Line", "CD"] { try await set(path, isOn: true) }
                    let events = Probe<PlaybackEvent>(loop)
                    _ = speaker.play(.silence(duration: .milliseconds(100)), .init()) { events.tell($0) }
                    #expect(try await end(events) == .drained)
                    for path in ["Synth", "Line", "CD"] {
                        #expect(try await isOn(path) == (path == "Synth"), "\(path)")
                    }
                    // Its driver waits until nobody has the card open.
                    await withCheckedContinuation { done in
                        speaker.release(stoppingSounds: false) { done.resume() }
                    }
                    try await SoundCardDriver.dummy.whileUnplugged {}
                }
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

        private func end(_ events: Probe<PlaybackEvent>) async throws -> PlaybackEnd {
            while true {
                if case .ended(let end, _, _) = try await events.next() { return end }
            }
        }

        /// A folder with the laboratory's use cases in which a text is replaced.
        private func useCases(_ name: String, replacing old: String, with new: String) throws -> String {
            let folder = "\(Lab.temporaryFolder)/ucm2-\(name)"
            for path in [folder, "\(folder)/conf.d", "\(folder)/conf.d/Dummy"] { try #require(mkdir(path, 0o755) == 0) }
            for file in ["ucm.conf", "conf.d/Dummy/Dummy.conf", "conf.d/Dummy/HiFi.conf"] {
                let parts = try KernelFile.read("\(Self.folder)/\(file)").split(separator: old)
                try write(Array((parts.joined(separator: new) + "\n").utf8), to: "\(folder)/\(file)")
            }
            return folder
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
