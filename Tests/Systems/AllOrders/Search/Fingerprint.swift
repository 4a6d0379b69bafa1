@testable import RingerCore
import SessionRules

/// Hashes the values of a world. Numbers of sounds and requests are renamed in the order in which they appear, and times
/// become durations from now, as far back as a rule looks: two histories that can only go on alike are one state.
struct Fingerprint {
    private enum Space: Int {
        case sounds, announcements, vibrations
    }

    private var hasher = Hasher()
    private var names: [[UInt64]]
    private let now: MonotonicTime

    private init(_ now: MonotonicTime) {
        self.now = now
        names = [[], [], []]
    }

    /// The fingerprint of a world; not 0.
    static func of(_ world: World, seed: UInt64, withEffects: Bool = true) -> UInt64 {
        var print = Fingerprint(world.clock.now)
        print.hasher.combine(seed)
        print.visit(world)
        if withEffects { print.visit(world.core.waiting) }
        let value = UInt64(bitPattern: Int64(print.hasher.finalize()))
        return value == 0 ? 1 : value
    }

    // MARK: - Values

    private mutating func add(_ value: some Hashable) {
        hasher.combine(value)
    }

    private mutating func name(_ number: UInt64?, _ space: Space) {
        guard let number else { return add(-1) }
        if let index = names[space.rawValue].firstIndex(of: number) { return add(index) }
        add(names[space.rawValue].count)
        names[space.rawValue].append(number)
    }

    /// A time, of which the past beyond `back` is one.
    private mutating func time(_ time: MonotonicTime?, back: Duration) {
        guard let time else { return add(Duration.seconds(-1000)) }
        add(max(time - now, .zero - back))
    }

    /// Closures: their code, and the numbers and times that they captured.
    private mutating func visit<Function>(_ functions: [Function]) {
        add(functions.count)
        Effects.code(functions) { add($0) }
        Effects.captured(functions, now) { add($0) }
    }

    // MARK: - The machines, from those that number sounds first

    private mutating func visit(_ world: World) {
        world.player.runner.read { visit($0) }
        world.sessions.runner.read { visit($0) }
        world.announcements.runner.read { visit($0) }
        world.services.engine.runner.read { visit($0) }
        visit(world.sequencer)
        let alerts = world.alerts.running.value.all
        add(alerts.count)
        for alert in alerts { alert.runner.read { visit($0) } }
        visitPorts(world)
        add(world.budget)
        add(world.isSilent)
        add(world.isKeptSilent)
        add(world.isQuiet)
        add(world.alerting)
        add(world.file.waiting.count)
        for timer in world.clock.wallTimers { add(timer.deadline.nanoseconds - world.clock.wallTime.nanoseconds) }
        add(world.interruption != nil)
        name(world.firstSound?.number, .sounds)
        name(world.secondSound?.number, .sounds)
        add(world.stopped)
        time(world.vibrationEnd, back: .nanoseconds(1))
        if world.isOpen(.activation) { add(world.activationPlace) }
        for request in World.Request.allCases { add(world.isOpen(request)) }
    }

    private mutating func visit(_ machine: PlayerMachine) {
        add(machine.state.sessions)
        add(machine.state.route)
        add(machine.sounds.count)
        for (number, sound) in machine.sounds.sorted(by: { $0.key < $1.key }) {
            name(number, .sounds)
            add(sound.terms)
            add(sound.startedAt != nil)
            add(sound.frames)
            add(sound.gain)
            add(sound.route)
            add(sound.halted)
        }
    }

    private mutating func visit(_ machine: SessionPlaybackMachine) {
        let coordinator = machine.coordinator
        let activations = coordinator.sessions.map(\.activation)
        for session in coordinator.sessions {
            add(session.settings)
            add(session.phase)
            add(session.isSounding)
            add(session.isDucked)
            add(session.preferences)
            add(session.route)
            add(session.causes)
            add(session.mayResume)
            add(activations.count { $0 < session.activation })
            add(session.activation == 0)
        }
        add(coordinator.outside.count)
        add(coordinator.activity)
        add(coordinator.deviceRoute)
        add(machine.isRefreshDue)
        for (id, entry) in machine.sounds.sorted(by: { $0.key < $1.key }) {
            add(id)
            for number in entry.playing { name(number, .sounds) }
            add(entry.terms)
        }
    }

