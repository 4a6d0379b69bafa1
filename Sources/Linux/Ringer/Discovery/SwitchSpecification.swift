import RingerCore
import SystemPackage

/// A Ring/Silent switch as it is named on the command line.
///
/// | text | switch | options |
/// |---|---|---|
/// | `gpio:NAME`, `gpio:CHIP:OFFSET` | ``GPIOSwitch`` | `active-low`, `inverted`, `bias=as-is\|pull-up\|pull-down\|disabled`, `debounce=10ms` |
/// | `evdev:auto`, `evdev:PATH` | ``EvdevSwitch`` | `name=PART`, `code=SW_MUTE_DEVICE`, `inverted` |
/// | `slider:auto`, `slider:PATH` | ``EvdevSlider`` | `name=PART`, `settle=50ms` |
///
/// Options follow, each after a comma. A name that contains a comma cannot be written, nor a line's name with a colon
/// that a number follows; make such a switch in code.
public enum SwitchSpecification: Sendable, Hashable {
    /// A GPIO line.
    case gpio(GPIOLine, GPIOSwitch.Options = .init())
    /// A switch of an input device.
    case evdev(EvdevSelector, code: EvdevCode = .muteDevice, isInverted: Bool = false)
    /// A three-position slider.
    case slider(EvdevSelector, settleTime: Duration = .milliseconds(50))

    /// The switch that `text` names.
    ///
    /// - Throws: ``RingerError`` with the code `invalid`, whose detail gives the reason.
    public init(_ text: String) throws(RingerError) {
        var specification = try SpecificationText(text, what: "switch")
        switch specification.kind {
        case "gpio":
            var options = GPIOSwitch.Options()
            options.isActiveLow = try specification.takeFlag("active-low")
            options.isInverted = try specification.takeFlag("inverted")
            if let bias = try specification.takeValue("bias") {
                guard let bias = GPIOBias(rawValue: bias) else {
                    let known = GPIOBias.allCases.map(\.rawValue).joined(separator: ", ")
                    throw specification.failure("\"bias=\(bias)\" is none of \(known)")
                }
                options.bias = bias
            }
            if let debounce = try specification.takeDuration("debounce") { options.debounce = debounce }
            self = .gpio(try specification.line(), options)
        case "evdev":
            let name = try specification.takeValue("name")
            var code = EvdevCode.muteDevice
            if let text = try specification.takeValue("code") {
                guard let named = EvdevCode(switchNamed: text) else {
                    throw specification.failure("\"code=\(text)\" is no switch such as SW_MUTE_DEVICE or 14")
                }
                code = named
            }
            let isInverted = try specification.takeFlag("inverted")
            self = .evdev(try specification.selector(named: name), code: code, isInverted: isInverted)
        case "slider":
            let name = try specification.takeValue("name")
            let settleTime = try specification.takeDuration("settle") ?? .milliseconds(50)
            self = .slider(try specification.selector(named: name), settleTime: settleTime)
        default:
            throw specification.failure("it begins with none of gpio:, evdev:, slider:")
        }
        try specification.finish()
    }

    /// Makes the switch. ``RingSilentSwitch/start(_:)`` opens it.
    ///
    /// - Parameters:
    ///   - loop: The thread that reads it.
    ///   - paths: Where the kernel shows its devices.
    ///   - isAwaited: Whether to wait for a switch that cannot be opened at the start, as after it was unplugged.
    ///     Starting it then reports ``SwitchEvent/lost(_:at:)``, and throws only if the name can never be right
    ///     (`invalid`, `unsupported`).
    public func make(
        loop: EventLoop, paths: HardwarePaths = .standard, isAwaited: Bool = false
    ) -> any RingSilentSwitch {
        switch self {
        case .gpio(let line, let options):
            GPIOSwitch(line, options, loop: loop, paths: paths, isAwaited: isAwaited)
        case .evdev(let device, let code, let isInverted):
            EvdevSwitch(device, code: code, isInverted: isInverted, loop: loop, paths: paths, isAwaited: isAwaited)
        case .slider(let device, let settleTime):
            EvdevSlider(device, settleTime: settleTime, loop: loop, paths: paths, isAwaited: isAwaited)
        }
    }
}
