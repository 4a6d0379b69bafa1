import RingerLinux
import RingerTestKit
import Synchronization

/// A payment speaker over a month: its firmware announces every payment until it was heard whole, also after the switch
/// silenced it, and after a restart.
final class Month {
    private let clock = VirtualClock()
    private let start: MonotonicTime
    private let ledger = Ledger()
    private let schedule: Schedule
    private var board: SimulatedBoard
    private var device: Device

    // What the test knows of the board.
    private var position = SwitchPosition.ring
    private var isPlugged = true
    /// What the switch does; nil if the firmware has not read it since it started.
    private var inForce: SwitchPosition? = .ring
    private var outside: OutsideInterruption?
    private var call: AudioSession?
    private var payments = 0
    private var motorTime = MotorTime()
    private var turned = Duration.zero

    /// The time of the last happening; nothing but the end of a sound has changed what may be heard since then.
    private var since: MonotonicTime
    /// How many of the speaker's recordings are over and were looked at.
    private var examined = 0
    private var lastEnd: MonotonicTime
    private var newestHeard = -1

    private(set) var counts = (flips: 0, unplugs: 0, interruptions: 0, restarts: 0, vibrations: 0, cutOff: 0)
    /// What went wrong, the first findings.
    private(set) var findings: [String] = []

    init() throws {
        schedule = try Schedule()
        start = clock.now
        (since, lastEnd) = (start, start)
        (board, device) = try Self.boot(clock, .ring, isPlugged: true, ledger)
    }

    private static func boot(
        _ clock: VirtualClock, _ position: SwitchPosition, isPlugged: Bool, _ ledger: Ledger
    ) throws -> (SimulatedBoard, Device) {
        let board = SimulatedBoard(clock: clock, position: position)
        board.speaker.recordingLimit = 100
        if !isPlugged { board.ringSilent.unplug() }
        let configuration = Device.Configuration(observer: { ledger.note($0) })
        return (board, try Device.simulated(board, configuration: configuration))
    }

    /// Lets the month pass. `midnight` is called at the end of each day, before the restart.
    func pass(_ midnight: (_ day: Int) throws -> Void) throws {
        for (time, what) in schedule.happenings {
            clock.advance(to: start + .milliseconds(time))
            examine()
            try happen(what)
            since = clock.now
            while let payment = ledger.next(isSilent: isSilent) { announce(payment) }
            check(device.state.ringSilent == inForce, "the switch is at \(inForce as Any) for \(device.state)")
            if case .restart = what { try midnight(counts.restarts) }
        }
        // What waits for ring is heard now.
        if !isPlugged { try happen(.plug) }
        if position != .ring { move(to: .ring) }
        since = clock.now
        while let payment = ledger.next(isSilent: false) { announce(payment) }
        clock.advance(by: .seconds(3_600))
        examine()
        shutDown()
        try midnight(Schedule.days)
        for (payment, count) in ledger.heard.enumerated() {
            check(count == 1, "payment \(payment) was heard \(count) times")
        }
        check(ledger.problems.isEmpty, ledger.problems.joined(separator: "; "))
        check(
            ledger.vibrationsEnded == counts.vibrations,
            "\(counts.vibrations) vibrations, and \(ledger.vibrationsEnded) ends")
        check(ledger.moves == ledger.expectedMoves, "\(ledger.expectedMoves) moves, \(ledger.moves) events")
    }

    /// How long the motor turned, and how long it was to.
    var motor: (turned: Duration, expected: Duration) { (turned, motorTime.total) }
    var heard: Int { ledger.heard.count { $0 == 1 } }

    private var isSilent: Bool { inForce != .ring }

    private func check(_ isRight: Bool, _ message: @autoclosure () -> String) {
        if !isRight, findings.count < 20 { findings.append("\(clock.now - start): \(message())") }
    }

    // MARK: - What happens

    private func happen(_ what: Schedule.Happening) throws {
        switch what {
        case .payment:
            announce(payments)
            payments += 1
        case .flip(let step):
            let all = SwitchPosition.allCases
            move(to: all[((all.firstIndex(of: position) ?? 0) + step) % all.count])
            counts.flips += 1
        case .unplug:
            isPlugged = false
            board.ringSilent.unplug()
            counts.unplugs += 1
        case .plug:
            isPlugged = true
            board.ringSilent.plug()
            read()
        case .vibrate(let pattern):
            motorTime.begin(pattern, at: clock.now)
            device.vibrator?.start(pattern) { [ledger] _ in ledger.vibrationEnded() }
            counts.vibrations += 1
        case .interruption(let kind): begin(kind)
        case .interruptionEnds: endInterruption()
        case .restart:
            shutDown()
            examined = 0
            (board, device) = try Self.boot(clock, position, isPlugged: isPlugged, ledger)
            inForce = nil
            if isPlugged { read() }
            counts.restarts += 1
        }
    }

    private func move(to position: SwitchPosition) {
        self.position = position
        board.ringSilent.position = position
        if isPlugged { read() }
    }

    /// The firmware reads the switch, and reports the position.
    private func read() {
        inForce = position
        ledger.expectMove()
    }

    private func announce(_ payment: Int) {
        do throws(SessionError) {
            try device.announcements.add(Self.announcement(payment)) { [ledger] in ledger.ended(payment, $0.outcome) }
        } catch {
            check(false, "payment \(payment): \(error)")
        }
    }

