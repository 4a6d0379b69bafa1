import RingerPolicy

/// Every decision about every combination of sound, state and preferences. Of the alert volumes and of the sets of routes
/// that the switch silences, those that differ in the rules.
enum Policy {
    static func report() {
        for category in AudioCategory.allCases { report(category.rawValue, sessions(category), sessionPreferences) }
        report("system sound", [.systemSound(isUISound: true), .systemSound(isUISound: false)], preferences)
        report("alert", [.alert], preferences)
        report("alert in a call", [.alert, .notification(volume: 0.3)], callPreferences, callStates)
        report("alarm", [.alarm], alarmPreferences)
        for category in AudioCategory.allCases {
            report("\(category.rawValue), alarm", [.session(category, isAlarm: true)], alarmPreferences)
        }
        for category in AudioCategory.allCases {
            report("\(category.rawValue), volumes", announcements(category) + [.session(category)], volumePreferences)
        }
        report("notification", notifications, preferences)
        report("vibration", [.vibration], preferences)
    }

    private static func report(
        _ name: String, _ requests: [SoundRequest], _ preferences: [UserPreferences], _ states: [DeviceState] = states
    ) {
        var digest = Digest()
        for request in requests {
            for preference in preferences {
                for state in states { digest.add(decide(request, state: state, preferences: preference)) }
            }
        }
        digest.report(name)
    }

    private static let bools = [false, true]

    /// The sessions of a category, with every set of options.
    private static func sessions(_ category: AudioCategory) -> [SoundRequest] {
        let lone = CategoryOptions(rawValue: 16)
        let bits: [CategoryOptions] = [
            .mixWithOthers, .duckOthers, .allowBluetooth, .defaultToSpeaker, lone, .honoursRingSilentSwitch,
        ]
        var requests: [SoundRequest] = []
        for set in 0..<(1 << bits.count) {
            var options: CategoryOptions = []
            for (index, bit) in bits.enumerated() where set >> index & 1 == 1 { options.formUnion(bit) }
            for isInterrupted in bools {
                for isInBackground in bools {
                    requests.append(
                        .session(
                            category, options: options, isInterrupted: isInterrupted, isInBackground: isInBackground))
                }
            }
        }
        return requests
    }

    private static func announcements(_ category: AudioCategory) -> [SoundRequest] {
        let volumes: [AnnouncementVolume] = [.preferred, .own(-1), .own(0.3), .own(2), .own(.nan)]
        return volumes.map { .session(category, announcement: $0) }
    }

    private static let volumePreferences: [UserPreferences] = [-1, 0, 0.7, 3, .nan].map { volume in
        UserPreferences(announcementVolume: volume, mediaVolume: volume / 2, callVolume: volume / 4)
    }

    private static let notifications: [SoundRequest] = bools.flatMap { isCritical in
        [-1, 0.3, 2, .nan].map { .notification(volume: $0, isCritical: isCritical) }
    }

    private static let states: [DeviceState] = {
        var states: [DeviceState] = []
        let positions: [SwitchPosition?] = [nil] + SwitchPosition.allCases.map { $0 }
        for position in positions {
            for isUnreadable in position == nil ? bools : [false] {
                for isLocked in bools {
                    for route in AudioRoute.allCases {
                        for sessions in UInt8(0)..<8 {
                            for hasReceiver in bools {
                                states.append(
                                    DeviceState(
                                        ringSilent: position, isSwitchUnreadable: isUnreadable,
                                        isScreenLocked: isLocked, route: route,
                                        sessions: SessionActivity(rawValue: sessions), hasReceiver: hasReceiver))
                            }
                        }
                    }
                }
            }
        }
        return states
    }()

    private static let callStates: [DeviceState] = [SessionActivity.call, [.call, .callByPriority]].flatMap { call in
        states.map { state in
            var state = state
            state.sessions.formUnion(call)
            return state
        }
    }

    private static let callPreferences: [UserPreferences] = AlertsDuringCall.allCases.flatMap { choice in
        bools.flatMap { isFelt in
            bools.map { UserPreferences(vibrateOnSilent: isFelt, doNotDisturb: $0, alertsDuringCall: choice) }
        }
    }

    /// The preferences that count for a session.
    private static let sessionPreferences: [UserPreferences] = {
        var all: [UserPreferences] = []
        let headphones: AudioRouteSet = [.headphone, .headset, .line, .bluetooth]
        for routes in [.builtIn, headphones, [], headphones.union(.builtIn)] {
            for unreadable in SwitchPosition.allCases {
                all.append(UserPreferences(routesSilencedBySwitch: routes, whenSwitchUnreadable: unreadable))
            }
        }
        return all
    }()

    private static let alarmPreferences: [UserPreferences] = [Float(0), 0.05, 0.7, .nan].flatMap { volume in
        bools.flatMap { ignoresSilence in
            bools.map { isDisturbing in
                UserPreferences(
                    doNotDisturb: isDisturbing, alarmsIgnoreSilence: ignoresSilence, alarmVolume: volume)
            }
        }
    }

    private static let preferences: [UserPreferences] = {
        var all: [UserPreferences] = []
        for base in sessionPreferences {
            for bits in 0..<32 {
                for volume: Float in [0, 0.7, 3] {
                    var preferences = base
                    preferences.vibrateOnRing = bits & 1 != 0
                    preferences.vibrateOnSilent = bits & 2 != 0
                    preferences.soundEffects = bits & 4 != 0
                    preferences.hapticsWhileRecording = bits & 8 != 0
                    preferences.doNotDisturb = bits & 16 != 0
                    preferences.alertVolume = volume
                    all.append(preferences)
                }
            }
        }
        return all
    }()
}

extension Digest {
    mutating func add(_ decision: Decision) {
        switch decision {
        case .play(let gain, let route, let vibrates, let reason):
            let flags: UInt64 = vibrates ? 1 << 16 : 0
            add(UInt64(gain.bitPattern) << 32 | flags | UInt64(route.number) << 8 | UInt64(reason.number))
        case .silence(let reason): add(1 << 24 | UInt64(reason.number))
        case .vibrate(let reason): add(1 << 25 | UInt64(reason.number))
        }
    }
}

extension RawRepresentable where RawValue == String {
    /// The case's number: the digests have millions of them, and their names would take minutes.
    var number: UInt8 {
        precondition(MemoryLayout<Self>.size == 1)
        // SAFETY: an enumeration of at most 256 cases without values is one byte, its case's number.
        return unsafe unsafeBitCast(self, to: UInt8.self)
    }
}
