import Synchronization

/// Rules over time, as a value: events go in, actions come out.
package protocol StateMachine: Sendable {
    /// What can happen.
    associatedtype Event: Sendable
    /// What to do.
    associatedtype Action: Sendable

    /// Takes in an event and returns what to do, in order.
    mutating func handle(_ event: Event) -> [Action]
}

/// Runs a state machine: any thread sends events; actions are performed one at a time, in the order of the events, and
/// never under the lock.
///
/// The first thread to send an event performs its actions and those of events that other threads send meanwhile. An
/// action may send events; their actions are performed after it. An action must not block, since the stop of a motor
/// may be waiting: user code is handed to ``UserCompletion`` or ``DeviceClock/callBack(_:)``.
package final class StateMachineRunner<Machine: StateMachine>: Sendable {
    private struct State {
        var machine: Machine
        var pending: [Machine.Action] = []
        var isAtWork = false
    }

    private let state: Mutex<State>
    private let perform: @Sendable (Machine.Action, StateMachineRunner) -> Void

    /// Runs `machine`. `perform` performs an action, and may send events to the runner.
    package init(_ machine: Machine, perform: @escaping @Sendable (Machine.Action, StateMachineRunner) -> Void) {
        state = Mutex(State(machine: machine))
        self.perform = perform
    }

    /// Sends an event.
    package func send(_ event: Machine.Event) {
        send { machine in (machine.handle(event), ()) }
    }

    /// Calls `body` with the machine to send an event, and returns the answer of `body`. The actions may not have been
    /// performed yet if another thread is performing actions.
    package func send<Answer: Sendable>(
        _ body: (inout Machine) -> (actions: [Machine.Action], answer: Answer)
    ) -> Answer {
        // If no thread is performing actions, nothing is pending: these actions run first, and need not be queued.
        let (actions, answer): ([Machine.Action], Answer) = state.withLock { state in
            let (actions, answer) = body(&state.machine)
            if state.isAtWork {
                state.pending.append(contentsOf: actions)
                return ([], answer)
            }
            state.isAtWork = !actions.isEmpty
            return (actions, answer)
        }
        if !actions.isEmpty { work(actions) }
        return answer
    }

    private func work(_ first: [Machine.Action]) {
        let isCounted = UserCode.enterRunner()
        defer { UserCode.leaveRunner(isCounted) }
        var actions = first
        while !actions.isEmpty {
            for action in actions { perform(action, self) }
            actions = state.withLock { state in
                let actions = state.pending
                state.pending = []
                if actions.isEmpty { state.isAtWork = false }
                return actions
            }
        }
    }

    /// Reads the machine's current state. Actions that it returned may not have been performed yet.
    package func read<Result: Sendable>(_ body: @Sendable (Machine) -> Result) -> Result {
        state.withLock { body($0.machine) }
    }
}
