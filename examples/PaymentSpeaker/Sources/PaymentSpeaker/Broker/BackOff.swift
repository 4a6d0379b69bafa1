import Ringer

/// The pauses between attempts to connect. Each is random between none and a bound, which keeps a fleet apart.
///
/// The first one after a good connection has an eighth of the time that it held as its bound: a speaker is away for a small
/// part of the time on a link that is lost again and again, and a fleet that was connected for long spreads out when its
/// broker is back. The bound doubles with each further attempt.
struct BackOff {
    /// The bounds of the first pause after a good connection.
    private static let first = Duration.seconds(0.5)...Duration.seconds(45)
    private static let longest = Duration.seconds(60)
    /// How long after its subscriptions a connection is asked for the answer that makes it a good one. One that breaks
    /// sooner fails again and again: its messages cannot be kept, or another client has the same name.
    static let probation = Duration.seconds(10)

    private var bound = BackOff.first.lowerBound
    private var began: MonotonicTime?
    private var isGood = false

    /// The broker has granted the subscriptions.
    mutating func connectionBegan(at time: MonotonicTime) {
        (began, isGood) = (time, false)
    }

    /// The broker has answered after the ``probation``.
    mutating func connectionIsGood() {
        isGood = true
    }

    /// The connection, or the attempt, has ended.
    mutating func connectionEnded(at time: MonotonicTime) {
        if let began, isGood {
            bound = min(max((time - began) / 8, Self.first.lowerBound), Self.first.upperBound)
        }
        (began, isGood) = (nil, false)
    }

    /// The bound of the next pause.
    mutating func nextBound() -> Duration {
        defer { bound = min(bound * 2, Self.longest) }
        return bound
    }

    /// The next pause.
    mutating func next() -> Duration {
        nextBound() * Double.random(in: 0...1)
    }
}
