import RingerCore
import SystemPackage

/// A Ring/Silent switch as it is named on the command line.
///
/// | text | switch | options |
/// |---|---|---|
/// | `gpio:NAME`, `gpio:CHIP:OFFSET` | ``GPIOSwitch`` | `active-low`, `inverted`, `bias=as-is\|pull-up\|pull-down\|disabled`, `debounce=10ms` |
/// | `evdev:auto`, `evdev:PATH` | ``EvdevSwitch`` | `name=PART`, `code=SW_MUTE_DEVICE`, `inverted` |
/// | `slider:auto`, `slider:PATH` | ``EvdevSlider`` | `name=PART`, `settle=50ms` |
/// | `button:gpio:NAME`, `button:gpio:CHIP:OFFSET` | a push button, ``PositionButton`` | `active-low`, `bias=...`, `debounce=10ms`, `toggle`, `cycle`, `long=600ms` |
/// | `button:evdev:auto`, `button:evdev:PATH` | a push button | `code=KEY_MUTE`, which must be there, `name=PART`, `debounce=10ms`, `toggle`, `cycle`, `long=600ms` |
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
    /// A push button in the place of a switch: its presses move the kept position, which is the switch's. Its contact is a GPIO line,
    /// or the key of an input device, which other programs may read too.
    indirect case button(SwitchSpecification, PositionButton = .init())

    /// The switch that `text` names.
    ///
    /// - Throws: ``RingerError`` with the code `invalid`, whose detail gives the reason.
    public init(_ text: String) throws(RingerError) {
        guard text.hasPrefix("button:") else {
            var specification = try SpecificationParser(text, what: "switch")
            try self.init(&specification, ofButton: nil)
            try specification.finish()
            return
        }
        var specification = try SpecificationParser(String(text.dropFirst(7)), what: "switch", prefix: "button:")
        var button = PositionButton()
        if try specification.takeFlag("cycle") { button.order = .cycle }
        if try specification.takeFlag("toggle") {
            if button.order == .cycle { throw specification.failure("a button is \"toggle\" or \"cycle\", not both") }
        }
        button.longPress = try specification.takeDuration("long")
        if button.longPress == .zero { throw specification.failure("\"long=0\" is no time to hold a button") }
        if let debounce = try specification.takeDuration("debounce") { button.debounce = debounce }
        self = .button(try SwitchSpecification(&specification, ofButton: button), button)
        try specification.finish()
    }

    /// The switch, or the contact of `button`.
    private init(_ specification: inout SpecificationParser, ofButton button: PositionButton?) throws(RingerError) {
        switch specification.kind {
        case "gpio":
            var options = GPIOSwitch.Options()
            options.isActiveLow = try specification.takeFlag("active-low")
            if let button { options.debounce = button.debounce }
            if button == nil { options.isInverted = try specification.takeFlag("inverted") }
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
                guard let named = button == nil ? EvdevCode(switchNamed: text) : EvdevCode(keyNamed: text) else {
                    let such = button == nil ? "switch such as SW_MUTE_DEVICE or 14" : "key such as KEY_MUTE or 113"
                    throw specification.failure("\"code=\(text)\" is no \(such)")
                }
                code = named
            } else if button != nil {
                throw specification.failure("the button's key is missing, such as code=KEY_MUTE")
            }
            let isInverted = button == nil ? try specification.takeFlag("inverted") : false
            self = .evdev(try specification.selector(named: name), code: code, isInverted: isInverted)
        case "slider" where button == nil:
            let name = try specification.takeValue("name")
            let settleTime = try specification.takeDuration("settle") ?? .milliseconds(50)
            self = .slider(try specification.selector(named: name), settleTime: settleTime)
        default:
            throw specification.failure(
                button == nil
                    ? "it begins with none of gpio:, evdev:, slider:, button:"
                    : "a button is button:gpio: or button:evdev:")
        }
    }

    /// Makes the switch; of a button, its contact, which is at silent while it is pressed. ``RingSilentSwitch/start(_:)`` opens it.
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
        case .button(let contact, _): contact.make(loop: loop, paths: paths, isAwaited: isAwaited)
        }
    }
}
