import FourCharacterCodes
import RingerCore

/// The value of a session's property.
public enum SessionPropertyValue: Sendable, Hashable {
    /// 32 bits: a code, a count, or a boolean, where anything but 0 is true.
    case uint32(UInt32)
    /// A number in single precision.
    case float32(Float)
    /// A number in double precision.
    case float64(Double)
    /// Text.
    case string(String)
    /// Why a route changed, and the name of the old one.
    case routeChange(RouteChangeReason, oldRoute: String)

    /// The type of a value, which says how large it is.
    public enum Kind: String, Sendable, Hashable {
        /// ``SessionPropertyValue/uint32(_:)``, 4 bytes.
        case uint32
        /// ``SessionPropertyValue/float32(_:)``, 4 bytes.
        case float32
        /// ``SessionPropertyValue/float64(_:)``, 8 bytes.
        case float64
        /// ``SessionPropertyValue/string(_:)``: UTF-8 with a zero at the end.
        case string
        /// ``SessionPropertyValue/routeChange(_:oldRoute:)``: the reason's 4 bytes, then the old route's name as
        /// ``string``.
        case routeChange

        /// The size of every value of the kind, in bytes; nil if it depends on the value.
        public var size: Int? {
            switch self {
            case .uint32, .float32: 4
            case .float64: 8
            case .string, .routeChange: nil
            }
        }
    }

    /// The type of the value.
    public var kind: Kind {
        switch self {
        case .uint32: .uint32
        case .float32: .float32
        case .float64: .float64
        case .string: .string
        case .routeChange: .routeChange
        }
    }

    /// The value's bytes, numbers in the machine's order.
    public var bytes: [UInt8] {
        switch self {
        case .uint32(let number): Self.bytes(of: number)
        case .float32(let number): Self.bytes(of: number.bitPattern)
        case .float64(let number): Self.bytes(of: number.bitPattern)
        case .string(let text): Array(text.utf8) + [0]
        case .routeChange(let reason, let text): Self.bytes(of: reason.rawValue) + Array(text.utf8) + [0]
        }
    }

    /// The value of `kind` whose bytes are `bytes`; nil if there are more or fewer than it has, or where it is no
    /// number.
    public init?(_ kind: Kind, bytes: some Collection<UInt8>) {
        guard bytes.count == kind.size else { return nil }
        switch kind {
        case .uint32: self = .uint32(Self.number(bytes))
        case .float32: self = .float32(Float(bitPattern: Self.number(bytes)))
        case .float64: self = .float64(Double(bitPattern: Self.number(bytes)))
        case .string, .routeChange: return nil
        }
    }

    private static func bytes<Number: FixedWidthInteger>(of number: Number) -> [UInt8] {
        stride(from: 0, to: Number.bitWidth, by: 8).map { UInt8(truncatingIfNeeded: number.littleEndian >> Number($0)) }
    }

    private static func number<Number: FixedWidthInteger>(_ bytes: some Collection<UInt8>) -> Number {
        var number: Number = 0
        for (index, byte) in bytes.enumerated() { number |= Number(byte) << Number(index * 8) }
        return Number(littleEndian: number)
    }
}

/// A change of a property.
public struct SessionPropertyChange: Sendable, Hashable {
    /// The property's code.
    public var property: FourCharacterCode
    /// Its new value.
    public var value: SessionPropertyValue

    /// A change of `property` to `value`.
    public init(_ property: FourCharacterCode, _ value: SessionPropertyValue) {
        self.property = property
        self.value = value
    }
}
