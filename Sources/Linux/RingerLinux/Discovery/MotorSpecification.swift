import RingerCore
import SystemPackage

/// A vibration motor as it is named on the command line.
///
/// | text | motor | options |
/// |---|---|---|
/// | `ff:auto`, `ff:PATH` | ``ForceFeedbackMotor`` | `name=PART` |
/// | `led:NAME` | ``LEDMotor`` | |
/// | `gpio:NAME`, `gpio:CHIP:OFFSET` | ``GPIOMotor`` | `active-low` |
/// | `none` | none | |
public enum MotorSpecification: Sendable, Hashable {
    /// An input device with rumble effects.
    case forceFeedback(EvdevSelector)
    /// An LED.
    case led(String)
    /// A GPIO line.
    case gpio(GPIOLine, isActiveLow: Bool = false)
    /// The device has no motor, or must not use it.
    case none

    /// The motor that `text` names.
    ///
    /// - Throws: ``RingerError`` with the code `invalid`, whose detail gives the reason.
    public init(_ text: String) throws(RingerError) {
        var specification = try SpecificationParser(text, what: "motor")
        switch specification.kind {
        case "ff":
            let name = try specification.takeValue("name")
            self = .forceFeedback(try specification.selector(named: name))
        case "led":
            guard !specification.device.isEmpty, !specification.device.contains("/") else {
                throw specification.failure("the LED's name is missing: led:NAME, as in /sys/class/leds")
            }
            self = .led(specification.device)
        case "gpio":
            let isActiveLow = try specification.takeFlag("active-low")
            self = .gpio(try specification.line(), isActiveLow: isActiveLow)
        case "none":
            guard specification.device.isEmpty else { throw specification.failure("\"none\" names no device") }
            self = .none
        default:
            throw specification.failure("it begins with none of ff:, led:, gpio:, and is not \"none\"")
        }
        try specification.finish()
    }

    /// Opens the motor; nil for ``none``.
    ///
    /// - Parameters:
    ///   - loop: The thread on which the return of a lost device is watched for.
    ///   - paths: Where the kernel shows its devices.
    /// - Throws: ``RingerError`` if the motor is missing, forbidden or in use.
    public func make(
        loop: EventLoop, paths: HardwarePaths = .standard
    ) throws(RingerError) -> (any VibrationMotor)? {
        switch self {
        case .forceFeedback(let device): try ForceFeedbackMotor(device, paths: paths)
        case .led(let name): try LEDMotor(name, loop: loop, paths: paths)
        case .gpio(let line, let isActiveLow): try GPIOMotor(line, isActiveLow: isActiveLow, loop: loop, paths: paths)
        case .none: nil
        }
    }
}
