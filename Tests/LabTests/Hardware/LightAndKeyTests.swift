import Ringer
import Testing

extension EitherTime {
    @Suite struct LightAndKeyTests {
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
            // Back to steady light: the trigger is gone.
            try light.show(.on)
            #expect(try KernelFile.read("\(folder)/trigger").contains("[none]"))
            #expect(try LabBoard.chip.isHigh(LabBoard.statusLightLine))
            device.close()
            #expect(try !LabBoard.chip.isHigh(LabBoard.statusLightLine))
            #expect(throws: RingerError.self) { try light.show(.on) }
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
