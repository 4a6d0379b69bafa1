import Ringer
import RingerBus
import RingerTestKit
import ServiceSupport
import Testing

@testable import RingerDaemon

/// Callers that send what no program should. Every call is generated from the introspection data.
@Suite struct HostileCallerTests {
    /// A generator whose numbers are the same in every run.
    private struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    private static let strings = [
        "", "ring", "playback", "session", "systemSound", "alert", "400,200,400", "-1", "99999999999999999999", "0,0",
        "../../etc/passwd", "%s%n", "\u{1F514}", String(repeating: "x", count: 5_000), "org.ringer.Ringer1",
        "Preferences", "Volume", "/", "1e308", "speaker", "unplugged",
        "phone-incoming-call", "phone-missed-call", "full", "on",
    ]

    private func value(of type: String, _ numbers: inout Numbers, depth: Int = 0) -> BusValue {
        switch type.first {
        case "s": return .string(Self.strings.randomElement(using: &numbers) ?? "")
        case "b": return .boolean(Bool.random(using: &numbers))
        case "u": return .uint32([0, 1, 1007, 4095, .max, numbers.next32()].randomElement(using: &numbers) ?? 0)
        case "i": return .int32([0, -1, .min, .max].randomElement(using: &numbers) ?? 0)
        // A clock that is moved by hours has much to do on the way: 5 s at most.
        case "t": return .uint64([0, 1, 5_000_000, .max].randomElement(using: &numbers) ?? 0)
        case "d":
            return .double([0, -1, 0.5, .nan, .infinity, -.infinity, 1e300].randomElement(using: &numbers) ?? 0)
        case "v":
            let types = ["s", "u", "b", "d", "i", "as", "a{sv}", "v", "t"]
            let inner = depth > 3 ? "u" : types.randomElement(using: &numbers) ?? "u"
            return .variant(value(of: inner, &numbers, depth: depth + 1))
        case "a":
            let count = Int.random(in: 0...4, using: &numbers)
            if type.hasPrefix("a{") {
                let names = [
                    "category", "options", "alert", "limit", "way", "pattern", "pause", "volume", "critical",
                    "priority",
                    "expiry", "strength", "times", "name", "doNotDisturb", "unknown", "profile", "important",
                    "sound-file",
                ]
                var entries: [String: BusValue] = [:]
                for _ in 0..<count {
                    let key = names.randomElement(using: &numbers) ?? ""
                    entries[key] = value(of: "v", &numbers, depth: depth + 1).contents
                }
                return .dictionary(entries)
            }
            let element = String(type.dropFirst())
            return .array(element: element, (0..<count).map { _ in value(of: element, &numbers, depth: depth + 1) })
        case "(":
            return .structure(type.dropFirst().dropLast().map { value(of: String($0), &numbers, depth: depth + 1) })
        default: return .byte(0)
        }
    }

    private func isClear(_ error: String?) -> Bool {
        guard let error else { return true }
        return error.hasPrefix("org.freedesktop.DBus.Error.") || error.hasPrefix("org.ringer.Error.")
    }

    @Test("10,000 ill-typed, out-of-range and oversized calls each get a reply, and the next call is answered")
    func malformed() async throws {
        let bench = try ServiceBench(feedback: FeedbackService.Configuration())
        let client = try bench.client()
        let session = try await client.call("CreateSession", [.dictionary([:])])[0].string ?? ""
        var numbers = Numbers(state: 42)
        let types = ["s", "u", "b", "i", "d", "v", "as", "a{sv}", "t", "av"]
        let targets: [(BusInterface, path: String)] = [
            (.ringer, RingerNames.path), (.simulatedBoard, RingerNames.path), (.session, session),
            (.feedback, FeedbackNames.path), (.haptic, FeedbackNames.path),
        ]
        var refused = 0
        for round in 0..<10_000 {
            guard let (interface, path) = targets.randomElement(using: &numbers) else { break }
            let methods = interface.methods.filter { $0.name != "Release" }
            guard let method = methods.randomElement(using: &numbers) else { break }
            var arguments = method.input.map { value(of: $0.type, &numbers) }
            if round % 3 == 0 {
                // Another signature than the method's.
                arguments = (0..<Int.random(in: 0...3, using: &numbers)).map { _ in
                    value(of: types.randomElement(using: &numbers) ?? "s", &numbers)
                }
            }
            var (name, member) = (interface.name, method.name)
            if round % 7 == 0, let property = interface.properties.randomElement(using: &numbers) {
                (name, member) = (BusInterface.properties, "Set")
                arguments = [.string(interface.name), .string(property.name), value(of: "v", &numbers)]
            }
            let error = await client.error(member, arguments, interface: name, path: path)
            if !isClear(error) { Issue.record("\(name).\(member): \(error ?? "")") }
            if error != nil { refused += 1 }
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

    @Test("a message of more values than the limit is refused, and its memory is not kept")
    func oversized() async throws {
        let bench = try ServiceBench()
        let client = try bench.client()
        let many = BusValue.array(element: "u", (0..<100_000).map { .uint32($0) })
        #expect(
            await client.error("Play", [.variant(.uint32(1007)), .dictionary(["options": many])])
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
        #expect(
            await client.error(
                "Set", [.string(RingerNames.interface), .string("Route"), .variant(.string("speaker"))],
                interface: BusInterface.properties) == prefix + "PropertyReadOnly")
    }
}

extension RandomNumberGenerator {
    fileprivate mutating func next32() -> UInt32 { UInt32(truncatingIfNeeded: next()) }
}
