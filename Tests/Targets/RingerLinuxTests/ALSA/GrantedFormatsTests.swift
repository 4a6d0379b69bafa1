import RingerCore
import Testing

@testable import RingerLinux

@Suite("Granted formats and their reports")
struct GrantedFormatsTests {
    private let slow = HardwareFormat(pcm: "a", sampleRate: 44_100, channels: 2, periodFrames: 441, bufferFrames: 3_528)
    private let fast = HardwareFormat(pcm: "b", sampleRate: 48_000, channels: 1, periodFrames: 960, bufferFrames: 3_840)

    private func told(_ format: HardwareFormat, delay: Duration = .zero) -> SoundPortFormat {
        SoundPortFormat(
            sampleRate: Double(format.sampleRate), channels: format.channels, bufferDuration: format.period,
            latency: format.period + delay)
    }

    @Test("a format is reported when it differs from the previous one, whichever PCM granted it")
    func news() {
        var formats = GrantedFormats()
        #expect(formats.opened("a", slow) == told(slow))
        #expect(formats.opened("a", slow) == nil)
        #expect(formats.opened("b", slow) == nil)
        #expect(formats.opened("b", fast) == told(fast))
        #expect(formats.opened("a", slow) == told(slow))
    }

    @Test("what a PCM granted is known until other things are preferred, or it is gone")
    func known() {
        var formats = GrantedFormats()
        #expect(!formats.isKnown("a") && formats.movedTo("a") == nil)
        _ = formats.opened("a", slow)
        _ = formats.opened("b", fast)
        #expect(formats.movedTo("b") == nil)
        #expect(formats.movedTo("a") == told(slow))
        formats.forget("b")
        #expect(!formats.isKnown("b"))
        formats.prefer(SessionPreferences())
        #expect(formats.isKnown("a"))
        formats.prefer(SessionPreferences(sampleRate: 48_000))
        #expect(!formats.isKnown("a") && formats.lastReported == told(slow))
    }

    @Test("a delay is measured once in each format, and comes with the format from then on")
    func delay() {
        var formats = GrantedFormats()
        _ = formats.opened("a", slow)
        #expect(formats.measured(.milliseconds(5), slow) == told(slow, delay: .milliseconds(5)))
        #expect(formats.measured(.milliseconds(6), slow) == nil)
        #expect(formats.opened("b", fast) == told(fast))
        #expect(formats.opened("a", slow) == told(slow, delay: .milliseconds(5)))
    }

    @Test("a device that plays in any number of formats has its last ones remembered")
    func bounded() {
        var formats = GrantedFormats()
        for rate in 1...20 {
            var format = slow
            format.sampleRate = 8_000 + rate
            _ = formats.opened("a", format)
            _ = formats.measured(.zero, format)
        }
        var (first, last) = (slow, slow)
        first.sampleRate = 8_001
        last.sampleRate = 8_020
        #expect(!formats.isMeasured(first) && formats.isMeasured(last))
    }
}
