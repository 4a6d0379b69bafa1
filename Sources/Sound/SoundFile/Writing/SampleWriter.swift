/// Writes samples one by one in linear PCM and G.711.
enum SampleWriter {
    /// Appends the bytes of each sample.
    static func append<T: EncodedSample>(_ samples: Span<T>, as codec: SoundCodec, to bytes: inout [UInt8]) {
        switch codec {
        case .uLaw:
            for index in samples.indices { bytes.append(G711.uLaw(samples[index].int16)) }
        case .aLaw:
            for index in samples.indices { bytes.append(G711.aLaw(samples[index].int16)) }
        case .linearPCM(let format):
            for index in samples.indices { append(samples[index], as: format, to: &bytes) }
        case .ima4, .imaADPCM, .mpegLayer3, .vorbis, .opus, .flac:
            preconditionFailure("packed codecs are written by packets")
        }
    }

    private static func append<T: EncodedSample>(_ sample: T, as format: LinearPCM, to bytes: inout [UInt8]) {
        let width = format.bytesPerSample
        let pattern: UInt64
        switch format.kind {
        case .float where width == 8: pattern = sample.double.bitPattern
        case .float: pattern = UInt64(Float(sample.double).bitPattern)
        case .signedInteger: pattern = UInt64(UInt32(bitPattern: sample.integer(bits: format.bits)) >> (32 - 8 * width))
        case .unsignedInteger:
            let top = UInt32(bitPattern: sample.integer(bits: format.bits)) ^ 0x8000_0000
            pattern = UInt64(top >> (32 - 8 * width))
        }
        for byte in 0..<width {
            let shift = format.byteOrder == .little ? 8 * byte : 8 * (width - 1 - byte)
            bytes.append(UInt8(truncatingIfNeeded: pattern >> UInt64(shift)))
        }
    }
}
