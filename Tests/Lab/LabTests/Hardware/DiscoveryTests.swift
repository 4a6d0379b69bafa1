import Ringer
import Testing

extension EitherTime {
    @Suite struct DiscoveryTests {
        @Test("the board's parts are found, the best of each kind first")
        func board() throws {
            let findings = HardwareDiscovery.scan()
            #expect(
                findings.switches.map(\.specification) == [
                    .evdev(.automatic(name: LabBoard.switchName)), .slider(.automatic(name: LabBoard.sliderName)),
                    .gpio(.named("ring-silent")),
                ])
            #expect(
                findings.motors.map(\.specification) == [
                    .forceFeedback(.automatic(name: LabBoard.motorName)), .led("vibrator"), .gpio(.named("vibrator")),
                ])
            #expect(findings.jacks.map(\.specification) == [.automatic(name: LabBoard.jackName)])
            #expect(findings.lights.map(\.specification) == [LabBoard.statusLightName])
            #expect(findings.keys.map(\.specification) == [.automatic(name: LabBoard.keysName)])
            #expect(findings.problems.isEmpty)
            #expect(findings.switches.last?.name == "GPIO gpiochip0 line 2 (ring-silent)")
        }

        @Test("each part that is found can be used as it is named")
        func use() async throws {
            let findings = HardwareDiscovery.scan()
            for candidate in findings.switches {
                let watched = try WatchedSwitch(candidate.specification.description)
                #expect(try await watched.probe.nextPosition().0 == .ring)
                #expect(watched.port.name == candidate.name)
            }
            let loop = try EventLoop(name: "lab-motor")
            defer { loop.close() }
            for candidate in findings.motors {
                let specification = try MotorSpecification(candidate.specification.description)
                let motor = try #require(try specification.make(loop: loop))
                #expect(motor.name == candidate.name)
                try motor.turnOn(strength: 1, limit: .seconds(1))
                try motor.close()
            }
        }

        @Test("a jack is found, and a line in use is no candidate")
        func inUse() async throws {
            let input = try VirtualInput(.switches([2]), name: "test-jack")
            let watched = try WatchedSwitch("gpio:ring-silent")
            let findings = HardwareDiscovery.scan()
            #expect(
                findings.jacks.map(\.specification)
                    == [.automatic(name: LabBoard.jackName), .automatic(name: "test-jack")])
            #expect(!findings.switches.map(\.specification).contains(.gpio(.named("ring-silent"))))
            // It is no problem either: there are better switches.
            #expect(findings.problems.isEmpty)
            withExtendedLifetime((input, watched)) {}
        }

        @Test("a plug in the board's jack is the device's headphone")
        func jack() async throws {
            let device = try await Device.discover(Device.Hardware(motor: MotorSpecification.none))
            defer { device.close() }
            #expect(!device.state.isHeadphoneInserted)
            var states = device.states.makeAsyncIterator()
            for isInserted in [true, false] {
                try LabBoard.chip.setPull(LabBoard.jackLine, isInserted ? .up : .down)
                while let state = await states.next(), state.isHeadphoneInserted != isInserted {}
                #expect(device.state.isHeadphoneInserted == isInserted)
            }
        }

        @Test("scanning leaves no descriptor open")
        func descriptors() throws {
            let before = try openDevices()
            for _ in 0..<3 { _ = HardwareDiscovery.scan() }
            let after = try openDevices()
            #expect(after == before)
        }
    }
}
