import RingerCore
import SoundFile
import Testing

@testable import RingerLinux

@Suite struct GainRampTests {
    @Test("a gain of one leaves every sample as it is")
    func unity() {
        let sound = PCMBuffer(sampleRate: 8_000, channels: 1, samples: [.min, -1, 0, 1, .max])
        var output: [Int16] = []
        GainRamp(1).apply(to: sound, from: 0, frames: 0..<5, into: &output)
        #expect(output == sound.samples)
        #expect(GainRamp(1).isUnity(from: 0))
    }

    @Test(
        "a gain outside 0 to 1 is held to it, and what is no number is silence",
        arguments: [
            (Float(-1), Float(0)), (2, 1), (.nan, 0), (.infinity, 1), (0.25, 0.25),
        ])
    func held(gain: Float, expected: Float) {
        #expect(GainRamp(gain).gain(at: 0) == expected)
    }

    @Test("a ramp is even, frame by frame, and the same for all channels of a frame")
    func even() {
        let sound = PCMBuffer(sampleRate: 8_000, channels: 2, samples: .init(repeating: 1_000, count: 12))
        var ramp = GainRamp(1)
        ramp.go(to: 0, from: 1, over: 4)
        var output: [Int16] = []
        ramp.apply(to: sound, from: 0, frames: 0..<6, into: &output)
        #expect(output == [1_000, 1_000, 1_000, 1_000, 750, 750, 500, 500, 250, 250, 0, 0])
    }

    @Test("a ramp that is replaced continues from its current gain")
    func replaced() {
        var ramp = GainRamp(0)
        ramp.go(to: 1, from: 0, over: 100)
        ramp.go(to: 0, from: 50, over: 50)
        #expect(ramp.gain(at: 50) == 0.5)
        #expect(ramp.gain(at: 75) == 0.25)
        #expect(ramp.gain(at: 100) == 0)
    }

    @Test("samples are as they are again once a ramp has reached one")
    func reachesUnity() {
        var ramp = GainRamp(0)
        ramp.go(to: 1, from: 10, over: 10)
        #expect(!ramp.isUnity(from: 19))
        #expect(ramp.isUnity(from: 20))
    }

    @Test("a ramp over no time is a step")
    func step() {
        var ramp = GainRamp(1)
        ramp.go(to: 0, from: 7, over: 0)
        #expect(ramp.gain(at: 7) == 0)
    }
}
