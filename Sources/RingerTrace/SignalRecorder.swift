import RingerServices
import Synchronization

/// Records a device's signals: give ``record(_:)`` to whoever tells the device's events.
public final class SignalRecorder: Sendable {
    fileprivate struct State {
        var trace: SignalTrace
        var isBegun: Bool
    }

    private let state: Mutex<State>

    /// A recorder of what happens from `start` on; where it is nil, from the first change on.
    public init(start: MonotonicTime? = nil) {
        state = Mutex(
            State(trace: SignalTrace(start: start ?? MonotonicTime(nanoseconds: 0)), isBegun: start != nil))
    }

    /// What was recorded until now.
    public var trace: SignalTrace { state.withLock { $0.trace } }

    /// Takes in an event.
    public func record(_ event: DeviceEvent) {
        state.withLock { state in
            state.trace.add(event)
            state.begin()
        }
    }

    /// Ends the trace at `time`.
    public func end(at time: MonotonicTime) {
        state.withLock { state in
            state.trace.end = time
            if !state.isBegun { state.trace.start = time }
        }
    }

    /// Takes in what somebody did or saw.
    public func mark(_ text: String, at time: MonotonicTime) {
        state.withLock { state in
            state.trace.add(.mark(text), at: time)
            state.begin()
        }
    }
}

extension SignalRecorder.State {
    /// Lets the trace begin with its first change.
    fileprivate mutating func begin() {
        guard !isBegun, let first = trace.changes.last else { return }
        trace.start = first.at
        isBegun = true
    }
}
