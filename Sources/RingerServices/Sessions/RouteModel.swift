/// Which routes are there now, and which of them a session's sound takes.
///
/// Pure. What was plugged in last wins; without anything plugged in, a call goes to the receiver, everything else to
/// the speaker.
public struct RouteModel: Sendable, Hashable {
    /// What happens to routes.
    public enum Event: Sendable, Hashable {
        /// Headphones were plugged in, or pulled out: `SW_HEADPHONE_INSERT`, or the jack control.
        case headphone(isInserted: Bool)
        /// A microphone was plugged in, or pulled out: `SW_MICROPHONE_INSERT`. With headphones it makes a headset.
        case microphone(isInserted: Bool)
        /// A line output or a Bluetooth device came, or went.
        case external(AudioRoute, isPresent: Bool)
        /// Whoever knows better, the firmware, says where sound goes: until something else is plugged in.
        case chosen(AudioRoute)
        /// The device woke from sleep.
        case wokeFromSleep
    }

    /// What is plugged in: the jack is one place, whatever sits in it.
    private enum Place: Sendable, Hashable {
        case jack
        case external(AudioRoute)
        case chosen(AudioRoute)
    }

    /// The board's description.
    public let board: RouteBoard
    /// Whether headphones are plugged in.
    public private(set) var isHeadphoneInserted = false
    /// Whether a microphone is plugged in.
    public private(set) var isMicrophoneInserted = false
    /// The newest last.
    private var places: [Place] = []

    /// The routes of `board`, with nothing plugged in.
    public init(board: RouteBoard = .speakerOnly) {
        self.board = board
    }

    /// Takes in what happened.
    ///
    /// - Returns: Why routes may have changed; nil where nothing did. ``RouteChangeReason/wakeFromSleep`` changes no
    ///   route by itself.
    public mutating func handle(_ event: Event) -> RouteChangeReason? {
        let before = present
        switch event {
        case .headphone(let isInserted):
            isHeadphoneInserted = isInserted
            set(.jack, isPresent: isInserted)
        case .microphone(let isInserted):
            isMicrophoneInserted = isInserted
        case .external(let route, let isPresent):
            // The jack is told by its own events; what is fixed neither comes nor goes.
            guard route == .line || route == .bluetooth, !board.fixed.contains(route) else { return nil }
            set(.external(route), isPresent: isPresent)
        case .chosen(let route):
            let old = places
            places.removeAll { if case .chosen = $0 { true } else { false } }
            places.append(.chosen(route))
            // Nothing came or went, but sound may go elsewhere.
            if present == before { return places == old ? nil : .override }
        case .wokeFromSleep:
            return .wakeFromSleep
        }
        let after = present
        if before == after { return nil }
        // A headset that loses its microphone is still there as a headphone.
        return after.subtracting(before).isEmpty || event == .microphone(isInserted: false)
            ? .oldDeviceUnavailable : .newDeviceAvailable
    }

    private mutating func set(_ place: Place, isPresent: Bool) {
        let index = places.firstIndex(of: place)
        if isPresent, index == nil { places.append(place) }
        if !isPresent, let index { places.remove(at: index) }
    }

    /// The routes that are there now.
    public var present: AudioRouteSet {
        places.reduce(into: board.fixed) { set, place in
            if let route = route(at: place) { set.insert(AudioRouteSet(route)) }
        }
    }

    /// The route at `place`; nil where the board does not have it. A board that knows no headset plays on a headphone,
    /// and the other way round.
    private func route(at place: Place) -> AudioRoute? {
        switch place {
        case .external(let route):
            return board.routes.contains(route) ? route : nil
        case .chosen(let route):
            return route
        case .jack:
            let jack: [AudioRoute] = isMicrophoneInserted ? [.headset, .headphone] : [.headphone, .headset]
            return jack.first { board.routes.contains($0) && !board.fixed.contains($0) }
        }
    }

    /// The route that a session of `settings` takes.
    ///
    /// A speaker override beats what is plugged in. A call goes to Bluetooth only with
    /// ``CategoryOptions/allowBluetooth``: the override of the input alone leaves the output where it is.
    public func route(for settings: SessionSettings) -> SessionRoute {
        SessionRoute(output(for: settings), takesInput: settings.category.records)
    }

    private func output(for settings: SessionSettings) -> AudioRoute? {
        let isCall = settings.category == .playAndRecord
        let options = settings.effectiveOptions
        if settings.overrides.contains(.speaker), board.fixed.contains(.speaker) { return .speaker }
        for place in places.reversed() {
            guard let route = route(at: place) else { continue }
            // The speaker is where sound goes without anything plugged in; a call still goes to the receiver.
            if route == .speaker { break }
            if isCall && route == .bluetooth && !options.contains(.allowBluetooth) { continue }
            return route
        }
        if isCall && board.fixed.contains(.receiver) && !options.contains(.defaultToSpeaker) { return .receiver }
        // What a board without a speaker has instead, in the order of its description.
        if board.fixed.contains(.speaker) { return .speaker }
        return board.entries.first { $0.isFixed && $0.route != .receiver }?.route
            ?? (board.fixed.contains(.receiver) ? .receiver : nil)
    }

    /// The PCM of `route`; nil where the board does not have it.
    public func pcm(for route: AudioRoute) -> String? { board.pcm(for: route) }
}
