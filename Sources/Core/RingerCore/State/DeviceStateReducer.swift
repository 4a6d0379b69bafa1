/// Computes the device's state from what the ports and sessions report: events go in, the new state and its events come
/// out.
struct DeviceStateReducer: StateMachine {
    enum Event: Sendable {
        case ringSilent(SwitchEvent, source: String)
        /// A source's change. `index` tells the sources apart, of which several may have jacks, and whose names may change.
        case change(DeviceStateChange, source: String, index: Int, at: MonotonicTime)
        /// Audio sessions outside of this device started or stopped something.
        case sessions(SessionActivity)
        /// The device's own audio sessions started or stopped something.
        case ownSessions(SessionActivity)
        /// The sessions chose another route.
        case deviceRoute(AudioRoute)
        /// Whether the board has a receiver.
        case hasReceiver(Bool)
    }

    enum Action: Sendable, Equatable {
        /// A source reported a change. Sessions get it before the state is published, so that each sound they stop has
        /// its reason.
        case change(DeviceStateChange)
        /// The new state, and then the event that the switch has moved to its position, if it has: a sound that it forbids
        /// stops before anyone learns why.
        case publish(DeviceState, hasMoved: Bool = false)
        case report(DeviceEvent)
    }

    private(set) var state: DeviceState
    /// Why the switch cannot be read; nil while it can, while a slider settles, and without a switch.
    private(set) var switchProblem: RingerError?
    /// The format and volume that the sound hardware reports.
    private(set) var hardware = HardwareFigures()
    private var sessions: SessionActivity = []
    private var ownSessions: SessionActivity = []
    private var jacks = PluggedJacks()
    /// What was reported last of removable routes and of other processes' sound; a first report is news.
    private var presentRoutes: [AudioRoute: Bool] = [:]
    private var isOtherAudioPlaying: Bool?

    /// Whether there is a switch. Without one the kept position is that of the switch.
    private let hasSwitch: Bool

    /// A device of which nothing is known yet, except whether it has a switch, whose position is unreadable until it is
    /// read, and the kept position.
    init(
        hasSwitch: Bool = false, keptPosition: SwitchPosition? = nil, until: Int64? = nil,
        at time: MonotonicTime = MonotonicTime(nanoseconds: 0)
    ) {
        self.hasSwitch = hasSwitch
        state = DeviceState(isSwitchUnreadable: hasSwitch)
        if let keptPosition { keep(keptPosition, until: until, at: time) }
    }

    private mutating func keep(_ position: SwitchPosition?, until: Int64?, at time: MonotonicTime) {
        (state.keptPosition, state.keptPositionUntil) = (position, until)
        if hasSwitch || state.ringSilent == position { return }
        (state.ringSilent, state.ringSilentAt) = (position, position.map { _ in time })
        (state.ringSilentSource, state.isSwitchConnected) = (
            position.map { _ in DeviceState.keptPositionSource }, position != nil
        )
    }

    mutating func handle(_ event: Event, _ actions: inout [Action]) {
        let before = state
        switch event {
        case .ringSilent(let event, let source): return ringSilent(event, source, &actions)
        case .change(let change, let source, let index, let time):
            for change in jacks.combine(change, of: index) { take(change, source, at: time, &actions) }
            return
        case .sessions(let activity): sessions = activity
        case .ownSessions(let activity): ownSessions = activity
        case .deviceRoute(let route): state.route = route
        case .hasReceiver(let hasReceiver): state.hasReceiver = hasReceiver
        }
        state.sessions = sessions.union(ownSessions)
        if state != before { actions.append(.publish(state)) }
    }

    /// The switch, which is connected, is at `position` since `time`.
    mutating func move(to position: SwitchPosition, at time: MonotonicTime) -> Action {
        state.ringSilent = position
        state.ringSilentAt = time
        state.isSwitchUnreadable = false
        return .publish(state, hasMoved: true)
    }

