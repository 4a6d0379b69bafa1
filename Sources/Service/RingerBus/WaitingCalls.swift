/// The calls that have arrived and are to be answered: each program has one answered in turn, so that one that sends many waits
/// itself. Those of a program of which the bus has not yet said who it is wait for that.
package struct WaitingCalls<Call> {
    private struct Program {
        var calls: [(call: Call, size: Int)] = []
        var size = 0
        var caller: BusCaller?
        var isKnown = false
    }

    private let mostMemory: Int
    private var programs: [String: Program] = [:]
    /// The programs that are known, in the order of their turns.
    private var turns: [String] = []
    private var memory = 0

    /// - Parameter mostMemory: What the calls of all programs may take together.
    package init(mostMemory: Int = 2 << 20) {
        self.mostMemory = mostMemory
    }

    /// Whether a program's turn has come.
    package var hasNext: Bool { !turns.isEmpty }

    /// Adds a call.
    ///
    /// - Parameters:
    ///   - size: How much memory it takes.
    ///   - caller: Whose it is; nil where the bus has to be asked.
    /// - Returns: The calls that have no place: the newest of the programs whose calls take the most memory. And whether somebody
    ///   has to ask the bus.
    package mutating func add(
        _ call: Call, size: Int, of name: String, by caller: BusCaller?
    ) -> (refused: [Call], mustAsk: Bool) {
        var mustAsk = false
        if programs[name] == nil {
            programs[name] = Program()
            if let caller { know(name, as: caller) } else { mustAsk = true }
        }
        programs[name]?.calls.append((call, size))
        programs[name]?.size += size
        memory += size
        var refused: [Call] = []
        while memory > mostMemory, let largest = programs.max(by: { $0.value.size < $1.value.size })?.key,
            let last = programs[largest]?.calls.popLast()
        {
            refused.append(last.call)
            removed(last.size, of: largest)
        }
        return (refused, mustAsk && programs[name] != nil)
    }

    /// Removes the newest call of the program that has the most, and of these of the one whose calls take the most memory.
    package mutating func removeNewest() -> Call? {
        let most = programs.max { ($0.value.calls.count, $0.value.size) < ($1.value.calls.count, $1.value.size) }
        guard let name = most?.key, let last = programs[name]?.calls.popLast() else { return nil }
        removed(last.size, of: name)
        return last.call
    }

    /// The bus has said who a program is; nil where it does not know.
    package mutating func know(_ name: String, as caller: BusCaller?) {
        guard programs[name]?.isKnown == false else { return }
        programs[name]?.caller = caller
        programs[name]?.isKnown = true
        turns.append(name)
    }

    /// Takes the oldest call of the program whose turn it is, which has its next one after all others.
    package mutating func next() -> (call: Call, caller: BusCaller?)? {
        guard !turns.isEmpty else { return nil }
        let name = turns.removeFirst()
        turns.append(name)
        let caller = programs[name]?.caller
        guard let next = programs[name]?.calls.removeFirst() else { return nil }
        removed(next.size, of: name)
        return (next.call, caller)
    }

    private mutating func removed(_ size: Int, of name: String) {
        memory -= size
        programs[name]?.size -= size
        guard programs[name]?.calls.isEmpty == true else { return }
        programs[name] = nil
        turns.removeAll { $0 == name }
    }
}
