import SoundFile
import SystemSounds
import Testing

@Suite("Call-progress and SIM-toolkit tones")
struct CallToneTests {
    @Test("busy is 480 and 620 Hz, half a second on and half a second off")
    func busy() {
        expectCadence("ct-busy", [480, 620], bursts: [0...0.5, 1...1.5], total: 2)
    }

    @Test("congestion is the same pair, a quarter of a second on and off")
    func congestion() {
        expectCadence(
            "ct-congestion", [480, 620], bursts: [0...0.25, 0.5...0.75, 1...1.25, 1.5...1.75], total: 2)
    }

    @Test("call waiting is one burst of 440 Hz for 300 ms")
    func callWaiting() {
        expectCadence("ct-call-waiting", [440], bursts: [0...0.3], total: 0.3)
    }

    @Test("path acknowledge is one burst of 425 Hz for 200 ms")
    func pathAcknowledge() {
        expectCadence("ct-path-ack", [425], bursts: [0...0.2], total: 0.2)
    }

    @Test("a dropped call is three bursts of 425 Hz, 200 ms on and off")
    func callDropped() {
        expectCadence("SIMToolkitCallDropped", [425], bursts: [0...0.2, 0.4...0.6, 0.8...1], total: 1.2)
    }

    @Test("error is 950, 1400 and 1800 Hz, one after the other for 330 ms each, then 1 s of silence")
    func error() {
        let sound = Rendered.sound("ct-error")
        #expect(abs(seconds(sound) - 1.99) < 0.001)
        #expect(Analysis.bursts(sound).count == 1)
        let steps = [950.0, 1400, 1800]
        for (index, frequency) in steps.enumerated() {
            let samples = window(sound, from: 0.33 * Double(index) + 0.01, to: 0.33 * Double(index) + 0.32)
            for other in steps {
                let amplitude = Analysis.amplitude(of: other, in: samples, sampleRate: sound.sampleRate)
                #expect(other == frequency ? amplitude > 0.35 : amplitude < 0.002)
            }
        }
        #expect(window(sound, from: 0.99, to: 1.99).allSatisfy { $0 == 0 })
    }

    @Test("the SIM card's tones differ in number of bursts or pitch")
    func simToolkit() {
        let bursts = ["SIMToolkitGeneralBeep", "SIMToolkitNegativeACK", "SIMToolkitSMS"].map {
            Analysis.bursts(Rendered.sound($0)).count
        }
        #expect(bursts == [1, 2, 3])
    }

    private func expectCadence(
        _ stem: String, _ frequencies: [Double], bursts: [ClosedRange<Double>], total: Double,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let sound = Rendered.sound(stem)
        #expect(abs(seconds(sound) - total) < 0.001, sourceLocation: sourceLocation)
        let measured = Analysis.bursts(sound)
        #expect(measured.count == bursts.count, sourceLocation: sourceLocation)
        for (heard, expected) in zip(measured, bursts) {
            #expect(abs(heard.lowerBound - expected.lowerBound) < 0.005, sourceLocation: sourceLocation)
            #expect(abs(heard.upperBound - expected.upperBound) < 0.005, sourceLocation: sourceLocation)
            let samples = window(sound, from: expected.lowerBound, to: expected.upperBound)
            let levels = frequencies.map { Analysis.amplitude(of: $0, in: samples, sampleRate: sound.sampleRate) }
            #expect(levels.allSatisfy { $0 > 0.25 }, sourceLocation: sourceLocation)
            for frequency in frequencies {
                let peak = Analysis.peakFrequency(near: frequency, in: samples, sampleRate: sound.sampleRate)
                #expect(abs(peak - frequency) < 1, sourceLocation: sourceLocation)
            }
        }
    }

    private func seconds(_ sound: PCMBuffer) -> Double { Double(sound.samples.count) / sound.sampleRate }

    private func window(_ sound: PCMBuffer, from: Double, to: Double) -> ArraySlice<Int16> {
        sound.samples[Int(from * sound.sampleRate)..<Int(to * sound.sampleRate)]
    }
}
