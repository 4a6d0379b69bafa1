/// Decodes the parts of a block of WAV's IMA ADPCM.
///
/// A block begins with 4 bytes for each channel: the first sample, little-endian, the step index, and an unused byte.
/// Groups follow, 4 bytes for each channel in turn, eight nibbles, low first.
struct IMABlockDecoder: Sendable {
    private var states: [IMAState]

    init(channels: Int) {
        states = [IMAState](repeating: IMAState(), count: channels)
    }

    /// Takes in a block's header, which is also its first frame.
    @_lifetime(output: copy output)
    mutating func begin(_ bytes: Span<UInt8>, into output: inout MutableSpan<Int16>) {
        for channel in states.indices {
            let low = Int32(bytes[channel * 4])
            let predictor = Int16(truncatingIfNeeded: Int32(bytes[channel * 4 + 1]) << 8 | low)
            let index = min(bytes[channel * 4 + 2], IMATables.lastIndex)
            states[channel] = IMAState(predictor: Int32(predictor), index: index)
            output[channel] = predictor
        }
    }

    /// Decodes whole groups, as many as both spans hold.
    @_lifetime(output: copy output)
    mutating func decode(_ bytes: Span<UInt8>, into output: inout MutableSpan<Int16>) {
        let channels = states.count
        let groups = min(bytes.count / (4 * channels), output.count / (8 * channels))
        let table = IMATables.transitions
        let transitions = table.span
        // With this checked once, the compiler needs no check for each sample.
        precondition(transitions.count == 4096)
        if channels == 2 {
            stereo(bytes, groups, into: &output, transitions)
            return
        }
        for channel in 0..<channels {
            var state = states[channel]
            for group in 0..<groups {
                var place = group * 8 * channels + channel
                let from = (group * channels + channel) * 4
                for byte in from..<from + 4 {
                    let pair = Int(bytes[byte])
                    output[place] = state.next(pair & 15, transitions)
                    output[place + channels] = state.next(pair >> 4, transitions)
                    place += 2 * channels
                }
            }
            states[channel] = state
        }
    }

    /// Two channels in lockstep, so that neither waits for the other's sums.
    @_lifetime(output: copy output)
    private mutating func stereo(
        _ bytes: Span<UInt8>, _ groups: Int, into output: inout MutableSpan<Int16>, _ transitions: Span<Int32>
    ) {
        var left = states[0]
        var right = states[1]
        for group in 0..<groups {
            let input = bytes.extracting(group * 8..<group * 8 + 8)
            var samples = output._mutatingExtracting(group * 16..<group * 16 + 16)
            for byte in 0..<4 {
                let l = Int(input[byte])
                let r = Int(input[4 + byte])
                samples[4 * byte] = left.next(l & 15, transitions)
                samples[4 * byte + 1] = right.next(r & 15, transitions)
                samples[4 * byte + 2] = left.next(l >> 4, transitions)
                samples[4 * byte + 3] = right.next(r >> 4, transitions)
            }
        }
        states[0] = left
        states[1] = right
    }
}

/// The arithmetic of a block of WAV's IMA ADPCM.
///
/// Source: the IMA Digital Audio Focus and Technical Working Groups' recommended practices, and WAVE_FORMAT_DVI_ADPCM.
enum IMABlock {
    /// The frames that `bytes` bytes at a block's beginning hold: one in the header, eight in each whole group.
    static func frames(inBytes bytes: Int, channels: Int, atMost limit: Int) -> Int64 {
        let header = 4 * channels
        guard bytes >= header else { return 0 }
        return Int64(min(limit, 1 + (bytes - header) / header * 8))
    }
}
