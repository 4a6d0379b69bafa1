import Glibc
import PacedSupport
import RingerServices
import Testing

@testable import RingerHardware

@Suite struct ALSASoundOutputTests {
    /// 0.1 s.
    private let clip = PCMBuffer.noise(frames: 4_800)

    private func output(_ name: String) throws -> ALSASoundOutput {
        try PacedSink.install()
        return try ALSASoundOutput(pcm: name)
    }

    @Test("a sound on a PCM that keeps time starts, and ends drained, once")
    func drains() async throws {
        let events = try await output("paced").hear(clip)
        #expect(events.names == ["started", "drained"])
        #expect(events.position?.played == 4_800)
        #expect(events.position?.unfinishedAt != nil)
    }

    @Test("a sound on null drains at once, and never had frames left")
    func null() async throws {
        let events = try await output("null").hear(clip)
        #expect(events.names == ["started", "drained"])
        #expect(events.position == StreamPosition(played: 4_800, total: 4_800))
    }

    @Test("a sound without frames starts and drains")
    func empty() async throws {
        let events = try await output("paced").hear(.noise(frames: 0))
        #expect(events.names == ["started", "drained"])
    }

    @Test("a sound that is stopped says so, once")
    func stop() async throws {
        let output = try output("paced")
        let hearing = Hearing()
        let playback = output.play(.noise(frames: 480_000), PlaybackOptions(), hearing.handler)
        playback.stop()
        playback.stop()
        #expect(await hearing.untilEnd().names.last == "stopped")
    }

    @Test("a PCM that is not there is not found, by its name")
    func missing() async throws {
        let error = try await #require(output("nowhere").hear(clip).error)
        #expect(error.code == .notFound)
        #expect(error.subject == "PCM nowhere")
    }
}
