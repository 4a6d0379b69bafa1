/// The rules for notices that come too late: they are recorded, not announced.
public struct Staleness: Sendable, Hashable {
    /// The age, in seconds, from which a notice is stale; nil for none.
    public var limit: Double?

    /// A limit in seconds.
    public init(limit: Double?) {
        self.limit = limit
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
        guard let now else { return nil }
        if let expires, expires <= now { return "expired" }
        if let limit, now.seconds(since: paid) >= limit { return "old" }
        return nil
    }
}
