/// The Ring/Silent switch: its position now, then each change.
///
/// On Linux a GPIO line, an evdev switch or an evdev slider; in a test, one that the test sets. A switch of your own keeps its
/// handler in a structure; ``SoundOutput`` says why.
public protocol RingSilentSwitch: Sendable {
    /// The switch's name, for people: "evdev /dev/input/event0 (ring-silent-switch)".
    var name: String { get }

    /// Starts watching: reports to `handler` the current position, then each event in order, on the device's thread.
    ///
    /// The first position is reported before the call returns; that of a slider follows once it has settled. Edges
    /// between the first reading and watching are not lost. If the switch cannot be read and the port waits for it, the
    /// port reports ``SwitchEvent/lost(_:at:)`` instead, and the position once it can be read.
    ///
    /// - Throws: ``RingerError`` if the switch cannot be read and the port does not wait for it, or if the name can
    ///   never be right (`invalid`, `unsupported`). Nothing is watched then.
    func start(_ handler: @escaping @Sendable (SwitchEvent) -> Void) throws(RingerError)

    /// Reads the position anew, and reports it before it returns if it is another one: a switch that is moved while the
    /// machine sleeps may cause no edge. Does nothing by default.
    func reread()

    /// Ends watching and frees the switch's kernel resources. When it has returned, the handler is not called again,
    /// except by a call that is running on another thread. A second call does nothing.
    func close()
}

extension RingSilentSwitch {
    /// Does nothing: for a switch whose changes are reported when the machine wakes.
    public func reread() {}
}

/// What a switch reports.
@nonexhaustive
public enum SwitchEvent: Sendable, Hashable {
    /// The switch has been at `position` since `at`: the kernel's timestamp of the edge, or the time of reading for a
    /// position that was read.
    case position(SwitchPosition, at: MonotonicTime)
    /// The kernel dropped edges before they were read (`SYN_DROPPED`, a gap in the sequence numbers): `count` of them,
    /// if known. The position was read again, and follows if it changed.
    case dropped(count: Int?, at: MonotonicTime)
    /// The switch is gone: unplugged, or its chip removed. Before the first position: it cannot be read. The port waits
    /// for it.
    case lost(RingerError, at: MonotonicTime)
    /// The switch is back; its position follows.
    case found(at: MonotonicTime)
}
