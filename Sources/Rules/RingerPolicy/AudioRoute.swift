/// An output of the device's sound.
@nonexhaustive
public enum AudioRoute: String, Sendable, Hashable, CaseIterable {
    /// The built-in loudspeaker.
    case speaker
    /// The built-in earpiece, for calls.
    case receiver
    /// Headphones on the jack.
    case headphone
    /// Headphones with a microphone on the jack.
    case headset
    /// The line output.
    case line
    /// A Bluetooth device.
    case bluetooth
}

/// A set of routes.
public struct AudioRouteSet: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt8

    /// The set of these bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The set of `route` alone.
    public init(_ route: AudioRoute) {
        switch route {
        case .speaker: self = .speaker
        case .receiver: self = .receiver
        case .headphone: self = .headphone
        case .headset: self = .headset
        case .line: self = .line
        case .bluetooth: self = .bluetooth
        }
    }

    /// The built-in loudspeaker.
    public static let speaker = AudioRouteSet(rawValue: 1 << 0)
    /// The built-in earpiece.
    public static let receiver = AudioRouteSet(rawValue: 1 << 1)
    /// Headphones on the jack.
    public static let headphone = AudioRouteSet(rawValue: 1 << 2)
    /// Headphones with a microphone on the jack.
    public static let headset = AudioRouteSet(rawValue: 1 << 3)
    /// The line output.
    public static let line = AudioRouteSet(rawValue: 1 << 4)
    /// A Bluetooth device.
    public static let bluetooth = AudioRouteSet(rawValue: 1 << 5)

    /// The routes inside the device, which everyone near it hears.
    public static let builtIn: AudioRouteSet = [.speaker, .receiver]

    /// Whether `route` is in the set.
    public func contains(_ route: AudioRoute) -> Bool { contains(AudioRouteSet(route)) }
}

extension AudioRouteSet {
    /// The set of the routes of these names; nil where one is not known.
    package init?(names: some Sequence<String>) {
        self = []
        for name in names {
            guard let route = AudioRoute(rawValue: name) else { return nil }
            formUnion(AudioRouteSet(route))
        }
    }

    /// The names of its routes.
    package var names: [String] { AudioRoute.allCases.filter(contains).map { $0.rawValue } }
}
