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

    /// The highest index.
    static let lastIndex: UInt8 = 88

    /// What each nibble does at each index, at `nibble * 256 + index`: the difference that it adds to the predictor, by
    /// shifts and additions as in the reference, times 256, and the next index. A byte as index needs no bounds check.
    static let transitions: [Int32] = {
        let moves = [-1, -1, -1, -1, 2, 4, 6, 8]
        var table = [Int32](repeating: 0, count: 4096)
        for (index, step) in steps.enumerated() {
            for nibble in 0..<16 {
                var difference = step >> 3
                if nibble & 4 != 0 { difference += step }
                if nibble & 2 != 0 { difference += step >> 1 }
                if nibble & 1 != 0 { difference += step >> 2 }
                let next = min(max(index + moves[nibble & 7], 0), Int(lastIndex))
                table[nibble << 8 | index] = (nibble & 8 == 0 ? difference : -difference) << 8 | Int32(next)
            }
        }
        return table
    }()
}

/// One channel's state between two nibbles of IMA ADPCM.
struct IMAState: Sendable {
    /// The last sample.
    var predictor: Int32 = 0
    /// The step's index, at most ``IMATables/lastIndex``.
    var index: UInt8 = 0

    /// Takes in one nibble and returns the sample it makes.
    ///
    /// The next one waits for one entry of ``IMATables/transitions`` alone.
    @inline(__always)
    mutating func next(_ nibble: Int, _ transitions: Span<Int32>) -> Int16 {
        let transition = transitions[(nibble & 15) << 8 | Int(index)]
        index = UInt8(truncatingIfNeeded: transition)
        predictor = min(max(predictor &+ transition >> 8, -32768), 32767)
        return Int16(truncatingIfNeeded: predictor)
    }
}
