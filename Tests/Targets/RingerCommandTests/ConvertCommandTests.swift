import Foundation
import SoundFile
import Testing

@Suite("ringer convert")
struct ConvertCommandTests {
    private static let big = SoundCodec.linearPCM(LinearPCM(.signedInteger, bytesPerSample: 2, byteOrder: .big))

    private func tone(_ frequency: Double, sampleRate: Double, channels: Int, frames: Int) -> PCMBuffer {
        let samples = (0..<frames * channels).map { place in
            let phase = Double(place / channels) / sampleRate * frequency * 2 * Double.pi
            return Int16((16000 * sin(phase) * (place % channels == 0 ? 1 : 0.5)).rounded())
        }
        return PCMBuffer(sampleRate: sampleRate, channels: channels, samples: samples)
    }

    @Test("does what afconvert's users know: convert Submarine.aiff sub.caf -d ima4 -f caff -v")
    func submarine() throws {
        let ringer = try Command()
        let sound = tone(440, sampleRate: 44_100, channels: 2, frames: 10_000)
        try ringer.write(SoundFiles.encode(sound, container: .aiff, codec: Self.big), "Submarine.aiff")
        let result = try ringer("convert", "Submarine.aiff", "sub.caf", "-d", "ima4", "-f", "caff", "-v")
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
        #expect(result.output.contains("10000 frames written"))
        #expect(try ringer.read("sub.caf") == SoundFiles.encode(sound, container: .caf, codec: .ima4))
        #expect(try ringer.names == ["Submarine.aiff", "sub.caf"])
    }

