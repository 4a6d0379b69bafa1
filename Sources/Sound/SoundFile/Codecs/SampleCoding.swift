/// A codec that encodes each sample on its own, and its decoding table.
struct SampleCoding: Sendable {
    let format: LinearPCM
    /// G.711's 256 values; `nil` for linear PCM.
    let table: [Int16]?

    /// The coding of a codec, or `nil` for one that packs samples together.
    init?(_ codec: SoundCodec) {
        switch codec {
        case .linearPCM(let format):
            self.format = format
            table = nil
        case .uLaw:
            format = LinearPCM(.signedInteger, bytesPerSample: 1, byteOrder: .big)
            table = G711.uLaw
        case .aLaw:
            format = LinearPCM(.signedInteger, bytesPerSample: 1, byteOrder: .big)
            table = G711.aLaw
        case .ima4, .imaADPCM, .mpegLayer3, .vorbis, .opus, .flac:
            return nil
        }
    }

    /// Whether samples need no more than their bytes put in the machine's order to be 16-bit integers.
    var isInt16: Bool { table == nil && format.kind == .signedInteger && format.bytesPerSample == 2 }

    /// Decodes whole samples, as many as both spans hold.
    @inline(__always)
    @_lifetime(output: copy output)
    func decode<T: DecodedSample>(_ bytes: Span<UInt8>, into output: inout MutableSpan<T>) {
        if let table {
            Self.look(up: bytes, in: table.span, into: &output)
            return
        }
        let isBig = format.byteOrder == .big
        switch (format.kind, format.bytesPerSample) {
        case (.signedInteger, 1):
            Self.each(UInt8.self, bytes, into: &output) { T(sample32: Int32(bitPattern: UInt32($0) << 24)) }
        case (.unsignedInteger, 1):
            Self.each(UInt8.self, bytes, into: &output) { T(sample32: Int32(bitPattern: UInt32($0 ^ 0x80) << 24)) }
        case (.signedInteger, 2):
            Self.each(Int16.self, bytes, into: &output) {
                T(sample16: isBig ? Int16(bigEndian: $0) : Int16(littleEndian: $0))
            }
        case (.signedInteger, 3):
            Self.eachOfThree(bytes, high: isBig ? 0 : 2, into: &output)
        case (.signedInteger, 4):
            Self.each(Int32.self, bytes, into: &output) {
                T(sample32: isBig ? Int32(bigEndian: $0) : Int32(littleEndian: $0))
            }
        case (.signedInteger, 8):
            Self.each(Int64.self, bytes, into: &output) {
                T(sample32: Int32(truncatingIfNeeded: (isBig ? Int64(bigEndian: $0) : Int64(littleEndian: $0)) >> 32))
            }
        case (.float, 4):
            Self.each(UInt32.self, bytes, into: &output) {
                T(sampleFloat: Float(bitPattern: isBig ? UInt32(bigEndian: $0) : UInt32(littleEndian: $0)))
            }
        case (.float, 8):
            Self.each(UInt64.self, bytes, into: &output) {
                T(sampleDouble: Double(bitPattern: isBig ? UInt64(bigEndian: $0) : UInt64(littleEndian: $0)))
            }
        default:
            preconditionFailure("headers with other sample formats are refused")
        }
    }

    /// 16-bit samples in the other byte order than the machine's, as many as both spans hold.
    @_lifetime(output: copy output)
    static func swap(_ bytes: Span<UInt8>, into output: inout MutableSpan<Int16>) {
        let count = min(bytes.count / 2, output.count)
        // Cut to one length, so that the compiler needs no check for each sample.
        let input = bytes.bytes.extracting(0..<count * 2)
        var samples = output._mutatingExtracting(0..<count)
        for index in 0..<count { samples[index] = input.integer(at: index * 2, as: Int16.self).byteSwapped }
    }

    /// One table entry for each byte.
    @inline(__always)
    @_lifetime(output: copy output)
    private static func look<T: DecodedSample>(
        up bytes: Span<UInt8>, in table: Span<Int16>, into output: inout MutableSpan<T>
    ) {
        // Told once, the compiler needs no check for each sample.
        precondition(table.count == 256)
        let count = min(bytes.count, output.count)
        // Cut to one length, so that the compiler needs no check for each sample.
        let input = bytes.extracting(0..<count)
        var samples = output._mutatingExtracting(0..<count)
        for index in 0..<count { samples[index] = T(sample16: table[Int(input[index])]) }
    }

    /// One sample for each integer, as it lies in the file.
    @inline(__always)
    @_lifetime(output: copy output)
    private static func each<I: FixedWidthInteger & BitwiseCopyable, T: DecodedSample>(
        _ type: I.Type, _ bytes: Span<UInt8>, into output: inout MutableSpan<T>, make: (I) -> T
    ) {
        let width = I.bitWidth / 8
        let count = min(bytes.count / width, output.count)
        let input = bytes.bytes.extracting(0..<count * width)
        var samples = output._mutatingExtracting(0..<count)
        for index in 0..<count { samples[index] = make(input.integer(at: index * width, as: I.self)) }
    }

    /// One sample for each three bytes, whose most significant is the first (`high` is 0) or the last (2).
    @inline(__always)
    @_lifetime(output: copy output)
    private static func eachOfThree<T: DecodedSample>(
        _ bytes: Span<UInt8>, high: Int, into output: inout MutableSpan<T>
    ) {
        let count = min(bytes.count / 3, output.count)
        let input = bytes.extracting(0..<count * 3)
        var samples = output._mutatingExtracting(0..<count)
        for index in 0..<count {
            let place = index * 3
            let top = UInt32(input[place + high]) << 24
            let rest = UInt32(input[place + 1]) << 16 | UInt32(input[place + 2 - high]) << 8
            samples[index] = T(sample32: Int32(bitPattern: top | rest))
        }
    }
}
