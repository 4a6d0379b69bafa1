import Testing

@testable import RingerPolicy

@Suite("Volumes by kind")
struct VolumeTests {
    /// A sound of each kind, and what it is at ring.
    private static let sounds: [(request: SoundRequest, kind: SoundKind?)] =
        AudioCategory.allCases.filter(\.plays).map {
            (SoundRequest.session($0), $0 == .playAndRecord ? SoundKind.call : .media)
        } + [
            (.session(.playback, options: .honoursRingSilentSwitch), .media),
            (.session(.playback, announcement: .preferred), .announcement),
            (.session(.playAndRecord, announcement: .preferred), .announcement),
            (.session(.playback, isAlarm: true), .alarm),
            (.session(.playAndRecord, isAlarm: true, announcement: .preferred), .alarm),
            (.alarm, .alarm), (.alert, .alert), (.notification(), .alert), (.systemSound(), nil),
        ]

    private static func gain(_ decision: Decision) -> Float? {
        if case .play(let gain, _, _, _) = decision { gain } else { nil }
    }

    @Test("each volume is a factor of the sounds of its kind, and of no other", arguments: SoundKind.allCases)
    func kinds(kind: SoundKind) {
        for volume: Float in [0.25, 0.5, 1] {
            var preferences = UserPreferences()
            preferences[volumeOf: kind] = volume
            for (request, own) in Self.sounds {
                let decision = decide(request, state: DeviceState(ringSilent: .ring), preferences: preferences)
                #expect(Self.gain(decision) == (own == kind ? volume : 1), "\(request)")
                #expect(request.kind == own)
            }
        }
    }

    @Test(
        "at 0, below it and without a number a sound is silenced, above 1 as loud as it is",
        arguments: SoundKind.allCases)
    func clamped(kind: SoundKind) {
        for (volume, gain): (Float, Float?) in [
            (0, nil), (-1, nil), (-.infinity, nil), (.nan, nil), (7, 1), (.infinity, 1),
        ] {
            var preferences = UserPreferences()
            preferences[volumeOf: kind] = volume
            for (request, own) in Self.sounds where own == kind {
                let decision = decide(request, state: DeviceState(ringSilent: .ring), preferences: preferences)
                #expect(Self.gain(decision) == gain, "\(request) at \(volume)")
                if gain == nil { #expect(decision.reason == .volumeZero) }
            }
        }
    }

    @Test("what the switch silences says so whatever the volume is")
    func silent() {
        let preferences = UserPreferences(mediaVolume: 0)
        let silent = DeviceState(ringSilent: .silent)
        #expect(decide(.session(.ambient), state: silent, preferences: preferences) == .silence(.ringSilentSwitch))
        #expect(decide(.session(.playback), state: silent, preferences: preferences) == .silence(.volumeZero))
    }

    @Test("the volume of an announcement's own takes the place of the user's, and is clamped as that is")
    func own() {
        for (own, user, gain): (Float, Float, Float?) in [
            (0.5, 0.25, 0.5), (1, 0, 1), (0, 1, nil), (-1, 1, nil), (.nan, 1, nil), (9, 0.5, 1),
        ] {
            let preferences = UserPreferences(announcementVolume: user, mediaVolume: 0.125)
            let decision = decide(.session(.playback, announcement: .own(own)), preferences: preferences)
            #expect(Self.gain(decision) == gain, "\(own) instead of \(user)")
        }
    }

    @Test("quiet hours with a volume lower announcements and media, and nothing else")
    func quietHours() {
        let state = DeviceState(ringSilent: .ring, quietHoursVolume: 0.5)
        var preferences = UserPreferences()
        for kind in SoundKind.allCases { preferences[volumeOf: kind] = 0.5 }
        for (request, kind) in Self.sounds {
            let gain: Float = kind == .media || kind == .announcement ? 0.25 : kind == nil ? 1 : 0.5
            #expect(Self.gain(decide(request, state: state, preferences: preferences)) == gain, "\(request)")
        }
        #expect(Self.gain(decide(.session(.playback, announcement: .own(1)), state: state)) == 0.5)
        for volume: Float in [0, -1, .nan] {
            let silent = DeviceState(ringSilent: .ring, quietHoursVolume: volume)
            #expect(decide(.session(.playback), state: silent) == .silence(.volumeZero))
            #expect(decide(.alert, state: silent).isHeard)
        }
    }

    @Test(
        "a step of a volume key is 1/16, from whatever the volume is, and ends at 1 and, except for alerts, above 0",
        arguments: SoundKind.allCases
    )
    func steps(kind: SoundKind) {
        var preferences = UserPreferences()
        let least: Float = kind == .alert ? 0 : 0.0625
        for step in 1...20 {
            preferences.changeVolume(of: kind, bySteps: -1)
            #expect(preferences[volumeOf: kind] == max(least, 1 - Float(step) / 16))
        }
        for (before, steps, after): (Float, Int, Float) in [
            (0, 3, 0.1875), (0.5, -1, 0.4375), (0.96875, 1, 1), (0.03125, -1, min(least, 0.03125)), (.nan, 1, 0.0625),
            (-5, -1, 0),
            (9, -1, 0.9375),
        ] {
            preferences[volumeOf: kind] = before
            preferences.changeVolume(of: kind, bySteps: steps)
            #expect(preferences[volumeOf: kind] == after)
        }
        for other in SoundKind.allCases where other != kind { #expect(preferences[volumeOf: other] == 1) }
    }
}
