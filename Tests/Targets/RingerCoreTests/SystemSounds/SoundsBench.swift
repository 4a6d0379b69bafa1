import RingerTestKit
import Synchronization

@testable import RingerCore

/// System sounds on a simulated board, in virtual time.
struct SoundsBench {
    let clock = VirtualClock()
    let board: SimulatedBoard
    let publisher: StatePublisher
    let player: SoundPlayer
    let vibrator: Vibrator?
    let sounds: SystemSoundServices
    let events = Record<DeviceEvent>()
    let results = Record<SystemSoundResult>()
    let start: MonotonicTime

    init(
        position: SwitchPosition = .ring, preferences: UserPreferences = UserPreferences(),
        directories: [String] = [], cacheLimit: Int = 1 << 20, hasMotor: Bool = true, slowWork: HeldWork? = nil
    ) throws {
        let clock = clock
        let events = events
        board = SimulatedBoard(clock: clock, position: position)
        start = clock.now
        let report: @Sendable (DeviceEvent) -> Void = { events.append($0) }
        let publisher = StatePublisher { if let event = $0() { events.append(event) } }
        self.publisher = publisher
        let slowClock: any DeviceClock = slowWork.map { HoldingClock(clock, $0) } ?? clock
        player = SoundPlayer(output: board.speaker, clock: slowClock, publisher: publisher, report: report)
        player.preferences = preferences
        vibrator = hasMotor ? Vibrator(motor: board.motor, clock: clock) { events.append(.vibration($0)) } : nil
        sounds = SystemSoundServices(
            player: player, vibrator: vibrator,
            configuration: .init(predefined: PredefinedSounds(directories: directories), cacheLimit: cacheLimit),
            report: report)
        try board.ringSilent.start { publisher.ringSilent($0, from: "switch") }
    }

    /// Registers so many milliseconds of silence.
    func register(milliseconds: Int) throws -> SystemSoundID {
        try sounds.register(PCMBuffer.silence(duration: .milliseconds(milliseconds), sampleRate: 48_000))
    }

    /// A bench, and two such sounds.
    static func registered(
        milliseconds first: Int, _ second: Int
    ) throws -> (SoundsBench, SystemSoundID, SystemSoundID) {
        let bench = try SoundsBench()
        return (bench, try bench.register(milliseconds: first), try bench.register(milliseconds: second))
    }

    /// Begins a sound; what becomes of it goes to `results`.
    @discardableResult
    func play(_ id: SystemSoundID, as use: SystemSoundServices.Use = .sound) -> SystemSoundServices.Call {
        sounds.start(id, as: use) { [results] in results.append($0) }
    }

    var outcomes: [SoundOutcome] { results.all.map(\.outcome) }
    /// When the motor turned, in microseconds from the beginning.
    var turns: [Range<Int64>] {
        board.motor.turns.map { turn in
            microseconds(turn.start)..<microseconds(turn.end ?? clock.now)
        }
    }
    /// When sounds were heard, in microseconds from the beginning.
    var heard: [Range<Int64>] {
        board.speaker.recordings.compactMap { recording in
            recording.start.map { microseconds($0)..<microseconds(recording.end ?? clock.now) }
        }
    }

    func microseconds(_ time: MonotonicTime) -> Int64 { (time - start).nanoseconds / 1000 }
}

/// Work that was to be done aside, and is done when the test says so.
final class HeldWork: Sendable {
    private let jobs = Mutex<[@Sendable () -> Void]>([])

    func add(_ job: @escaping @Sendable () -> Void) {
        jobs.withLock { $0.append(job) }
    }

    /// Does the work, the oldest first, and returns how many jobs it was. The oldest `hung` jobs do not come to an end.
    @discardableResult
    func finish(except hung: Int = 0) -> Int {
        let due = jobs.withLock { jobs in
            let due = jobs.dropFirst(hung)
            jobs = Array(jobs.prefix(hung))
            return due
        }
        for job in due { job() }
        return due.count
    }
}

/// A virtual clock on whose device reading and decoding take as long as the test likes.
struct HoldingClock: DeviceClock {
    let clock: VirtualClock
    let work: HeldWork

    init(_ clock: VirtualClock, _ work: HeldWork) {
        self.clock = clock
        self.work = work
    }

    var now: MonotonicTime { clock.now }
    func schedule(at deadline: MonotonicTime, _ body: @escaping @Sendable () -> Void) -> any DeviceTimer {
        clock.schedule(at: deadline, body)
    }
    func callBack(_ body: @escaping @Sendable () -> Void) { clock.callBack(body) }
    func runAside(_ body: @escaping @Sendable () -> Void) { work.add(body) }
}
