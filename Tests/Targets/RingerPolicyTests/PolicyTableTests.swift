import Testing

@testable import RingerPolicy

/// The rules, cell by cell. Each row is one kind of sound; the columns are the switch at ring, vibrate and silent, the
/// locked screen at ring, and the switch at silent with headphones on. P: heard, -: silenced, V: felt, B: both.
@Suite("The policy's table")
struct PolicyTableTests {
    static let rows: [(request: SoundRequest, cells: String)] = [
        (.session(.ambient), "P---P"),
        (.session(.soloAmbient), "P---P"),
        (.session(.playback), "PPPPP"),
        (.session(.record), "-----"),
        (.session(.playAndRecord), "PPPPP"),
        (.session(.audioProcessing), "-----"),
        (.session(.multiRoute), "PPPPP"),
        (.session(.playback, options: .honoursRingSilentSwitch), "P--PP"),
        (.session(.playAndRecord, options: .honoursRingSilentSwitch), "P--PP"),
        (.session(.multiRoute, options: .honoursRingSilentSwitch), "P--PP"),
        (.session(.ambient, isInBackground: true), "-----"),
        (.session(.soloAmbient, isInBackground: true), "-----"),
        (.session(.playback, isInBackground: true), "PPPPP"),
        (.session(.playback, options: .honoursRingSilentSwitch, isInBackground: true), "P--PP"),
        (.systemSound(), "P--PP"),
        (.session(.ambient, isAlarm: true), "PPPPP"),
        (.session(.ambient, isInBackground: true, isAlarm: true), "-----"),
        (.alert, "BVVBB"),
        (.alarm, "BBBBB"),
        (.notification(), "BVVBB"),
        (.notification(isCritical: true), "BBBBB"),
        (.vibration, "VVVVV"),
    ]

    static let columns: [DeviceState] = [
        DeviceState(ringSilent: .ring), DeviceState(ringSilent: .vibrate), DeviceState(ringSilent: .silent),
        DeviceState(ringSilent: .ring, isScreenLocked: true), DeviceState(ringSilent: .silent, route: .headphone),
    ]

    @Test("every kind of sound is heard, silenced or felt as the table says", arguments: rows)
    func cells(row: (request: SoundRequest, cells: String)) {
        let found = Self.columns.map { state -> Character in
            let decision = RingerPolicy.decide(row.request, state: state)
            return switch (decision.isHeard, decision.vibrates) {
            case (true, true): "B"
            case (true, false): "P"
            case (false, true): "V"
            case (false, false): "-"
            }
        }
        #expect(String(found) == row.cells)
    }

    @Test("the table has every category")
    func complete() {
        let categories = Self.rows.compactMap { row -> AudioCategory? in
            if case .session(let category, [], _, false, false, nil) = row.request { category } else { nil }
        }
        #expect(categories == AudioCategory.allCases)
    }

    @Test("a device without a switch counts as one at ring")
    func noSwitch() {
        for row in Self.rows {
            let without = RingerPolicy.decide(row.request, state: DeviceState())
            let ring = RingerPolicy.decide(row.request, state: DeviceState(ringSilent: .ring))
            #expect(without.isHeard == ring.isHeard && without.vibrates == ring.vibrates)
        }
        #expect(RingerPolicy.decide(.systemSound()).reason == .noSwitch)
    }

    // Used to count as at ring: a process without permission to read the switch sounded in a silent room.
    @Test("a switch that cannot be read counts as the user chose, by default as one at silent", arguments: rows)
    func unreadableSwitch(row: (request: SoundRequest, cells: String)) {
        for route in AudioRoute.allCases {
            let unreadable = DeviceState(isSwitchUnreadable: true, route: route)
            let silent = DeviceState(ringSilent: .silent, route: route)
            #expect(
                RingerPolicy.decide(row.request, state: unreadable).withoutReason
                    == RingerPolicy.decide(row.request, state: silent).withoutReason)
            for position in SwitchPosition.allCases {
                let preferences = UserPreferences(whenSwitchUnreadable: position)
                let chosen = DeviceState(ringSilent: position, route: route)
                #expect(
                    RingerPolicy.decide(row.request, state: unreadable, preferences: preferences).withoutReason
                        == RingerPolicy.decide(row.request, state: chosen).withoutReason)
            }
        }
    }
}

extension Decision {
    fileprivate var withoutReason: String {
        if case .play(let gain, let route, let vibrates, _) = self { return "\(gain) \(route) \(vibrates)" }
        return "\(vibrates)"
    }
}

