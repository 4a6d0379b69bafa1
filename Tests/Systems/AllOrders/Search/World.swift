@testable import RingerCore
import SessionRules

/// A device without hardware: the library's own machines on one core, their ports, and what the search knows about them.
// SAFETY: the search uses a world on one thread.
final class World: @unchecked Sendable {
    /// A request that has to end exactly once.
    enum Request: Int, CaseIterable {
        case activation, first, second, announcement, otherAnnouncement, alert, alarm, vibration, otherVibration,
            lastVibration
    }

    /// Made anew each time: an error is an object, and belongs to the memory of its world.
    static var failure: RingerError { RingerError(.invalid, "fail", "the search") }
    static let longestOnTime = Duration.seconds(1)

    let clock: StepClock
    let output: StepOutput
    let motor: StepMotor
    let core: Core
    let publisher: StatePublisher
    let player: SoundPlayer
    let sessions: AudioSessions
    let session: AudioSession
    let announcements: Announcements
    let announcing: SessionID
    let vibrator: Vibrator
    let services: SystemSoundServices
    let alertSound: SystemSoundID
    let alerts: Alerts
    let file = StepFile()
    let keeper: PositionKeeper
    /// Nil without a boundary, and the sound of alarms without one.
    let quietHours: QuietHoursClock?
    let alarmSound: SystemSoundID?

    var budget: Budget
    var isSilent = false
    var isKeptSilent = false
    var isQuiet = false
    var boundaries: Int64 = 0
    /// How often the button was pressed, and for how many presses the position was kept.
    var presses = 0
    var answers = 0
    /// The kind of the newest alert.
    var alerting = Origin.alert
    var interruption: OutsideInterruption?
    var firstSound: SoundPlayer.ID?
    var secondSound: SoundPlayer.ID?
    /// Origins of sounds whose stop has returned.
    var stopped: [Bool] = Array(repeating: false, count: 7)
    var begun: [UInt8] = Array(repeating: 0, count: Request.allCases.count)
    var ended: [UInt8] = Array(repeating: 0, count: Request.allCases.count)
    /// When the motor is to stop at last; nil where nothing says that yet.
    var vibrationEnd: MonotonicTime?
    /// The place of the first caller's activation among the questions to the hardware, those that wait as effects included.
    var activationPlace = 0
    /// What went wrong in the last step.
    var fault: StaticString?

    init?(_ budget: Budget) {
        self.budget = budget
        let clock = StepClock()
        self.clock = clock
        output = StepOutput(clock)
        motor = StepMotor(clock)
        core = Core(StepThread())
        publisher = StatePublisher(in: core, hasSwitch: true)
        player = SoundPlayer(output: output, clock: clock, publisher: publisher)
        var preferences = UserPreferences()
        // At silent an alert is held, and an alert that rings vibrates.
        preferences.vibrateOnSilent = false
        if budget.boundaries > 0, let daily = try? QuietHours("daily 22:00-07:00") { preferences.quietHours = daily }
        player.preferences = preferences
        sessions = AudioSessions(player: player, publisher: publisher, clock: clock, output: output)
        session = sessions.make(name: "first", category: .soloAmbient)
        announcements = Announcements(sessions)
        guard let announcing = sessions.all.first(where: { $0.name == "announcements" })?.id else { return nil }
        self.announcing = announcing
        vibrator = Vibrator(motor: motor, clock: clock, in: core, longestOnTime: Self.longestOnTime)
        services = SystemSoundServices(player: player, vibrator: vibrator)
        guard let sound = try? services.register(Self.sound(.alert)) else { return nil }
        alertSound = sound
        alarmSound = budget.alarms > 0 ? try? services.register(Self.sound(.alarm)) : nil
        alerts = Alerts(services)
        if budget.boundaries > 0, let rules = try? TimeZoneRules(posix: "UTC0") {
            quietHours = QuietHoursClock(clock, FixedTimeZone(rules), publisher) { _ in }
        } else {
            quietHours = nil
        }
        keeper = PositionKeeper(file, first: nil, clock, publisher, quietHours) { _ in }
        quietHours?.follow { preferences }
        publisher.ringSilent(.position(.ring, at: clock.now), from: "switch")
        if budget.isActive { session.activate { _ in } }
        while core.performNext() {}
        while !output.questions.isEmpty { output.questions.removeFirst()(nil) }
        while core.performNext() {}
    }

    static func sound(_ origin: Origin) -> PCMBuffer {
        PCMBuffer(sampleRate: 48_000, channels: 1, samples: Array(repeating: 0, count: origin.rawValue))
    }

    /// The machine that says when the motor turns.
    var sequencer: VibrationSequencer {
        guard case .motor(_, let runner) = vibrator.drive else { return VibrationSequencer(longestOnTime: .zero) }
        return runner.read { $0 }
    }

    // MARK: - Steps

