import PacedSupport
import RingerServices
import Testing

@testable import RingerHardware

/// How long a PCM stays open.
@Suite struct ALSALingerTests {
    private let clip = PCMBuffer.noise(frames: 480)

    @Test("the next sound of a format finds the PCM open, and hears no fault of the last one")
    func reuse() async throws {
        try PacedSink.install()
        let file = TemporaryFile()
        let output = try ALSASoundOutput(
            pcm: PacedSink.name(.capture(file.path), .waitsForWriter), linger: .seconds(3600))
        for _ in 0..<3 {
            #expect(await output.hear(clip).names == ["started", "drained"])
            #expect(file.openCount == 1)
        }
        output.close()
        #expect(file.openCount == 0)
    }

    @Test("a PCM that nobody used for the linger's time is closed")
    func expiry() async throws {
        try PacedSink.install()
        let file = TemporaryFile()
        let name = PacedSink.name(.capture(file.path), .waitsForWriter)
        let output = try ALSASoundOutput(pcm: name, linger: .milliseconds(20))
        _ = await output.hear(clip)
        // A timer behind the linger's own, on the same thread.
        await withCheckedContinuation { continuation in
            let loop = output.thread.loop
            _ = loop.schedule(at: loop.now + .milliseconds(20)) { continuation.resume() }
        }
        #expect(file.openCount == 0)
    }

    @Test("without a linger the PCM is closed when the end is told")
    func zero() async throws {
        try PacedSink.install()
        let file = TemporaryFile()
        let name = PacedSink.name(.capture(file.path), .waitsForWriter)
        let output = try ALSASoundOutput(pcm: name, linger: .zero)
        _ = await output.hear(clip)
        #expect(file.openCount == 0)
    }

    @Test("an idle PCM gives way to another format on a device that takes one stream")
    func exclusive() async throws {
        try PacedSink.install()
        let lock = TemporaryFile()
        let name = PacedSink.name(.lock(lock.path), .waitsForWriter)
        let output = try ALSASoundOutput(pcm: name, linger: .seconds(3600))
        #expect(await output.hear(clip).names == ["started", "drained"])
        let other = PCMBuffer.noise(frames: 441, channels: 1, sampleRate: 44_100)
        #expect(await output.hear(other).names == ["started", "drained"])
        #expect(lock.openCount == 1)
    }

    @Test("what a grant opened is what the first sound plays on")
    func grant() async throws {
        try PacedSink.install()
        let file = TemporaryFile()
        let name = PacedSink.name(.capture(file.path), .waitsForWriter)
        let output = try ALSASoundOutput(pcm: name, linger: .seconds(3600))
        let grant = try output.grant(sampleRate: 48_000, channels: 2)
        #expect(output.lastGrant == grant)
        #expect(file.openCount == 1)
        #expect(await output.hear(clip).names == ["started", "drained"])
        #expect(file.openCount == 1)
    }

    @Test("a device that is gone while its PCM is idle is opened anew")
    func goneWhileIdle() async throws {
        try PacedSink.install()
        let file = TemporaryFile()
        // It goes with the last frame of the first sound: heard whole, and dead afterwards.
        let name = PacedSink.name(.fault(.gone, frame: 480), .capture(file.path), .waitsForWriter)
        let output = try ALSASoundOutput(pcm: name, linger: .seconds(3600))
        _ = await output.hear(clip)
        let events = await output.hear(.noise(frames: 100))
        #expect(events.names == ["started", "drained"])
        #expect(file.openCount <= 1)
    }
}
