import Testing

@testable import RingerPolicy

@Suite("Alarms")
struct AlarmTests {
    private static let silencing: [(state: DeviceState, preferences: UserPreferences)] = [
        (DeviceState(ringSilent: .silent), UserPreferences()), (DeviceState(ringSilent: .vibrate), UserPreferences()),
        (DeviceState(isSwitchUnreadable: true), UserPreferences()),
        (DeviceState(ringSilent: .ring, keptPosition: .silent), UserPreferences()),
        (DeviceState(ringSilent: .ring, quietHours: .silent), UserPreferences()),
        (DeviceState(ringSilent: .ring, sessions: .silencesPlayback), UserPreferences()),
        (DeviceState(ringSilent: .ring), UserPreferences(doNotDisturb: true)),
    ]

    @Test("what silences an alert silences no alarm, which says that it is one", arguments: silencing)
    func ignoresSilence(state: DeviceState, preferences: UserPreferences) {
        #expect(!decide(.alert, state: state, preferences: preferences).isHeard)
        let alarm = Decision.play(gain: 1, route: .speaker, vibrates: true, .alarm)
        #expect(decide(.alarm, state: state, preferences: preferences) == alarm)
    }

    @Test("with alarmsIgnoreSilence off an alarm is judged as an alert of its own volume", arguments: silencing)
    func obeys(state: DeviceState, preferences: UserPreferences) {
        var preferences = preferences
        preferences.alarmsIgnoreSilence = false
        #expect(
            decide(.alarm, state: state, preferences: preferences)
                == decide(.alert, state: state, preferences: preferences))
        for state in [state, DeviceState(ringSilent: .ring)] {
            var quiet = preferences
            (quiet.alarmVolume, quiet.alertVolume) = (0.5, 1)
            var alert = preferences
            alert.alertVolume = 0.5
            #expect(
                decide(.alarm, state: state, preferences: quiet) == decide(.alert, state: state, preferences: alert))
        }
    }

    @Test(
        "the volume is the user's, 0.1 at least, or 0: then the alarm is felt only",
        arguments: [(0, nil), (0.001, 0.1), (0.1, 0.1), (0.5, 0.5), (1, 1), (7, 1), (-1, nil), (.nan, nil)]
            as [(Float, Float?)])
    func volume(volume: Float, gain: Float?) {
        let preferences = UserPreferences(alarmVolume: volume)
        let decision = decide(.alarm, state: DeviceState(ringSilent: .ring), preferences: preferences)
        if let gain {
            #expect(decision == .play(gain: gain, route: .speaker, vibrates: true, .switchAtRing))
        } else {
            #expect(decision == .vibrate(.volumeZero))
        }
        let session = decide(.session(.playback, isAlarm: true), preferences: preferences)
        #expect(
            session == gain.map { .play(gain: $0, route: .speaker, vibrates: false, .categoryIgnoresSwitch) }
                ?? .silence(.volumeZero))
        #expect(decide(.session(.playback), preferences: preferences).isHeard)
    }

    @Test("at ring an alarm has the switch's reason, and is felt though alerts are not")
    func atRing() {
        let preferences = UserPreferences(vibrateOnRing: false, vibrateOnSilent: false)
        let ring = DeviceState(ringSilent: .ring)
        #expect(decide(.alert, state: ring, preferences: preferences).vibrates == false)
        #expect(
            decide(.alarm, state: ring, preferences: preferences)
                == .play(gain: 1, route: .speaker, vibrates: true, .switchAtRing))
    }

    @Test("a session of an alarm's priority is heard at silent, behind a locked screen, beside a recording")
    func session() {
        let alarm = SoundRequest.session(.soloAmbient, isAlarm: true)
        for state in [
            DeviceState(ringSilent: .silent), DeviceState(ringSilent: .ring, isScreenLocked: true),
            DeviceState(ringSilent: .ring, sessions: .silencesPlayback),
        ] {
            #expect(decide(.session(.soloAmbient), state: state).isHeard == false)
            #expect(decide(alarm, state: state).isHeard)
            let obeying = UserPreferences(alarmsIgnoreSilence: false)
            #expect(
                decide(alarm, state: state, preferences: obeying) == decide(.session(.soloAmbient), state: state))
        }
        #expect(decide(alarm, state: DeviceState(ringSilent: .silent)).reason == .alarm)
        #expect(decide(alarm, state: DeviceState(ringSilent: .ring)).reason == .switchAtRing)
        #expect(decide(.session(.soloAmbient, isInterrupted: true, isAlarm: true)) == .silence(.interruption))
        #expect(decide(.session(.record, isAlarm: true)) == .silence(.categoryDoesNotPlay))
    }
}
