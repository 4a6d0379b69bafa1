import CEvdev
import Glibc
import RingerCore
import SystemPackage

/// Finds the device's switch, motor, jacks, keys and status light in what the kernel shows.
package enum HardwareDiscovery {
    /// The GPIO line of the switch: its name in `gpio-line-names`.
    package static let switchLine = "ring-silent"
    /// The GPIO line of the motor: its name in `gpio-line-names`.
    package static let motorLine = "vibrator"
    /// The name of an LED that is a motor.
    package static let motorLED = "vibrator"

    /// Looks at every input device, GPIO chip and LED.
    ///
    /// No line is requested, nothing is changed, and everything is closed again. A switch that this process may not
    /// open is found in sysfs and the device tree, and is listed with its ``HardwareFindings/Candidate/problem``.
    ///
    /// - Parameter paths: Where the kernel shows its devices.
    /// - Returns: The parts that were found, the preferred one first, and what could not be looked at.
    package static func scan(_ paths: HardwarePaths = .standard) -> HardwareFindings {
        let evidence = SwitchEvidence(paths)
        var findings = HardwareFindings()
        var later = Later()
        let inputs = DirectoryListing.numbered("event", in: paths.input)
        // The kernel's devices whose files this process does not see, as in a container, come last.
        for file in inputs + evidence.inputDevices.filter({ !inputs.contains($0) }) {
            let path = paths.input.appending(file)
            do throws(RingerError) {
                let device = try EvdevHandle(path)
                look(at: device, into: &findings, &later)
            } catch {
                let isMissing = error.errno == .noSuchFileOrDirectory
                let problem = isMissing ? .missingFile(path) : HardwareProblem(error, path)
                let isSwitch = look(at: evidence, of: path, problem, into: &findings, &later)
                if !isSwitch && inputs.contains(file) { findings.problems.append(problem) }
            }
        }
        findings.switches += later.sliders
        findings.motors = later.motors[0] + later.motors[1]
        lookForLED(paths, into: &findings)
        lookForLights(paths, into: &findings)
        lookForLines(paths, evidence, into: &findings)
        findings.motors += later.motors[2]
        return findings
    }

    /// What others of its kind may be preferred to: the motors by their rank.
    private struct Later {
        var sliders: [HardwareFindings.Candidate<SwitchSpecification>] = []
        var motors: [[HardwareFindings.Candidate<MotorSpecification>]] = [[], [], []]
    }

    private static func lookForLines(
        _ paths: HardwarePaths, _ evidence: SwitchEvidence, into findings: inout HardwareFindings
    ) {
        func hidden(_ chip: String, _ problem: HardwareProblem) {
            findings.switches.append(
                .init(
                    specification: .gpio(.named(switchLine)), name: "GPIO \(chip) (\(switchLine))",
                    path: paths.devices.appending(chip), problem: problem))
        }
        let chips = DirectoryListing.numbered("gpiochip", in: paths.devices)
        for file in chips {
            let path = paths.devices.appending(file)
            do throws(RingerError) {
                let chip = try GPIOChip(path)
                try look(at: chip, into: &findings)
            } catch {
                let problem = HardwareProblem(error, path)
                // If there is another switch, the line may be the one that its driver uses.
                if findings.switches.isEmpty && evidence.hasLine(switchLine, chip: file) {
                    hidden(file, problem)
                } else {
                    findings.problems.append(problem)
                }
            }
        }
        guard findings.switches.isEmpty else { return }
        if let file = evidence.chips.first(where: { evidence.hasLine(switchLine, chip: $0) }), !chips.contains(file) {
            hidden(file, .missingFile(paths.devices.appending(file)))
        } else if let node = evidence.node(ofLine: switchLine) {
            hidden(
                node.lastComponent?.string ?? "chip",
                HardwareProblem(
                    error: RingerError(
                        .notFound, "find a GPIO chip with the line \(switchLine)", node.string,
                        detail: "the device tree names the line: is its controller's driver loaded?")))
        }
    }

    /// Adds the switch of an input device that cannot be opened, if sysfs shows one.
    ///
    /// - Returns: Whether sysfs shows one.
    private static func look(
        at evidence: SwitchEvidence, of path: FilePath, _ problem: HardwareProblem,
        into findings: inout HardwareFindings, _ later: inout Later
    ) -> Bool {
        guard let file = path.lastComponent?.string else { return false }
        let hasSwitch = evidence.has(.muteDevice, inputDevice: file)
        let hasSlider = evidence.has(.soundProfile, inputDevice: file)
        guard hasSwitch || hasSlider else { return false }
        let deviceName = evidence.name(ofInputDevice: file)
        let selector: EvdevSelector = deviceName.isEmpty ? .path(path) : .automatic(name: deviceName)
        let name = deviceName.isEmpty ? path.string : "\(path) (\(deviceName))"
        if hasSwitch {
            findings.switches.append(
                .init(specification: .evdev(selector), name: "evdev \(name)", path: path, problem: problem))
        }
        if hasSlider {
            later.sliders.append(
                .init(specification: .slider(selector), name: "slider \(name)", path: path, problem: problem))
        }
        return true
    }

    private static func look(
        at device: borrowing EvdevHandle, into findings: inout HardwareFindings, _ later: inout Later
    ) {
        // Its name finds it again when it comes back under another number.
        let selector: EvdevSelector =
            device.deviceName.isEmpty ? .path(device.path) : .automatic(name: device.deviceName)
        if device.has(.muteDevice) {
            findings.switches.append(
                .init(specification: .evdev(selector), name: "evdev \(device.description)", path: device.path))
        }
        if device.has(.soundProfile) {
            later.sliders.append(
                .init(specification: .slider(selector), name: "slider \(device.description)", path: device.path))
        }
        if device.has(.headphoneInsert) || device.has(.microphoneInsert) {
            findings.jacks.append(
                .init(specification: selector, name: "jack \(device.description)", path: device.path))
        }
        if !device.isKeyboard, device.has(.again) || device.has(.mute) {
            findings.keys.append(.init(specification: selector, name: "keys \(device.description)", path: device.path))
        }
        if !device.isKeyboard, device.has(.volumeUp) || device.has(.volumeDown) {
            findings.volumeKeys.append(
                .init(specification: selector, name: "volume keys \(device.description)", path: device.path))
        }
        if let rank = device.motorRank {
            let gamepad = RingerError(
                .unsupported, "use as the device's motor", device.description,
                detail: "it has buttons or axes, as a gamepad: it is used only where it is named")
            if rank < 2, let problem = unwritable(device.path) {
                findings.problems.append(problem)
            } else {
                later.motors[rank].append(
                    .init(
                        specification: .forceFeedback(selector), name: "force feedback \(device.description)",
                        path: device.path, problem: rank < 2 ? nil : HardwareProblem(error: gamepad)))
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

    /// LEDs are named `device:color:function`, each part optional; a number may follow the function
    /// (Documentation/leds/leds-class.rst).
    private static func lookForLights(_ paths: HardwarePaths, into findings: inout HardwareFindings) {
        // Sorted while inserting, as ``DirectoryListing`` does.
        var orders: [(Int, Int, Int, String)] = []
        for name in DirectoryListing.names(in: paths.leds) {
            guard let rank = lightRank(name) else { continue }
            let led = paths.leds.appending(name)
            let problem = unwritable(led.appending("brightness"))
            // An LED that another trigger drives shows something else, such as the kernel's heartbeat.
            let isFree = ["none", "timer"].contains(LEDLight.trigger(of: led))
            let order = (rank, isFree ? 0 : 1, problem == nil ? 0 : 1, name)
            let index = orders.firstIndex { order < $0 } ?? orders.endIndex
            orders.insert(order, at: index)
            findings.lights.insert(
                .init(specification: name, name: "LED \(name)", path: led, problem: problem), at: index)
        }
    }

    /// How good an LED is as a status light, by the function in its name: 0 is best; nil if it is none.
    private static func lightRank(_ name: String) -> Int? {
        var function = name[...]
        if let colon = function.lastIndex(of: ":") { function = function[function.index(after: colon)...] }
        if let hyphen = function.firstIndex(of: "-") { function = function[..<hyphen] }
        return function == "status" ? 0 : function == "indicator" ? 1 : nil
    }

    private static func look(
        at chip: borrowing GPIOChip, into findings: inout HardwareFindings
    ) throws(RingerError) {
        if let offset = try chip.offset(ofLine: switchLine) {
            let problem = held(switchLine, offset, chip)
            // A line held by a driver of the kernel is the switch of that driver, which was found already.
            if problem == nil || findings.switches.isEmpty {
                let name = "GPIO \(chip.name) line \(offset) (\(switchLine))"
                findings.switches.append(
                    .init(
                        specification: .gpio(.named(switchLine)), name: name, path: chip.path, problem: problem))
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

    private static func held(_ line: String, _ offset: UInt32, _ chip: borrowing GPIOChip) -> HardwareProblem? {
        guard let consumer = chip.consumer(ofLine: offset) else { return nil }
        return HardwareProblem(
            error: RingerError(
                "request the line", "\(chip.name) line \(offset) (\(line))", .resourceBusy,
                detail: "used by \"\(consumer)\""))
    }

    private static func unwritable(_ path: FilePath) -> HardwareProblem? {
        // Check the rights of the effective user.
        if faccessat(AT_FDCWD, path.string, W_OK, AT_EACCESS) == 0 { return nil }
        return HardwareProblem(RingerError("open for writing", path.string, .current), path)
    }
}
