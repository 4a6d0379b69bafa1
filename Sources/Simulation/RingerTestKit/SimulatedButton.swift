import RingerCore
import Synchronization

/// A push button that moves the kept position, which the test presses. Any thread.
///
/// A board's button stands beside its switch: its presses add silence. For a board that has a button alone set `ringSilent` of
/// the device's ports to nil and `hasButton` to true.
public final class SimulatedButton: DeviceStateSource, Sendable {
    /// The button's contact: at silent while the button is pressed. It can be unplugged, and drop edges.
    public let contact: SimulatedSwitch
    private let clock: any DeviceClock
    private let source: ButtonSource
    private let newest = Mutex(PositionButton())

    /// "simulated button".
    public let name = "simulated button"

    /// A button that is not pressed, on `clock`.
    public init(clock: any DeviceClock) {
        self.clock = clock
        contact = SimulatedSwitch(clock: clock)
        source = ButtonSource(contact, PositionButton(), clock: clock)
    }

    /// What presses do. After it was set, a press that is under way counts no more.
    public var behaviour: PositionButton {
        get { newest.withLock { $0 } }
        set {
            newest.withLock { $0 = newValue }
            source.setButton(newValue)
        }
    }

    /// Presses the button, and releases it after `length`, on the board's clock; nil to leave it pressed.
    public func press(for length: Duration? = nil) {
        contact.position = .silent
        guard let length else { return }
        if length == .zero { return release() }
        _ = clock.schedule(at: clock.now + length) { [contact] in contact.position = .ring }
    }

    /// Releases the button.
    public func release() {
        contact.position = .ring
    }

    /// Starts reporting to `handler`.
    public func start(_ handler: @escaping @Sendable (DeviceStateChange) -> Void) throws(RingerError) {
        try source.start(handler)
    }

    /// Reports what happened to the contact while the machine slept.
    public func rereadAfterSleep() {
        source.rereadAfterSleep()
    }

    /// Stops reporting.
    public func close() {
        source.close()
    }
}