    /// Calls `body` with everything that can happen next: requests and events first, then what goes on by itself.
    func steps(_ body: (Step) -> Void) {
        if budget.activations > 0 { body(Step(.activate)) }
        if session.isActive { body(Step(.deactivate)) }
        if budget.sounds > 0 {
            if firstSound == nil { body(Step(.startFirst)) }
            if secondSound == nil { body(Step(.startSecond)) }
        }
        if budget.stops > 0 {
            if firstSound != nil, !stopped[Origin.first.rawValue] { body(Step(.stopFirst)) }
            if secondSound != nil, !stopped[Origin.second.rawValue] { body(Step(.stopSecond)) }
        }
        if budget.announcements > 0 { body(Step(.announce)) }
        if budget.clears > 0, announcements.count > 0 { body(Step(.clear)) }
        if budget.alerts > 0 { body(Step(.alert)) }
        if budget.alarms > 0 { body(Step(.alarm)) }
        if alerts.isRunning { body(Step(.stopAlert)) }
        if budget.vibrations > 0 { body(Step(.vibrate)) }
        if budget.longVibrations > 0 { body(Step(.vibrateLong)) }
        if budget.motorStops > 0, sequencer.running != nil { body(Step(.stopVibration)) }
        if budget.flips > 0 { body(Step(isSilent ? .ring : .silence)) }
        if budget.presses > 0 { body(Step(.press)) }
        if budget.boundaries > 0 { body(Step(.boundary)) }
        if interruption != nil {
            body(Step(.endInterruption))
        } else if budget.interruptions > 0 {
            body(Step(.interrupt))
        }
        if budget.times > 0, mayTimePass { body(Step(.time)) }
        ownSteps(body)
        if budget.faults > 0 {
            for (index, voice) in output.voices.enumerated() where !voice.owesStart { body(Step(.failSound, index)) }
            if motor.question != nil { body(Step(.failMotor)) }
            if !output.questions.isEmpty { body(Step(.failHardware)) }
        }
    }

    /// What goes on by itself.
    func ownSteps(_ body: (Step) -> Void) {
        if !core.waiting.isEmpty { body(Step(.perform)) }
        for (index, voice) in output.voices.enumerated() {
            if voice.owesStart {
                body(Step(.begun, index))
            } else if !voice.hasBegun || !voice.gate.isOpen {
                body(Step(.look, index))
            } else {
                body(Step(.drain, index))
            }
        }
        if motor.question != nil { body(Step(.answerMotor)) }
        if !output.questions.isEmpty { body(Step(.answerHardware)) }
        if !file.waiting.isEmpty { body(Step(.keep)) }
    }

    /// Whether something goes on by itself.
    var isAtRest: Bool {
        core.waiting.isEmpty && output.voices.isEmpty && motor.question == nil && output.questions.isEmpty
            && file.waiting.isEmpty
    }

    /// What a starved device thread holds up no rule can bound: time stands still while an effect waits that sets a timer or
    /// asks the motor, and while the newest question was not put.
    var mayTimePass: Bool {
        !clock.timers.isEmpty && sequencer.newest.number == sequencer.unanswered?.number ?? sequencer.newest.number
            && (sequencer.unanswered == nil) == (motor.question == nil) && !Effects.setTimers(core.waiting)
    }

    func take(_ step: Step) {
        carryOut(step)
        Effects.performSilent(self)
    }

