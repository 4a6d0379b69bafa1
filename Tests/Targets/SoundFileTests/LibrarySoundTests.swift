import Foundation
import SoundFile
import Testing

/// Ogg and FLAC as ffmpeg writes them.
@Suite("Ogg and FLAC", .enabled(if: Oracle.present(.ffmpeg), "needs ffmpeg"))
struct LibrarySoundTests {
    private func encode(
        _ codec: String, as name: String, frames: Int, rate: Int = 48_000, pitches: [Double] = [440]
    ) throws -> [UInt8] {
        let folder = try Folder()
        let sound = PCMBuffer(
            sampleRate: Double(rate), channels: pitches.count,
            samples: (0..<frames).flatMap { frame in
                pitches.map { Int16(8000 * sin(Double(frame) * 2 * .pi * $0 / Double(rate))) }
            })
        let pcm = SoundCodec.linearPCM(LinearPCM(.signedInteger, bytesPerSample: 2, byteOrder: .little))
        let source = try folder.write(SoundFiles.encode(sound, container: .wave, codec: pcm), "in.wav")
        try Oracle.ffmpeg.run(["-v", "error", "-y", "-i", source.path, "-c:a", codec, folder.file(name).path])
        return [UInt8](try Data(contentsOf: folder.file(name)))
    }

    // The right channel of Ogg was its center.
    @Test(
        "the channels are in the order of WAV files",
        arguments: [("libvorbis", "a.ogg"), ("libopus", "a.opus"), ("flac", "a.flac")], [6, 8])
    func channels(_ file: (codec: String, name: String), count: Int) throws {
        // The fourth has low frequencies alone.
        let pitches = [200.0, 400, 800, 60, 1600, 3200, 2400, 1200].prefix(count)
        let bytes = try encode(file.codec, as: file.name, frames: 24_000, pitches: Array(pitches))
        let sound = try SoundFiles.decode(bytes)
        try #require(sound.channels == count)
        for (channel, pitch) in pitches.enumerated() {
            let samples = stride(from: channel, to: sound.samples.count, by: count).map { sound.samples[$0] }
            let crossings = zip(samples, samples.dropFirst()).count { $0 < 0 && $1 >= 0 }
            #expect(abs(Double(crossings) - pitch / 2) <= 3 + pitch / 100, "channel \(channel)")
        }
    }

    private func refusal(_ bytes: [UInt8]) -> SoundFileError.Code? {
        do {
            _ = try SoundDecoder(MemorySource(bytes), maximumDuration: .seconds(30))
            return nil
        } catch {
            return error.code
        }
    }

    // Twice the limit was accepted.
    @Test(
        "30 s are not too long, and a frame more is",
        arguments: [("libvorbis", "a.ogg"), ("libopus", "a.opus"), ("flac", "a.flac")])
    func limit(_ codec: String, _ name: String) throws {
        let frames = 30 * 48_000
        let exact = try encode(codec, as: name, frames: frames)
        #expect(try SoundFiles.info(exact).frames == Int64(frames))
        #expect(refusal(exact) == nil)
        let longer = try encode(codec, as: name, frames: frames + 1)
        #expect(try SoundFiles.info(longer).frames == Int64(frames) + 1)
        #expect(refusal(longer) == .maximumDurationExceeded)
        guard codec == "flac" else { return }
        // Without a count in its header it is counted, no farther than the limit.
        #expect(refusal(uncounted(exact)) == nil)
        #expect(refusal(uncounted(longer)) == .maximumDurationExceeded)
        #expect(try SoundFiles.decode(uncounted(longer)).frames == frames + 1)
        #expect(try SoundFiles.decode(uncounted(longer)).shortfall == nil)
    }

    // It was read backwards for 12 s.
    @Test("a sparse file is refused after 64 MiB", arguments: [("libvorbis", "a.ogg"), ("libopus", "a.opus")])
    func sparse(_ codec: String, _ name: String) throws {
        struct Sparse: ByteSource {
            let bytes: [UInt8]
            let size: Int64 = 1 << 31
            let count: Count
            final class Count { var bytes = 0 }

            mutating func read(at offset: Int64, into buffer: inout MutableRawSpan) throws(SoundFileError) -> Int {
                guard offset < size else { return 0 }
                let length = Int(min(Int64(buffer.byteCount), size - offset))
                count.bytes += length
                buffer.withUnsafeMutableBytes { buffer in
                    buffer.initializeMemory(as: UInt8.self, repeating: 0)
                    let there = bytes.dropFirst(Int(offset)).prefix(length)
                    for (index, byte) in there.enumerated() { buffer[index] = byte }
                }
                return length
            }
        }
        // Without its last page, which would be its end.
        let whole = try encode(codec, as: name, frames: 96_000)
        let last = try #require(whole.indices.last { whole[$0...].starts(with: "OggS".utf8) })
        let source = Sparse(bytes: Array(whole[..<last]), count: Sparse.Count())
        let error = #expect(throws: SoundFileError.self) { try SoundFiles.info(source) }
        #expect(error?.code == .invalidHeader && error?.found == "none in 64 MiB", "\(String(describing: error))")
        #expect(source.count.bytes < 70 << 20)
    }

