import Synchronization

/// Rules over time as a value: what happened goes in, what is to be done comes out.
package protocol StateMachine: Sendable {
    /// What can happen.
    associatedtype Event: Sendable
    /// What can be asked to be done.
    associatedtype Action: Sendable

    /// Takes in what happened, and says what is to be done, in order.
    mutating func handle(_ event: Event) -> [Action]
}

/// Runs a state machine: events come in from any thread, actions are carried out one after another, in the order in
/// which the events were taken in, and never under the lock.
///
/// The first thread to send an event carries out its actions and those of events that other threads send meanwhile. An
/// action may send events; their actions are carried out after it. An action must not block: the stop of a motor may wait
/// behind it. User code is therefore handed to ``UserCompletion`` or ``DeviceClock/callBack(_:)``.
package final class StateMachineRunner<Machine: StateMachine>: Sendable {
    private struct State {
        var machine: Machine
        var pending: [Machine.Action] = []
        var isAtWork = false
    }

    private let state: Mutex<State>
    private let perform: @Sendable (Machine.Action, StateMachineRunner) -> Void

    /// Runs `machine`; `perform` carries out its actions, and is handed the runner to send what comes of them.
    package init(_ machine: Machine, perform: @escaping @Sendable (Machine.Action, StateMachineRunner) -> Void) {
        state = Mutex(State(machine: machine))
        self.perform = perform
    }

    /// Tells the machine what happened.
    package func send(_ event: Machine.Event) {
        send { machine in (machine.handle(event), ()) }
    }

    /// Has `body` tell the machine what happened, and returns what it learnt by that. The actions may not have been
    /// carried out yet, where another thread is at work.
    package func send<Answer: Sendable>(
        _ body: (inout Machine) -> (actions: [Machine.Action], answer: Answer)
    ) -> Answer {
        // Nothing is pending where nobody is at work: these actions go first, and need not be put there.
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

    /// Reads the machine as it is now. Actions that it asked for may not have been carried out yet.
    package func read<Result: Sendable>(_ body: @Sendable (Machine) -> Result) -> Result {
        state.withLock { body($0.machine) }
    }
}
