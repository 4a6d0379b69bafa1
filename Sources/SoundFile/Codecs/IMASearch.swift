/// Finds the nibbles by which IMA ADPCM comes nearest to some samples.
///
/// Several paths are followed at once, each from the samples decoded so far, and the one with the least squared error at
/// the end is taken: choosing the best nibble each time by itself spoils the step size for what follows.
struct IMASearch: Sendable {
    /// The paths followed.
    static let width = 4

    private struct Path {
        var state: IMAState
        var cost: Int64
        /// Which path of the step before this one goes on from, and by which nibble.
        var parent: UInt8 = 0
        var nibble: UInt8 = 0
    }

    private let differences = IMATables.differences
    private let moves = IMATables.scaledMoves
    private let steps = IMATables.steps
    private var paths: [Path] = []
    private var next: [Path] = []
    /// For each sample and path, its parent and nibble.
    private var trail: [(parent: UInt8, nibble: UInt8)] = []

    /// The nibbles for `count` samples, which are `stride` apart from `first` on, begun at the best of `starts`.
    ///
    /// Returns the start taken and the state at the end; `nibbles` has one for each sample. At most 256 starts.
    mutating func encode(
        _ samples: Span<Int16>, first: Int, stride: Int, count: Int, from starts: [IMAState],
        into nibbles: inout [UInt8]
    ) -> (start: Int, end: IMAState) {
        paths.removeAll(keepingCapacity: true)
        for state in starts { paths.append(Path(state: state, cost: 0)) }
        trail.removeAll(keepingCapacity: true)
        var place = first
        for _ in 0..<count {
            step(to: Int32(samples[place]))
            place += stride
        }
        // The paths are in the order of their costs.
        var index = 0
        let end = count > 0 ? paths[0].state : starts[0]
        nibbles.removeAll(keepingCapacity: true)
        nibbles += repeatElement(0, count: count)
        var sample = count - 1
        while sample >= 0 {
            let link = trail[sample * Self.width + index]
            nibbles[sample] = link.nibble
            index = Int(link.parent)
            sample -= 1
        }
        return (index, end)
    }

    /// Goes on from each path by the nibbles that come nearest to `target`, and keeps the best.
    private mutating func step(to target: Int32) {
        next.removeAll(keepingCapacity: true)
        for parent in paths.indices {
            let state = paths[parent].state
            let distance = target - state.predictor
            let sign: Int32 = distance < 0 ? 8 : 0
            let magnitude = min(7, abs(distance) * 4 / steps[Int(state.index >> 4)])
            offer(sign | magnitude, from: parent, target)
            if magnitude > 0 {
                offer(sign | (magnitude - 1), from: parent, target)
            } else {
                offer(sign ^ 8, from: parent, target)
            }
            if magnitude < 7 { offer(sign | (magnitude + 1), from: parent, target) }
        }
        swap(&paths, &next)
        for index in 0..<Self.width {
            trail.append(index < paths.count ? (paths[index].parent, paths[index].nibble) : (0, 0))
        }
    }

    /// Puts one continuation where it belongs among the best, if it does.
    private mutating func offer(_ nibble: Int32, from parent: Int, _ target: Int32) {
        var state = paths[parent].state
        let sample = state.next(nibble, differences.span, moves.span)
        let error = Int64(target - Int32(sample))
        let cost = paths[parent].cost + error * error
        if next.count == Self.width, cost >= next[Self.width - 1].cost { return }
        // Two paths that meet are one, the cheaper.
        for index in next.indices
        where next[index].state.predictor == state.predictor && next[index].state.index == state.index {
            if next[index].cost <= cost { return }
            next.remove(at: index)
            break
        }
        var place = next.count
        while place > 0, next[place - 1].cost > cost { place -= 1 }
        if next.count == Self.width { next.removeLast() }
        next.insert(
            Path(state: state, cost: cost, parent: UInt8(parent), nibble: UInt8(truncatingIfNeeded: nibble)), at: place)
    }
}
