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
        for index in damaged.indices.dropFirst(2100).prefix(300) { damaged[index] = 0x55 }
        let rest = try SoundFiles.info(damaged)
        #expect(rest.skippedBytes > 0 && (15_000..<20_000).contains(rest.frames))
        #expect(try SoundFiles.decode(damaged).frames == Int(rest.frames))
        #expect(try SoundFiles.decode(damaged).shortfall != nil && SoundFiles.decode(bytes).shortfall == nil)
        // It was cut off between two frames.
        let boundary = try SoundFiles.info(bytes)
        let packet = Array(bytes[..<(bytes.count - 1)])
        #expect(!boundary.isTruncated)
        #expect(try SoundFiles.info(packet).isTruncated)
    }

    // Half of the sound was left out without a word.
    @Test("sound that is not read is reported: of another kind, behind zeros, or behind too many gaps")
    func unread() throws {
        let bare = ["-id3v2_version", "0", "-write_xing", "0", "-b:a", "64k"]
        let first = try encode(frames: 4000, bare).bytes
        for (rate, channels) in [(22_050, 2), (44_100, 1)] {
            for options in [bare, ["-b:a", "64k"]] {
                let other = try encode(rate: rate, channels: channels, frames: 4000, options).bytes
                #expect(try SoundFiles.info(first + other).isTruncated, "\(rate) \(channels) \(options)")
            }
        }
        #expect(try SoundFiles.info(first + [UInt8](repeating: 0, count: 70_000) + first).isTruncated)
        #expect(try SoundFiles.info(first + [UInt8](repeating: 0, count: 70_000)).shortfall == nil)
        #expect(
            try SoundFiles.info(first + Array("LYRICSBEGIN".utf8) + [UInt8](repeating: 120, count: 70_000) + first)
                .isTruncated)
        let tag = [UInt8]("ID3\u{4}\u{0}\u{0}".utf8)
        let long = try SoundFiles.info(first + tag + [127, 127, 127, 127] + first)
        let frames = try SoundFiles.info(first).frames
        #expect(long.skippedBytes == 10 && long.frames == 2 * frames)
        let piece = tag + [0, 0, 0, 10] + [UInt8](repeating: 0, count: 10) + first
        let pieces = try SoundFiles.info(Array(repeatElement(piece, count: 600).joined()))
        #expect(pieces.frames == 600 * frames && pieces.shortfall == nil)
        // Two frames of 72 bytes.
        let small = try encode(rate: 8000, channels: 1, frames: 4000, bare.dropLast() + ["8k"]).bytes
        let two = tag + [0, 0, 0, 0] + small[..<144]
        #expect(try SoundFiles.info(Array(repeatElement(two, count: 3).joined())).frames == 6 * 576)
        let most = try SoundFiles.info(Array(repeatElement(two, count: 17_000).joined()))
        #expect(most.isTruncated && (16_384 * 2 * 576..<17_000 * 2 * 576).contains(most.frames), "\(most.frames)")
    }

    // Each description was heard as 26 ms of silence, and behind 512 tags the rest was left out.
    @Test(
        "of a file that was joined from several, the encoder's description of each is left out",
        arguments: [44_100, 8000])
    func joined(_ rate: Int) throws {
        let folder = try Folder()
        let bytes = try encode(rate: rate, channels: 1, frames: 4000, ["-id3v2_version", "0"]).bytes
        let tag = [UInt8]("ID3\u{4}\u{0}\u{0}\u{0}\u{0}\u{0}\u{1}\u{0}".utf8)
        // ffmpeg leaves them out behind a tag alone.
        let file = bytes + tag + bytes + tag + bytes
        let theirs = try Oracle.ffmpeg.int16(folder.write(file, "joined.mp3"), in: folder)
        #expect(try SoundFiles.decode(file).frames == theirs.count)
        let one = try SoundFiles.info(bytes)
        for (between, count) in [([], 3), (tag, 3), (tag, 700)] {
            let all = try SoundFiles.decode(Array(repeatElement(bytes + between, count: count).joined()))
            let frames = Int64(count) * (one.primingFrames + one.frames + one.remainderFrames) - one.primingFrames
            #expect(Int64(all.frames) == frames && all.shortfall == nil, "\(count)")
        }
    }

    @Test("a newline or a text behind the last frame, and zeros in front of the first, are nothing that is missing")
    func surroundings() throws {
        let bytes = try encode(frames: 4000, ["-id3v2_version", "0", "-write_xing", "0"]).bytes
        let whole = try SoundFiles.info(bytes)
        for tail in ["\n", "\r\n--boundary--\r\n"] {
            let info = try SoundFiles.info(bytes + Array(tail.utf8))
            #expect(info.shortfall == nil && info.frames == whole.frames, "\(tail.utf8.count)")
        }
        for count in [1, 5, 700] {
            let info = try SoundFiles.info([UInt8](repeating: 0, count: count) + bytes)
            #expect(info.shortfall == nil && info.frames == whole.frames, "\(count)")
        }
        // A frame of which 1 to 5 bytes are there was cut off.
        for count in 1...5 { #expect(try SoundFiles.info(bytes + bytes[..<count]).isTruncated, "\(count)") }
    }

    @Test("the first frame is looked for in 64 KiB, and no further")
    func limit() throws {
        let bytes = try encode(frames: 4000, ["-id3v2_version", "0", "-write_xing", "0"]).bytes
        let whole = try SoundFiles.info(bytes)
        let nearest = [UInt8](repeating: 0x55, count: 65_535)
        #expect(try SoundFiles.info(nearest + bytes).frames == whole.frames)
        let error = #expect(throws: SoundFileError.self) { try SoundFiles.info(nearest + [0x55] + bytes) }
        #expect(error?.code == .notASound)
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
