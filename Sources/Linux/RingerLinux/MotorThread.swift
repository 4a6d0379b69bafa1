import RingerCore
import Synchronization

/// The thread of a motor whose driver may block. The first vibration starts it, with the scheduling of the device's thread. Any
/// thread.
final class MotorThread: Sendable {
    private enum State {
        case unused
        case used(EventLoop)
        case ended
    }

    private let state = Mutex<State>(.unused)

    var isUnused: Bool {
        state.withLock { if case .unused = $0 { true } else { false } }
    }

    /// Calls `body` on the thread; on the caller's, if the system has none left, or the thread was ended.
    func execute(_ body: @escaping @Sendable () -> Void) {
        if let loop { loop.execute(body) } else { body() }
    }

    private var loop: EventLoop? {
        let known = state.withLock { $0 }
        switch known {
        case .used(let loop): return loop
        case .ended: return nil
        case .unused: break
        }
        // Not under the lock.
        guard let new = try? EventLoop(name: "ringer-motor") else { return nil }
        let used: EventLoop? = state.withLock { state in
            if case .unused = state { state = .used(new) }
            if case .used(let loop) = state { return loop }
            return nil
        }
        if used !== new { new.close() }
        return used
    }

    func end() {
        let before = state.withLock { state in
            defer { state = .ended }
            return state
        }
        if case .used(let loop) = before { loop.close() }
    }
}
