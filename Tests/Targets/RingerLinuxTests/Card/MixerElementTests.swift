import Testing

@testable import RingerLinux

@Suite struct MixerElementTests {
    private typealias Channel = MixerElement.Channel

    @Test(
        "the volume is the value's place between the lowest and the highest step",
        arguments: [(-50, 0), (25, 0.5), (100, 1), (-60, 0), (110, 1)] as [(Int, Float)])
    func place(value: Int, expected: Float) {
        #expect(MixerElement.fraction([Channel(value: value, isOn: true)], low: -50, high: 100) == expected)
    }

    @Test("of several channels the loudest that is switched on counts")
    func channels() {
        let channels = [Channel(value: 2, isOn: true), Channel(value: 8, isOn: true), Channel(value: 10, isOn: false)]
        #expect(MixerElement.fraction(channels, low: 0, high: 10) == 0.8)
    }

    @Test("an element that is switched off is at 0")
    func switchedOff() {
        #expect(MixerElement.fraction([Channel(value: 10, isOn: false)], low: 0, high: 10) == 0)
    }

    @Test("an element with one step has volume 1, and one without channels none")
    func edges() {
        #expect(MixerElement.fraction([Channel(value: 3, isOn: true)], low: 3, high: 3) == 1)
        #expect(MixerElement.fraction([], low: 0, high: 10) == nil)
    }

    @Test(
        "a volume that is set becomes the nearest step, and above 0 at least the first one above the lowest",
        arguments: [(0, -4), (0.01, -3), (0.5, 0), (0.55, 0), (0.6, 1), (0.99, 4), (1, 4)] as [(Float, Int)])
    func step(volume: Float, expected: Int) {
        #expect(MixerElement.step(of: volume, low: -4, high: 4) == expected)
    }

    @Test("an element with one step has no other, and the step in the widest range does not overflow")
    func stepEdges() {
        #expect(MixerElement.step(of: 0.5, low: 3, high: 3) == 3)
        #expect(MixerElement.step(of: 1, low: .min, high: .max) == .max)
        #expect(MixerElement.step(of: Float(1).nextDown, low: .min, high: .max) < .max)
        #expect(MixerElement.step(of: Float(1).nextDown, low: 0, high: .max) < .max)
    }

    @Test("the widest range that a driver can name does not overflow")
    func widest() {
        let channel = Channel(value: 0, isOn: true)
        #expect(MixerElement.fraction([channel], low: .min, high: .max) == 0.5)
    }

    @Test("Master goes before Speaker, and both before a name that says nothing")
    func rank() {
        let names = ["Beep", "PCM", "Speaker", "Master"]
        #expect(names.min { MixerElement.rank(of: $0) < MixerElement.rank(of: $1) } == "Master")
        #expect(MixerElement.rank(of: "Speaker") < MixerElement.rank(of: "Beep"))
    }
}
