import Glibc
import RingerHardware
import Synchronization

/// Runs something once. Other callers wait for its end, except from within it, where they would deadlock. Any thread.
final class Once: Sendable {
    private enum State {
        case idle
        case running(thread: UInt)
        case done
    }

    private let state = Mutex(State.idle)
    private let isDone = Latch()

    /// Runs `body` if this is the first call; else returns once the first call's body has returned.
    func run(_ body: () -> Void) {
        let thread = UInt(pthread_self())
        let before = state.withLock { state in
            let before = state
            if case .idle = before { state = .running(thread: thread) }
            return before
        }
        switch before {
        case .idle:
            body()
            state.withLock { $0 = .done }
            isDone.open()
        case .running(let other) where other == thread: break
        case .running:
            isDone.wait()
            // Let the next waiting caller through.
            isDone.open()
        case .done: break
        }
    }
}
