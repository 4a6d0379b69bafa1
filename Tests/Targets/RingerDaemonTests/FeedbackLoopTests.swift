import Glibc
import RingerCore
import RingerBus
import RingerTestKit
import ServiceSupport
import SoundFile
import Testing

@testable import RingerDaemon

/// Events that are given again and again, over a private bus, with a simulated board in virtual time.
@Suite struct FeedbackLoopTests {
    // Each restarted at once where the other had replaced it: the motor turned without rest until its limit, and both ended.
    @Test("two loops at silent share the motor, which rests; both go on")
    func twoLoops() async throws {
        let (bench, client) = try feedbackBench()
        bench.device.preferences.alarmsIgnoreSilence = false
        try await client.setSwitch("silent")
        let call = try await client.trigger("phone-incoming-call", timeout: 0)
        let alarm = try await client.trigger("alarm-clock-elapsed", timeout: 0)
        try await client.advance(.seconds(60))
        let lengths = bench.board.motor.turns.compactMap(\.length)
        #expect(lengths.count { $0 == .milliseconds(400) } > 20 && lengths.count { $0 == .milliseconds(500) } > 20)
        #expect(lengths.count < 130 && lengths.allSatisfy { $0 <= .milliseconds(500) })
        for id in [call, alarm] {
            _ = try await client.feedback("EndFeedback", [.uint32(id)])
            #expect(await client.feedbackEnded() == [id, 2])
        }
        try await client.advance(.milliseconds(1))
        #expect(!bench.board.motor.isOn && bench.clock.pendingTimers == 0)
    }

    @Test("a loop whose vibration has no pause rests between its rounds, and does not end at the motor's limit")
    func rests() async throws {
        let (bench, client) = try feedbackBench()
        try await client.setSwitch("silent")
        // The motor has nearly reached its limit when the first loop begins.
        _ = try await client.request("Vibrate", [.string("10000"), .dictionary([:])])
        try await client.advance(.milliseconds(9_900))
        let call = try await client.trigger("phone-incoming-call", timeout: 0)
        try await client.advance(.seconds(10))
        #expect(bench.board.motor.turns.count { $0.length == .milliseconds(400) } > 6)
        _ = try await client.feedback("EndFeedback", [.uint32(call)])
        #expect(await client.feedbackEnded() == [call, 2])
        let mail = try await client.trigger("message-new-email", timeout: 0)
        try await client.advance(.seconds(60))
        #expect(bench.board.motor.turns.count { $0.length == .milliseconds(200) } > 60)
        _ = try await client.feedback("EndFeedback", [.uint32(mail)])
        #expect(await client.feedbackEnded() == [mail, 2])
    }

    @Test("a loop that vibrates leaves the motor to an event that is given once")
    func loopYields() async throws {
        let (bench, client) = try feedbackBench()
        try await client.setSwitch("silent")
        _ = try await client.trigger("phone-incoming-call", timeout: 0)
        // Between the turns of its first round.
        try await client.advance(.milliseconds(500))
        _ = try await client.trigger("message-new-cellbroadcast")
        try await client.advance(.seconds(6))
        let lengths = bench.board.motor.turns.compactMap(\.length)
        #expect(lengths.count { $0 == .seconds(1) } == 2 && lengths.suffix(2).allSatisfy { $0 == .milliseconds(400) })
    }

    @Test("a loop that began while it could not be heard is heard when it can be", arguments: [true, false])
    func heardLater(bySwitch: Bool) async throws {
        let (bench, client) = try feedbackBench()
        if bySwitch { try await client.setSwitch("silent") } else { try await client.setProfile("quiet") }
        _ = try await client.trigger("phone-incoming-call", timeout: 0)
        try await client.advance(.seconds(3))
        #expect(bench.board.speaker.recordings.isEmpty && !bench.board.motor.turns.isEmpty)
        if bySwitch { try await client.setSwitch("ring") } else { try await client.setProfile("full") }
        try await client.advance(.seconds(2))
        #expect(!bench.board.speaker.playing.isEmpty)
    }

    @Test("an event that is ended while its file is read leaves no timer")
    func endedWhileReading() async throws {
        let (bench, client) = try feedbackBench()
        let folder = try TemporaryFolder()
        let file = try folder.write(try wave(frames: 48_000), to: "sound.wav")
        let id = try await client.trigger("phone-hangup", ["sound-file": .string(file)], timeout: .max)
        _ = try await client.feedback("EndFeedback", [.uint32(id)])
        try await client.advance(.milliseconds(1))
        #expect(bench.clock.pendingTimers == 0)
    }

    // An incoming call was only felt, and nobody was told.
    @Test(
        "the event's own sound stands in for a file that cannot be played, and a signal names the file",
        arguments: ["", "relative.wav", "/no/such.wav", "text.ogg", "empty.wav"])
    func standIn(_ name: String) async throws {
        let (bench, client) = try feedbackBench()
        let folder = try TemporaryFolder()
        var file = name
        if name == "text.ogg" { file = try folder.write(Array("no sound at all".utf8), to: name) }
        if name == "empty.wav" { file = try folder.write(try wave(frames: 0), to: name) }
        _ = try await client.trigger("phone-incoming-call", ["sound-file": .string(file)], timeout: 0)
        for await signal in client.signals where signal.member == "Degraded" {
            #expect(signal.arguments[0].string?.contains(file) == true, "\(signal.arguments)")
            break
        }
        try await client.advance(.seconds(1))
        #expect(!bench.board.speaker.playing.isEmpty)
    }

    // Everybody who subscribed, and the log, got whatever text a program called its file.
    @Test("what is wrong with a caller's file is reported to that caller alone, and logged in one line once a minute")
    func ownFile() async throws {
        let bench = try ServiceBench(feedback: FeedbackService.Configuration())
        let (client, watcher) = (try bench.client(), try bench.client())
        _ = try await watcher.property("Board")
        for _ in 0..<2 {
            _ = try await client.trigger("bell-terminal", ["sound-file": .string("/no/such\nWarning: fire.wav")])
            for await signal in client.signals where signal.member == "Degraded" { break }
        }
        #expect(bench.refusals.all.count == 1)
        #expect(bench.refusals.all.first?.contains("/no/such\\x0aWarning: fire.wav") == true)
        // The signals end with the bus.
        await watcher.flush()
        bench.bus.send(SIGKILL)
        for await signal in watcher.signals { #expect(signal.member != "Degraded", "\(signal.arguments)") }
    }

    @Test("a loop of short sounds takes at most 20 rounds a second")
    func shortFile() async throws {
        let (bench, client) = try feedbackBench()
        let folder = try TemporaryFolder()
        let file = try folder.write(try wave(frames: 1), to: "short.wav")
        _ = try await client.trigger("phone-hangup", ["sound-file": .string(file)], timeout: 0)
        try await client.advance(.seconds(1))
        #expect((2...21).contains(bench.board.speaker.recordings.count))
    }

    private func wave(frames: Int) throws -> [UInt8] {
        try SoundFiles.encode(
            PCMBuffer(sampleRate: 48_000, channels: 1, samples: [Int16](repeating: 1, count: frames)), container: .wave,
            codec: .linearPCM(LinearPCM(.signedInteger, bytesPerSample: 2, byteOrder: .little)))
    }
}
