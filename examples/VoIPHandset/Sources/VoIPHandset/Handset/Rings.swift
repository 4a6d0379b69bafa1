import Ringer
import RingerCore

/// A ring that a caller chose by name.
struct Ring: Sendable, Hashable {
    /// The name as it is configured, or of the predefined sound.
    var name: String
    var sound: SystemSoundID
}

/// The rings that a caller may choose: names of the configuration, and of Ringer's predefined sounds.
///
/// What a caller sends is compared with names, and nothing else: it is no path, and no address to fetch from.
struct Rings: Sendable {
    private var configured: [String: Ring] = [:]

    init(_ rings: [Ring] = []) {
        for ring in rings { configured[ring.name.lowercased()] = ring }
    }

    /// The ring of the first name in an Alert-Info header that is known; nil for the default ring.
    func ring(for alertInfo: String) -> Ring? {
        for name in Self.names(in: alertInfo) {
            if let ring = configured[name.lowercased()] { return ring }
            // Some of the rows have no sound.
            if let sound = PredefinedSound.named(name), sound.file(on: .phone) != nil {
                return Ring(name: sound.name, sound: SystemSoundID(rawValue: sound.id))
            }
        }
        return nil
    }

    /// The names that a value of the header may mean: that of its parameter `info`, and what stands before the parameters, in angle
    /// brackets or without. Source: RFC 3261, 20.4, and what PBXs send.
    static func names(in alertInfo: String) -> [String] {
        var rest = Substring(alertInfo)
        var address = rest.prefix { $0 != ";" }
        if let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") {
            address = rest[rest.index(after: start)..<end]
            rest = rest[rest.index(after: end)...]
        }
        let parameters = rest.split(separator: ";").map { $0.split(separator: "=", maxSplits: 1).map(Self.trimmed) }
        let info = parameters.first { $0.count == 2 && $0[0].lowercased() == "info" }
        return [info?[1], trimmed(address)].compactMap { $0 }.filter { !$0.isEmpty }
    }

    /// The text without blanks and quotation marks around it.
    private static func trimmed(_ text: Substring) -> String {
        let isOuter: (Character) -> Bool = { " \t\"".contains($0) }
        let start = text.drop(while: isOuter)
        return String(start.reversed().drop(while: isOuter).reversed())
    }
}
