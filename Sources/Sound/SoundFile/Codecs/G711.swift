/// The companding laws of telephony, over 16-bit samples.
///
/// Source: ITU-T Recommendation G.711; u-law's 14 bits and A-law's 13 are moved up to 16.
enum G711 {
    /// The 16-bit sample for each u-law byte.
    static let uLaw: [Int16] = (0..<256).map { code in
        let bits = ~code & 0xFF
        let magnitude = (((bits & 0x0F) << 3) + 0x84) << ((bits & 0x70) >> 4) - 0x84
        return Int16(bits & 0x80 == 0 ? magnitude : -magnitude)
    }

    /// The 16-bit sample for each A-law byte.
    static let aLaw: [Int16] = (0..<256).map { code in
        let bits = code ^ 0x55
        let segment = (bits & 0x70) >> 4
        let step = (bits & 0x0F) << 4
        let magnitude = segment == 0 ? step + 8 : (step + 0x108) << (segment - 1)
        return Int16(bits & 0x80 != 0 ? magnitude : -magnitude)
    }
}

extension G711 {
    /// The u-law byte of a sample, by the recommendation's decision values.
    static func uLaw(_ sample: Int16) -> UInt8 {
        let sign: UInt8 = sample < 0 ? 0x00 : 0x80
        // 14 bits, with the bias that makes each segment begin at a power of two.
        let magnitude = min((sample < 0 ? -Int32(sample) : Int32(sample)) + 0x84, 0x7FFF)
        let segment = 24 - Int32((magnitude | 0x80).leadingZeroBitCount)
        let step = magnitude >> (segment + 3) & 0x0F
        return sign | UInt8(truncatingIfNeeded: ~(segment << 4 | step)) & 0x7F
    }

    /// The A-law byte of a sample, by the recommendation's decision values.
    static func aLaw(_ sample: Int16) -> UInt8 {
        let sign: UInt8 = sample < 0 ? 0x00 : 0x80
        let magnitude = sample < 0 ? ~Int32(sample) : Int32(sample)
        let segment = max(0, 24 - Int32((magnitude | 1).leadingZeroBitCount))
        let step = segment == 0 ? magnitude >> 4 : magnitude >> (segment + 3) & 0x0F
        return (sign | UInt8(truncatingIfNeeded: segment << 4 | step)) ^ 0x55
    }
}
