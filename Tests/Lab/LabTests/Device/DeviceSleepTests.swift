import RingerLinux
import Testing

extension VirtualTime {
    @Suite struct DeviceSleepTests {
        @Test(
            "before a sleep the motor's line goes low and stays low, whatever the motor; afterwards the motor turns again",
            arguments: LabMotor.allCases)
        func prepared(motor: LabMotor) async throws {
            let lab = try LabDevice(.init(motor: try MotorSpecification(motor.rawValue), pcm: "null"))
            let recorder = try LineRecorder(LabBoard.chip, line: motor.line)
            let pattern = try VibrationPattern(milliseconds: "9000")
            async let long = lab.device.vibrate(pattern)
            while try !motor.isTurning() { try await Task.sleep(for: .milliseconds(1)) }
            try await Task.sleep(for: .milliseconds(100))
            #expect(lab.device.prepareForSleep())
            #expect(await long == .stopped(.caller))
            guard case .failed(let error) = await lab.device.vibrate() else {
                Issue.record("it turned the motor before the machine slept")
                return
            }
            #expect(error.code == .busy)
            try await Task.sleep(for: .milliseconds(100))
            #expect(try !motor.isTurning())
            lab.device.wokeFromSleep()
            #expect(await lab.device.vibrate() == .finished)
            try await Task.sleep(for: .milliseconds(10))
            #expect(try !motor.isTurning())
            #expect(try await recorder.stop().count == 2)
        }
    }
}
