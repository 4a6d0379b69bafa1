import Foundation
import SoundFile
import Testing

@testable import SystemSounds

@Suite("Synthesizer")
struct SoundSynthesizerTests {
    @Test("the sine is right to a ten-millionth over many turns")
    func sine() {
        for step in 0..<20_000 {
            let turns = Double(step) * 0.377
            let expected = sin(2 * .pi * turns.truncatingRemainder(dividingBy: 1))
            #expect(abs(Sine.ofTurns(turns) - expected) < 1e-7)
        }
    }

    @Test("equal temperament: each semitone is the twelfth root of two above the one before")
    func pitches() {
        var last = Pitch(semitone: 11, octave: 3).frequency
        for octave in 4...5 {
            for semitone in 0..<12 {
                let frequency = Pitch(semitone: semitone, octave: octave).frequency
                #expect(abs(frequency / last - pow(2, 1.0 / 12)) < 1e-12)
                last = frequency
            }
        }
        #expect(Pitch.a(4).frequency == 440)
        #expect(Pitch.a(2).frequency == 110)
    }

    @Test("a tone has the frequency and level that were written")
    func tone() {
        let sound = SoundSynthesizer.render(recipe(440, 440, .signal, level: 0.5), sampleRate: 44_100)
        #expect(sound.samples.count == 44_100)
        let middle = sound.samples[4410..<39_690]
        #expect(abs(Analysis.amplitude(of: 440, in: middle, sampleRate: 44_100) - 0.5) < 0.001)
        #expect(abs(Analysis.peakFrequency(near: 441, in: middle, sampleRate: 44_100) - 440) < 0.05)
    }

    @Test("a glide passes from the first frequency to the second")
    func glide() {
        let sound = SoundSynthesizer.render(recipe(400, 1200, .signal, level: 0.5), sampleRate: 48_000)
        for (at, frequency) in [(0.05, 440.0), (0.5, 800), (0.95, 1160)] {
            let centre = Int(at * 48_000)
            let window = sound.samples[centre - 960..<centre + 960]
            let here = Analysis.amplitude(of: frequency, in: window, sampleRate: 48_000)
            #expect(here > 0.4)
            #expect(Analysis.amplitude(of: frequency + 200, in: window, sampleRate: 48_000) < here / 4)
        }
    }

    @Test("a half-life halves the level, however long the sound")
    func halfLife() {
        let envelope = SoundEnvelope(attack: .zero, halfLife: .milliseconds(100), release: .milliseconds(1))
        let sound = SoundSynthesizer.render(recipe(1000, 1000, Instrument([Partial(1, 1)], envelope), level: 0.6))
        let levels = [0.1, 0.2, 0.5].map { time in
            let centre = Int(time * 48_000)
            return Double(sound.samples[centre - 24..<centre + 24].map { abs(Int($0)) }.max() ?? 0) / 32_768
        }
        #expect(abs(levels[0] - 0.3) < 0.01)
        #expect(abs(levels[1] - 0.15) < 0.005)
        #expect(abs(levels[2] - 0.6 / 32) < 0.001)
    }

    @Test("noise stays about its centre, and its level does not hang on the width of the band")
    func noise() {
        let envelope = SoundEnvelope(attack: .milliseconds(5), release: .milliseconds(5))
        let powers = [1.0, 8.0].map { quality in
            let source = SoundPart.Source.noise(from: 2000, to: 2000, quality: quality, envelope)
            let part = SoundPart(at: .zero, for: .seconds(1), level: 0.1, source)
            let sound = SoundSynthesizer.render(SoundRecipe([part]))
            let window = sound.samples[2400..<26_400]
            let inside = (-10...10).map {
                Analysis.amplitude(of: 2000 + Double($0) * 10, in: window, sampleRate: 48_000)
            }
            let outside = (-10...10).map {
                Analysis.amplitude(of: 9000 + Double($0) * 10, in: window, sampleRate: 48_000)
            }
            #expect(inside.reduce(0, +) > 3 * outside.reduce(0, +))
            return sound.samples.reduce(0.0) { $0 + Double($1) * Double($1) }
        }
        #expect((0.5...2).contains(powers[0] / powers[1]))
    }

    @Test("what would pass the ceiling is scaled down as a whole")
    func ceiling() {
        let part = SoundPart(at: .zero, for: .seconds(1), level: 1, .tone(from: 500, to: 500, .signal))
        let sound = SoundSynthesizer.render(SoundRecipe([part, part, part]))
        #expect(abs(Analysis.peak(sound) - SoundSynthesizer.ceiling) < 0.001)
        #expect(Analysis.peak(sound) <= 0.70795)
    }

    @Test("partials above the rate's reach are left out instead of folding back")
    func aliasing() {
        let instrument = Instrument([Partial(1, 1), Partial(7, 1)], .signal)
        let sound = SoundSynthesizer.render(recipe(3000, 3000, instrument, level: 0.3), sampleRate: 22_050)
        let window = sound.samples[2000..<20_000]
        #expect(abs(Analysis.amplitude(of: 3000, in: window, sampleRate: 22_050) - 0.3) < 0.001)
        #expect(Analysis.amplitude(of: 22_050 - 21_000, in: window, sampleRate: 22_050) < 0.001)
    }

    @Test("an empty recipe and a silent one are silence of the length asked for")
    func silence() {
        #expect(SoundSynthesizer.render(SoundRecipe([])).samples.isEmpty)
        let silence = SoundSynthesizer.render(SoundRecipe([], duration: .milliseconds(10), peak: 0.5))
        #expect(silence.samples == [Int16](repeating: 0, count: 480))
    }

    @Test("ramps longer than their part share it")
    func shortPart() {
        let envelope = SoundEnvelope(attack: .seconds(1), release: .seconds(1))
        let part = SoundPart(
            at: .zero, for: .milliseconds(20), level: 0.5,
            .tone(from: 2000, to: 2000, Instrument([Partial(1, 1)], envelope)))
        let sound = SoundSynthesizer.render(SoundRecipe([part]))
        #expect(sound.samples.first == 0)
        #expect(sound.samples.last == 0)
        #expect(Analysis.peak(sound) > 0.4)
    }

    private func recipe(_ from: Double, _ to: Double, _ instrument: Instrument, level: Double) -> SoundRecipe {
        SoundRecipe([SoundPart(at: .zero, for: .seconds(1), level: level, .tone(from: from, to: to, instrument))])
    }
}
