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

extension BusError {
    /// An error of a session: its code is the name's last part, as far as it has characters.
    package init(_ error: SessionError) {
        let name =
            switch error.code {
            case .notActive: "NotActive"
            case .noHardware: "NoHardware"
            case .incompatibleCategory: "IncompatibleCategory"
            case .noCategorySet: "NoCategorySet"
            case .notInitialized: "Closed"
            case .badParameter: "Invalid"
            default: "Session"
            }
        self.init("org.ringer.Error." + name, "\(error)")
    }

    /// An error of any of the library's types.
    package init(_ error: any Error) {
        switch error {
        case let error as BusError: self = error
        case let error as RingerError: self.init(error)
        case let error as SystemSoundError: self.init(error.cause)
        case let error as SessionError: self.init(error)
        default: self.init(RingerError(.system, "play", "a sound", detail: "\(error)"))
        }
    }
}

extension RingerError {
    /// The service's error, with the sentence that it carries.
    package init(_ error: BusError, _ operation: String) {
        let name = error.name.split(separator: ".").last.map(String.init) ?? ""
        let code: Code =
            switch error.name {
            case "org.freedesktop.DBus.Error.AccessDenied": .permissionDenied
            case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner": .notFound
            case "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.Disconnected": .disconnected
            case "org.freedesktop.DBus.Error.LimitsExceeded": .busy
            case "org.freedesktop.DBus.Error.InvalidArgs": .invalid
            case "org.freedesktop.DBus.Error.UnknownMethod": .unsupported
            default:
                error.name.hasPrefix("org.ringer.Error.")
                    ? Code(rawValue: name.prefix(1).lowercased() + name.dropFirst()) : .system
            }
        self.init(code, operation, RingerNames.service, detail: error.message)
    }
}