    private mutating func visit(_ machine: AnnouncementMachine) {
        switch machine.phase {
        case .idle: add(0)
        case .activating(let id):
            add(1)
            name(id, .announcements)
        case .refused: add(2)
        case .playing: add(3)
        case .stopping(let cause):
            add(4)
            add(cause)
        }
        add(machine.isPaused)
        add(machine.usesSession)
        add(machine.changedMeanwhile)
        time(machine.timer, back: .zero)
        for item in machine.items {
            name(item.id, .announcements)
            add(item.category)
            add(item.priority)
            time(item.expiresAt, back: .zero)
        }
    }

    private mutating func visit(_ machine: SystemSoundMachine) {
        add(machine.calls.count)
        for (number, call) in machine.calls.sorted(by: { $0.key < $1.key }) {
            name(number, .sounds)
            add(call.decision)
            add(call.isLoading)
            add(call.heard)
            add(call.felt)
            time(call.result.requestedAt, back: .milliseconds(50))
            add(call.result.outcome)
            add(call.result.startedAt != nil)
            add(call.result.vibration)
            add(call.result.vibrated)
            add(call.stopCause)
            time(call.completesAt, back: .zero)
        }
        add(machine.calls.keys.count { $0 < machine.newest })
        visit(machine.speaker)
        visit(machine.motor)
        name(machine.sounding, .sounds)
        name(machine.vibrating, .sounds)
        time(machine.restedAt, back: .zero)
        add(machine.pace.loops.count)
        for loop in machine.pace.loops.values {
            time(loop.since, back: .seconds(1))
            time(loop.last, back: .milliseconds(50))
            add(loop.rounds)
        }
    }

    private mutating func visit(_ queue: SystemSoundQueue) {
        name(queue.current?.number, .sounds)
        for entry in queue.waiting {
            name(entry.number, .sounds)
            add(entry.waitedFor.count)
        }
        add(queue.replaced)
    }

    private mutating func visit(_ machine: VibrationSequencer) {
        if let running = machine.running {
            name(running.id, .vibrations)
            add(running.pattern)
            add(running.pulse)
            add(running.over)
            add(running.pattern.repetition == .untilStopped ? 0 : running.round)
        }
        switch machine.phase {
        case .idle: add(0)
        case .turning(let until, let isLimited):
            add(1)
            time(until, back: World.longestOnTime)
            add(isLimited)
        case .resting(let until):
            add(2)
            time(until, back: World.longestOnTime)
        case .stopping(let id, let end, let until):
            add(3)
            name(id, .vibrations)
            add(end)
            time(until, back: .zero)
        case .stuck(let error, let attempts):
            add(4)
            add(error)
            add(attempts)
        }
        visit(machine.newest)
        add(machine.unanswered != nil)
        if let unanswered = machine.unanswered {
            visit(unanswered)
            add(unanswered.number == machine.newest.number)
        }
        name(machine.turnedOn?.vibration, .vibrations)
        add(machine.turnedOn?.error)
        time(machine.mayTurnSince, back: World.longestOnTime)
        add(machine.turned)
        time(machine.restingSince, back: VibrationSequencer.shortestRest)
    }

    private mutating func visit(_ question: VibrationSequencer.Question) {
        time(question.level?.until, back: World.longestOnTime)
        name(question.vibration, .vibrations)
    }

    private mutating func visit(_ machine: AlertMachine) {
        switch machine.phase {
        case .notBegun: add(0)
        case .round(let sound):
            add(1)
            add(sound)
        case .stopping: add(2)
        case .pausing(let until):
            add(3)
            time(until, back: .zero)
        case .held: add(4)
        case .replaced: add(5)
        case .over: add(6)
        }
        add(machine.ending)
        add(machine.isPaced)
        add(machine.result.sounded)
        add(machine.result.vibrated)
        add(machine.result.soundError)
        time(machine.result.startedAt, back: AlertMachine.shortestFailure)
        time(machine.roundBeganAt, back: AlertMachine.shortestFailure)
        add(machine.plan.parts)
        add(machine.motorError)
    }

    private mutating func visitPorts(_ world: World) {
        for voice in world.output.voices {
            add(voice.origin)
            add(voice.gate.level)
            add(voice.hasBegun)
            add(voice.owesStart)
        }
        visit(world.output.questions)
        add(world.motor.question?.isOn)
        time(world.motor.turnsSince, back: World.longestOnTime)
        if world.motor.question != nil { time(world.motor.before, back: World.longestOnTime) }
        add(world.motor.isStuck)
        for timer in world.clock.timers { time(timer.deadline, back: .zero) }
        visit(world.clock.timers.map(\.body))
    }
}
