import SoundFile
import Testing

@Suite("Bad files are refused with what was expected, what was found and where")
struct RefusalTests {
    /// Changes bytes of a file at a place.
    private func changed(_ bytes: [UInt8], at place: Int, to new: [UInt8]) -> [UInt8] {
        var bytes = bytes
        bytes.replaceSubrange(place..<place + new.count, with: new)
        return bytes
    }

    private func expect(
        _ bytes: [UInt8], _ code: SoundFileError.Code, at offset: Int64?, found: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let error = #expect(throws: SoundFileError.self, sourceLocation: sourceLocation) { try SoundFiles.info(bytes) }
        #expect(error?.code == code, sourceLocation: sourceLocation)
        #expect(error?.offset == offset, sourceLocation: sourceLocation)
        if let found { #expect(error?.found == found, sourceLocation: sourceLocation) }
        #expect(error.map { "\($0)".contains("expected") } == true, sourceLocation: sourceLocation)
    }

    private let wave = FileBytes.wave([1, 2, 3, 4])
    private let caf = FileBytes.caf([1, 2, 3, 4])

    @Test("what is not a sound, or nothing at all")
    func notASound() {
        expect([], .notASound, at: 0, found: "an empty file")
        expect(Array("%PDF-1.4 and so on".utf8), .notASound, at: 0, found: "'%PDF'")
        expect(changed(wave, at: 8, to: Array("AVI ".utf8)), .notASound, at: 8, found: "'AVI '")
        expect(Array("FORM\0\0\0\u{4}ILBM".utf8), .notASound, at: 8, found: "'ILBM'")
        expect(changed(caf, at: 4, to: [0, 2]), .invalidHeader, at: 4, found: "2")
    }

    @Test("a codec that is not read here")
    func codec() {
        expect(changed(wave, at: 20, to: [0x50, 0]), .unsupportedCodec, at: 20, found: "80")
        expect(changed(wave, at: 20, to: [0x55, 0]), .notASound, at: 44, found: "other bytes")
        expect(changed(caf, at: 28, to: Array("aac ".utf8)), .unsupportedCodec, at: 28, found: "'aac '")
    }

    @Test("no rate, or one beyond reason")
    func rate() {
        expect(changed(wave, at: 24, to: [0, 0, 0, 0]), .invalidHeader, at: 24, found: "0.0")
        expect(changed(wave, at: 24, to: [255, 255, 255, 255]), .invalidHeader, at: 24)
        expect(changed(caf, at: 20, to: [0x7F, 0xF8, 0, 0, 0, 0, 0, 0]), .invalidHeader, at: 20, found: "nan")
        expect(changed(caf, at: 20, to: [0xFF, 0xF0, 0, 0, 0, 0, 0, 0]), .invalidHeader, at: 20, found: "-inf")
    }

    @Test("no channels, or too many")
    func channels() {
        expect(changed(wave, at: 22, to: [0, 0]), .invalidHeader, at: 22, found: "0")
        expect(changed(wave, at: 22, to: [1, 1]), .invalidHeader, at: 22, found: "257")
        expect(changed(caf, at: 44, to: [0xFF, 0xFF, 0xFF, 0xFF]), .invalidHeader, at: 44)
    }

    @Test("blocks that do not fit their samples")
    func blocks() {
        // 16 bits of one channel have two bytes, whatever else is written.
        #expect((try? SoundFiles.decode(changed(wave, at: 32, to: [0, 0])).samples) == [1, 2, 3, 4])
        expect(changed(wave, at: 34, to: [0, 0]), .invalidHeader, at: 32)
        expect(changed(caf, at: 36, to: [0, 0, 0, 0]), .invalidHeader, at: 48)
        #expect((try? SoundFiles.decode(changed(caf, at: 40, to: [0, 0, 0, 0])).samples) == [1, 2, 3, 4])
        let ima = Corpus.bytes("ima-mono.wav")
        // The block's size says how many frames it has, whatever else is written.
        for count: [UInt8] in [[0, 0], [1, 0], [2, 0], [255, 255]] {
            let samples = try? SoundFiles.decode(changed(ima, at: 38, to: count)).samples
            #expect(samples != nil && samples == (try? SoundFiles.decode(ima).samples), "\(count)")
        }
        expect(changed(ima, at: 32, to: [3, 0]), .invalidHeader, at: 32, found: "3")
    }

    // It was converted to a file of the same kind, and an alert of it was only felt.
    @Test(
        "what has no frame of sound: of every container and codec, cut off before the first one, or with none counted")
    func withoutFrames() throws {
        for name in Corpus.names where !name.hasSuffix(".mp3") {
            let (bytes, info) = (Corpus.bytes(name), try SoundFiles.info(Corpus.bytes(name)))
            // A file that leaves the size open does not say that something is missing.
            let code = name.hasPrefix("streamed") ? SoundFileError.Code.notASound : .truncatedData
            expect(Array(bytes[..<Int(info.dataOffset)]), code, at: info.dataOffset, found: "none")
        }
        let empty = PCMBuffer(sampleRate: 8000, channels: 2, samples: [])
        for (container, codec) in [
            (SoundContainer.wave, SoundCodec.uLaw), (.caf, .ima4), (.aifc, .ima4), (.rf64, .imaADPCM),
            (.aiff, Self.big),
        ] {
            let file = try SoundFiles.encode(empty, container: container, codec: codec)
            let error = #expect(throws: SoundFileError.self) { try SoundFiles.decode(file) }
            #expect(error?.code == .notASound && error?.found == "none", "\(container)")
        }
        // Its table counts none of the frames that are there.
        let sound = PCMBuffer(sampleRate: 8000, channels: 1, samples: [Int16](repeating: 5, count: 100))
        let file = try SoundFiles.encode(sound, container: .caf, codec: .ima4)
        let info = try SoundFiles.info(file)
        let table = Int(try #require(info.chunks.first { $0.id == "pakt" }).offset)
        expect(changed(file, at: table + 15, to: [0]), .notASound, at: info.dataOffset)
    }

    private static let big = SoundCodec.linearPCM(LinearPCM(.signedInteger, bytesPerSample: 2, byteOrder: .big))

    @Test("a header that the file ends in")
    func truncated() {
        expect(Array(wave[..<8]), .truncatedHeader, at: 8)
        expect(Array(wave[..<30]), .chunkTooLong, at: 20)
        expect(Array(wave[..<36]), .missingChunk, at: 36)
        expect(Array(caf[..<15]), .truncatedHeader, at: 12)
        expect(Array(caf[..<52]), .missingChunk, at: 52)
    }

    @Test("a chunk longer than the file, before the sound")
    func longChunk() {
        expect(changed(wave, at: 16, to: [255, 255, 255, 127]), .chunkTooLong, at: 20)
        expect(changed(caf, at: 12, to: [0x7F, 255, 255, 255, 255, 255, 255, 255]), .chunkTooLong, at: 20)
        expect(changed(caf, at: 12, to: [0x80, 0, 0, 0, 0, 0, 0, 0]), .invalidHeader, at: 12)
    }

    @Test("a packet table that lies")
    func packetTable() throws {
        let sound = PCMBuffer(sampleRate: 8000, channels: 1, samples: [Int16](repeating: 5, count: 100))
        let file = try SoundFiles.encode(sound, container: .caf, codec: .ima4)
        let table = Int(try #require(try SoundFiles.info(file).chunks.first { $0.id == "pakt" }).offset)
        #expect(try SoundFiles.info(file).frames == 100)
        let minusOne = [UInt8](repeating: 255, count: 8)
        expect(changed(file, at: table, to: minusOne), .invalidPacketTable, at: Int64(table), found: "-1")
        expect(changed(file, at: table + 7, to: [3]), .invalidPacketTable, at: Int64(table), found: "3")
        expect(changed(file, at: table, to: [0x7F] + minusOne[1...]), .invalidPacketTable, at: Int64(table))
        expect(changed(file, at: table + 15, to: [129]), .invalidPacketTable, at: Int64(table + 8))
        expect(changed(file, at: table + 8, to: minusOne), .invalidPacketTable, at: Int64(table + 8), found: "-1")
        expect(changed(file, at: table + 16, to: [255]), .invalidPacketTable, at: Int64(table + 16))
        expect(changed(file, at: table + 20, to: [255]), .invalidPacketTable, at: Int64(table + 20))
        // A table that counts no packets means those of the data; its frames have to fit there all the same.
        let uncounted = changed(file, at: table + 7, to: [0])
        #expect(try SoundFiles.decode(uncounted).samples == SoundFiles.decode(file).samples)
        expect(changed(uncounted, at: table + 15, to: [129]), .invalidPacketTable, at: Int64(table + 8))
        // Priming and valid frames that fit are believed.
        let primed = changed(changed(file, at: table + 15, to: [90]), at: table + 19, to: [10])
        let info = try SoundFiles.info(primed)
        #expect(info.frames == 90)
        #expect(info.primingFrames == 10)
        #expect(try SoundFiles.decode(primed).samples == Array(SoundFiles.decode(file).samples[10...]))
    }

    @Test("a file of nothing but chunks")
    func manyChunks() {
        var file = Array("RIFF\0\0\0\0WAVE".utf8)
        for _ in 0..<600 { file += Array("junk\0\0\0\0".utf8) }
        expect(file, .tooManyChunks, at: 12 + 8 * 512 + 8)
    }

    // 256 channels took 8 MiB, before a single byte of sound was read.
    @Test("no header has more than 64 KiB taken at once", arguments: [1, 2, 255, 256])
    func memory(channels: Int) throws {
        let samples = [Int16](repeating: 3, count: 40_000 * channels)
        let sound = PCMBuffer(sampleRate: 8000, channels: channels, samples: samples)
        for codec in [SoundCodec.linearPCM(LinearPCM(.signedInteger, bytesPerSample: 2, byteOrder: .little)), .uLaw] {
            let source = TestSource(try SoundFiles.encode(sound, container: .wave, codec: codec))
            #expect(try SoundFiles.decode(source).samples.count == samples.count)
            #expect(source.log.most <= 65_536)
        }
    }

    @Test("a source that fails passes its error on")
    func brokenSource() throws {
        var source = TestSource(wave)
        source.failsAt = 46
        var decoder = try SoundDecoder(source)
        var samples = [Int16](repeating: 0, count: 4)
        // The first reads succeed up to the bad place; a read from there does not.
        source.failsAt = 40
        var broken = try? SoundDecoder(source)
        let error = #expect(throws: SoundFileError.self) { _ = try broken?.read(into: &samples) }
        #expect(error?.code == .readFailed)
        #expect(error?.underlying is TestSource.Broken)
        #expect(try decoder.read(into: &samples) == 4)
    }
}
