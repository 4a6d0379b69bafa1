import Testing

@testable import RingerHardware

@Suite struct PlaybackVolumeTests {
    private typealias Channel = PlaybackVolume.Channel

    @Test(
        "the volume is the value's place between the lowest and the highest step",
        arguments: [(-50, 0), (25, 0.5), (100, 1), (-60, 0), (110, 1)] as [(Int, Float)])
    func place(value: Int, expected: Float) {
        #expect(PlaybackVolume.fraction([Channel(value: value, isOn: true)], low: -50, high: 100) == expected)
    }

    @Test("of several channels the loudest that is switched on counts")
    func channels() {
        let channels = [Channel(value: 2, isOn: true), Channel(value: 8, isOn: true), Channel(value: 10, isOn: false)]
        #expect(PlaybackVolume.fraction(channels, low: 0, high: 10) == 0.8)
    }

    @Test("an element that is switched off is at 0")
    func switchedOff() {
        #expect(PlaybackVolume.fraction([Channel(value: 10, isOn: false)], low: 0, high: 10) == 0)
    }

    @Test("an element with one step has volume 1, and one without channels none")
    func edges() {
        #expect(PlaybackVolume.fraction([Channel(value: 3, isOn: true)], low: 3, high: 3) == 1)
        #expect(PlaybackVolume.fraction([], low: 0, high: 10) == nil)
    }

    @Test(
        "a volume that is set becomes the nearest step, and above 0 at least the first one above the lowest",
        arguments: [(0, -4), (0.01, -3), (0.5, 0), (0.55, 0), (0.6, 1), (0.99, 4), (1, 4)] as [(Float, Int)])
    func step(volume: Float, expected: Int) {
        #expect(PlaybackVolume.step(of: volume, low: -4, high: 4) == expected)
    }

    @Test("an element with one step has no other, and the step in the widest range does not overflow")
    func stepEdges() {
        #expect(PlaybackVolume.step(of: 0.5, low: 3, high: 3) == 3)
        #expect(PlaybackVolume.step(of: 1, low: .min, high: .max) == .max)
        #expect(PlaybackVolume.step(of: Float(1).nextDown, low: .min, high: .max) < .max)
        #expect(PlaybackVolume.step(of: Float(1).nextDown, low: 0, high: .max) < .max)
    }

    @Test("the widest range that a driver can name does not overflow")
    func widest() {
        let channel = Channel(value: 0, isOn: true)
        #expect(PlaybackVolume.fraction([channel], low: .min, high: .max) == 0.5)
    }

    @Test("Master goes before Speaker, and both before a name that says nothing")
    func rank() {
        let names = ["Beep", "PCM", "Speaker", "Master"]
        #expect(names.min { PlaybackVolume.rank(of: $0) < PlaybackVolume.rank(of: $1) } == "Master")
        #expect(PlaybackVolume.rank(of: "Speaker") < PlaybackVolume.rank(of: "Beep"))
    }
}
