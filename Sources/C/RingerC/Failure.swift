import CRinger
import Glibc
import RingerLinux

/// A failure as C has it: an error number, and a sentence for `ringer_last_error`.
struct Failure: Error {
    var errno: CInt
    var sentence: String

    init(_ errno: CInt, _ sentence: String) {
        self.errno = errno
        self.sentence = sentence
    }

    /// The failure that an error of the library's is.
    init(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as RingerError: self.init(error.number, "\(error)")
        case let error as SystemSoundError: self.init(error.cause.number, "\(error.cause)")
        case let error as SessionError: self.init(error.number, "\(error)")
        default: self.init(EIO, "\(error)")
        }
    }
}

extension RingerError {
    /// The error number, above 0: the system's, or the one that says the same as the code.
    var number: CInt {
        if let errno, errno.rawValue > 0 { return errno.rawValue }
        return switch code {
        case .notFound: ENOENT
        case .permissionDenied: EACCES
        case .busy, .sessionNotActive: EBUSY
        case .disconnected, .unreachable: ENODEV
        case .unsupported: ENOTSUP
        case .invalid, .incompatibleCategory, .soundIncomplete: EINVAL
        case .soundTooLong: E2BIG
        case .timedOut: ETIMEDOUT
        case .closed: ESHUTDOWN
        case .otherProcess: ECHILD
        default: EIO
        }
    }
}

extension SessionError {
    /// The error number that says the same as the code.
    var number: CInt {
        switch code {
        case .notActive: EBUSY
        case .noHardware: ENODEV
        case .notInitialized: ESHUTDOWN
        case .unsupportedProperty: ENOENT
        case .badPropertySize: EMSGSIZE
        default: EINVAL
        }
    }
}

/// Runs `body`, and turns what it throws into a negative error number and the thread's last error.
func attempt(_ body: () throws -> CInt) -> CInt {
    do {
        return try body()
    } catch {
        let failure = Failure(error)
        var sentence = failure.sentence
        sentence.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { bytes in
                // An empty text has no address.
                if let start = bytes.baseAddress { ringer_keep_error(start, bytes.count) }
            }
        }
        return -failure.errno
    }
}

/// Runs `body` as ``attempt(_:)`` does, and returns 0 where it throws nothing.
func carryOut(_ body: () throws -> Void) -> CInt {
    attempt {
        try body()
        return 0
    }
}

/// The pointer that is not null; `name` names it in errors.
func required<Pointer>(_ pointer: Pointer?, _ name: StaticString) throws -> Pointer {
    guard let pointer else { throw Failure(EINVAL, "\(name) is NULL") }
    return pointer
}

/// The object behind a pointer of the program's; `name` names it in errors.
func object<Object: AnyObject>(_ pointer: OpaquePointer?, _ name: StaticString) throws -> Object {
    // SAFETY: the program has it from the function that made the object, and has not freed it.
    Unmanaged<Object>.fromOpaque(UnsafeRawPointer(try required(pointer, name))).takeUnretainedValue()
}

/// The text at `pointer`; `name` names it in errors.
func text(_ pointer: UnsafePointer<CChar>?, _ name: StaticString) throws -> String {
    let pointer = try required(pointer, name)
    guard let text = String(validatingCString: pointer) else { throw Failure(EILSEQ, "\(name) is not UTF-8") }
    return text
}
