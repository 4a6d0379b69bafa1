import CLinux
import CPCMProtocol
import Glibc
import RingerCore
import RingerTestKit
import ServiceSupport
import Synchronization
import Testing

@testable import RingerDaemon

/// Programs that know nothing of the service, on the PCM `ringer`.
@Suite(.serialized) struct PCMTests {
    @Test("aplay falls silent with the switch and is heard again at the right place, sample for sample")
    func flip() async throws {
        let (bench, aplay) = try await PCMBench.playing()
        bench.board.ringSilent.position = .silent
        try await aplay.hear(gain: 0)
        bench.board.ringSilent.position = .ring
        try await aplay.hear(gain: 1)
        #expect(try await aplay.finish() == 0)
        let heard = try aplay.heard()
        #expect(heard.map(\.gain) == [1, 0, 1], "\(heard)")
    }

    @Test("with the switch at silent not one sample of it is heard, and playback is; then aplay takes its time")
    func silentFromTheStart() async throws {
        let bench = try PCMBench()
        bench.board.ringSilent.position = .silent
        let file = try bench.sound(seconds: 1)
        let ambient = try bench.play(file)
        #expect(try await ambient.end() == 0)
        // One after the other: at once, the later one would interrupt the other.
        let playback = try bench.play(file, pcm: "CATEGORY=playback")
        #expect(try await playback.end() == 0)
        #expect(try ambient.heard() == [.init(gain: 0, frames: 0..<PCMBench.rate)])
        #expect(try playback.heard() == [.init(gain: 1, frames: 0..<PCMBench.rate)])
    }

    @Test(
        "each source of silence silences the streams that it has to",
        arguments: [SilenceTable.Source.none, .keptSilent, .keptVibrate, .quietSilent, .quietVibrate, .doNotDisturb])
    func sources(_ source: SilenceTable.Source) async throws {
        let bench = try PCMBench()
        var preferences = try SilenceTable.preferences(source)
        // The bench has this machine's wall clock.
        if !preferences.quietHours.spans.isEmpty { preferences.quietHours = .always }
        bench.device.preferences = preferences
        if let kept = SilenceTable.keptPosition(source) { try await bench.device.setPosition(kept) }
        let file = try bench.sound(seconds: 1)
        let streams = try [SilenceTable.Kind.ambient, .playback, .honouring].map { kind in
            let options = kind == .honouring ? "mixWithOthers honoursRingSilentSwitch" : "mixWithOthers"
            // The category ambient mixes as it is.
            let words = kind == .ambient ? "ambient" : "playback,OPTIONS='\(options)'"
            return (kind, try bench.play(file, pcm: "CATEGORY=" + words))
        }
        for (kind, stream) in streams {
            #expect(try await stream.end() == 0)
            let gain: Double = SilenceTable.expected(source, kind) == "h" ? 1 : 0
            #expect(try stream.heard() == [.init(gain: gain, frames: 0..<PCMBench.rate)], "\(kind)")
        }
    }

    @Test("with when_silenced skip the flip ends playback: a minute of sound is over at once, with status 0")
    func skip() async throws {
        let bench = try PCMBench()
        let file = try bench.sound(seconds: 60)
        let aplay = try bench.play(file, pcm: "WHEN_SILENCED=skip")
        try await aplay.hear(seconds: 0.3)
        bench.board.ringSilent.position = .silent
        #expect(try await aplay.end() == 0)
        #expect(try aplay.heard().map(\.gain) == [1])
        // From the start, nothing is played at all.
        let second = try bench.play(file, pcm: "WHEN_SILENCED=skip")
        #expect(try await second.end() == 0)
        #expect(second.played == 0)
    }

    @Test("what is skipped until the switch is flipped back is heard from there on")
    func skipEnds() async throws {
        let bench = try PCMBench()
        bench.board.ringSilent.position = .silent
        // What comes after a pause in mid-sound is written when the switch is at ring.
        let file = try bench.sound(seconds: 2)
        let program = try bench.run(
            [
                "sh", "-c",
                "{ cd \"$2\"; head -c 96044 \"$3\"; : >waits; while [ ! -e go ]; do sleep 0.01; done; "
                    + "tail -c +96045 \"$3\"; } | aplay -q -D \"$1\"", "-", "PCM", bench.folder.path, file,
            ], pcm: "WHEN_SILENCED=skip")
        // What is not in the pipe any more was skipped.
        while access(bench.folder.path + "/waits", F_OK) != 0, program.ended == nil { await Task.yield() }
        try await bench.flip(to: .ring)
        _ = try bench.folder.write("", to: "go")
        #expect(try await program.end() == 0)
        #expect(program.played > PCMBench.rate && program.played < 2 * PCMBench.rate, "\(program.played)")
    }

    @Test("without a service it is silent in its own time, or plays, as configured")
    func unreachable() async throws {
        let bench = try PCMBench(isServed: false)
        let file = try bench.sound(seconds: 1)
        let silent = try bench.play(file)
        let plays = try bench.play(file, pcm: "IF_UNREACHABLE=play")
        #expect(try await silent.end() == 0)
        #expect(try await plays.end() == 0)
        #expect(try silent.heard() == [.init(gain: 0, frames: 0..<PCMBench.rate)])
        #expect(try plays.heard() == [.init(gain: 1, frames: 0..<PCMBench.rate)])
    }

    @Test("a service that ends in mid-play and comes back is found again")
    func restart() async throws {
        let (bench, aplay) = try await PCMBench.playing()
        bench.stop()
        try await aplay.hear(gain: 0)
        try bench.start()
        try await aplay.hear(gain: 1)
        #expect(try await aplay.finish() == 0)
        #expect(try aplay.heard().map(\.gain) == [1, 0, 1])
    }

