import CSnapshot
import Glibc
@testable import RingerCore

/// Searches the orders of events breadth first: all states that lie so many steps from the beginning, before those that lie
/// one more. A state that was seen before is not followed again.
///
/// A state is known by its path of steps. The world is taken to a state by restoring its memory at the nearest state of the
/// path that is kept, and by taking the steps from there; neighbours in the search have most of their paths in common.
struct Search {
    struct Options {
        var budget = Budget()
        var name = "all"
        var depth = 64
        var seconds = Int.max
        /// So many distinct states have to be found.
        var least: UInt64 = 0
        var processes = 2
        var seed: UInt64 = 0
        /// There is room for so many binary digits of fingerprints, and for three quarters as many states.
        var bits: UInt32 = 24
        var states: Int { 3 << (bits - 2) }
        /// How many states are run out to their end, and rebuilt in a world of their own: one of so many.
        var sample: UInt64 = 64
    }

    /// A state: the one before it, and the step from there.
    private struct Node {
        var parent: UInt32
        var step: UInt16
        /// What is wrong with it: 1 in the state itself, 2 where it is run out, 3 where it cannot be rebuilt; 0 if nothing.
        var verdict: UInt16
    }

    private enum Limit {
        static let depth = 64
        static let chunk: UInt64 = 256
    }

    /// What the processes share.
    private struct Counters {
        var claimed: UInt64 = 0
        var nodes: UInt64 = 1
        var transitions: UInt64 = 0
        var ranOut: UInt64 = 0
        var isFull: UInt64 = 0
    }

    let options: Options
    private let seen: UnsafeMutablePointer<UInt64>
    private let nodes: UnsafeMutablePointer<Node>
    private let counters: UnsafeMutablePointer<Counters>
    private let start = Self.now()

    init(_ options: Options) {
        self.options = options
        func shared<Value>(_ type: Value.Type, _ count: Int) -> UnsafeMutablePointer<Value> {
            snapshot_shared(count * MemoryLayout<Value>.stride).assumingMemoryBound(to: type)
        }
        seen = shared(UInt64.self, 1 << options.bits)
        nodes = shared(Node.self, options.states)
        counters = shared(Counters.self, 1)
        counters.pointee = Counters()
    }

