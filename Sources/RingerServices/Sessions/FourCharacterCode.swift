/// A code of four characters in 32 bits, the first in the highest byte, as Apple's interfaces name properties and errors.
public struct FourCharacterCode: RawRepresentable, Sendable, Hashable {
    /// The 32 bits.
    public let rawValue: UInt32

    /// The code of these 32 bits.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The code of `characters`; nil unless they are four of ASCII. A literal needs no call: it is a code by itself.
    public init?(characters: some StringProtocol) {
        guard characters.utf8.count == 4, characters.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        rawValue = characters.utf8.reduce(0) { $0 << 8 | UInt32($1) }
    }
}

extension FourCharacterCode: ExpressibleByStringLiteral {
    /// The code written as a literal of four ASCII characters.
    public init(stringLiteral value: StaticString) {
        precondition(value.utf8CodeUnitCount == 4 && value.isASCII, "a four-character code has four ASCII characters")
        rawValue = value.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
    }
}

extension FourCharacterCode: CustomStringConvertible {
    /// The four characters, or the number where they cannot be shown.
    public var description: String {
        let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> UInt32($0)) }
        guard bytes.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return String(Int32(bitPattern: rawValue)) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
