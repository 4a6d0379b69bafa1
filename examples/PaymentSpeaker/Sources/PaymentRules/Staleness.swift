/// The rules for notices that come too late: they are recorded, not announced.
public struct Staleness: Sendable, Hashable {
    /// When a notice becomes stale.
    public struct Deadline: Sendable, Hashable {
        /// How long it may wait from now on; zero or less if it is stale.
        public var wait: Duration
        /// Why it is stale then.
        public var reason: String

        /// A deadline.
        public init(wait: Duration, reason: String) {
            (self.wait, self.reason) = (wait, reason)
        }
    }

    /// The age, in seconds, from which a notice is stale; nil for none.
    public var limit: Double?

    /// A limit in seconds.
    public init(limit: Double?) {
        self.limit = limit
    }

    /// How far the clocks of publishers may be ahead.
    public static let tolerance = Duration.seconds(300)

    /// Whether a payment was made at a time that is to come: its publisher's clock is wrong, or it is a forgery that would
    /// never become old.
    ///
    /// - Parameters:
    ///   - paid: When it was paid.
    ///   - now: The present time; nil while the clock is not set, when it cannot be judged.
    public static func isToCome(paid: WallTime, now: WallTime?) -> Bool {
        guard let now else { return false }
        return paid.duration(since: now) > tolerance
    }

    /// Why a notice is stale; nil if it is not.
    ///
    /// - Parameters:
    ///   - paid: When it was paid.
    ///   - expires: When the message expires; nil if it does not.
    ///   - isRetained: Whether the broker had kept it for subscribers to come: it may be of any age.
    ///   - now: The present time; nil while the clock is not set, when no age can be judged.
    public func reason(paid: WallTime, expires: WallTime?, isRetained: Bool, now: WallTime?) -> String? {
        if isRetained { return "retained" }
        guard let deadline = deadline(paid: paid, expires: expires, now: now), deadline.wait <= .zero else {
            return nil
        }
        return deadline.reason
    }

    /// When a notice becomes stale; nil for never.
    ///
    /// - Parameters:
    ///   - paid: When it was paid.
    ///   - expires: When the message expires; nil if it does not.
    ///   - now: The present time; nil while the clock is not set, when no age can be judged.
    public func deadline(paid: WallTime, expires: WallTime?, now: WallTime?) -> Deadline? {
        guard let now else { return nil }
        let expiry = expires.map { Deadline(wait: $0.duration(since: now), reason: "expired") }
        let age = limit.map { Deadline(wait: .seconds($0) - now.duration(since: paid), reason: "old") }
        return [expiry, age].compactMap(\.self).min { $0.wait < $1.wait }
    }
}
