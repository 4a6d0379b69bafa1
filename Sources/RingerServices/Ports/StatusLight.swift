/// The status light: off, on or blinking.
///
/// On Linux an LED whose function is `status` or `indicator`; in a test, one that records its patterns.
public protocol StatusLight: Sendable {
    /// The light's name, for people: "LED green:status".
    var name: String { get }

    /// Shows `pattern` until another one is shown or the light is closed.
    ///
    /// - Throws: ``RingerError``; `unsupported` if the light cannot blink: it is on then.
    func show(_ pattern: LightPattern) throws(RingerError)

    /// Turns the light off and frees its resources. A second call does nothing.
    func close() throws(RingerError)
}

/// What a status light shows.
public enum LightPattern: Sendable, Hashable {
    /// It is dark.
    case off
    /// It is lit.
    case on
    /// It is lit and dark in turns, each of 1 ms to 60 s. The hardware blinks, not the process.
    case blinking(on: Duration, off: Duration)

    /// The pattern as text: `off`, `on`, or the milliseconds on and off, such as `500,500`; nil if `text` is none.
    public init?(_ text: String) {
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
    public var text: String {
        switch self {
        case .off: "off"
        case .on: "on"
        case .blinking(let on, let off): "\(Self.milliseconds(on)),\(Self.milliseconds(off))"
        }
    }

    /// The times in milliseconds as the kernel takes them.
    package static func milliseconds(_ duration: Duration) -> Int {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, seconds < 60 else { return seconds < 0 ? 1 : 60_000 }
        let part = Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
        return min(max(Int(seconds) * 1000 + part, 1), 60_000)
    }
}
