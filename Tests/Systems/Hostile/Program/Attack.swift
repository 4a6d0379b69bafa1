import RingerLinux
import RingerBus
import RingerDaemon
import ServiceSupport
import Synchronization

/// A hostile program of some user: generated calls, forged signals and bursts.
struct Attack {
    struct Counts {
        var calls = 0
        var refused = 0
        var signals = 0
        var released = 0
        /// The longest wait for a reply.
        var longest = Duration.zero
    }

    let name: String
    let bus: TestBus
    let user: TestUser
    let files: OddFiles
    /// How many programs it is.
    let programs: Int
    /// The session of somebody else.
    let session: String
    /// The methods that may turn the motor.
    static let vibrating: Set = ["Play", "Alert", "Notify", "Vibrate", "TriggerFeedback"]

    /// The interfaces of the service's objects that are attacked, and their paths.
    static func interfaces(session: String) -> [(interface: BusInterface, path: String)] {
        [
            (.ringer, RingerNames.path), (.feedback, FeedbackNames.path), (.haptic, FeedbackNames.path),
            (.session, session),
        ]
    }

    /// - Parameter own: A session of its own; nil where it may have none.
    private func targets(_ own: String?) -> [(interface: BusInterface, path: String)] {
        Self.interfaces(session: session) + (own.map { [(.session, $0)] } ?? [])
    }

    /// Sends so many messages, one in ten of which is a forged signal, several at a time. Every call gets a reply, whose error
    /// has a name.
    func generated(_ count: Int, leaveOut: Set<String>) async throws -> Counts {
        let clock = ContinuousClock()
        let clients = try (0..<programs).map { _ in try BusClient(bus.address, as: user) }
        defer { for client in clients { client.close() } }
        return try await withThrowingTaskGroup(of: Counts.self) { group in
            for seed in 0..<16 as Range<UInt64> {
                group.addTask {
                    let client = clients[Int(seed) % clients.count]
                    let everybody = try await client.everybody()
                    func makeSession() async -> String? {
                        try? await client.call("CreateSession", [.dictionary([:])]).first?.string
                    }
                    let own = await makeSession()
                    var calls = HostileCalls(
                        seed: seed, targets(own), descriptors: files.all, leaveOut: leaveOut)
                    var counts = Counts()
                    for round in 0..<count / 16 {
                        if round % 10 == 0 {
                            let signal = calls.nextSignal()
                            try await client.signal(
                                signal.path, signal.interface, signal.member, signal.arguments,
                                to: everybody[round / 10 % everybody.count])
                            counts.signals += 1
                            continue
                        }
                        let call = calls.next()
                        let start = clock.now
                        do {
                            _ = try await client.call(
                                call.member, call.arguments, interface: call.interface, path: call.path)
                            if call.member == "Release" {
                                counts.released += 1
                                if let next = await makeSession() { calls.replace(call.path, by: next) }
                            }
                        } catch let error as BusError {
                            guard error.isClear, !error.name.hasSuffix(".NoReply") else {
                                throw RingerError(.invalid, "call", call.member, detail: "\(error)")
                            }
                            counts.refused += 1
                        }
                        counts.calls += 1
                        counts.longest = max(counts.longest, clock.now - start)
                    }
                    return counts
                }
            }
            return try await group.reduce(into: Counts()) { sum, part in
                sum.calls += part.calls
                sum.refused += part.refused
                sum.signals += part.signals
                sum.released += part.released
                sum.longest = max(sum.longest, part.longest)
            }
        }
    }

    /// Sends calls that name one descriptor up to a thousand times, whose replies nobody reads.
    func manyHandles() throws {
        let caller = try RawCaller(bus.address, as: user)
        for descriptor in files.all {
            try caller.send([1012, 512, 16, 1].map { .announce(descriptor, count: $0) })
        }
    }

    /// Sends bursts of generated calls without a reply, at a rate a second where the bus takes so many, and all of them in any
    /// case. Returns how many there were, and how many a second the bus took.
    func bursts(_ rate: Int, seconds: Int, leaveOut: Set<String>) async throws -> (count: Int, rate: Int) {
        let caller = try RawCaller(bus.address, as: user)
        var calls = HostileCalls(seed: 7, targets(nil), leaveOut: leaveOut)
        let burst = caller.messages((0..<rate / 10).map { _ in RawCaller.Call(calls.next()) })
        let clock = ContinuousClock()
        let start = clock.now
        var count = 0
        for round in 0..<10 * seconds {
            try await Task.sleep(until: start + .milliseconds(100 * round), clock: clock)
            try caller.send(burst)
            count += rate / 10
        }
        // The last burst has its tenth of a second too.
        let time = max(clock.now - start, .seconds(seconds)) / .seconds(1)
        return (count, Int(Double(count) / time))
    }
}
