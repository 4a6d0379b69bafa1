import Glibc
import RingerCore
import RingerBus
import RingerTestKit
import ServiceSupport
import Testing

@testable import RingerDaemon

/// A service with feedbackd's interface, and a client of it.
func feedbackBench() throws -> (ServiceBench, BusClient) {
    let bench = try ServiceBench(feedback: FeedbackService.Configuration())
    return (bench, try bench.client())
}

/// feedbackd's interface, over a private bus, with a simulated board in virtual time.
@Suite struct FeedbackTests {
    private func bench(important: Set<String> = [], profiles: [String: FeedbackLevel] = [:]) throws -> ServiceBench {
        var configuration = FeedbackService.Configuration()
        configuration.important = important
        configuration.profiles = profiles
        return try ServiceBench(feedback: configuration)
    }

    @Test("an event is given once with the timeout -1, and its end comes after the reply")
    func once() async throws {
        let (bench, client) = try feedbackBench()
        let id = try await client.trigger("message-new-instant")
        #expect(id == 1)
        try await client.advance(.milliseconds(100))
        #expect(bench.board.speaker.playing.count == 1 && bench.board.motor.turns.count == 1)
        try await client.advance(.seconds(3))
        #expect(await client.feedbackEnded() == [1, 0])
        #expect(bench.board.speaker.recordings.map(\.outcome) == [.drained])
        #expect(bench.board.motor.turns.compactMap(\.length) == [.milliseconds(200), .milliseconds(200)])
    }

    // A user who had decoded all that one may neither heard nor felt an incoming call.
    @Test("the device's own sounds count for nobody, and an event whose sound cannot be had is felt")
    func soundFailed() async throws {
        let bench = try ServiceBench(limits: .init([.decoded: 2]), feedback: FeedbackService.Configuration())
        let client = try bench.client()
        _ = try await client.trigger("message-new-instant")
        try await client.advance(.seconds(3))
        #expect(bench.board.speaker.recordings.map(\.outcome) == [.drained])
        #expect(await client.feedbackEnded() == [1, 0])
        let file = try PrivateFile(seconds: 1)
        _ = try await client.trigger(
            "message-new-instant", ["sound-file": .string("/proc/self/fd/\(file.descriptor)")])
        try await client.advance(.seconds(3))
        // Its own sound stands in for the caller's.
        #expect(bench.board.speaker.recordings.count == 2 && bench.board.motor.turns.count == 4)
        #expect(await client.feedbackEnded() == [2, 0])
    }

    @Test(
        "an alarm clock is heard at silent, an incoming call is not",
        arguments: ["alarm-clock-elapsed", "phone-incoming-call"])
    func alarm(_ event: String) async throws {
        let (bench, client) = try feedbackBench()
        bench.board.ringSilent.position = .silent
        _ = try await client.trigger(event)
        try await client.advance(.seconds(5))
        #expect((bench.board.speaker.recordingCount > 0) == (event == "alarm-clock-elapsed"))
        #expect(bench.board.motor.turns.count > 1)
    }

