import Glibc
import Synchronization

/// Code of the library's user: completions, observers, log handlers.
///
/// It may block for any time. Therefore it never runs inside a ``StateMachineRunner``, on the device's thread or on the
/// sound thread, where it would delay stops. ``DeviceClock/callBack(_:)`` runs it.
package enum UserCode {
    /// The state of one thread, used on it alone.
    private final class ThreadState {
        /// How many state machine runners are performing actions, nested.
        var runners = 0
        /// How many calls of user code are running, nested.
        var calls = 0
        /// User code that waits for the runners to finish.
        var waiting: [@Sendable () -> Void] = []
        var isRunningWaiting = false
    }

    /// Whether runners are counted. Only a virtual clock needs that; on hardware an edge is handled in fewer steps
    /// without it.
    private static let countsRunners = Atomic(false)
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        // SAFETY: the value is the reference that `state` retained for the thread, which ends here.
        pthread_key_create(&key) { value in
            if let value { Unmanaged<ThreadState>.fromOpaque(value).release() }
        }
        return key
    }()

    private static var state: ThreadState {
        if let known = pthread_getspecific(key) {
            // SAFETY: the pointer is a retained reference that is released when its thread ends, not before.
            return Unmanaged<ThreadState>.fromOpaque(known).takeUnretainedValue()
        }
        let state = ThreadState()
        pthread_setspecific(key, Unmanaged.passRetained(state).toOpaque())
        return state
    }

    /// Runs `body`, and marks the thread as running user code meanwhile.
    package static func run(_ body: () -> Void) {
        let state = state
        state.calls += 1
        defer { state.calls -= 1 }
        body()
    }

    /// Whether the calling thread runs user code: then a call of the library comes from a completion or an observer.
    package static var isRunning: Bool { state.calls > 0 }

    // MARK: - In virtual time

    /// Starts counting runners, for ``runAfterRunners(_:)``.
    package static func countRunners() {
        countsRunners.store(true, ordering: .relaxed)
    }

    /// Runs `body` on the calling thread once no runner and no other user code is running on it: a virtual clock's
    /// replacement for the callback thread.
    package static func runAfterRunners(_ body: @escaping @Sendable () -> Void) {
        let state = state
        state.waiting.append(body)
        runWaiting(state)
    }

    /// A runner begins to perform actions on the calling thread.
    ///
    /// - Returns: Whether ``leaveRunner(_:)`` has to be called at its end.
    static func enterRunner() -> Bool {
        guard countsRunners.load(ordering: .relaxed) else { return false }
        state.runners += 1
        return true
    }

    /// A runner has performed its actions.
    static func leaveRunner(_ isCounted: Bool) {
        guard isCounted else { return }
        let state = state
        state.runners -= 1
        runWaiting(state)
    }

    private static func runWaiting(_ state: ThreadState) {
        // One call after another, as on a thread of its own.
        guard state.runners == 0, !state.isRunningWaiting, !state.waiting.isEmpty else { return }
        state.isRunningWaiting = true
        defer { state.isRunningWaiting = false }
        while !state.waiting.isEmpty { run(state.waiting.removeFirst()) }
    }
}

/// The user's completion of one call of the library.
///
/// If the outcome is known before the call returns, the completion runs on the caller's thread just before the return.
/// A later outcome is handed to ``DeviceClock/callBack(_:)``.
package final class UserCompletion<Outcome: Sendable>: Sendable {
    private enum Phase: Sendable {
        case calling
        case known(Outcome)
        case returned
        case over
    }

    private let phase = Mutex(Phase.calling)
    private let clock: any DeviceClock
    private let body: @Sendable (Outcome) -> Void

    /// The completion of a call in progress. The caller of this initialiser calls ``callReturns()`` at its end.
    package init(_ clock: any DeviceClock, _ body: @escaping @Sendable (Outcome) -> Void) {
        self.clock = clock
        self.body = body
    }

    /// Takes the outcome. Calls after the first do nothing.
    package func complete(_ outcome: Outcome) {
        let isLater = phase.withLock { phase in
            switch phase {
            case .calling:
                phase = .known(outcome)
                return false
            case .returned:
                phase = .over
                return true
            case .known, .over:
                return false
            }
        }
        if isLater { clock.callBack { [body] in body(outcome) } }
    }

    /// The call is about to return: passes an outcome that is known to the completion now.
    package func callReturns() {
        let known: Outcome? = phase.withLock { phase in
            switch phase {
            case .known(let outcome):
                phase = .over
                return outcome
            case .calling:
                phase = .returned
                return nil
            case .returned, .over:
                return nil
            }
        }
        if let known { UserCode.run { body(known) } }
    }
}

/// Completions by number, each called once. Any thread.
final class CompletionTable<ID: Hashable & Sendable, Result: Sendable>: Sendable {
    private let completions = Mutex<[ID: @Sendable (Result) -> Void]>([:])

    /// Stores `completion` for `id`.
    func add(_ id: ID, _ completion: @escaping @Sendable (Result) -> Void) {
        completions.withLock { $0[id] = completion }
    }

    /// Calls and removes the completion of `id`, if there is one.
    func complete(_ id: ID, with result: Result) {
        completions.withLock { $0.removeValue(forKey: id) }?(result)
    }
}

/// Begins a call with `begin`, whose outcome ``UserCompletion`` hands to `completion`; nil where nobody wants it.
package func withUserCompletion<Outcome: Sendable, Value, Failure: Error>(
    _ completion: (@Sendable (Outcome) -> Void)?, on clock: any DeviceClock,
    _ begin: (_ completion: @escaping @Sendable (Outcome) -> Void) throws(Failure) -> Value
) throws(Failure) -> Value {
    guard let completion else { return try begin { _ in } }
    let user = UserCompletion(clock, completion)
    let value = try begin { user.complete($0) }
    user.callReturns()
    return value
}

/// Waits for the outcome of what `begin` begins with its completion. `stop` ends it when the task is cancelled.
package func outcome<Outcome: Sendable>(
    _ begin: (_ completion: @escaping @Sendable (Outcome) -> Void) -> Void, onCancel stop: @Sendable () -> Void
) async -> Outcome {
    await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
            begin { continuation.resume(returning: $0) }
            // The task may have been cancelled before there was anything to stop.
            if Task.isCancelled { stop() }
        }
    } onCancel: {
        stop()
    }
}
