import Glibc
import RingerCore

/// An open device that reports what happens to it through a descriptor.
///
/// It owns the descriptor; dropping it closes the device. ``HotplugReader`` runs it, on the event loop's thread.
protocol WatchedDevice: ~Copyable, Sendable {
    /// What the device reports.
    associatedtype Report: Sendable

    /// The device's name, for people.
    var name: String { get }

    /// Readable when there is something to read. The device closes it.
    var descriptor: CInt { get }

    /// When to call ``tick(now:into:)``; nil for never.
    var deadline: MonotonicTime? { get }

    /// Whether the device's file is still there: some drivers do not wake the readers of a device that disappears.
    var isPresent: Bool { get }

    /// Reports the current state. It is called first, before the descriptor is watched.
    mutating func begin(now: MonotonicTime, into reports: inout [Report]) throws(RingerError)

    /// Reads what the descriptor has. Reports read before an error are in `reports`.
    ///
    /// - Parameters:
    ///   - isReady: Whether the descriptor is known to be readable.
    ///   - now: Reads the clock, which costs a system call on some machines.
    /// - Returns: Whether to read again once these reports have been passed on, and tasks that wait for them had time to run:
    ///   there may be more.
    mutating func read(
        isReady: Bool, now: () -> MonotonicTime, into reports: inout [Report]
    ) throws(RingerError) -> Bool

    /// Called at the ``deadline``.
    mutating func tick(now: MonotonicTime, into reports: inout [Report]) throws(RingerError)
}

extension WatchedDevice where Self: ~Copyable {
    var deadline: MonotonicTime? { nil }
    var isPresent: Bool { true }
    mutating func tick(now: MonotonicTime, into reports: inout [Report]) throws(RingerError) {}
}
