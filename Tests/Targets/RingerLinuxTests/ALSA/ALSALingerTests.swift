import PacedSupport
import RingerCore
import Testing

@testable import RingerLinux

/// How long a PCM stays open.
@Suite struct ALSALingerTests {
    private let clip = PCMBuffer.noise(frames: 480)

    @Test("the next sound of a format finds the PCM open, and hears no fault of the last one")
    func reuse() async throws {
        let file = TemporaryFile()
        let output = try output(PacedSink.name(.capture(file.path), .waitsForWriter))
        for _ in 0..<3 {
            #expect(await output.hear(clip).names == ["started", "drained"])
            #expect(file.openCount == 1)
        }
        output.close()
        #expect(file.openCount == 0)
    }

    @Test("a PCM that was not used for the linger time is closed")
    func expiry() async throws {
        let file = TemporaryFile()
        let name = PacedSink.name(.capture(file.path), .waitsForWriter)
        let output = try output(name, linger: .milliseconds(20))
        _ = await output.hear(clip)
        // A timer behind the linger's own, on the same thread, and then the thread that closes the PCM.
        await withCheckedContinuation { continuation in
            let (loop, opener) = (output.thread.loop, output.thread.opener)
            _ = loop.schedule(at: loop.now + .milliseconds(20)) { opener.whenDone { continuation.resume() } }
        }
        #expect(file.openCount == 0)
    }

    @Test("without a linger the PCM is closed when the end is reported")
    func zero() async throws {
        let file = TemporaryFile()
        let name = PacedSink.name(.capture(file.path), .waitsForWriter)
        let output = try output(name, linger: .zero)
        _ = await output.hear(clip)
        #expect(file.openCount == 0)
    }

    @Test("an idle PCM is closed for another format on a device that takes one stream")
    func exclusive() async throws {
        let lock = TemporaryFile()
        let name = PacedSink.name(.lock(lock.path), .waitsForWriter)
        let output = try output(name)
        #expect(await output.hear(clip).names == ["started", "drained"])
        let other = PCMBuffer.noise(frames: 441, channels: 1, sampleRate: 44_100)
        #expect(await output.hear(other).names == ["started", "drained"])
        #expect(lock.openCount == 1)
    }

    @Test("few idle PCMs stay open, the oldest is closed first")
    func most() async throws {
        let file = TemporaryFile()
        let output = try output(PacedSink.name(.fault(.unpaced), .capture(file.path)))
        let rates = (0..<40).map { 8_000 + 100 * $0 }
        for rate in rates {
            let sound = PCMBuffer.noise(frames: 48, channels: 1, sampleRate: Double(rate))
            #expect(await output.hear(sound).end == .drained)
        }
        // What was over is closed on another thread.
        await withCheckedContinuation { done in output.thread.opener.whenDone { done.resume() } }
        #expect(file.openCount == PCMPool.most)
        // The newest ones are there.
        for rate in rates.suffix(PCMPool.most) { _ = try output.grant(sampleRate: Double(rate), channels: 1) }
        #expect(file.openCount == PCMPool.most)
    }

    @Test(
        "idle PCMs give way to one for which descriptors or memory are missing",
        arguments: ["EMFILE", "ENFILE", "ENOMEM", "ENOENT"])
    func shortage(number: String) async throws {
        let lock = TemporaryFile()
        let output = try output(PacedSink.name(.lockError(number), .lock(lock.path), .fault(.unpaced)))
        for rate in [8_000.0, 11_025, 16_000] {
            #expect(
                await output.hear(.noise(frames: 48, channels: 1, sampleRate: rate)).names == ["started", "drained"])
        }
        #expect(lock.openCount == 1)
        // Nothing of this output can give way to another one's.
        let other = try RingerLinuxTests.output(PacedSink.name(.lockError(number), .lock(lock.path)))
        let error = await other.hear(clip).error
        #expect(error?.operation == "open" && error?.errno != nil)
    }

    @Test("what a grant opened is what the first sound plays on")
    func grant() async throws {
        let file = TemporaryFile()
        let name = PacedSink.name(.capture(file.path), .waitsForWriter)
        let output = try output(name)
        let grant = try output.grant(sampleRate: 48_000, channels: 2)
        #expect(output.lastGrant == grant)
        #expect(file.openCount == 1)
        #expect(await output.hear(clip).names == ["started", "drained"])
        #expect(file.openCount == 1)
    }

    @Test(
        "an output that is released closes what is idle, and with leave to stop sounds everything",
        arguments: [true, false])
    func release(stopsSounds: Bool) async throws {
        let (file, lock) = (TemporaryFile(), TemporaryFile())
        let output = try output(
            PacedSink.name(.capture(file.path), .lock(lock.path), .waitsForWriter),
            routes: [.headphone: PacedSink.name(.capture(file.path), .waitsForWriter)])
        // 10 min: a test that is delayed on a busy machine stops it before its end all the same.
        let long = PCMBuffer.silence(duration: .seconds(600), sampleRate: 4_000)
        let (playing, waiting) = (Hearing(), Hearing())
        let playback = output.play(long, PlaybackOptions(), playing.handler)
        let other = output.play(long, PlaybackOptions(), waiting.handler)
        // Opened behind the first sound's PCM, and idle.
        _ = try output.grant(sampleRate: 48_000, channels: 2, route: .headphone)
        #expect(file.openCount == 2)
        await withCheckedContinuation { continuation in
            output.release(stoppingSounds: stopsSounds) { continuation.resume() }
        }
        #expect(file.openCount == (stopsSounds ? 0 : 1))
        if stopsSounds {
            #expect(lock.openCount == 0)
        } else {
            other.stop()
            playback.stop()
        }
        #expect(await playing.untilEnd().end == .stopped)
        #expect(await waiting.untilEnd().end == .stopped)
        #expect(await output.hear(clip).names == ["started", "drained"])
    }

    @Test("an output that was not used is released at once")
    func releaseUnused() async throws {
        let output = try output("nowhere")
        await withCheckedContinuation { continuation in
            output.release(stoppingSounds: true) { continuation.resume() }
        }
        #expect(output.lastGrant == nil)
    }

    @Test("a device that is gone while its PCM is idle is opened anew")
    func goneWhileIdle() async throws {
        let file = TemporaryFile()
        // It goes with the last frame of the first sound: heard whole, and dead afterwards.
        let name = PacedSink.name(.fault(.gone, frame: 480), .capture(file.path), .waitsForWriter)
        let output = try output(name)
        _ = await output.hear(clip)
        let events = await output.hear(.noise(frames: 100))
        #expect(events.names == ["started", "drained"])
        #expect(file.openCount <= 1)
    }
}
