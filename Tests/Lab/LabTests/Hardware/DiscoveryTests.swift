import Glibc
import RingerLinux
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

        // On a Raspberry Pi gpiochip4 is a link to gpiochip0: the parts on its lines were found twice.
        @Test("a second name of a device file is no second part", arguments: ["", "/dev/"])
        func secondName(folder: String) throws {
            func names() -> [[String]] {
                let findings = HardwareDiscovery.scan()
                return [
                    findings.switches.map(\.name), findings.motors.map(\.name), findings.keys.map(\.name),
                    findings.jacks.map(\.name),
                ]
            }
            let once = names()
            symlink("\(folder)gpiochip0", "/dev/gpiochip99")
            defer { unlink("/dev/gpiochip99") }
            #expect(names() == once)
            let watched = try WatchedSwitch("gpio:99:2")
            withExtendedLifetime(watched) {}
        }

        // The first device that rumbled was the motor.
        @Test("a gamepad is the device's motor only if it is named, or udev calls it a phone's")
        func gamepad() async throws {
            // Named by one letter: a gamepad, a motor with a switch besides, one that is nothing else, in this order.
            let input = "\(Lab.temporaryFolder)/input-\(UInt32.random(in: 0 ... .max))"
            let udev = "/run/udev/data"
            for folder in [input, "/run/udev", udev] { mkdir(folder, 0o755) }
            let pad = try VirtualInput(.gamepad(effects: 1), name: "test-pad")
            symlink(pad.path, "\(input)/event0")
            var paths = HardwarePaths(devices: .init(input), input: .init(input), leds: .init(input))
            paths.system = .init(input)
            func motors() -> [String] {
                HardwareDiscovery.scan(paths).motors.map {
                    "\($0.specification)\($0.problem == nil ? "" : " unusable")"
                }
            }
            #expect(motors() == ["ff:auto,name=test-pad unusable"])
            let error = #expect(throws: RingerError.self) { try ForceFeedbackMotor(.automatic(), paths: paths) }
            #expect(error?.code == .notFound)
            try await blocking { [paths] in
                for selector in [EvdevSelector.automatic(name: "pad"), .path(.init("\(input)/event0"))] {
                    try ForceFeedbackMotor(selector, paths: paths).close()
                }
            }
            // A device without a motor of its own says why it has none.
            let loop = try EventLoop(name: "lab-device")
            defer { loop.close() }
            let ports = try Device.Ports(.init(pcm: "null", paths: paths), loop: loop)
            #expect(ports.motor == nil)
            let problems = ports.problems.map(\.description)
            #expect(problems.contains { $0.contains("test-pad") && $0.contains("buttons") }, "\(problems)")

            let motor = try VirtualInput(.rumble(effects: 1), name: "test-motor")
            symlink(motor.path, "\(input)/event1")
            #expect(motors() == ["ff:auto,name=test-motor", "ff:auto,name=test-pad unusable"])
            #expect(try ForceFeedbackMotor(.automatic(), paths: paths).name.contains("test-motor"))

            let number = try KernelFile.read("/sys/class/input/\(pad.path.dropFirst("/dev/input/".count))/dev")
            try write(Array("E:ID_INPUT=1\nE:FEEDBACKD_TYPE=vibra\n".utf8), to: "\(udev)/c\(number)")
            #expect(motors() == ["ff:auto,name=test-motor", "ff:auto,name=test-pad"])
            defer { unlink("\(udev)/c\(number)") }
            unlink("\(input)/event1")
            #expect(motors() == ["ff:auto,name=test-pad"])
            #expect(try ForceFeedbackMotor(.automatic(), paths: paths).name.contains("test-pad"))
            withExtendedLifetime((pad, motor)) {}
        }

        @Test("doctor lists a gamepad, says why it is no motor, and how to name it")
        func gamepadInDoctor() async throws {
            let pad = try VirtualInput(.gamepad(effects: 1), name: "test-pad")
            let doctor = try await ChildProcess.run(RingerCommandLine.path, "doctor", "--pcm", "null")
            let motors = doctor.output.split(separator: "\n").filter { $0.dropFirst(9).hasPrefix("motor ") }
            #expect(motors.first?.contains(LabBoard.motorName) == true)
            #expect(motors.last?.hasPrefix("unusable motor    force feedback \(pad.path) (test-pad)") == true)
            #expect(doctor.output.contains("repair:  name it, if it is the device's: --motor ff:auto,name=test-pad"))
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
