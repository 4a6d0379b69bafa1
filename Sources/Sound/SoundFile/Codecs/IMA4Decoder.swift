/// Decodes packets of Apple's IMA 4:1.
///
/// A packet has 34 bytes for each channel in turn: 9 bits of predictor and 7 of step index, then 64 nibbles, low first.
/// If the step index equals the running one and the predictor is within its nine bits' precision of the running one,
/// the running predictor is kept: the preamble repeats it less exactly.
struct IMA4Decoder: Sendable {
    static let bytesPerChannel = 34
    static let framesPerPacket = 64

    private var states: [IMAState]

    init(channels: Int) {
        states = [IMAState](repeating: IMAState(), count: channels)
    }

    /// Decodes whole packets, as many as both spans hold; returns how many.
    @_lifetime(output: copy output)
    mutating func decode(_ bytes: Span<UInt8>, into output: inout MutableSpan<Int16>) -> Int {
        let channels = states.count
        let packetBytes = Self.bytesPerChannel * channels
        let packetSamples = Self.framesPerPacket * channels
        let packets = min(bytes.count / packetBytes, output.count / packetSamples)
        let table = IMATables.transitions
        let transitions = table.span
        // With this checked once, the compiler needs no check for each sample.
        precondition(transitions.count == 4096)
        for packet in 0..<packets {
            let input = bytes.extracting(packet * packetBytes..<(packet + 1) * packetBytes)
            var part = output._mutatingExtracting(packet * packetSamples..<(packet + 1) * packetSamples)
            if channels == 2 {
                // With a constant count, the bounds checks are removed.
                stereo(input, into: &part, transitions)
                continue
            }
            for channel in 0..<channels {
                let from = channel * Self.bytesPerChannel
                let own = input.extracting(from..<from + Self.bytesPerChannel)
                one(own, channel, of: channels, into: &part, transitions)
            }
        }
        return packets
    }

    /// Two channels in lockstep, so that neither waits for the other's sums.
    @inline(__always)
    @_lifetime(output: copy output)
    private mutating func stereo(
        _ input: Span<UInt8>, into output: inout MutableSpan<Int16>, _ transitions: Span<Int32>
    ) {
        let leftBytes = input.extracting(0..<34)
        let rightBytes = input.extracting(34..<68)
        var samples = output._mutatingExtracting(0..<128)
        var left = Self.begun(states[0], leftBytes)
        var right = Self.begun(states[1], rightBytes)
        for byte in 0..<32 {
            let l = Int(leftBytes[2 + byte])
            let r = Int(rightBytes[2 + byte])
            samples[4 * byte] = left.next(l & 15, transitions)
            samples[4 * byte + 1] = right.next(r & 15, transitions)
            samples[4 * byte + 2] = left.next(l >> 4, transitions)
            samples[4 * byte + 3] = right.next(r >> 4, transitions)
        }
        states[0] = left
        states[1] = right
    }

    @inline(__always)
    @_lifetime(output: copy output)
    private mutating func one(
        _ input: Span<UInt8>, _ channel: Int, of channels: Int, into output: inout MutableSpan<Int16>,
        _ transitions: Span<Int32>
    ) {
        var state = Self.begun(states[channel], input)
        var place = channel
        for byte in 2..<Self.bytesPerChannel {
            let pair = Int(input[byte])
            output[place] = state.next(pair & 15, transitions)
            output[place + channels] = state.next(pair >> 4, transitions)
            place += 2 * channels
        }
        states[channel] = state
    }

    /// The state at a packet's start: the preamble's, or the running one that it repeats.
    @inline(__always)
    private static func begun(_ running: IMAState, _ input: Span<UInt8>) -> IMAState {
        let preamble = Int32(Int16(truncatingIfNeeded: Int32(input[0]) << 8 | Int32(input[1])))
        let predictor = preamble & ~127
        let index = min(UInt8(preamble & 127), IMATables.lastIndex)
        if index == running.index, abs(predictor - running.predictor) <= 127 { return running }
        return IMAState(predictor: predictor, index: index)
    }
}
