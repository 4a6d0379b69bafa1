/// Rules over time, as a value: events go in, actions come out.
package protocol StateMachine: Sendable {
    /// What can happen.
    associatedtype Event: Sendable
    /// What to do.
    associatedtype Action: Sendable

    /// Takes in an event and appends what to do, in order: to an array whose memory is used again, at each edge of the switch.
    mutating func handle(_ event: Event, _ actions: inout [Action])
}

extension StateMachine {
    /// Takes in an event and returns what to do, in order.
    package mutating func handle(_ event: Event) -> [Action] {
        var actions: [Action] = []
        handle(event, &actions)
        return actions
    }
}

/// A state machine of a ``Core``: any thread sends events, and the actions are carried out in the same transition.
///
/// An action that concerns another state machine calls it; one that concerns anything else adds an effect
/// (``Core/perform(_:)``). Actions are carried out one at a time, in the order of the events: those of an event that an
/// action sends come after it.
// SAFETY: the variables are used inside transitions of the core alone, which makes one at a time. The checks for overlapping
// accesses, a tenth of an edge's instructions, find nothing: a machine is a value, whose methods know no runner.
package final class StateMachineRunner<Machine: StateMachine>: @unchecked Sendable {
    package let core: Core
    @exclusivity(unchecked) private var machine: Machine
    @exclusivity(unchecked) private var actions: [Machine.Action] = []
    /// Those that are being carried out, the next one last.
    @exclusivity(unchecked) private var current: [Machine.Action] = []
    @exclusivity(unchecked) private(set) var isAtWork = false
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
        send { $0.handle(event, &$1) }
    }

    /// Calls `body` with the machine to send an event, and with where it appends the actions.
    func send(_ body: (inout Machine, inout [Machine.Action]) -> Void) {
        core.transition {
            body(&machine, &actions)
            carryOutActions()
        }
    }

    /// Calls `body` with the machine to send an event, and with where it appends the actions but for the last one, which it
    /// returns. Most edges of the switch lead to one, which then needs no memory, or none.
    func send(_ body: (inout Machine, inout [Machine.Action]) -> Machine.Action?) {
        core.transition {
            if let last = body(&machine, &actions) {
                if isAtWork || !actions.isEmpty {
                    actions.append(last)
                } else {
                    isAtWork = true
                    carryOut(last, self)
                    isAtWork = false
                }
            }
            if !actions.isEmpty { carryOutActions() }
        }
    }

    /// Calls `body` with the machine to send an event, and returns the answer of `body`. The actions have been carried out
    /// by then, unless the caller is itself called by one of them.
    package func send<Answer: Sendable>(
        _ body: (inout Machine) -> (actions: [Machine.Action], answer: Answer)
    ) -> Answer {
        core.transition {
            let (new, answer) = body(&machine)
            actions += new
            carryOutActions()
            return answer
        }
    }

    private func carryOutActions() {
        if isAtWork { return }
        isAtWork = true
        while !actions.isEmpty {
            swap(&actions, &current)
            if current.count > 1 { current.reverse() }
            let isLarge = current.count > 16
            // To take the last one moves it: nothing is copied, and the memory is kept for the next event.
            while let action = current.popLast() { carryOut(action, self) }
            if isLarge { current = [] }
        }
        isAtWork = false
    }

    /// Reads the machine's current state: where it is, not from a copy of all of it. `body` changes nothing.
    package func read<Result: Sendable>(_ body: (inout Machine) -> Result) -> Result {
        core.read { body(&machine) }
    }
}
