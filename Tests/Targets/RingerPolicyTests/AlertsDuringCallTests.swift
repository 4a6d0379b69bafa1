import Testing

@testable import RingerPolicy

@Suite("Alerts during a call")
struct AlertsDuringCallTests {
    private static let ordinary: SessionActivity = [.records, .call]
    private static let priority: SessionActivity = [.records, .call, .callByPriority]
    private static let notification = SoundRequest.notification(volume: 0.5)

    private static func heard(_ gain: Float, _ reason: Decision.Reason = .switchAtRing) -> Decision {
        // The call records.
        .play(gain: gain, route: .speaker, vibrates: false, reason)
    }

    /// At ring: the preference, and the decisions on an alert beside a call of ordinary priority, and of a call's.
    private static let table: [(choice: AlertsDuringCall, ordinary: Decision, priority: Decision)] = [
        (.automatic, heard(1), .vibrate(.call)),
        (.heard, heard(1), heard(1)),
        (.quiet, heard(0.1, .call), heard(0.1, .call)),
        (.felt, .vibrate(.call), .vibrate(.call)),
        (.none, .silence(.call), .silence(.call)),
    ]

    @Test("at ring a call leaves of an alert what the user chose", arguments: table)
    func atRing(choice: AlertsDuringCall, ordinary: Decision, priority: Decision) {
        let preferences = UserPreferences(alertsDuringCall: choice)
        for (sessions, expected) in [(Self.ordinary, ordinary), (Self.priority, priority)] {
            let state = DeviceState(ringSilent: .ring, sessions: sessions)
            #expect(decide(.alert, state: state, preferences: preferences) == expected)
            let notification = decide(Self.notification, state: state, preferences: preferences)
            if case .play(let gain, let route, let vibrates, let reason) = expected {
                let half = Decision.play(gain: gain * 0.5, route: route, vibrates: vibrates, reason)
                #expect(notification == half)
            } else {
                #expect(notification == expected)
            }
        }
    }

    @Test("what is felt instead of heard is felt though alerts are not felt beside a recording, or at ring")
    func felt() {
        let state = DeviceState(ringSilent: .ring, sessions: Self.priority)
        for isFelt in [true, false] {
            let preferences = UserPreferences(vibrateOnRing: isFelt, hapticsWhileRecording: isFelt)
            #expect(decide(.alert, state: state, preferences: preferences) == .vibrate(.call))
        }
        let quiet = UserPreferences(hapticsWhileRecording: true, alertsDuringCall: .quiet)
        let both = Decision.play(gain: 0.1, route: .speaker, vibrates: true, .call)
        #expect(decide(.alert, state: state, preferences: quiet) == both)
    }

    @Test("a call never makes an alert louder, and changes nothing where the switch allows nothing")
    func neverLouder() {
        var states = [DeviceState(isSwitchUnreadable: true), DeviceState()]
        for position in SwitchPosition.allCases {
            states.append(DeviceState(ringSilent: position))
            states.append(DeviceState(ringSilent: .ring, keptPosition: position))
            states.append(DeviceState(ringSilent: .ring, quietHours: position))
            states.append(DeviceState(ringSilent: position, route: .headphone))
            states.append(DeviceState(ringSilent: position, isScreenLocked: true))
        }
        func strength(_ decision: Decision) -> Float {
            if case .play(let gain, _, _, _) = decision { 1 + gain } else { decision.vibrates ? 1 : 0 }
        }
        for (state, bits) in states.flatMap({ state in (0..<8).map { (state, $0) } }) {
            for choice in AlertsDuringCall.allCases {
                let preferences = UserPreferences(
                    vibrateOnRing: bits & 1 != 0, vibrateOnSilent: bits & 2 != 0, doNotDisturb: bits & 4 != 0,
                    alertsDuringCall: choice)
                for (sessions, request) in [
                    (Self.ordinary, SoundRequest.alert), (Self.priority, .alert), (Self.priority, Self.notification),
                ] {
                    var (with, without) = (state, state)
                    with.sessions = sessions
                    without.sessions = sessions.subtracting([.call, .callByPriority])
                    let before = decide(request, state: without, preferences: preferences)
                    let after = decide(request, state: with, preferences: preferences)
                    #expect(strength(after) <= strength(before), "\(choice): \(before), then \(after)")
                    if !before.isHeard && choice != .none { #expect(after == before) }
                    if preferences.doNotDisturb { #expect(after == .silence(.doNotDisturb)) }
                    if choice == .none { #expect(strength(after) == 0) }
                }
            }
        }
    }

    @Test(
        "critical sounds, alarms and other kinds of sound are as without a call", arguments: AlertsDuringCall.allCases)
    func untouched(choice: AlertsDuringCall) {
        let preferences = UserPreferences(alertsDuringCall: choice)
        let obeying = UserPreferences(alarmsIgnoreSilence: false, alertsDuringCall: choice)
        let requests: [SoundRequest] = [
            .notification(isCritical: true), .alarm, .systemSound(), .session(.playback), .session(.playAndRecord),
            .session(.playback, isAlarm: true), .vibration,
        ]
        for (request, preferences) in requests.map({ ($0, preferences) }) + [(.alarm, obeying)] {
            for position in SwitchPosition.allCases {
                let call = DeviceState(ringSilent: position, sessions: Self.priority)
                let none = DeviceState(ringSilent: position, sessions: .records)
                #expect(
                    decide(request, state: call, preferences: preferences)
                        == decide(request, state: none, preferences: preferences))
            }
        }
    }

    @Test(
        "without a call, and beside an interruption from outside, alerts are as ever",
        arguments: AlertsDuringCall.allCases)
    func noCall(choice: AlertsDuringCall) {
        let preferences = UserPreferences(alertsDuringCall: choice)
        for sessions in [[], .interrupted, .records, .callByPriority] as [SessionActivity] {
            let state = DeviceState(ringSilent: .ring, sessions: sessions)
            #expect(decide(.alert, state: state, preferences: preferences) == decide(.alert, state: state))
            #expect(decide(.alert, state: state, preferences: preferences).isHeard)
        }
    }
}
