/// Decodes a sound piece by piece with a fixed amount of memory, less than 64 KiB whatever the file's size.
///
///     var decoder = try SoundDecoder(source, maximumDuration: .seconds(30))
///     var piece = [Int16](repeating: 0, count: 1024 * decoder.info.channels)
///     while case let frames = try decoder.read(into: &piece), frames > 0 { ... }
public struct SoundDecoder<Source: ByteSource> {
    /// What the headers say of the sound.
    public let info: SoundFileInfo
    /// The frames delivered so far.
    public private(set) var position: Int64 = 0

    var source: Source
    /// The sample codec's coding, `nil` for codecs that pack samples together.
    let coding: SampleCoding?
    /// Where the next byte of sound to be decoded lies.
    var offset: Int64
    /// File bytes on their way to being decoded.
    var staging: [UInt8]

    /// Reads the headers of a file.
    ///
    /// Throws what is wrong with them; a sound longer than `maximumDuration` is refused before anything is decoded.
    /// Sound data cut short is no error: ``SoundFileInfo/isTruncated`` tells, and what is there is decoded.
    public init(_ source: Source, maximumDuration: Duration? = nil) throws(SoundFileError) {
        var input = HeaderInput(source)
        let plan = try input.parse()
        info = plan.info(chunks: input.chunks, tags: input.tags)
        if let maximumDuration { try info.require(atMost: maximumDuration) }
        self.source = input.source
        coding = SampleCoding(plan.codec)
        offset = plan.dataOffset
        staging = [UInt8](repeating: 0, count: 16384)
        if coding != nil { offset += plan.primingFrames * Int64(plan.bytesPerPacket) }
    }

    /// Decodes the next frames to interleaved 16-bit samples; returns how many frames, 0 at the sound's end.
    ///
    /// Integers wider than 16 bits lose their low bits; floating-point samples are rounded, half to even, and saturate.
    /// As many frames are decoded as fit the span, or are left.
    public mutating func read(into output: inout MutableSpan<Int16>) throws(SoundFileError) -> Int {
        let wanted = framesWanted(output.count)
        if let coding, coding.isInt16 {
            try readInt16(wanted, bigEndian: coding.format.byteOrder == .big, into: &output)
            position += Int64(wanted)
            return wanted
        }
        return try decode(wanted, into: &output)
    }

    /// Decodes the next frames to interleaved 32-bit floating-point samples; returns how many frames.
    ///
    /// Full scale is 1; integers of up to 24 bits are exact.
    public mutating func read(into output: inout MutableSpan<Float>) throws(SoundFileError) -> Int {
        try decode(framesWanted(output.count), into: &output)
    }

    /// Decodes the next frames to interleaved 64-bit floating-point samples; returns how many frames.
    ///
    /// Full scale is 1; every format is exact.
    public mutating func read(into output: inout MutableSpan<Double>) throws(SoundFileError) -> Int {
        try decode(framesWanted(output.count), into: &output)
    }

    /// Decodes the next frames into an array of samples; returns how many frames, 0 at the sound's end.
    public mutating func read(into output: inout [Int16]) throws(SoundFileError) -> Int {
        var span = output.mutableSpan
        return try read(into: &span)
    }

    private func framesWanted(_ samples: Int) -> Int {
        Int(min(Int64(samples / info.channels), info.frames - position))
    }

    private mutating func decode<T: DecodedSample>(
        _ wanted: Int, into output: inout MutableSpan<T>
    ) throws(SoundFileError) -> Int {
        if let coding { try readSamples(wanted, coding, into: &output) }
        position += Int64(wanted)
        return wanted
    }

    /// 16-bit samples go straight to their place and are put in order there, a piece at a time while it is in the cache.
    private mutating func readInt16(
        _ frames: Int, bigEndian: Bool, into output: inout MutableSpan<Int16>
    ) throws(SoundFileError) {
        let count = frames * info.channels
        #if _endian(little)
        let swaps = bigEndian
        #else
        let swaps = !bigEndian
        #endif
        var done = 0
        while done < count {
            let piece = swaps ? min(8192, count - done) : count - done
            var part = output._mutatingExtracting(done..<done + piece)
            do {
                var bytes = part.mutableBytes
                try source.fill(&bytes, at: offset)
            }
            if swaps {
                for index in part.indices { part[index] = part[index].byteSwapped }
            }
            offset += Int64(piece * 2)
            done += piece
        }
    }

    /// Samples of any other width pass through the staging bytes.
    private mutating func readSamples<T: DecodedSample>(
        _ frames: Int, _ coding: SampleCoding, into output: inout MutableSpan<T>
    ) throws(SoundFileError) {
        let width = coding.format.bytesPerSample
        let count = frames * info.channels
        var done = 0
        while done < count {
            let samples = min(staging.count / width, count - done)
            try stage(samples * width)
            var part = output._mutatingExtracting(done..<done + samples)
            T.decode(coding, staging.span.extracting(0..<samples * width), into: &part)
            done += samples
        }
    }

    /// Brings the next bytes of sound to the staging bytes.
    private mutating func stage(_ count: Int) throws(SoundFileError) {
        // Taken out for the time of reading: the source and the staging bytes are changed at once.
        var taken: [UInt8] = []
        swap(&taken, &staging)
        defer { swap(&taken, &staging) }
        var span = taken.mutableSpan
        var part = span._mutatingExtracting(0..<count)
        var bytes = part.mutableBytes
        try source.fill(&bytes, at: offset)
        offset += Int64(count)
    }
}
