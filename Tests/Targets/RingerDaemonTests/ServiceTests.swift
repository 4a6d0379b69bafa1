import Glibc
import RingerCore
import RingerBus
import RingerTestKit
import ServiceSupport
import Synchronization
import Testing

@testable import RingerDaemon

/// The native interface, over a private bus, with a simulated board in virtual time.
@Suite struct ServiceTests {
    @Test("a sound that plays to its end is answered with its number, then ends once, as finished")
    func play() async throws {
        let bench = try ServiceBench()
        let client = try bench.client()
        let id = try await client.play(.uint32(1007))
        try await client.advance(.seconds(2))
        #expect(await client.ended() == .init(request: id, outcome: "finished", reason: ""))
        #expect(bench.board.speaker.recordings.map(\.outcome) == [.drained])
        #expect(try await client.property("Requests") == .array(element: "(us)", []))
    }

    @Test("a flip to silent ends a sound, and its caller and every subscriber are informed")
    func flip() async throws {
        let bench = try ServiceBench()
        let (caller, other) = (try bench.client(), try bench.client())
        let id = try await caller.play(.uint32(1007))
        try await caller.advance(.milliseconds(100))
        _ = try await other.call(
            "SetSwitch", [.string("silent")], interface: RingerNames.simulatedBoardInterface)
        // The period that is in the hardware is played.
        try await other.advance(.milliseconds(20))
        #expect(await caller.ended() == .init(request: id, outcome: "silenced", reason: "ringSilentSwitch"))
        var changed: BusValue?
        for await signal in other.signals where signal.member == "PropertiesChanged" {
            changed = signal.arguments[1].dictionary?["SwitchPosition"] ?? changed
            if changed != nil { break }
        }
        #expect(changed == .string("silent"))
        #expect(try await other.property("SwitchPosition") == .string("silent"))
    }

