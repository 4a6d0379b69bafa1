import Glibc
import RingerCore
import SessionProperties
import SessionRules
import RingerTestKit
import Synchronization

/// The whole service on a simulated board: many sessions, each with a subscriber of its events and some with listeners of
/// properties too, and one subscriber of all the device's events.
final class Service: Sendable {
    let sessions: [AudioSession]
    let all: AudioSessions
    let board: SimulatedBoard
    private let publisher: StatePublisher
    private let told: TellTale

    /// Remembers when a subscriber or listener was last notified.
    private final class TellTale: Sendable {
        private let newest = Atomic<Int64>(0)
        private let number = Atomic(0)

        func note() {
            let now = Stopwatch.now(CLOCK_MONOTONIC)
            number.add(1, ordering: .relaxed)
            while true {
                let old = newest.load(ordering: .relaxed)
                if old >= now || newest.compareExchange(expected: old, desired: now, ordering: .relaxed).exchanged {
                    return
                }
            }
        }

        var count: Int { number.load(ordering: .relaxed) }
        var time: Int64 { newest.load(ordering: .relaxed) }
    }

    /// - Parameter listeners: How many properties of each session have a listener: four at most.
    init(count: Int, listeners: Int, category: AudioCategory, options: CategoryOptions) throws {
        let clock = VirtualClock()
        let board = SimulatedBoard(clock: clock)
        let told = TellTale()
        let events = Broadcast<DeviceEvent>()
        let report: @Sendable (DeviceEvent) -> Void = { events.send($0) }
        let publisher = StatePublisher { if let event = $0() { report(event) } }
        let player = SoundPlayer(output: board.speaker, clock: clock, publisher: publisher, report: report)
        all = AudioSessions(
            player: player, publisher: publisher, clock: clock,
            board: RouteBoard(pcm: "spk", routes: [.receiver: "ear"]),
            report: report)
        self.board = board
        self.publisher = publisher
        self.told = told
        var sessions: [AudioSession] = []
        for number in 1...count {
            let session = try all.make(name: "session \(number)", category: category, options: options)
            for code in (["rout", "roch", "othr", "chov"] as [FourCharacterCode]).prefix(listeners) {
                try session.addListener(code) { _ in told.note() }
            }
            let events = session.events
            Task { for await _ in events { told.note() } }
            sessions.append(session)
        }
        self.sessions = sessions
        let everything = events.subscribe(buffering: .bufferingNewest(8192))
        Task { for await _ in everything { told.note() } }
        try board.ringSilent.start { publisher.ringSilent($0, from: "switch") }
        try board.surroundings.start { publisher.change($0, from: "board", at: clock.now) }
        _ = settle()
    }

    /// The cost of one change.
    struct Cost {
        /// On the clock until the call that changed it returned, and until the last subscriber or listener was notified.
        var returned: Int64
        var lastTold: Int64
        /// Of all the process's threads, with those that call the listeners.
        var processor: Int64
        var told: Int
    }

    /// Makes a change, and waits until every subscriber and listener was notified.
    func measure(_ change: (Service) -> Void) -> Cost {
        let before = told.count
        let start = (Stopwatch.now(CLOCK_MONOTONIC), Stopwatch.now(CLOCK_PROCESS_CPUTIME_ID))
        change(self)
        let returned = Stopwatch.now(CLOCK_MONOTONIC)
        let looks = settle()
        // Looking costs processor time too.
        let processor = Stopwatch.now(CLOCK_PROCESS_CPUTIME_ID) - start.1 - looks
        return Cost(
            returned: returned - start.0, lastTold: max(told.time, returned) - start.0, processor: processor,
            told: told.count - before)
    }

    /// Waits until nobody was notified for 4 ms, and returns the processor time of the waiting itself.
    private func settle() -> Int64 {
        let start = Stopwatch.now(CLOCK_THREAD_CPUTIME_ID)
        var count = told.count
        var quiet = 0
        while quiet < 4 {
            usleep(1000)
            quiet = told.count == count ? quiet + 1 : 0
            count = told.count
        }
        return Stopwatch.now(CLOCK_THREAD_CPUTIME_ID) - start
    }

    func activate(_ session: Int) { sessions[session].activate { _ in } }
    func deactivate(_ session: Int) { sessions[session].deactivate { _ in } }
}
