import Glibc
import RingerCore
import RingerBus
import RingerTestKit
import ServiceSupport
import Testing

@testable import RingerDaemon

/// Callers that send what no program should. Every call is generated from the introspection data.
@Suite struct HostileCallerTests {
    @Test("10,000 ill-typed, out-of-range and oversized calls each get a reply, and the next call is answered")
    func malformed() async throws {
        let (bench, client) = try feedbackBench()
        var session = try await client.call("CreateSession", [.dictionary([:])])[0].string ?? ""
        var calls = HostileCalls(
            seed: 42,
            [
                (.ringer, RingerNames.path), (.simulatedBoard, RingerNames.path), (.session, session),
                (.feedback, FeedbackNames.path), (.haptic, FeedbackNames.path),
            ])
        var refused = 0
        for round in 0..<10_000 {
            let call = calls.next()
            do {
                _ = try await client.call(call.member, call.arguments, interface: call.interface, path: call.path)
                guard call.member == "Release", call.path == session else { continue }
                session = try await client.call("CreateSession", [.dictionary([:])])[0].string ?? ""
                calls.replace(call.path, by: session)
            } catch let error as BusError {
                if !error.isClear { Issue.record("\(call.interface).\(call.member): \(error)") }
                refused += 1
            }
            if round % 200 == 0 { _ = try await client.property("Route") }
        }
        #expect(refused > 5_000)
        #expect(try await client.property("Board") == .string("simulated"))
        _ = try await client.call(
            "SetFault", [.string("speaker"), .string("none")], interface: RingerNames.simulatedBoardInterface)
        let other = try bench.client()
        _ = try await other.play(.uint32(1007), ["category": .string("playback")])
        try await other.advance(.seconds(120))
        #expect(await other.ended()?.outcome == "finished")
    }

    // It was refused without a word in the log. And what searches from the root on was answered at once, before all others.
    @Test(
        "a program that sends too many calls before the bus has said who it is is reported, once",
        arguments: [RingerNames.path, "/"])
    func callsThatWait(_ path: String) async throws {
        let bench = try ServiceBench()
        let caller = try bench.client()
        let gate = Latch()
        await withCheckedContinuation { isHeld in
            bench.loop.execute {
                isHeld.resume()
                gate.wait()
            }
        }
        let most = ReceivedCalls.mostOfOneProgram
        let calls = (0..<most + 3).map { _ in
            Task.immediate {
                path == "/"
                    ? await caller.error("Introspect", interface: BusInterface.introspectable, path: path)
                    : await caller.error("Stop", [.uint32(0)])
            }
        }
        await caller.flush()
        bench.bus.send(SIGSTOP)
        gate.open()
        // A call at least is read in each turn.
        for _ in 0..<4 * most { bench.loop.sync {} }
        bench.bus.send(SIGCONT)
        var errors: [String?] = []
        for call in calls { errors.append(await call.value) }
        let refusal = "org.freedesktop.DBus.Error.LimitsExceeded"
        #expect(errors == Array(repeating: nil, count: most) + Array(repeating: refusal, count: 3))
        #expect(bench.refusals.all.count == 1)
        #expect(bench.refusals.all.first?.contains("user \(getuid()) was refused: more than \(most) calls") == true)
    }

    // Sessions kept names of 30 MiB, and a vibration's text became 30 million numbers.
    @Test("a message of more values or of a longer text than the limit is refused, and its memory is not kept")
    func oversized() async throws {
        let bench = try ServiceBench()
        let client = try bench.client()
        let many = BusValue.array(element: "u", (0..<100_000).map { .uint32($0) })
        #expect(
            await client.error("Play", [.variant(.uint32(1007)), .dictionary(["options": many])])
                == "org.freedesktop.DBus.Error.LimitsExceeded")
        let longest = String(repeating: "1", count: BusMessage.textLimit)
        #expect(await client.error("CreateSession", [.dictionary(["name": .string(longest)])]) == nil)
        #expect(
            await client.error("CreateSession", [.dictionary(["name": .string(longest + "1")])])
                == "org.freedesktop.DBus.Error.LimitsExceeded")
        #expect(try await client.property("Board") == .string("simulated"))
    }

    @Test("unknown objects, interfaces, methods and properties have the errors of the D-Bus specification")
    func unknown() async throws {
        let bench = try ServiceBench()
        let client = try bench.client()
        let prefix = "org.freedesktop.DBus.Error."
        #expect(await client.error("Activate", interface: RingerNames.sessionInterface) == prefix + "UnknownMethod")
        #expect(await client.error("Nothing") == prefix + "UnknownMethod")
        #expect(await client.error("Play", interface: "no.such.Interface") == prefix + "UnknownMethod")
        let path = RingerNames.path + "/session/99"
        #expect(await client.error("Activate", path: path) == prefix + "UnknownObject")
        #expect(
            await client.error(
                "Get", [.string(RingerNames.interface), .string("Nothing")], interface: BusInterface.properties)
                == prefix + "UnknownProperty")
        #expect(await client.set("Route", .string("speaker")) == prefix + "PropertyReadOnly")
    }
}
