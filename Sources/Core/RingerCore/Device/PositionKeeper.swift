/// Takes in the kept position that software or a button sets, keeps it in its file, and ends it at its time.
// SAFETY: all state is used inside transitions of the core.
final class PositionKeeper: @unchecked Sendable {
    /// Nil where it is not kept over a restart.
    private let file: (any PositionFile)?
    private let clock: any DeviceClock
    private let publisher: StatePublisher
    private let quietHours: QuietHoursClock?
    private let report: @Sendable (DeviceEvent) -> Void
    private var end: TimedPosition.End?
    private var timer: (any DeviceTimer)?
    private var isClosed = false

    /// - Parameter first: The position that `publisher` begins with; nil for none.
    init(
        _ file: (any PositionFile)?, first: TimedPosition?, _ clock: any DeviceClock, _ publisher: StatePublisher,
        _ quietHours: QuietHoursClock?, report: @escaping @Sendable (DeviceEvent) -> Void
    ) {
        (self.file, self.clock, self.publisher, self.quietHours, self.report) = (
            file, clock, publisher, quietHours, report
        )
        end = first?.end
    }

    /// Takes in a change of the kept position, and keeps it. `completion` is called once it is kept, or with why it is not.
    func move(
        _ change: DeviceStateChange, from source: String, index: Int = 0, at time: MonotonicTime,
        _ completion: @escaping @Sendable (RingerError?) -> Void
    ) {
        publisher.core.transition {
            // What follows an end has none: that of a position which is replaced before its own end follows both.
            let next = end?.next ?? publisher.state.keptPosition ?? .ring
            var change = change
            // An end that changes nothing is none.
            if case .keptPosition(next, until: .some) = change { change = .keptPosition(next) }
            publisher.change(change, from: source, index: index, at: time)
            let state = publisher.state
            end = state.keptPositionUntil.map { TimedPosition.End(at: $0, next: next) }
            // In the order in which they take effect.
            if let position = state.keptPosition { file?.write(TimedPosition(position, end), completion) }
            look()
        }
        if file == nil { completion(nil) }
    }

    /// Ends the position if its time has come, and waits for its end otherwise: at the start, when the wall clock reaches that or
    /// is set, and after a sleep, before anything sounds.
    func look() {
        publisher.core.transition {
            timer.take()?.cancel()
            guard let end, !isClosed, let position = publisher.state.keptPosition else { return }
            guard TimedPosition(position, end).isOver(at: clock.wallTime) else {
                timer = clock.schedule(atWallTime: .seconds(end.at)) { [weak self] in self?.look() }
                return
            }
            // Those that begin in the same second, and whose own timer is not due yet.
            quietHours?.look()
            move(.keptPosition(end.next), from: "end of the kept position", at: clock.now) { [report, clock] error in
                if let error { report(.degraded(error, at: clock.now)) }
            }
        }
    }

    func close() {
        publisher.core.transition {
            isClosed = true
            timer.take()?.cancel()
        }
    }

    /// - Throws: ``RingerError`` if `end` is no time at which a position can end.
    func check(_ end: Int64?) throws(RingerError) {
        guard let end else { return }
        let now = clock.wallTime.components.seconds
        let problem: String
        if end >= TimedPosition.ends.upperBound {
            problem = "it is not before the year 2200"
        } else if end <= now {
            problem = "it is not in the future: now is \(now)"
        } else if end < TimedPosition.ends.lowerBound {
            problem = "the clock was never set, and it is before the year 2026"
        } else {
            return
        }
        throw RingerError(.invalid, "set the position", "until \(end)", detail: problem)
    }
}
