/// Rules over time, as a value: events go in, actions come out.
package protocol StateMachine: Sendable {
    /// What can happen.
    associatedtype Event: Sendable
    /// What to do.
    associatedtype Action: Sendable

    /// Takes in an event and returns what to do, in order.
    mutating func handle(_ event: Event) -> [Action]
}

/// A state machine of a ``Core``: any thread sends events, and the actions are carried out in the same transition.
///
/// An action that concerns another state machine calls it; one that concerns anything else adds an effect
/// (``Core/perform(_:)``). Actions are carried out one at a time, in the order of the events: those of an event that an
/// action sends come after it.
// SAFETY: the variables are used inside transitions of the core alone, which makes one at a time.
package final class StateMachineRunner<Machine: StateMachine>: @unchecked Sendable {
    package let core: Core
    private var machine: Machine
    private var pending: [Machine.Action] = []
    private var isAtWork = false
    private let carryOut: @Sendable (Machine.Action, StateMachineRunner) -> Void

    /// Runs `machine` in `core`; `carryOut` carries out an action, inside the transition.
    package init(
        _ machine: Machine, in core: Core, carryOut: @escaping @Sendable (Machine.Action, StateMachineRunner) -> Void
    ) {
        self.core = core
        self.machine = machine
        self.carryOut = carryOut
    }

    /// Sends an event.
    package func send(_ event: Machine.Event) {
        send { machine in (machine.handle(event), ()) }
    }

    /// Calls `body` with the machine to send an event, and returns the answer of `body`. The actions have been carried out
    /// by then, unless the caller is itself called by one of them.
    package func send<Answer: Sendable>(
        _ body: (inout Machine) -> (actions: [Machine.Action], answer: Answer)
    ) -> Answer {
        core.transition {
            let (new, answer) = body(&machine)
            if isAtWork {
                pending.append(contentsOf: new)
                return answer
            }
            isAtWork = true
            var actions = new
            while !actions.isEmpty {
                for action in actions { carryOut(action, self) }
                actions = pending
                pending = []
            }
            isAtWork = false
            return answer
        }
    }

    /// Reads the machine's current state.
    package func read<Result: Sendable>(_ body: (Machine) -> Result) -> Result {
        core.read { body(machine) }
    }
}
