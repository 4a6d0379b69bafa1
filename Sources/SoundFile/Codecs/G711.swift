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
