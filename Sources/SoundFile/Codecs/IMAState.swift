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
