/// Why a session's route changed. The numbers are Apple's.
public enum RouteChangeReason: UInt32, Sendable, Hashable, CaseIterable {
    /// It is not known.
    case unknown = 0
    /// Something was plugged in, or connected.
    case newDeviceAvailable = 1
    /// What sound went to is gone: a headphone was pulled out. What played there is paused.
    case oldDeviceUnavailable = 2
    /// The category changed, or another session took the lead.
    case categoryChange = 3
    /// An override or an option of the route was set, or reverted.
    case override = 4
    /// The device woke from sleep.
    case wakeFromSleep = 6
    /// No route of the board fits the category.
    case noSuitableRouteForCategory = 7
}
