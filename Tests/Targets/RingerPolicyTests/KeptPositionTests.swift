import RingerPolicy
import Testing

@Suite("The kept position")
struct KeptPositionTests {
    private static let positions: [SwitchPosition?] = [nil, .ring, .vibrate, .silent]

    @Test("the more silent one of the switch's and the kept position counts, and the reason names the switch first")
    func mostSilent() {
        for ringSilent in Self.positions {
            for kept in Self.positions {
                let state = DeviceState(ringSilent: ringSilent, keptPosition: kept)
                let silent = [ringSilent, kept].compactMap(\.self).max()
                #expect(state.position(UserPreferences()) == silent)
                let decision = decide(.systemSound(), state: state)
                #expect(decision.isHeard == (silent?.silences != true), "\(ringSilent as Any), \(kept as Any)")
                if ringSilent?.silences == true {
                    #expect(decision.reason == .ringSilentSwitch)
                } else if kept?.silences == true {
                    #expect(decision.reason == .softwareSilent)
                } else {
                    #expect(decision.reason == (silent == nil ? .noSwitch : .switchAtRing))
                }
            }
        }
    }

    @Test("a switch that cannot be read counts beside the kept position as the user chose")
    func unreadable() {
        for chosen in SwitchPosition.allCases {
            for kept in Self.positions {
                let state = DeviceState(isSwitchUnreadable: true, keptPosition: kept)
                let preferences = UserPreferences(whenSwitchUnreadable: chosen)
                #expect(state.position(preferences) == max(chosen, kept ?? chosen))
                let decision = decide(.systemSound(), state: state, preferences: preferences)
                #expect(decision.isHeard == !(chosen.silences || kept?.silences == true))
                let isKept = !chosen.silences && kept?.silences == true
                #expect(decision.reason == (isKept ? .softwareSilent : .switchUnreadable))
            }
        }
    }

    @Test("as at the switch's silent, critical sounds, headphones and playback are heard, and alerts are felt")
    func exceptions() {
        var state = DeviceState(ringSilent: .ring, keptPosition: .silent)
        #expect(decide(.alert, state: state) == .vibrate(.softwareSilent))
        #expect(decide(.notification(volume: 1, isCritical: true), state: state).reason == .critical)
        #expect(decide(.session(.playback), state: state).isHeard)
        #expect(decide(.session(.ambient), state: state) == .silence(.softwareSilent))
        let preferences = UserPreferences(vibrateOnSilent: false)
        #expect(decide(.alert, state: state, preferences: preferences) == .silence(.softwareSilent))
        state.keptPosition = .vibrate
        #expect(decide(.alert, state: state, preferences: preferences) == .vibrate(.softwareSilent))
        state.route = .headphone
        #expect(decide(.systemSound(), state: state).isHeard)
    }
}
