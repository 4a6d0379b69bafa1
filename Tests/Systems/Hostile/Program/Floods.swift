import Glibc
import RingerLinux
import RingerBus
import RingerDaemon
import ServiceSupport

/// One program that sends nothing but one method, as fast as the bus takes it, beside which another program calls the service.
struct Floods {
    let bus: TestBus
    let user: TestUser
    /// What one call may take, p99, besides what a round trip to the bus itself takes meanwhile, and what the service's thread waits
    /// for a processor.
    static let limit = Duration.milliseconds(100)
    /// What the service's private memory may be above rest meanwhile, in KiB.
    private static let memory = 16 << 10

    /// What the arguments of some types are, so that the service works as much as it may.
    private static let values: [String: BusValue] = [
        "v": sound, "av": .array(element: "v", [sound, sound, sound]), "a{sv}": .dictionary([:]), "as": .strings([]),
        "a(du)": .array(element: "(du)", [.structure([.double(0.5), .uint32(10)])]), "b": .boolean(true),
        "d": .double(0.5), "i": .int32(-1), "t": .uint64(1), "u": .uint32(1),
    ]
    private static let sound = BusValue.variant(.uint32(1005))
    /// What the texts are.
    private static let texts = [
        "Vibrate.pattern": "10", "Vibrate.app_id": "app", "Light.pattern": "on", "Decide.sound": "alert",
        "SetPosition.position": "toggle", "SetPositionUntil.position": "silent", "SetTimeZone.rules": "UTC0",
        "SetCategory.category": "playback", "TriggerFeedback.app_id": "app",
        "TriggerFeedback.event": "message-new-instant", "Set.Profile": "full", "Set.Category": "playback",
    ]

    private static func value(_ type: String, _ name: String) throws -> BusValue {
        guard let value = type == "s" ? texts[name].map(BusValue.string) : values[type] else {
            throw Failure(message: "the floods have no argument for \(name) of the type \(type)")
        }
        return value
    }

    /// Every method of every object that the service has, as its introspection data lists them, and every property that may be
    /// written.
    private func calls(session: String) throws -> [RawCaller.Call] {
        func call(_ member: String, _ arguments: [BusValue], _ interface: String, _ path: String) -> RawCaller.Call {
            RawCaller.Call(.init(path: path, interface: interface, member: member, arguments: arguments))
        }
        var calls: [RawCaller.Call] = []
        for (interface, path) in Attack.interfaces(session: session) {
            for method in interface.methods {
                let arguments = try method.input.map { try Self.value($0.type, "\(method.name).\($0.name)") }
                calls.append(call(method.name, arguments, interface.name, path))
            }
            for property in interface.properties where property.isWritable {
                let value = try Self.value(property.type, "Set.\(property.name)")
                calls.append(
                    call(
                        "Set", [.string(interface.name), .string(property.name), .variant(value)],
                        BusInterface.properties, path))
            }
        }
        let (own, path, properties) = (RingerNames.interface, RingerNames.path, BusInterface.properties)
        calls += [
            call("Get", [.string(own), .string("Preferences")], properties, path),
            call("GetAll", [.string(own)], properties, path), call("Introspect", [], BusInterface.introspectable, path),
            call("Ping", [], "org.freedesktop.DBus.Peer", path), call("Nothing", [], own, path),
            call("Nothing", [], own, "/no/such/object"),
            // Their replies are larger than the calls.
            call("Introspect", [], BusInterface.introspectable, "/"), call("Nothing", [], "a.b", "/x"),
        ]
        // A session is gone after this one.
        return calls.filter { $0.member != "Release" } + calls.filter { $0.member == "Release" }
    }

