/// The Ring/Silent switch: its position now, then each change.
///
/// On Linux a GPIO line, an evdev switch or an evdev slider; in a test, one that the test sets.
public protocol RingSilentSwitch: Sendable {
    /// What the switch is, for people: "evdev /dev/input/event0 (ring-silent-switch)".
    var name: String { get }

    /// Begins to watch, and tells `handler` the position now, then each event in order, on the device's thread.
    ///
    /// The first position is told before the call returns; edges between reading it and watching are not lost.
    ///
    /// - Throws: ``RingerError`` where the switch is missing, forbidden or in use; nothing is being watched then.
    func start(_ handler: @escaping @Sendable (SwitchEvent) -> Void) throws(RingerError)

    /// Ends watching and frees what the kernel holds for it. The handler is not called again after it returns, except
    /// by a call that is under way on another thread. A second call does nothing.
    func close()
}

/// What a switch tells.
public enum SwitchEvent: Sendable, Hashable {
    /// The switch stands at `position` since `at`: the kernel's stamp of the edge; for a position that was read, rather
    /// than reported, the time of reading.
    case position(SwitchPosition, at: MonotonicTime)
    /// The kernel dropped edges before they were read (`SYN_DROPPED`, a gap in the sequence numbers): `count` of them
    /// where it is known. The position was read again and follows, where it changed.
    case dropped(count: Int?, at: MonotonicTime)
    /// The switch is gone: unplugged, its chip removed. The port waits for it to come back.
    case lost(RingerError, at: MonotonicTime)
    /// The switch is back; its position follows.
    case found(at: MonotonicTime)
}
