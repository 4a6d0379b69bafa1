/// A codec that packs samples together, and the samples left over from a packet that was read in part.
struct PacketCoding {
    private enum Kind {
        case none
        case ima4(IMA4Decoder)
        case block(IMABlockDecoder)
    }

    private var kind: Kind
    private let channels: Int
    private let bytesPerPacket: Int
    private let framesPerPacket: Int
    /// WAV's IMA: the frames and bytes of the current block that were read.
    private var blockFrames = 0
    private var blockBytes = 0
    /// Frames at the beginning that remain to be skipped.
    private var priming: Int64
    /// Decoded samples that were not read yet: those from `leftoverStart` to `leftoverEnd`.
    private var leftover: [Int16]
    private var leftoverStart = 0
    private var leftoverEnd = 0

    /// A placeholder for a coding that is in use elsewhere.
    static var none: PacketCoding { PacketCoding() }

    private init() {
        kind = .none
        channels = 1
        bytesPerPacket = 1
        framesPerPacket = 1
        priming = 0
        leftover = []
    }

    init(_ parsed: ParsedHeader) {
        channels = parsed.channels
        bytesPerPacket = parsed.bytesPerPacket
        framesPerPacket = parsed.framesPerPacket
        priming = parsed.primingFrames
        if parsed.codec == .ima4 {
            kind = .ima4(IMA4Decoder(channels: parsed.channels))
            leftover = [Int16](repeating: 0, count: 64 * parsed.channels)
        } else {
            kind = .block(IMABlockDecoder(channels: parsed.channels))
            leftover = [Int16](repeating: 0, count: 8 * parsed.channels)
        }
    }

    /// Decodes `frames` frames, at most as many as there are.
    mutating func read<S>(
        _ frames: Int, from input: inout StagedInput<S>, into output: inout MutableSpan<Int16>
    ) throws(SoundFileError) {
        while priming > 0 {
            if leftoverStart == leftoverEnd { try refill(from: &input) }
            let dropped = Int(min(priming, Int64((leftoverEnd - leftoverStart) / channels)))
            leftoverStart += dropped * channels
            priming -= Int64(dropped)
        }
        let count = frames * channels
        var done = 0
        while done < count {
            if leftoverStart < leftoverEnd {
                let samples = min(count - done, leftoverEnd - leftoverStart)
                for index in 0..<samples { output[done + index] = leftover[leftoverStart + index] }
                leftoverStart += samples
                done += samples
                continue
            }
            var part = output._mutatingExtracting(done..<count)
            let samples = try readWhole(from: &input, into: &part)
            if samples > 0 { done += samples } else { try refill(from: &input) }
        }
    }

    /// Decodes whole packets or groups directly into the output. Returns how many samples, 0 if no packet fits.
    private mutating func readWhole<S>(
        from input: inout StagedInput<S>, into output: inout MutableSpan<Int16>
    ) throws(SoundFileError) -> Int {
        switch kind {
        case .none:
            return 0
        case .ima4(var decoder):
            let packets = min(output.count / (64 * channels), input.most / bytesPerPacket)
            guard packets > 0 else { return 0 }
            kind = .none
            defer { kind = .ima4(decoder) }
            try input.withBytes(packets * bytesPerPacket) { bytes throws(SoundFileError) in
                _ = decoder.decode(bytes, into: &output)
            }
            return packets * 64 * channels
        case .block(var decoder):
            endBlock(&input)
            kind = .none
            defer { kind = .block(decoder) }
            if blockFrames == 0 {
                try input.withBytes(4 * channels) { bytes throws(SoundFileError) in
                    decoder.begin(bytes, into: &output)
                }
                blockFrames = 1
                blockBytes = 4 * channels
                return channels
            }
            let groups = min(
                output.count / (8 * channels), (framesPerPacket - blockFrames) / 8,
                input.most / (4 * channels))
            guard groups > 0 else { return 0 }
            try input.withBytes(groups * 4 * channels) { bytes throws(SoundFileError) in
                decoder.decode(bytes, into: &output)
            }
            blockFrames += groups * 8
            blockBytes += groups * 4 * channels
            return groups * 8 * channels
        }
    }

    /// Decodes one packet or group, to be read in parts.
    private mutating func refill<S>(from input: inout StagedInput<S>) throws(SoundFileError) {
        var taken: [Int16] = []
        swap(&taken, &leftover)
        defer { swap(&taken, &leftover) }
        leftoverStart = 0
        leftoverEnd = 0
        switch kind {
        case .none:
            break
        case .ima4:
            var span = taken.mutableSpan
            leftoverEnd = try readWhole(from: &input, into: &span)
        case .block(var decoder):
            endBlock(&input)
            var span = taken.mutableSpan
            if blockFrames == 0 {
                leftoverEnd = try readWhole(from: &input, into: &span)
                return
            }
            kind = .none
            defer { kind = .block(decoder) }
            try input.withBytes(4 * channels) { bytes throws(SoundFileError) in
                decoder.decode(bytes, into: &span)
            }
            let frames = min(8, framesPerPacket - blockFrames)
            blockFrames += frames
            blockBytes += 4 * channels
            leftoverEnd = frames * channels
        }
    }

    /// Skips what a finished block has after its last group.
    private mutating func endBlock<S>(_ input: inout StagedInput<S>) {
        guard blockFrames == framesPerPacket else { return }
        input.skip(Int64(bytesPerPacket - blockBytes))
        blockFrames = 0
        blockBytes = 0
    }
}
