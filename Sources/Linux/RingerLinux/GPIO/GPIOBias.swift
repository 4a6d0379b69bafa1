import CGPIOD

/// What pulls a GPIO line to a level while it is not driven.
public enum GPIOBias: String, Sendable, Hashable, CaseIterable {
    /// Unchanged: as set by the board or the line's last user.
    case asIs = "as-is"
    /// A resistor to the supply.
    case pullUp = "pull-up"
    /// A resistor to ground.
    case pullDown = "pull-down"
    /// None.
    case disabled

    var rawBias: ringer_gpio_bias {
        switch self {
        case .asIs: RINGER_GPIO_BIAS_AS_IS
        case .pullUp: RINGER_GPIO_BIAS_PULL_UP
        case .pullDown: RINGER_GPIO_BIAS_PULL_DOWN
        case .disabled: RINGER_GPIO_BIAS_DISABLED
        }
    }
}
