import RingerCore
import SystemPackage

/// An error as D-Bus carries it: a name that programs compare, and a sentence for people.
package struct BusError: Error, Sendable, Hashable {
    /// The error's name, such as `org.ringer.Error.NotFound`.
    package var name: String
    /// The sentence.
    package var message: String

    package init(_ name: String, _ message: String) {
        self.name = name
        self.message = message
    }

    /// The arguments are of the wrong type, or out of their range.
    package static func invalidArguments(_ message: String) -> BusError {
        BusError("org.freedesktop.DBus.Error.InvalidArgs", message)
    }

    /// There is no such method.
    package static func unknownMethod(_ message: String) -> BusError {
        BusError("org.freedesktop.DBus.Error.UnknownMethod", message)
    }

    /// There is no such property.
    package static func unknownProperty(_ message: String) -> BusError {
        BusError("org.freedesktop.DBus.Error.UnknownProperty", message)
    }

    /// The property cannot be set, or not now.
    package static func readOnlyProperty(_ message: String) -> BusError {
        BusError("org.freedesktop.DBus.Error.PropertyReadOnly", message)
    }

    /// There is no such object.
    package static func unknownObject(_ path: String) -> BusError {
        BusError("org.freedesktop.DBus.Error.UnknownObject", "there is no object \(path)")
    }

    /// The caller has used up what one client, or all of them, may have.
    package static func limitsExceeded(_ message: String) -> BusError {
        BusError("org.freedesktop.DBus.Error.LimitsExceeded", message)
    }

    /// The caller is not permitted to do this.
    package static func accessDenied(_ message: String) -> BusError {
        BusError("org.freedesktop.DBus.Error.AccessDenied", message)
    }

    /// An error of the library, under `org.ringer.Error`, with the sentence that the command prints.
    package init(_ error: RingerError) {
        name = "org.ringer.Error." + error.code.rawValue.prefix(1).uppercased() + error.code.rawValue.dropFirst()
        message = "\(error)"
    }
}

extension RingerError {
    /// A negative result of sd-bus.
    package init(_ operation: String, _ subject: String, busResult: CInt) {
        // The dynamic linker's ELIBACC stands for a missing library.
        let errno = Errno(rawValue: -busResult)
        self.init(
            operation, subject, errno, detail: -busResult == 79 ? "neither libsystemd nor libelogind is installed" : nil
        )
    }
}
