/// Finds the nibbles by which IMA ADPCM comes nearest to some samples.
///
/// Several paths are followed at once, each from the samples decoded so far, and the one with the least squared error at
/// the end is taken: choosing the best nibble each time by itself spoils the step size for what follows.
struct IMASearch: Sendable {
    private let differences = IMATables.differences
    private let moves = IMATables.scaledMoves
    private let steps = IMATables.steps
    /// For each sample, the parents (two bits) and nibbles (four) of its paths, a byte for each path.
    private var trail: [IMABeam.Links] = []

    /// The nibbles for `count` samples, which are `stride` apart from `first` on, begun at the best of `starts`.
    ///
    /// Returns the start taken and the state at the end; `nibbles` has one for each sample.
    mutating func encode(
        _ samples: Span<Int16>, first: Int, stride: Int, count: Int, from starts: [IMAState],
        into nibbles: inout [UInt8]
    ) -> (start: Int, end: IMAState) {
        nibbles.removeAll(keepingCapacity: true)
        guard count > 0 else { return (0, starts[0]) }
        nibbles += repeatElement(0, count: count)
        trail.removeAll(keepingCapacity: true)
        var roots = IMABeam()
        var beam = IMABeam()
        let (differences, moves, steps) = (differences, moves, steps)
        let table = (differences.span, moves.span, steps.span)
        for start in starts.indices {
            beam.extend(
                IMABeam.Path(state: starts[start], cost: 0), by: start, to: Int32(samples[first]), table.0, table.1,
                table.2)
        }
        // The first step's parents are the starts, more than a link can say.
        roots = beam
        trail.append(beam.links)
        var place = first + stride
        for _ in 1..<max(1, count) {
            let target = Int32(samples[place])
            var next = IMABeam()
            for parent in 0..<beam.count {
                next.extend(beam.paths[parent], by: parent, to: target, table.0, table.1, table.2)
            }
            beam = next
            trail.append(beam.links)
            place += stride
        }
        // The paths are in the order of their costs.
        var path = 0
        for sample in Swift.stride(from: count - 1, through: 0, by: -1) {
            let link = trail[sample][path]
            nibbles[sample] = link & 15
            if sample > 0 { path = Int(link >> 4) }
        }
        return (roots.paths[path].parent, beam.paths[0].state)
    }
}
