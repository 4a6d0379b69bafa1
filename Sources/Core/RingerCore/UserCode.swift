import Glibc
import Synchronization

/// Code of the library's user: completions, observers, log handlers.
///
/// It may block for any time. Therefore it never runs inside a transition of the ``Core``, on the device's thread or on the
/// sound thread, where it would delay stops. ``DeviceClock/callBack(_:)`` runs it.
package enum UserCode {
    /// The state of one thread, used on it alone.
    private final class ThreadState {
        /// How many cores without a thread are performing effects, nested.
        var drains = 0
        /// How many calls of user code are running, nested.
        var calls = 0
        /// User code that waits for the effects to be performed.
        var waiting: [@Sendable () -> Void] = []
        var isRunningWaiting = false
    }

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

    // MARK: - In virtual time, where cores have no thread

    /// Runs `body` on the calling thread once it performs no effects and no other user code: a virtual clock's replacement
    /// for the callback thread.
    package static func runAfterEffects(_ body: @escaping @Sendable () -> Void) {
        let state = state
        state.waiting.append(body)
        runWaiting(state)
    }

    /// The calling thread begins to perform effects.
    static func enterDrain() {
        state.drains += 1
    }

    /// The calling thread has performed the effects.
    static func leaveDrain() {
        let state = state
        state.drains -= 1
        runWaiting(state)
    }

    private static func runWaiting(_ state: ThreadState) {
        // One call after another, as on a thread of its own.
        guard state.drains == 0, !state.isRunningWaiting, !state.waiting.isEmpty else { return }
        state.isRunningWaiting = true
        defer { state.isRunningWaiting = false }
        while !state.waiting.isEmpty { run(state.waiting.removeFirst()) }
    }
}

/// What is to be called once with the outcome of one call of the library.
///
/// If the outcome is known before the call returns, it is called on the caller's thread just before the return; not inside
/// other user code, where a completion that makes the same call again would never return, nor inside a transition. Otherwise
/// that is an effect.
package final class UserCompletion<Outcome: Sendable>: Sendable {
    private struct State: Sendable {
        var outcome: Outcome?
        /// Whether the call has returned.
        var hasReturned = false
        /// Taken out by the thread that calls it, which frees what it refers to.
        var body: (@Sendable (Outcome) -> Void)?
    }

    private let state: Mutex<State>
    private let core: Core
    private let clock: (any DeviceClock)?

    /// The completion of a call in progress. The caller of this initialiser calls ``callReturns()`` at its end.
    ///
    /// - Parameter clock: Runs a later outcome's `body` as user code (``DeviceClock/callBack(_:)``); nil where `body` is the
    ///   library's own, such as the end of a task's wait.
    package init(_ clock: (any DeviceClock)?, _ core: Core, _ body: @escaping @Sendable (Outcome) -> Void) {
        self.clock = clock
        self.core = core
        state = Mutex(State(body: body))
    }

    /// Takes the outcome. Calls after the first do nothing.
    package func complete(_ outcome: Outcome) {
        let isLater = state.withLock { state in
            if state.outcome != nil { return false }
            state.outcome = outcome
            return state.hasReturned
        }
        if isLater { callLater(outcome) }
    }

    /// The call is about to return: passes an outcome that is known to the completion now.
    package func callReturns() {
        let known: Outcome? = state.withLock { state in
            state.hasReturned = true
            return state.outcome
        }
        guard let known else { return }
        if clock == nil { return call(known) }
        if UserCode.isRunning || core.isInTransition { return callLater(known) }
        UserCode.run { call(known) }
    }

    private func callLater(_ outcome: Outcome) {
        core.perform { [self] in
            if let clock { clock.callBack { [self] in call(outcome) } } else { call(outcome) }
        }
    }

    private func call(_ outcome: Outcome) {
        state.withLock { $0.body.take() }?(outcome)
    }
}

/// Begins a call with `begin`, whose outcome ``UserCompletion`` hands to `completion`; nil where nobody wants it.
package func withUserCompletion<Outcome: Sendable>(
    _ completion: (@Sendable (Outcome) -> Void)?, on clock: any DeviceClock, _ core: Core,
    _ begin: (_ completion: @escaping @Sendable (Outcome) -> Void) -> Void
) {
    guard let completion else { return begin { _ in } }
    let user = UserCompletion(clock, core, completion)
    begin { user.complete($0) }
    user.callReturns()
}

/// Waits for the outcome of what `begin` begins with its completion.
package func outcome<Outcome: Sendable>(
    _ core: Core, _ begin: (_ completion: @escaping @Sendable (Outcome) -> Void) -> Void
) async -> Outcome {
    await withCheckedContinuation { continuation in
        let waiter = UserCompletion<Outcome>(nil, core) { continuation.resume(returning: $0) }
        begin { waiter.complete($0) }
        waiter.callReturns()
    }
}

/// Waits for the outcome of what `begin` begins, in a transition, with its completion. `stop` ends it when the task is
/// cancelled.
package func outcome<Outcome: Sendable>(
    _ core: Core, _ begin: (_ completion: @escaping @Sendable (Outcome) -> Void) -> Void,
    onCancel stop: @Sendable () -> Void
) async -> Outcome {
    await withTaskCancellationHandler {
        await outcome(core) { completion in
            core.transition {
                begin(completion)
                // The task may have been cancelled before there was anything to stop. In the same transition: nothing of it
                // is heard.
                if Task.isCancelled { stop() }
            }
        }
    } onCancel: {
        stop()
    }
}
