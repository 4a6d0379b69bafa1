import Glibc
import PacedSupport
import RingerCore
import Testing

@testable import RingerLinux

/// PCMs that take their time to open, beside sounds that play.
@Suite struct ALSAOpeningTests {
    /// An output whose PCM opens at the gate, and is recorded in the file.
    private func gatedOutput() throws -> (ALSASoundOutput, LockedFile, TemporaryFile, Hearing) {
        let (gate, file) = (LockedFile(), TemporaryFile())
        let output = try output(PacedSink.name(.gate(gate.path), .capture(file.path), .waitsForWriter))
        return (output, gate, file, Hearing())
    }

    @Test("while a PCM is being opened, the sounds on others are written on, to their ends")
    func slowOpen() async throws {
        let gate = LockedFile()
        let output = try output(
            PacedSink.name(.waitsForWriter), routes: [.headphone: PacedSink.name(.gate(gate.path), .waitsForWriter)])
        // More than the buffer holds.
        let clip = PCMBuffer.noise(frames: 14_400)
        _ = await output.hear(.noise(frames: 480))
        let order = Record<String>()
        func handler(_ sound: String, _ hearing: Hearing) -> @Sendable (PlaybackEvent) -> Void {
            { event in
                order.append("\(sound) \(event.name)")
                hearing.handler(event)
            }
        }
        let (first, slow, idle) = (Hearing(), Hearing(), Hearing())
        _ = output.play(clip, PlaybackOptions(), handler("first", first))
        _ = output.play(clip, PlaybackOptions(route: .headphone), handler("slow", slow))
        // If the opening holds everything up, this test fails instead of hanging.
        let limit = output.opensLater(gate)
        _ = await first.untilEnd()
        _ = output.play(.noise(frames: 480), PlaybackOptions(), handler("idle", idle))
        _ = await idle.untilEnd()
        gate.open()
        limit.cancel()
        _ = await slow.untilEnd()
        #expect(
            order.all == [
                "first started", "first drained", "idle started", "idle drained", "slow started", "slow drained",
            ])
    }

    @Test("a sound that is stopped while its PCM is being opened ends at once, and the PCM is kept for the next one")
    func stopWhileOpening() async throws {
        let (output, gate, file, hearing) = try gatedOutput()
        let limit = output.opensLater(gate)
        let playback = output.play(.noise(frames: 480), PlaybackOptions(), hearing.handler)
        while !gate.isAwaited { await Task.yield() }
        playback.stop()
        let names = await hearing.untilEnd().names
        #expect(names == ["stopped"])
        gate.open()
        limit.cancel()
        // PCMs are opened one after another: by the end of a sound of another format, the first PCM has been kept.
        #expect(await output.hear(.noise(frames: 480, channels: 1)).names == ["started", "drained"])
        #expect(file.openCount == 2)
        #expect(await output.hear(.noise(frames: 480)).names == ["started", "drained"])
        #expect(file.openCount == 2)
    }

    @Test("nothing is written of a sound whose gate is shut while its PCM is being opened, without a message")
    func gateShutWhileOpening() async throws {
        let (output, gate, file, hearing) = try gatedOutput()
        let limit = output.opensLater(gate)
        var options = PlaybackOptions()
        let sound = Gate()
        options.gate = sound
        _ = output.play(.noise(frames: 4_800), options, hearing.handler)
        while !gate.isAwaited { await Task.yield() }
        #expect(!sound.shut())
        gate.open()
        limit.cancel()
        let events = await hearing.untilEnd()
        #expect(events.names == ["stopped"] && events.position?.played == 0)
        #expect(file.samples.isEmpty)
    }

    @Test(
        "an output that is released or closed while a PCM is being opened ends its sound, and closes the PCM",
        arguments: [false, true])
    func closeWhileOpening(isReleased: Bool) async throws {
        let (output, gate, file, hearing) = try gatedOutput()
        _ = output.play(.noise(frames: 480), PlaybackOptions()) { event in
            hearing.handler(event)
            // The sound has ended before the output waits for the PCM.
            gate.open()
        }
        let limit = output.opensLater(gate)
        if isReleased {
            await withCheckedContinuation { continuation in
                output.release(stoppingSounds: true) { continuation.resume() }
            }
            #expect(file.openCount == 0)
        } else {
            output.close()
        }
        limit.cancel()
        #expect(await hearing.untilEnd().names == ["stopped"])
        #expect(file.openCount == 0)
    }

    @Test(
        "a sound on a PCM that takes one stream is not in the way of a question about it, nor of one that was stopped",
        arguments: [Duration.zero, .seconds(2)])
    func oneStream(linger: Duration) async throws {
        let (gate, lock) = (LockedFile(), TemporaryFile())
        let output = try output(PacedSink.name(.gate(gate.path), .lock(lock.path), .waitsForWriter), linger: linger)
        let (stopped, heard) = (Hearing(), Hearing())
        let limit = output.opensLater(gate)
        output.ask(.speaker) { _ in }
        output.play(.noise(frames: 480), PlaybackOptions(), stopped.handler).stop()
        _ = output.play(.noise(frames: 480, channels: 1), PlaybackOptions(), heard.handler)
        gate.open()
        limit.cancel()
        #expect(await stopped.untilEnd().names == ["stopped"])
        #expect(await heard.untilEnd().names == ["started", "drained"])
    }

    // The hardware was asked first what it grants: the PCM was opened, closed, and opened again for the sound.
    @Test("the first announcement opens the PCM once")
    func firstAnnouncement() async throws {
        let file = TemporaryFile()
        file.replace()
        let watch = inotify_init1(CInt(IN_CLOEXEC))
        defer { close(watch) }
        try #require(inotify_add_watch(watch, file.path, UInt32(IN_OPEN | IN_CLOSE)) > 0)
        let output = try output(PacedSink.name(.capture(file.path), .waitsForWriter))
        let loop = try EventLoop(name: "ringer-device")
        let publisher = StatePublisher(in: Core(loop))
        let player = SoundPlayer(output: output, clock: loop, publisher: publisher)
        let sessions = AudioSessions(player: player, publisher: publisher, clock: loop, output: output)
        let announcements = Announcements(sessions)
        #expect(try await announcements.announce(Announcement(.noise(frames: 480))).outcome == .finished)
        var events: [UInt8] = Array(repeating: 0, count: 4096)
        // Each event of a file has the size of the structure: the file itself is watched, so that no name follows.
        #expect(read(watch, &events, events.count) == MemoryLayout<inotify_event>.size)
        sessions.close()
        output.close()
        loop.close()
    }

    @Test("a PCM of several descriptors is shown all of them")
    func descriptors() async throws {
        let file = TemporaryFile()
        let name = PacedSink.name(plugged: false, .twoDescriptors, .capture(file.path), .waitsForWriter)
        let clip = PCMBuffer.noise(frames: 14_400)
        #expect(try await output(name).hear(clip).names == ["started", "drained"])
        #expect(file.samples.prefix(clip.samples.count).elementsEqual(clip.samples))
    }
}

extension ALSASoundOutput {
    /// Opens `gate` in the end, from another thread than those that may wait for it.
    fileprivate func opensLater(_ gate: LockedFile) -> Task<Void, any Error> {
        Task {
            try await Task.sleep(for: .seconds(120))
            gate.open()
        }
    }
}
