import Glibc

/// Who calls: what the From header says, which a caller chooses, and the address that the INVITE came from.
struct Caller: Sendable, Hashable {
    var user: String
    var host: String
    var source: String
}

/// A caller that may always ring.
enum KnownCaller: Sendable, Hashable {
    /// An address in From; the host is in small letters. Without a user, everybody of that host.
    case name(user: String?, host: String)
    /// Whoever sends from these addresses, in network byte order.
    case network([UInt8], prefix: Int)

    /// `USER@HOST`, `*@HOST`, an IP address, or an address with the length of a prefix; nil for anything else.
    init?(_ text: String) {
        if let at = text.lastIndex(of: "@") {
            let (user, host) = (String(text[..<at]), String(text[text.index(after: at)...]).lowercased())
            guard !user.isEmpty, !host.isEmpty, text.utf8.count < 200 else { return nil }
            self = .name(user: user == "*" ? nil : user, host: host)
            return
        }
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = Self.bytes(String(first)) else { return nil }
        let length = parts.count == 2 ? Int(parts[1]) : address.count * 8
        guard let length, (0...address.count * 8).contains(length) else { return nil }
        self = .network(address, prefix: length)
    }

    func matches(_ caller: Caller) -> Bool {
        switch self {
        case .name(let user, let host):
            return host == caller.host.lowercased() && (user == nil ? !caller.user.isEmpty : user == caller.user)
        case .network(let address, let prefix):
            guard let source = Self.bytes(caller.source), source.count == address.count else { return false }
            return (0..<prefix).allSatisfy { bit in
                (source[bit / 8] ^ address[bit / 8]) & (0x80 >> UInt8(bit % 8)) == 0
            }
        }
    }

    /// An IPv4 or IPv6 address. The corresponding C function is `inet_pton`.
    private static func bytes(_ text: String) -> [UInt8]? {
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: count)
            if inet_pton(family, text, &bytes) == 1 { return bytes }
        }
        return nil
    }
}
