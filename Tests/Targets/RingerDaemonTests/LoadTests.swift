import Glibc
import RingerCore
import RingerBus
import RingerTestKit
import ServiceSupport
import Testing

@testable import RingerDaemon

/// Many clients, and a bus that does not answer.
@Suite struct LoadTests {
    @Test("60 clients that play, subscribe and leave: every request ends, and nothing is left of them")
    func clients() async throws {
        let bench = try ServiceBench(limits: .init([.clients: 64, .requests: 64, .sessions: 64]))
        let observer = try bench.client()
        for _ in 0..<5 {
            let clients = try (0..<60).map { _ in try bench.client() }
            for (index, client) in clients.enumerated() {
                let path = try await client.call("CreateSession", [.dictionary(["category": .string("playback")])])[0]
                _ = try await client.call("Activate", interface: RingerNames.sessionInterface, path: path.string ?? "")
                let id = try await client.play(.uint32(1007), ["category": .string("ambient")])
                if index % 3 == 0 { _ = try await client.call("Stop", [.uint32(id)]) }
            }
            try await observer.advance(.seconds(2))
            for (index, client) in clients.enumerated() where index % 2 == 0 {
                #expect(await client.ended() != nil)
            }
            for client in clients { client.close() }
            while bench.clientCount > 1 { await Task.yield() }
        }
        #expect(try await observer.property("Requests") == .array(element: "(us)", []))
        #expect(bench.device.sessions.all.filter(\.isActive).isEmpty)
    }

    // The board is on the service's own thread: a call there that waited for the bus would leave the motor on.
    @Test(
        "a motor stops though the bus does not answer and much changes; then the newest state is published")
    func stoppedBus() async throws {
        let bench = try ServiceBench(isRealTime: true)
        let client = try bench.client()
        _ = try await client.request("Vibrate", [.string("2000"), .dictionary([:])])
        bench.bus.send(SIGSTOP)
        defer { bench.bus.send(SIGCONT) }
        // More signals than the 8 MiB hold that sd-bus gives its socket.
        let flips = 30_000
        for flip in 0..<flips {
            bench.board.ringSilent.position = flip % 2 == 0 ? .silent : .ring
            bench.loop.sync {}
        }
        while bench.board.motor.turns.isEmpty || bench.board.motor.isOn { await Task.yield() }
        #expect(bench.board.motor.turns.count == 1)
        bench.board.ringSilent.position = .vibrate
        bench.bus.send(SIGCONT)
        var signals = 0
        for await signal in client.signals where signal.member == "PropertiesChanged" {
            signals += 1
            if signal.arguments[1].dictionary?["SwitchPosition"] == .string("vibrate") { break }
        }
        // Those that the socket held: no more were queued.
        #expect(signals < flips * 2 / 3)
    }

    @Test("a client that does not read its signals keeps nobody else waiting, and the service's memory small")
    func deafClient() async throws {
        let bench = try ServiceBench()
        let (deaf, client) = (try bench.client(), try bench.client())
        _ = try await deaf.property("Board")
        deaf.block()
        defer { deaf.unblock() }
        for _ in 0..<500 {
            for position in ["silent", "ring"] {
                _ = try await client.call(
                    "SetSwitch", [.string(position)], interface: RingerNames.simulatedBoardInterface)
            }
        }
        #expect(try await client.property("SwitchPosition") == .string("ring"))
    }

    @Test("a service whose bus goes away reports that, once")
    func busGone() async throws {
        let bench = try ServiceBench()
        let gone = bench.disconnected
        bench.bus.send(SIGKILL)
        var errors = 0
        for await _ in gone { errors += 1 }
        #expect(errors == 1)
    }
}
