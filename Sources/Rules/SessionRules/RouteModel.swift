import RingerPolicy

/// Which routes are present, and which of them a session's sound takes.
///
/// A value. The newest of what is plugged in wins; with nothing plugged in, `RingerPolicy.route(for:)` chooses between
/// speaker and receiver.
package struct RouteModel: Sendable, Hashable {
    /// What happens to routes.
    package enum Event: Sendable, Hashable {
        /// Headphones were plugged in or pulled out: `SW_HEADPHONE_INSERT`, or the jack control.
        case headphone(isInserted: Bool)
        /// A microphone was plugged in or pulled out: `SW_MICROPHONE_INSERT`. With headphones it makes a headset.
        case microphone(isInserted: Bool)
        /// The board's input came or went; nil if it is not known, which counts as present.
        case input(isAvailable: Bool?)
        /// A line output or a Bluetooth device was connected or disconnected.
        case external(AudioRoute, isPresent: Bool)
        /// The firmware chose the route, until something else is plugged in.
        case chosen(AudioRoute)
        /// The device woke from sleep.
        case wokeFromSleep
    }

    /// Where something is plugged in. The jack is one place, for headphones and headset.
    private enum Place: Sendable, Hashable {
        case jack
        case external(AudioRoute)
        case chosen(AudioRoute)
    }

    /// The board's description.
    package let board: RouteBoard
    /// Whether headphones are plugged in.
    package private(set) var isHeadphoneInserted = false
    /// Whether the board has an input now; nil if it is not known.
    package private(set) var isInputAvailable: Bool?
    /// Whether a microphone is plugged in.
    package private(set) var isMicrophoneInserted = false
    /// What is plugged in, the newest last.
    private var places: [Place] = []

    /// The routes of `board`, with nothing plugged in.
    package init(board: RouteBoard = .speakerOnly) {
        self.board = board
    }

    /// Updates the routes.
    ///
    /// - Returns: Why routes may have changed; nil if none did. ``RouteChangeReason/wakeFromSleep`` changes no route by
    ///   itself.
    package mutating func handle(_ event: Event) -> RouteChangeReason? {
        let before = present
        switch event {
        case .headphone(let isInserted):
            isHeadphoneInserted = isInserted
            set(.jack, isPresent: isInserted)
        case .microphone(let isInserted):
            isMicrophoneInserted = isInserted
        case .external(let route, let isPresent):
            // The jack has its own events; fixed routes neither come nor go.
            guard route == .line || route == .bluetooth, !board.fixed.contains(route) else { return nil }
            set(.external(route), isPresent: isPresent)
        case .chosen(let route):
            let old = places
            places.removeAll { if case .chosen = $0 { true } else { false } }
            places.append(.chosen(route))
            // No route came or went, but sound may take another one.
            if present == before { return places == old ? nil : .override }
        case .input(let isAvailable):
            isInputAvailable = isAvailable
            return isAvailable == false ? .oldDeviceUnavailable : .newDeviceAvailable
        case .wokeFromSleep:
            return .wakeFromSleep
        }
        let after = present
        if before == after { return nil }
        // A headset that loses its microphone stays present as a headphone.
        return after.subtracting(before).isEmpty || event == .microphone(isInserted: false)
            ? .oldDeviceUnavailable : .newDeviceAvailable
    }

    private mutating func set(_ place: Place, isPresent: Bool) {
        let index = places.firstIndex(of: place)
        if isPresent, index == nil { places.append(place) }
        if !isPresent, let index { places.remove(at: index) }
    }

    /// The routes that are present.
    package var present: AudioRouteSet {
        places.reduce(into: board.fixed) { set, place in
            if let route = route(at: place) { set.insert(AudioRouteSet(route)) }
        }
    }

    /// The route at `place`; nil if the board does not have it. A board without a headset route plays on the headphone
    /// route, and the other way round.
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

    /// The route that a session of `settings` takes. Recording without an input has none.
    ///
    /// A speaker override beats what is plugged in. A call goes to Bluetooth only with
    /// ``CategoryOptions/allowBluetooth``: the override of the input alone leaves the output where it is.
    package func route(for settings: SessionSettings) -> SessionRoute {
        let input = input(for: settings)
        if settings.category == .record && input == nil { return SessionRoute(nil) }
        return SessionRoute(output(for: settings), input: input)
    }

    /// The input that a session of `settings` takes: of a Bluetooth device and a headset's microphone the newest, else
    /// the board's; nil if there is none, or the category takes none.
    package func input(for settings: SessionSettings) -> AudioInput? {
        guard settings.category.records else { return nil }
        let hasMicrophone = isInputAvailable != false
        let allowsBluetooth =
            settings.options.contains(.allowBluetooth) || settings.overrides.contains(.bluetoothInput)
        for place in places.reversed() {
            if hasMicrophone, place == .jack, isMicrophoneInserted { return .microphone }
            if allowsBluetooth, route(at: place) == .bluetooth { return .bluetooth }
        }
        return hasMicrophone ? .microphone : nil
    }

    private func output(for settings: SessionSettings) -> AudioRoute? {
        let options = settings.effectiveOptions
        if settings.overrides.contains(.speaker), board.fixed.contains(.speaker) { return .speaker }
        for place in places.reversed() {
            guard let route = route(at: place) else { continue }
            // The speaker is the route with nothing plugged in.
            if route == .speaker { break }
            let isCall = settings.category == .playAndRecord
            if isCall && route == .bluetooth && !options.contains(.allowBluetooth) { continue }
            return route
        }
        let builtIn = RingerPolicy.route(
            for: settings.category, options: options, deviceRoute: .speaker, hasReceiver: board.hasReceiver)
        if board.fixed.contains(builtIn) { return builtIn }
        // A board without a speaker: its first fixed route that is not the receiver, in the order of its description.
        return board.entries.first { $0.isFixed && $0.route != .receiver }?.route
            ?? (board.hasReceiver ? .receiver : nil)
    }

    /// The PCM of `route`; nil if the board does not have it.
    package func pcm(for route: AudioRoute) -> String? { board.pcm(for: route) }
}

extension AudioCategory {
    /// Whether a session of the category cannot be activated without an input. Several routes at once may be outputs alone.
    var needsInput: Bool { self == .record || self == .playAndRecord }
}
