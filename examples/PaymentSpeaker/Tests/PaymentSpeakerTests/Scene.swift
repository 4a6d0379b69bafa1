import PaymentRules
import Ringer
import RingerCore
import RingerTestKit

@testable import PaymentSpeaker

/// A speaker on a simulated board in virtual time. All of it runs on one thread, in turns, so that each test has the same
/// times in every run; two scenes at once would share ``PaymentActor``.
@PaymentActor
final class Scene {
    /// Nothing is left that time could bring.
    struct Stuck: Error {}

    let clock: VirtualClock
    let board: SimulatedBoard
    let speaker: PaymentSpeaker
    let device: Device
    private let running: Task<Void, any Error>
    private var reports: [Report] = []

    /// Runs `body` with a scene.
    ///
    /// - Parameters:
    ///   - ledger: The ledger's file, or one in memory.
    ///   - clips: The directory of the recordings; nil for the chime.
    ///   - now: The wall clock, of the device's clock; nil while it is not set.
    ///   - clockPatience: How long payments wait for the wall clock.
    nonisolated static func run(
        policy: Options.Policy = .announce, position: SwitchPosition = .ring, ledger: String = ":memory:",
        clips: String? = nil, envelope: Envelope? = nil,
        now: @escaping @Sendable (MonotonicTime) -> WallTime? = { _ in Scene.noon },
        clockPatience: Duration? = nil, withoutClock: Options.WithoutClock = .announce, retention: Retention = .init(),
        providers: [String] = [], _ body: @escaping @PaymentActor (Scene) async throws -> Void
    ) async throws {
        let loop = try EventLoop(name: "scene")
        defer { loop.close() }
        try await withTaskExecutorPreference(loop) { @PaymentActor in
            let scene = try Scene(
                loop, policy: policy, position: position, ledger: ledger, clips: clips, envelope: envelope, now: now,
                clockPatience: clockPatience, withoutClock: withoutClock, retention: retention, providers: providers)
            try await body(scene)
            scene.device.close()
            // A sound that was playing ends at a time of its own.
            scene.clock.advance(by: .seconds(1))
            await scene.settle()
            scene.running.cancel()
            _ = await scene.running.result
        }
    }

    private init(
        _ loop: EventLoop, policy: Options.Policy, position: SwitchPosition, ledger: String, clips: String?,
        envelope: Envelope?, now: @escaping @Sendable (MonotonicTime) -> WallTime?, clockPatience: Duration?,
        withoutClock: Options.WithoutClock, retention: Retention, providers: [String]
    ) throws {
        let clock = VirtualClock(start: Scene.start)
        self.clock = clock
        board = SimulatedBoard(clock: clock, position: position)
        device = try Device.simulated(board)
        let speaker = PaymentSpeaker(
            device, ledger: LedgerFile(ledger),
            settings: .init(
                announcer: Announcer(directory: clips, language: "zh", policy: policy),
                staleness: Staleness(limit: 300), envelope: envelope, wallClock: { now(clock.now) },
                clockPatience: clockPatience, withoutClock: withoutClock, retention: retention, providers: providers))
        self.speaker = speaker
        running = Task(executorPreference: loop) { try await speaker.run() }
        speaker.report = { [unowned self] in reports.append($0) }
    }

    nonisolated static let noon = WallTime(microseconds: 1_795_348_800_000_000)
    /// The device's clock when a scene begins.
    nonisolated static let start = MonotonicTime(seconds: 1000, nanoseconds: 0)

    /// A wall clock that was ``noon`` when the scene began.
    nonisolated static func sinceNoon(_ now: MonotonicTime) -> WallTime {
        WallTime(microseconds: noon.microseconds + Int64((now - start) / .microseconds(1)))
    }

    /// The payload of a notice, paid at ``noon``.
    nonisolated static func notice(
        _ transaction: String, _ amount: String = "12.50", _ currency: String = "CNY",
        time: String = "2026-11-22T12:00:00Z",
        more: String = ""
    ) -> [UInt8] {
        let text = """
            {"transaction":"\(transaction)","amount":"\(amount)","currency":"\(currency)","time":"\(time)"\(more)}
            """
        return Array(text.utf8)
    }

    func take(
        _ payload: [UInt8], isRetained: Bool = false, expiry: UInt32? = nil, provider: String? = nil
    ) throws {
        try speaker.take(.init(payload: payload, isRetained: isRetained, expiry: expiry, provider: provider))
    }

    func pressRepeat() {
        board.keys.press(.repeatAnnouncement)
        board.keys.release(.repeatAnnouncement)
    }

    /// Lets everything run that needs no time.
    func settle() async {
        for _ in 0..<100 { await Task.yield() }
    }

    /// The next report, moving the clock until there is one.
    func report() async throws -> Report {
        try await advance { !self.reports.isEmpty }
        return reports.removeFirst()
    }

    /// Whether there is a report that ``report()`` has not returned.
    var hasReport: Bool { !reports.isEmpty }

    /// Moves the clock, from timer to timer, until `condition` holds.
    func advance(until condition: () -> Bool) async throws {
        while true {
            await settle()
            if condition() { return }
            guard clock.advanceToNextTimer(by: clock.now + .seconds(3600)) else { throw Stuck() }
        }
    }
}
