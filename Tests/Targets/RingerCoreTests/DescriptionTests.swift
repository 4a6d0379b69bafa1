import RingerPolicy
import SessionRules
import Testing

@testable import RingerCore

@Suite("Outcomes, causes and readings in text")
struct DescriptionTests {
    static let error = RingerError(.busy, "open", "PCM default")

    @Test("outcomes name their reason, their cause or their error")
    func outcomes() {
        #expect("\(SoundOutcome.finished)" == "finished")
        #expect("\(SoundOutcome.silenced(by: .ringSilentSwitch))" == "silenced(ringSilentSwitch)")
        #expect("\(SoundOutcome.stopped(.caller))" == "stopped(caller)")
        #expect("\(SoundOutcome.failed(Self.error))" == "failed(PCM default: cannot open: in use)")
        #expect("\(SoundOutcome.stopped(.replaced))" == "stopped(replaced)")
        let vibrations: [SoundOutcome] = [.finished, .stopped(.caller), .stopped(.replaced), .stopped(.limited)]
        #expect(vibrations.map(\.vibrationWords) == ["finished", "stopped", "replaced", "limited"])
        #expect("\(SoundFallback.Reason.missing)" == "missing")
        #expect("\(InterruptionCause.session(SessionID(rawValue: 3)))" == "session(3)")
        #expect("\(Decision.silence(.doNotDisturb))" == "silence(doNotDisturb)")
        #expect("\(RingerPolicy.decide(.alert))" == "play(noSwitch, speaker, gain 1.0, vibrates)")
    }

    @Test("a reading prints its verdict, the route, and the duration or the reason")
    func readings() {
        var reading = MuteReading(
            verdict: .audible, elapsed: .milliseconds(100), threshold: .milliseconds(100), route: .speaker,
            switchPosition: nil, cause: nil, way: .device, attempts: 1, at: MonotonicTime(nanoseconds: 0))
        #expect("\(reading)" == "audible on speaker after 0.1 s")
        reading.verdict = .unknown
        reading.cause = .silenced(by: .doNotDisturb)
        #expect("\(reading)" == "unknown on speaker: silenced: doNotDisturb")
    }
}
