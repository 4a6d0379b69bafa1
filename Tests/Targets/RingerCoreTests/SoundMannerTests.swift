import RingerCore
import Testing

/// How much of a sound is played, in counts that no processor ends sooner than another.
@Suite struct SoundMannerTests {
    @Test("a sound without end lasts 31 years, and each of its frames has a number of 64 bits")
    func endless() {
        let sound = PCMBuffer.silence(duration: .seconds(1))
        let manner = SoundManner(first: 10, rounds: SoundManner.most(of: sound))
        let frames: Int64 = manner.frames(of: sound)
        #expect(frames == Int64(48_000) * 1_000_000_000 - 10)
        let left = manner.after(frames - 1, of: sound)
        #expect(left.first == 47_999 && left.rounds == 1)
        #expect(manner.after(frames, of: sound).frames(of: sound) == 0)
    }

    @Test("a short sound at a high rate is repeated as often as can be counted")
    func short() {
        let sound = PCMBuffer(sampleRate: 1e9, channels: 1, samples: [0])
        let most = SoundManner.most(of: sound)
        #expect(most == Int(clamping: Int64(1e15)))
        #expect(SoundManner(rounds: most).frames(of: sound) == Int64(most))
    }
}