    private mutating func ringSilent(_ event: SwitchEvent, _ source: String, _ actions: inout [Action]) {
        let before = state
        let report: DeviceEvent
        switch event {
        case .position(let position, let time):
            state.ringSilentSource = source
            state.isSwitchConnected = true
            switchProblem = nil
            actions.append(move(to: position, at: time))
            return
        case .dropped(let count, let time):
            report = .switchEdgesDropped(count: count, source: source, at: time)
        case .lost(let error, let time):
            state.isSwitchConnected = false
            switchProblem = error
            if state.ringSilent == nil {
                state.isSwitchUnreadable = true
                state.ringSilentSource = source
                report = .degraded(error, at: time)
            } else {
                report = .switchLost(error, source: source, at: time)
            }
        case .found(let time):
            switchProblem = nil
            state.isSwitchConnected = true
            state.ringSilentSource = source
            report = .switchFound(source: source, at: time)
        }
        if state != before { actions.append(.publish(state)) }
        actions.append(.report(report))
    }

    private mutating func take(
        _ change: DeviceStateChange, _ source: String, at time: MonotonicTime, _ actions: inout [Action]
    ) {
        let (before, hardwareBefore) = (state, hardware)
        var isNews = false
        switch change {
        case .key(let key, let isPressed, let time):
            return actions.append(.report(.key(key, isPressed: isPressed, at: time)))
        case .keyRepeated: return
        case .button(let event):
            if !hasSwitch { return ringSilent(event, source, &actions) }
            switch event {
            case .dropped(let count, let time):
                actions.append(.report(.switchEdgesDropped(count: count, source: source, at: time)))
            case .lost(let error, _): take(.lost(error), source, at: time, &actions)
            case .found: take(.found, source, at: time, &actions)
            case .position: break
            }
            return
        case .buttonPressed(let order, let time):
            return take(.keptPosition(order.position(after: state.keptPosition)), source, at: time, &actions)
        case .headphoneInserted(let isInserted):
            state.isHeadphoneInserted = isInserted
        case .microphoneInserted(let isInserted):
            state.isMicrophoneInserted = isInserted
        case .outputVolume(let volume):
            state.outputVolume = volume
            hardware.outputVolume = volume
        case .inputAvailable(let isAvailable):
            state.isInputAvailable = isAvailable
            hardware.isInputAvailable = isAvailable
            if !isAvailable {
                hardware.inputChannels = 0
                hardware.inputLatency = 0
            }
        case .screenLocked(let isLocked):
            state.isScreenLocked = isLocked
        case .keptPosition(let position, let until):
            keep(position, until: until, at: time)
        case .quietHours(let position, let until):
            (state.quietHours, state.quietHoursUntil) = (position, until)
        case .quietHoursVolume(let volume, let until):
            (state.quietHoursVolume, state.quietHoursVolumeUntil) = (volume, until)
        case .route(let route):
            state.route = route
        case .outputFormat(let format):
            hardware.sampleRate = format.sampleRate
            hardware.outputChannels = UInt32(clamping: format.channels)
            hardware.ioBufferDuration = Float(format.bufferDuration.inSeconds)
            hardware.outputLatency = Float(format.latency.inSeconds)
        case .inputFormat(let format):
            hardware.inputChannels = UInt32(clamping: format.channels)
            hardware.inputLatency = Float(format.latency.inSeconds)
        case .outputLost(let isLost):
            hardware.isServerDead = isLost
        case .routePresent(let route, let isPresent):
            isNews = presentRoutes.updateValue(isPresent, forKey: route) != isPresent
        case .otherAudioPlaying(let isPlaying):
            isNews = isPlaying != isOtherAudioPlaying
            isOtherAudioPlaying = isPlaying
        case .wokeFromSleep, .lost, .found:
            isNews = true
        }
        // The change before what follows from it, such as another route, whose time is later.
        if isNews || state != before || hardware != hardwareBefore {
            actions.append(.report(.stateChanged(change, source: source, at: time)))
        }
        actions.append(.change(change))
        if state != before { actions.append(.publish(state, hasMoved: state.ringSilent != before.ringSilent)) }
    }
}

extension DeviceState {
    /// The event that the switch has moved to its newest position; nil before the first one.
    package var switchMoved: DeviceEvent? {
        guard let ringSilent, let ringSilentAt else { return nil }
        return .switchMoved(ringSilent, source: ringSilentSource ?? "", at: ringSilentAt)
    }
}
