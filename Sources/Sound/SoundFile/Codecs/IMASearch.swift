/// Finds the nibbles by which IMA ADPCM comes nearest to some samples.
///
/// Several paths are followed at once, and the one with the least squared error at the end is taken: choosing the best
/// nibble for each sample alone spoils the step size for the samples that follow.
struct IMASearch: Sendable {
    private let transitions = IMATables.transitions
    private let steps = IMATables.steps
    /// For each sample, the parents (two bits) and nibbles (four) of its paths, a byte for each path.
    private var trail: [IMABeam.Links] = []

    /// The nibbles for `count` samples, `stride` apart from index `first`, starting in state `start`.
    ///
    /// - Returns: The final state and the squared error; `nibbles` has one element for each sample.
    mutating func encode(
        _ samples: Span<Int16>, first: Int, stride: Int, count: Int, from start: IMAState, into nibbles: inout [UInt8]
    ) -> (end: IMAState, cost: Int64) {
        nibbles.removeAll(keepingCapacity: true)
        guard count > 0 else { return (start, 0) }
        nibbles += repeatElement(0, count: count)
        trail.removeAll(keepingCapacity: true)
        let (transitions, steps) = (transitions, steps)
        var beam = IMABeam(from: start)
        var place = first
        for _ in 0..<count {
            beam = beam.next(to: Int32(samples[place]), transitions.span, steps.span)
            trail.append(beam.links)
            place += stride
        }
        // The paths are in the order of their errors.
        var path = 0
        for sample in Swift.stride(from: count - 1, through: 0, by: -1) {
            let link = trail[sample][path]
            nibbles[sample] = link & 15
            path = Int(link >> 4)
        }
        return (beam.paths[0].state, beam.paths[0].cost)
    }

    /// The squared error over `count` samples from state `start`, choosing the nearest nibble for each sample.
    func roughCost(_ samples: Span<Int16>, first: Int, stride: Int, count: Int, from start: IMAState) -> Int64 {
        let (transitions, steps) = (transitions, steps)
        var state = start
        var cost: Int64 = 0
        var place = first
        for _ in 0..<count {
            let target = Int32(samples[place])
            let distance = target - state.predictor
            let magnitude = min(7, abs(distance) * 4 / steps[Int(state.index)])
            let nibble = Int(distance < 0 ? magnitude | 8 : magnitude)
            let error = Int64(target - Int32(state.next(nibble, transitions.span)))
            cost += error * error
            place += stride
        }
        return cost
    }
}
