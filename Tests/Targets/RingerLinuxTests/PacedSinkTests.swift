import CALSA
import PacedSupport
import Testing

/// The test sink itself: the other tests of sound rest on what it does.
@Suite struct PacedSinkTests {
    /// 0.1 s of stereo at 48 kHz, no two neighbouring samples alike.
    private let clip = (0..<9_600).map { Int16(truncatingIfNeeded: $0 &* 7 &+ 1) }

    @Test("a drained clip was played whole, sample for sample")
    func capture() throws {
        let path = "/tmp/ringer-paced-\(getpid())-\(UInt32.random(in: 0...UInt32.max)).raw"
        defer { unlink(path) }
        let outcome = try play(on: PacedSink.name(.capture(path)))
        #expect(outcome == Outcome(error: 0, state: SND_PCM_STATE_SETUP))
        #expect(samples(in: path) == clip)
    }

    @Test(
        "a fault ends the drain with the error and the state that a driver gives",
        arguments: [
            (PacedSink.Fault.xrun, -EPIPE, SND_PCM_STATE_XRUN),
            (.suspend, -ESTRPIPE, SND_PCM_STATE_SUSPENDED),
            (.gone, -ENODEV, SND_PCM_STATE_DISCONNECTED),
            (.unpaced, 0, SND_PCM_STATE_SETUP),
        ])
    func faults(fault: PacedSink.Fault, error: Int32, state: snd_pcm_state_t) throws {
        let outcome = try play(on: PacedSink.name(.fault(fault, frame: fault == .unpaced ? 0 : 480)))
        #expect(outcome == Outcome(error: error, state: state))
    }

    @Test("opening fails with the error that was asked for")
    func openError() throws {
        #expect(try play(on: PacedSink.name(.openError("EBUSY"))) == Outcome(error: -EBUSY, state: SND_PCM_STATE_OPEN))
    }

    private struct Outcome: Equatable {
        var error: Int32
        var state: snd_pcm_state_t
    }

    /// Writes the whole clip in one call, into a buffer larger than it, and drains.
    private func play(on name: String) throws -> Outcome {
        try PacedSink.install()
        var handle: OpaquePointer?
        let opened = snd_pcm_open(&handle, name, SND_PCM_STREAM_PLAYBACK, 0)
        guard opened == 0, let handle else { return Outcome(error: opened, state: SND_PCM_STATE_OPEN) }
        defer { snd_pcm_close(handle) }
        let access = SND_PCM_ACCESS_RW_INTERLEAVED
        try #require(snd_pcm_set_params(handle, SND_PCM_FORMAT_S16_LE, access, 2, 48_000, 0, 200_000) == 0)
        let frames = snd_pcm_uframes_t(clip.count / 2)
        try #require(snd_pcm_writei(handle, clip, frames) == clip.count / 2)
        let error = snd_pcm_drain(handle)
        return Outcome(error: error, state: snd_pcm_state(handle))
    }

    private func samples(in path: String) -> [Int16] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var samples = [Int16](repeating: 0, count: clip.count + 1)
        let count = fread(&samples, 2, samples.count, file)
        return Array(samples.prefix(count))
    }
}
