/// The Ring/Silent switch: its position now, then each change.
///
/// On Linux a GPIO line, an evdev switch or an evdev slider; in a test, one that the test sets.
public protocol RingSilentSwitch: Sendable {
    /// What the switch is, for people: "evdev /dev/input/event0 (ring-silent-switch)".
    var name: String { get }

    /// Begins to watch, and reports to `handler` the current position, then each event in order, on the device's thread.
    ///
    /// The first position is reported before the call returns, except that of a slider that has not settled, which
    /// follows. Edges between reading it and watching are not lost. A port that waits for its switch reports
    /// ``SwitchEvent/lost(_:at:)`` instead where the switch cannot be read, and its position once it can.
    ///
    /// - Throws: ``RingerError`` where the switch cannot be read and the port does not wait for it, or where the name
    ///   can never be right (`invalid`, `unsupported`); nothing is being watched then.
    func start(_ handler: @escaping @Sendable (SwitchEvent) -> Void) throws(RingerError)

    /// Ends watching and frees what the kernel holds for it. The handler is not called again after it returns, except
    /// by a call that is under way on another thread. A second call does nothing.
    func close()
}

/// What a switch reports.
@nonexhaustive
public enum SwitchEvent: Sendable, Hashable {
    /// The switch stands at `position` since `at`: the kernel's stamp of the edge; for a position that was read, rather
    /// than reported, the time of reading.
    case position(SwitchPosition, at: MonotonicTime)
    /// The kernel dropped edges before they were read (`SYN_DROPPED`, a gap in the sequence numbers): `count` of them
    /// where it is known. The position was read again and follows, where it changed.
    case dropped(count: Int?, at: MonotonicTime)
    /// The switch is gone: unplugged, its chip removed; before the first position: it cannot be read. The port waits for
    /// it.
    case lost(RingerError, at: MonotonicTime)
    /// The switch is back; its position follows.
    case found(at: MonotonicTime)
}
