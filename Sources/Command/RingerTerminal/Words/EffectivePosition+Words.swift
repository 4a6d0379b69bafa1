import Glibc
import RingerCore

extension EffectivePosition {
    /// `ring`; `silent, by quietHours, until 2026-11-30 07:00`.
    package var sentence: String {
        if sources.isEmpty { return position.rawValue }
        let names = sources.map(\.rawValue).joined(separator: ", ")
        return "\(position.rawValue), by \(names)" + (until.map { ", until \(localTime($0))" } ?? "")
    }

    /// The members of JSON objects that say the same.
    package var members: [(String, JSONValue)] {
        [
            ("effectivePosition", .string(position.rawValue)),
            ("silencedBy", .array(sources.map { .string($0.rawValue) })),
            ("silencedUntil", until.map { .integer(Int64($0)) } ?? .null),
        ]
    }
}

/// A time in seconds of UTC since 1970, in the zone of this process: `2026-11-30 07:00`.
package func localTime(_ seconds: Int64) -> String {
    var (time, parts) = (time_t(clamping: seconds), tm())
    localtime_r(&time, &parts)
    func two(_ number: Int32) -> String { (number < 10 ? "0" : "") + "\(number)" }
    let date = "\(Int(parts.tm_year) + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
    return "\(date) \(two(parts.tm_hour)):\(two(parts.tm_min))"
}
