import RingerCore
import Synchronization

/// Records a device's signals. Pass ``record(_:)`` as the observer of the device's events. Any thread.
public final class SignalRecorder: Sendable {
    fileprivate struct State {
        var trace: SignalTrace
        var isBegun: Bool
    }

    private let state: Mutex<State>

    /// A recorder that begins at `start`; nil for the first change.
    public init(start: MonotonicTime? = nil) {
        state = Mutex(
            State(trace: SignalTrace(start: start ?? MonotonicTime(nanoseconds: 0)), isBegun: start != nil))
    }

    /// The trace recorded so far.
    public var trace: SignalTrace { state.withLock { $0.trace } }

    /// Records an event.
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

    /// Records a remark.
    public func mark(_ text: String, at time: MonotonicTime) {
        state.withLock { state in
            state.trace.add(.mark(text), at: time)
            state.begin()
        }
    }
}

extension SignalRecorder.State {
    /// Starts the trace at its first change.
    fileprivate mutating func begin() {
        guard !isBegun, let first = trace.changes.last else { return }
        trace.start = first.at
        isBegun = true
    }
}
