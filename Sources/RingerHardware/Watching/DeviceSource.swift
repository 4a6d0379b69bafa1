import Glibc
import RingerServices

/// A device that is open and tells what happens to it through a descriptor.
///
/// It owns the descriptor; dropping it closes the device. ``DeviceWatcher`` runs it, on the event loop's thread.
protocol DeviceSource: ~Copyable, Sendable {
    /// What it tells.
    associatedtype Report: Sendable

    /// What the device is, for people.
    var name: String { get }

    /// The descriptor that is readable when there is something to read. It stays the source's.
    var descriptor: CInt { get }

    /// When ``tick(now:into:)`` is to be called; nil while nothing is awaited.
    var deadline: MonotonicTime? { get }

    /// Whether the device is still there, as far as its file tells: a descriptor does not always wake its reader when
    /// the device goes.
    var isPresent: Bool { get }

    /// What is so now: the first thing that is told, once the descriptor is being watched.
    mutating func begin(now: MonotonicTime, into reports: inout [Report]) throws(RingerError)

    /// Reads what the descriptor has: something, where `isReady`, as the loop has seen. What was read before an error
    /// stands in `reports`. `now` asks the clock, which costs a system call on some machines.
    ///
    /// - Returns: Whether there may be more, to be read as soon as what was read has been told.
    mutating func read(
        isReady: Bool, now: () -> MonotonicTime, into reports: inout [Report]
    ) throws(RingerError) -> Bool

    /// The deadline has come.
    mutating func tick(now: MonotonicTime, into reports: inout [Report]) throws(RingerError)
}

extension DeviceSource where Self: ~Copyable {
    var deadline: MonotonicTime? { nil }
    var isPresent: Bool { true }
    mutating func tick(now: MonotonicTime, into reports: inout [Report]) throws(RingerError) {}
}
