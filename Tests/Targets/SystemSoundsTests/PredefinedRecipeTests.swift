import SoundFile
import SystemSounds
import Testing

@Suite("Predefined recipes")
struct PredefinedRecipeTests {
    @Test("every file of the table has a recipe, and there are no others")
    func complete() {
        let files = Set(PredefinedSound.all.flatMap { [$0.filePhone, $0.filePlayer] }.compactMap { $0 })
        #expect(files.count == 84)
        #expect(Set(SoundRecipe.predefinedStems.map { $0 + ".caf" }) == files)
        #expect(files.allSatisfy { SoundRecipe.predefined(file: $0) != nil })
        #expect(SoundRecipe.predefined(file: "Tock") == nil)
        #expect(SoundRecipe.predefined(file: "Tock.wav") == nil)
        #expect(SoundRecipe.predefined(stem: "Tock.caf") == nil)
    }

    @Test("no sound is longer than 2.5 s, and nine in ten are under 2 s")
    func durations() {
        let durations = SoundRecipe.predefinedStems.compactMap { SoundRecipe.predefined(stem: $0)?.duration }
        #expect(durations.allSatisfy { $0 <= .milliseconds(2500) })
        #expect(durations.filter { $0 < .seconds(2) }.count * 10 >= durations.count * 9)
    }

    @Test("each is one channel at the rate asked for, as long as its recipe says, and to be heard")
    func shape() throws {
        for (rate, sounds) in [(48_000.0, Rendered.at48000), (44_100.0, Rendered.at44100)] {
            for (stem, sound) in sounds {
                let recipe = try #require(SoundRecipe.predefined(stem: stem))
                #expect(sound.sampleRate == rate)
                #expect(sound.channels == 1)
                let length = recipe.duration / .seconds(1) * rate
                #expect(abs(Double(sound.samples.count) - length) <= 1, "\(stem)")
                #expect(Analysis.peak(sound) > 0.2, "\(stem) is too quiet")
            }
        }
    }

    @Test("no sample is over -3 dBFS")
    func peaks() {
        for sounds in [Rendered.at48000, Rendered.at44100] {
            for (stem, sound) in sounds { #expect(Analysis.peak(sound) <= 0.70795, "\(stem)") }
        }
    }

    @Test("each begins and ends in silence, without a step")
    func ends() {
        for sounds in [Rendered.at48000, Rendered.at44100] {
            for (stem, sound) in sounds {
                for samples in [sound.samples, sound.samples.reversed()] {
                    #expect(abs(Int(samples[0])) <= 1, "\(stem)")
                    // A ramp of half a millisecond and more has barely left the ground after 3 frames.
                    #expect(samples.prefix(4).allSatisfy { abs(Int($0)) < 655 }, "\(stem)")
                }
            }
        }
    }

    @Test("rendering again gives the same samples")
    func deterministic() throws {
        // One of each kind: noise, vibrato, glide, plain.
        for stem in ["photoShutter", "Noir", "SentMessage", "dtmf-5"] {
            let recipe = try #require(SoundRecipe.predefined(stem: stem))
            #expect(SoundSynthesizer.render(recipe, sampleRate: 48_000) == Rendered.sound(stem), "\(stem)")
        }
    }

    @Test("the samples are those they have always been")
    func stable() {
        // A change of any sound changes this number: then say so in the changelog and write the new one here.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for stem in SoundRecipe.predefinedStems {
            for sample in Rendered.sound(stem).samples {
                hash = (hash ^ UInt64(UInt16(bitPattern: sample))) &* 0x100_0000_01b3
            }
        }
        #expect(hash == 17_995_066_680_633_834_995)
    }
}
