import Glibc
import Ringer
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

    /// Every method of every object that the service has, with arguments that make it work as much as it may.
    private func calls(session: String) -> [RawCaller.Call] {
        func call(
            _ member: String, _ arguments: [BusValue] = [], _ interface: String = RingerNames.interface,
            _ path: String = RingerNames.path
        ) -> RawCaller.Call {
            RawCaller.Call(.init(path: path, interface: interface, member: member, arguments: arguments))
        }
        let (none, sound) = (BusValue.dictionary([:]), BusValue.variant(.uint32(1005)))
        let (properties, name) = (BusInterface.properties, BusValue.string(RingerNames.interface))
        let own = [
            call("CreateSession", [none]), call("Play", [sound, none]), call("Alert", [sound, none]),
            call("Notify", [sound, none]), call("Announce", [.array(element: "v", [sound, sound, sound]), none]),
            call("Vibrate", [.string("10"), none]), call("Light", [.string("on")]), call("Stop", [.uint32(0)]),
            call("SetVolume", [.uint32(1), .double(0.5)]), call("ReleaseOutput"), call("Detect"),
            call("Decide", [.string("alert"), none]),
        ]
        let ofSession =
            [
                call("Activate"), call("Resume", [.uint64(1)]), call("Deactivate", [.boolean(true)]),
                call("SetCategory", [.string("playback"), .strings([])]), call("Play", [sound, none]),
            ].map { call in
                var call = call
                (call.interface, call.path) = (RingerNames.sessionInterface, session)
                return call
            }
        let ofFeedback = [
            call(
                "TriggerFeedback",
                [.string("app"), .string("message-new-instant"), none, .int32(-1)], FeedbackNames.interface,
                FeedbackNames.path),
            call("EndFeedback", [.uint32(1)], FeedbackNames.interface, FeedbackNames.path),
            call(
                "Vibrate",
                [.string("app"), .array(element: "(du)", [.structure([.double(0.5), .uint32(10)])])],
                FeedbackNames.hapticInterface, FeedbackNames.path),
        ]
        let ofAll = [
            call("Get", [name, .string("Preferences")], properties), call("GetAll", [name], properties),
            call("Set", [name, .string("Volume"), .variant(.double(0.5))], properties),
            call("Introspect", [], BusInterface.introspectable), call("Ping", [], "org.freedesktop.DBus.Peer"),
            call("Nothing"), call("Nothing", [], RingerNames.interface, "/no/such/object"),
            // Their replies are larger than the calls.
            call("Introspect", [], BusInterface.introspectable, "/"), call("Nothing", [], "a.b", "/x"),
            // The last one: its session is gone then.
            call("Release", [], RingerNames.sessionInterface, session),
        ]
        return own + ofSession + ofFeedback + ofAll
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
        for call in calls(session: RingerNames.path + "/session/\(last + 1)") {
            for wantsReply in [false, true] {
                var call = call
                call.expectsReply = wantsReply
                func once() async throws -> (Duration, Duration, Int) {
                    try await flood(attacker, call, beside: victim, of: process.process, seconds: seconds)
                }
                var (time, bus, count) = try await once()
                // Of fewer than 100 times p99 is the longest, which may be the machine's.
                if time > Self.limit + bus { (time, bus, count) = try await once() }
                let what =
                    "\(call.interface.split(separator: ".").last ?? "").\(call.member)\(wantsReply ? ", with replies" : "")"
                if time > slowest.time { slowest = (time, what) }
                guard time <= Self.limit + bus else {
                    throw Failure(
                        message: "beside \(count) calls of \(what) another's takes \(time), and the bus's own \(bus)")
                }
            }
        }
        say("beside a flood of any method a call takes \(slowest.time) at p99 at most, with \(slowest.what)")
        guard process.isRunning else { throw Failure(message: "the service has ended") }
    }

    /// Returns p99 of the times of another's calls and of round trips to the bus itself, and how many calls the flood had.
    private func flood(
        _ attacker: RawCaller, _ call: RawCaller.Call, beside victim: BusClient, of process: pid_t, seconds: Double
    ) async throws -> (Duration, Duration, Int) {
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
        var (times, ofBus): ([Duration], [Duration]) = ([], [])
        let end = clock.now + .seconds(seconds)
        while clock.now < end || times.count < 10 && clock.now < end + .seconds(60) {
            ofBus.append(try await clock.measure { _ = try await victim.bus("GetId") })
            let before = ProcessUsage.waited("ringerd", of: process)
            let time = try await clock.measure { _ = try await victim.property("Board") }
            times.append(time - (ProcessUsage.waited("ringerd", of: process) - before))
        }
        isOver.raise()
        guard times.count >= 10 else { throw Failure(message: "\(times.count) calls beside \(call.member) in 60 s") }
        guard let count = try await flood.value else {
            throw Failure(message: "the bus has disconnected the flood of \(call.member)")
        }
        func p99(_ times: [Duration]) -> Duration { times.sorted()[times.count * 99 / 100] }
        return (p99(times), p99(ofBus), count)
    }
}