    // It was heard again.
    @Test("a sound whose interruption ended without leave to resume is silent after a restart; the next one is heard")
    func restartAfterInterruption() async throws {
        let (bench, aplay) = try await PCMBench.playing()
        bench.device.sessions.interruptionEnded(bench.device.sessions.interruptionBegan(), shouldResume: false)
        try await aplay.hear(gain: 0)
        bench.stop()
        try bench.start()
        // It has found the new service.
        while bench.device.sessions.all.isEmpty, aplay.ended == nil { await Task.yield() }
        try await aplay.hear(seconds: 0.5)
        #expect(try await aplay.finish() == 0)
        #expect(try aplay.heard().map(\.gain) == [1, 0])
        let next = try bench.playOn()
        try await next.hear(gain: 1)
        #expect(try await next.finish() == 0)
    }

    // The plug-in said when its own stream had started: the session became younger, and interrupted what had interrupted it.
    @Test("a plug-in tells the next service the age of its session, and of no stream whose interruption is over")
    func nextService() async throws {
        let bench = try PCMBench(isServed: false)
        let listener = ringer_listen(bench.socket)
        defer { close(listener) }
        let aplay = try bench.playOn()
        var said: [String] = []
        var status: Int32?
        // What each service says of the stream once it runs.
        for (since, flags) in [(7, 0), (0, RINGER_PCM_OVER), (0, 0)] as [(UInt64, Int)] {
            var service: CInt = -1
            while service < 0 {
                service = ringer_accept(listener)
                try #require(aplay.ended == nil)
                await Task.yield()
            }
            defer { close(service) }
            /// The next packet's kind, flags and time, which is 0 in a greeting.
            func receive() async throws -> ringer_pcm_packet? {
                var packet = ringer_pcm_packet()
                while true {
                    let size = ringer_receive(service, &packet, PCMPacket.size)
                    if size >= 0 { return size == 0 ? nil : packet }
                    try await Task.sleep(for: .milliseconds(1))
                }
            }
            func send(_ kind: Int, _ flags: Int, since: UInt64) {
                var packet = PCMPacket(kind: kind, value: RINGER_PCM_HEARD, flags: flags, gain: 1).packet
                packet.since = since
                _ = withUnsafeBytes(of: packet) { ringer_send(service, $0.baseAddress, $0.count) }
            }
            let hello = try await receive()
            said.append("hello \(hello?.flags ?? 0)")
            send(RINGER_PCM_ACCEPTED, 0, since: 0)
            if said.count == 5 { status = try await aplay.finish() }
            let next = try await receive()
            said.append(next.map { "\($0.kind) \($0.since)" } ?? "end")
            send(RINGER_PCM_STATE, flags, since: since)
            try await aplay.hear(seconds: 0.5)
        }
        #expect(said == ["hello 0", "2 0", "hello 1", "2 7", "hello 0", "3 0"])
        #expect(status == 0)
    }

    @Test("a stream that joins a session is informed of its age")
    func ageOfSession() async throws {
        let bench = try PCMBench()
        let (first, second) = (try PCMClient(bench), try PCMClient(bench))
        for client in [first, second] {
            try await client.join("playback")
            #expect(client.since == 0)
            client.start(on: bench)
            while client.since == 0 {
                try #require(try await client.receive() == [RINGER_PCM_STATE, RINGER_PCM_HEARD])
            }
        }
        #expect(first.since == second.since && first.since == bench.device.sessions.all[0].activation)
        // One that starts anew is informed again, though nothing has changed.
        first.send(kind: RINGER_PCM_STOPPED)
        first.start(on: bench)
        #expect(try await first.receive() == [RINGER_PCM_STATE, RINGER_PCM_HEARD])
        #expect(first.since == second.since)
    }

    // It was taken for the newest, and interrupted an announcement that had interrupted it.
    @Test("a program whose sound was interrupted before the service was started again waits for what interrupted it")
    func restartWhileInterrupted() async throws {
        let (bench, aplay) = try await PCMBench.playing()
        bench.stop()
        let prompt = bench.device.sessions.make(name: "prompt", category: .playback)
        try await prompt.activate()
        try bench.start()
        while bench.device.sessions.all.map(\.phase) != [.active, .interrupted] { await Task.yield() }
        try await prompt.deactivate()
        #expect(bench.device.sessions.all.map(\.phase) == [.inactive, .active])
        #expect(try await aplay.finish() == 0)
    }

    @Test(
        "a session of two streams is as old as the first of them, whichever comes first, and accepted with what holds",
        arguments: [true, false])
    func ages(_ laterResumes: Bool) async throws {
        let bench = try PCMBench()
        let before = UInt64(bench.loop.now.nanoseconds)
        let prompt = bench.device.sessions.make(name: "prompt", category: .playback)
        try await prompt.activate()
        // An update may be due between the greeting and the start.
        try await Task.sleep(for: .milliseconds(20))
        let later = try PCMClient(bench)
        if laterResumes {
            later.resume("playback", since: UInt64(bench.loop.now.nanoseconds))
            #expect(try await later.receive() == [RINGER_PCM_ACCEPTED, RINGER_PCM_HEARD])
        } else {
            try await later.join("playback")
            later.start(on: bench)
        }
        #expect(prompt.isInterrupted)
        let earlier = try PCMClient(bench)
        earlier.resume("playback", since: before)
        #expect(try await earlier.receive() == [RINGER_PCM_ACCEPTED, RINGER_PCM_INTERRUPTED])
        #expect(prompt.isActive && bench.device.sessions.all.map(\.phase) == [.active, .interrupted])
    }