    @Test(
        "what was cut off, or has another stream behind it, is not taken for a whole sound",
        arguments: [("libvorbis", "a.ogg"), ("libopus", "a.opus")])
    func pages(_ codec: String, _ name: String) throws {
        let bytes = try encode(codec, as: name, frames: 96_000)
        let another = try encode(codec, as: name, frames: 4800)
        #expect(try SoundFiles.decode(bytes).shortfall == nil)
        #expect(try SoundFiles.info(bytes + [UInt8](repeating: 0, count: 100)).shortfall == nil)
        // Behind a short Opus file they had what comes before its sound be heard.
        for zeros in [1, 1000, 5000, 70_000] {
            let padding = [UInt8](repeating: 0, count: zeros)
            #expect(try SoundFiles.decode(another + padding) == SoundFiles.decode(another), "\(zeros)")
        }
        #expect(try SoundFiles.info(bytes + another).isTruncated)
        for cut in [bytes.count - 1, bytes.count * 3 / 4] {
            #expect(try SoundFiles.info(Array(bytes[..<cut])).isTruncated)
        }
    }

    // What was behind the first was left out without a word, where it was the same file, or FLAC.
    @Test(
        "a file behind itself, or another one with a tag between them, is not taken for a whole sound",
        arguments: [("libvorbis", "a.ogg"), ("libopus", "a.opus"), ("flac", "a.flac")], [480, 48_000])
    func chains(_ file: (codec: String, name: String), frames: Int) throws {
        let bytes = try encode(file.codec, as: file.name, frames: frames)
        let other = try encode(file.codec, as: file.name, frames: 4800)
        let tag = Array("TAG".utf8) + [UInt8](repeating: 0, count: 125)
        for behind in [bytes, tag + bytes, other, tag + other] {
            let sound = try SoundFiles.decode(bytes + behind)
            #expect(sound.shortfall?.reason == "the sound is damaged or incomplete: \(frames) frames could be read")
            #expect(sound.frames == frames)
        }
        for behind in [[], tag, [0, 0, 0], [UInt8](repeating: 0, count: 100_000)] {
            #expect(try SoundFiles.decode(bytes + behind).shortfall == nil, "\(behind.count)")
        }
        // In pieces, and to floating point.
        var decoder = try SoundDecoder(MemorySource(bytes + bytes))
        var span = [Float](repeating: 0, count: frames + 1)
        var output = span.mutableSpan
        #expect(try decoder.read(into: &output) == frames)
        #expect(try decoder.read(into: &output) == 0 && decoder.info.isTruncated)
    }

    private func uncounted(_ bytes: [UInt8]) -> [UInt8] {
        bytes[..<21] + [bytes[21] & 0xF0, 0, 0, 0, 0] + bytes[26...]
    }

    /// FLAC of noise, whose frames are longer than what the library reads at once.
    private func noise(
        _ source: String = "anoisesrc=d=1:r=48000:a=0.5:seed=1", _ options: [String] = ["-ac", "2"]
    ) throws -> [UInt8] {
        let folder = try Folder()
        try Oracle.ffmpeg.run(
            ["-v", "error", "-f", "lavfi", "-i", source, "-c:a", "flac"] + options + [folder.file("a.flac").path])
        return [UInt8](try Data(contentsOf: folder.file("a.flac")))
    }

