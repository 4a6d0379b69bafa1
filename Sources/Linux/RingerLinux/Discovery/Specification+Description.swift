extension SwitchSpecification: CustomStringConvertible {
    /// The specification as text. Parsing it gives the same switch, unless a name contains a comma.
    public var description: String {
        switch self {
        case .gpio(let line, let options):
            var text = "gpio:\(line.specification)"
            if options.isActiveLow { text += ",active-low" }
            if options.isInverted { text += ",inverted" }
            if options.bias != .asIs { text += ",bias=\(options.bias.rawValue)" }
            if options.debounce != GPIOSwitch.Options().debounce {
                text += ",debounce=\(options.debounce.specification)"
            }
            return text
        case .evdev(let device, let code, let isInverted):
            var text = "evdev:\(device.specification)"
            if code != .muteDevice { text += ",code=\(code.code)" }
            if isInverted { text += ",inverted" }
            return text
        case .slider(let device, let settleTime):
            let settle = settleTime == .milliseconds(50) ? "" : ",settle=\(settleTime.specification)"
            return "slider:\(device.specification)\(settle)"
        case .button(let contact, let button):
            var text = "button:\(contact)"
            if button.order != .toggle { text += ",\(button.order)" }
            if let longPress = button.longPress { text += ",long=\(longPress.specification)" }
            // That of a line is among its own options.
            if !contact.isLine && button.debounce != PositionButton().debounce {
                text += ",debounce=\(button.debounce.specification)"
            }
            return text
        }
    }
}

extension MotorSpecification: CustomStringConvertible {
    /// The specification as text. Parsing it gives the same motor, unless a name contains a comma.
    public var description: String {
        switch self {
        case .forceFeedback(let device): "ff:\(device.specification)"
        case .led(let name): "led:\(name)"
        case .gpio(let line, let isActiveLow): "gpio:\(line.specification)\(isActiveLow ? ",active-low" : "")"
        case .none: "none"
        }
    }
}

extension GPIOLine {
    fileprivate var specification: String {
        switch self {
        case .named(let name): name
        case .offset(let offset, let chip): "\(chip):\(offset)"
        }
    }
}

extension EvdevSelector {
    fileprivate var specification: String {
        let device = path?.string ?? "auto"
        return name.map { "\(device),name=\($0)" } ?? device
    }
}

extension Duration {
    fileprivate var specification: String { self == .zero ? "0" : "\(nanoseconds / 1000)us" }
}
