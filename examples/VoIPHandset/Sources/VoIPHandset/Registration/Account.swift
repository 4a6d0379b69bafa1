import Glibc
import Ringer
import SystemPackage

/// An account at one or two registrars, which share its name and password.
struct Account: Sendable {
    var user: String
    var domain: String
    /// `HOST` or `HOST:PORT`, from the first.
    var registrars: [String]
    var password = ""
    /// For how long it asks to be registered.
    var lifetime = Duration.seconds(600)
    /// Whether it registers over TCP.
    var usesTCP = false

    var addressOfRecord: String { "sip:\(user)@\(domain)" }

    /// The registrar's URI.
    func uri(of registrar: String) -> String { "sip:\(registrar)" + (usesTCP ? ";transport=tcp" : "") }

    /// The password in the file, up to the end of its line.
    static func password(in path: String) throws(RingerError) -> String {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count: Int
        do {
            let file = try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
            count = try file.closeAfter { try bytes.withUnsafeMutableBytes { try file.read(into: $0) } }
        } catch {
            throw RingerError("read the password", path, error as? Errno ?? .ioError)
        }
        let line = bytes.prefix(count).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        return String(decoding: line, as: UTF8.self)
    }
}

extension Account {
    /// `USER@DOMAIN`, from the command line.
    init(_ text: String) throws(UsageError) {
        guard let at = text.lastIndex(of: "@"), at != text.startIndex else { throw UsageError("USER@DOMAIN is needed") }
        user = String(text[..<at])
        let allowed = Set("-_.!~*'()&=+$,;?/%")
        guard user.count < 100, user.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) || allowed.contains($0) })
        else {
            throw UsageError("the user has characters that a SIP address has not")
        }
        domain = try Self.host(String(text[text.index(after: at)...]))
        registrars = []
    }

    /// `HOST` or `HOST:PORT`, from the command line; an IPv6 address is in brackets.
    static func host(_ text: String) throws(UsageError) -> String {
        guard !text.isEmpty, text.count < 100,
            text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) || "-.:[]".contains($0) })
        else { throw UsageError("HOST or HOST:PORT is needed") }
        return text
    }
}
