import Glibc
import RingerBus
import RingerLinux
import ServiceSupport
import Testing

extension RealTime {
    /// `ringerd` on the board, on a system bus with callers of several users.
    @Suite struct ServiceTests {
        /// The number of Debian's group audio.
        private let audio = 29
        private let nobody = 65_534

        @Test("everybody decides; the group audio plays; only root and the group ringer control")
        func authorization() async throws {
            let bench = try await LabService()
            let ringer = RingerNames.interface
            func play(_ user: Int, _ group: Int) async throws -> String {
                try await bench.call(user: user, group: group, ringer, "Vibrate", "sa{sv}", "50", "0")
            }
            #expect(
                try await bench.call(user: nobody, group: nobody, ringer, "Decide", "sa{sv}", "alert", "0")
                    .contains(#"ssa{sv} "play" "switchAtRing""#))
            #expect(try await play(nobody, nobody).contains("Access denied"))
            #expect(try await play(nobody, audio) == "u 1")
            #expect(try await play(0, 0) == "u 2")
            let lock = ["Set", "ssv", ringer, "ScreenLocked", "b", "true"]
            func set(_ user: Int, _ group: Int) async throws -> String {
                try await bench.call(
                    user: user, group: group, BusInterface.properties, lock[0], lock[1], lock[2], lock[3], lock[4],
                    lock[5])
            }
            #expect(try await set(nobody, audio).contains("Access denied"))
            #expect(try await set(0, 0) == "")
        }

        @Test("a ring that one process starts is silenced by the flip of the line; its caller is informed, and others")
        func flip() async throws {
            let bench = try await LabService()
            let (caller, other) = (try BusClient(bench.address), try BusClient(bench.address))
            #expect(try await other.property("SwitchPosition") == .string("ring"))
            let id = try await caller.play(.uint32(1005), ["category": .string("ambient")])
            while try await other.property("Requests")
                != .array(
                    element: "(us)", [.structure([.uint32(id), .string("Play")])])
            { try await Task.sleep(for: .milliseconds(5)) }
            try await Task.sleep(for: .milliseconds(200))
            try LabBoard.setSwitch(silent: true)
            #expect(await caller.ended() == .init(request: id, outcome: "silenced", reason: "ringSilentSwitch"))
            for await signal in other.signals where signal.member == "PropertiesChanged" {
                if signal.arguments[1].dictionary?["SwitchPosition"] == .string("silent") { break }
            }
        }

        @Test("a user who may play, without rights to the hardware, detects the line's position through the service")
        func detect() async throws {
            let bench = try await LabService()
            func detect() async throws -> String {
                var output = ""
                // A busy machine may disturb a measurement.
                for _ in 0..<20 where output.isEmpty || output.contains(#""verdict":"unknown""#) {
                    output = try await ChildProcess(
                        [
                            "env", "RINGER_BUS=session", "DBUS_SESSION_BUS_ADDRESS=\(bench.address)", "setpriv",
                            "--reuid=\(nobody)", "--regid=\(nobody)", "--groups=audio", RingerCommandLine.path,
                            "detect", "--json",
                        ]
                    ).wait().output
                }
                return output
            }
            try LabBoard.setSwitch(silent: true)
            #expect(try await detect().contains(#""verdict":"muted","way":"service""#))
            try LabBoard.setSwitch(silent: false)
            #expect(try await detect().contains(#""verdict":"audible","way":"service""#))
        }

        @Test("the volume that root sets reaches the sound card's mixer, and others are informed")
        func volume() async throws {
            let configuration = "\(Lab.temporaryFolder)/volume.conf"
            try write(Array("card = Dummy\nmixer-element = Master\n".utf8), to: configuration)
            let bench = try await LabService("--config", configuration)
            let (client, other) = (try BusClient(bench.address), try BusClient(bench.address))
            func set(_ volume: Double) async -> String? {
                await client.set("Volume", .double(volume))
            }
            #expect(await set(1) == nil)
            #expect(try await other.property("Volume") == .double(1))
            #expect(await set(0.5) == nil)
            for await signal in other.signals where signal.member == "PropertiesChanged" {
                if signal.arguments[1].dictionary?["Volume"] == .double(0.5) { break }
            }
            let element = try await ChildProcess.run("amixer", "-D", "hw:Dummy", "sget", "Master")
            // The steps are -50 to 100.
            #expect(element.output.contains("Front Left: 25 [50%]"), "\(element.output)")
        }

        @Test("SIGTERM turns the motor off, informs the caller and ends the service with status 0")
        func terminate() async throws {
            let bench = try await LabService()
            let (client, id) = try await bench.vibrating()
            try bench.ringerd.send(SIGTERM)
            #expect(await client.ended() == .init(request: id, outcome: "stopped", reason: "closed"))
            #expect(try await bench.ringerd.wait().status == 0)
            #expect(try !LabBoard.chip.isHigh(LabBoard.motorLine))
        }

        @Test("after SIGKILL the motor is off, and the service that is started again is found by the same clients")
        func killed() async throws {
            let bench = try await LabService()
            let (client, _) = try await bench.vibrating()
            try bench.ringerd.send(SIGKILL)
            _ = try await bench.ringerd.wait()
            try await bench.restart()
            #expect(try !LabBoard.chip.isHigh(LabBoard.motorLine))
            #expect(try await client.property("Requests") == .array(element: "(us)", []))
        }

        @Test("a service whose bus is killed turns the motor off and ends with status 1, with the reason")
        func busKilled() async throws {
            let bench = try await LabService()
            let vibrating = try await bench.vibrating()
            try bench.bus.send(SIGKILL)
            let ended = try await bench.ringerd.wait()
            withExtendedLifetime(vibrating) {}
            #expect(ended.status == 1 && ended.output.hasPrefix("Error: "), "\(ended.output)")
            #expect(try !LabBoard.chip.isHigh(LabBoard.motorLine))
        }
    }
}
