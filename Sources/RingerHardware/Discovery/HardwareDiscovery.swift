import CEvdev
import Glibc
import RingerServices
import SystemPackage

/// Finds the device's switch, motor and jacks from what the kernel shows.
public enum HardwareDiscovery {
    /// The GPIO line of the switch: its name in `gpio-line-names`.
    public static let switchLine = "ring-silent"
    /// The GPIO line of the motor: its name in `gpio-line-names`.
    public static let motorLine = "vibrator"
    /// The LED that is a motor.
    public static let motorLED = "vibrator"

    /// Looks at every input device, GPIO chip and LED, and closes them again.
    ///
    /// Nothing is requested and nothing moves: a line in use stays so.
    ///
    /// - Parameter paths: Where the kernel shows them.
    /// - Returns: What there is, the part to use first; and what could not be looked at, and why.
    public static func scan(_ paths: HardwarePaths = .standard) -> HardwareFindings {
        var findings = HardwareFindings()
        var sliders: [HardwareFindings.Candidate<SwitchSpecification>] = []
        for file in DirectoryListing.numbered("event", in: paths.input) {
            let path = paths.input.appending(file)
            do throws(RingerError) {
                let device = try EvdevHandle(path)
                look(at: device, into: &findings, &sliders)
            } catch {
                findings.problems.append(HardwareProblem(error, path))
            }
        }
        findings.switches += sliders
        lookForLED(paths, into: &findings)
        for file in DirectoryListing.numbered("gpiochip", in: paths.devices) {
            let path = paths.devices.appending(file)
            do throws(RingerError) {
                let chip = try GPIOChip(path)
                try look(at: chip, into: &findings)
            } catch {
                findings.problems.append(HardwareProblem(error, path))
            }
        }
        return findings
    }

    private static func look(
        at device: borrowing EvdevHandle, into findings: inout HardwareFindings,
        _ sliders: inout [HardwareFindings.Candidate<SwitchSpecification>]
    ) {
        // By its name it is found again when it comes back under another number.
        let selector: EvdevSelector =
            device.deviceName.isEmpty ? .path(device.path) : .automatic(name: device.deviceName)
        if device.has(.muteDevice) {
            findings.switches.append(
                .init(specification: .evdev(selector), name: "evdev \(device.description)", path: device.path))
        }
        if device.has(.soundProfile) {
            sliders.append(
                .init(specification: .slider(selector), name: "slider \(device.description)", path: device.path))
        }
        if device.has(.headphoneInsert) || device.has(.microphoneInsert) {
            findings.jacks.append(
                .init(specification: selector, name: "jack \(device.description)", path: device.path))
        }
        if device.rumbles {
            if let problem = unwritable(device.path) {
                findings.problems.append(problem)
            } else {
                findings.motors.append(
                    .init(
                        specification: .forceFeedback(selector), name: "force feedback \(device.description)",
                        path: device.path))
            }
        }
    }

    private static func lookForLED(_ paths: HardwarePaths, into findings: inout HardwareFindings) {
        let led = paths.leds.appending(motorLED)
        let brightness = led.appending("brightness")
        guard access(brightness.string, F_OK) == 0 else { return }
        if let problem = unwritable(brightness) {
            findings.problems.append(problem)
        } else {
            findings.motors.append(.init(specification: .led(motorLED), name: "LED \(motorLED)", path: led))
        }
    }

    private static func look(
        at chip: borrowing GPIOChip, into findings: inout HardwareFindings
    ) throws(RingerError) {
        if let offset = try chip.offset(ofLine: switchLine) {
            if let problem = held(switchLine, offset, chip) {
                // A line that the kernel's own driver holds is that driver's switch, found already.
                if findings.switches.isEmpty { findings.problems.append(problem) }
            } else {
                let name = "GPIO \(chip.name) line \(offset) (\(switchLine))"
                findings.switches.append(.init(specification: .gpio(.named(switchLine)), name: name, path: chip.path))
            }
        }
        if let offset = try chip.offset(ofLine: motorLine) {
            if let problem = held(motorLine, offset, chip) {
                if findings.motors.isEmpty { findings.problems.append(problem) }
            } else {
                let name = "GPIO \(chip.name) line \(offset) (\(motorLine))"
                findings.motors.append(.init(specification: .gpio(.named(motorLine)), name: name, path: chip.path))
            }
        }
    }

    private static func held(_ line: String, _ offset: Int, _ chip: borrowing GPIOChip) -> HardwareProblem? {
        guard let consumer = chip.consumer(ofLine: offset) else { return nil }
        return HardwareProblem(
            error: RingerError(
                "request the line", "\(chip.name) line \(offset) (\(line))", .resourceBusy,
                detail: "used by \"\(consumer)\""))
    }

    private static func unwritable(_ path: FilePath) -> HardwareProblem? {
        // The effective user counts, not the one who started the program.
        if faccessat(AT_FDCWD, path.string, W_OK, AT_EACCESS) == 0 { return nil }
        return HardwareProblem(RingerError("open for writing", path.string, .current), path)
    }
}
