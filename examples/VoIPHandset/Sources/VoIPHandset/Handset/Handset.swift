import Ringer
import RingerCore
import Synchronization

/// A handset on a device: carries out the actions of its ``HandsetMachine``.
///
/// Events come from the SIP endpoint's thread, the device's threads and the one that reads commands. The thread that sends
/// one performs its actions at once, so that a ring stops without a change of threads. Nothing of it blocks.
final class Handset: Sendable {
    private struct State {
        var machine: HandsetMachine
        var observer = AlertObserver()
        var pending: [HandsetMachine.Action] = []
        var isAtWork = false
        var timers: [CallNumber: [any DeviceTimer]] = [:]
        var sessionTimer: (any DeviceTimer)?
    }

    /// The ring tone's vibration in each round.
    private static let pulses = "400,200,400"
    /// From the end of a round to the next.
    static let pause = Duration.seconds(2)

    private let device: Device
    private let ringTone: SystemSoundID
    private let rings: Rings
    private let vibration: VibrationPattern
    private let session: AudioSession
    private let report: @Sendable (HandsetEvent) -> Void
    private let complain: @Sendable (String) -> Void
    private let state: Mutex<State>
    private let telephony: Mutex<(any Telephony)?>

    /// - Parameters:
    ///   - device: The device.
    ///   - ringTone: One round of the ring tone.
    ///   - rings: One round of each ring that callers may choose besides the predefined sounds, by its name.
    ///   - rules: The handset's rules.
    ///   - report: Called with each event of a call, in order, on the thread that caused it. It must not block.
    ///   - complain: Called with what does not work, likewise.
    init(
        _ device: Device, ringTone: PCMBuffer, rings: [String: PCMBuffer] = [:], rules: HandsetMachine.Rules,
        report: @escaping @Sendable (HandsetEvent) -> Void, complain: @escaping @Sendable (String) -> Void
    ) throws {
        self.device = device
        self.ringTone = try device.sounds.register(ringTone)
        self.rings = Rings(try rings.map { Ring(name: $0.key, sound: try device.sounds.register($0.value)) })
        vibration = try VibrationPattern(milliseconds: Self.pulses)
        session = device.sessions.make(name: "call", category: .playback, priority: .call)
        self.report = report
        self.complain = complain
        var rules = rules
        rules.hasMotor = device.vibrator != nil
        state = Mutex(State(machine: HandsetMachine(rules: rules)))
        telephony = Mutex(nil)
    }

    /// Sets the SIP side, and lets it take calls.
    func connect(_ telephony: any Telephony) {
        self.telephony.withLock { $0 = telephony }
        telephony.start()
    }

    /// The current state as members of a JSON object: the number of calls, and whether the ring is heard and felt.
    var status: [(String, String)] {
        let (calls, observer) = state.withLock { ($0.machine.callCount, $0.observer) }
        return [("calls", "\(calls)"), ("sound", "\(observer.isHeard)"), ("motor", "\(observer.isFelt)")]
    }

    // MARK: - Events

    /// Takes an event of the SIP side in.
    func take(_ event: TelephonyEvent) {
        let now = device.clock.now
        switch event {
        case .incoming(let call, let name, let peer, let alertInfo):
            send(.incoming(call, name: name, peer: peer, ring: rings.ring(for: alertInfo), at: now))
        case .refused(let name, let peer, let reason): send(.busy(name: name, peer: peer, reason: reason, at: now))
        case .replaced(let call, let name, let peer): send(.replaced(call, by: name, peer: peer, at: now))
        case .dialled(let call, let digit, let way): send(.dialled(call, digit: digit, way: way, at: now))
        case .closed(let call, let heard): send(.closed(call, heard: heard, at: now))
        case .audioFailed(_, let pcm, let reason):
            complain("Cannot open the PCM \(pcm): \(reason)")
        case .registered, .registrationFailed, .answered: break
        }
    }

    /// Takes an event of the device in.
    func take(_ event: DeviceEvent) {
        switch event {
        case .session(let change, let id, _, _) where id == session.id:
            switch change {
            case .interruptionBegan: send(.sessionAudible(false))
            case .interruptionEnded(shouldResume: true), .activated: send(.sessionAudible(true))
            // The session is inactive, and its calls go on.
            case .interruptionEnded(shouldResume: false), .interruptionDropped(.answered): send(.sessionDue)
            default: break
            }
        case .key(.silenceRing, isPressed: true, _): send(.silence)
        case .key(.repeatAnnouncement, isPressed: true, _): send(.answerOrHangUp)
        case .degraded(let error, _): complain("\(error)")
        default: break
        }
        guard let time = state.withLock({ $0.observer.take(event) }) else { return }
        observe(at: time)
    }

