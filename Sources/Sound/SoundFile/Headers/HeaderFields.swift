import FourCharacterCodes
/// The fields of one header, read in order; a missing field is an error with its offset in the file.
struct HeaderFields {
    /// The header's name in errors.
    let name: String
    /// The header's bytes, as far as they are present.
    let bytes: [UInt8]
    /// The position of the first byte in the file.
    let base: Int64
    /// Which byte of a number comes first.
    let byteOrder: LinearPCM.ByteOrder
    /// The bytes taken so far.
    private(set) var position = 0

    init(name: String, bytes: [UInt8], base: Int64, byteOrder: LinearPCM.ByteOrder) {
        self.name = name
        self.bytes = bytes
        self.base = base
        self.byteOrder = byteOrder
    }

    /// The offset in the file of the next field.
    var offset: Int64 { base + Int64(position) }

    /// The bytes left.
    var remaining: Int { bytes.count - position }

    /// Skips some bytes.
    mutating func skip(_ count: Int) throws(SoundFileError) {
        _ = try take(count)
    }

    /// The next number, in the header's byte order.
    mutating func integer<T: FixedWidthInteger & UnsignedInteger>(_ type: T.Type = T.self) throws(SoundFileError) -> T {
        let width = T.bitWidth / 8
        let start = try take(width)
        var value: T = 0
        for index in 0..<width {
            let byte = T(truncatingIfNeeded: bytes[start + index])
            switch byteOrder {
            case .big: value |= byte << T(8 * (width - 1 - index))
            case .little: value |= byte << T(8 * index)
            }
        }
        return value
    }

    /// The next four-character code, whose bytes are in order whatever the header's byte order.
    mutating func code() throws(SoundFileError) -> FourCharacterCode {
        let start = try take(4)
        var bits: UInt32 = 0
        for index in start..<start + 4 { bits = bits << 8 | UInt32(bytes[index]) }
        return FourCharacterCode(rawValue: bits)
    }

    /// The next 64-bit floating-point number.
    mutating func double() throws(SoundFileError) -> Double {
        Double(bitPattern: try integer(UInt64.self))
    }

    /// The next 80-bit extended floating-point number: 1 bit of sign, 15 of exponent, 64 of mantissa with its integer.
    mutating func extended() throws(SoundFileError) -> Double {
        let signAndExponent = try integer(UInt16.self)
        let mantissa = try integer(UInt64.self)
        let exponent = Int(signAndExponent & 0x7FFF)
        if exponent == 0x7FFF { return .nan }
        // Far beyond any rate; clamped, so that the scaling below cannot overflow.
        let scale = max(-2000, min(2000, exponent - 16383 - 63))
        let magnitude = scalbn(Double(mantissa), scale)
        return signAndExponent & 0x8000 == 0 ? magnitude : -magnitude
    }

    /// `value` times two to the power of `power`, in steps that stay within a `Double`'s exponents.
    private func scalbn(_ value: Double, _ power: Int) -> Double {
        var result = value
        var left = power
        while left != 0 {
            let step = max(-1000, min(1000, left))
            result *= Double(sign: .plus, exponent: step, significand: 1)
            left -= step
        }
        return result
    }

    private mutating func take(_ count: Int) throws(SoundFileError) -> Int {
        guard count <= remaining else {
            throw SoundFileError(
                .truncatedHeader, expected: "\(count) more bytes of \(name)", found: "\(remaining)", offset: offset)
        }
        defer { position += count }
        return position
    }
}
