import Ringer

/// A handset: what its calls do to ring tone, motor, light, audio session and each other. A pure value.
///
/// A call rings until it is answered, silenced, refused or given up. Two may be there at a time; what waits while one is
/// talked to is felt, not heard.
struct HandsetMachine: Sendable {
    /// What the handset is configured to do.
    struct Rules: Sendable {
        /// How long a call rings before it is refused; nil until the caller gives up.
        var ringLimit: Duration? = .seconds(60)
        /// Answers calls by itself after so long; nil never.
        var answersAfter: Duration?
        /// Whether the device has a motor.
        var hasMotor = true
    }

    /// How a call gets attention.
    enum Attention: Sendable, Hashable {
        /// Ring tone and motor, as the switch says.
        case ring
        /// The motor only: a call waits while one is talked to.
        case feel
    }

    /// What the audio session is for.
    enum SessionUse: Sendable, Hashable {
        case ringing, talking
    }

    enum Light: Sendable, Hashable {
        case off, blinking, on
    }

    /// From a refusal of the audio session to the next try.
    private static let sessionRetry = Duration.seconds(1)

    let rules: Rules
    var calls: [Call] = []
    var alert: (number: Int, attention: Attention, ring: Ring?)?
    /// Alerts that have not ended, the present one included.
    var openAlerts: Set<Int> = []
    private var lastAlert = 0
    private var session: SessionUse?
    /// Whether the session is heard; a call is muted while it is not.
    private var isAudible = true
    /// Whether the session was refused, and is tried again.
    private var isRefused = false
    private var light = Light.off
    var observation = Observation()
    /// Whether the observation is of the present alert.
    var isObserved = false
    /// Reported once nothing is heard and felt any more.
    var whenQuiet: [HandsetEvent] = []

    init(rules: Rules) {
        self.rules = rules
    }

    /// How many calls there are.
    var callCount: Int { calls.count }

    mutating func handle(_ event: Event) -> [Action] {
        var actions: [Action] = []
        switch event {
        case .incoming(let number, let name, let peer, let ring, let now):
            calls.append(Call(number: number, name: name, peer: peer, ring: ring))
            settle(&actions)
            // Where another call rings already.
            show(now, &actions)
            if let limit = rules.ringLimit { actions.append(.setRingLimit(number, after: limit)) }
            if let delay = rules.answersAfter { actions.append(.setAnswerTime(number, after: delay)) }
        case .busy(let name, let peer, let reason, let now):
            actions.append(.report(HandsetEvent(call: name, kind: .refused, at: now, peer: peer, reason: reason)))
        case .replaced(let number, let name, let peer, let now):
            report(number, .replaced, now, &actions) { ($0.by, $0.peer) = (name, peer) }
        case .dialled(let number, let digit, let way, let now):
            report(number, .digit, now, &actions) { ($0.digit, $0.way) = (digit, way) }
        case .closed(let number, let heard, let now):
            closed(number, heard, now, &actions)
        case .answer:
            if let call = calls.first(where: \.isUnanswered) { answer(call.number, &actions) }
        case .answerTime(let number):
            if !calls.contains(where: \.hasOutput) { answer(number, &actions) }
        case .reject:
            if let call = calls.first(where: \.isUnanswered) { end(call.number, .refuse(call.number), &actions) }
        case .ringLimit(let number):
            if call(number)?.isUnanswered == true { end(number, .giveUp(number), &actions) }
        case .hangUp:
            if let call = calls.first(where: \.isAnswered) { end(call.number, .hangUp(call.number), &actions) }
        case .answerOrHangUp:
            return handle(calls.contains(where: \.isAnswered) ? .hangUp : .answer)
        case .silence:
            for index in calls.indices where calls[index].phase == .ringing { calls[index].phase = .silenced }
            settle(&actions)
        case .alertEnded(let number, let now):
            // One that ended by itself failed, or the device was closed: it is not begun again for the same calls.
            openAlerts.remove(number)
            show(now, &actions)
            reportQuiet(now, &actions)
        case .outputReleased(let number, let now):
            released(number, now, &actions)
        case .observed(let observation, let now):
            self.observation = observation
            isObserved = true
            show(now, &actions)
        case .sessionAudible(let isAudible):
            if isAudible { isRefused = false }
            setAudible(isAudible, &actions)
        case .sessionRefused(let reason):
            guard session != nil else { break }
            setAudible(false, &actions)
            if !isRefused { actions.append(.complain(reason)) }
            isRefused = true
            actions.append(.setSessionTimer(after: Self.sessionRetry))
        case .sessionDue:
            if let session { actions.append(.useSession(session)) }
        }
        return actions
    }

    private mutating func setAudible(_ isAudible: Bool, _ actions: inout [Action]) {
        guard session != nil, isAudible != self.isAudible else { return }
        self.isAudible = isAudible
        for call in calls where call.phase == .talking { actions.append(.mute(call.number, !isAudible)) }
    }

