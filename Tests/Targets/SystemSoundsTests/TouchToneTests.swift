import Foundation
import SoundFile
import SystemSounds
import Testing

@Suite("Touch tones")
struct TouchToneTests {
    static let rows = [697.0, 770, 852, 941]
    static let columns = [1209.0, 1336, 1477, 1633]
    static let keys: [(stem: String, key: String, row: Double, column: Double)] = [
        ("dtmf-0", "0", 941, 1336), ("dtmf-1", "1", 697, 1209), ("dtmf-2", "2", 697, 1336),
        ("dtmf-3", "3", 697, 1477), ("dtmf-4", "4", 770, 1209), ("dtmf-5", "5", 770, 1336),
        ("dtmf-6", "6", 770, 1477), ("dtmf-7", "7", 852, 1209), ("dtmf-8", "8", 852, 1336),
        ("dtmf-9", "9", 852, 1477), ("dtmf-star", "*", 941, 1209), ("dtmf-pound", "#", 941, 1477),
    ]

    @Test("each key sounds its pair of ITU-T Q.23 within 1 Hz, and nothing else of the eight", arguments: keys)
    func pair(_ key: (stem: String, key: String, row: Double, column: Double)) {
        let sound = Rendered.sound(key.stem)
        let samples = sound.samples[...]
        for frequency in [key.row, key.column] {
            let measured = Analysis.peakFrequency(near: frequency, in: samples, sampleRate: sound.sampleRate)
            #expect(abs(measured - frequency) < 1, "\(measured) Hz")
        }
        for frequency in Self.rows + Self.columns where frequency != key.row && frequency != key.column {
            #expect(Analysis.amplitude(of: frequency, in: samples, sampleRate: sound.sampleRate) < 0.0035)
        }
    }

    @Test("both tones of every key are equally loud, to a tenth of a decibel")
    func levels() {
        let levels = Self.keys.flatMap { key in
            let sound = Rendered.sound(key.stem)
            return [key.row, key.column].map {
                Analysis.amplitude(of: $0, in: sound.samples[...], sampleRate: sound.sampleRate)
            }
        }
        let (quietest, loudest) = (levels.min() ?? 0, levels.max() ?? 0)
        #expect(quietest > 0.25)
        #expect(20 * log10(loudest / quietest) < 0.1)
    }

    @Test("a key sounds for 200 ms, well over the 40 ms a receiver needs")
    func length() {
        for key in Self.keys { #expect(Rendered.sound(key.stem).samples.count == 9600) }
    }

    @Test("an independent decoder hears every key", .enabled(if: MultimonNG.isInstalled, MultimonNG.absence))
    func independentDecoder() throws {
        #expect(try MultimonNG.touchTones(in: Self.keys.map(\.stem)) == Self.keys.map(\.key))
    }

    @Test("no other sound is taken for a key", .enabled(if: MultimonNG.isInstalled, MultimonNG.absence))
    func falseKeys() throws {
        let others = SoundRecipe.predefinedStems.filter { !$0.hasPrefix("dtmf-") }
        #expect(others.count == 72)
        for stem in others { #expect(try MultimonNG.touchTones(in: [stem]).isEmpty, "\(stem)") }
    }
}
