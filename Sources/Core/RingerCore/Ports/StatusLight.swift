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

/// A status light that may have colors.
package protocol ColoredLight: StatusLight {
    /// Shows `pattern` in `color`; in its own color where that is nil, and where it has one alone.
    func show(_ pattern: LightPattern, in color: LightColor?) throws(RingerError)
}

/// A color, its parts from 0 to 255.
package struct LightColor: Sendable, Hashable {
    package var red: UInt8
    package var green: UInt8
    package var blue: UInt8

    package init(red: UInt8 = 0, green: UInt8 = 0, blue: UInt8 = 0) {
        (self.red, self.green, self.blue) = (red, green, blue)
    }
}

/// What a status light shows.
public enum LightPattern: Sendable, Equatable {
    /// It is dark.
    case off
    /// It is lit.
    case on
    /// It is lit and dark in turns, each of 1 ms to 60 s. The hardware blinks, not the process.
    case blinking(on: Duration, off: Duration)

    /// The times in milliseconds as the kernel takes them.
    package static func milliseconds(_ duration: Duration) -> Int {
        Int(min((max(duration.nanoseconds, 1) - 1) / 1_000_000 + 1, 60_000))
    }
}