    private func call(_ number: CallNumber) -> Call? { calls.first { $0.number == number } }

    private mutating func set(_ number: CallNumber, _ phase: Call.Phase) {
        for index in calls.indices where calls[index].number == number { calls[index].phase = phase }
    }

    // MARK: - What the user does

    private mutating func answer(_ number: CallNumber, _ actions: inout [Action]) {
        guard call(number)?.isUnanswered == true else { return }
        // Whoever answers a second call ends the first one.
        for other in calls where other.isAnswered { end(other.number, .hangUp(other.number), &actions) }
        set(number, .answering)
        actions.append(.cancelTimers(number))
        // Silence first; then the session, so that nothing begins to play; then the hardware is let go.
        settle(&actions)
        actions.append(.answer(number))
        actions.append(.releaseOutput(number))
    }

    private mutating func released(_ number: CallNumber, _ now: MonotonicTime, _ actions: inout [Action]) {
        guard let call = call(number), call.phase == .answering else { return }
        set(number, .talking)
        if !isAudible { actions.append(.mute(number, true)) }
        actions.append(.openAudio(number))
        // Another call may be felt already; this one is not.
        actions.append(.report(HandsetEvent(call: call.name, kind: .answered, at: now)))
    }

    /// This side ends a call.
    private mutating func end(_ number: CallNumber, _ how: Action, _ actions: inout [Action]) {
        guard let call = call(number) else { return }
        set(number, call.isAnswered ? .hangingUp : .refusing)
        settle(&actions)
        actions.append(how)
        actions.append(.cancelTimers(number))
        if call.isAnswered { return }
        let reason = how == .refuse(number) ? "rejected" : "not answered"
        whenQuiet.append(HandsetEvent(call: call.name, kind: .refused, at: .zero, reason: reason))
    }

    private mutating func closed(
        _ number: CallNumber, _ heard: Duration, _ now: MonotonicTime, _ actions: inout [Action]
    ) {
        guard let index = calls.firstIndex(where: { $0.number == number }) else { return }
        let call = calls.remove(at: index)
        settle(&actions)
        actions.append(.cancelTimers(number))
        switch call.phase {
        case .ringing, .silenced:
            whenQuiet.append(HandsetEvent(call: call.name, kind: .cancelled, at: now))
        case .answering, .talking, .hangingUp:
            whenQuiet.append(HandsetEvent(call: call.name, kind: .ended, at: now, heard: heard))
        case .refusing:
            break
        }
        if let delay = rules.answersAfter, call.hasOutput, !calls.contains(where: \.hasOutput) {
            // Their times may have come while this call was talked to.
            for other in calls where other.isUnanswered { actions.append(.setAnswerTime(other.number, after: delay)) }
        }
        reportQuiet(now, &actions)
    }

    // MARK: - What follows from the calls

    /// Begins and ends alert, session and light, as the calls want them.
    private mutating func settle(_ actions: inout [Action]) {
        let isTalking = calls.contains(where: \.hasOutput)
        let ringing = calls.first { $0.phase == .ringing }
        let attention: Attention? = ringing == nil ? nil : isTalking ? .feel : .ring
        // The one that rings longest chooses.
        let ring = attention == .ring ? ringing?.ring : nil
        let isNew = attention != alert?.attention || ring != alert?.ring
        if isNew, alert != nil {
            alert = nil
            actions.append(.stopAlert)
        }
        // A ring begins before the session: its first frame waits for nothing. What is felt beside a call begins in the
        // session of the call, whose rules hold for it.
        if isNew, attention == .ring { startAlert(.ring, ring, &actions) }
        let use: SessionUse? = isTalking ? .talking : calls.isEmpty ? nil : .ringing
        if use != session {
            session = use
            if use == nil { (isAudible, isRefused) = (true, false) }
            actions.append(use.map { .useSession($0) } ?? .endSession)
        }
        if isNew, attention == .feel { startAlert(.feel, nil, &actions) }
        let wanted: Light = calls.contains(where: \.isUnanswered) ? .blinking : isTalking ? .on : .off
        if wanted != light {
            light = wanted
            actions.append(.light(wanted))
        }
    }

    private mutating func startAlert(_ attention: Attention, _ ring: Ring?, _ actions: inout [Action]) {
        lastAlert += 1
        alert = (lastAlert, attention, ring)
        // Nothing of it yet.
        observation.isHeard = false
        observation.isFelt = false
        observation.failure = nil
        isObserved = false
        openAlerts.insert(lastAlert)
        actions.append(.startAlert(lastAlert, attention, ring))
    }
}

extension MonotonicTime {
    /// Set when the event is reported.
    fileprivate static let zero = MonotonicTime(nanoseconds: 0)
}
