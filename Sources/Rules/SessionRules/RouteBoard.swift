import RingerPolicy

/// The routes that a board has, and the PCM behind each: the board's description.
public struct RouteBoard: Sendable, Hashable {
    /// One route of the board.
    public struct Entry: Sendable, Hashable {
        /// The route.
        public var route: AudioRoute
        /// The ALSA PCM that plays on it: "default", "plughw:CARD=codec,DEV=0".
        public var pcm: String
        /// Whether it is always present. Jacks and Bluetooth devices come and go.
        public var isFixed: Bool

        /// A route; without `isFixed` the speaker, the receiver and the line output are always present.
        public init(_ route: AudioRoute, pcm: String, isFixed: Bool? = nil) {
            self.route = route
            self.pcm = pcm
            self.isFixed = isFixed ?? (AudioRouteSet.builtIn.contains(route) || route == .line)
        }
    }

    /// The routes, in the order in which they were described.
    public let entries: [Entry]
    /// The routes as a set.
    public let routes: AudioRouteSet
    /// The routes that are always present.
    public let fixed: AudioRouteSet

    /// A board of these routes.
    ///
    /// - Throws: ``SessionError/Code/badParameter`` where a route is named twice or has no PCM.
    public init(_ entries: [Entry]) throws(SessionError) {
        var routes: AudioRouteSet = []
        var fixed: AudioRouteSet = []
        for entry in entries {
            guard !routes.contains(entry.route) else {
                throw SessionError(
                    .badParameter, "describe the routes", detail: "\(entry.route.rawValue) is named twice")
            }
            guard !entry.pcm.isEmpty else {
                throw SessionError(.badParameter, "describe the routes", detail: "\(entry.route.rawValue) has no PCM")
            }
            routes.insert(AudioRouteSet(entry.route))
            if entry.isFixed { fixed.insert(AudioRouteSet(entry.route)) }
        }
        self.entries = entries
        self.routes = routes
        self.fixed = fixed
    }

    private init(speaker pcm: String) {
        entries = [Entry(.speaker, pcm: pcm)]
        routes = .speaker
        fixed = .speaker
    }

    /// A board with a speaker and a jack behind `pcm`. `routes` names another PCM for one of those, or additional routes: a
    /// receiver, a line output, a Bluetooth device.
    ///
    /// Without a PCM for the jack, the codec itself is expected to move the sound of `pcm` there.
    public init(pcm: String, routes: [AudioRoute: String] = [:]) {
        var all = routes
        all[.speaker] = routes[.speaker] ?? pcm
        all[.headphone] = routes[.headphone] ?? routes[.headset] ?? pcm
        all[.headset] = routes[.headset] ?? routes[.headphone] ?? pcm
        entries = AudioRoute.allCases.compactMap { route in all[route].map { Entry(route, pcm: $0) } }
        self.routes = entries.reduce(into: []) { $0.insert(AudioRouteSet($1.route)) }
        fixed = entries.reduce(into: []) { if $1.isFixed { $0.insert(AudioRouteSet($1.route)) } }
    }

    /// A board with a speaker and a jack behind ALSA's default PCM.
    public static let standard = RouteBoard(pcm: "default")

    /// A board with a speaker alone, behind ALSA's default PCM.
    public static let speakerOnly = RouteBoard(speaker: "default")

    /// Whether the board has an earpiece for calls.
    package var hasReceiver: Bool { fixed.contains(.receiver) }

    /// The PCM of `route`; nil if the board does not have it.
    public func pcm(for route: AudioRoute) -> String? {
        entries.first { $0.route == route }?.pcm
    }
}
