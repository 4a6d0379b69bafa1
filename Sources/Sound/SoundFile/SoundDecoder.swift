/// Decodes a sound in pieces, with less than 64 KiB of memory whatever the file's size; libmpg123 (MP3) and libsndfile (Ogg, FLAC)
/// have their own. A copy of a decoder of these does not decode by itself: use one of them.
///
///     var decoder = try SoundDecoder(source, maximumDuration: .seconds(30))
///     var piece = [Int16](repeating: 0, count: 1024 * decoder.info.channels)
///     while case let frames = try decoder.read(into: &piece), frames > 0 { ... }
public struct SoundDecoder<Source: ByteSource> {
    /// The contents of the headers. Where FLAC is damaged, or has more than its header counts, ``SoundFileInfo/isTruncated`` is set
    /// once the end of the sound was read.
    public private(set) var info: SoundFileInfo
    /// The frames returned so far.
    public private(set) var position: Int64 = 0

    private enum Coder {
        case samples(SampleCoding)
        case packets(PacketCoding)
        case mpeg(MPEGCoding)
        case library(SndfileDecoder)
    }

    private var input: StagedInput<Source>
    private var coder: Coder
    /// Samples of packed codecs before their conversion to floating point; allocated when first needed.
    private var scratch: [Int16] = []

    /// Reads the headers of a file. Sound data that was cut short is decoded as far as it goes;
    /// ``SoundFileInfo/isTruncated`` reports it.
    ///
    /// - Throws: ``SoundFileError`` with the fault in the headers, or if the sound has no frame or is longer than `maximumDuration`,
    ///   before anything is decoded, but for FLAC whose header has no count; ``SoundFileError/Code/missingLibrary`` for MP3 without
    ///   libmpg123, Ogg and FLAC without libsndfile.
    public init(_ source: Source, maximumDuration: Duration? = nil) throws(SoundFileError) {
        var headers = HeaderInput(source, atMost: maximumDuration)
        let parsed: ParsedHeader
        (parsed, info) = try headers.read()
        input = StagedInput(headers.source, from: parsed.dataOffset, size: parsed.dataSize)
        if parsed.isClaimed {
            var parsed = parsed
            coder = .library(try SndfileDecoder(headers.source, from: parsed.dataOffset, &parsed))
        } else if parsed.codec == .mpegLayer3 {
            coder = .mpeg(try MPEGCoding(parsed))
        } else if let coding = SampleCoding(parsed.codec) {
            coder = .samples(coding)
            input.skip(min(parsed.dataSize, parsed.primingFrames * Int64(parsed.bytesPerPacket)))
        } else {
            coder = .packets(PacketCoding(parsed))
        }
    }

    /// Decodes the next frames to interleaved 16-bit samples, as many as fit the span or are left.
    ///
    /// Integers wider than 16 bits lose their low bits; floating-point samples are rounded, half to even, and clamped.
    ///
    /// - Returns: How many frames; 0 at the sound's end.
    public mutating func read(into output: inout MutableSpan<Int16>) throws(SoundFileError) -> Int {
        let frames = framesWanted(output.count)
        switch coder {
        case .samples(let coding) where coding.isInt16:
            try input.readInt16(frames * info.channels, bigEndian: coding.format.byteOrder == .big, into: &output)
        case .samples(let coding):
            try input.readSamples(frames * info.channels, coding, into: &output)
        case .packets, .mpeg:
            try readPackets(frames, into: &output)
        case .library(let decoder):
            return try read(frames, of: decoder, into: &output)
        }
        position += Int64(frames)
        return frames
    }

    /// Decodes the next frames to interleaved 32-bit floating-point samples; returns how many frames.
    ///
    /// Full scale is 1; integers of up to 24 bits are exact.
    public mutating func read(into output: inout MutableSpan<Float>) throws(SoundFileError) -> Int {
        try readFloatingPoint(into: &output)
    }

    /// Decodes the next frames to interleaved 64-bit floating-point samples; returns how many frames.
    ///
    /// Full scale is 1; every format is exact, but for the lower half of 64-bit integers.
    public mutating func read(into output: inout MutableSpan<Double>) throws(SoundFileError) -> Int {
        try readFloatingPoint(into: &output)
    }

    /// Decodes the next frames into an array of samples; returns how many frames, 0 at the sound's end.
    public mutating func read(into output: inout [Int16]) throws(SoundFileError) -> Int {
        var span = output.mutableSpan
        return try read(into: &span)
    }

    /// Whether all bytes are in memory, and hold the frames that ``info`` counts.
    var isInMemory: Bool {
        if case .library = coder { return false }
        return input.isInMemory
    }

    private func framesWanted(_ samples: Int) -> Int {
        Int(min(Int64(samples / info.channels), info.frames - position))
    }

    private mutating func readFloatingPoint<T: DecodedSample>(
        into output: inout MutableSpan<T>
    ) throws(SoundFileError) -> Int {
        let frames = framesWanted(output.count)
        let count = frames * info.channels
        switch coder {
        case .samples(let coding):
            try input.readSamples(count, coding, into: &output)
        case .library(let decoder):
            return try read(frames, of: decoder, into: &output)
        case .packets, .mpeg:
            if scratch.isEmpty { scratch = [Int16](repeating: 0, count: max(2048, info.channels)) }
            var taken: [Int16] = []
            swap(&taken, &scratch)
            defer { swap(&taken, &scratch) }
            let most = taken.count / info.channels
            var done = 0
            while done < frames {
                let piece = min(most, frames - done)
                var span = taken.mutableSpan
                try readPackets(piece, into: &span)
                var part = output._mutatingExtracting(done * info.channels..<(done + piece) * info.channels)
                T.convert(span.span, into: &part)
                done += piece
            }
        }
        position += Int64(frames)
        return frames
    }

    private mutating func read<T: DecodedSample>(
        _ frames: Int, of decoder: SndfileDecoder, into output: inout MutableSpan<T>
    ) throws(SoundFileError) -> Int {
        let decoded = try decoder.read(frames, into: &output)
        position += Int64(decoded)
        if frames == 0, position == info.frames, try decoder.lacks() { info.isTruncated = true }
        return decoded
    }

    /// Decodes frames of a packed codec; the coding is taken out meanwhile, so that no copy is made of it.
    private mutating func readPackets(
        _ frames: Int, into output: inout MutableSpan<Int16>
    ) throws(SoundFileError) {
        let taken = coder
        coder = .packets(PacketCoding.none)
        switch taken {
        case .samples, .library: break
        case .packets(var coding):
            defer { coder = .packets(coding) }
            try coding.read(frames, from: &input, into: &output)
        case .mpeg(var coding):
            defer { coder = .mpeg(coding) }
            try coding.read(frames, from: &input, into: &output)
        }
    }
}