    private func carryOut(_ step: Step) {
        let index = Int(step.voice)
        switch step.kind {
        case .activate:
            budget.activations -= 1
            begin(.activation)
            session.activate { [unowned self] _ in end(.activation) }
            activationPlace = output.questions.count + Effects.questions(core.waiting)
        case .deactivate: session.deactivate { _ in }
        case .startFirst:
            begin(.first)
            firstSound = session.start(Self.sound(.first)) { [unowned self] _ in end(.first) }
        case .startSecond:
            begin(.second)
            secondSound = player.startOutsideSessions(Self.sound(.second), as: .systemSound(isUISound: false)) {
                [unowned self] _ in end(.second)
            }
        case .stopFirst:
            budget.stops -= 1
            if let firstSound { player.stop(firstSound) }
            stopped[Origin.first.rawValue] = true
        case .stopSecond:
            budget.stops -= 1
            if let secondSound { player.stop(secondSound) }
            stopped[Origin.second.rawValue] = true
        case .announce:
            budget.announcements -= 1
            let isFirst = begun[Request.announcement.rawValue] == 0
            let (request, origin): (Request, Origin) =
                isFirst ? (.announcement, .announcement) : (.otherAnnouncement, .otherAnnouncement)
            begin(request)
            _ = try? announcements.add(Announcement(Self.sound(origin))) { [unowned self] _ in end(request) }
        case .clear:
            budget.clears -= 1
            announcements.clear()
            // One that is added afterwards may begin.
            stopped[Origin.announcement.rawValue] = begun[Request.announcement.rawValue] > 0
            stopped[Origin.otherAnnouncement.rawValue] = begun[Request.otherAnnouncement.rawValue] > 0
        case .alert:
            budget.alerts -= 1
            begin(.alert)
            alerting = .alert
            stopped[Origin.alert.rawValue] = false
            stopped[Origin.alarm.rawValue] = true
            alerts.start(alertSound, limit: nil, pause: .seconds(3)) { [unowned self] _ in end(.alert) }
        case .stopAlert:
            alerts.stop()
            stopped[Origin.alert.rawValue] = true
            stopped[Origin.alarm.rawValue] = true
        case .alarm:
            budget.alarms -= 1
            begin(.alarm)
            alerting = .alarm
            stopped[Origin.alarm.rawValue] = false
            stopped[Origin.alert.rawValue] = true
            alerts.start(alarmSound ?? alertSound, kind: .alarm, limit: nil, pause: .seconds(3)) { [unowned self] _ in
                end(.alarm)
            }
        case .vibrate:
            budget.vibrations -= 1
            vibrationEnd = clock.now + .milliseconds(400)
            vibrate(.standard)
        case .vibrateLong:
            budget.longVibrations -= 1
            vibrationEnd = nil
            vibrate(Self.long)
        case .stopVibration:
            budget.motorStops -= 1
            vibrationEnd = clock.now
            vibrator.stop()
        case .silence, .ring:
            budget.flips -= 1
            isSilent.toggle()
            publisher.ringSilent(.position(isSilent ? .silent : .ring, at: clock.now), from: "switch")
        case .press:
            budget.presses -= 1
            isKeptSilent.toggle()
            presses += 1
            let press = presses
            keeper.move(.buttonPressed(.toggle, at: clock.now), from: "button", at: clock.now) { [unowned self] _ in
                answers += 1
                if file.kept < press { fault = "a position is answered before it is kept" }
            }
        case .boundary:
            budget.boundaries -= 1
            isQuiet.toggle()
            // At 22:00, and 9 hours later.
            let day = 1_767_225_600 + boundaries / 2 * 86_400
            boundaries += 1
            clock.setWallTime(.seconds(day + (isQuiet ? 22 : 31) * 3_600))
        case .keep: file.keep()
        case .interrupt:
            budget.interruptions -= 1
            interruption = sessions.interruptionBegan()
        case .endInterruption:
            if let interruption { sessions.interruptionEnded(interruption) }
            interruption = nil
        case .time:
            budget.times -= 1
            clock.expire()
        case .perform: Effects.perform(self)
        case .look: look(at: index)
        case .begun:
            output.voices[index].owesStart = false
            output.voices[index].handler(.started(at: clock.now))
        case .drain: end(index, .drained)
        case .failSound:
            budget.faults -= 1
            end(index, .failed(Self.failure))
        case .answerMotor: motor.answer(failing: false)
        case .failMotor:
            budget.faults -= 1
            motor.answer(failing: true)
        case .answerHardware:
            activationPlace -= 1
            output.questions.removeFirst()(nil)
        case .failHardware:
            budget.faults -= 1
            activationPlace -= 1
            output.questions.removeFirst()(Self.failure)
        }
    }

    /// 0.3 s on and a rest that is too short to count, until it is stopped: the longest on-time ends it.
    static let long: VibrationPattern =
        (try? VibrationPattern(milliseconds: "300,50", repetition: .untilStopped)) ?? .standard

    private func vibrate(_ pattern: VibrationPattern) {
        let requests: [Request] = [.vibration, .otherVibration, .lastVibration]
        let request = requests.first { begun[$0.rawValue] == 0 } ?? .lastVibration
        begin(request)
        vibrator.start(pattern) { [unowned self] _ in end(request) }
    }

    /// The sound thread looks at a gate: open, the sound begins; shut, the sound thread drops it.
    private func look(at index: Int) {
        let voice = output.voices[index]
        guard voice.gate.begin() else { return end(index, .stopped) }
        if voice.hasBegun { return }
        if stopped[voice.origin.rawValue] { fault = "a sound begins after its stop has returned" }
        voice.hasBegun = true
        voice.owesStart = true
    }

    private func end(_ index: Int, _ end: PlaybackEnd) {
        let voice = output.voices.remove(at: index)
        let played = voice.hasBegun ? voice.frames : 0
        voice.handler(.ended(end, at: clock.now, StreamPosition(played: Int64(played), total: Int64(voice.frames))))
    }

    private func begin(_ request: Request) {
        begun[request.rawValue] += 1
    }

    private func end(_ request: Request) {
        ended[request.rawValue] += 1
        if ended[request.rawValue] > begun[request.rawValue] { fault = "a request ended twice" }
    }

    func isOpen(_ request: Request) -> Bool { ended[request.rawValue] < begun[request.rawValue] }
}