    static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private var processorSeconds: Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
        return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
    }

    private var seconds: Double { Self.now() - start }

    /// What came out of a search, as the program's exit status.
    enum Result: Int32 {
        case nothingFound = 0
        case found = 1
        case failed = 2
    }

    func run() -> Result {
        guard let world = World(options.budget) else { return fail("no world can be made") }
        _ = snapshot_insert(seen, options.bits, Fingerprint.of(world, seed: options.seed))
        var layer: Range<UInt64> = 0..<1
        var depth = 0
        while !layer.isEmpty, depth < options.depth, seconds < Double(options.seconds) {
            counters.pointee.claimed = layer.lowerBound
            guard expand(layer, at: depth) else { return fail("a process of the search ended with an error") }
            if let wrong = (layer.upperBound..<counters.pointee.nodes).first(where: { nodes[Int($0)].verdict != 0 }) {
                explain(wrong)
                // A fault of the search itself finds nothing in the library.
                let isOwnFault = (layer.upperBound..<counters.pointee.nodes).contains { nodes[Int($0)].verdict == 3 }
                return isOwnFault ? fail("a state is another one where it is rebuilt") : .found
            }
            if counters.pointee.isFull != 0 { return fail("there are more states than there is room for") }
            let isComplete = counters.pointee.claimed >= layer.upperBound
            if !isComplete { break }
            depth += 1
            layer = layer.upperBound..<counters.pointee.nodes
            print(line("depth \(depth) complete"))
            fflush(nil)
        }
        print(line(layer.isEmpty ? "all orders, to the end" : "nothing found"))
        if counters.pointee.nodes < options.least { return fail("fewer states than \(options.least)") }
        return .nothingFound
    }

    private func line(_ what: String) -> String {
        let values = counters.pointee
        return "\(options.name): \(what), \(values.nodes) distinct states, \(values.transitions) transitions, "
            + "\(values.ranOut) run out to their end and rebuilt, \(Int(seconds)) s (of a processor \(Int(processorSeconds)))"
    }

    private func fail(_ what: String) -> Result {
        print("\(options.name): \(what)")
        return .failed
    }

    // MARK: - One layer

    /// Follows every state of the layer by one step, in several processes.
    private func expand(_ layer: Range<UInt64>, at depth: Int) -> Bool {
        fflush(nil)
        let count = layer.count < 1000 ? 1 : options.processes
        var children: [pid_t] = []
        for _ in 0..<count {
            let child = snapshot_fork()
            if child == 0 {
                work(layer, at: depth)
                _exit(0)
            }
            children.append(child)
        }
        var isRight = true
        for child in children {
            var status: Int32 = 0
            if child < 0 || waitpid(child, &status, 0) != child || status != 0 { isRight = false }
        }
        return isRight
    }

    private func work(_ layer: Range<UInt64>, at depth: Int) {
        // A device belongs to the process that made it.
        guard Stage.make(options.budget) else { _exit(1) }
        var path = KeptPath()
        let steps = UnsafeMutablePointer<Step>.allocate(capacity: 64)
        var ids = [UInt32](repeating: 0, count: Limit.depth)
        while seconds < Double(options.seconds) {
            let first = withUnsafeMutablePointer(to: &counters.pointee.claimed) { snapshot_add($0, Limit.chunk) }
            guard first < layer.upperBound else { break }
            for id in first..<min(first + Limit.chunk, layer.upperBound) {
                var node = UInt32(id)
                for place in (0..<depth).reversed() {
                    ids[place] = node
                    node = nodes[Int(node)].parent
                }
                path.go(to: ids[..<depth]) { Step(code: nodes[Int($0)].step) }
                var count = 0
                Stage.world?.steps {
                    steps[count] = $0
                    count += 1
                }
                for index in 0..<count { follow(steps[index], from: UInt32(id), path, at: depth) }
            }
        }
    }

    private func follow(_ step: Step, from id: UInt32, _ path: KeptPath, at depth: Int) {
        path.restore(depth)
        guard let world = Stage.world else { return }
        Stage.take(step)
        _ = withUnsafeMutablePointer(to: &counters.pointee.transitions) { snapshot_add($0, 1) }
        var verdict: UInt16 = world.broken() == nil ? 0 : 1
        let print = Fingerprint.of(world, seed: options.seed)
        switch snapshot_insert(seen, options.bits, print) {
        case 0 where verdict == 0: return
        case -1: counters.pointee.isFull = 1
        default: break
        }
        if verdict == 0, print % options.sample == 0 {
            if Stage.within({ world.runOut() }) != nil { verdict = 2 }
            var steps = self.steps(to: id)
            steps.append(step)
            if verdict == 0, !Self.isRebuilt(steps, print, options) { verdict = 3 }
            _ = withUnsafeMutablePointer(to: &counters.pointee.ranOut) { snapshot_add($0, 1) }
        }
        let new = Int(withUnsafeMutablePointer(to: &counters.pointee.nodes) { snapshot_add($0, 1) })
        guard new < options.states else {
            counters.pointee.isFull = 1
            return
        }
        nodes[new] = Node(parent: id, step: step.code, verdict: verdict)
    }

    // MARK: - Paths

    private func steps(to id: UInt32) -> [Step] {
        var steps: [Step] = []
        var id = id
        while id != 0 {
            steps.append(Step(code: nodes[Int(id)].step))
            id = nodes[Int(id)].parent
        }
        return steps.reversed()
    }

    /// Whether a new world, which is nobody's memory, comes to the same state.
    private static func isRebuilt(_ steps: [Step], _ print: UInt64, _ options: Options) -> Bool {
        guard let world = World(options.budget) else { return false }
        for step in steps { world.take(step) }
        return Fingerprint.of(world, seed: options.seed) == print
    }

    /// Prints the steps to a state that is wrong, from a new world.
    private func explain(_ id: UInt64) {
        let steps = steps(to: UInt32(id))
        guard let world = World(options.budget) else { return }
        var wrong: StaticString?
        for step in steps {
            world.take(step)
            wrong = wrong ?? world.broken()
        }
        let verdict = nodes[Int(id)].verdict
        var rest: [Step] = []
        if verdict == 2 { wrong = world.runOut { rest.append($0) } }
        if verdict == 3 { wrong = "the search: a state is another one where it is rebuilt" }
        print("\(options.name): FOUND: \(wrong.map { "\($0)" } ?? "nothing, in a new world")")
        print(line("after \(steps.count) steps"))
        for (index, step) in steps.enumerated() { print("  \(index + 1). \(step)") }
        if !rest.isEmpty { print("  and then, to the end of what is under way:") }
        for step in rest { print("  - \(step)") }
    }
}
