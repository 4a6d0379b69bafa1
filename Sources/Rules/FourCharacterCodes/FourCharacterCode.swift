/// Four bytes that name a chunk, a codec, a property or a result, such as `data`, `ima4`, `chov` or `!act`.
///
/// Source: IFF, RIFF, Core Audio Format and Apple's audio interfaces all name their parts this way, most significant byte
/// first.
public struct FourCharacterCode: RawRepresentable, Sendable, Hashable {
    /// The four bytes, the first one most significant.
    public let rawValue: UInt32

    /// Makes a code from its four bytes, the first one most significant.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Makes a code from four ASCII characters; nil for anything else. A string literal is a code, too.
    public init?(characters: some StringProtocol) {
        guard characters.utf8.count == 4, characters.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        rawValue = characters.utf8.reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The four bytes in order.
    public var bytes: [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> $0) }
    }

    /// The characters; nil if one of them does not print.
    public var characters: String? {
        let bytes = bytes
        return bytes.allSatisfy { (0x20..<0x7F).contains($0) } ? String(decoding: bytes, as: UTF8.self) : nil
    }
}

extension FourCharacterCode: ExpressibleByStringLiteral {
    /// Makes a code from a literal of up to four ASCII characters; a shorter one is filled with spaces.
    public init(stringLiteral value: StaticString) {
        precondition(value.utf8CodeUnitCount <= 4 && value.isASCII, "a four-character code has at most four characters")
        let bits = value.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
        rawValue = (value.utf8CodeUnitCount..<4).reduce(bits) { bits, _ in bits << 8 | 0x20 }
    }
}

extension FourCharacterCode: CustomStringConvertible {
    /// The characters, with bytes that do not print written as `\xNN`.
    public var description: String {
        var text = ""
        for byte in bytes {
            if (0x20..<0x7F).contains(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16)
                text += digits.utf8.count == 1 ? "\\x0" + digits : "\\x" + digits
            }
        }
        return text
    }
}