@Suite("The policy's reasons")
struct PolicyReasonTests {
    @Test("what is silenced names what silenced it")
    func silencers() {
        func reason(_ request: SoundRequest, _ state: DeviceState) -> Decision {
            RingerPolicy.decide(request, state: state)
        }
        let ring = DeviceState(ringSilent: .ring)
        #expect(reason(.session(.ambient), DeviceState(ringSilent: .silent)) == .silence(.ringSilentSwitch))
        #expect(reason(.session(.ambient), DeviceState(ringSilent: .vibrate)) == .silence(.ringSilentSwitch))
        #expect(reason(.session(.ambient), DeviceState(isScreenLocked: true)) == .silence(.screenLock))
        #expect(reason(.session(.record), ring) == .silence(.categoryDoesNotPlay))
        #expect(reason(.session(.playback, isInterrupted: true), ring) == .silence(.interruption))
        #expect(
            reason(.session(.playback), DeviceState(sessions: .silencesPlayback)) == .silence(.sessionSilencesPlayback))
        #expect(reason(.systemSound(), DeviceState(sessions: .silencesPlayback)) == .silence(.sessionSilencesPlayback))
    }

    @Test("the reason says that the switch could not be read, whatever counts instead; a position that was read counts")
    func unreadable() {
        let unreadable = DeviceState(isSwitchUnreadable: true)
        let ring = UserPreferences(whenSwitchUnreadable: .ring)
        #expect(RingerPolicy.decide(.systemSound(), state: unreadable) == .silence(.switchUnreadable))
        #expect(RingerPolicy.decide(.alert, state: unreadable) == .vibrate(.switchUnreadable))
        #expect(
            RingerPolicy.decide(.systemSound(), state: unreadable, preferences: ring)
                == .play(gain: 1, route: .speaker, vibrates: false, .switchUnreadable))
        #expect(RingerPolicy.decide(.notification(isCritical: true), state: unreadable).reason == .critical)
        let read = DeviceState(ringSilent: .ring, isSwitchUnreadable: true)
        #expect(RingerPolicy.decide(.systemSound(), state: read).reason == .switchAtRing)
    }

    @Test("a call is heard from the receiver unless it asks for the speaker or something is plugged in")
    func callRoute() {
        func route(_ options: CategoryOptions, _ route: AudioRoute) -> AudioRoute {
            RingerPolicy.route(for: .playAndRecord, options: options, deviceRoute: route)
        }
        #expect(route([], .speaker) == .receiver)
        #expect(route(.defaultToSpeaker, .speaker) == .speaker)
        #expect(route([], .headphone) == .headphone)
        #expect(RingerPolicy.route(for: .playback, options: [], deviceRoute: .speaker) == .speaker)
    }

    @Test("whether the switch silences a route is a setting", arguments: AudioRoute.allCases)
    func routes(route: AudioRoute) {
        let state = DeviceState(ringSilent: .silent, route: route)
        let all = UserPreferences(routesSilencedBySwitch: [.builtIn, .headphone, .headset, .line, .bluetooth])
        #expect(RingerPolicy.decide(.systemSound(), state: state, preferences: all) == .silence(.ringSilentSwitch))
        let none = UserPreferences(routesSilencedBySwitch: [])
        #expect(
            RingerPolicy.decide(.systemSound(), state: state, preferences: none)
                == .play(gain: 1, route: route, vibrates: false, .routeIgnoresSwitch))
    }
}

@Suite("The user's preferences")
struct PreferenceTests {
    @Test("vibrate on ring and vibrate on silent are two settings; at vibrate an alert always vibrates")
    func vibration() {
        func vibrates(_ position: SwitchPosition, onRing: Bool, onSilent: Bool) -> Bool {
            RingerPolicy.decide(
                .alert, state: DeviceState(ringSilent: position),
                preferences: UserPreferences(vibrateOnRing: onRing, vibrateOnSilent: onSilent)
            ).vibrates
        }
        #expect(vibrates(.ring, onRing: true, onSilent: false))
        #expect(!vibrates(.ring, onRing: false, onSilent: true))
        #expect(vibrates(.silent, onRing: false, onSilent: true))
        #expect(!vibrates(.silent, onRing: true, onSilent: false))
        #expect(vibrates(.vibrate, onRing: false, onSilent: false))
    }

    @Test("an alert does not vibrate while a session records, unless the user allows it; a vibration on its own does")
    func recording() {
        let state = DeviceState(ringSilent: .silent, sessions: .records)
        #expect(RingerPolicy.decide(.alert, state: state) == .silence(.ringSilentSwitch))
        let allowed = UserPreferences(hapticsWhileRecording: true)
        #expect(RingerPolicy.decide(.alert, state: state, preferences: allowed) == .vibrate(.ringSilentSwitch))
        #expect(RingerPolicy.decide(.vibration, state: state) == .vibrate(.vibrationRequested))
    }

    @Test("do-not-disturb holds back alerts and notifications, but no critical one")
    func doNotDisturb() {
        let preferences = UserPreferences(doNotDisturb: true)
        let state = DeviceState(ringSilent: .ring)
        #expect(RingerPolicy.decide(.alert, state: state, preferences: preferences) == .silence(.doNotDisturb))
        #expect(RingerPolicy.decide(.notification(), state: state, preferences: preferences) == .silence(.doNotDisturb))
        #expect(
            RingerPolicy.decide(.notification(isCritical: true), state: state, preferences: preferences).isHeard)
        #expect(RingerPolicy.decide(.systemSound(), state: state, preferences: preferences).isHeard)
    }

    @Test("sound effects off holds back user-interface sounds, and no others")
    func soundEffects() {
        let preferences = UserPreferences(soundEffects: false)
        #expect(RingerPolicy.decide(.systemSound(), preferences: preferences) == .silence(.soundEffectsOff))
        #expect(RingerPolicy.decide(.systemSound(isUISound: false), preferences: preferences).isHeard)
    }

    @Test("an alert has the alert volume; a critical sound has its sender's; volumes are held at 0 and 1")
    func volumes() {
        func gain(_ request: SoundRequest, _ volume: Float) -> Float? {
            let decision = RingerPolicy.decide(request, preferences: UserPreferences(alertVolume: volume))
            guard case .play(let gain, _, _, _) = decision else { return nil }
            return gain
        }
        #expect(gain(.alert, 0.5) == 0.5)
        #expect(gain(.alert, 7) == 1)
        #expect(gain(.alert, 0) == nil)
        #expect(gain(.alert, .nan) == nil)
        #expect(gain(.notification(volume: 0.5), 0.5) == 0.25)
        #expect(gain(.notification(volume: 0.5, isCritical: true), 0) == 0.5)
        #expect(gain(.notification(volume: -1), 1) == nil)
    }

    @Test("an alert at volume 0 still vibrates")
    func volumeZeroVibrates() {
        let preferences = UserPreferences(alertVolume: 0)
        #expect(RingerPolicy.decide(.alert, preferences: preferences) == .vibrate(.volumeZero))
    }
}
