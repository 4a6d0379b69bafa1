import RingerCore

/// A value of a D-Bus message.
package indirect enum BusValue: Sendable, Hashable {
    case byte(UInt8)
    case boolean(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case objectPath(String)
    case signature(String)
    /// A descriptor (`h`). Read from a message, it is open while the message is.
    case descriptor(CInt)
    case variant(BusValue)
    /// An array whose elements have the type `element`.
    case array(element: String, [BusValue])
    case structure([BusValue])
    /// `a{sv}`.
    case dictionary([String: BusValue])
    /// An array of dictionary entries of another type than `{sv}`, as pairs.
    case entries(type: String, [BusValue])

    /// Its type, as in a signature.
    package var signature: String {
        switch self {
        case .byte: "y"
        case .boolean: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .signature: "g"
        case .descriptor: "h"
        case .variant: "v"
        case .array(let element, _): "a" + element
        case .structure(let members): "(" + members.map(\.signature).joined() + ")"
        case .dictionary: "a{sv}"
        case .entries(let type, _): "a{" + type + "}"
        }
    }

    /// A time in nanoseconds of `CLOCK_MONOTONIC`.
    package static func time(_ time: MonotonicTime) -> BusValue { .uint64(UInt64(clamping: time.nanoseconds)) }

    package static func strings(_ strings: [String]) -> BusValue { .array(element: "s", strings.map { .string($0) }) }

    package var string: String? {
        switch self {
        case .string(let string), .objectPath(let string), .signature(let string): string
        default: nil
        }
    }

    /// A time in nanoseconds of `CLOCK_MONOTONIC`.
    package var time: MonotonicTime? { uint64.map { MonotonicTime(nanoseconds: Int64(clamping: $0)) } }

    /// A time in microseconds since the beginning of 1970, UTC; 0 for none.
    package static func wallTime(_ seconds: Int64?) -> BusValue {
        let (time, isTooLate) = UInt64(clamping: seconds ?? 0).multipliedReportingOverflow(by: 1_000_000)
        return .uint64(isTooLate ? .max : time)
    }

    /// A time in microseconds since the beginning of 1970, UTC, as seconds; nil for 0.
    package var wallTime: Int64? { uint64.flatMap { $0 == 0 ? nil : Int64($0 / 1_000_000) } }

    package var uint64: UInt64? { if case .uint64(let value) = self { value } else { nil } }
    package var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }

    package var double: Double? { if case .double(let value) = self { value } else { nil } }

    package var uint32: UInt32? { if case .uint32(let value) = self { value } else { nil } }

    package var int32: Int32? { if case .int32(let value) = self { value } else { nil } }

    package var dictionary: [String: BusValue]? { if case .dictionary(let value) = self { value } else { nil } }

    package var elements: [BusValue]? {
        switch self {
        case .array(_, let elements), .structure(let elements): elements
        default: nil
        }
    }

    package var strings: [String]? {
        guard case .array("s", let elements) = self else { return nil }
        return elements.compactMap(\.string)
    }

    /// What a variant contains; the value itself where it is none.
    package var contents: BusValue { if case .variant(let value) = self { value.contents } else { self } }
}