    /// Floods with each method in turn, for so many seconds without and with replies.
    func run(seconds: Double) async throws {
        let process = try ServiceProcess(bus, isRealTime: true)
        let victim = try BusClient(bus.address)
        try await process.serves(victim)
        func newSession() async throws -> Int {
            let path = try await victim.call("CreateSession", [.dictionary([:])])[0].string ?? ""
            return path.split(separator: "/").last.flatMap { Int($0) } ?? 0
        }
        let attacker = try RawCaller(bus.address, as: user)
        let last = try await newSession()
        var create = RawCaller.Call("CreateSession")
        (create.signature, create.body) = ("a{sv}", [UInt8](repeating: 0, count: 8))
        try attacker.send([create])
        let end = ContinuousClock.now + .seconds(60)
        while try await newSession() < last + 2 {
            guard ContinuousClock.now < end else { throw Failure(message: "the attacker has no session after 60 s") }
        }
        var slowest = (time: Duration.zero, what: "")
        let before = try ProcessUsage(of: "\(process.process)").memory
        var largest = (memory: before, what: "")
        for call in try calls(session: RingerNames.path + "/session/\(last + 1)") {
            for wantsReply in [false, true] {
                var call = call
                call.expectsReply = wantsReply
                func once() async throws -> (Duration, Duration, Int, memory: Int) {
                    try await flood(attacker, call, beside: victim, of: process.process, seconds: seconds)
                }
                var (time, bus, count, memory) = try await once()
                // Of fewer than 100 times p99 is the longest, which may be the machine's.
                if time > Self.limit + bus { (time, bus, count, memory) = try await once() }
                let what =
                    "\(call.interface.split(separator: ".").last ?? "").\(call.member)\(wantsReply ? ", with replies" : "")"
                if time > slowest.time { slowest = (time, what) }
                if memory > largest.memory { largest = (memory, what) }
                guard time <= Self.limit + bus else {
                    throw Failure(
                        message: "beside \(count) calls of \(what) another's takes \(time), and the bus's own \(bus)")
                }
            }
        }
        say("beside a flood of any method a call takes \(slowest.time) at p99 at most, with \(slowest.what)")
        guard process.isRunning else { throw Failure(message: "the service has ended") }
        say("private memory: \(before) KiB before, at most \(largest.memory), with \(largest.what)")
        guard largest.memory - before <= Self.memory else {
            throw Failure(message: "a flood of \(largest.what) takes memory")
        }
    }

    /// Returns p99 of the times of another's calls and of round trips to the bus itself, how many calls the flood had, and the most
    /// private memory of the service in KiB.
    private func flood(
        _ attacker: RawCaller, _ call: RawCaller.Call, beside victim: BusClient, of process: pid_t, seconds: Double
    ) async throws -> (Duration, Duration, Int, memory: Int) {
        let isOver = Flag()
        let burst = attacker.messages([RawCaller.Call](repeating: call, count: 100))
        let flood = Task {
            try await DetachedThread.run { () -> Int? in
                var count = 0
                while !isOver.isRaised {
                    do { try attacker.send(burst) } catch { return nil }
                    count += 100
                }
                return count
            }
        }
        let clock = ContinuousClock()
        var (times, ofBus, memory): ([Duration], [Duration], Int) = ([], [], 0)
        let end = clock.now + .seconds(seconds)
        while clock.now < end || times.count < 10 && clock.now < end + .seconds(60) {
            ofBus.append(try await clock.measure { _ = try await victim.bus("GetId") })
            let before = ProcessUsage.waited("ringerd", of: process)
            let time = try await clock.measure { _ = try await victim.property("Board") }
            times.append(time - (ProcessUsage.waited("ringerd", of: process) - before))
            memory = max(memory, try ProcessUsage(of: "\(process)").memory)
        }
        isOver.raise()
        guard times.count >= 10 else { throw Failure(message: "\(times.count) calls beside \(call.member) in 60 s") }
        guard let count = try await flood.value else {
            throw Failure(message: "the bus has disconnected the flood of \(call.member)")
        }
        func p99(_ times: [Duration]) -> Duration { times.sorted()[times.count * 99 / 100] }
        return (p99(times), p99(ofBus), count, memory)
    }
}