    @Test("without a limit it is given again and again; EndFeedback ends it, and only its caller's own")
    func repeats() async throws {
        let bench = try bench()
        let (client, other) = (try bench.client(), try bench.client())
        let id = try await client.trigger("phone-incoming-call", timeout: 0)
        try await client.advance(.seconds(10))
        #expect(bench.board.speaker.recordings.count > 3)
        _ = try await other.feedback("EndFeedback", [.uint32(id)])
        try await other.advance(.seconds(1))
        #expect(!bench.board.speaker.playing.isEmpty)
        _ = try await client.feedback("EndFeedback", [.uint32(id)])
        try await client.advance(.milliseconds(20))
        #expect(await client.feedbackEnded() == [id, 2])
        #expect(bench.board.speaker.playing.isEmpty && !bench.board.motor.isOn)
        // An id that nobody has is no error, and 0 is one.
        _ = try await client.feedback("EndFeedback", [.uint32(77)])
        #expect(
            await client.error(
                "EndFeedback", [.uint32(0)], interface: FeedbackNames.interface, path: FeedbackNames.path)
                == "org.freedesktop.DBus.Error.UnknownMethod")
    }

    @Test("a timeout ends the round that plays")
    func timeout() async throws {
        let (bench, client) = try feedbackBench()
        _ = try await client.trigger("phone-incoming-call", timeout: 2)
        try await client.advance(.milliseconds(1_990))
        #expect(!bench.board.speaker.playing.isEmpty)
        try await client.advance(.milliseconds(30))
        #expect(await client.feedbackEnded() == [1, 0])
        #expect(bench.board.speaker.playing.isEmpty && !bench.board.motor.isOn)
    }

    @Test("what is in no theme, has nothing at the level, or an unknown profile as its hint, is not found")
    func notFound() async throws {
        let (bench, client) = try feedbackBench()
        defer { withExtendedLifetime(bench) {} }
        _ = try await client.trigger("no-such-event")
        #expect(await client.feedbackEnded() == [1, .max])
        _ = try await client.trigger("phone-hangup", ["profile": .string("quiet")])
        #expect(await client.feedbackEnded() == [2, .max])
        _ = try await client.trigger("phone-hangup", ["profile": .string("bogus")])
        #expect(await client.feedbackEnded() == [3, .max])
        // A hint of another type is ignored.
        _ = try await client.trigger("phone-hangup", ["profile": .uint32(1)])
        try await client.advance(.seconds(3))
        #expect(await client.feedbackEnded() == [4, 0])
        #expect(
            await client.error(
                "TriggerFeedback", [.string(""), .string("bell-terminal"), .dictionary([:]), .int32(-1)],
                interface: FeedbackNames.interface, path: FeedbackNames.path)
                == "org.freedesktop.DBus.Error.InvalidArgs")
    }

    @Test("the level is the lowest of profile, hint and application, and important lifts the profile, not the switch")
    func levels() async throws {
        let bench = try bench(important: ["org.clock"], profiles: ["org.quiet": .quiet])
        let client = try bench.client()
        try await client.setProfile("quiet")
        _ = try await client.trigger("phone-incoming-call")
        try await client.advance(.seconds(3))
        #expect(bench.board.speaker.recordings.isEmpty && !bench.board.motor.turns.isEmpty)
        _ = try await client.trigger("alarm-clock-elapsed", ["important": .boolean(true)], app: "org.clock")
        try await client.advance(.seconds(5))
        #expect(bench.board.speaker.recordings.count == 1)
        _ = try await client.trigger("alarm-clock-elapsed", ["important": .boolean(true)], app: "org.other")
        try await client.advance(.seconds(5))
        #expect(bench.board.speaker.recordings.count == 1)
        try await client.setProfile("full")
        _ = try await client.trigger("alarm-clock-elapsed", app: "org.quiet")
        try await client.advance(.seconds(5))
        #expect(bench.board.speaker.recordings.count == 1)
        try await client.setSwitch("silent")
        _ = try await client.trigger("phone-incoming-call", ["important": .boolean(true)], app: "org.clock")
        try await client.advance(.seconds(5))
        #expect(bench.board.speaker.recordings.count == 1)
    }

    @Test("a flip to silent silences a call, which goes on being felt, and is heard again after the flip back")
    func flip() async throws {
        let (bench, client) = try feedbackBench()
        let id = try await client.trigger("phone-incoming-call", timeout: 0)
        try await client.advance(.milliseconds(100))
        try await client.setSwitch("silent")
        try await client.advance(.milliseconds(20))
        #expect(bench.board.speaker.playing.isEmpty)
        let turns = bench.board.motor.turns.count
        try await client.advance(.seconds(5))
        #expect(bench.board.speaker.playing.isEmpty && bench.board.motor.turns.count > turns)
        try await client.setSwitch("ring")
        try await client.advance(.seconds(2))
        #expect(!bench.board.speaker.playing.isEmpty)
        _ = try await client.feedback("EndFeedback", [.uint32(id)])
    }

    @Test("lowering the profile ends what it no longer permits, before it is announced")
    func lower() async throws {
        let (bench, client) = try feedbackBench()
        defer { withExtendedLifetime(bench) {} }
        _ = try await client.trigger("phone-hangup", timeout: 0)
        try await client.advance(.milliseconds(50))
        try await client.setProfile("quiet")
        var members: [String] = []
        for await signal in client.signals where ["FeedbackEnded", "PropertiesChanged"].contains(signal.member) {
            if signal.member == "PropertiesChanged", signal.arguments[0].string != FeedbackNames.interface { continue }
            members.append(signal.member)
            if members.count == 2 { break }
        }
        #expect(members == ["FeedbackEnded", "PropertiesChanged"])
    }

    @Test("an unknown profile is refused, and the one in force is announced to the caller")
    func unknownProfile() async throws {
        let (bench, client) = try feedbackBench()
        defer { withExtendedLifetime(bench) {} }
        await #expect(throws: BusError.self) { try await client.setProfile("bogus") }
        for await signal in client.signals where signal.member == "PropertiesChanged" {
            guard signal.arguments[0].string == FeedbackNames.interface else { continue }
            #expect(signal.arguments[1].dictionary == ["Profile": .string("full")])
            break
        }
        let value = try await client.call(
            "Get", [.string(FeedbackNames.interface), .string("Profile")], interface: BusInterface.properties,
            path: FeedbackNames.path)
        #expect(value.first?.contents == .string("full"))
    }

    @Test("a caller that leaves ends its loops and patterns; what plays once plays out")
    func leaves() async throws {
        let bench = try bench()
        let (gone, other) = (try bench.client(), try bench.client())
        _ = try await gone.trigger("phone-incoming-call", timeout: 0)
        _ = try await gone.trigger("phone-hangup")
        try await other.advance(.milliseconds(50))
        #expect(bench.board.speaker.playing.count == 2)
        gone.close()
        while bench.clientCount > 0 { await Task.yield() }
        try await other.advance(.milliseconds(20))
        #expect(bench.board.speaker.playing.count == 1 && !bench.board.motor.isOn)
        try await other.advance(.seconds(3))
        #expect(bench.board.speaker.recordings.count { $0.outcome == .drained } == 1)
    }

    @Test("a missed call blinks the status light until it is ended, its time is over or its caller leaves")
    func light() async throws {
        let bench = try bench()
        let (client, other) = (try bench.client(), try bench.client())
        let blinking = LightPattern.blinking(on: .seconds(1), off: .seconds(1))
        let id = try await client.trigger("phone-missed-call", timeout: 0)
        try await client.advance(.seconds(100))
        #expect(bench.board.statusLight.pattern == blinking)
        #expect(bench.board.statusLight.color == LightColor(green: 255, blue: 255))
        // A newer one is shown above it.
        let second = try await client.trigger("battery-caution", timeout: 2)
        try await client.advance(.seconds(1))
        #expect(
            bench.board.statusLight.pattern == .blinking(on: .milliseconds(200), off: .milliseconds(1800)))
        #expect(bench.board.statusLight.color == LightColor(red: 255))
        try await client.advance(.seconds(2))
        #expect(await client.feedbackEnded() == [second, 0])
        #expect(bench.board.statusLight.pattern == blinking)
        #expect(bench.board.statusLight.color == LightColor(green: 255, blue: 255))
        _ = try await client.feedback("EndFeedback", [.uint32(id)])
        #expect(await client.feedbackEnded() == [id, 2])
        #expect(bench.board.statusLight.pattern == .off && bench.board.statusLight.color == nil)
        // Neither the profile nor the switch forbid a light, and it has no end of its own: its caller's is its end.
        try await client.setProfile("silent")
        _ = try await other.trigger("message-missed-sms")
        try await client.advance(.seconds(10))
        #expect(bench.board.statusLight.pattern == blinking)
        other.close()
        while bench.board.statusLight.pattern != .off { await Task.yield() }
        #expect(bench.board.speaker.recordings.isEmpty && bench.board.motor.turns.isEmpty)
    }

    @Test("events that play out for callers that have left count for their user")
    func leftBehind() async throws {
        let bench = try ServiceBench(limits: .init([.requests: 2]), feedback: FeedbackService.Configuration())
        let other = try bench.client()
        for round in 0..<4 {
            let gone = try bench.client()
            if round < 2 {
                _ = try await gone.trigger("phone-hangup")
            } else {
                await #expect(throws: BusError.self) { try await gone.trigger("phone-hangup") }
            }
            try await other.advance(.milliseconds(20))
            gone.close()
            while bench.clientCount > 0 { await Task.yield() }
        }
        try await other.advance(.milliseconds(20))
        #expect(bench.board.speaker.recordings.count == 2 && bench.board.speaker.playing.count == 2)
        try await other.advance(.seconds(10))
        _ = try await other.trigger("phone-hangup")
        await #expect(throws: BusError.self) { try await other.trigger("phone-hangup") }
    }

    @Test("setting the profile takes no client's place")
    func noPlace() async throws {
        let bench = try ServiceBench(limits: .init([.clients: 1]), feedback: FeedbackService.Configuration())
        for level in ["silent", "full", "quiet"] { try await bench.client().setProfile(level) }
        #expect(bench.clientCount == 0)
    }

    @Test("the profile that was set last is kept when the service ends, and holds after it was started again")
    func keepsProfile() async throws {
        let folder = try TemporaryFolder()
        var configuration = FeedbackService.Configuration()
        configuration.profileFile = folder.path + "/feedback-profile"
        for last in ["silent", "quiet", "full", "silent"] {
            let bench = try ServiceBench(feedback: configuration)
            let client = try bench.client()
            for name in ["full", "quiet", "silent", "full", "quiet", last] { try await client.setProfile(name) }
            bench.stop()
            #expect(folder.names == ["feedback-profile"])
            #expect(try TextFile.read(folder.path + "/feedback-profile") == last + "\n")
            // The signals end with the bus.
            bench.bus.send(SIGKILL)
            for await signal in client.signals { #expect(signal.member != "Degraded") }
        }
        let bench = try ServiceBench(feedback: configuration)
        let client = try bench.client()
        let value = try await client.call(
            "Get", [.string(FeedbackNames.interface), .string("Profile")], interface: BusInterface.properties,
            path: FeedbackNames.path)
        #expect(value.first?.contents == .string("silent"))
    }

    // It used to count as full, without a word: a device that was silent made sounds.
    @Test(
        "a kept profile that cannot be read, or is none, counts as silent until one is set", arguments: [true, false])
    func unknownKeptProfile(isDirectory: Bool) async throws {
        let folder = try TemporaryFolder()
        var configuration = FeedbackService.Configuration()
        configuration.profileFile = isDirectory ? folder.path : try folder.write("loud\n", to: "feedback-profile")
        let bench = try ServiceBench(feedback: configuration)
        let client = try bench.client()
        func profile() async throws -> BusValue? {
            try await client.call(
                "Get", [.string(FeedbackNames.interface), .string("Profile")], interface: BusInterface.properties,
                path: FeedbackNames.path
            ).first?.contents
        }
        #expect(try await profile() == .string("silent"))
        // What replaces a directory is not kept.
        do {
            try await client.setProfile("quiet")
            #expect(!isDirectory)
        } catch let error as BusError {
            #expect(isDirectory && error.name.hasPrefix("org.ringer.Error."))
        }
        #expect(try await profile() == .string("quiet"))
        #expect(isDirectory == (folder.names == []))
    }

    // The call succeeded, and a file of 0 bytes stayed.
    @Test("a profile that cannot be kept is in force, and its call fails until it is kept; no part of it stays")
    func fullDisk() async throws {
        let folder = try TemporaryFolder()
        var configuration = FeedbackService.Configuration()
        configuration.profileFile = folder.path + "/feedback-profile"
        // What is written beside it cannot take its place.
        mkdir(folder.path + "/feedback-profile", 0o755)
        let bench = try ServiceBench(feedback: configuration)
        let client = try bench.client()
        for level in ["quiet", "quiet", "full"] {
            await #expect(throws: BusError.self) { try await client.setProfile(level) }
            #expect(folder.names == ["feedback-profile"])
        }
        rmdir(folder.path + "/feedback-profile")
        try await client.setProfile("full")
        #expect(try TextFile.read(folder.path + "/feedback-profile") == "full\n")
    }

    @Test("Haptic runs a pattern of amplitudes; an empty one and a profile that does not permit it stop it")
    func haptic() async throws {
        let (bench, client) = try feedbackBench()
        func pattern(_ pairs: [(Double, UInt32)]) -> BusValue {
            .array(element: "(du)", pairs.map { .structure([.double($0.0), .uint32($0.1)]) })
        }
        func vibrate(_ pairs: [(Double, UInt32)]) async throws -> Bool? {
            try await client.call(
                "Vibrate", [.string("app"), pattern(pairs)], interface: FeedbackNames.hapticInterface,
                path: FeedbackNames.path
            ).first?.boolean
        }
        #expect(try await vibrate([(1, 200), (0, 50), (0.5, 300)]) == true)
        try await client.advance(.seconds(1))
        let turns = bench.board.motor.turns
        #expect(turns.compactMap(\.length) == [.milliseconds(200), .milliseconds(300)])
        #expect(turns.map(\.strength) == [1, 0.5])
        #expect(try await vibrate([(2, 60_000)]) == true)
        try await client.advance(.milliseconds(100))
        #expect(bench.board.motor.isOn)
        #expect(try await vibrate([]) == true)
        try await client.advance(.milliseconds(1))
        #expect(!bench.board.motor.isOn)
        #expect(try await vibrate([(1, 1_000), (0, 200), (1, 1_000)]) == true)
        try await client.setProfile("quiet")
        try await client.advance(.milliseconds(100))
        #expect(bench.board.motor.isOn)
        try await client.setProfile("silent")
        try await client.advance(.milliseconds(1))
        #expect(!bench.board.motor.isOn)
        let count = bench.board.motor.turnCount
        try await client.advance(.seconds(5))
        #expect(bench.board.motor.turnCount == count)
        #expect(try await vibrate([(1, 100)]) == false)
    }
}

extension BusClient {
    func feedback(_ member: String, _ arguments: [BusValue]) async throws -> [BusValue] {
        try await call(member, arguments, interface: FeedbackNames.interface, path: FeedbackNames.path)
    }

    func trigger(
        _ event: String, _ hints: [String: BusValue] = [:], app: String = "org.example", timeout: Int32 = -1
    ) async throws -> UInt32 {
        try await feedback(
            "TriggerFeedback", [.string(app), .string(event), .dictionary(hints), .int32(timeout)]
        ).first?.uint32 ?? 0
    }

    func setSwitch(_ position: String) async throws {
        _ = try await call("SetSwitch", [.string(position)], interface: RingerNames.simulatedBoardInterface)
    }

    func setProfile(_ name: String) async throws {
        _ = try await call(
            "Set", [.string(FeedbackNames.interface), .string("Profile"), .variant(.string(name))],
            interface: BusInterface.properties, path: FeedbackNames.path)
    }

    /// Waits for the next FeedbackEnded signal: the id and the reason.
    func feedbackEnded() async -> [UInt32] {
        for await signal in signals where signal.member == "FeedbackEnded" {
            return signal.arguments.compactMap(\.uint32)
        }
        return []
    }
}
