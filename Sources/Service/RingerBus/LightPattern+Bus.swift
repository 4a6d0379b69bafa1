import RingerCore

extension LightPattern {
    /// The pattern as text: `off`, `on`, or the milliseconds on and off, such as `500,500`; nil if `text` is none.
    package init?(_ text: String) {
        switch text {
        case "off": self = .off
        case "on": self = .on
        default:
            let times = text.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
            guard times.count == 2, times.allSatisfy({ (1...60_000).contains($0) }) else { return nil }
            self = .blinking(on: .milliseconds(times[0]), off: .milliseconds(times[1]))
        }
    }

    /// The pattern as ``init(_:)`` reads it; times are rounded up to 1 ms and limited to 60 s.
    package var text: String {
        switch self {
        case .off: "off"
        case .on: "on"
        case .blinking(let on, let off): "\(Self.milliseconds(on)),\(Self.milliseconds(off))"
        }
    }
}
