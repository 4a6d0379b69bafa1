/// Writes a sound in pieces: a header, the samples, and the header again when their number is known.
///
///     var encoder = try SoundEncoder(MemorySink(), container: .caf, codec: .ima4, sampleRate: 44_100, channels: 2)
///     try encoder.write(samples.span)
///     let file = try encoder.finish().bytes
public struct SoundEncoder<Sink: ByteSink> {
    /// The frames taken in so far.
    public private(set) var frames: Int64 = 0

    private let format: FileFormat
    private var sink: Sink
    private var offset: Int64
    private var packets: Int64 = 0
    private var ima: IMAEncoder
    /// Samples waiting for their packet to fill.
    private var waiting: [Int16] = []
    private var bytes: [UInt8] = []

    /// Writes a header to a sink.
    ///
    /// - Parameter blockSize: The bytes of a block of WAV's IMA ADPCM, rounded down to whole groups; nil for the usual
    ///   size of the rate. Without a layout, the usual one for the number of channels is written.
    /// - Throws: ``SoundFileError/Code/unsupportedCodec`` if the container cannot hold the codec,
    ///   ``SoundFileError/Code/doesNotFit`` for a rate or channel count that it cannot hold.
    public init(
        _ sink: Sink, container: SoundContainer, codec: SoundCodec, sampleRate: Double, channels: Int,
        channelLayout: ChannelLayout? = nil, blockSize: Int? = nil
    ) throws(SoundFileError) {
        format = try FileFormat(
            container: container, codec: codec, sampleRate: sampleRate, channels: channels,
            channelLayout: channelLayout, blockSize: blockSize)
        self.sink = sink
        ima = IMAEncoder(channels: channels)
        let header = try format.header(frames: 0, packets: 0)
        try self.sink.write(header.span, at: 0)
        offset = Int64(header.count)
    }

    /// Writes interleaved 16-bit samples, whole frames.
    public mutating func write(_ samples: Span<Int16>) throws(SoundFileError) {
        try append(samples)
    }

    /// Writes interleaved floating-point samples, whole frames, full scale at 1; rounded half to even, clamped.
    public mutating func write(_ samples: Span<Float>) throws(SoundFileError) {
        try append(samples)
    }

    /// Writes interleaved 64-bit floating-point samples, whole frames, full scale at 1; exact in every format.
    public mutating func write(_ samples: Span<Double>) throws(SoundFileError) {
        try append(samples)
    }

    /// Fills the last packet with silence, writes the header again with the counts, and returns the sink.
    ///
    /// Throws ``SoundFileError/Code/doesNotFit`` for more sound than the container's fields can count.
    public consuming func finish() throws(SoundFileError) -> Sink {
        if !waiting.isEmpty {
            let whole = format.framesPerPacket * format.channels
            waiting += repeatElement(0, count: whole - waiting.count)
            encodePacket()
        }
        try flush()
        let header = try format.header(frames: frames, packets: packets)
        if format.container != .caf, packets * Int64(format.bytesPerPacket) & 1 == 1 {
            bytes.append(0)
            try flush()
        }
        try sink.write(header.span, at: 0)
        return sink
    }

    private mutating func append<T: EncodedSample>(_ samples: Span<T>) throws(SoundFileError) {
        precondition(samples.count % format.channels == 0, "the last frame is whole")
        frames += Int64(samples.count / format.channels)
        switch format.codec {
        // No container that is written has the last one.
        case .ima4, .imaADPCM, .mpegLayer3, .vorbis, .opus, .flac:
            let whole = format.framesPerPacket * format.channels
            for index in samples.indices {
                waiting.append(samples[index].int16)
                if waiting.count == whole {
                    encodePacket()
                    if bytes.count >= 16384 { try flush() }
                }
            }
        case .linearPCM, .uLaw, .aLaw:
            packets = frames
            var done = 0
            while done < samples.count {
                let piece = min(4096, samples.count - done)
                SampleWriter.append(samples.extracting(done..<done + piece), as: format.codec, to: &bytes)
                try flush()
                done += piece
            }
        }
    }

    /// Encodes the samples that were waiting, now that they fill a packet.
    private mutating func encodePacket() {
        // Taken out meanwhile, to avoid a copy.
        var samples: [Int16] = []
        swap(&samples, &waiting)
        if format.codec == .ima4 {
            ima.packet(samples.span, into: &bytes)
        } else {
            ima.block(samples.span, into: &bytes)
        }
        samples.removeAll(keepingCapacity: true)
        swap(&samples, &waiting)
        packets += 1
    }

    private mutating func flush() throws(SoundFileError) {
        guard !bytes.isEmpty else { return }
        // Taken out for the time of writing: they and the sink are used at once.
        var taken: [UInt8] = []
        swap(&taken, &bytes)
        defer { swap(&taken, &bytes) }
        try sink.write(taken.span, at: offset)
        offset += Int64(taken.count)
        taken.removeAll(keepingCapacity: true)
    }
}
