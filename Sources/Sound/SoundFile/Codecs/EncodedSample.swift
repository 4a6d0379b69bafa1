/// A sample to encode: a 16-bit integer, or floating point with full scale at 1.
protocol EncodedSample: BitwiseCopyable, Sendable {
    /// The nearest integer of `bits` bits, in the highest bits of 32; rounded half to even, clamped.
    func integer(bits: Int) -> Int32
    var double: Double { get }
}

extension EncodedSample {
    /// The nearest 16-bit integer.
    @inline(__always)
    var int16: Int16 { Int16(truncatingIfNeeded: integer(bits: 16) >> 16) }
}

extension Int16: EncodedSample {
    @inline(__always)
    func integer(bits: Int) -> Int32 {
        guard bits < 16 else { return Int32(self) << 16 }
        // Rounded to nearest, half up: half to even would need the lower bits that are cut off.
        let half = Int32(1) << (15 - bits)
        let rounded = Swift.min((Int32(self) + half) >> (16 - bits), Int32(1) << (bits - 1) - 1)
        return rounded << (32 - bits)
    }

    @inline(__always)
    var double: Double { Double(self) * (1 / 32768) }
}

extension Double: EncodedSample {
    @inline(__always)
    func integer(bits: Int) -> Int32 {
        let scale = Double(UInt64(1) << UInt64(bits - 1))
        let scaled = (self * scale).rounded(.toNearestOrEven)
        let clamped = scaled >= scale - 1 ? scale - 1 : scaled > -scale ? scaled : scaled.isNaN ? 0 : -scale
        return Int32(clamped) << (32 - bits)
    }

    @inline(__always)
    var double: Double { self }
}

extension Float: EncodedSample {
    @inline(__always)
    func integer(bits: Int) -> Int32 { Double(self).integer(bits: bits) }

    @inline(__always)
    var double: Double { Double(self) }
}
