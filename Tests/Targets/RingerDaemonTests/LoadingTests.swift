import Glibc
import Ringer
import RingerBus
import RingerHardware
import RingerTestKit
import ServiceSupport
import Testing

@testable import RingerDaemon

/// Requests whose sounds are read and decoded on other threads, while the service goes on.
@Suite struct LoadingTests {
    /// A request for a sound.
    struct Call: Sendable, CustomTestStringConvertible {
        var member: String
        var options: [String: BusValue] = [:]
        var isFile = true

        var testDescription: String { "\(member) \(isFile ? "file" : "number") \(options.keys.sorted())" }

        func arguments(_ file: PrivateFile) -> [BusValue] {
            let sound = BusValue.variant(isFile ? .descriptor(file.descriptor) : .uint32(1007))
            return [member == "Announce" ? .array(element: "v", [sound]) : sound, .dictionary(options)]
        }
    }

    // Its sound began and was stopped at once: that replaced a system sound, and interrupted a session.
    @Test(
        "a request that is stopped before its sound is decoded ends as stopped, begins nothing and cuts off nobody",
        arguments: [
            Call(member: "Play"), Call(member: "Play", isFile: false),
            Call(member: "Play", options: ["alert": .boolean(true)]),
            Call(member: "Play", options: ["category": .string("playback")]),
            Call(member: "Play", options: ["category": .string("playback")], isFile: false),
            Call(member: "Play", options: ["as": .string("alert")]),
            Call(member: "Alert"), Call(member: "Notify"), Call(member: "Announce"),
            Call(member: "Announce", isFile: false),
        ])
    func stopped(_ call: Call) async throws {
        let bench = try ServiceBench()
        let other = try bench.client()
        _ = try await other.play(.uint32(1005))
        _ = try await other.play(.uint32(1005), ["category": .string("playback")])
        try await other.advance(.milliseconds(50))
        #expect(bench.board.speaker.playing.count == 2)
        // Both messages of a caller that is not known yet wait for the bus's word, and are handled one right after the other.
        let (caller, gate, file) = (try bench.client(), Latch(), try PrivateFile(seconds: 1))
        await withCheckedContinuation { isHeld in
            bench.loop.execute {
                isHeld.resume()
                gate.wait()
            }
        }
        let (member, arguments) = (call.member, call.arguments(file))
        let request = Task.immediate { try await caller.request(member, arguments) }
        let stop = Task.immediate { try await caller.call("Stop", [.uint32(3)]) }
        await caller.flush()
        gate.open()
        #expect(try await request.value == 3)
        withExtendedLifetime(file) {}
        _ = try await stop.value
        #expect(await caller.ended() == .init(request: 3, outcome: "stopped", reason: "caller"))
        try await other.advance(.milliseconds(50))
        #expect(bench.board.speaker.recordings.map(\.outcome) == [nil, nil])
        #expect(bench.board.motor.turns.isEmpty)
    }

    @Test("a file is not read on for a request that was stopped")
    func stoppedReading() async throws {
        let sound = try PrivateFile(seconds: 1)
        let file = try withExtendedLifetime(sound) { try CallerFile(sound.descriptor) }
        let reading = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await file.load()
        }
        await #expect(throws: RingerError.self) { try await reading.value }
    }

    // A caller's leaving closed its system sounds, before the file was one of them.
    @Test("a sound from a descriptor that is to outlive its caller is heard, however soon the caller leaves")
    func leave() async throws {
        for _ in 0..<3 {
            let bench = try ServiceBench()
            let (caller, other) = (try bench.client(), try bench.client())
            let file = try PrivateFile(seconds: 20)
            _ = try await caller.play(.descriptor(file.descriptor), ["completePlaybackIfAppDies": .boolean(true)])
            withExtendedLifetime(file) { caller.close() }
            _ = try await other.call("Stop", [.uint32(0)])
            while bench.clientCount > 1 { await Task.yield() }
            try await other.advance(.seconds(21))
            #expect(bench.board.speaker.recordings.map(\.outcome) == [.drained])
            #expect(try await other.property("Requests") == .array(element: "(us)", []))
        }
    }

    /// Announces files of these lengths in seconds, one after the other, and returns the requests' numbers.
    private func announce(_ files: [PrivateFile], by client: BusClient) async throws -> [UInt32] {
        var requests: [UInt32] = []
        for file in files {
            let clips = BusValue.array(element: "v", [.variant(.descriptor(file.descriptor))])
            requests.append(try await client.request("Announce", [clips, .dictionary([:])]))
        }
        return requests
    }

    // Each was added to the queue when its clips were decoded.
    @Test("announcements play in the order of their calls, however long it takes to decode them")
    func order() async throws {
        let bench = try ServiceBench()
        let client = try bench.client()
        let files = try [20, 5, 0.1].map { try PrivateFile(seconds: $0) }
        let requests = try await announce(files, by: client)
        try await client.advance(.seconds(30))
        #expect(
            bench.board.speaker.recordings.map(\.sound.duration) == [.seconds(20), .seconds(5), .milliseconds(100)])
        for request in requests {
            #expect(await client.ended() == .init(request: request, outcome: "finished", reason: ""))
        }
    }

    @Test("an announcement that is stopped before it is its turn, or cannot be decoded, holds up none that follows")
    func endedOutOfTurn() async throws {
        let bench = try ServiceBench()
        let client = try bench.client()
        let files = try [20, 20, 0.1, 20, 0.2].map { try PrivateFile(seconds: $0) }
        files[3].truncate(to: 40)
        let requests = try await announce(files, by: client)
        for request in [requests[2], requests[0]] { _ = try await client.call("Stop", [.uint32(request)]) }
        try await client.advance(.seconds(21))
        var outcomes: [UInt32: String] = [:]
        for _ in requests {
            let ended = await client.ended()
            outcomes[ended?.request ?? 0] = ended?.outcome
        }
        #expect(requests.map { outcomes[$0] } == ["stopped", "finished", "stopped", "failed", "finished"])
        #expect(bench.board.speaker.recordings.last?.sound.duration == .milliseconds(200))
    }
}
