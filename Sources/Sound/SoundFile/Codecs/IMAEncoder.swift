/// Encodes packets of Apple's IMA 4:1 and blocks of WAV's IMA ADPCM.
struct IMAEncoder: Sendable {
    private let channels: Int
    private var states: [IMAState]
    private var search = IMASearch()
    private var nibbles: [UInt8] = []
    private var otherNibbles: [UInt8] = []

    init(channels: Int) {
        self.channels = channels
        states = [IMAState](repeating: IMAState(), count: channels)
    }

    /// Encodes 64 frames to a packet of 34 bytes a channel.
    ///
    /// The decoder keeps its running predictor if the preamble nearly agrees with it. If another step index is better,
    /// as at the beginning of a note, the preamble changes it, at the price of a predictor of nine bits.
    mutating func packet(_ samples: Span<Int16>, into bytes: inout [UInt8]) {
        for channel in 0..<channels {
            var start = states[channel]
            var result = search.encode(
                samples, first: channel, stride: channels, count: 64, from: start, into: &nibbles)
            let fresh = best(
                samples, first: channel, count: 64, predictor: Self.preamble(Int32(samples[channel])), not: start.index)
            let other = search.encode(
                samples, first: channel, stride: channels, count: 64, from: fresh, into: &otherNibbles)
            if other.cost < result.cost {
                start = fresh
                result = other
                swap(&nibbles, &otherNibbles)
            }
            states[channel] = result.end
            let predictor = UInt16(bitPattern: Int16(truncatingIfNeeded: Self.preamble(start.predictor)))
            let word = predictor | UInt16(start.index)
            bytes.append(UInt8(word >> 8))
            bytes.append(UInt8(word & 0xFF))
            for index in stride(from: 0, to: 64, by: 2) { bytes.append(nibbles[index] | nibbles[index + 1] << 4) }
        }
    }

    /// The predictor nearest to this one that a preamble can hold: a multiple of 128.
    private static func preamble(_ predictor: Int32) -> Int32 {
        min((predictor + 64) & ~127, 32640)
    }

    /// The start with the step index that is best for the first few samples.
    private func best(
        _ samples: Span<Int16>, first: Int, count: Int, predictor: Int32, not excluded: UInt8
    ) -> IMAState {
        var best = IMAState(predictor: predictor, index: excluded == 0 ? 1 : 0)
        var least = Int64.max
        for index in stride(from: UInt8(0), through: 88, by: 8) where index != excluded {
            let start = IMAState(predictor: predictor, index: index)
            let cost = search.roughCost(samples, first: first, stride: channels, count: min(count, 24), from: start)
            if cost < least {
                least = cost
                best = start
            }
        }
        return best
    }

    /// Encodes a block of 1 + 8n frames to 4 bytes a channel and 4 for each channel and eight frames.
    mutating func block(_ samples: Span<Int16>, into bytes: inout [UInt8]) {
        let frames = samples.count / channels
        let groups = (frames - 1) / 8
        let start = bytes.count
        bytes += repeatElement(0, count: 4 * channels * (1 + groups))
        for channel in 0..<channels {
            let sample = samples[channel]
            let first = channel + channels
            var begun = IMAState(predictor: Int32(sample), index: states[channel].index)
            let fresh = best(samples, first: first, count: groups * 8, predictor: Int32(sample), not: begun.index)
            var result = search.encode(
                samples, first: first, stride: channels, count: groups * 8, from: begun, into: &nibbles)
            let other = search.encode(
                samples, first: first, stride: channels, count: groups * 8, from: fresh, into: &otherNibbles)
            if other.cost < result.cost {
                begun = fresh
                result = other
                swap(&nibbles, &otherNibbles)
            }
            states[channel] = result.end
            let word = UInt16(bitPattern: sample)
            bytes[start + channel * 4] = UInt8(word & 0xFF)
            bytes[start + channel * 4 + 1] = UInt8(word >> 8)
            bytes[start + channel * 4 + 2] = begun.index
            for group in 0..<groups {
                let place = start + 4 * channels * (1 + group) + 4 * channel
                for byte in 0..<4 {
                    bytes[place + byte] = nibbles[group * 8 + byte * 2] | nibbles[group * 8 + byte * 2 + 1] << 4
                }
            }
        }
    }
}
