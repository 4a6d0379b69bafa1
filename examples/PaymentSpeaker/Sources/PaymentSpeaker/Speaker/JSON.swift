import CPaymentSpeaker
import Glibc

/// A JSON object, read and written by jansson. The order of its members is kept.
final class JSONObject {
    enum Value {
        case null
        case bool(Bool)
        case integer(Int64)
        case real(Double)
        case string(String)
        case strings([String])

        static func count(_ count: Int) -> Value { .integer(Int64(count)) }
        static func optional(_ string: String?) -> Value { string.map(Value.string) ?? .null }
    }

    private let handle: UnsafeMutablePointer<json_t>

    /// An object of these members. One that JSON cannot hold, such as an infinite number, becomes null.
    init(_ members: KeyValuePairs<String, Value>) {
        handle = json_object()
        for (name, value) in members {
            let made: UnsafeMutablePointer<json_t>? =
                switch value {
                case .null: json_null()
                case .bool(let bool): bool ? json_true() : json_false()
                case .integer(let integer): json_integer(json_int_t(integer))
                case .real(let real): json_real(real)
                case .string(let string): json_string(string)
                case .strings(let strings): Self.array(strings)
                }
            json_object_set_new(handle, name, made ?? json_null())
        }
    }

    private static func array(_ strings: [String]) -> UnsafeMutablePointer<json_t>? {
        let array = json_array()
        for string in strings { json_array_append_new(array, json_string(string)) }
        return array
    }

    /// The object that `text` is; nil if it is none, or names a member twice.
    init?(_ text: some Collection<UInt8>) {
        let bytes = Array(text)
        let read = bytes.withUnsafeBytes { bytes in
            json_loadb(bytes.baseAddress, bytes.count, Int(JSON_REJECT_DUPLICATES), nil)
        }
        guard let read else { return nil }
        guard read.pointee.type == JSON_OBJECT else {
            json_decref(read)
            return nil
        }
        handle = read
    }

    deinit {
        json_decref(handle)
    }

    /// The member of this name; nil if it is missing or no string.
    func string(_ name: String) -> String? {
        guard let value = json_object_get(handle, name), value.pointee.type == JSON_STRING else { return nil }
        return String(cString: json_string_value(value))
    }

    /// The member of this name; nil if it is missing or no number.
    func number(_ name: String) -> Double? {
        guard let value = json_object_get(handle, name),
            value.pointee.type == JSON_INTEGER || value.pointee.type == JSON_REAL
        else { return nil }
        return json_number_value(value)
    }

    /// Whether there is a member of this name, of any type.
    func has(_ name: String) -> Bool { json_object_get(handle, name) != nil }

    /// The object on one line.
    var text: String {
        guard let text = json_dumps(handle, Int(JSON_COMPACT) | 15 << 11) else { return "{}" }
        defer { free(text) }
        return String(cString: text)
    }
}
