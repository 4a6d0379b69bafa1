/// Reads and writes sound files: CAF, AIFF, AIFF-C and WAV; and reads MP3, Ogg and FLAC.
///
/// A file's bytes determine its format, not its name. Files are not opened here: bytes come from memory or a
/// ``ByteSource``.
public enum SoundFiles {
    /// Reads a file's headers, and decodes nothing but the beginning of Ogg and FLAC. The time that it takes does not depend on the
    /// sound's length, except for MP3, whose frames have to be counted, and Ogg, whose pages are looked at.
    ///
    /// - Throws: ``SoundFileError`` with the fault in the headers, or where there is no frame of sound.
    public static func info(_ source: some ByteSource) throws(SoundFileError) -> SoundFileInfo {
        try info(source, atMost: nil)
    }

    /// The same, of a sound that lasts at most `maximumDuration`; a longer one is refused.
    package static func info(
        _ source: some ByteSource, atMost maximumDuration: Duration?
    ) throws(SoundFileError) -> SoundFileInfo {
        var input = HeaderInput(source, atMost: maximumDuration)
        return try input.read().info
    }

    /// Reads the headers of a file in memory.
    public static func info(_ bytes: [UInt8]) throws(SoundFileError) -> SoundFileInfo {
        try info(MemorySource(bytes))
    }

    /// Decodes a whole file to interleaved 16-bit samples.
    ///
    /// A sound longer than `maximumDuration` is refused before anything is decoded. Of a truncated or damaged file, what is
    /// there is decoded; ``PCMBuffer/shortfall`` says what is not.
    public static func decode(
        _ bytes: [UInt8], maximumDuration: Duration? = nil
    ) throws(SoundFileError) -> PCMBuffer {
        try decode(MemorySource(bytes), maximumDuration: maximumDuration)
    }

    /// Decodes a whole file from any source of bytes to interleaved 16-bit samples.
    public static func decode(
        _ source: some ByteSource, maximumDuration: Duration? = nil
    ) throws(SoundFileError) -> PCMBuffer {
        var decoder = try SoundDecoder(source, maximumDuration: maximumDuration)
        return try decode(&decoder)
    }

    /// As ``decode(_:maximumDuration:)``; `admit` is called with the size of the samples in bytes before anything is decoded,
    /// and throws where that is too much.
    package static func decode(
        _ source: some ByteSource, maximumDuration: Duration? = nil, admit: (Int) throws(SoundFileError) -> Void
    ) throws(SoundFileError) -> PCMBuffer {
        var decoder = try SoundDecoder(source, maximumDuration: maximumDuration)
        try admit(try sampleCount(decoder.info) * MemoryLayout<Int16>.size)
        return try decode(&decoder)
    }

    private static func decode(_ decoder: inout SoundDecoder<some ByteSource>) throws(SoundFileError) -> PCMBuffer {
        let info = decoder.info
        let samples = try samples(of: &decoder) { (decoder, samples: inout [Int16]) throws(SoundFileError) in
            try decoder.read(into: &samples)
        }
        var sound = PCMBuffer(sampleRate: info.sampleRate, channels: info.channels, samples: samples)
        var shortfall = decoder.info.shortfall
        if sound.frames < info.frames {
            shortfall = "only \(sound.frames) of \(info.frames) frames could be decoded"
        }
        sound.shortfall = shortfall.map { PCMBuffer.Shortfall(reason: $0) }
        return sound
    }

    /// Decodes a whole file to interleaved 32-bit floating-point samples, full scale at 1.
    public static func decodeFloat(
        _ bytes: [UInt8], maximumDuration: Duration? = nil
    ) throws(SoundFileError) -> FloatPCMBuffer {
        var decoder = try SoundDecoder(MemorySource(bytes), maximumDuration: maximumDuration)
        let samples = try samples(of: &decoder) { (decoder, samples: inout [Float]) throws(SoundFileError) in
            var span = samples.mutableSpan
            return try decoder.read(into: &span)
        }
        return FloatPCMBuffer(
            sampleRate: decoder.info.sampleRate, channels: decoder.info.channels, samples: samples)
    }

    /// All samples of a sound; `read` decodes the next ones, and returns how many frames.
    private static func samples<Source: ByteSource, Sample: DecodedSample>(
        of decoder: inout SoundDecoder<Source>,
        _ read: (inout SoundDecoder<Source>, inout [Sample]) throws(SoundFileError) -> Int
    ) throws(SoundFileError) -> [Sample] {
        let info = decoder.info
        if decoder.isInMemory {
            // The frames that the bytes present can hold: a header cannot make this allocate more.
            var samples = [Sample](repeating: .silence, count: try sampleCount(info))
            _ = try read(&decoder, &samples)
            return samples
        }
        // A file may have holes, and a source may report a wrong size: memory grows with the samples that are read.
        var samples: [Sample] = []
        var piece = [Sample](repeating: .silence, count: pieceSamples / info.channels * info.channels)
        while case let frames = try read(&decoder, &piece), frames > 0 {
            samples += piece[..<(frames * info.channels)]
        }
        return samples
    }

    /// How many samples are decoded at a time from a source that is not in memory, whatever the header says.
    private static let pieceSamples = 32_768

    /// The samples of the whole sound, if an array can hold them: on 32-bit processors some files are too long.
    private static func sampleCount(_ info: SoundFileInfo) throws(SoundFileError) -> Int {
        let (count, overflow) = info.frames.multipliedReportingOverflow(by: Int64(info.channels))
        guard !overflow, count <= Int64(Int.max / MemoryLayout<Float>.size) else {
            throw SoundFileError(
                .maximumDurationExceeded, expected: "a sound that fits in memory",
                found: "\(info.frames) frames of \(info.channels) channels", offset: info.dataOffset)
        }
        return Int(count)
    }
}

extension SoundFiles {
    /// Encodes interleaved 16-bit samples to a whole file.
    ///
    /// Throws if the container cannot hold the codec, the rate or the number of channels.
    public static func encode(
        _ buffer: PCMBuffer, container: SoundContainer, codec: SoundCodec
    ) throws(SoundFileError) -> [UInt8] {
        var encoder = try SoundEncoder(
            MemorySink(), container: container, codec: codec, sampleRate: buffer.sampleRate, channels: buffer.channels)
        try encoder.write(buffer.samples.span)
        return try encoder.finish().bytes
    }

    /// Encodes interleaved 32-bit floating-point samples to a whole file.
    public static func encode(
        _ buffer: FloatPCMBuffer, container: SoundContainer, codec: SoundCodec
    ) throws(SoundFileError) -> [UInt8] {
        var encoder = try SoundEncoder(
            MemorySink(), container: container, codec: codec, sampleRate: buffer.sampleRate, channels: buffer.channels)
        try encoder.write(buffer.samples.span)
        return try encoder.finish().bytes
    }
}