    @Test(
        "takes afconvert's spellings",
        arguments: [
            ("LEI16", "WAVE"), ("BEI16", "AIFF"), ("LEF32", "caff"), ("ulaw", "AIFC"), ("alaw", "WAVE"),
            ("BEI24", "AIFF"),
            ("LEI24", "WAVE"), ("UI8", "WAVE"), ("I8", "caff"), ("BEF64", "AIFC"), ("LEI32", "RF64"), ("0", "AIFC"),
        ])
    func spellings(_ data: String, _ file: String) throws {
        let ringer = try Command()
        let sound = tone(440, sampleRate: 8000, channels: 1, frames: 100)
        try ringer.write(SoundFiles.encode(sound, container: .aiff, codec: Self.big), "in.aiff")
        let result = try ringer("convert", "in.aiff", "out", "-d", data, "-f", file)
        #expect(result.status == 0, "\(result.errors)")
        let decoded = try SoundFiles.decode(try ringer.read("out"))
        if !["ulaw", "alaw", "UI8", "I8"].contains(data) { #expect(decoded == sound) }
        #expect(decoded.frames == 100)
    }

    @Test("converts rates with little noise, and no frame too many or too few")
    func rates() throws {
        let ringer = try Command()
        let sound = tone(1000, sampleRate: 44_100, channels: 1, frames: 44_100)
        try ringer.write(SoundFiles.encode(sound, container: .aiff, codec: Self.big), "in.aiff")
        #expect(try ringer("convert", "in.aiff", "out.wav", "-d", "LEI16", "-r", "48000").status == 0)
        let converted = try SoundFiles.decode(try ringer.read("out.wav"))
        let expected = tone(1000, sampleRate: 48_000, channels: 1, frames: 48_000)
        #expect(converted.sampleRate == 48_000)
        #expect(converted.frames == 48_000)
        // Away from the ends, where the filter reaches beyond the sound.
        let errors = zip(converted.samples, expected.samples).dropFirst(1000).dropLast(1000).map {
            abs(Int($0) - Int($1))
        }
        #expect(errors.max() ?? .max <= 2)
    }

    @Test("averages channels to one, and gives one to two")
    func channels() throws {
        let ringer = try Command()
        let stereo = PCMBuffer(sampleRate: 8000, channels: 2, samples: [100, 300, -100, 100])
        try ringer.write(SoundFiles.encode(stereo, container: .aiff, codec: Self.big), "in.aiff")
        #expect(try ringer("convert", "in.aiff", "mono.wav", "-c", "1").status == 0)
        #expect(try SoundFiles.decode(ringer.read("mono.wav")).samples == [200, 0])
        #expect(try ringer("convert", "mono.wav", "three.wav", "-c", "3").status == 0)
        #expect(try SoundFiles.decode(ringer.read("three.wav")).samples == [200, 200, 0, 0, 0, 0])
    }

    @Test("of a file whose header is longer, what is there is converted, with a warning and the status 0")
    func cut() throws {
        let ringer = try Command()
        let sound = tone(440, sampleRate: 8000, channels: 1, frames: 100)
        for (container, codec, size) in [
            (
                SoundContainer.wave,
                SoundCodec.linearPCM(LinearPCM(.signedInteger, bytesPerSample: 2, byteOrder: .little)), 2
            ),
            (.aiff, Self.big, 2), (.caf, Self.big, 2), (.aifc, .uLaw, 1),
        ] {
            let bytes = try SoundFiles.encode(sound, container: container, codec: codec)
            let start = Int(try SoundFiles.info(bytes).dataOffset)
            for frames in [60, 1] {
                try ringer.write(Array(bytes[..<(start + size * frames)]), "in")
                for (rate, written) in [("8000", frames), ("16000", 2 * frames)] {
                    let result = try ringer("convert", "in", "out.wav", "-r", rate)
                    #expect(result.status == 0 && result.output.isEmpty)
                    let count = frames == 1 ? "1 frame" : "\(frames) frames"
                    #expect(result.errors == "ringer: in: the sound is damaged or incomplete: \(count) could be read\n")
                    let converted = try SoundFiles.decode(ringer.read("out.wav"))
                    #expect(converted.frames == written && converted.shortfall == nil, "\(container) \(rate)")
                    if rate == "8000", codec != .uLaw { #expect(converted.samples == Array(sound.samples[..<frames])) }
                }
            }
        }
        // It wrote a file without a frame, with the status 0.
        try ringer.write(SoundFiles.encode(sound, container: .aiff, codec: Self.big), "in")
        let start = Int(try SoundFiles.info(ringer.read("in")).dataOffset)
        try ringer.write(Array(ringer.read("in")[..<start]), "empty.aiff")
        let empty = try ringer("convert", "empty.aiff", "none.wav")
        #expect(empty.status == 1 && empty.errors.contains("empty.aiff: truncated data: expected a frame of sound"))
        #expect(try ringer("info", "empty.aiff").status == 1)
        #expect(throws: (any Error).self) { try ringer.read("none.wav") }
        // A warning is none of a header that promises what is there.
        try ringer.write(SoundFiles.encode(sound, container: .aiff, codec: Self.big), "in")
        #expect(try ringer("convert", "in", "out.wav").errors.isEmpty)
    }

    @Test("a conversion that fails leaves an existing file unchanged, and no other file")
    func failure() throws {
        let ringer = try Command()
        try ringer.write([1, 2, 3], "out.wav")
        try ringer.write(Array("no sound at all".utf8), "in.aiff")
        let result = try ringer("convert", "in.aiff", "out.wav")
        #expect(result.status == 1)
        #expect(result.errors.hasPrefix("ringer: in.aiff: not a sound: expected"))
        #expect(result.errors.split(separator: "\n").count == 1)
        let sound = tone(440, sampleRate: 8000.5, channels: 1, frames: 100)
        try ringer.write(SoundFiles.encode(sound, container: .aiff, codec: Self.big), "in.aiff")
        #expect(try ringer("convert", "in.aiff", "out.wav").errors.contains("a whole number of hertz"))
        #expect(try ringer.read("out.wav") == [1, 2, 3])
        #expect(try ringer.names == ["in.aiff", "out.wav"])
        // Over itself is no failure: the output replaces the input when it is whole.
        #expect(try ringer("convert", "in.aiff", "in.aiff", "-d", "BEI24").status == 0)
        #expect(try SoundFiles.info(ringer.read("in.aiff")).bits == 24)
    }

    @Test(
        "bad usage is exit status 64",
        arguments: [
            ["in", "out.caf", "-d", "mp3"], ["in", "out.xyz"], ["in", "out.caf", "-r", "0"],
            ["in", "out.caf", "-c", "0"], ["in"],
            ["in", "out", "-f", "m4af"], ["in", "out.caf", "-d", "LEI16@x"],
        ])
    func usage(_ arguments: [String]) throws {
        let ringer = try Command()
        let result =
            switch arguments.count {
            case 1: try ringer("convert", arguments[0])
            case 2: try ringer("convert", arguments[0], arguments[1])
            default: try ringer("convert", arguments[0], arguments[1], arguments[2], arguments[3])
            }
        #expect(result.status == 64)
    }
}
