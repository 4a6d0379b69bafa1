// Loads a running service with 60 clients that call, subscribe, stop reading and die, and asserts that every request got
// its Ended signal, that no client is still known, and that descriptors, threads and memory are flat afterwards:
//
//     soak ADDRESS PID SECONDS      the bus, the service's process, and the time after a warm-up of at least 45 s
//
// One user may have 64 clients, 256 sessions and 512 requests of the service: all clients are one user's.
import Glibc
import RingerBus
import ServiceSupport
import Synchronization

/// The largest growth of private memory that counts as flat, in KiB.
let limit = 512

struct Failure: Error {
    var message: String
}

/// What all clients did.
final class Tally: Sendable {
    struct Counts {
        var clients = 0
        var requests = 0
        var ended = 0
        var refused = 0
        var abandoned = 0
    }

    private let counts = Mutex(Counts())

    func add(_ change: (inout Counts) -> Void) { counts.withLock { change(&$0) } }
    var all: Counts { counts.withLock { $0 } }
}

/// One client, from its connecting to the bus until it leaves.
func live(_ address: String, _ tally: Tally) async throws {
    let client = try BusClient(address)
    tally.add { $0.clients += 1 }
    var running: Set<UInt32> = []
    let none = BusValue.dictionary([:])
    let board = RingerNames.simulatedBoardInterface
    for _ in 0..<Int.random(in: 1...12) {
        do {
            switch Int.random(in: 0..<9) {
            case 0: running.insert(try await client.play(.uint32(1007), ["category": .string("ambient")]))
            case 1: running.insert(try await client.play(.uint32(1057)))
            case 2: running.insert(try await client.request("Vibrate", [.string("100,50,100"), none]))
            case 3:
                let limit = BusValue.dictionary(["limit": .double(0.3)])
                running.insert(try await client.request("Alert", [.variant(.uint32(1005)), limit]))
            case 4: running.insert(try await client.request("Notify", [.variant(.string("")), none]))
            case 5:
                let options = BusValue.dictionary(["category": .string("playback")])
                let path = try await client.call("CreateSession", [options])[0].string ?? ""
                _ = try await client.call("Activate", interface: RingerNames.sessionInterface, path: path)
                running.insert(try await client.request("Play", [.variant(.uint32(1007)), none], path: path))
                if Bool.random() {
                    _ = try await client.call("Release", interface: RingerNames.sessionInterface, path: path)
                }
            case 6: if let id = running.randomElement() { _ = try await client.call("Stop", [.uint32(id)]) }
            case 7: _ = try await client.property("Requests")
            default:
                let position = ["ring", "silent"].randomElement() ?? "ring"
                _ = try await client.call("SetSwitch", [.string(position)], interface: board)
            }
        } catch let error as BusError where error.name.hasSuffix(".LimitsExceeded") {
            // The bus has not reported yet that others have left.
            tally.add { $0.refused += 1 }
        }
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...30)))
    }
    tally.add { $0.requests += running.count }
    switch Int.random(in: 0..<3) {
    case 0:
        // It dies, whatever is running.
        tally.add { $0.abandoned += running.count }
        return client.close()
    case 1:
        client.block()
        defer { client.unblock() }
        try await Task.sleep(for: .milliseconds(500))
    default: break
    }
    while !running.isEmpty {
        guard let ended = await client.ended() else {
            throw Failure(message: "no Ended for the requests \(running.sorted())")
        }
        guard running.remove(ended.request) != nil else {
            throw Failure(message: "an Ended for \(ended.request), which is not running")
        }
        tally.add { $0.ended += 1 }
    }
    client.close()
}

/// 60 clients at a time for `seconds`, and at least so many in all, and then the service at rest.
func load(
    _ address: String, _ process: String, seconds: Int, clients: Int, _ tally: Tally
) async throws -> ProcessUsage {
    let clock = ContinuousClock()
    let end = clock.now + .seconds(seconds)
    let least = tally.all.clients + clients
    try await withThrowingTaskGroup { group in
        for _ in 0..<60 {
            group.addTask {
                while clock.now < end || tally.all.clients < least { try await live(address, tally) }
            }
        }
        // A signal that never comes would be waited for: cancelling the tasks ends their streams.
        group.addTask {
            try await Task.sleep(until: end + .seconds(600), clock: clock)
            throw Failure(message: "clients wait for signals that do not come")
        }
        for _ in 0..<60 { try await group.next() }
        group.cancelAll()
        while let _ = await group.nextResult() {}
    }
    let observer = try BusClient(address)
    while try await observer.property("Requests") != .array(element: "(us)", []) {
        try await Task.sleep(for: .milliseconds(50))
    }
    observer.close()
    // The PCM and the threads that were used last are kept for a while.
    try await Task.sleep(for: .seconds(3))
    return try ProcessUsage(of: process)
}

/// Creates a session, once the bus has reported that others have left: within 2 min.
func createSession(_ client: BusClient) async throws {
    for _ in 0..<6000 {
        do {
            _ = try await client.call("CreateSession", [.dictionary([:])])
            return
        } catch let error as BusError where error.name.hasSuffix(".LimitsExceeded") {
            try await Task.sleep(for: .milliseconds(20))
        }
    }
    throw Failure(message: "clients that left are still counted")
}

func soak() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let seconds = Int(arguments[3]) else {
        throw Failure(message: "usage: soak ADDRESS PID SECONDS")
    }
    let (address, process, tally) = (arguments[1], arguments[2], Tally())
    let first = try BusClient(address)
    // The service has just been started: until it owns its name, calls fail.
    for _ in 0..<1000 {
        if await first.error("Stop", [.uint32(1)]) == nil { break }
        try await Task.sleep(for: .milliseconds(10))
    }
    first.close()
    let before = try await load(address, process, seconds: max(45, seconds / 10), clients: 2000, tally)
    var after = try await load(address, process, seconds: seconds, clients: 0, tally)
    var isFlat: Bool {
        after.descriptors <= before.descriptors && after.threads <= before.threads
            && after.memory - before.memory < limit
    }
    // On a busy machine the service rests later.
    for _ in 0..<40 where !isFlat {
        try await Task.sleep(for: .seconds(3))
        after = try ProcessUsage(of: process)
    }
    // As many clients and sessions as the user may have: nothing of those who left is still counted.
    let clients = try (0..<64).map { _ in try BusClient(address) }
    for client in clients {
        for _ in 0..<4 { try await createSession(client) }
    }
    let counts = tally.all
    print("\(counts.clients) clients, \(counts.refused) calls over a limit; \(counts.requests) requests:")
    print("    \(counts.abandoned) of clients that died, \(counts.ended) that ended with their signal")
    print("descriptors: \(before.descriptors) after the warm-up, \(after.descriptors) at the end")
    print("threads: \(before.threads), \(after.threads)")
    print("private memory: \(before.memory) KiB, \(after.memory) KiB, allowed below \(limit) more")
    guard isFlat else { throw Failure(message: "the service is not flat") }
}

do {
    try await soak()
} catch {
    print("soak: \((error as? Failure)?.message ?? "\(error)")")
    exit(1)
}
