/// Every playing sound: asks the policy before a sound starts and whenever the device's state or the user's preferences
/// change. A playing sound is judged on the route for which its PCM was chosen, not on the device's newest route; where
/// the output switches the card, on every route on which it may be heard.
struct PlayerMachine: StateMachine {
    typealias ID = UInt64

    enum Event: Sendable {
        /// A sound is to begin; one whose outcome is known already ends with it.
        case play(
            ID, SoundTerms, frames: Int64, volume: Float = 1, announcement: AnnouncementVolume? = nil,
            outcome: SoundOutcome? = nil, now: MonotonicTime)
        /// The sound's terms changed: its session was interrupted or ducked, or changed its category or route.
        case terms(ID, SoundTerms, now: MonotonicTime)
        /// The output is about to get a sound of this route, and may switch the card for it.
        case handOver(AudioRoute, now: MonotonicTime)
        /// The sound's owner changed its volume.
        case volume(ID, Float)
        case halt(ID, SoundOutcome)
        case haltAll(SoundOutcome)
        case playback(ID, PlaybackEvent)
        /// The card was switched to the output of a route, or could not be.
        case card(AudioRoute, RingerError?, now: MonotonicTime)
        case preferences(UserPreferences, now: MonotonicTime)
    }

    /// The contents of the large ones are kept apart: an array of a hundred actions that stop sounds, which grows inside the
    /// transition, is a fraction as large then.
    enum Action: Sendable, Equatable {
        indirect case begin(ID, PlaybackOptions)
        /// Shut its gate at once: ``SoundPlayer/shut(_:of:_:_:)``.
        case halt(ID)
        case setGain(ID, Float, over: Duration)
        /// Pass the output's event on to the sound's owner.
        indirect case forward(ID, PlaybackEvent)
        indirect case complete(ID, SoundResult)
        case report(DeviceEvent)
        /// The rules changed; the sounds that they forbid were halted.
        case rulesChanged
    }

    struct Sound {
        var terms: SoundTerms
        var requestedAt: MonotonicTime
        var startedAt: MonotonicTime?
        var frames: Int64
        /// That of the policy, to which ``volume`` is a factor, and what ducking has in it.
        var gain, level: Float
        var volume: Float
        /// The route for which its PCM was chosen, or to which the card was switched since; nil after its headphones were
        /// pulled out.
        var route: AudioRoute?
        /// The PCM that was chosen for it.
        let pcm: String?
        /// Whether the card could not be switched for it: where it will be heard is not known.
        var isMisplaced = false
        /// Why it is being halted; nil while it plays.
        var halted: SoundOutcome?
    }

    private(set) var state = DeviceState()
    private(set) var preferences = UserPreferences()
    private let pcms: [AudioRoute: String]
    private let movesWithNextSound: Bool
    /// Where the card may be, or be switched to, besides the route of each sound.
    private var possible: Set<AudioRoute> = []
    /// Whether the last switch of the card succeeded: if not, it may be anywhere.
    private var isCardKnown = true
    private(set) var sounds: [ID: Sound] = [:]
    /// The sounds in the order in which they began. Most changes of state come while nothing plays.
    private var inOrder: [ID] { sounds.isEmpty ? [] : sounds.keys.sorted() }

    /// A machine for an output whose routes have these PCMs.
    ///
    /// - Parameter movesWithNextSound: Whether a playing sound moves to a new route with the same PCM only when another sound
    ///   begins there; see ``AnsweringOutput/switchesCard``.
    init(pcms: [AudioRoute: String], movesWithNextSound: Bool = false) {
        self.pcms = pcms
        self.movesWithNextSound = movesWithNextSound
    }

    /// The rules in force.
    var rules: PlayerRules { PlayerRules(state: state, preferences: preferences) }

    /// The kinds of the sounds that are playing.
    var kinds: Set<SoundKind> {
        Set(sounds.values.compactMap { $0.halted == nil ? $0.terms.judged.kind : nil })
    }

    /// How many sounds are playing.
    var count: Int { sounds.count }

