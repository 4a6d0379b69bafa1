import RingerLinux
import RingerCore
import Testing

extension EitherTime {
    @Suite struct MotorReturnTests {
        // It used to be taken for unplugged and ignored.
        @Test(
            "a line's motor whose chip goes in mid-vibration is turned off when the chip is back, without being asked")
        func chipReturns() async throws {
            let pluggable = try PluggableChip(name: "side", lines: 4, lineNames: [1: "side-motor"])
            var chip = try pluggable.plug()
            let loop = try EventLoop(name: "lab-motor")
            defer { loop.close() }
            let before = try openDevices()
            let motor = try GPIOMotor(.named("side-motor"), loop: loop)
            try await expectTurnedOffOnReturn(motor, loop) {
                // The motor's own thread turns it on.
                while try !chip.isHigh(1) { try await Task.sleep(for: .milliseconds(1)) }
                try pluggable.unplug()
            } plug: {
                chip = try pluggable.plug()
            }
            #expect(try !chip.isHigh(1))
            loop.sync {}
            let after = try openDevices()
            #expect(after == before)
        }

        @Test("an LED's motor whose LED goes in mid-vibration is turned off when the LED is back, without being asked")
        func ledReturns() async throws {
            let driver = "/sys/bus/platform/drivers/leds-gpio"
            let loop = try EventLoop(name: "lab-motor")
            defer { loop.close() }
            let motor = try LEDMotor(loop: loop)
            try await expectTurnedOffOnReturn(motor, loop) {
                try await Task.sleep(for: .milliseconds(10))
                #expect(try LabMotor.led.isTurning())
                try KernelFile.write("leds", to: "\(driver)/unbind")
            } plug: {
                try KernelFile.write("leds", to: "\(driver)/bind")
            }
            #expect(try KernelFile.read("\(LabBoard.ledFolder)/brightness") == "0")
        }

        /// Vibrates, has the motor's device unplugged, stops in vain, and waits until it is turned off by its return.
        private func expectTurnedOffOnReturn(
            _ motor: any VibrationMotor, _ loop: EventLoop, unplug: () async throws -> Void,
            plug: () throws -> Void
        ) async throws {
            let reports = Probe<VibrationReport>(loop)
            let vibrator = Vibrator(motor: motor, clock: loop) { reports.tell($0) }
            vibrator.start(try VibrationPattern(milliseconds: "9000"))
            guard case .on = try await reports.next() else { throw LabFailure("it does not turn") }
            try await unplug()
            vibrator.stop()
            guard case .offFailed(let error, 1, _) = try await reports.next() else {
                throw LabFailure("the failure was not reported: \(reports.all)")
            }
            #expect(error.code == .unreachable)
            try plug()
            guard case .off = try await reports.next() else {
                throw LabFailure("it was not turned off: \(reports.all)")
            }
            #expect(reports.waiting == 0)
            try await vibrator.close()
        }
    }
}
