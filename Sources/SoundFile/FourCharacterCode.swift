/// Four bytes that name a chunk, a codec or a file type, such as `data` or `ima4`.
///
/// Source: IFF, RIFF and Core Audio Format all name their parts this way, most significant byte first.
public struct FourCharacterCode: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The four bytes, the first one most significant.
    public let rawValue: UInt32

    /// Makes a code from its four bytes, the first one most significant.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Makes a code from a literal of up to four ASCII characters; a shorter one is filled with spaces.
    public init(stringLiteral value: StaticString) {
        precondition(value.utf8CodeUnitCount <= 4, "a four-character code has at most four characters")
        var bits: UInt32 = 0
        var count = 0
        for byte in value.description.utf8 {
            bits = bits << 8 | UInt32(byte)
            count += 1
        }
        while count < 4 {
            bits = bits << 8 | 0x20
            count += 1
        }
        rawValue = bits
    }

    /// The four bytes in order.
    public var bytes: [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> $0) }
    }

    /// The characters, with bytes that do not print written as `\xNN`.
    public var description: String {
        var text = ""
        for byte in bytes {
            if byte >= 0x20 && byte < 0x7F {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16)
                text += digits.utf8.count == 1 ? "\\x0" + digits : "\\x" + digits
            }
        }
        return text
    }
}
