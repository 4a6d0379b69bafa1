/// The tables of IMA ADPCM's decoders and encoders.
///
/// Source: the IMA Digital Audio Focus and Technical Working Groups' recommended practices, revision 3.00.
enum IMATables {
    /// The step for each of the 89 indexes.
    static let steps: [Int32] = [
        7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73, 80, 88, 97,
        107,
        118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494, 544, 598, 658, 724, 796, 876,
        963,
        1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066, 2272, 2499, 2749, 3024, 3327, 3660, 4026, 4428, 4871, 5358,
        5894,
        6484, 7132, 7845, 8630, 9493, 10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086,
        29794,
        32767,
    ]

    /// By how much each nibble, without its sign bit, changes the index.
    static let moves: [Int32] = [-1, -1, -1, -1, 2, 4, 6, 8]

    /// What a nibble adds to the predictor, at `index * 16 + nibble`, by shifts and additions as in the reference.
    ///
    /// Padded to 2,048 entries, so that a masked index needs no bounds check.
    static let differences: [Int32] = {
        var table = [Int32](repeating: 0, count: 2048)
        for (index, step) in steps.enumerated() {
            for nibble in 0..<16 {
                var difference = step >> 3
                if nibble & 4 != 0 { difference += step }
                if nibble & 2 != 0 { difference += step >> 1 }
                if nibble & 1 != 0 { difference += step >> 2 }
                table[index * 16 + nibble] = nibble & 8 == 0 ? difference : -difference
            }
        }
        return table
    }()

    /// ``moves`` times 16, for indexes of ``differences``.
    static let scaledMoves: [Int32] = (0..<16).map { moves[$0 & 7] * 16 }

    /// The highest index, times 16.
    static let lastIndex: Int32 = 88 * 16
}

/// One channel's state between two nibbles of IMA ADPCM.
struct IMAState: Sendable {
    /// The last sample.
    var predictor: Int32 = 0
    /// The step's index times 16, at most ``IMATables/lastIndex``.
    var index: Int32 = 0

    /// Takes in one nibble and returns the sample it makes.
    @inline(__always)
    mutating func next(_ nibble: Int32, _ differences: Span<Int32>, _ moves: Span<Int32>) -> Int16 {
        let difference = differences[Int((index &+ nibble) & 2047)]
        index &+= moves[Int(nibble & 15)]
        // Both limits in one comparison, which is seldom true: a predicted branch does not delay the next sample.
        if UInt32(bitPattern: index) > UInt32(IMATables.lastIndex) { index = index < 0 ? 0 : IMATables.lastIndex }
        predictor &+= difference
        if predictor != Int32(Int16(truncatingIfNeeded: predictor)) { predictor = predictor < 0 ? -32768 : 32767 }
        return Int16(truncatingIfNeeded: predictor)
    }
}
