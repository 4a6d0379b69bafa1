import SoundFile
import Testing

@Suite("Damaged files")
struct DamagedFileTests {
    @Test("there is a sample file of every kind")
    func corpus() throws {
        #expect(Corpus.files.count >= 43)
        for (name, bytes) in Corpus.files {
            let info = try SoundFiles.info(bytes)
            #expect(info.frames > 0, "\(name)")
            #expect(!info.isTruncated, "\(name)")
        }
    }

    @Test("cut off anywhere, a file is refused or gives the beginning of its sound", arguments: Corpus.names)
    func truncations(_ name: String) throws {
        let bytes = Corpus.bytes(name)
        let whole = try SoundFiles.decode(bytes)
        let info = try SoundFiles.info(bytes)
        for length in 0..<bytes.count {
            let part = Array(bytes[..<length])
            guard let decoded = try? SoundFiles.decode(part) else {
                #expect(length < info.dataOffset + info.dataSize, "\(length) bytes were refused")
                continue
            }
            // What the decoder makes of an incomplete last frame of MP3 is its own matter.
            let surely = decoded.samples.dropLast(name.hasSuffix(".mp3") ? 1152 * decoded.channels : 0)
            #expect(whole.samples.starts(with: surely), "\(length) bytes")
            // If the header leaves the length open, the truncation cannot be detected.
            if decoded.frames < whole.frames, !name.hasPrefix("streamed") {
                #expect(try SoundFiles.info(part).isTruncated, "\(length) bytes")
            }
        }
    }

    @Test(
        "with any byte of the first 256 changed, a file is decoded or refused, alike in whole and in pieces",
        arguments: Corpus.names)
    func flips(_ name: String) throws {
        var bytes = Corpus.bytes(name)
        for place in 0..<min(256, bytes.count) {
            for mask: UInt8 in [0xFF, 0x80, 0x01] {
                bytes[place] ^= mask
                defer { bytes[place] ^= mask }
                guard let whole = try? SoundFiles.decode(bytes) else {
                    #expect(throws: SoundFileError.self) { try SoundFiles.info(bytes) }
                    continue
                }
                // The smallest frames of MP3 are 24 bytes, of 1152 samples.
                #expect(whole.samples.count <= (name.hasSuffix(".mp3") ? 48 : 2) * bytes.count + 32_768)
                #expect(try SoundFiles.info(bytes).frames == Int64(whole.frames))
            }
        }
    }

    @Test("a piecewise decoder gives the same samples whatever the pieces", arguments: Corpus.names)
    func pieces(_ name: String) throws {
        let bytes = Corpus.bytes(name)
        let whole = try SoundFiles.decode(bytes)
        for size in [1, 2, 7, 8, 9, 63, 64, 65, 1000] {
            var decoder = try SoundDecoder(TestSource(bytes, step: size * 3))
            var piece = [Int16](repeating: 0, count: size * whole.channels)
            var samples: [Int16] = []
            while case let frames = try decoder.read(into: &piece), frames > 0 {
                samples += piece[..<(frames * whole.channels)]
            }
            #expect(samples == whole.samples, "pieces of \(size) frames")
            #expect(decoder.position == decoder.info.frames)
        }
    }

    @Test("floating-point samples are the 16-bit ones where there are no more bits", arguments: Corpus.names)
    func floats(_ name: String) throws {
        let bytes = Corpus.bytes(name)
        let info = try SoundFiles.info(bytes)
        guard info.bits <= 16 else { return }
        let floats = try SoundFiles.decodeFloat(bytes)
        #expect(floats.samples == (try SoundFiles.decode(bytes).samples.map { Float($0) / 32768 }))
    }
}
