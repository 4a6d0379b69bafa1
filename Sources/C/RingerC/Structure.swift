import CRinger
import Glibc

/// A structure of ringer.h that may grow.
protocol GrowingStructure {
    /// Its size in the first version of the header. It stays when members are appended.
    static var firstSize: Int { get }
}

private let word = MemoryLayout<UnsafeRawPointer>.size

extension ringer_behaviour: GrowingStructure { static let firstSize = 40 }
extension ringer_part: GrowingStructure { static let firstSize = 512 }
extension ringer_state: GrowingStructure { static let firstSize = 32 }
extension ringer_effective_position: GrowingStructure { static let firstSize = 16 }
extension ringer_preferences: GrowingStructure { static let firstSize = 16 }
extension ringer_decision: GrowingStructure { static let firstSize = 16 }
extension ringer_playback: GrowingStructure { static let firstSize = 5 * word + 32 }
extension ringer_announcement: GrowingStructure { static let firstSize = 2 * word + 24 }
extension ringer_notification: GrowingStructure { static let firstSize = 3 * word + 8 }
extension ringer_alert: GrowingStructure { static let firstSize = 2 * word + 24 }
extension ringer_session_state: GrowingStructure { static let firstSize = 40 }
extension ringer_event: GrowingStructure { static let firstSize = 512 }
extension ringer_recording: GrowingStructure { static let firstSize = 48 }

/// A structure of the program's, of the size that it has in the header that the program was compiled with: as Linux has
/// them, `copy_struct_from_user` in <linux/uaccess.h>.
struct Structure<Value: GrowingStructure> {
    private let start: UnsafeMutableRawPointer
    private let size: Int

    /// `name` names it in errors.
    init(_ pointer: UnsafeMutablePointer<Value>?, _ size: Int, _ name: StaticString) throws {
        start = UnsafeMutableRawPointer(try required(pointer, name))
        self.size = try Self.checked(size, name)
    }

    /// Writes as much of it as the program knows; what a later header has besides is zero. `index` is that in an array.
    func write(_ value: Value, at index: Int = 0) {
        var value = value
        write(from: &value, at: index)
    }

    /// As ``write(_:at:)``, for large values: without a copy of the value.
    func write(from value: UnsafePointer<Value>, at index: Int = 0) {
        // SAFETY: the program says that it has so many bytes there.
        let target = start + index * size
        let known = min(size, MemoryLayout<Value>.size)
        memcpy(target, value, known)
        if known < size { memset(target + known, 0, size - known) }
    }

    /// What the program filled; what an earlier header does not have is as in `others`, by default zero.
    static func read(
        _ pointer: UnsafePointer<Value>?, _ size: Int, _ name: StaticString, others: Value? = nil
    ) throws -> Value {
        let pointer = try required(pointer, name)
        // SAFETY: the program says that it has so many bytes there.
        let bytes = UnsafeRawBufferPointer(start: pointer, count: try checked(size, name))
        let known = MemoryLayout<Value>.size
        try reserved(bytes.dropFirst(known), name)
        return withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { value in
            let target = UnsafeMutableRawBufferPointer(value)
            target.initializeMemory(as: UInt8.self, repeating: 0)
            if let others { value[0] = others }
            target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.prefix(known)))
            // SAFETY: each byte has a value, and a structure of C allows all of them.
            return value[0]
        }
    }

    private static func checked(_ size: Int, _ name: StaticString) throws -> Int {
        // The greatest that a later one may have.
        guard (Value.firstSize...4096).contains(size) else {
            throw Failure(
                EINVAL, "\(name) has \(UInt(bitPattern: size)) bytes, which is not from \(Value.firstSize) to 4096")
        }
        return size
    }
}

/// - Throws: `EINVAL` unless all bytes are zero: they may get a meaning. `name` names their structure in errors.
func reserved(_ bytes: some Sequence<UInt8>, _ name: StaticString) throws {
    guard bytes.allSatisfy({ $0 == 0 }) else { throw Failure(EINVAL, "reserved bytes of \(name) are not zero") }
}

/// A member of a structure that says whether something holds.
///
/// - Throws: `EINVAL` unless it is 0 or 1: other values may get a meaning. `name` names the member in errors.
func flag(_ byte: UInt8, _ name: StaticString) throws -> Bool {
    guard byte <= 1 else { throw Failure(EINVAL, "\(name) is \(byte), which is neither 0 nor 1") }
    return byte == 1
}
