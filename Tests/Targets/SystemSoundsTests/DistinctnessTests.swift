import SystemSounds
import Testing

@Suite("Distinctness")
struct DistinctnessTests {
    @Test("no two of the sounds are alike")
    func pairs() {
        let stems = SoundRecipe.predefinedStems
        let signatures = stems.compactMap { SoundRecipe.predefined(stem: $0) }.map {
            Signature(SoundSynthesizer.render($0, sampleRate: Signature.sampleRate))
        }
        #expect(signatures.count == stems.count)
        for left in stems.indices {
            for right in stems.indices where right > left {
                let likeness = signatures[left].likeness(signatures[right])
                #expect(likeness < 0.8, "\(stems[left]) and \(stems[right])")
            }
        }
    }

    @Test("the measure finds a sound like itself, louder or later too")
    func measure() throws {
        let recipe = try #require(SoundRecipe.predefined(stem: "Minuet"))
        let sound = SoundSynthesizer.render(recipe, sampleRate: Signature.sampleRate)
        var softer = sound
        softer.samples = [Int16](repeating: 0, count: 960) + sound.samples.map { $0 / 3 }
        #expect(Signature(sound).likeness(Signature(softer)) > 0.95)
    }
}