    /// Reports to the machine what is heard and felt, and what the policy allows.
    private func observe(at time: MonotonicTime) {
        let decision = device.decide(.alert)
        let observer = state.withLock { $0.observer }
        send(
            .observed(
                HandsetMachine.Observation(
                    isHeard: observer.isHeard, isFelt: observer.isFelt, mayBeHeard: decision.isHeard,
                    mayBeFelt: decision.vibrates, failure: observer.failure.map { "\($0)" }),
                at: time))
    }

    /// Sends an event of the user or of a timer.
    func send(_ event: HandsetMachine.Event) {
        let mayWork = state.withLock { state in
            state.pending += state.machine.handle(event)
            if state.isAtWork || state.pending.isEmpty { return false }
            state.isAtWork = true
            return true
        }
        guard mayWork else { return }
        while true {
            let actions = state.withLock { state in
                defer { state.pending = [] }
                state.isAtWork = !state.pending.isEmpty
                return state.pending
            }
            if actions.isEmpty { return }
            for action in actions { perform(action) }
        }
    }

    // MARK: - Actions

    private func perform(_ action: HandsetMachine.Action) {
        let telephony = telephony.withLock { $0 }
        switch action {
        case .startAlert(let number, let attention, let ring): startAlert(number, attention, ring)
        case .stopAlert: device.alerts.stop(releasingOutput: true)
        case .useSession(let use): useSession(use)
        case .endSession:
            setSessionTimer(nil)
            session.deactivate { _ in }
            device.announcements.resume()
        case .setSessionTimer(let delay):
            setSessionTimer(
                device.clock.schedule(at: device.clock.now + delay) { [weak self] in self?.send(.sessionDue) })
        case .releaseOutput(let call):
            device.releaseOutput { [self] in send(.outputReleased(call, at: device.clock.now)) }
        case .answer(let call): telephony?.answer(call)
        case .refuse(let call): telephony?.refuse(call)
        case .giveUp(let call): telephony?.giveUp(call)
        case .hangUp(let call): telephony?.hangUp(call)
        case .openAudio(let call): telephony?.openAudio(call)
        case .mute(let call, let isMuted): telephony?.mute(call, isMuted)
        case .light(let light): show(light)
        case .setRingLimit(let call, let limit): schedule(.ringLimit(call), of: call, after: limit)
        case .setAnswerTime(let call, let delay): schedule(.answerTime(call), of: call, after: delay)
        case .cancelTimers(let call):
            for timer in state.withLock({ $0.timers.removeValue(forKey: call) }) ?? [] { timer.cancel() }
        case .report(let event):
            report(event)
        case .complain(let text):
            complain(text)
        }
    }

    private func show(_ light: HandsetMachine.Light) {
        do throws(RingerError) {
            switch light {
            case .off: try device.statusLight?.show(.off)
            case .on: try device.statusLight?.show(.on)
            case .blinking: try device.statusLight?.show(.blinking(on: .milliseconds(250), off: .milliseconds(250)))
            }
        } catch {
            complain("\(error)")
        }
    }

    private func startAlert(_ number: Int, _ attention: HandsetMachine.Attention, _ ring: Ring?) {
        state.withLock { $0.observer.beginAlert() }
        device.alerts.start(
            ring?.sound ?? ringTone, way: attention == .ring ? .both : .vibration, limit: nil, vibration: vibration,
            pause: Self.pause
        ) { [weak self] result in
            self?.send(.alertEnded(number, at: result.endedAt))
        }
        // Where nothing is heard and felt, no event of the device says so.
        observe(at: device.clock.now)
    }

    private func useSession(_ use: HandsetMachine.SessionUse) {
        // Announcements of this process stay in their queue when the output is released.
        if use == .talking { device.announcements.pause() }
        activateSession(use == .talking ? .playAndRecord : .playback)
    }

    private func activateSession(_ category: AudioCategory) {
        do throws(SessionError) {
            try session.setCategory(category)
        } catch {
            // A device without a microphone is listened to all the same.
            complain("\(error)")
        }
        session.activate { [weak self] error in
            guard let self, let error else { return }
            switch error.code {
            case .notActive: send(.sessionRefused("\(error)"))
            case .noHardware where category == .playAndRecord: activateSession(.playback)
            default: complain("\(error)")
            }
        }
    }

    private func setSessionTimer(_ timer: (any DeviceTimer)?) {
        let last = state.withLock { state in
            defer { state.sessionTimer = timer }
            return state.sessionTimer
        }
        last?.cancel()
    }

    private func schedule(_ event: HandsetMachine.Event, of call: CallNumber, after delay: Duration) {
        let timer = device.clock.schedule(at: device.clock.now + delay) { [weak self] in self?.send(event) }
        state.withLock { $0.timers[call, default: []].append(timer) }
    }
}
