import RingerLinux
import RingerTestKit
import SessionProperties
import Synchronization

extension Kinds {
    /// Sessions, interruptions, preferences, routes, and the listeners of properties.
    static var sessions: [Kind] {
        [
            Kind("sessions of every category that are made, used and removed", share: 6) { bench, number in
                let (category, options) = Variations.categories[round: number]
                let session = try bench.device.sessions.make(
                    name: "session \(number % 8)", category: category, options: options,
                    priority: number % 3 == 0 ? .call : .ordinary)
                let events = session.events
                session.activate(completion: bench.ends.one())
                session.start(Variations.sounds[round: number, each: 5], completion: bench.ends.one())
                bench.pass(5)
                switch number % 6 {
                case 0: try session.setInBackground(true)
                case 1: session.deactivate(notifyOthers: number % 4 == 1, completion: bench.ends.one())
                case 2: try session.setCategory(.ambient)
                case 3: try session.setSpoken(true)
                default: break
                }
                bench.pass(50)
                session.deactivate(completion: bench.ends.one())
                bench.pass(10)
                try bench.ends.check()
                withExtendedLifetime(events) {}
            },
            Kind("sessions that interrupt and duck each other, calls from outside among them", share: 8) {
                let bench = try BoardBench()
                let music = bench.device.sessions.make(name: "music", category: .playback)
                return { number in
                    music.activate(completion: bench.ends.one())
                    music.start(Variations.sounds[round: number], completion: bench.ends.one())
                    bench.pass(5)
                    let (category, options) = Variations.categories[round: number]
                    let other = try bench.device.sessions.make(category: category, options: options)
                    var outside: OutsideInterruption?
                    switch number % 3 {
                    case 0: other.activate(completion: bench.ends.one())
                    case 1: outside = bench.device.sessions.interruptionBegan()
                    default:
                        outside = bench.device.sessions.interruptionBegan()
                        other.activate(completion: bench.ends.one())
                        outside.map(bench.device.sessions.interruptionAnswered)
                    }
                    bench.pass(10)
                    other.deactivate(notifyOthers: number % 2 == 0, completion: bench.ends.one())
                    if let outside {
                        bench.device.sessions.interruptionEnded(outside, shouldResume: number % 4 == 0)
                    }
                    bench.pass(50)
                    music.deactivate(completion: bench.ends.one())
                    bench.pass(5)
                    try bench.ends.check()
                }
            },
            Kind("preferred rates and periods, overrides and routes of a session", share: 4) {
                let bench = try BoardBench()
                let session = bench.device.sessions.make(name: "call", category: .playAndRecord)
                let periods = [0.005, 0.01, 0.02, 0.093]
                return { number in
                    if number % 16 == 0 { session.activate(completion: bench.ends.one()) }
                    try session.setPreferredSampleRate(Variations.rates[round: number])
                    try session.setPreferredIOBufferDuration(periods[round: number, each: 3])
                    try session.overrideRoute(toSpeaker: number % 2 == 0)
                    bench.board.surroundings.set(.headphoneInserted(number % 3 == 0))
                    bench.board.surroundings.set(.microphoneInserted(number % 5 == 0))
                    bench.board.surroundings.set(.routePresent(.bluetooth, number % 7 == 0))
                    bench.pass(20)
                    _ = (session.sampleRate, session.routeName, session.outputLatency, session.isOtherAudioPlaying)
                    if number % 16 == 15 { session.deactivate(completion: bench.ends.one()) }
                    bench.pass(10)
                    try bench.ends.check()
                }
            },
            Kind("user preferences, judged for sounds of every kind", share: 2) {
                let bench = try BoardBench()
                let requests: [SoundRequest] = [
                    .session(.playback), .session(.soloAmbient), .systemSound(), .alert,
                    .notification(volume: 0.5), .notification(isCritical: true), .vibration,
                ]
                return { number in
                    var preferences = UserPreferences()
                    preferences.vibrateOnRing = number % 2 == 0
                    preferences.vibrateOnSilent = number % 3 == 0
                    preferences.soundEffects = number % 5 == 0
                    preferences.alertVolume = Float(number % 11) / 10
                    preferences.doNotDisturb = number % 7 == 0
                    preferences.routesSilencedBySwitch = AudioRouteSet(rawValue: UInt8(number % 64))
                    bench.device.preferences = preferences
                    bench.flip(to: Variations.positions[round: number])
                    bench.device.setScreenLocked(number % 13 == 0)
                    for request in requests { _ = bench.device.decide(request) }
                    bench.device.player.startOutsideSessions(
                        Variations.sounds[round: number], as: requests[round: number, each: 2],
                        completion: bench.ends.one())
                    bench.pass(60)
                    try bench.ends.check()
                }
            },
            Kind("listeners of properties that are added, called and removed", share: 5) {
                let bench = try BoardBench()
                let session = bench.device.sessions.make(name: "listened", category: .playAndRecord)
                session.activate(completion: bench.ends.one())
                let properties = SessionProperty.all.filter(\.acceptsListeners).map(\.code)
                return { number in
                    for index in 0..<3 {
                        try session.addListener(properties[round: number + index], clientData: UInt(index)) { _ in
                            Depth.note()
                        }
                    }
                    bench.board.surroundings.set(.headphoneInserted(number % 2 == 0))
                    bench.board.surroundings.set(.outputVolume(Float(number % 11) / 10))
                    try session.setPreferredSampleRate(Variations.rates[round: number])
                    bench.pass(10)
                    for index in 0..<3 {
                        try session.removeListener(properties[round: number + index], clientData: UInt(index))
                    }
                }
            },
        ]
    }
}
