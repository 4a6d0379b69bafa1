/// A change of where a session's sound goes.
public struct RouteChange: Sendable, Hashable {
    /// Why.
    public var reason: RouteChangeReason
    /// Where it went before; nil for nowhere.
    public var old: SessionRoute
    /// Where it goes now.
    public var new: SessionRoute

    /// A change from `old` to `new`.
    public init(_ reason: RouteChangeReason, from old: SessionRoute, to new: SessionRoute) {
        self.reason = reason
        self.old = old
        self.new = new
    }
}
