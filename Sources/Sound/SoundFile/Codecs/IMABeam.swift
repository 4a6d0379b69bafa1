/// The best few paths of ``IMASearch`` to one sample, in the order of their errors.
struct IMABeam: Sendable {
    /// How many paths are followed.
    static let width = 4
    /// For each path, its parent times 16 and its nibble.
    typealias Links = InlineArray<4, UInt8>

    /// A path to this sample.
    struct Path: Sendable {
        var state = IMAState()
        /// The squared error so far.
        var cost = Int64.max
        /// The path to the previous sample that this one continues, and the nibble.
        var parent = 0
        var nibble: UInt8 = 0
    }

    private(set) var paths = InlineArray<4, Path>(repeating: Path())
    private(set) var count = 0

    /// The only path before the first sample.
    init(from state: IMAState) {
        paths[0] = Path(state: state, cost: 0)
        count = 1
    }

    private init() {}

    /// The best paths to the next sample.
    func next(to target: Int32, _ transitions: Span<Int32>, _ steps: Span<Int32>) -> IMABeam {
        var next = IMABeam()
        for parent in 0..<count { next.extend(paths[parent], by: parent, to: target, transitions, steps) }
        return next
    }

    /// What it takes to follow the paths back.
    var links: Links {
        var links = Links(repeating: 0)
        for index in 0..<Self.width { links[index] = UInt8(paths[index].parent & 3) << 4 | paths[index].nibble }
        return links
    }

    /// Continues `path`, numbered `parent`, with the nibbles nearest to `target`.
    @inline(__always)
    private mutating func extend(
        _ path: Path, by parent: Int, to target: Int32, _ transitions: Span<Int32>, _ steps: Span<Int32>
    ) {
        let distance = target - path.state.predictor
        let sign: Int32 = distance < 0 ? 8 : 0
        let magnitude = min(7, abs(distance) * 4 / steps[Int(path.state.index)])
        // The nearest, the next smaller or, at zero, the other zero, and the next greater.
        offer(path, parent, sign | magnitude, target, transitions)
        offer(path, parent, magnitude > 0 ? sign | (magnitude - 1) : sign ^ 8, target, transitions)
        if magnitude < 7 { offer(path, parent, sign | (magnitude + 1), target, transitions) }
    }

    /// Inserts a continuation among the best, if it is one of them.
    private mutating func offer(
        _ path: Path, _ parent: Int, _ nibble: Int32, _ target: Int32, _ transitions: Span<Int32>
    ) {
        var state = path.state
        let sample = state.next(Int(nibble), transitions)
        let error = Int64(target - Int32(sample))
        let cost = path.cost + error * error
        if cost >= paths[Self.width - 1].cost { return }
        // Of two paths to the same state the cheaper one stays: it replaces the other, or else the last of all.
        var place = min(count, Self.width - 1)
        for index in 0..<count
        where paths[index].state.predictor == state.predictor && paths[index].state.index == state.index {
            if paths[index].cost <= cost { return }
            place = index
            break
        }
        if place == count { count += 1 }
        while place > 0, paths[place - 1].cost > cost {
            paths[place] = paths[place - 1]
            place -= 1
        }
        paths[place] = Path(state: state, cost: cost, parent: parent, nibble: UInt8(truncatingIfNeeded: nibble))
    }
}