    mutating func handle(_ event: Event, _ actions: inout [Action]) {
        switch event {
        case .play(let id, var terms, let frames, let volume, let announcement, nil, let now):
            terms.announcement = announcement
            play(id, terms, frames, volume, now, &actions)
        case .play(let id, _, let frames, _, _, let outcome?, let now):
            refuse(id, outcome, frames, now, &actions)
        case .terms(let id, var terms, let now):
            terms.announcement = sounds[id]?.terms.announcement
            sounds[id]?.terms = terms
            decideAnew(id, now, &actions)
        case .handOver(let route, let now):
            if movesWithNextSound { expect(route, now, &actions) }
        case .volume(let id, let volume):
            guard let sound = sounds[id], sound.halted == nil, sound.volume != volume else { return }
            sounds[id]?.volume = volume
            actions.append(.setGain(id, sound.gain * volume, over: SoundPlayer.gainRamp))
        case .halt(let id, let outcome):
            halt(id, outcome, &actions)
        case .haltAll(let outcome):
            for id in inOrder { halt(id, outcome, &actions) }
        case .playback(let id, let event):
            playback(id, event, &actions)
        case .card(let route, let error, let now):
            cardIsSwitched(to: route, error, now, &actions)
        case .preferences(let preferences, let now):
            self.preferences = preferences
            for id in inOrder { decideAnew(id, now, &actions) }
            actions.append(.rulesChanged)
        }
    }

    /// The device's state changed. The caller lets ``Action/rulesChanged`` follow, if anybody observes the rules.
    mutating func take(_ state: DeviceState, now: @autoclosure () -> MonotonicTime, _ actions: inout [Action]) {
        if self.state.isHeadphoneInserted && !state.isHeadphoneInserted { leaveJack() }
        self.state = state
        // Nothing is decided without sounds: reading the clock takes a system call on some machines.
        if !sounds.isEmpty {
            let now = now()
            for id in inOrder { decideAnew(id, now, &actions) }
        }
    }

    private mutating func play(
        _ id: ID, _ terms: SoundTerms, _ frames: Int64, _ volume: Float, _ now: MonotonicTime,
        _ actions: inout [Action]
    ) {
        let decision = terms.decide(state, preferences)
        actions.append(.report(.decided(decision, terms.judged, sound: id, at: now)))
        switch decision {
        case .play(let gain, let route, _, _):
            sounds[id] = Sound(
                terms: terms, requestedAt: now, frames: frames, gain: gain, level: terms.level(preferences),
                volume: volume,
                route: route, pcm: pcms[route])
            var options = PlaybackOptions(gain: gain * volume, route: route, waitsWhenBusy: terms.waits)
            options.terms = terms
            actions.append(.begin(id, options))
        case .silence(let reason), .vibrate(let reason):
            refuse(id, .silenced(by: reason), frames, now, &actions)
        }
    }

    /// Ends a sound of `frames` frames that does not begin.
    private func refuse(
        _ id: ID, _ outcome: SoundOutcome, _ frames: Int64, _ now: MonotonicTime, _ actions: inout [Action]
    ) {
        finish(id, SoundResult(unplayed: outcome, frames: frames, requestedAt: now, endedAt: now), &actions)
    }

    /// The routes on which a sound may be heard; nil for the route that it would take now.
    ///
    /// A sound keeps its PCM. If the new route has the same PCM, the codec switches, and the sound follows. Where the output
    /// switches the card, the sound is heard where that was switched to last, and may be heard where it is being switched to.
    private func routes(of sound: Sound) -> [AudioRoute?] {
        let newest = sound.terms.route(in: state)
        let follows = sound.route == nil || sound.pcm == pcms[newest]
        guard movesWithNextSound else { return [follows ? nil : sound.route] }
        var routes = follows && sound.route != newest ? [sound.route, nil] : [sound.route]
        // The card is switched before one that has not begun.
        guard sound.startedAt != nil || sound.isMisplaced else { return routes }
        for route in AudioRoute.allCases where pcms[route] == sound.pcm {
            if !isCardKnown || possible.contains(route) { routes.append(route) }
        }
        return routes
    }

    /// Judges the sounds that play on headphones on the newest route from now on: the headphones were pulled out, and
    /// the codec switched to the speaker.
    private mutating func leaveJack() {
        for id in inOrder where sounds[id]?.route == .headphone || sounds[id]?.route == .headset {
            sounds[id]?.route = nil
        }
    }

    /// Judges the sounds anew that the card may move to `route` from now on.
    private mutating func expect(_ route: AudioRoute, _ now: MonotonicTime, _ actions: inout [Action]) {
        guard possible.insert(route).inserted else { return }
        for id in inOrder where sounds[id]?.pcm == pcms[route] && sounds[id]?.route != route {
            decideAnew(id, now, &actions)
        }
    }