    @Test("a client that leaves the bus ends its sounds and its vibration, but not what completes though it dies")
    func leave() async throws {
        let bench = try ServiceBench()
        let (gone, other) = (try bench.client(), try bench.client())
        _ = try await gone.play(.uint32(1007), ["category": .string("playback")])
        _ = try await gone.play(.uint32(1005), ["completePlaybackIfAppDies": .boolean(true)])
        _ = try await gone.request("Vibrate", [.string("5000"), .dictionary([:])])
        try await other.advance(.milliseconds(50))
        #expect(bench.board.motor.isOn)
        #expect(bench.board.speaker.playing.count == 2)
        gone.close()
        while bench.board.motor.isOn { await Task.yield() }
        while bench.board.speaker.playing.count > 1 { try await other.advance(.milliseconds(1)) }
        try await other.advance(.seconds(60))
        #expect(
            bench.board.speaker.recordings.compactMap(\.outcome).sorted { "\($0)" < "\($1)" } == [.drained, .stopped])
    }

    // The second client's joined the first one's, and ended it as stopped by its caller.
    @Test("a client that leaves ends its own alert alone: that of another client had been replaced, and says so")
    func alertsOfTwoClients() async throws {
        let bench = try ServiceBench()
        let (first, second) = (try bench.client(), try bench.client())
        let alert: [BusValue] = [.variant(.uint32(1005)), .dictionary(["limit": .double(0)])]
        let request = try await first.request("Alert", alert)
        try await first.advance(.seconds(1))
        _ = try await second.request("Alert", alert)
        second.close()
        while bench.device.alerts.isRunning { await Task.yield() }
        try await first.advance(.seconds(1))
        #expect(await first.ended() == .init(request: request, outcome: "stopped", reason: "replaced"))
    }

    @Test("a vibration of as many times as ringer.h takes is read")
    func longestVibration() async throws {
        let bench = try ServiceBench()
        let client = try bench.client()
        let pattern = [String](repeating: "3600000", count: 1_000).joined(separator: ",")
        let request = try await client.request("Vibrate", [.string(pattern), .dictionary([:])])
        _ = try await client.call("Stop", [.uint32(request)])
        #expect(await client.ended() == .init(request: request, outcome: "stopped", reason: "caller"))
    }

    @Test("the status light shows the newest request, then the one before; a caller that leaves ends its own")
    func light() async throws {
        let bench = try ServiceBench()
        let (first, second) = (try bench.client(), try bench.client())
        let steady = try await first.request("Light", [.string("on")])
        _ = try await second.request("Light", [.string("500,250")])
        try await first.advance(.seconds(1))
        #expect(bench.board.statusLight.pattern == .blinking(on: .milliseconds(500), off: .milliseconds(250)))
        second.close()
        while bench.board.statusLight.pattern != .on { await Task.yield() }
        _ = try await first.call("Stop", [.uint32(steady)])
        #expect(await first.ended() == .init(request: steady, outcome: "stopped", reason: "caller"))
        #expect(bench.board.statusLight.pattern == .off)
        for pattern in ["", "off", "500", "0,1", "on,on", "1,99999"] {
            #expect(await first.error("Light", [.string(pattern)]) == "org.freedesktop.DBus.Error.InvalidArgs")
        }
        // A light that fails ends its request with the reason.
        _ = try await first.call(
            "SetFault", [.string("light"), .string("failing")], interface: RingerNames.simulatedBoardInterface)
        _ = try await first.request("Light", [.string("on")])
        #expect(await first.ended()?.outcome == "failed")
        #expect(bench.board.statusLight.pattern == .off)
    }

    /// A light that is left with a wrong pattern if it cannot blink.
    private final class SteadyLight: StatusLight {
        let name = "steady light"
        let pattern = Mutex(LightPattern.off)

        func show(_ pattern: LightPattern) throws(RingerError) {
            if case .blinking = pattern {
                self.pattern.withLock { $0 = .off }
                throw RingerError(.permissionDenied, "blink", name)
            }
            self.pattern.withLock { $0 = pattern }
        }

        func close() {}
    }

    @Test("a pattern that cannot be shown leaves the one before")
    func failingLight() throws {
        let clock = VirtualClock()
        let light = SteadyLight()
        let device = try Device(
            Device.Ports(
                clock: clock, ringSilent: nil, motor: nil, statusLight: light,
                speaker: SimulatedSoundOutput(clock: clock)))
        let shared = ServiceLight(device) { Issue.record($0) }
        let steady = try shared.push(.on)
        #expect(throws: RingerError.self) { try shared.push(.blinking(on: .seconds(1), off: .seconds(1))) }
        #expect(light.pattern.withLock { $0 } == .on)
        try shared.pop(steady)
        #expect(light.pattern.withLock { $0 } == .off)
        device.close()
    }

    @Test("ReleaseOutput closes the PCM that is kept after a sound; who may not play may not call it")
    func releaseOutput() async throws {
        let bench = try ServiceBench()
        let client = try bench.client()
        _ = try await client.play(.uint32(1007))
        try await client.advance(.milliseconds(50))
        _ = try await client.call("ReleaseOutput")
        #expect(bench.board.speaker.playing.count == 1)
        try await client.advance(.seconds(2))
        _ = await client.ended()
        #expect(bench.board.speaker.isOpen)
        _ = try await client.call("ReleaseOutput")
        #expect(!bench.board.speaker.isOpen)
        var nobody = Authorization()
        nobody.controllingUsers = []
        let closed = try ServiceBench(authorization: nobody)
        #expect(try await closed.client().error("ReleaseOutput") == "org.freedesktop.DBus.Error.AccessDenied")
    }

    // A client reads 4,096 values of a message: after 125 sounds, or 456 lights, the board's lists were an error there.
    @Test("the board's lists have the newest sounds and lights, as many as a client reads of one message")
    func longTest() async throws {
        let bench = try ServiceBench()
        let client = try bench.client()
        for frames in 1...300 {
            let sound = PCMBuffer(sampleRate: 48_000, channels: 1, samples: [Int16](repeating: 0, count: frames))
            _ = bench.board.speaker.play(sound, PlaybackOptions()) { _ in }
            try await client.advance(.milliseconds(10))
        }
        for _ in 1...300 {
            try bench.board.statusLight.show(.on)
            try bench.board.statusLight.show(.off)
        }
        func list(_ name: String, _ member: String) async throws -> [BusValue?] {
            let values = try await client.call(name, interface: RingerNames.simulatedBoardInterface)
            return values[0].elements?.map { $0.dictionary?[member] } ?? []
        }
        #expect(try await list("Recordings", "played") == (201...300).map { .uint32($0) })
        let lights = try await list("Lights", "pattern")
        #expect(lights.count == 256 && lights.last == .string(LightPattern.off.text))
    }

    @Test("a press of the button moves the kept position, which everybody reads")
    func button() async throws {
        let bench = try ServiceBench()
        let client = try bench.client()
        for position in ["silent", "ring"] {
            _ = try await client.call("PressButton", [.uint32(40)], interface: RingerNames.simulatedBoardInterface)
            try await client.advance(.milliseconds(100))
            #expect(bench.device.state.keptPosition?.rawValue == position)
            #expect(try await client.property("KeptPosition") == .string(position))
        }
    }

    @Test(
        "a position that is set until a time ends by itself, which everybody reads; a time or a word that is none changes nothing"
    )
    func positionUntil() async throws {
        let bench = try ServiceBench()
        let client = try bench.client()
        let now = UInt64(bench.clock.wallTime.components.seconds) * 1_000_000
        func set(_ position: String, _ until: UInt64) async -> String? {
            await client.error("SetPositionUntil", [.string(position), .uint64(until)])
        }
        #expect(try await client.property("KeptPositionUntil") == .uint64(0))
        _ = try await client.call("SetPosition", [.string("vibrate")])
        #expect(await set("silent", now + 60_000_000) == nil)
        #expect(try await client.property("KeptPosition") == .string("silent"))
        #expect(try await client.property("KeptPositionUntil") == .uint64(now + 60_000_000))
        for until in [0, 1, now, .max] { #expect(await set("ring", until) == "org.ringer.Error.Invalid") }
        for word in ["toggle", "loud", ""] {
            #expect(await set(word, now + 1_000_000) == "org.freedesktop.DBus.Error.InvalidArgs")
        }
        try await client.advance(.seconds(59))
        #expect(try await client.property("KeptPosition") == .string("silent"))
        try await client.advance(.seconds(1))
        #expect(try await client.property("KeptPosition") == .string("vibrate"))
        #expect(try await client.property("KeptPositionUntil") == .uint64(0))
    }

    @Test("keys are a signal to everybody")
    func keys() async throws {
        let bench = try ServiceBench()
        let client = try bench.client()
        _ = try await client.call(
            "PressKey", [.string("repeat")], interface: RingerNames.simulatedBoardInterface)
        #expect(
            await client.error("PressKey", [.string("enter")], interface: RingerNames.simulatedBoardInterface)
                == "org.freedesktop.DBus.Error.InvalidArgs")
        var keys: [[BusValue]] = []
        for await signal in client.signals where signal.member == "Key" {
            keys.append(signal.arguments)
            if keys.count == 2 { break }
        }
        #expect(keys.map { $0[0] } == [.string("repeat"), .string("repeat")])
        #expect(keys.map { $0[1] } == [.boolean(true), .boolean(false)])
    }

    @Test("a private file plays from its descriptor; a FIFO, a socket and a truncated file are errors")
    func descriptors() async throws {
        let bench = try ServiceBench()
        let client = try bench.client()
        let sound = PCMBuffer(sampleRate: 48_000, channels: 1, samples: (0..<4_800).map { Int16($0) })
        let file = try PrivateFile(
            try SoundFiles.encode(
                sound, container: .wave,
                codec: .linearPCM(LinearPCM(.signedInteger, bytesPerSample: 2, byteOrder: .little))))
        let id = try await client.play(.descriptor(file.descriptor), ["category": .string("playback")])
        try await client.advance(.seconds(1))
        #expect(await client.ended() == .init(request: id, outcome: "finished", reason: ""))
        #expect(bench.board.speaker.recordings.first?.samples.elementsEqual(sound.samples) == true)

        var fifo: [CInt] = [-1, -1]
        pipe(&fifo)
        defer { fifo.forEach { close($0) } }
        let refused = try await client.play(.descriptor(fifo[0]))
        #expect(await client.ended() == .init(request: refused, outcome: "failed", reason: "error"))
        file.truncate(to: 44 + 960)
        let part = try await client.play(.descriptor(file.descriptor), ["category": .string("playback")])
        try await client.advance(.seconds(1))
        let (problem, fallback) = await finished(part, of: client)
        #expect(fallback.hasPrefix("incomplete: the caller's file"), "\(fallback)")
        #expect(problem.hasPrefix("the caller's file: cannot play all of it"), "\(problem)")
        let clips = BusValue.array(element: "v", [.variant(.uint32(1104)), .variant(.descriptor(file.descriptor))])
        let announcement = try await client.request("Announce", [clips, .dictionary([:])])
        #expect(await client.ended() == .init(request: announcement, outcome: "failed", reason: "error"))
        file.truncate(to: 40)
        let truncated = try await client.play(.descriptor(file.descriptor), ["category": .string("playback")])
        #expect(await client.ended() == .init(request: truncated, outcome: "failed", reason: "error"))
    }

    /// What the service reported by the time at which the request finished, and why something else was heard.
    private func finished(_ request: UInt32, of client: BusClient) async -> (problem: String, fallback: String) {
        var problem = ""
        for await signal in client.signals {
            if signal.member == "Degraded" { problem = signal.arguments[0].string ?? "" }
            guard signal.member == "Ended" else { continue }
            #expect(signal.arguments[0] == .uint32(request) && signal.arguments[1] == .string("finished"))
            return (problem, signal.arguments[3].dictionary?["fallback"]?.string ?? "")
        }
        return (problem, "")
    }

    @Test("what stands in for a sound whose file is broken says so, in a category and as an announcement")
    func standIn() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("caff", to: "new-mail.caf")
        let bench = try ServiceBench(soundDirectories: [folder.path])
        let client = try bench.client()
        let sound = BusValue.variant(.uint32(1000))
        for (member, argument, options) in [
            ("Play", sound, BusValue.dictionary(["category": .string("playback")])),
            ("Announce", .array(element: "v", [sound]), .dictionary([:])),
        ] {
            let request = try await client.request(member, [argument, options])
            try await client.advance(.seconds(5))
            let (problem, fallback) = await finished(request, of: client)
            #expect(fallback.hasPrefix("undecodable: \(file)"), "\(member): \(fallback)")
            #expect(problem.hasPrefix(file), "\(member): \(problem)")
        }
    }

    @Test("an alert ends when its limit is over, a notification when it was heard; both vibrate as the preferences say")
    func alertAndNotify() async throws {
        let bench = try ServiceBench()
        let client = try bench.client()
        let sound = BusValue.variant(.uint32(1005))
        let alert = try await client.request(
            "Alert", [sound, .dictionary(["limit": .double(1), "pattern": .string("100"), "pause": .double(0.1)])])
        try await client.advance(.seconds(2))
        #expect(await client.ended() == .init(request: alert, outcome: "timedOut", reason: ""))
        #expect(bench.board.motor.turns.first?.length == .milliseconds(100) && !bench.board.motor.isOn)
        let heard = bench.board.speaker.recordingCount
        let notification = try await client.request(
            "Notify", [.variant(.string("")), .dictionary(["volume": .double(0.5)])])
        try await client.advance(.seconds(5))
        #expect(await client.ended() == .init(request: notification, outcome: "finished", reason: ""))
        #expect(bench.board.speaker.recordingCount == heard + 1)
        #expect(bench.board.speaker.recordings.last?.gains == [0.5])
    }

    @Test("an alarm is heard at silent, as an alert and as a sound, unless the user wants it to obey")
    func alarm() async throws {
        let bench = try ServiceBench()
        let client = try bench.client()
        bench.board.ringSilent.position = .silent
        let sound = BusValue.variant(.uint32(1005))
        func alarm() async throws {
            _ = try await client.request(
                "Alert", [sound, .dictionary(["kind": .string("alarm"), "limit": .double(1)])])
            try await client.advance(.seconds(2))
            _ = await client.ended()
        }
        try await alarm()
        let heard = bench.board.speaker.recordingCount
        #expect(heard > 0)
        _ = try await client.play(.uint32(1005), ["as": .string("alarm")])
        try await client.advance(.seconds(3))
        #expect(bench.board.speaker.recordingCount == heard + 1)
        bench.device.preferences.alarmsIgnoreSilence = false
        try await alarm()
        #expect(bench.board.speaker.recordingCount == heard + 1)
        let error = await #expect(throws: BusError.self) {
            try await client.request("Alert", [sound, .dictionary(["kind": .string("siren")])])
        }
        #expect(error.map { "\($0)".contains("alert, alarm") } == true)
    }

    // They were "cannot set a property", and "is no AudioCategory" without a word that is one.
    @Test("the errors of an unknown sound and of an unknown word say what was asked for, and which words there are")
    func clearErrors() async throws {
        let bench = try ServiceBench()
        let client = try bench.client()
        _ = try await client.play(.uint32(7))
        let end = try #require(await client.signals.first { $0.member == "Ended" }?.arguments)
        #expect(end[1].string == "failed" && "\(end)".contains("system sound 7: cannot play"), "\(end)")
        let error = await #expect(throws: BusError.self) {
            try await client.play(.uint32(1007), ["category": .string("loud")])
        }
        #expect(
            error?.message.contains("is no AudioCategory: ambient, soloAmbient, playback") == true, "\(error as Any)")
    }

    @Test("an announcement joins its clips without a gap, and two of them play one after the other")
    func announce() async throws {
        let bench = try ServiceBench()
        let client = try bench.client()
        let clip = BusValue.variant(.uint32(1007))
        let clips = BusValue.array(element: "v", [clip, clip])
        let first = try await client.request("Announce", [clips, .dictionary([:])])
        let second = try await client.request("Announce", [.array(element: "v", [clip]), .dictionary([:])])
        try await client.advance(.seconds(5))
        #expect(await client.ended() == .init(request: first, outcome: "finished", reason: ""))
        #expect(await client.ended() == .init(request: second, outcome: "finished", reason: ""))
        let recordings = bench.board.speaker.recordings
        try #require(recordings.count == 2)
        #expect(recordings[0].sound.frames == 2 * recordings[1].sound.frames)
        let (end, start) = (try #require(recordings[0].end), try #require(recordings[1].start))
        #expect(end <= start)
    }

    @Test("an announcement is heard in full over the sound of another client, which it ducks")
    func announcementOverDucked() async throws {
        let bench = try ServiceBench()
        let (music, speech) = (try bench.client(), try bench.client())
        _ = try await music.play(
            .uint32(1005), ["category": .string("playback"), "options": .strings(["mixWithOthers"])])
        try await music.advance(.milliseconds(50))
        let clips = BusValue.array(element: "v", [.variant(.uint32(1007))])
        let announcement = try await speech.request(
            "Announce", [clips, .dictionary(["options": .strings(["duckOthers"])])])
        try await speech.advance(.seconds(10))
        #expect(await speech.ended() == .init(request: announcement, outcome: "finished", reason: ""))
        let recordings = bench.board.speaker.recordings
        #expect(recordings.map { $0.gains.prefix(2) } == [[1, Ducking.gain], [1]])
    }

    @Test(
        "preferences about ducking and alerts during a call: a wrong one is named with its range, and changes nothing")
    func duckingPreferences() async throws {
        let bench = try ServiceBench()
        let client = try bench.client()
        func set(_ value: [String: BusValue]) async throws {
            _ = try await client.call(
                "Set", [.string(RingerNames.interface), .string("Preferences"), .variant(.dictionary(value))],
                interface: BusInterface.properties)
        }
        try await set([
            "duckingDepth": .double(30), "duckingDown": .uint32(0), "duckingUp": .uint32(2_000),
            "alertsDuringCall": .string("quiet"),
        ])
        let preferences = bench.device.preferences
        #expect(
            preferences
                == UserPreferences(
                    duckingDepth: 30, duckingDown: .zero, duckingUp: .seconds(2), alertsDuringCall: .quiet))
        let read = try #require(try await client.property("Preferences")?.dictionary)
        #expect(read["duckingDepth"] == .double(30) && read["duckingUp"] == .uint32(2_000))
        #expect(read["duckingDown"] == .uint32(0) && read["alertsDuringCall"] == .string("quiet"))
        for (name, value, words) in [
            ("duckingDepth", .double(50.5), "from 0.0 to 50.0"), ("duckingDepth", .double(.nan), "from 0.0 to 50.0"),
            ("duckingDown", .uint32(2_001), "from 0 to 2000"), ("duckingUp", .double(5), "from 0 to 2000"),
            ("alertsDuringCall", .string("loud"), "automatic, heard, quiet, felt, none"),
        ] as [(String, BusValue, String)] {
            let error = await #expect(throws: BusError.self) {
                try await set([name: value, "doNotDisturb": .boolean(true)])
            }
            #expect(error?.message.contains(name) == true && error?.message.contains(words) == true, "\(error as Any)")
        }
        #expect(bench.device.preferences == preferences)
    }

    @Test("the call that is on is a property, by which an alert is felt")
    func call() async throws {
        let bench = try ServiceBench()
        let client = try bench.client()
        bench.board.surroundings.set(.inputAvailable(true))
        #expect(try await client.property("Call") == .string(""))
        let ordinary = bench.device.sessions.make(name: "intercom", category: .playAndRecord)
        ordinary.activate { _ in }
        #expect(try await client.property("Call") == .string("ordinary"))
        let call = bench.device.sessions.make(name: "call", category: .playAndRecord, priority: .call)
        call.activate { _ in }
        #expect(try await client.property("Call") == .string("priority"))
        let sound = BusValue.variant(.uint32(1005))
        _ = try await client.request("Alert", [sound, .dictionary(["limit": .double(1)])])
        try await client.advance(.seconds(2))
        #expect(bench.board.speaker.recordingCount == 0 && !bench.board.motor.turns.isEmpty)
    }

    @Test("a file that grows while it is read is an error")
    func growingFile() throws {
        let sound = PCMBuffer(sampleRate: 48_000, channels: 1, samples: [0, 1, 2, 3])
        let bytes = try SoundFiles.encode(
            sound, container: .wave, codec: .linearPCM(LinearPCM(.signedInteger, bytesPerSample: 2, byteOrder: .little))
        )
        let file = try PrivateFile(bytes)
        let share = try ServiceBudget(clock: VirtualClock()).share(
            .descriptors, for: Budget.Payer(user: 0, connection: "", permission: .control))
        let source = try CallerFile(file.descriptor, share).open { true }
        func load() throws -> PCMBuffer {
            try SoundLoader.load(source, maximumDuration: nil) { _ throws(SoundFileError) in }
        }
        #expect(try load().samples == sound.samples)
        file.truncate(to: bytes.count + 1)
        #expect(throws: RingerError.self) { try load() }
    }

    @Test("each play of a number says anew whether it obeys the preference for sound effects")
    func uiSound() async throws {
        let bench = try ServiceBench()
        bench.device.preferences.soundEffects = false
        let client = try bench.client()
        let other = try await client.play(.uint32(1007), ["uiSound": .boolean(false)])
        try await client.advance(.seconds(2))
        #expect(await client.ended() == .init(request: other, outcome: "finished", reason: ""))
        let effect = try await client.play(.uint32(1007))
        try await client.advance(.seconds(2))
        #expect(await client.ended() == .init(request: effect, outcome: "silenced", reason: "soundEffectsOff"))
    }

    @Test(
        "a sound in a session or a category is repeated, and its volume changes while it plays; no other request has them"
    )
    func manner() async throws {
        let bench = try ServiceBench()
        let (client, other) = (try bench.client(), try bench.client())
        let invalid = "org.freedesktop.DBus.Error.InvalidArgs"
        let path =
            try await client.call("CreateSession", [.dictionary(["category": .string("playback")])])[0].string ?? ""
        _ = try await client.call("Activate", interface: RingerNames.sessionInterface, path: path)
        for (path, category) in [(path, nil), (RingerNames.path, BusValue.string("soloAmbient"))] {
            var options: [String: BusValue] = ["rounds": .uint32(2), "volume": .double(0.5)]
            options["category"] = category
            let id = try await client.request("Play", [.variant(.uint32(1005)), .dictionary(options)], path: path)
            try await client.advance(.milliseconds(20))
            #expect(
                await other.error("SetVolume", [.uint32(id), .double(1)]) == "org.freedesktop.DBus.Error.AccessDenied")
            for volume in [-0.1, 1.1, .nan] {
                #expect(await client.error("SetVolume", [.uint32(id), .double(volume)]) == invalid)
            }
            _ = try await client.call("SetVolume", [.uint32(id), .double(0.25)])
            try await client.advance(.seconds(60))
            #expect(await client.ended()?.request == id)
            let heard = try #require(bench.board.speaker.recordings.last)
            #expect(heard.gains == [0.5, 0.25] && heard.played == 2 * heard.sound.frames)
            #expect(await client.error("SetVolume", [.uint32(id), .double(1)]) == nil)
        }
        for options: [String: BusValue] in [
            ["rounds": .uint32(2)], ["as": .string("alert"), "volume": .double(1)],
            ["category": .string("playback"), "rounds": .uint32(0)],
            ["category": .string("playback"), "volume": .double(2)],
            ["category": .string("playback"), "rounds": .uint32(.max), "completePlaybackIfAppDies": .boolean(true)],
        ] {
            #expect(await client.error("Play", [.variant(.uint32(1005)), .dictionary(options)]) == invalid)
        }
        let effect = try await client.request("Play", [.variant(.uint32(1005)), .dictionary([:])])
        #expect(await client.error("SetVolume", [.uint32(effect), .double(1)]) == invalid)
    }

    @Test("a session that is released stops its sound at once")
    func release() async throws {
        let bench = try ServiceBench()
        let client = try bench.client()
        let interface = RingerNames.sessionInterface
        let path =
            try await client.call("CreateSession", [.dictionary(["category": .string("playback")])])[0].string ?? ""
        _ = try await client.call("Activate", interface: interface, path: path)
        let id = try await client.request("Play", [.variant(.uint32(1005)), .dictionary([:])], path: path)
        try await client.advance(.milliseconds(50))
        #expect(bench.board.speaker.playing.count == 1)
        _ = try await client.call("Release", interface: interface, path: path)
        try await client.advance(.milliseconds(20))
        #expect(bench.board.speaker.playing.isEmpty)
        #expect(await client.ended() == .init(request: id, outcome: "stopped", reason: "sessionDeactivated"))
        #expect(bench.device.sessions.all.isEmpty)
    }

    @Test("a session that the service before this one activated resumes beside others by its age, for its owner alone")
    func resume() async throws {
        let bench = try ServiceBench()
        let (client, other) = (try bench.client(), try bench.client())
        let interface = RingerNames.sessionInterface
        func make(_ client: BusClient) async throws -> String {
            try await client.call("CreateSession", [.dictionary(["category": .string("playback")])])[0].string ?? ""
        }
        func resume(_ client: BusClient, _ path: String, _ since: UInt64) async throws -> BusValue? {
            try await client.call("Resume", [.uint64(since)], interface: interface, path: path).first
        }
        let (music, prompt, call) = (try await make(client), try await make(other), try await make(other))
        #expect(
            await other.error("Resume", [.uint64(1)], interface: interface, path: music)
                == "org.freedesktop.DBus.Error.AccessDenied")
        let invalid = "org.freedesktop.DBus.Error.InvalidArgs"
        #expect(await client.error("Resume", [.string("")], interface: interface, path: music) == invalid)
        #expect(try await resume(other, prompt, 2) == .boolean(true))
        #expect(try await resume(client, music, 1) == .boolean(false))
        #expect(try await resume(client, music, 3) == .boolean(false))
        #expect(try await resume(other, call, .max) == .boolean(true))
        #expect(bench.device.sessions.all.map { $0.phase } == [.interrupted, .interrupted, .active])
        _ = try await other.call("Deactivate", [.boolean(true)], interface: interface, path: call)
        #expect(bench.device.sessions.all.map { $0.phase } == [.interrupted, .active, .inactive])
        _ = try await client.call("Activate", interface: interface, path: music)
        #expect(bench.device.sessions.all.map { $0.phase } == [.active, .interrupted, .inactive])
    }

    private static let limitsExceeded = "org.freedesktop.DBus.Error.LimitsExceeded"

    @Test("a program may have half of what its user may have, and all programs of the user together that much")
    func budget() async throws {
        let bench = try ServiceBench(limits: .init([.clients: 4, .requests: 6, .sessions: 4]))
        let client = try bench.client()
        for _ in 0..<3 { _ = try await client.play(.uint32(1007), ["category": .string("playback")]) }
        let exceeded = Self.limitsExceeded
        #expect(await client.error("Play", [.variant(.uint32(1007)), .dictionary([:])]) == exceeded)
        for _ in 0..<2 { _ = try await client.call("CreateSession", [.dictionary([:])]) }
        #expect(await client.error("CreateSession", [.dictionary([:])]) == exceeded)
        let others = try (1..<4).map { _ in try bench.client() }
        for other in others[..<2] { _ = try await other.call("CreateSession", [.dictionary([:])]) }
        #expect(await others[2].error("CreateSession", [.dictionary([:])]) == exceeded)
        let last = try bench.client()
        #expect(await last.error("CreateSession", [.dictionary([:])]) == exceeded)
        // What leaves nothing behind takes no place.
        #expect(await last.error("Stop", [.uint32(0)]) == nil)
        #expect(try await last.property("Board") == .string("simulated"))
        others[0].close()
        while await last.error("CreateSession", [.dictionary([:])]) == exceeded { await Task.yield() }
        // One program's refusal is not one of the others.
        try await client.advance(.seconds(5))
        _ = try await client.play(.uint32(1007))
    }

    // They used to count for nobody: one program after the other could leave as many as it liked.
    @Test("requests that outlive their callers count for the user until they have ended")
    func outliving() async throws {
        let bench = try ServiceBench(limits: .init([.requests: 4]))
        let options: [String: BusValue] = ["completePlaybackIfAppDies": .boolean(true), "category": .string("ambient")]
        for _ in 0..<2 {
            let gone = try bench.client()
            for _ in 0..<2 { _ = try await gone.play(.uint32(1007), options) }
            gone.close()
            while bench.clientCount > 0 { await Task.yield() }
        }
        let client = try bench.client()
        #expect(await client.error("Play", [.variant(.uint32(1007)), .dictionary([:])]) == Self.limitsExceeded)
        try await client.advance(.seconds(5))
        _ = try await client.play(.uint32(1007))
        try await client.advance(.seconds(5))
        client.close()
        while !bench.budget.isUntouched { await Task.yield() }
    }

    @Test("the refusals of a user are reported once a minute, with the limit")
    func reportsRefusals() async throws {
        let bench = try ServiceBench(limits: .init([.sessions: 2]))
        let client = try bench.client()
        _ = try await client.call("CreateSession", [.dictionary([:])])
        for minute in 1...2 {
            for _ in 0..<3 {
                #expect(await client.error("CreateSession", [.dictionary([:])]) == Self.limitsExceeded)
            }
            #expect(bench.refusals.all.count == minute)
            try await client.advance(.seconds(60))
        }
        #expect(
            bench.refusals.all[0].hasPrefix("user \(getuid()) was refused: sessions-per-user is used up: 1 sessions"))
    }

    @Test("who may not play, or not control, is refused with AccessDenied; everybody reads and decides")
    func authorization() async throws {
        var nobody = Authorization()
        nobody.controllingUsers = []
        let bench = try ServiceBench(authorization: nobody)
        let client = try bench.client()
        let denied = "org.freedesktop.DBus.Error.AccessDenied"
        let none = BusValue.dictionary([:])
        #expect(await client.error("Play", [.variant(.uint32(1007)), none]) == denied)
        #expect(await client.error("Vibrate", [.string(""), none]) == denied)
        #expect(await client.error("CreateSession", [none]) == denied)
        for (property, value) in [("ScreenLocked", .boolean(true)), ("Volume", .double(1))] as [(String, BusValue)] {
            #expect(await client.set(property, value) == denied)
        }
        #expect(await client.error("Detect", []) == denied)
        #expect(try await client.call("Decide", [.string("alert"), none])[0] == .string("play"))
    }

    @Test("only those who may control stop another client's request")
    func stopOthers() async throws {
        var players = Authorization()
        players.controllingUsers = []
        players.playingGroups = [getgid()]
        let bench = try ServiceBench(authorization: players)
        let (first, second) = (try bench.client(), try bench.client())
        let id = try await first.play(.uint32(1007))
        #expect(await second.error("Stop", [.uint32(id)]) == "org.freedesktop.DBus.Error.AccessDenied")
        #expect(await first.error("Stop", [.uint32(id)]) == nil)
        try await first.advance(.milliseconds(20))
        #expect(await first.ended() == .init(request: id, outcome: "stopped", reason: "caller"))
        #expect(
            await first.error("Notify", [.variant(.string("")), .dictionary(["critical": .boolean(true)])])
                == "org.freedesktop.DBus.Error.AccessDenied")
    }

    @Test("a service that ends stops everything first, and informs its clients")
    func stop() async throws {
        let bench = try ServiceBench()
        let client = try bench.client()
        let id = try await client.request("Vibrate", [.string("5000"), .dictionary([:])])
        try await client.advance(.milliseconds(10))
        #expect(bench.board.motor.isOn)
        bench.stop()
        #expect(!bench.board.motor.isOn)
        #expect(await client.ended() == .init(request: id, outcome: "stopped", reason: "closed"))
    }

    @Test("SIGTERM ends the process with status 0, and it prints nothing")
    func terminates() async throws {
        let (bus, folder) = (try TestBus(), try TemporaryFolder())
        let errors = folder.path + "/errors"
        let process = try ServiceProcess(bus, errors: errors)
        try await process.serves(try BusClient(bus.address))
        #expect(process.terminate() == 0)
        var file = stat()
        #expect(stat(errors, &file) == 0 && file.st_size == 0)
    }

    @Test("a session of one client interrupts another's, which resumes when the first is gone")
    func sessions() async throws {
        let bench = try ServiceBench()
        let (music, call) = (try bench.client(), try bench.client())
        func session(_ client: BusClient, _ category: String, priority: Int32 = 0) async throws -> String {
            let options: [String: BusValue] = ["category": .string(category), "priority": .int32(priority)]
            return try await client.call("CreateSession", [.dictionary(options)])[0].string ?? ""
        }
        let (musicPath, callPath) = (
            try await session(music, "playback"), try await session(call, "playAndRecord", priority: 100)
        )
        let interface = RingerNames.sessionInterface
        _ = try await call.call(
            "SetInputAvailable", [.boolean(true)], interface: RingerNames.simulatedBoardInterface)
        _ = try await music.call("Activate", interface: interface, path: musicPath)
        #expect(
            await call.error("Activate", interface: interface, path: musicPath)
                == "org.freedesktop.DBus.Error.AccessDenied")
        _ = try await call.call("Activate", interface: interface, path: callPath)
        var signals = music.signals.makeAsyncIterator()
        func next(_ members: Set<String>) async -> String? {
            while let signal = await signals.next() { if members.contains(signal.member) { return signal.member } }
            return nil
        }
        #expect(await next(["InterruptionBegan", "InterruptionEnded"]) == "InterruptionBegan")
        call.close()
        #expect(await next(["InterruptionBegan", "InterruptionEnded"]) == "InterruptionEnded")
        _ = try await music.call("Activate", interface: interface, path: musicPath)
    }

    @Test(
        "a session that was refused is informed once when it would be admitted, and not where its owner gave up",
        arguments: [false, true])
    func refusalEnded(givesUp: Bool) async throws {
        let bench = try ServiceBench()
        bench.board.surroundings.set(.inputAvailable(true))
        let (client, other) = (try bench.client(), try bench.client())
        let path =
            try await client.call("CreateSession", [.dictionary(["category": .string("playback")])])[0].string ?? ""
        let interface = RingerNames.sessionInterface
        let calls = (1...2).map {
            bench.device.sessions.make(name: "call \($0)", category: .playAndRecord, priority: .call)
        }
        func setVolume(_ volume: Double) async throws {
            _ = try await other.call(
                "SetVolume", [.double(volume)], interface: RingerNames.simulatedBoardInterface)
        }
        try await calls[0].activate()
        let refused = "org.ringer.Error.NotActive"
        #expect(await client.error("Activate", interface: interface, path: path) == refused)
        if givesUp { _ = try await client.call("Deactivate", [.boolean(true)], interface: interface, path: path) }
        var signals = client.signals.makeAsyncIterator()
        /// Whether that is signalled before `volume` is.
        func refusalEnds(before volume: Double) async -> Bool {
            var ends = false
            while let signal = await signals.next() {
                ends = ends || signal.member == "RefusalEnded"
                guard signal.member == "PropertiesChanged" else { continue }
                if signal.arguments[1].dictionary?["Volume"] == .double(volume) { break }
            }
            return ends
        }
        func refusalEnds() async -> Bool {
            while let signal = await signals.next() { if signal.member == "RefusalEnded" { return true } }
            return false
        }
        // What does not concern it, and the end of a call beside another one.
        try await setVolume(0.25)
        try await calls[1].activate()
        try await calls[0].deactivate()
        try await setVolume(0.5)
        #expect(await !refusalEnds(before: 0.5))
        try await calls[1].deactivate()
        if !givesUp { #expect(await refusalEnds()) }
        try await setVolume(0.75)
        try await calls[0].activate()
        try await calls[0].deactivate()
        try await setVolume(1)
        #expect(await !refusalEnds(before: 1))
        // It may be refused, and informed, again.
        try await calls[0].activate()
        #expect(await client.error("Activate", interface: interface, path: path) == refused)
        try await calls[0].deactivate()
        #expect(await refusalEnds())
    }

    @Test("a session's owner is informed of its properties as they change, and nobody else is")
    func sessionProperties() async throws {
        let bench = try ServiceBench()
        let (owner, other) = (try bench.client(), try bench.client())
        let path =
            try await owner.call("CreateSession", [.dictionary(["category": .string("playback")])])[0].string ?? ""
        let interface = RingerNames.sessionInterface
        _ = try await owner.call("Activate", interface: interface, path: path)
        _ = try await owner.call(
            "Set", [.string(interface), .string("Category"), .variant(.string("ambient"))],
            interface: BusInterface.properties, path: path)
        var values: [String: BusValue] = [:]
        for await signal in owner.signals where signal.member == "PropertiesChanged" {
            guard signal.arguments[0] == .string(interface), let changed = signal.arguments[1].dictionary else {
                continue
            }
            values.merge(changed) { $1 }
            if values["Category"] == .string("ambient") { break }
        }
        #expect(values["Phase"] == .string("active"))
        owner.close()
        while bench.clientCount > 0 { await Task.yield() }
        _ = try await other.call("SetVolume", [.double(0.5)], interface: RingerNames.simulatedBoardInterface)
        for await signal in other.signals where signal.member == "PropertiesChanged" {
            #expect(signal.arguments[0] == .string(RingerNames.interface))
            if signal.arguments[1].dictionary?["Volume"] != nil { break }
        }
    }

    @Test("the volume is set, and every subscriber is informed of it; a wrong one is refused")
    func volume() async throws {
        let bench = try ServiceBench()
        let (client, other) = (try bench.client(), try bench.client())
        #expect(try await other.property("Volume") == .double(-1))
        #expect(await client.set("Volume", .double(0.5)) == nil)
        for await signal in other.signals where signal.member == "PropertiesChanged" {
            #expect(signal.arguments[1] == .dictionary(["Volume": .double(0.5)]))
            break
        }
        #expect(try await other.property("Volume") == .double(0.5))
        for wrong in [.double(1.5), .double(-1), .double(.nan), .int32(1)] as [BusValue] {
            #expect(await client.set("Volume", wrong) == "org.freedesktop.DBus.Error.InvalidArgs")
        }
        bench.board.surroundings.set(.outputVolume(nil))
        #expect(await client.set("Volume", .double(1)) == "org.ringer.Error.NotFound")
    }

    @Test("preferences are written in part, and a wrong one is refused")
    func preferences() async throws {
        let bench = try ServiceBench()
        let client = try bench.client()
        func set(_ value: [String: BusValue]) async -> String? { await client.set("Preferences", .dictionary(value)) }
        #expect(await set(["doNotDisturb": .boolean(true), "alertVolume": .double(0.5)]) == nil)
        #expect(bench.device.preferences.doNotDisturb && bench.device.preferences.alertVolume == 0.5)
        #expect(await set(["alertVolume": .double(2)]) == "org.freedesktop.DBus.Error.InvalidArgs")
        #expect(await set(["unknown": .boolean(true)]) == "org.freedesktop.DBus.Error.InvalidArgs")
        #expect(bench.device.preferences.alertVolume == 0.5)
        // What is no schedule names its place, and changes nothing.
        #expect(await set(["quietHours": .string("daily 22:00-07:00")]) == nil)
        for text in ["daily 22:00-24:00", "Fry 22:00-07:00", "daily 22:00-07:00 volume=1.3", "\u{e9}"] {
            #expect(
                await set(["doNotDisturb": .boolean(false), "quietHours": .string(text)])
                    == "org.freedesktop.DBus.Error.InvalidArgs")
        }
        #expect(await set(["quietHoursPosition": .string("loud")]) == "org.freedesktop.DBus.Error.InvalidArgs")
        let preferences = bench.device.preferences
        #expect(preferences.doNotDisturb && "\(preferences.quietHours)" == "daily 22:00-07:00")
    }

    @Test("the volumes of kinds are preferences, and an announcement may have a volume of its own")
    func volumes() async throws {
        let bench = try ServiceBench()
        let client = try bench.client()
        func set(_ value: [String: BusValue]) async -> String? { await client.set("Preferences", .dictionary(value)) }
        let volumes: [String: BusValue] = [
            "announcementVolume": .double(0.5), "mediaVolume": .double(0.25), "callVolume": .double(0.125),
        ]
        #expect(await set(volumes) == nil)
        #expect(
            bench.device.preferences == UserPreferences(announcementVolume: 0.5, mediaVolume: 0.25, callVolume: 0.125))
        for name in volumes.keys {
            for wrong in [1.5, -0.5, .nan] {
                #expect(await set([name: .double(wrong)]) == "org.freedesktop.DBus.Error.InvalidArgs")
            }
        }
        let clips = BusValue.array(element: "v", [.variant(.uint32(1104))])
        for options: [String: BusValue] in [[:], ["volume": .double(0.75)]] {
            _ = try await client.request("Announce", [clips, .dictionary(options)])
            try await client.advance(.seconds(2))
            #expect(await client.ended()?.outcome == "finished")
        }
        _ = try await client.play(.uint32(1104), ["category": .string("ambient")])
        try await client.advance(.seconds(2))
        #expect(await client.ended()?.outcome == "finished")
        #expect(bench.board.speaker.recordings.map(\.gains) == [[0.5], [0.75], [0.25]])
        for wrong in [-0.5, 1.5, .nan] {
            let arguments = [clips, BusValue.dictionary(["volume": .double(wrong)])]
            #expect(await client.error("Announce", arguments) == "org.freedesktop.DBus.Error.InvalidArgs")
        }
        let decided = try await client.call(
            "Decide", [.string("announcement"), .dictionary(["volume": .double(0.375)])])
        #expect(decided[2].dictionary?["gain"] == .double(0.375))
    }

    @Test("a program that is gone in the middle of its announcement at a volume of its own leaves no volume behind")
    func volumeOfTheGone() async throws {
        let bench = try ServiceBench()
        let (gone, other) = (try bench.client(), try bench.client())
        _ = try await other.play(.uint32(1007), ["category": .string("ambient")])
        let clips = BusValue.array(element: "v", [.variant(.uint32(1007))])
        let options: [String: BusValue] = ["volume": .double(0.25), "options": .strings(["mixWithOthers"])]
        _ = try await gone.request("Announce", [clips, .dictionary(options)])
        try await other.advance(.milliseconds(50))
        #expect(bench.board.speaker.playing.map(\.gains) == [[1], [0.25]])
        gone.close()
        while bench.board.speaker.playing.count > 1 { try await other.advance(.milliseconds(1)) }
        #expect(bench.board.speaker.playing.map(\.gains) == [[1]])
        #expect(bench.device.preferences == UserPreferences())
        _ = try await other.request("Announce", [clips, .dictionary([:])])
        try await other.advance(.seconds(5))
        #expect(bench.board.speaker.recordings.last?.gains == [1])
    }

    @Test("a span with a volume is part of the quiet hours that the service has, and what it asks for a property")
    func quietHoursVolume() async throws {
        let bench = try ServiceBench()
        let client = try bench.client()
        #expect(try await client.property("QuietHoursVolume") == .double(-1))
        bench.device.preferences.quietHours = try QuietHours("daily 22:00-07:00 volume=0.25")
        let noon: UInt64 = 1_767_225_600_000_000 + 12 * 3_600_000_000
        let set = await client.error(
            "SetWallTime", [.uint64(noon + 11 * 3_600_000_000)], interface: RingerNames.simulatedBoardInterface)
        #expect(set == nil)
        #expect(try await client.property("QuietHoursVolume") == .double(0.25))
        #expect(try await client.property("QuietHoursVolumeUntil") == .uint64(noon + 19 * 3_600_000_000))
        #expect(try await client.property("QuietHoursNow") == .string(""))
        #expect(
            try await client.property("Preferences")?.dictionary?["quietHours"]
                == .string("daily 22:00-07:00 volume=0.25"))
    }

    @Test("a test sets the wall clock and the zone of a simulated board, and quiet hours follow")
    func timeOfDay() async throws {
        let bench = try ServiceBench()
        let client = try bench.client()
        func board(_ member: String, _ argument: BusValue) async -> String? {
            await client.error(member, [argument], interface: RingerNames.simulatedBoardInterface)
        }
        bench.device.preferences.quietHours = try QuietHours("daily 22:00-07:00")
        // 12:00, and 22:30 in Berlin.
        let midnight: UInt64 = 1_767_225_600_000_000
        #expect(await board("SetWallTime", .uint64(midnight + 12 * 3_600_000_000)) == nil)
        #expect(try await client.property("QuietHoursNow") == .string(""))
        #expect(await board("SetWallTime", .uint64(midnight + 77_400_000_000)) == nil)
        #expect(try await client.property("QuietHoursNow") == .string(""))
        #expect(await board("SetTimeZone", .string("CET-1CEST,M3.5.0,M10.5.0/3")) == nil)
        #expect(try await client.property("QuietHoursNow") == .string("silent"))
        #expect(try await client.property("QuietHoursUntil") == .uint64(midnight + 30 * 3_600_000_000))
        #expect(await board("SetTimeZone", .string("Berlin")) == "org.freedesktop.DBus.Error.InvalidArgs")
        #expect(await board("SetWallTime", .uint64(.max)) == "org.freedesktop.DBus.Error.InvalidArgs")
        try await client.advance(.seconds(30_601))
        #expect(try await client.property("QuietHoursNow") == .string(""))
        #expect(try await client.property("EffectivePosition") == .string("ring"))
    }
}
