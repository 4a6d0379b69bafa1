import SoundFile
import Testing

@Suite("Sound files")
struct SoundFileTests {
    let samples: [Int16] = [0, 1, -1, 32767, -32768, 256, -257, 12345]

    @Test("16-bit WAV gives its samples, rate and channels")
    func wave() throws {
        let buffer = try SoundFiles.decode(FileBytes.wave(samples, sampleRate: 44_100, channels: 2))
        #expect(buffer == PCMBuffer(sampleRate: 44_100, channels: 2, samples: samples))
    }

    @Test("16-bit CAF gives its samples, rate, channels and edit count, with its data's size known or not")
    func caf() throws {
        for unknown in [false, true] {
            let bytes = FileBytes.caf(samples, sampleRate: 8000.5, channels: 1, unknownSize: unknown)
            #expect(try SoundFiles.decode(bytes) == PCMBuffer(sampleRate: 8000.5, channels: 1, samples: samples))
            #expect(try SoundFiles.info(bytes).editCount == 7)
        }
    }

    @Test("exactly 30 seconds are accepted, a frame more is refused before decoding")
    func maximumDuration() throws {
        let exact = FileBytes.wave([Int16](repeating: 0, count: 240_000), sampleRate: 8000)
        #expect(try SoundFiles.decode(exact, maximumDuration: .seconds(30)).duration == .seconds(30))
        let longer = FileBytes.wave([Int16](repeating: 0, count: 240_001), sampleRate: 8000)
        let error = #expect(throws: SoundFileError.self) {
            try SoundFiles.decode(longer, maximumDuration: .seconds(30))
        }
        #expect(error?.code == .maximumDurationExceeded)
    }

    @Test("silence lasts as long as asked for")
    func silence() {
        let silence = PCMBuffer.silence(duration: .milliseconds(250), sampleRate: 8000, channels: 2)
        #expect(silence.frames == 2000)
        #expect(silence.duration == .milliseconds(250))
        #expect(silence.samples.allSatisfy { $0 == 0 })
    }
}