    private func begin(_ kind: Schedule.Interruption) {
        counts.interruptions += 1
        if kind != .callSession { outside = device.sessions.interruptionBegan() }
        if kind == .moment { endInterruption() }
        if kind == .alarm || kind == .moment { return }
        let call = device.sessions.make(name: "call", category: .playAndRecord, priority: .call)
        self.call = call
        if let outside {
            device.sessions.interruptionAnswered(outside)
            self.outside = nil
        }
        call.activate { [ledger] in if let error = $0 { ledger.note(problem: "a call was refused: \(error)") } }
    }

    /// Ends an interruption, unless a restart did.
    private func endInterruption() {
        if let outside { device.sessions.interruptionEnded(outside) }
        call?.deactivate { _ in }
        (outside, call) = (nil, nil)
    }

    private func shutDown() {
        device.close()
        (outside, call) = (nil, nil)
        motorTime.restart(at: clock.now)
        check(!board.motor.isOn && board.speaker.playing.isEmpty, "a closed device is not still")
        check(board.motor.turnCount == board.motor.turns.count, "turns were dropped")
        turned += board.motor.turns.reduce(.zero) { $0 + ($1.length ?? .zero) }
        check(turned == motorTime.total, "the motor turned for \(turned), and not \(motorTime.total)")
        examine()
        check(device.announcements.count == 0, "a closed device has announcements")
    }

    // MARK: - What is heard

    /// An announcement that its samples identify: at 1 kHz, a frame lasts a millisecond.
    private static func announcement(_ payment: Int) -> Announcement {
        var sound = PCMBuffer.silence(duration: .milliseconds(500 + payment * 7_919 % 2_000), sampleRate: 1_000)
        sound.samples[0] = Int16(payment % 1_000)
        sound.samples[1] = Int16(payment / 1_000)
        return Announcement(sound, options: honoursSwitch(payment) ? .honoursRingSilentSwitch : [])
    }

    private static func honoursSwitch(_ payment: Int) -> Bool { payment % 4 == 0 }

    /// Looks at what was heard since the last happening.
    private func examine() {
        let now = clock.now
        let recordings = board.speaker.recordings
        check(board.speaker.recordingCount - recordings.count <= examined, "recordings were dropped")
        let isInterrupted = outside != nil || call != nil
        for recording in recordings.suffix(board.speaker.recordingCount - examined) {
            let payment = Int(recording.sound.samples[0]) + 1_000 * Int(recording.sound.samples[1])
            if let start = recording.start, max(start, since) < recording.end ?? now {
                check(!isInterrupted, "payment \(payment) was heard during an interruption")
                check(!isSilent || !Self.honoursSwitch(payment), "payment \(payment) was heard at silent")
                // Nothing else begins a sound.
                check(start <= since || start == lastEnd, "payment \(payment) began late")
            }
            guard let end = recording.end else { break }
            examined += 1
            if let start = recording.start {
                check(start >= lastEnd, "two payments were heard at once")
                lastEnd = end
            }
            guard recording.played == recording.sound.frames else {
                counts.cutOff += 1
                continue
            }
            ledger.heard(payment)
            if !Self.honoursSwitch(payment) {
                check(payment > newestHeard, "payment \(payment) was heard after \(newestHeard)")
                newestHeard = payment
            }
        }
        let isWaiting = device.announcements.count > 0 && !isInterrupted
        check(!isWaiting || !board.speaker.playing.isEmpty, "the queue stands still")
    }
}

/// What the firmware keeps beyond a restart: which payments were announced, and which wait. Any thread.
private final class Ledger: Sendable {
    private struct State {
        var heard = [UInt8](repeating: 0, count: Schedule.payments)
        var finished = [UInt8](repeating: 0, count: Schedule.payments)
        /// Payments that a restart ended, and those that the switch silenced.
        var closed: [Int] = []
        var silenced: [Int] = []
        var vibrationsEnded = 0
        var moves = 0
        var expectedMoves = 1
        var problems: [String] = []
    }

    private let state = Mutex(State())

    /// How often each payment was heard whole.
    var heard: [UInt8] { state.withLock { $0.heard } }
    var problems: [String] { state.withLock { $0.problems } }
    var vibrationsEnded: Int { state.withLock { $0.vibrationsEnded } }
    /// Moves of the switch, as the device reported them and as it was to.
    var moves: Int { state.withLock { $0.moves } }
    var expectedMoves: Int { state.withLock { $0.expectedMoves } }

    func heard(_ payment: Int) { state.withLock { $0.heard[payment] += 1 } }
    func vibrationEnded() { state.withLock { $0.vibrationsEnded += 1 } }
    func expectMove() { state.withLock { $0.expectedMoves += 1 } }

    func note(_ event: DeviceEvent) {
        if case .switchMoved = event { state.withLock { $0.moves += 1 } }
    }

    func note(problem: String) {
        state.withLock { state in
            if state.problems.count < 20 { state.problems.append(problem) }
        }
    }

    func ended(_ payment: Int, _ outcome: SoundOutcome) {
        switch outcome {
        case .finished:
            let isFirst = state.withLock { state in
                state.finished[payment] += 1
                return state.finished[payment] == 1
            }
            if !isFirst { note(problem: "payment \(payment) finished twice") }
        case .silenced(by: .ringSilentSwitch), .silenced(by: .switchUnreadable):
            state.withLock { $0.silenced.append(payment) }
        case .stopped(.closed): state.withLock { $0.closed.append(payment) }
        default: note(problem: "payment \(payment): \(outcome)")
        }
    }

    /// The next payment to be announced again, the oldest first; nil if none can be.
    func next(isSilent: Bool) -> Int? {
        state.withLock { state in
            if let oldest = state.closed.indices.min(by: { state.closed[$0] < state.closed[$1] }) {
                return state.closed.remove(at: oldest)
            }
            return isSilent ? nil : state.silenced.popLast()
        }
    }
}
