import Foundation
import SoundFile
import Testing

/// MP3 as LAME writes it, through ffmpeg.
@Suite("MP3", .enabled(if: Oracle.present(.ffmpeg), "needs ffmpeg"))
struct MP3Tests {
    /// A file of a tone that lasts `frames` frames; `arguments` go to the encoder.
    private func encode(
        rate: Int = 44_100, channels: Int = 2, frames: Int = 20_000, _ arguments: [String] = []
    ) throws -> (bytes: [UInt8], sound: PCMBuffer) {
        let folder = try Folder()
        let samples = (0..<frames * channels).map { index in
            Int16(8000 * sin(Double(index / channels) * 2 * .pi * 440 / Double(rate)))
        }
        let sound = PCMBuffer(sampleRate: Double(rate), channels: channels, samples: samples)
        let (source, file) = (folder.file("in.wav"), folder.file("out.mp3"))
        let codec = SoundCodec.linearPCM(LinearPCM(.signedInteger, bytesPerSample: 2, byteOrder: .little))
        try Data(SoundFiles.encode(sound, container: .wave, codec: codec)).write(to: source)
        try Oracle.ffmpeg.run(["-v", "error", "-y", "-i", source.path, "-c:a", "libmp3lame"] + arguments + [file.path])
        return ([UInt8](try Data(contentsOf: file)), sound)
    }

    @Test(
        "a file is decoded to the frames that were encoded, within the codec's loss",
        arguments: [
            (44_100, 2, ["-b:a", "128k"]), (48_000, 1, ["-q:a", "4"]), (32_000, 2, ["-b:a", "320k"]),
            (22_050, 1, ["-b:a", "64k"]), (8_000, 2, ["-q:a", "2", "-id3v2_version", "3"]),
            (24_000, 2, ["-b:a", "8k", "-id3v2_version", "0"]), (44_100, 1, ["-write_id3v1", "1"]),
        ])
    func decodes(_ rate: Int, _ channels: Int, _ arguments: [String]) throws {
        let (bytes, sound) = try encode(rate: rate, channels: channels, arguments)
        let info = try SoundFiles.info(bytes)
        #expect(info.container == .mp3 && info.codec == .mpegLayer3 && !info.isTruncated)
        #expect(info.sampleRate == Double(rate) && info.channels == channels && info.frames == 20_000)
        let decoded = try SoundFiles.decode(bytes)
        #expect(decoded.frames == 20_000)
        // As the phase is right, the difference is far smaller than the sound.
        let error = zip(decoded.samples, sound.samples).reduce(0.0) { $0 + pow(Double($1.0) - Double($1.1), 2) }
        let power = sound.samples.reduce(0.0) { $0 + pow(Double($1), 2) }
        #expect(error < power / (arguments.contains("8k") ? 4 : 100), "\(error / power)")
    }

    @Test("decoding in pieces gives the same, from a file too")
    func pieces() throws {
        let (bytes, _) = try encode()
        let whole = try SoundFiles.decode(bytes).samples
        for count in [2, 1000, 4098] {
            var decoder = try SoundDecoder(TestSource(bytes))
            var (piece, all) = ([Int16](repeating: 0, count: count), [Int16]())
            while case let frames = try decoder.read(into: &piece), frames > 0 { all += piece[..<(2 * frames)] }
            #expect(all == whole, "\(count)")
        }
        #expect(try SoundFiles.decodeFloat(bytes).samples == whole.map { Float($0) / 32_768 })
    }

    @Test("the length is checked before anything is decoded; 30 s are not too long")
    func lengths() throws {
        let (bytes, _) = try encode(rate: 8000, channels: 1, frames: 240_001)
        let error = #expect(throws: SoundFileError.self) { try SoundFiles.decode(bytes, maximumDuration: .seconds(30)) }
        #expect(error?.code == .maximumDurationExceeded)
        let exact = try encode(rate: 8000, channels: 1, frames: 240_000).bytes
        #expect(try SoundFiles.decode(exact, maximumDuration: .seconds(30)).frames == 240_000)
        var admitted = 0
        _ = try SoundFiles.decode(MemorySource(exact)) { admitted = $0 }
        #expect(admitted == 480_000)
    }

    @Test(
        "a file that was cut off, or has a damaged header, is decoded as far as it goes, and is not taken for a whole one"
    )
    func damage() throws {
        let (bytes, _) = try encode()
        let cut = Array(bytes[..<(bytes.count / 2)])
        let info = try SoundFiles.info(cut)
        #expect(info.isTruncated && (5000..<15_000).contains(info.frames))
        #expect(try SoundFiles.decode(cut).frames == Int(info.frames))
        var damaged = bytes
        for index in damaged.indices.dropFirst(2100).prefix(300) where damaged[index] != 0xFF { damaged[index] = 0x55 }
        let rest = try SoundFiles.info(damaged)
        #expect(rest.isTruncated && (1000..<20_000).contains(rest.frames))
        #expect(try SoundFiles.decode(damaged).frames == Int(rest.frames))
        // It was cut off between two frames.
        let boundary = try SoundFiles.info(bytes)
        let packet = Array(bytes[..<(bytes.count - 1)])
        #expect(!boundary.isTruncated)
        #expect(try SoundFiles.info(packet).isTruncated)
    }

    @Test("what only begins like MP3 is no sound")
    func others() {
        let start = [UInt8]("ID3\u{4}\u{0}\u{0}\u{0}\u{0}\u{0}\u{5}".utf8)
        for bytes in [
            start, start + [UInt8](repeating: 0x55, count: 100),
            [0xFF, 0xFB, 0x90, 0x64] + [UInt8](repeating: 7, count: 2000),
            [0xFF, 0xF1, 0x50, 0x80] + [UInt8](repeating: 0, count: 100),
        ] {
            let error = #expect(throws: SoundFileError.self) { try SoundFiles.info(bytes) }
            #expect(error?.code == .notASound, "\(bytes.prefix(12))")
        }
    }
}
