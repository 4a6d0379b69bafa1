import Synchronization

/// The end of a recording by a thread: the test asks for it and waits, the thread looks whether it is asked for.
final class RecordingEnd: Sendable {
    private struct State {
        var isAskedFor = false
        var hasCome = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    var isAskedFor: Bool { state.withLock { $0.isAskedFor } }

    func ask() { state.withLock { $0.isAskedFor = true } }

    /// Asks for the end, and returns once it has come.
    func wait() async {
        await withCheckedContinuation { continuation in
            let hasCome = state.withLock { state in
                state.isAskedFor = true
                if !state.hasCome { state.waiter = continuation }
                return state.hasCome
            }
            if hasCome { continuation.resume() }
        }
    }

    /// The thread has ended.
    func come() {
        let waiter = state.withLock { state in
            state.hasCome = true
            return state.waiter.take()
        }
        waiter?.resume()
    }
}
