import RingerTestKit
import Testing

@testable import RingerCore

/// What sessions ask the hardware, and report of it.
@Suite("Sessions' hardware")
struct SessionHardwareTests {
    private func refusals(_ bench: SessionBench) -> [RingerError.Code] {
        bench.bench.events.all.compactMap { event in
            if case .degraded(let error, _) = event { error.code } else { nil }
        }
    }

    @Test("an active session knows the hardware before anything was played; one that is not active asks nothing")
    func known() throws {
        let (bench, session) = try SessionBench.make("music", .playback)
        #expect(session.sampleRate == 0 && session.outputChannels == 0)
        #expect(bench.activate(session) == nil)
        #expect(session.sampleRate == 48_000 && session.outputChannels == 2 && session.inputChannels == 0)
        #expect(abs(session.ioBufferDuration - 0.01) < 1e-6 && abs(session.outputLatency - 0.01) < 1e-6)
    }

    @Test("what is preferred is granted as near as the hardware comes, and differs from what was preferred")
    func preferred() throws {
        let bench = try SessionBench()
        bench.board.speaker.limits = SimulatedSoundLimits(
            sampleRates: [44_100, 48_000], periods: .milliseconds(5)...(.milliseconds(50)), delay: .milliseconds(3))
        let session = try bench.make("music", .playback)
        try session.setPreferredSampleRate(22_050)
        try session.setPreferredIOBufferDuration(0.001)
        #expect(bench.activate(session) == nil)
        #expect(session.preferredSampleRate == 22_050 && session.sampleRate == 44_100)
        #expect(abs(session.preferredIOBufferDuration - 0.001) < 1e-6)
        #expect(abs(session.ioBufferDuration - 0.005) < 1e-6 && abs(session.outputLatency - 0.008) < 1e-6)
        // An active session's wish is asked for at once.
        try session.setPreferredIOBufferDuration(0.02)
        #expect(abs(session.ioBufferDuration - 0.02) < 1e-6)
        try session.setPreferredSampleRate(0)
        #expect(session.sampleRate == 48_000)
    }

    @Test("a deactivated session's preference no longer counts")
    func deactivated() throws {
        let (bench, first) = try SessionBench.make("first", .ambient)
        let second = try bench.make("second", .ambient)
        try second.setPreferredSampleRate(44_100)
        #expect(bench.activate(first) == nil)
        #expect(bench.activate(second) == nil)
        #expect(first.sampleRate == 44_100)
        second.deactivate { _ in }
        #expect(first.sampleRate == 48_000 && bench.board.speaker.preferences == SessionPreferences())
        first.deactivate { _ in }
        // The figures of what was there last stay.
        #expect(first.sampleRate == 48_000)
    }

    @Test("hardware that is busy keeps the figures that it had, and an event says why")
    func busy() throws {
        let (bench, session) = try SessionBench.make("music", .playback)
        #expect(bench.activate(session) == nil)
        bench.board.speaker.fault = .busy
        try session.setPreferredSampleRate(44_100)
        #expect(session.sampleRate == 48_000 && refusals(bench) == [.busy])
        // It does not keep a session from being active.
        session.deactivate { _ in }
        #expect(bench.activate(session) == nil && session.isActive)
        bench.board.speaker.fault = nil
        bench.start(session)
        #expect(session.sampleRate == 44_100)
    }

    @Test("a session that records knows its input, and has no channels when it is gone")
    func input() throws {
        let bench = try SessionBench()
        bench.board.surroundings.set(.inputAvailable(true))
        let music = try bench.make("music", .playback)
        #expect(bench.activate(music) == nil && music.inputChannels == 0)
        let call = try bench.make("call", .playAndRecord)
        try call.setPreferredIOBufferDuration(0.02)
        #expect(bench.activate(call) == nil)
        #expect(call.inputChannels == 1 && abs(call.inputLatency - 0.02) < 1e-6)
        bench.board.surroundings.set(.inputAvailable(false))
        #expect(call.inputChannels == 0 && call.inputLatency == 0)
        bench.board.microphone.limits.channels = 2
        bench.board.surroundings.set(.inputAvailable(true))
        #expect(call.inputChannels == 2)
    }

    @Test("an input that cannot be asked keeps its figures, and an event says why")
    func busyInput() throws {
        let (bench, recorder) = try SessionBench.make("recorder", .record)
        #expect(bench.activate(recorder) == nil && recorder.inputChannels == 1)
        // While somebody records, the input is not asked for what is known.
        recorder.deactivate { _ in }
        bench.board.microphone.error = RingerError(.busy, "open", "microphone")
        #expect(bench.activate(recorder) == nil && refusals(bench).isEmpty)
        try recorder.setPreferredSampleRate(16_000)
        #expect(recorder.inputChannels == 1 && refusals(bench) == [.busy])
        // What records alone does not open the speaker.
        #expect(recorder.outputChannels == 0)
    }

    @Test("a session that resumes has its preference asked for again")
    func resumed() throws {
        let (bench, session) = try SessionBench.make("music", .playback)
        try session.setPreferredSampleRate(44_100)
        #expect(bench.activate(session) == nil)
        let call = bench.bench.sessions.interruptionBegan()
        #expect(bench.board.speaker.preferences == SessionPreferences())
        bench.bench.sessions.interruptionEnded(call)
        #expect(bench.board.speaker.preferences.sampleRate == 44_100 && session.sampleRate == 44_100)
    }

    @Test("a Bluetooth input is asked by its PCM, and the microphone again when the device is gone")
    func bluetoothInput() throws {
        let board = try RouteBoard([.init(.speaker, pcm: "spk"), .init(.bluetooth, pcm: "bluealsa")])
        let bench = try SessionBench(routes: board)
        bench.board.microphone.limits.channels = 2
        bench.board.microphone.bluetoothLimits = ["bluealsa": SimulatedSoundLimits(sampleRates: [16_000], channels: 1)]
        bench.board.surroundings.set(.inputAvailable(true))
        let memo = try bench.make("memo", .record)
        #expect(bench.activate(memo) == nil && memo.inputChannels == 2)
        bench.board.surroundings.set(.routePresent(.bluetooth, true))
        #expect(memo.inputChannels == 2)
        try memo.setOverride(.bluetoothInput, true)
        #expect(memo.route?.input == .bluetooth && memo.inputChannels == 1)
        // Without another input the Bluetooth device's still is one.
        bench.board.surroundings.set(.inputAvailable(false))
        #expect(memo.isInputAvailable && memo.route?.input == .bluetooth)
        bench.board.surroundings.set(.routePresent(.bluetooth, false))
        #expect(!memo.isInputAvailable && memo.inputChannels == 0 && memo.inputLatency == 0)
        bench.board.surroundings.set(.inputAvailable(true))
        #expect(memo.inputChannels == 2)
    }
}
