/// Encodes packets of Apple's IMA 4:1 and blocks of WAV's IMA ADPCM.
struct IMAEncoder: Sendable {
    private let channels: Int
    private var states: [IMAState]
    private var search = IMASearch()
    private var nibbles: [UInt8] = []

    init(channels: Int) {
        self.channels = channels
        states = [IMAState](repeating: IMAState(), count: channels)
    }

    /// Encodes 64 frames to a packet of 34 bytes a channel.
    mutating func packet(_ samples: Span<Int16>, into bytes: inout [UInt8]) {
        for channel in 0..<channels {
            let running = states[channel]
            // The decoder keeps the running predictor where index and predictor agree with it nearly enough; the other
            // starts are what the preamble's nine bits can say.
            var starts = [running]
            let near = Self.preamble(Int32(samples[channel]))
            for index in stride(from: Int32(0), through: 88, by: 4) where index * 16 != running.index {
                starts.append(IMAState(predictor: near, index: index * 16))
            }
            let result = search.encode(
                samples, first: channel, stride: channels, count: 64, from: starts, into: &nibbles)
            states[channel] = result.end
            let start = starts[result.start]
            let word =
                UInt16(bitPattern: Int16(truncatingIfNeeded: Self.preamble(start.predictor))) | UInt16(start.index >> 4)
            bytes.append(UInt8(word >> 8))
            bytes.append(UInt8(word & 0xFF))
            for index in stride(from: 0, to: 64, by: 2) { bytes.append(nibbles[index] | nibbles[index + 1] << 4) }
        }
    }

    /// The nearest that the preamble can say of a predictor: a multiple of 128.
    private static func preamble(_ predictor: Int32) -> Int32 {
        min((predictor + 64) & ~127, 32640)
    }

    /// Encodes a block of 1 + 8n frames to 4 bytes a channel and 4 for each channel and eight frames.
    mutating func block(_ samples: Span<Int16>, into bytes: inout [UInt8]) {
        let frames = samples.count / channels
        let groups = (frames - 1) / 8
        let start = bytes.count
        bytes += repeatElement(0, count: 4 * channels * (1 + groups))
        for channel in 0..<channels {
            let first = samples[channel]
            let running = states[channel].index
            var starts = [IMAState(predictor: Int32(first), index: running)]
            for index in stride(from: Int32(0), through: 88, by: 4) where index * 16 != running {
                starts.append(IMAState(predictor: Int32(first), index: index * 16))
            }
            let result = search.encode(
                samples, first: channel + channels, stride: channels, count: groups * 8, from: starts, into: &nibbles)
            states[channel] = result.end
            let word = UInt16(bitPattern: first)
            bytes[start + channel * 4] = UInt8(word & 0xFF)
            bytes[start + channel * 4 + 1] = UInt8(word >> 8)
            bytes[start + channel * 4 + 2] = UInt8(starts[groups == 0 ? 0 : result.start].index >> 4)
            for group in 0..<groups {
                let place = start + 4 * channels * (1 + group) + 4 * channel
                for byte in 0..<4 {
                    bytes[place + byte] = nibbles[group * 8 + byte * 2] | nibbles[group * 8 + byte * 2 + 1] << 4
                }
            }
        }
    }
}