    /// The card was switched, or could not be: judges the sounds anew on every route on which they may be heard now.
    private mutating func cardIsSwitched(
        to route: AudioRoute, _ error: RingerError?, _ now: MonotonicTime, _ actions: inout [Action]
    ) {
        isCardKnown = error == nil
        possible = [route]
        for sound in sounds.values where sound.startedAt == nil && sound.halted == nil {
            if let route = sound.route { possible.insert(route) }
        }
        for id in inOrder {
            guard let sound = sounds[id] else { continue }
            let isWaiting = sound.startedAt == nil
            // The card will be switched for this one too.
            if isWaiting && sound.route != route { continue }
            sounds[id]?.isMisplaced = isWaiting && error != nil
            if error == nil, sound.pcm == pcms[route] { sounds[id]?.route = route }
            decideAnew(id, now, because: error, &actions)
        }
    }

    /// Decides about a sound on every route on which it may be heard: all have to allow it, and the softest gain counts.
    ///
    /// - Parameter failure: How a sound ends that may no longer be heard; nil if it is silenced.
    private mutating func decideAnew(
        _ id: ID, _ now: MonotonicTime, because failure: RingerError? = nil, _ actions: inout [Action]
    ) {
        guard let sound = sounds[id], sound.halted == nil else { return }
        let routes = routes(of: sound)
        var decision = sound.terms.decide(state, preferences, on: routes[0])
        for route in routes.dropFirst() {
            guard case .play(let least, _, _, _) = decision else { break }
            let other = sound.terms.decide(state, preferences, on: route)
            if case .play(let gain, _, _, _) = other, gain >= least { continue }
            decision = other
        }
        switch decision {
        case .play(let gain, _, _, _):
            guard gain != sound.gain else { return }
            let level = sound.terms.level(preferences)
            sounds[id]?.gain = gain
            sounds[id]?.level = level
            // A volume may change at the same time, the other way.
            let isDucking = level != sound.level && (level > sound.level) == (gain > sound.gain)
            let ramp = isDucking ? preferences.duckingRamp(from: sound.level, to: level) : SoundPlayer.gainRamp
            actions.append(.setGain(id, gain * sound.volume, over: ramp))
        case .silence(let reason), .vibrate(let reason):
            halt(id, failure.map { .failed($0) } ?? .silenced(by: reason), &actions)
        }
        actions.append(.report(.decided(decision, sound.terms.judged, sound: id, at: now)))
    }

    private mutating func halt(_ id: ID, _ outcome: SoundOutcome, _ actions: inout [Action]) {
        guard let sound = sounds[id], sound.halted == nil else { return }
        sounds[id]?.halted = outcome
        actions.append(.halt(id))
    }

    private mutating func playback(_ id: ID, _ event: PlaybackEvent, _ actions: inout [Action]) {
        guard let sound = sounds[id] else { return }
        actions.append(.forward(id, event))
        actions.append(.report(.playback(event, sound: id)))
        switch event {
        case .started(let time):
            sounds[id]?.startedAt = time
            // Another one may have begun to wait, or a switch of the card failed.
            if movesWithNextSound, Set(routes(of: sounds[id] ?? sound)) != [sound.route] {
                decideAnew(id, time, &actions)
            }
        case .ended(let end, let time, let position):
            sounds[id] = nil
            let outcome: SoundOutcome =
                switch end {
                case .drained: .finished
                // An output that stopped without being asked was closed.
                case .stopped: sound.halted ?? .stopped(.closed)
                // The service may have freed its session before it began.
                case .failed(let error): sound.halted ?? .failed(error)
                case .ended(let outcome): sound.halted ?? outcome
                }
            let result = SoundResult(
                outcome: outcome, requestedAt: sound.requestedAt, startedAt: sound.startedAt, endedAt: time,
                position: position)
            finish(id, result, &actions)
        case .waiting, .progress, .underrun, .recovered, .suspended, .resumed:
            break
        }
    }

    private func finish(_ id: ID, _ result: SoundResult, _ actions: inout [Action]) {
        actions.append(.report(.soundEnded(result.outcome, sound: id, at: result.endedAt)))
        actions.append(.complete(id, result))
    }
}

/// The inputs of a decision: the device's state and the user's preferences.
struct PlayerRules: Sendable, Hashable {
    var state = DeviceState()
    var preferences = UserPreferences()

    /// The policy's decision about `request`.
    func decide(_ request: SoundRequest) -> Decision {
        RingerPolicy.decide(request, state: state, preferences: preferences)
    }
}
