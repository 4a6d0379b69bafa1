import Glibc
import RingerLinux
import Testing

extension EitherTime {
    @Suite struct LightAndKeyTests {
        /// Whether the status light is lit, or becomes so: the kernel sets what the timer's times say on a thread of its own.
        private func isLit(_ isLit: Bool = true) throws -> Bool {
            for _ in 0..<60_000 {
                if try LabBoard.chip.isHigh(LabBoard.statusLightLine) == isLit { return true }
                usleep(1_000)
            }
            return false
        }

        private func isDark() throws -> Bool { try isLit(false) }

        @Test("the status light is found; the line follows what is shown, and the kernel blinks it")
        func light() async throws {
            let findings = HardwareDiscovery.scan()
            #expect(findings.lights.map(\.specification) == [LabBoard.statusLightName])
            let folder = "/sys/class/leds/\(LabBoard.statusLightName)"
            let device = try await Device.discover(Device.Hardware(motor: MotorSpecification.none))
            defer { device.close() }
            let light = try #require(device.statusLight)
            #expect(light.name == "LED \(LabBoard.statusLightName)")
            #expect(try !LabBoard.chip.isHigh(LabBoard.statusLightLine))
            try light.show(.on)
            #expect(try LabBoard.chip.isHigh(LabBoard.statusLightLine))
            try light.show(.blinking(on: .milliseconds(300), off: .milliseconds(700)))
            #expect(try KernelFile.read("\(folder)/trigger").contains("[timer]"))
            #expect(try KernelFile.read("\(folder)/delay_on") == "300")
            #expect(try KernelFile.read("\(folder)/delay_off") == "700")
            // Back to steady light: the trigger stays, and shows it.
            try light.show(.on)
            #expect(try KernelFile.read("\(folder)/trigger").contains("[timer]"))
            #expect(try isLit())
            try light.show(.off)
            #expect(try isDark())
            try light.show(.on)
            #expect(try isLit())
            device.close()
            #expect(try KernelFile.read("\(folder)/trigger").contains("[none]"))
            #expect(try !LabBoard.chip.isHigh(LabBoard.statusLightLine))
            #expect(throws: RingerError.self) { try light.show(.on) }
        }

        @Test("the light of silence is lit while the device is not at ring, and is no status light then")
        func silentLight() async throws {
            var hardware = Device.Hardware(
                ringSilent: try SwitchSpecification("gpio:ring-silent"), motor: MotorSpecification.none, pcm: "null")
            hardware.silentLight = LabBoard.statusLightName
            let lab = try LabDevice(hardware)
            #expect(lab.device.statusLight == nil)
            #expect(try isDark())
            try LabBoard.chip.setPull(LabBoard.rawSwitchLine, .up)
            #expect(try isLit())
            try LabBoard.chip.setPull(LabBoard.rawSwitchLine, .down)
            #expect(try isDark())
            try await lab.device.setPosition(.vibrate)
            #expect(try isLit())
            lab.device.close()
            #expect(try isDark())
            hardware.statusLight = LabBoard.statusLightName
            let both = hardware
            let error = #expect(throws: RingerError.self) { try LabDevice(both) }
            #expect(error?.code == .invalid)
        }

        @Test("a timer that is set before, as udev does, stays; its times light the line and make it dark")
        func timer() throws {
            let folder = "/sys/class/leds/\(LabBoard.statusLightName)"
            try KernelFile.write("timer", to: "\(folder)/trigger")
            let light = try LEDLight(LabBoard.statusLightName)
            for _ in 1...2 {
                #expect(try isDark())
                try light.show(.on)
                #expect(try isLit())
                try light.show(.blinking(on: .milliseconds(300), off: .milliseconds(700)))
                #expect(try KernelFile.read("\(folder)/delay_on") == "300")
                #expect(try KernelFile.read("\(folder)/delay_off") == "700")
                try light.show(.off)
            }
            #expect(try isDark())
            try light.show(.on)
            try light.close()
            #expect(try isDark())
            #expect(try KernelFile.read("\(folder)/trigger").contains("[timer]"))
            try KernelFile.write("none", to: "\(folder)/trigger")
        }

        @Test("a key that is held while its device is unplugged is released before the loss")
        func unpluggedKey() async throws {
            let input = try VirtualInput(.keys([113]), name: "test-keys")
            let loop = try EventLoop(name: "test-keys")
            let keys = KeySource(.automatic(name: "test-keys"), loop: loop)
            let (changes, continuation) = AsyncStream<DeviceStateChange>.makeStream()
            try keys.start { continuation.yield($0) }
            try input.setKey(113, isPressed: true)
            var reports: [Bool] = []
            for await change in changes {
                if case .key(.silenceRing, let isPressed, _) = change { reports.append(isPressed) }
                if reports == [true] { try input.unplug() }
                if case .lost = change { break }
            }
            #expect(reports == [true, false])
            keys.close()
            loop.close()
        }

        @Test("a volume key reports its press and each repetition while it is held, and is released with its device")
        func volumeKeys() async throws {
            let input = try VirtualInput(.keys([114, 115]), name: "test-volume")
            #expect(HardwareDiscovery.scan().volumeKeys.map(\.specification).contains(.automatic(name: "test-volume")))
            let loop = try EventLoop(name: "test-volume")
            let keys = KeySource(.automatic(name: "test-volume"), volumeKeys: true, loop: loop)
            let (changes, continuation) = AsyncStream<DeviceStateChange>.makeStream()
            try keys.start { continuation.yield($0) }
            // One that was held before: it was not pressed.
            try input.repeatKey(115)
            try input.setKey(115, isPressed: true)
            for _ in 0..<2 { try input.repeatKey(115) }
            var reports: [String] = []
            for await change in changes {
                switch change {
                case .key(let key, let isPressed, _): reports.append("\(key.rawValue) \(isPressed)")
                case .keyRepeated(let key, _): reports.append("\(key.rawValue) again")
                default: break
                }
                if reports.count == 3 { try input.unplug() }
                if case .lost = change { break }
            }
            #expect(reports == ["volumeUp true", "volumeUp again", "volumeUp again", "volumeUp false"])
            keys.close()
            loop.close()
        }

        @Test("keys are found, and each press and release is an event of the device with the kernel's time")
        func keys() async throws {
            #expect(HardwareDiscovery.scan().keys.map(\.specification) == [.automatic(name: LabBoard.keysName)])
            let device = try await Device.discover(Device.Hardware(motor: MotorSpecification.none))
            defer { device.close() }
            var events = device.events.makeAsyncIterator()
            func nextKey() async -> (DeviceKey, Bool, MonotonicTime)? {
                while let event = await events.next() {
                    if case .key(let key, let isPressed, let at) = event { return (key, isPressed, at) }
                }
                return nil
            }
            var last = device.clock.now
            for (line, key) in [
                (LabBoard.keyLines.repeat, DeviceKey.repeatAnnouncement), (LabBoard.keyLines.silence, .silenceRing),
            ] {
                for isPressed in [true, false] {
                    try LabBoard.chip.setPull(line, isPressed ? .up : .down)
                    let event = try #require(await nextKey())
                    #expect(event.0 == key && event.1 == isPressed && event.2 > last)
                    last = event.2
                }
            }
        }

        @Test("a keyboard, which has these keys as well, is not used")
        func keyboard() async throws {
            let keyboard = try VirtualInput(.keys([1, 30, 113, 129]), name: "test-keyboard")
            #expect(HardwareDiscovery.scan().keys.map(\.specification) == [.automatic(name: LabBoard.keysName)])
            withExtendedLifetime(keyboard) {}
        }
    }
}
