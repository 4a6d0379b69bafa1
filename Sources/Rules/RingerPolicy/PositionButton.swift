/// How the presses of a button move the position that is kept beside the switch's.
public struct PositionButton: Sendable, Hashable {
    /// Where a press leads to.
    public enum Order: String, Sendable, Hashable, CaseIterable {
        /// From ring to silent, and from silent or vibrate to ring.
        case toggle
        /// From ring to vibrate, from vibrate to silent, and from silent to ring.
        case cycle

        /// The position after a press at `position`; nil, none that is kept, counts as ring.
        public func position(after position: SwitchPosition?) -> SwitchPosition {
            switch (self, position ?? .ring) {
            case (.toggle, .ring), (.cycle, .vibrate): .silent
            case (.cycle, .ring): .vibrate
            case (_, .silent), (.toggle, .vibrate): .ring
            }
        }
    }

    /// Where a press leads to.
    public var order: Order
    /// How long the button has to be held to count; nil where each press counts, as soon as it is down. A long press counts when
    /// this time is reached, not when the button is released.
    public var longPress: Duration?
    /// A press that follows the last release within this time belongs to the press before.
    public var debounce: Duration

    /// By default each press changes between ring and silent.
    public init(order: Order = .toggle, longPress: Duration? = nil, debounce: Duration = .milliseconds(10)) {
        self.order = order
        self.longPress = longPress
        self.debounce = debounce
    }
}
