/// A codec that writes each sample by itself, with the table it decodes by.
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
        case .ima4, .imaADPCM:
            return nil
        }
    }

    /// Whether samples need no more than their bytes put in the machine's order to be 16-bit integers.
    var isInt16: Bool { table == nil && format.kind == .signedInteger && format.bytesPerSample == 2 }

    /// Decodes whole samples, as many as both spans hold.
    @inline(__always)
    func decode<T: DecodedSample>(_ bytes: Span<UInt8>, into output: inout MutableSpan<T>) {
        if let table {
            Self.look(up: bytes, in: table.span, into: &output)
            return
        }
        let isBig = format.byteOrder == .big
        switch (format.kind, format.bytesPerSample) {
        case (.signedInteger, 1): Self.each(bytes, 1, into: &output) { T(sample32: $0 << 24) }
        case (.unsignedInteger, 1): Self.each(bytes, 1, into: &output) { T(sample32: ($0 ^ 0x80) << 24) }
        case (.signedInteger, 2) where isBig: Self.each(bytes, 2, into: &output) { T(sample32: $0 << 16) }
        case (.signedInteger, 3) where isBig: Self.each(bytes, 3, into: &output) { T(sample32: $0 << 8) }
        case (.signedInteger, 4) where isBig: Self.each(bytes, 4, into: &output) { T(sample32: $0) }
        case (.signedInteger, 2): Self.each(bytes, 2, into: &output) { T(sample32: ($0 << 16).byteSwapped << 16) }
        case (.signedInteger, 3): Self.each(bytes, 3, into: &output) { T(sample32: ($0 << 8).byteSwapped << 8) }
        case (.signedInteger, 4): Self.each(bytes, 4, into: &output) { T(sample32: $0.byteSwapped) }
        case (.float, 4):
            Self.each(bytes, 4, into: &output) {
                T(sampleFloat: Float(bitPattern: UInt32(bitPattern: isBig ? $0 : $0.byteSwapped)))
            }
        case (.float, 8):
            Self.eachLong(bytes, into: &output) { T(sampleDouble: Double(bitPattern: isBig ? $0 : $0.byteSwapped)) }
        default:
            preconditionFailure("headers with other sample formats are refused")
        }
    }

    /// One table entry for each byte.
    @inline(__always)
    private static func look<T: DecodedSample>(
        up bytes: Span<UInt8>, in table: Span<Int16>, into output: inout MutableSpan<T>
    ) {
        // Told once, the compiler needs no check for each sample.
        precondition(table.count == 256)
        let count = min(bytes.count, output.count)
        var index = 0
        while index < count {
            output[index] = T(sample16: table[Int(bytes[index])])
            index += 1
        }
    }

    /// One sample for each `width` bytes, which reach `make` as a big-endian number.
    @inline(__always)
    private static func each<T: DecodedSample>(
        _ bytes: Span<UInt8>, _ width: Int, into output: inout MutableSpan<T>, make: (Int32) -> T
    ) {
        let count = min(bytes.count / width, output.count)
        var place = 0
        var index = 0
        while index < count {
            var value: UInt32 = 0
            for byte in 0..<width { value = value << 8 | UInt32(bytes[place + byte]) }
            output[index] = make(Int32(bitPattern: value))
            place += width
            index += 1
        }
    }

    /// One sample for each 8 bytes.
    @inline(__always)
    private static func eachLong<T: DecodedSample>(
        _ bytes: Span<UInt8>, into output: inout MutableSpan<T>, make: (UInt64) -> T
    ) {
        let count = min(bytes.count / 8, output.count)
        for index in 0..<count {
            var value: UInt64 = 0
            for byte in 0..<8 { value = value << 8 | UInt64(bytes[index * 8 + byte]) }
            output[index] = make(value)
        }
    }
}
