import RingerPolicy

/// The input of a session.
@nonexhaustive
public enum AudioInput: String, Sendable, Hashable, CaseIterable {
    /// The board's microphone, or that of a headset on the jack: the codec chooses between them.
    case microphone
    /// A Bluetooth hands-free device.
    case bluetooth
}

/// The output and input of a session.
public struct SessionRoute: Sendable, Hashable {
    /// The output; nil if no route fits.
    public var output: AudioRoute?
    /// The input; nil if the session's category takes none, or there is none.
    public var input: AudioInput?

    /// A route to `output` and from `input`.
    public init(_ output: AudioRoute?, input: AudioInput? = nil) {
        self.output = output
        self.input = input
    }

    /// Whether the session takes input.
    public var takesInput: Bool { input != nil }

    /// The route's name, the value of property `rout`: "Speaker", "Headphone", with input "SpeakerAndMicrophone",
    /// "HeadphonesAndMicrophone"; empty if no route fits.
    ///
    /// Programs compare these names, which iPhones have used since 2008.
    public var name: String {
        switch output {
        case .speaker: takesInput ? "SpeakerAndMicrophone" : "Speaker"
        case .receiver: takesInput ? "ReceiverAndMicrophone" : "Receiver"
        case .headphone: takesInput ? "HeadphonesAndMicrophone" : "Headphone"
        case .headset: takesInput ? "HeadsetInOut" : "Headset"
        case .line: takesInput ? "LineInOut" : "Lineout"
        case .bluetooth: takesInput ? "HeadsetBT" : "HeadphonesBT"
        case nil: ""
        }
    }
}

/// A change of a session's route.
public struct RouteChange: Sendable, Hashable {
    /// Why.
    public var reason: RouteChangeReason
    /// The route before.
    public var old: SessionRoute
    /// The route now.
    public var new: SessionRoute

    /// A change from `old` to `new`.
    public init(_ reason: RouteChangeReason, from old: SessionRoute, to new: SessionRoute) {
        self.reason = reason
        self.old = old
        self.new = new
    }
}

/// Why a session's route changed. The numbers are Apple's.
@nonexhaustive
public enum RouteChangeReason: UInt32, Sendable, Hashable, CaseIterable {
    /// It is not known.
    case unknown = 0
    /// Something was plugged in, or connected.
    case newDeviceAvailable = 1
    /// The old output is gone: a headphone was pulled out. What played there is paused.
    case oldDeviceUnavailable = 2
    /// The category changed, or another session leads.
    case categoryChange = 3
    /// An override or an option of the route was set, or reverted.
    case override = 4
    /// The device woke from sleep.
    case wakeFromSleep = 6
    /// No route of the board fits the category.
    case noSuitableRouteForCategory = 7
}
