import SoundFile
import SystemSounds

/// The predefined sounds as rendered once for all tests, at the two rates they are made for.
enum Rendered {
    static let at48000 = all(48_000)
    static let at44100 = all(44_100)

    static func sound(_ stem: String) -> PCMBuffer {
        at48000[stem] ?? PCMBuffer(sampleRate: 48_000, channels: 1, samples: [])
    }

    private static func all(_ sampleRate: Double) -> [String: PCMBuffer] {
        SoundRecipe.predefinedStems.reduce(into: [:]) { sounds, stem in
            sounds[stem] = SoundRecipe.predefined(stem: stem).map {
                SoundSynthesizer.render($0, sampleRate: sampleRate)
            }
        }
    }
}