    // A file made from a pipe was taken for whole, however short.
    @Test("FLAC without a count that was cut off is not taken for a whole sound")
    func cut() throws {
        for bytes in [try encode("flac", as: "a.flac", frames: 48_000), try noise()].map(uncounted) {
            let tag = Array("TAG".utf8) + [UInt8](repeating: 0, count: 125)
            for behind in [[], [0, 0, 0], [UInt8](repeating: 0, count: 700), tag] {
                let sound = try SoundFiles.decode(bytes + behind)
                #expect(sound.frames == 48_000 && sound.shortfall == nil, "\(behind.count)")
            }
            for length in [1, 2, 3, 5, 100, 1000, 5000, 8192, 9000] {
                let part = Array(bytes[..<(bytes.count - length)])
                let (info, sound) = (try SoundFiles.info(part), try SoundFiles.decode(part))
                #expect(info.isTruncated && info.frames == sound.frames && sound.frames < 48_000, "\(length)")
                #expect(
                    sound.shortfall?.reason
                        == "the sound is damaged or incomplete: \(sound.frames) frames could be read")
            }
        }
    }

    // The rest was lost behind the first damaged frame, and nobody was told where the header has no count.
    @Test("FLAC goes on behind damaged frames, and is not taken for a whole sound", arguments: [false, true])
    func damage(isCounted: Bool) throws {
        for whole in [try encode("flac", as: "a.flac", frames: 96_000), try noise()] {
            let bytes = isCounted ? whole : uncounted(whole)
            let frames = try SoundFiles.decode(bytes).frames
            for fault in ["a bit", "zeros", "a gap", "the first frame"] {
                var damaged = bytes
                let place = fault == "the first frame" ? 9000 : bytes.count / 3
                switch fault {
                case "zeros": for index in place..<place + 60 { damaged[index] = 0 }
                case "a gap": damaged.removeSubrange(place..<place + 300)
                default: damaged[place] ^= 0x41
                }
                let sound = try SoundFiles.decode(damaged)
                #expect(sound.shortfall != nil && sound.frames > frames * 3 / 4, "\(fault): \(sound.frames)")
                // What is behind the damage is there, at its end.
                let end = try SoundFiles.decode(bytes).samples.suffix(8000)
                #expect(sound.samples.suffix(8000) == end, "\(fault)")
                #expect(try isCounted || SoundFiles.info(damaged).isTruncated, "\(fault)")
            }
        }
    }

    // An error of the last 4096 frames was taken for that of something behind them.
    @Test("FLAC that is damaged near its end is not taken for a whole sound, and all its frames are there")
    func damageAtEnd() throws {
        let bytes = try noise("anoisesrc=d=0.08:r=8000:seed=1", ["-ac", "1", "-frame_size", "160"])
        let frames = bytes.indices.filter { bytes[$0...].starts(with: [0xFF, 0xF8]) }
        try #require(frames.count == 4 && bytes.last != 0)
        let tag = Array("TAG".utf8) + [UInt8](repeating: 0, count: 125)
        for behind in [[], tag] {
            for file in [bytes, uncounted(bytes)].map({ $0 + behind }) {
                #expect(try SoundFiles.decode(file).shortfall == nil)
                for frame in [1, 2] {
                    var damaged = file
                    damaged[frames[frame] + 100] ^= 0x41
                    let sound = try SoundFiles.decode(damaged)
                    #expect(sound.frames == 640, "\(frame)")
                    let reason = "the sound is damaged or incomplete: 640 frames could be read"
                    #expect(sound.shortfall?.reason == reason, "\(frame)")
                }
                var last = file
                last[frames[3] + 100] ^= 0x41
                #expect(try SoundFiles.decode(last).shortfall != nil)
            }
        }
        for behind in ["text", "a line\r\n"] {
            #expect(try SoundFiles.decode(bytes + Array(behind.utf8)).shortfall == nil, "\(behind)")
        }
    }

    // It was taken for one that was cut off: its last frame does not begin in the last 128 KiB.
    @Test("FLAC without a count whose frames are longer than 128 KiB is a whole sound")
    func longFrames() throws {
        let source = "anoisesrc=d=3:r=48000:a=0.9:seed=1,atrim=end_sample=131070"
        let bytes = try noise(source, ["-ac", "2", "-frame_size", "65535", "-compression_level", "0"])
        try #require(bytes.count > 2 * 150_000)
        let sound = try SoundFiles.decode(uncounted(bytes))
        #expect(sound.frames == 131_070 && sound.shortfall == nil)
    }

    @Test("a file of which no frame can be decoded is refused", arguments: ["flac", "libvorbis", "libopus"])
    func nothing(_ codec: String) throws {
        let name = ["flac": "a.flac", "libvorbis": "a.ogg"][codec] ?? "a.opus"
        let bytes = try encode(codec, as: name, frames: 4800)
        // Behind FLAC's headers, and the pages of Ogg's.
        let pages = bytes.indices.filter { bytes[$0...].starts(with: "OggS".utf8) }
        let start =
            codec == "flac" ? try #require(bytes.indices.first { bytes[$0...].starts(with: [0xFF, 0xF8]) }) : pages[2]
        for behind in [0, 1, 5000] {
            let file = Array(bytes[..<start]) + [UInt8](repeating: 0x55, count: behind)
            for file in codec == "flac" ? [file, uncounted(file)] : [file] {
                let error = #expect(throws: SoundFileError.self) { try SoundFiles.info(file) }
                #expect(
                    error != nil && (codec != "flac" || error?.code == .truncatedData), "\(String(describing: error))")
                #expect(throws: SoundFileError.self) { try SoundDecoder(MemorySource(file)) }
            }
        }
    }

    @Test("FLAC that goes on behind what its header counts is not taken for a whole sound")
    func counted() throws {
        var bytes = try encode("flac", as: "a.flac", frames: 48_000)
        bytes.replaceSubrange(22..<26, with: [0, 0, 0x7D, 0])
        let sound = try SoundFiles.decode(bytes)
        #expect(sound.frames == 32_000)
        #expect(sound.shortfall?.reason == "the sound is damaged or incomplete: 32000 frames could be read")
    }

    // libsndfile loses what it decoded of a frame behind a missing one if it is asked for less, and returns to a stream that had ended.
    @Test("a damaged sound has the same samples whole and in pieces of any length")
    func pieces() throws {
        let opus = try encode("libopus", as: "a.opus", frames: 9600)
        let flac = try encode("flac", as: "a.flac", frames: 1600, rate: 8000)
        let frames = flac.indices.filter { flac[$0...].starts(with: [0xFF, 0xF8]) }
        try #require(frames.count > 2)
        // Behind the sound its pages again, without the first one, of 47 bytes, which begins a stream.
        for bytes in [opus + opus[47...], Array(flac[..<frames[1]] + flac[frames[2]...])] {
            let whole = try SoundFiles.decode(bytes)
            #expect(try SoundFiles.info(bytes).frames >= whole.frames)
            for length in [1, 20, 97, 600, 5000] {
                var decoder = try SoundDecoder(MemorySource(bytes))
                var piece = [Int16](repeating: 0, count: length)
                var samples: [Int16] = []
                while case let count = try decoder.read(into: &piece), count > 0 { samples += piece[..<count] }
                #expect(samples == whole.samples, "in pieces of \(length)")
            }
        }
    }

    // It was an "unsupported codec", for good: a file that is being written can be read a moment later.
    @Test(
        "Ogg that is cut off within its headers is a part of a file, and one that is damaged there is not",
        arguments: [("libvorbis", "a.ogg"), ("libopus", "a.opus")])
    func cutHeaders(_ codec: String, _ name: String) throws {
        let bytes = try encode(codec, as: name, frames: 48_000)
        for count in [12, 30, 50, 100] + Array(stride(from: 200, to: bytes.count, by: 700)) {
            #expect([nil, .truncatedHeader, .truncatedData].contains(refusal(Array(bytes[..<count]))), "\(count)")
        }
        #expect(refusal(Array(bytes[..<100])) == .truncatedHeader)
        var damaged = bytes
        damaged.replaceSubrange(28..<36, with: repeatElement(0x55, count: 8))
        #expect(refusal(damaged) == .unsupportedCodec)
    }

    // It counted as a file that may still be being written, because a page of the sound follows the picture's last.
    @Test("a video in Ogg is an unsupported codec, and the beginning of one is a part of a file")
    func video() throws {
        let folder = try Folder()
        try Oracle.ffmpeg.run([
            "-v", "error", "-f", "lavfi", "-i", "testsrc=d=1:s=64x64", "-f", "lavfi", "-i", "sine=d=1",
            "-c:v", "libtheora", "-c:a", "libvorbis", folder.file("a.ogv").path,
        ])
        let bytes = [UInt8](try Data(contentsOf: folder.file("a.ogv")))
        #expect(refusal(bytes) == .unsupportedCodec)
        #expect(refusal(Array(bytes[..<(bytes.count / 2)])) == .truncatedHeader)
    }

    @Test("FLAC without whole headers is no unsupported codec")
    func cutFLAC() throws {
        let bytes = try encode("flac", as: "a.flac", frames: 48_000)
        #expect(refusal(Array(bytes[..<100])) == .invalidHeader)
    }

    // Found by the fuzzer: the headers were accepted, and decoding was refused.
    @Test("FLAC whose first block is not STREAMINFO is refused at its headers")
    func otherBlockFirst() throws {
        var bytes = try encode("flac", as: "a.flac", frames: 48_000)
        #expect(refusal(bytes) == nil)
        // A block of padding.
        bytes.insert(contentsOf: [1, 0, 0, 2, 0, 0], at: 4)
        let error = #expect(throws: SoundFileError.self) { try SoundFiles.info(bytes) }
        #expect(error?.code == .invalidHeader && error?.offset == 4)
        #expect(error?.found == "a block of type 1")
    }

    @Test("FLAC in Ogg is refused by a sentence that says which FLAC is read")
    func flacInOgg() throws {
        let bytes = try encode("flac", as: "a.oga", frames: 4800)
        let error = #expect(throws: SoundFileError.self) { try SoundFiles.info(bytes) }
        #expect(error?.code == .unsupportedCodec && error?.expected.contains("outside of Ogg") == true)
    }
}
