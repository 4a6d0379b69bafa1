import RingerPolicy
import SessionRules
import Testing

@Suite("Sessions against switch, lock and route")
struct SessionPolicyTests {
    /// One row for each category: is it heard with the switch at silent, with the screen locked; is it silenced by the
    /// switch on a headphone.
    struct Row {
        var category: AudioCategory
        var plays: Bool
        var whenSilent: Bool
        var whenLocked: Bool
        var onHeadphoneWhenSilent: Bool
    }

    static let rows: [Row] = [
        Row(category: .ambient, plays: true, whenSilent: false, whenLocked: false, onHeadphoneWhenSilent: true),
        Row(category: .soloAmbient, plays: true, whenSilent: false, whenLocked: false, onHeadphoneWhenSilent: true),
        Row(category: .playback, plays: true, whenSilent: true, whenLocked: true, onHeadphoneWhenSilent: true),
        Row(category: .record, plays: false, whenSilent: false, whenLocked: false, onHeadphoneWhenSilent: false),
        Row(category: .playAndRecord, plays: true, whenSilent: true, whenLocked: true, onHeadphoneWhenSilent: true),
        Row(
            category: .audioProcessing, plays: false, whenSilent: false, whenLocked: false,
            onHeadphoneWhenSilent: false),
        Row(category: .multiRoute, plays: true, whenSilent: true, whenLocked: true, onHeadphoneWhenSilent: true),
    ]

    static let id = SessionID(rawValue: 7)

    private func active(_ category: AudioCategory) throws -> SessionCoordinator {
        let board = try RouteBoard([
            .init(.speaker, pcm: "spk"), .init(.receiver, pcm: "ear"), .init(.headphone, pcm: "hp"),
            .init(.headset, pcm: "hp"), .init(.line, pcm: "line", isFixed: false), .init(.bluetooth, pcm: "bt"),
        ])
        var coordinator = SessionCoordinator(board: board)
        _ = coordinator.handle(.make(Self.id))
        _ = coordinator.handle(.setCategory(Self.id, category))
        _ = coordinator.handle(.activate(Self.id))
        return coordinator
    }

    @Test("each category is heard as Apple's table says", arguments: rows)
    func categories(row: Row) throws {
        var coordinator = try active(row.category)
        for position in [SwitchPosition.silent, .vibrate] {
            #expect(coordinator.isAudible(Self.id, state: DeviceState(ringSilent: position)) == row.whenSilent)
        }
        #expect(coordinator.isAudible(Self.id, state: DeviceState(ringSilent: .ring)) == row.plays)
        #expect(coordinator.isAudible(Self.id, state: DeviceState()) == row.plays)
        #expect(coordinator.isAudible(Self.id, state: DeviceState(isScreenLocked: true)) == row.whenLocked)
        _ = coordinator.handle(.route(.headphone(isInserted: true)))
        let silent = DeviceState(ringSilent: .silent)
        #expect(coordinator.isAudible(Self.id, state: silent) == row.onHeadphoneWhenSilent)
        // Which routes the switch silences is the user's to say.
        let everywhere = UserPreferences(routesSilencedBySwitch: [.speaker, .receiver, .headphone])
        #expect(coordinator.isAudible(Self.id, state: silent, preferences: everywhere) == row.whenSilent)
    }

    @Test(
        "every category on every route, with every position, lock and set of silenced routes, is decided on its own route"
    )
    func routes() throws {
        let plugs: [(RouteModel.Event?, AudioRoute)] = [
            (nil, .speaker), (.headphone(isInserted: true), .headphone), (.external(.line, isPresent: true), .line),
            (.external(.bluetooth, isPresent: true), .bluetooth),
        ]
        for row in Self.rows {
            for (plug, plugged) in plugs {
                var coordinator = try active(row.category)
                if let plug { _ = coordinator.handle(.route(plug)) }
                let isCall = row.category == .playAndRecord
                let route: AudioRoute = isCall && (plug == nil || plugged == .bluetooth) ? .receiver : plugged
                #expect(coordinator.session(Self.id)?.route.output == route)
                for silenced in [AudioRouteSet.builtIn, [], AudioRouteSet(route)] {
                    for position in SwitchPosition.allCases {
                        for isLocked in [false, true] {
                            // The route in the caller's state does not matter: the session has its own.
                            let state = DeviceState(ringSilent: position, isScreenLocked: isLocked, route: .line)
                            let preferences = UserPreferences(routesSilencedBySwitch: silenced)
                            let decision = coordinator.decide(Self.id, state: state, preferences: preferences)
                            let bySwitch = row.category.isSilencedBySwitch
                            let isHeard =
                                row.plays && !(bySwitch && isLocked)
                                && !(bySwitch && position.silences && silenced.contains(route))
                            #expect(decision?.isHeard == isHeard)
                            if case .play(_, let played, _, _) = decision { #expect(played == route) }
                        }
                    }
                }
            }
        }
    }

    @Test("the route's name is empty exactly while the switch silences the session")
    func emptyRoute() throws {
        for row in Self.rows {
            let coordinator = try active(row.category)
            let name =
                row.category == .playAndRecord
                ? "ReceiverAndMicrophone" : row.category.records ? "SpeakerAndMicrophone" : "Speaker"
            #expect(coordinator.routeName(Self.id, state: DeviceState(ringSilent: .ring)) == name)
            let silent = coordinator.routeName(Self.id, state: DeviceState(ringSilent: .silent))
            #expect(silent == (row.category.isSilencedBySwitch ? "" : name))
            // The old test for mute works while the screen is locked, and after an interruption, too.
            let locked = coordinator.routeName(Self.id, state: DeviceState(ringSilent: .ring, isScreenLocked: true))
            #expect(locked == name)
        }
        var coordinator = try active(.soloAmbient)
        _ = coordinator.handle(.outsideBegan(OutsideInterruption(rawValue: 1)))
        #expect(coordinator.routeName(Self.id, state: DeviceState(ringSilent: .ring)) == "Speaker")
        #expect(coordinator.routeName(Self.id, state: DeviceState(ringSilent: .silent)) == "")
        _ = coordinator.handle(.route(.headphone(isInserted: true)))
        #expect(coordinator.routeName(Self.id, state: DeviceState(ringSilent: .silent)) == "Headphone")
        #expect(coordinator.routeName(SessionID(rawValue: 99), state: DeviceState()) == "")
    }

    @Test("a call on a board without a receiver is heard from its speaker")
    func noReceiver() {
        var coordinator = SessionCoordinator()
        _ = coordinator.handle(.make(Self.id))
        _ = coordinator.handle(.setCategory(Self.id, .playAndRecord))
        _ = coordinator.handle(.activate(Self.id))
        let decision = coordinator.decide(Self.id, state: DeviceState())
        #expect(decision == .play(gain: 1, route: .speaker, vibrates: false, .categoryIgnoresSwitch))
    }
}
