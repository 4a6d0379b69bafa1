import RingerTestKit
import Testing

@testable import RingerCore

@Suite("Audio sessions' properties")
struct AudioSessionPropertyTests {
    @Test("properties report the hardware's figures")
    func hardware() throws {
        let (bench, session) = try SessionBench.make("music", .playback)
        bench.board.surroundings.set(
            .outputFormat(
                .init(sampleRate: 44_100, channels: 2, bufferDuration: .milliseconds(80), latency: .milliseconds(90))))
        bench.board.surroundings.set(
            .inputFormat(.init(sampleRate: 44_100, channels: 1, bufferDuration: .zero, latency: .zero)))
        bench.board.surroundings.set(.outputVolume(0.25))
        bench.board.surroundings.set(.inputAvailable(true))
        #expect(session.sampleRate == 44_100 && session.outputChannels == 2 && session.inputChannels == 1)
        #expect(session.outputVolume == 0.25 && session.isInputAvailable)
        #expect(abs(session.ioBufferDuration - 0.08) < 1e-6 && abs(session.outputLatency - 0.09) < 1e-6)
    }

    @Test("audio of another process is other audio")
    func otherProcess() throws {
        let (bench, session) = try SessionBench.make("music", .playback)
        bench.board.surroundings.set(.otherAudioPlaying(true))
        #expect(session.isOtherAudioPlaying)
        bench.board.surroundings.set(.otherAudioPlaying(false))
        #expect(!session.isOtherAudioPlaying)
    }

    @Test("preferences are set to the nearer limit, and what is no preference is refused and changes nothing")
    func preferences() throws {
        let bench = try SessionBench()
        let session = try bench.make("music", .playback)
        try session.setPreferredSampleRate(1_000_000)
        #expect(session.preferredSampleRate == 192_000)
        try session.setPreferredSampleRate(1)
        #expect(session.preferredSampleRate == 8_000)
        try session.setPreferredIOBufferDuration(0.02)
        #expect(abs(session.preferredIOBufferDuration - 0.02) < 1e-6 && session.preferredSampleRate == 8_000)
        for bad in [Double.nan, .infinity, -1] {
            #expect(throws: SessionError.self) { try session.setPreferredSampleRate(bad) }
            #expect(throws: SessionError.self) { try session.setPreferredIOBufferDuration(bad) }
        }
        #expect(session.preferredSampleRate == 8_000)
        try session.setPreferredSampleRate(0)
        #expect(session.preferredSampleRate == 0)
    }

    @Test("an option that the category does not allow is refused, and changes nothing")
    func misuse() throws {
        let (bench, session) = try SessionBench.make("music", .soloAmbient)
        let before = session.state
        func code(_ body: () throws(SessionError) -> Void) -> SessionError.Code? {
            do throws(SessionError) { try body() } catch { return error.code }
            return nil
        }
        #expect(
            code { () throws(SessionError) in try session.setCategory(.ambient, options: .mixWithOthers) }
                == .incompatibleCategory)
        #expect(
            code { () throws(SessionError) in
                _ = try bench.bench.sessions.make(category: .ambient, options: .duckOthers)
            } == .incompatibleCategory)
        #expect(session.state == before && bench.bench.sessions.all.count == 1)
    }

    @Test("recording without an input is refused with its code")
    func noInput() throws {
        let bench = try SessionBench()
        bench.board.surroundings.set(.inputAvailable(false))
        let session = try bench.make("recorder", .record)
        #expect(bench.activate(session) == .noHardware)
        #expect(!session.isActive && !session.isInputAvailable)
    }
}