    @Test("a stream that resumes without an input keeps its age until there is one")
    func ageWithoutInput() async throws {
        let bench = try PCMBench(isServed: false)
        bench.board.surroundings.set(.inputAvailable(false))
        try bench.start()
        let before = UInt64(bench.loop.now.nanoseconds)
        let prompt = bench.device.sessions.make(name: "prompt", category: .playback)
        try await prompt.activate()
        // A stream of the same session that began later does not make it younger.
        let phones = try [before, UInt64(bench.loop.now.nanoseconds)].map { time in
            let phone = try PCMClient(bench)
            phone.resume("playAndRecord", since: time)
            return phone
        }
        for phone in phones { #expect(try await phone.receive()?.first == Int(RINGER_PCM_ACCEPTED)) }
        #expect(bench.device.sessions.all.map(\.phase) == [.active, .inactive])
        bench.board.surroundings.set(.inputAvailable(true))
        while bench.device.sessions.all.map(\.phase).contains(.inactive) { await Task.yield() }
        #expect(bench.device.sessions.all.map(\.phase) == [.active, .interrupted])
    }

    // A program skipped the rest of its sound: the copy that a process had which was just being started kept it connected.
    @Test("a service that stops ends its connections, though there are copies of their descriptors")
    func copies() async throws {
        let bench = try PCMBench()
        let client = try PCMClient(bench)
        try await client.join("ambient")
        let copies = (0..<CInt(1024)).filter { bench.owns($0) }.map { dup($0) }
        defer { copies.forEach { close($0) } }
        // The listener's and the connection's.
        #expect(copies.count == 2)
        bench.stop()
        try #require(client.hasPacket)
        #expect(try await client.receive() == nil)
    }

    // The plug-in kept the last word of a service that hung for ever.
    @Test(
        "while the service hangs, what obeys the switch is silent and says so once; it is heard again afterwards",
        arguments: ["the device's thread", "the streams' thread"])
    func hang(_ thread: String) async throws {
        let bench = try PCMBench(patience: [PCMBench.longGreeting])
        let ambient = try bench.playOn(pcm: "CATEGORY=ambient")
        let playback = try bench.playOn(pcm: "CATEGORY=playback,OPTIONS=mixWithOthers")
        for program in [ambient, playback] { try await program.hear(gain: 1) }
        let isOver = Latch()
        (thread == "the device's thread" ? bench.loop : bench.streamLoop).execute { isOver.wait() }
        try await ambient.hear(gain: 0)
        // As long as it takes until the service is asked and has not answered.
        try await playback.hear(seconds: 2)
        isOver.open()
        try await ambient.hear(gain: 1)
        for program in [ambient, playback] { #expect(try await program.finish() == 0) }
        #expect(try ambient.heard().map(\.gain) == [1, 0, 1])
        #expect(try playback.heard().map(\.gain) == [1])
        #expect(ambient.messages.split(separator: "\n").filter { $0.contains("does not answer") }.count == 1)
    }

    // A PCM that was opened while the service hung took it for one that is not there, and played for ever.
    @Test(
        "a PCM that is opened while the service hangs, and plays without one, is silent after 2 s if it obeys the switch",
        arguments: ["the device's thread", "the streams' thread", "a queue of connections that is full"])
    func hangAtOpening(_ kind: String) async throws {
        let bench = try PCMBench(patience: [], isServed: false)
        let isOver = Latch()
        var waiting: [PCMClient] = []
        var listener: CInt = -1
        if kind == "a queue of connections that is full" {
            listener = ringer_listen(bench.socket)
            listen(listener, 4)
            while let client = try? PCMClient(bench) { waiting.append(client) }
        } else {
            try bench.start()
            (kind == "the device's thread" ? bench.loop : bench.streamLoop).execute { isOver.wait() }
        }
        let programs = try ["CATEGORY=ambient", "CATEGORY=playback,OPTIONS=mixWithOthers"].map {
            try bench.playOn(pcm: $0 + ",IF_UNREACHABLE=play")
        }
        try await programs[0].hear(gain: 0)
        try await programs[1].hear(seconds: 2)
        if listener >= 0 {
            close(listener)
            waiting = []
            try bench.start()
        }
        isOver.open()
        try await programs[0].hear(gain: 1)
        for program in programs { #expect(try await program.finish() == 0) }
        let heard = try programs[0].heard()
        #expect(heard.map(\.gain) == [1, 0, 1], "\(heard)")
        #expect(try programs[1].heard().map(\.gain) == [1])
        let said = programs[0].messages.split(separator: "\n").filter { $0.contains("does not answer") }
        #expect(said.count == 1, "\(said)")
    }

    // 64 connections that nobody had taken yet were all that there could be, and one was taken in a turn of the loop.
    @Test("programs that connect and leave again and again keep no other program from connecting")
    func manyConnections() async throws {
        let bench = try PCMBench()
        let gate = Latch()
        bench.loop.execute { gate.wait() }
        defer { gate.open() }
        for _ in 0..<500 { _ = try PCMClient(bench) }
        let client = try PCMClient(bench)
        client.greet("playback")
        gate.open()
        #expect(try await client.receive()?.first == RINGER_PCM_ACCEPTED)
    }

    // It was silent for 0.25 s at least.
    @Test(
        "a program that finds too many connections waiting for the service begins when it is its turn, and not silent")
    func fullQueue() async throws {
        let bench = try PCMBench()
        let gate = Latch()
        bench.loop.execute { gate.wait() }
        for descriptor in 0..<getdtablesize() where bench.owns(descriptor) { listen(descriptor, 4) }
        var waiting: [PCMClient] = []
        while let client = try? PCMClient(bench) { waiting.append(client) }
        let aplay = try bench.playOn()
        // Nobody sees it try: where it has not by then, the test passes without having tested that. It never fails for it, since
        // opening waits 20 s here.
        try await Task.sleep(for: .milliseconds(500))
        gate.open()
        waiting = []
        try await aplay.hear(seconds: 0.5)
        #expect(try await aplay.finish() == 0)
        #expect(try aplay.heard().map(\.gain) == [1])
    }

    @Test("the plug-in and the service agree on which categories obey the switch")
    func ignoresSwitch() throws {
        for category in AudioCategory.allCases {
            for names in [[], ["mixWithOthers"], ["mixWithOthers", "honoursRingSilentSwitch"]] {
                let options = try #require(CategoryOptions(names: names))
                let hello = PCMPacket.Hello(category: category, options: options, isCapture: false, name: "")
                #expect(
                    ringer_pcm_ignores_switch(category.rawValue, names.joined(separator: " "))
                        == (hello.flags & RINGER_PCM_IGNORES_SWITCH != 0), "\(category) \(names)")
            }
        }
    }

    @Test("a service that is asked answers with the state, and says when it accepts a stream that it does")
    func ping() async throws {
        let bench = try PCMBench()
        for (category, flags) in [("ambient", 1), ("playback", 3)] {
            let client = try PCMClient(bench)
            try await client.join(category)
            #expect(client.flags == flags)
            for _ in 0..<2 {
                client.send(kind: RINGER_PCM_PING)
                #expect(try await client.receive() == [RINGER_PCM_STATE, RINGER_PCM_HEARD])
            }
        }
    }

    // It would close the connection after a packet that it does not know.
    @Test("a service that does not say that it answers is not asked")
    func olderService() async throws {
        let bench = try PCMBench(isServed: false)
        let listener = ringer_listen(bench.socket)
        defer { close(listener) }
        let aplay = try bench.play(try bench.sound(seconds: 4))
        var service: CInt = -1
        while service < 0 {
            service = ringer_accept(listener)
            await Task.yield()
        }
        defer { close(service) }
        var kinds: [Int] = []
        while true {
            var packet = ringer_pcm_packet()
            let size = ringer_receive(service, &packet, PCMPacket.size)
            if size == 0 { break }
            guard size > 0 else {
                try await Task.sleep(for: .milliseconds(1))
                continue
            }
            kinds.append(Int(packet.kind))
            guard kinds.count == 1 else { continue }
            let accepted = PCMPacket(kind: RINGER_PCM_ACCEPTED, value: RINGER_PCM_HEARD, gain: 1)
            _ = withUnsafeBytes(of: accepted.packet) { ringer_send(service, $0.baseAddress, $0.count) }
        }
        #expect(kinds == [RINGER_PCM_HELLO, RINGER_PCM_STARTED, RINGER_PCM_STOPPED])
        #expect(try await aplay.end() == 0)
        #expect(try aplay.heard() == [.init(gain: 1, frames: 0..<4 * PCMBench.rate)])
    }

    @Test("a second program interrupts the first one, which is heard again afterwards")
    func interruption() async throws {
        let (bench, first) = try await PCMBench.playing()
        let second = try bench.playOn(pcm: "CATEGORY=playback")
        try await first.hear(gain: 0)
        #expect(try await second.finish() == 0)
        try await first.hear(gain: 1)
        #expect(try await first.finish() == 0)
        #expect(try second.heard().map(\.gain) == [1])
        #expect(try first.heard().map(\.gain) == [1, 0, 1])
        while !bench.device.sessions.all.isEmpty { await Task.yield() }
    }

    @Test("a session that ducks others turns it down by 14 dB, in a ramp, and up again")
    func ducking() async throws {
        let bench = try PCMBench()
        let aplay = try bench.playOn(pcm: "CATEGORY=playback")
        try await aplay.hear(gain: 1)
        let session = try bench.device.sessions.make(category: .playback, options: .duckOthers)
        try await session.activate()
        try await aplay.hear(gain: 0.2)
        try await session.deactivate()
        try await aplay.hear(gain: 1)
        #expect(try await aplay.finish() == 0)
        let heard = try aplay.heard()
        #expect(heard.map(\.gain).filter { $0 != nil } == [1, 0.2, 1], "\(heard)")
        #expect(heard.filter { $0.gain == nil }.allSatisfy { $0.frames.count <= PCMBench.rate / 50 })
    }

    @Test("the volume of media turns a program's stream down, in a ramp, silences it at 0, and up again")
    func mediaVolume() async throws {
        let bench = try PCMBench()
        let aplay = try bench.playOn(pcm: "CATEGORY=playback")
        try await aplay.hear(gain: 1)
        for volume in [Ducking.gain, 0, 1] {
            bench.device.preferences.mediaVolume = volume
            try await aplay.hear(gain: volume == Ducking.gain ? 0.2 : Double(volume))
        }
        #expect(try await aplay.finish() == 0)
        let heard = try aplay.heard()
        #expect(heard.map(\.gain).filter { $0 != nil } == [1, 0.2, 0, 1], "\(heard)")
        #expect(heard.filter { $0.gain == nil }.allSatisfy { $0.frames.count <= PCMBench.rate / 50 })
    }

    @Test(
        "ducking falls to the user's depth and rises again in the user's times, sample by sample",
        arguments: [(20, 100, 60), (50, 0, 40), (6, 40, 0)] as [(Float, Int, Int)])
    func duckingRamps(depth: Float, down: Int, up: Int) async throws {
        let bench = try PCMBench()
        bench.device.preferences = UserPreferences(
            duckingDepth: depth, duckingDown: .milliseconds(down), duckingUp: .milliseconds(up))
        let aplay = try bench.playOn(pcm: "CATEGORY=playback")
        try await aplay.hear(gain: 1)
        let session = try bench.device.sessions.make(category: .playback, options: .duckOthers)
        try await session.activate()
        let ducked = bench.device.preferences.duckingGain
        try await aplay.hear(gain: depth == 50 ? 0 : 0.2, ducked: ducked)
        try await session.deactivate()
        try await aplay.hear(gain: 1)
        #expect(try await aplay.finish() == 0)
        let samples = try aplay.samples()
        let changed = samples.indices.filter { samples[$0] != PCMBench.sample($0) }
        let (first, last) = (try #require(changed.first), try #require(changed.last))
        let (falls, rises) = (down * 48, up * 48)
        // A ramp begins with the gain that there was, which is not seen.
        let begin = falls > 0 ? first - 1 : first
        let middle = last + 1 - rises
        #expect(middle >= begin + falls)
        // A packet has the gain in parts of 65,536.
        let target = Double((ducked * 65_536).rounded() / 65_536)
        for frame in begin...last {
            let gain =
                frame < begin + falls
                ? 1 + (target - 1) * Double(frame - begin) / Double(falls)
                : frame < middle ? target : target + (1 - target) * Double(frame - middle) / Double(rises)
            let expected = Double(PCMBench.sample(frame)) * gain
            if abs(Double(samples[frame]) - expected) > 1 {
                Issue.record("frame \(frame - begin): \(samples[frame]), not \(expected)")
                return
            }
        }
    }

    @Test("an announcement is heard in full over what it ducks, whether a program or the service makes it")
    func announcementOverDucked() async throws {
        let bench = try PCMBench()
        let music = try bench.playOn(pcm: "CATEGORY=playback,OPTIONS=mixWithOthers")
        try await music.hear(gain: 1)
        let program = try bench.play(try bench.sound(seconds: 1), pcm: "CATEGORY=playback,OPTIONS=duckOthers")
        try await music.hear(gain: 0.2)
        #expect(try await program.end() == 0)
        #expect(try program.heard() == [.init(gain: 1, frames: 0..<PCMBench.rate)])
        try await music.hear(gain: 1)
        let tone = PCMBuffer(sampleRate: 48_000, channels: 1, samples: [Int16](repeating: 8_000, count: 24_000))
        try bench.device.announcements.add(Announcement(tone, options: .duckOthers))
        try await music.hear(gain: 0.2)
        try await music.hear(gain: 1)
        #expect(bench.board.speaker.recordings.map(\.gains) == [[1]])
        #expect(try await music.finish() == 0)
    }

    @Test("a sound that begins during a call is heard after it")
    func refusedAtTheStart() async throws {
        let bench = try PCMBench()
        let call = bench.device.sessions.interruptionBegan()
        let aplay = try bench.playOn()
        try await aplay.hear(gain: 0)
        bench.device.sessions.interruptionEnded(call)
        try await aplay.hear(gain: 1)
        #expect(try await aplay.finish() == 0)
        #expect(try aplay.heard().map(\.gain) == [0, 1])
    }

    // It stayed silent until the program had stopped all its PCMs.
    @Test("a PCM that starts after an interruption without leave to resume is heard, though another one never stopped")
    func startsAnew() async throws {
        let bench = try PCMBench()
        let (music, prompt) = (try PCMClient(bench), try PCMClient(bench))
        for client in [music, prompt] {
            try await client.join("playback")
        }
        music.start(on: bench)
        bench.device.sessions.interruptionEnded(bench.device.sessions.interruptionBegan(), shouldResume: false)
        #expect(bench.device.sessions.all.map(\.phase) == [.inactive])
        prompt.start(on: bench)
        #expect(bench.device.sessions.all.map(\.phase) == [.active])
    }

    @Test("a session that resumes after an interruption counts as playing again")
    func playsAfterCall() async throws {
        let bench = try PCMBench()
        let music = try PCMClient(bench)
        try await music.join("playback")
        music.start(on: bench)
        let other = bench.device.sessions.make(name: "other")
        #expect(other.isOtherAudioPlaying)
        let call = bench.device.sessions.interruptionBegan()
        while try #require(await music.receive()).last != Int(RINGER_PCM_INTERRUPTED) {}
        #expect(!other.isOtherAudioPlaying)
        bench.device.sessions.interruptionEnded(call)
        while try #require(await music.receive()).last != Int(RINGER_PCM_HEARD) {}
        #expect(other.isOtherAudioPlaying)
    }

    @Test("10,000 hostile packets change nothing for a program that plays")
    func hostile() async throws {
        let bench = try PCMBench()
        let aplay = try bench.play(try bench.sound(seconds: 3))
        try await aplay.hear(seconds: 0.3)
        var numbers = SystemRandomNumberGenerator()
        let noise = (0..<65_536).map { _ in UInt8.random(in: 0...255, using: &numbers) }
        var sent = 0
        while sent < 10_000 {
            let client = try PCMClient(bench)
            if Bool.random(using: &numbers) { client.greet("ambient") }
            for _ in 0..<Int.random(in: 1...50, using: &numbers) {
                // Often of the right size, so that they get further.
                let size = Bool.random(using: &numbers) ? PCMPacket.size : Int.random(in: 0...4096, using: &numbers)
                var bytes = Array(noise[Int.random(in: 0..<60_000, using: &numbers)...].prefix(size))
                if size > 1, Bool.random(using: &numbers) { bytes.replaceSubrange(0..<2, with: [1, 1]) }
                client.send(bytes)
                sent += 1
            }
            bench.turn()
        }
        #expect(try await aplay.end() == 0)
        #expect(try aplay.heard() == [.init(gain: 1, frames: 0..<3 * PCMBench.rate)])
        while !bench.device.sessions.all.isEmpty { await Task.yield() }
    }

    @Test("who may not play, a category that is not known, another version and a connection too many are refused")
    func refusals() async throws {
        var strangers = Authorization()
        strangers.controllingUsers = []
        let closed = try PCMBench(authorization: strangers)
        let stranger = try PCMClient(closed)
        stranger.greet("ambient")
        #expect(try await stranger.receive() == [RINGER_PCM_REFUSED, RINGER_PCM_NOT_PERMITTED])
        #expect(try await stranger.receive() == nil)

        let bench = try PCMBench()
        for (category, options) in [("plyback", ""), ("ambient", "duckOthers"), ("playback", "loud")] {
            let client = try PCMClient(bench)
            client.greet(category, options: options)
            #expect(try await client.receive() == [RINGER_PCM_REFUSED, RINGER_PCM_CATEGORY_UNKNOWN])
        }
        let aplay = try bench.play(try bench.sound(seconds: 1), pcm: "CATEGORY=plyback")
        #expect(try await aplay.end() == 1)
        let newer = try PCMClient(bench)
        newer.greet("playback", version: 2)
        #expect(try await newer.receive() == [RINGER_PCM_REFUSED, RINGER_PCM_VERSION_UNKNOWN])
        #expect(try await newer.receive() == nil)

        // Half of what its user may have, for one program.
        var clients = try (0..<16).map { _ in
            let client = try PCMClient(bench)
            client.greet("ambient")
            return client
        }
        for client in clients { #expect(try await client.receive() == [RINGER_PCM_ACCEPTED, RINGER_PCM_HEARD]) }
        let surplus = try PCMClient(bench)
        surplus.greet("ambient")
        #expect(try await surplus.receive() == [RINGER_PCM_REFUSED, RINGER_PCM_TOO_MANY])
        // Another program of the user has its own part, and what ends gives its part back.
        let program = try bench.play(try bench.sound(seconds: 1))
        #expect(try await program.end() == 0)
        #expect(try program.heard() == [.init(gain: 1, frames: 0..<PCMBench.rate)])
        clients.removeLast()
        var answer: [Int]?
        repeat {
            let next = try PCMClient(bench)
            next.greet("ambient")
            answer = try await next.receive()
        } while answer == [RINGER_PCM_REFUSED, RINGER_PCM_TOO_MANY]
        #expect(answer == [RINGER_PCM_ACCEPTED, RINGER_PCM_HEARD])
        withExtendedLifetime(clients) {}
    }

    @Test("streams of others count to their program and their user, not to the process that connects for them")
    func budgetOfOthers() async throws {
        let bench = try PCMBench(connections: 4)
        let others = try (0..<3).map { number in
            let client = try PCMClient(bench)
            client.greet("ambient", program: UInt32(number))
            return client
        }
        for client in others { #expect(try await client.receive() == [RINGER_PCM_ACCEPTED, RINGER_PCM_HEARD]) }
        // They take nothing of the process's own part, of two, and leave it one of the user's.
        let own = try PCMClient(bench)
        try await own.join("ambient")
        let surplus = try PCMClient(bench)
        surplus.greet("ambient", program: 3)
        #expect(try await surplus.receive() == [RINGER_PCM_REFUSED, RINGER_PCM_TOO_MANY])
        withExtendedLifetime((others, own)) {}
    }

    @Test("a program that another process connects for has half of what its user may have")
    func budgetOfOneOfOthers() async throws {
        let bench = try PCMBench(connections: 4)
        var clients: [PCMClient] = []
        for (program, answer) in [
            (1, RINGER_PCM_ACCEPTED), (1, RINGER_PCM_ACCEPTED), (1, RINGER_PCM_REFUSED),
            (2, RINGER_PCM_ACCEPTED),
        ] {
            let client = try PCMClient(bench)
            client.greet("ambient", program: UInt32(program))
            #expect(try await client.receive()?.first == answer)
            clients.append(client)
        }
    }

    @Test("programs that one process connects for have sessions of their own, which the streams of a program share")
    func sessionsOfOthers() async throws {
        let bench = try PCMBench()
        let (first, second, other) = (try PCMClient(bench), try PCMClient(bench), try PCMClient(bench))
        for (client, number) in [(first, 1), (second, 1), (other, 2)] as [(PCMClient, UInt32)] {
            client.greet("soloAmbient", program: number)
        }
        for client in [first, second, other] {
            #expect(try await client.receive() == [RINGER_PCM_ACCEPTED, RINGER_PCM_HEARD])
        }
        #expect(bench.device.sessions.all.count == 2)
        first.start(on: bench)
        second.start(on: bench)
        // The second stream of the program interrupted nobody; the other program interrupts both.
        first.send(kind: RINGER_PCM_PING)
        #expect(try await first.receive() == [RINGER_PCM_STATE, RINGER_PCM_HEARD])
        other.start(on: bench)
        for client in [first, second] {
            while try await client.receive() != [RINGER_PCM_STATE, RINGER_PCM_INTERRUPTED] {}
        }
        #expect(try await other.receive() == [RINGER_PCM_STATE, RINGER_PCM_HEARD])
    }

    // The plug-in named the key of the configuration alone.
    @Test("a program with a connection too many reads the limit, as programs on the bus do")
    func limit() async throws {
        let bench = try PCMBench(connections: 1)
        let client = try PCMClient(bench)
        try await client.join("ambient")
        let program = try bench.play(try bench.sound(seconds: 1))
        #expect(try await program.end() == 0)
        let limit = "pcms-per-user is used up: 1 pcms are the most for user \(getuid())\n"
        #expect(program.messages.hasSuffix("ringer: the service has too many connections: " + limit))
        withExtendedLifetime(client) {}
    }

    // As many connections as there may be, none of which greeted, left no other program a sound, for as long as they liked.
    @Test("connections that do not greet are closed, and leave room for a program")
    func noGreeting() async throws {
        let bench = try PCMBench()
        let greeted = try PCMClient(bench)
        try await greeted.join("ambient")
        let silent = try (1..<Budget.Limits().ofConnection(.pcms)).map { _ in try PCMClient(bench) }
        for client in silent { #expect(try await client.receive() == nil) }
        let next = try PCMClient(bench)
        try await next.join("ambient")
        bench.board.ringSilent.position = .silent
        #expect(try await greeted.receive() == [RINGER_PCM_STATE, RINGER_PCM_SILENCED])
    }

    @Test("a program that floods is read at a pace, and others are attended to meanwhile")
    func flood() async throws {
        let bench = try PCMBench()
        let began = bench.loop.now
        var answers = 0
        // The packets of all connections of a process count, and each may be read once more where it became due.
        func isPaced() -> Bool { answers <= PCMPace.burst + Int((bench.loop.now - began) / PCMPace.interval) + 1 }
        let flooding = try PCMClient(bench)
        try await flooding.join("ambient")
        for _ in 0..<100 { flooding.send(kind: RINGER_PCM_PING) }
        let other = try PCMClient(bench)
        try await other.join("ambient")
        // A packet is read in each turn.
        for _ in 0..<PCMPace.burst + 100 {
            if answers < PCMPace.burst { flooding.send(kind: RINGER_PCM_PING) }
            bench.turn()
            while flooding.hasPacket {
                #expect(try await flooding.receive() == [RINGER_PCM_STATE, RINGER_PCM_HEARD])
                answers += 1
            }
        }
        #expect(isPaced())
        // Another connection of the program has no burst of its own.
        let again = try PCMClient(bench)
        try await again.join("ambient")
        for _ in 0..<100 { again.send(kind: RINGER_PCM_PING) }
        for _ in 0..<100 {
            #expect(try await again.receive() == [RINGER_PCM_STATE, RINGER_PCM_HEARD])
            answers += 1
        }
        #expect(isPaced())
        // Nor has a program that the process says it connects for, of whose packets four count as one.
        let ofOthers = try PCMClient(bench)
        try await ofOthers.join("ambient", program: 7)
        for _ in 0..<100 { ofOthers.send(kind: RINGER_PCM_PING) }
        for number in 0..<100 {
            #expect(try await ofOthers.receive() == [RINGER_PCM_STATE, RINGER_PCM_HEARD])
            if number % PCMPace.packetsOfOthers == 0 { answers += 1 }
        }
        #expect(isPaced())
    }

    @Test("what happens at a pace happens so often at once, and then once in each interval")
    func pace() {
        var pace = PCMPace()
        let start = MonotonicTime(nanoseconds: 1_000_000_000)
        for _ in 1..<PCMPace.burst { #expect(pace.take(at: start) <= start) }
        #expect(pace.take(at: start) == start + PCMPace.interval)
        let next = start + PCMPace.interval
        #expect(pace.take(at: next) == next + PCMPace.interval)
        let whole = start + PCMPace.interval * (PCMPace.burst + 1)
        #expect(!pace.isWhole(at: start + PCMPace.interval * PCMPace.burst) && pace.isWhole(at: whole))
        #expect(pace.take(at: whole) <= whole)
    }

    // The plug-in greets before it reads: it took the end of the connection for a service that is not there, and played.
    @Test(
        "a program that is refused says why and is silent, also where it plays without a service; it plays once that ends"
    )
    func refusedPrograms() async throws {
        var strangers = Authorization()
        strangers.controllingUsers = []
        let closed = try PCMBench(authorization: strangers)
        let stranger = try closed.playOn(pcm: "IF_UNREACHABLE=play")
        try await stranger.hear(gain: 0)
        closed.stop()
        try await stranger.hear(gain: 1)
        #expect(try await stranger.finish() == 0)
        #expect(stranger.messages.contains("does not permit this user to play"), "\(stranger.messages)")
        #expect(try stranger.heard().map(\.gain) == [0, 1])

        let bench = try PCMBench(connections: 1)
        let client = try PCMClient(bench)
        try await client.join("ambient")
        let surplus = try bench.play(try bench.sound(seconds: 1), pcm: "IF_UNREACHABLE=play")
        #expect(try await surplus.end() == 0)
        #expect(surplus.messages.contains("too many connections"), "\(surplus.messages)")
        #expect(try surplus.heard() == [.init(gain: 0, frames: 0..<PCMBench.rate)])
        withExtendedLifetime(client) {}
    }

    // "Audible" was the answer wherever a clip took its time, and the PCM plays silence in real time where nobody judges it.
    @Test("the mute detector believes the PCM only with the service's word on a category that the switch silences")
    func detector() async throws {
        let bench = try PCMBench(isServed: false)
        let obeys = "CATEGORY=ambient,WHEN_SILENCED=skip"
        for unreachable in ["silence", "play"] {
            let reading = try await bench.detect(obeys + ",IF_UNREACHABLE=\(unreachable)")
            #expect(reading.contains("unknown (nothingKnows), by the output alone"), "\(reading)")
        }
        try bench.start()
        for (arguments, expected) in [
            (obeys, "audible"), ("CATEGORY=playback,OPTIONS=honoursRingSilentSwitch,WHEN_SILENCED=skip", "audible"),
            ("CATEGORY=playback,WHEN_SILENCED=skip", "unknown (nothingKnows)"),
        ] {
            let reading = try await bench.detect(arguments)
            #expect(reading.contains("\(expected)"), "\(arguments): \(reading)")
        }
        let call = bench.device.sessions.interruptionBegan()
        let interrupted = try await bench.detect(obeys)
        #expect(interrupted.contains("unknown (interruption), by the PCM"), "\(interrupted)")
        bench.device.sessions.interruptionEnded(call)
        bench.board.ringSilent.position = .silent
        let silent = try await bench.detect(obeys)
        #expect(silent.contains("muted after") && silent.contains("by the PCM"), "\(silent)")
    }

    // A category that does not play is never heard, and its session waited for that.
    @Test("a recording that began during a call counts as recording after it")
    func recordsAfterCall() async throws {
        let bench = try PCMBench()
        let call = bench.device.sessions.interruptionBegan()
        let recorder = try PCMClient(bench)
        recorder.greet("record", isCapture: true)
        recorder.send(kind: RINGER_PCM_STARTED)
        while bench.device.sessions.all.isEmpty { await Task.yield() }
        // The greeting and the start are read in two turns of the loop.
        for _ in 0..<10 { bench.turn() }
        #expect(!bench.device.state.sessions.contains(.records))
        bench.device.sessions.interruptionEnded(call)
        while !bench.device.state.sessions.contains(.records) { await Task.yield() }
    }

    @Test("a PCM that records counts as recording while it runs; one process that plays and records is one session")
    func capture() async throws {
        let bench = try PCMBench()
        let (player, recorder) = (try PCMClient(bench), try PCMClient(bench))
        player.greet("playAndRecord")
        recorder.greet("playAndRecord", isCapture: true)
        for client in [player, recorder] {
            #expect(try await client.receive() == [RINGER_PCM_ACCEPTED, RINGER_PCM_HEARD])
            client.send(kind: RINGER_PCM_STARTED)
        }
        while !bench.device.state.sessions.contains(.records) { await Task.yield() }
        #expect(bench.device.sessions.all.map(\.phase) == [.active])
        for client in [player, recorder] { client.send(kind: RINGER_PCM_STOPPED) }
        while bench.device.state.sessions.contains(.records) { await Task.yield() }

        // Playback's category cannot record: such a program interrupts nobody.
        let music = try PCMClient(bench)
        music.greet("playback")
        music.send(kind: RINGER_PCM_STARTED)
        let other = try PCMClient(bench)
        other.greet("playback", isCapture: true)
        other.send(kind: RINGER_PCM_STARTED)
        while bench.device.sessions.all.filter(\.isActive).count != 2 { await Task.yield() }
        #expect(bench.device.state.sessions.contains(.records))
    }

    // The plug-in may be the default PCM, which the service plays to by default: a sound that was allowed would be arbitrated
    // once more, against its own session.
    @Test("the service's own sounds pass, whatever the switch says")
    func ownSounds() async throws {
        let bench = try PCMBench(isServed: false)
        bench.board.ringSilent.position = .silent
        try bench.start(ownProcess: getpid())
        let client = try PCMClient(bench)
        client.greet("soloAmbient")
        client.send(kind: RINGER_PCM_STARTED)
        #expect(try await client.receive() == [RINGER_PCM_ACCEPTED, RINGER_PCM_HEARD])
        #expect(bench.device.sessions.all.isEmpty)
    }

    // The service went on without one until it was started again.
    @Test("a socket that cannot be made is tried again, ever more rarely, until it can be")
    func retries() async throws {
        let (folder, clock) = (try TemporaryFolder(), VirtualClock())
        let device = try Device.simulated(SimulatedBoard(clock: clock))
        let loop = try EventLoop(name: "service", stackSize: 1024 * 1024)
        defer { loop.close() }
        let socket = folder.path + "/run/pcm"
        let server = PCMServer(
            device, loop: loop, path: socket, authorization: Authorization(),
            budget: ServiceBudget(Budget.Limits(), clock: clock), ownProcess: 0)
        let failures = Mutex<[RingerError]>([])
        loop.sync { server.startWhenPossible { error in failures.withLock { $0.append(error) } } }
        #expect(failures.withLock { $0.map(\.code) } == [.notFound])
        // After 1, 3, 7, 15, 31, 63 and 123 s.
        for pause in [1, 2, 4, 8, 16, 32] {
            clock.advance(by: .seconds(pause))
            loop.sync {}
        }
        mkdir(folder.path + "/run", 0o700)
        defer { rmdir(folder.path + "/run") }
        clock.advance(by: .milliseconds(59_999))
        loop.sync {}
        #expect(access(socket, F_OK) != 0)
        clock.advance(by: .milliseconds(1))
        loop.sync {}
        _ = try PCMClient(socket)
        #expect(failures.withLock { $0.count } == 1)
        loop.sync { server.stop() }
    }

    @Test("a socket that a dead service left is replaced, one that is served is not, and a file is not removed")
    func socketPath() throws {
        let bench = try PCMBench()
        #expect(throws: RingerError.self) { try bench.start() }
        bench.stop()
        #expect(access(bench.socket, F_OK) != 0)
        _ = try bench.folder.write("kept", to: "pcm")
        #expect(throws: RingerError.self) { try bench.start() }
        #expect(try TextFile.read(bench.socket) == "kept")
    }
}
