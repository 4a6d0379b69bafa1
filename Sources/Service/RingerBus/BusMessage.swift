import CSDBus
import Glibc
import RingerCore

/// A message of D-Bus. It is used on the loop's thread of its connection alone.
// SAFETY: sd-bus's messages are not thread-safe. Every use, the last release included, is on the connection's loop thread:
// handlers get messages there, and what leaves that thread are values that were read from them.
package final class BusMessage: @unchecked Sendable {
    /// The most values that are read from one message: a message of 128 MiB must not become gigabytes.
    package static let valueLimit = 4096
    /// The longest text that is read, in bytes: one of 32 MiB must not be kept or repeated. A file's path has fewer, and so has
    /// a vibration of 1,000 times, the most that `ringer.h` takes.
    package static let textLimit = 8192
    /// The most bytes of all texts and of all types that are read from one message.
    package static let textsLimit = 8 * textLimit

    let message: OpaquePointer
    /// Who sent a call that is answered in turn; nil where the bus does not know.
    package var caller: BusCaller?
    /// Called when it goes.
    var whenFreed: (() -> Void)?

    /// A message whose reference the caller hands over.
    init(owning message: OpaquePointer) {
        self.message = message
    }

    /// A message that somebody else owns too.
    convenience init(_ message: OpaquePointer) {
        self.init(owning: sd_bus_message_ref(message))
    }

    deinit {
        sd_bus_message_unref(message)
        whenFreed?()
    }

    package var sender: String { text(sd_bus_message_get_sender(message)) }
    package var path: String { text(sd_bus_message_get_path(message)) }
    package var interface: String { text(sd_bus_message_get_interface(message)) }
    package var member: String { text(sd_bus_message_get_member(message)) }
    package var signature: String { text(sd_bus_message_get_signature(message, 1)) }
    package var expectsReply: Bool { sd_bus_message_get_expect_reply(message) > 0 }
    package var isMethodCall: Bool {
        var type: UInt8 = 0
        return sd_bus_message_get_type(message, &type) >= 0 && type == UInt8(SD_BUS_MESSAGE_METHOD_CALL)
    }

    /// The error that the message is; nil where it is none.
    package var error: BusError? {
        guard let error = sd_bus_message_get_error(message)?.pointee else { return nil }
        return BusError(text(error.name), text(error.message))
    }

    private func text(_ characters: UnsafePointer<CChar>?) -> String { characters.map { String(cString: $0) } ?? "" }

    // MARK: - Reading

    /// How much may still be read.
    private struct Allowance {
        var values = BusMessage.valueLimit
        var bytes = BusMessage.textsLimit

        mutating func take(_ count: Int) throws(BusError) {
            guard count <= BusMessage.textLimit else {
                throw .limitsExceeded("a text of more than \(BusMessage.textLimit) bytes")
            }
            guard count <= bytes else {
                throw .limitsExceeded("a message with more than \(BusMessage.textsLimit) bytes of texts")
            }
            bytes -= count
        }
    }

    /// How much memory the message takes, about; its values can be read afterwards.
    ///
    /// - Throws: where it has more values or longer texts than may be read.
    func measure() throws(BusError) -> Int {
        var left = Allowance()
        try left.take(sd_bus_message_get_path(message).map { strlen($0) } ?? 0)
        _ = try read(&left)
        sd_bus_message_rewind(message, 1)
        return 1024 + 8 * (Self.valueLimit - left.values) + Self.textsLimit - left.bytes
    }

    /// Reads all values of the message. It is called once.
    package func read() throws(BusError) -> [BusValue] {
        var left = Allowance()
        return try read(&left)
    }

    private func read(_ left: inout Allowance) throws(BusError) -> [BusValue] {
        var values: [BusValue] = []
        while let value = try next(&left) { values.append(value) }
        return values
    }

    private func next(_ left: inout Allowance) throws(BusError) -> BusValue? {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        let result = sd_bus_message_peek_type(message, &type, &contents)
        if result == 0 { return nil }
        guard result > 0 else { throw .invalidArguments("the message is damaged") }
        guard left.values > 0 else { throw .limitsExceeded("a message of more than \(Self.valueLimit) values") }
        left.values -= 1
        switch UInt8(bitPattern: type) {
        case UInt8(ascii: "y"): return .byte(try basic(type, 0))
        case UInt8(ascii: "b"): return .boolean(try basic(type, CInt(0)) != 0)
        case UInt8(ascii: "n"): return .int16(try basic(type, 0))
        case UInt8(ascii: "q"): return .uint16(try basic(type, 0))
        case UInt8(ascii: "i"): return .int32(try basic(type, 0))
        case UInt8(ascii: "u"): return .uint32(try basic(type, 0))
        case UInt8(ascii: "x"): return .int64(try basic(type, 0))
        case UInt8(ascii: "t"): return .uint64(try basic(type, 0))
        case UInt8(ascii: "d"): return .double(try basic(type, 0))
        case UInt8(ascii: "h"): return .descriptor(try basic(type, CInt(-1)))
        case UInt8(ascii: "s"): return .string(try string(type, &left))
        case UInt8(ascii: "o"): return .objectPath(try string(type, &left))
        case UInt8(ascii: "g"): return .signature(try string(type, &left))
        default: return try container(type, contents.map { String(cString: $0) } ?? "", &left)
        }
    }

    private func container(_ type: CChar, _ contents: String, _ left: inout Allowance) throws(BusError) -> BusValue {
        try left.take(contents.utf8.count)
        guard sd_bus_message_enter_container(message, type, contents) >= 0 else {
            throw .invalidArguments("the message is damaged")
        }
        var values: [BusValue] = []
        while let value = try next(&left) { values.append(value) }
        guard sd_bus_message_exit_container(message) >= 0 else { throw .invalidArguments("the message is damaged") }
        switch UInt8(bitPattern: type) {
        case UInt8(ascii: "v"):
            guard let value = values.first else { throw .invalidArguments("an empty variant") }
            return .variant(value)
        case UInt8(ascii: "a"):
            guard contents.hasPrefix("{") else { return .array(element: contents, values) }
            guard contents == "{sv}" else {
                return .entries(type: String(contents.dropFirst().dropLast()), values)
            }
            var dictionary: [String: BusValue] = [:]
            for entry in values {
                guard case .structure(let pair) = entry, pair.count == 2, let key = pair[0].string else { continue }
                dictionary[key] = pair[1].contents
            }
            return .dictionary(dictionary)
        default:
            return .structure(values)
        }
    }

    private func basic<Value: BitwiseCopyable>(_ type: CChar, _ zero: Value) throws(BusError) -> Value {
        var value = zero
        guard sd_bus_message_read_basic(message, type, &value) > 0 else {
            throw .invalidArguments("the message is damaged")
        }
        return value
    }

    private func string(_ type: CChar, _ left: inout Allowance) throws(BusError) -> String {
        var characters: UnsafePointer<CChar>?
        guard sd_bus_message_read_basic(message, type, &characters) > 0, let characters else {
            throw .invalidArguments("the message is damaged")
        }
        try left.take(strlen(characters))
        return String(cString: characters)
    }

    // MARK: - Writing

    /// Appends values. It fails where the system has no memory left.
    func append(_ values: [BusValue]) -> CInt {
        for value in values {
            let result = append(value)
            if result < 0 { return result }
        }
        return 0
    }

    private func append(_ value: BusValue) -> CInt {
        switch value {
        case .byte(let value): append("y", value)
        case .boolean(let value): append("b", CInt(value ? 1 : 0))
        case .int16(let value): append("n", value)
        case .uint16(let value): append("q", value)
        case .int32(let value): append("i", value)
        case .uint32(let value): append("u", value)
        case .int64(let value): append("x", value)
        case .uint64(let value): append("t", value)
        case .double(let value): append("d", value)
        case .descriptor(let value): append("h", value)
        case .string(let value): sd_bus_message_append_basic(message, CChar(UInt8(ascii: "s")), value)
        case .objectPath(let value): sd_bus_message_append_basic(message, CChar(UInt8(ascii: "o")), value)
        case .signature(let value): sd_bus_message_append_basic(message, CChar(UInt8(ascii: "g")), value)
        case .variant(let value): append(in: "v", value.signature, [value])
        case .array(let element, let values): append(in: "a", element, values)
        case .structure(let values): append(in: "r", values.map(\.signature).joined(), values)
        case .dictionary(let entries): append(entries)
        case .entries(let type, let entries):
            appendEntries("{" + type + "}", entries.map { ($0.elements ?? [], type) })
        }
    }

    private func append(_ entries: [String: BusValue]) -> CInt {
        // In order, so that equal dictionaries are equal messages.
        appendEntries(
            "{sv}", entries.sorted { $0.key < $1.key }.map { ([.string($0.key), .variant($0.value)], "sv") })
    }

    private func appendEntries(_ element: String, _ entries: [(values: [BusValue], type: String)]) -> CInt {
        var result = sd_bus_message_open_container(message, CChar(UInt8(ascii: "a")), element)
        for entry in entries where result >= 0 { result = append(in: "e", entry.type, entry.values) }
        return result < 0 ? result : sd_bus_message_close_container(message)
    }

    private func append(in type: Unicode.Scalar, _ contents: String, _ values: [BusValue]) -> CInt {
        var result = sd_bus_message_open_container(message, CChar(UInt8(ascii: type)), contents)
        if result >= 0 { result = append(values) }
        return result < 0 ? result : sd_bus_message_close_container(message)
    }

    private func append<Value: BitwiseCopyable>(_ type: Unicode.Scalar, _ value: Value) -> CInt {
        withUnsafePointer(to: value) { sd_bus_message_append_basic(message, CChar(UInt8(ascii: type)), $0) }
    }
}
