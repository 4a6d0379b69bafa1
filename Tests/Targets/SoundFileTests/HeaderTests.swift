import SoundFile
import Testing

@Suite("Headers")
struct HeaderTests {
    @Test("information takes few reads, however long the file")
    func infoIsIndependentOfLength() throws {
        var header = Array(FileBytes.caf([])[..<52])
        header += Array("data".utf8) + [0, 0, 0x20, 0, 0, 0, 0, 0] + [0, 0, 0, 0]
        let source = TestSource(header, size: 1 << 46)
        let info = try SoundFiles.info(source)
        #expect(info.frames == (1 << 44) - 2)
        #expect(!info.isTruncated)
        #expect(source.log.bytes < 12_000)
        // What was promised is never allocated: decoding goes piece by piece.
        var decoder = try SoundDecoder(source)
        var samples = [Int16](repeating: 1, count: 100)
        #expect(try decoder.read(into: &samples) == 100)
    }

    @Test(
        "a WAV file whose writer counted its headers as sound is whole; one that was cut off is not",
        arguments: [8, 44])
    func countedHeaders(_ excess: UInt8) throws {
        var file = FileBytes.wave([1, 2, 3, 4])
        file[40] += excess
        let info = try SoundFiles.info(file)
        #expect(info.frames == 4 && info.shortfall == nil)
        file[4] += excess
        #expect(try SoundFiles.info(file).isTruncated)
    }

    @Test("a size of 0 in front of a known chunk is no sound, even if that chunk was cut off")
    func emptyData() throws {
        let empty = FileBytes.wave([])
        for name in ["LIST", "id3 ", "fact", "bext", "cue "] {
            let error = #expect(throws: SoundFileError.self) {
                try SoundFiles.info(empty + Array("\(name)\u{64}\0\0\0INFO".utf8))
            }
            #expect(error?.code == .notASound && error?.found == "none", "\(name)")
        }
        #expect(try SoundFiles.info(empty + Array("text\u{64}\0\0\0INFO".utf8)).frames == 6)
    }

    // They were refused.
    @Test("a WAV sample takes as many bytes as its bits need, 64 bits included, if its block says something else")
    func widths() throws {
        let samples: [Int16] = [1, -2, 3000, 20_000, -32_768, 7]
        for (bits, width) in [(20, 3), (17, 3), (30, 4), (12, 2), (64, 8)] {
            for block in [0, 1, 2, 3, 5, 8, 16, 65535] where bits > 24 || block != 3 {
                let file = FileBytes()
                file.text("RIFF").little(UInt32(36 + 6 * width)).text("WAVEfmt ").little(UInt32(16)).little(UInt16(1))
                file.little(UInt16(1)).little(UInt32(8000)).little(UInt32(8000)).little(UInt16(block))
                file.little(UInt16(bits)).text("data").little(UInt32(6 * width))
                for sample in samples {
                    let bytes = [UInt8](repeating: 0, count: width - 2)
                    file.bytes += bytes + [UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8)]
                }
                #expect(try SoundFiles.decode(file.bytes).samples == samples, "\(bits) in \(block)")
                let floats = try SoundFiles.decodeFloat(file.bytes).samples
                #expect(floats == samples.map { Float($0) / 32_768 }, "\(bits) in \(block)")
            }
        }
        // RIFX and CAF, whose bytes are the other way round.
        for sign: Int64 in [1, -1] {
            let file = FileBytes().text("caff").big(UInt16(1)).big(UInt16(0)).text("desc").big(UInt64(32))
            file.big(8000.0.bitPattern).text("lpcm").big(UInt32(0)).big(UInt32(2)).big(UInt32(1)).big(UInt32(1))
            file.big(UInt32(64)).text("data").big(UInt64(12)).big(UInt32(0)).big(sign << 60)
            #expect(try SoundFiles.decode(file.bytes).samples == [Int16(sign << 12)])
        }
        for bits in [33, 40, 48, 56, 57, 60, 63, 65, 80, 65535] {
            var file = FileBytes.wave([1, 2, 3, 4])
            (file[34], file[35]) = (UInt8(bits & 255), UInt8(bits >> 8))
            let error = #expect(throws: SoundFileError.self) { try SoundFiles.info(file) }
            #expect(error?.code == .invalidHeader, "\(bits)")
        }
    }

    // One that ffmpeg made was refused as a notification's sound: it counts what fills up the last block.
    @Test("the least length of IMA in WAV is without what may fill up its last block, if all of that is counted")
    func filledBlock() throws {
        let sound = PCMBuffer(sampleRate: 8000, channels: 1, samples: [Int16](repeating: 5, count: 8000))
        var file = try SoundFiles.encode(sound, container: .wave, codec: .imaADPCM)
        #expect(try SoundFiles.info(file).minimumFrames == 8000)
        let fact = try #require(file.indices.first { file[$0...].starts(with: "fact".utf8) })
        let info = try SoundFiles.info(file)
        let present = info.frames + info.remainderFrames
        try #require(present > 8000 && present < 1 << 16)
        file.replaceSubrange(fact + 8..<fact + 12, with: [UInt8(present & 255), UInt8(present >> 8), 0, 0])
        let filled = try SoundFiles.info(file)
        #expect(filled.frames == present && filled.minimumFrames == present - Int64(info.framesPerPacket - 1))
    }

    // A sound of 32 s in two blocks of 16 s was taken for one of 16 s.
    @Test("the least length of IMA in long blocks is at most 4096 frames less, and no less if the last block is short")
    func longBlock() throws {
        func file(_ size: Int) -> [UInt8] {
            let file = FileBytes()
            file.text("RIFF").little(UInt32(36 + size)).text("WAVEfmt ").little(UInt32(16)).little(UInt16(0x11))
            file.little(UInt16(1)).little(UInt32(8000)).little(UInt32(4000)).little(UInt16(65_532)).little(UInt16(4))
            file.text("data").little(UInt32(size))
            return file.bytes + [UInt8](repeating: 0, count: size)
        }
        let whole = try SoundFiles.info(file(2 * 65_532))
        #expect(whole.frames == 262_114 && whole.minimumFrames == whole.frames - 4096)
        #expect(!whole.lasts(atMost: .seconds(30)))
        let short = try SoundFiles.info(file(65_532 + 1000))
        #expect(short.frames == 131_057 + 1993 && short.minimumFrames == short.frames)
    }

    @Test("CAF's samples of 24 bits may lie in packets of 4 bytes")
    func paddedPackets() throws {
        var file = FileBytes.caf([1, 0x100, 2, 0x200, -3, 0x300])
        (file[39], file[51]) = (4, 24)
        #expect(try SoundFiles.decode(file).samples == [1, 2, -3])
        // The data are no such packets.
        file.removeLast(2)
        #expect(try SoundFiles.info(file).frames == 3)
    }

    @Test("a source that says it is longer than it is costs an error, not memory")
    func lyingSource() throws {
        /// Ends long before its size.
        struct Lying: ByteSource {
            var source = TestSource(Array(FileBytes.caf([1, 2, 3], unknownSize: true)))
            let size: Int64 = 1 << 60

            mutating func read(at offset: Int64, into buffer: inout MutableRawSpan) throws(SoundFileError) -> Int {
                try source.read(at: offset, into: &buffer)
            }
        }
        #expect(try SoundFiles.info(Lying()).frames > 1 << 58)
        let error = #expect(throws: SoundFileError.self) { try SoundFiles.decode(Lying()) }
        #expect(error?.code == .readFailed)
        #expect(error?.found == "the end of the source")
    }

    // Used to trap: the frames of the largest sparse file overflowed 64 bits.
    @Test("the largest size that a source can claim is counted", arguments: [SoundCodec.ima4, .uLaw])
    func largestSource(_ codec: SoundCodec) throws {
        var file = try SoundFiles.encode(
            PCMBuffer(sampleRate: 8000, channels: 1, samples: [1, 2, 3]), container: .caf, codec: codec)
        // The data chunk lasts to the end of the file.
        let end = Int(try SoundFiles.info(file).dataOffset) - 4
        for index in end - 8..<end { file[index] = 0xFF }
        let info = try SoundFiles.info(TestSource(file, size: .max))
        #expect(info.frames + info.remainderFrames > 1 << 58)
    }

    @Test("every byte of G.711 stays the same sample, decoded and encoded again", arguments: [SoundCodec.uLaw, .aLaw])
    func companding(_ codec: SoundCodec) throws {
        var file = try SoundFiles.encode(
            PCMBuffer(sampleRate: 8000, channels: 1, samples: [Int16](repeating: 0, count: 256)), container: .caf,
            codec: codec)
        let offset = Int(try SoundFiles.info(file).dataOffset)
        for code in 0..<256 { file[offset + code] = UInt8(code) }
        let samples = try SoundFiles.decode(file)
        let again = try SoundFiles.encode(samples, container: .caf, codec: codec)
        #expect(try SoundFiles.decode(again) == samples)
        // No sample is farther from its own than half a step of its segment, a 32nd of it with u-law's bias of 132.
        let all = PCMBuffer(sampleRate: 8000, channels: 1, samples: Array(Int16.min...Int16.max))
        let near = try SoundFiles.decode(SoundFiles.encode(all, container: .caf, codec: codec))
        let isNear = zip(all.samples, near.samples).allSatisfy { sample, decoded in
            abs(Int(decoded) - Int(sample)) <= max(8, (abs(Int(sample)) + 132) / 32) + 1
        }
        #expect(isNear)
    }

    @Test("chunks may come in any order in AIFF, with odd sizes between")
    func aiffOrder() throws {
        let file = FileBytes()
        file.text("FORM").big(UInt32(0)).text("AIFF")
        file.text("NAME").big(UInt32(5)).text("Chime\0")
        file.text("SSND").big(UInt32(8 + 3 + 3)).big(UInt32(3)).big(UInt32(0)).text("xxx")
        file.big(UInt8(1)).big(UInt8(2)).big(UInt8(0xFF))
        file.text("????").big(UInt32(1)).text("z\0")
        file.text("COMM").big(UInt32(18)).big(UInt16(1)).big(UInt32(3)).big(UInt16(8))
        file.big(UInt16(16396)).big(UInt64(11025) << 50)
        let bytes = file.bytes
        let info = try SoundFiles.info(bytes)
        #expect(info.sampleRate == 11025)
        #expect(info.tags == [SoundTag(key: "NAME", value: "Chime")])
        #expect(info.chunks.map(\.id) == ["NAME", "SSND", "????", "COMM"])
        #expect(try SoundFiles.decode(bytes).samples == [256, 512, -256])
    }

    @Test("80-bit rates are read to the last bit, fractions included")
    func extendedRates() throws {
        for rate in [1.0, 8000, 11025, 22254.54545454545, 44100, 48000, 192_000, 1_536_000] {
            let file = try SoundFiles.encode(
                PCMBuffer(sampleRate: rate, channels: 1, samples: [1]), container: .aiff,
                codec: .linearPCM(LinearPCM(.signedInteger, bytesPerSample: 2, byteOrder: .big)))
            #expect(try SoundFiles.info(file).sampleRate == rate)
        }
    }

    @Test(
        "sizes of 0 and -1 from streaming writers mean to the end",
        arguments: ["streamed.caf", "streamed.aiff", "streamed.wav"])
    func streamed(_ name: String) throws {
        let info = try SoundFiles.info(Corpus.bytes(name))
        #expect(info.frames == 70)
        #expect(!info.isTruncated)
        #expect(info.chunks.last?.size == nil)
        var wave = FileBytes.wave([1, 2, 3])
        for size: [UInt8] in [[0, 0, 0, 0], [255, 255, 255, 255]] {
            wave.replaceSubrange(4..<8, with: size)
            wave.replaceSubrange(40..<44, with: size)
            #expect(try SoundFiles.decode(wave).samples == [1, 2, 3])
        }
    }

    @Test("what follows the end of RIFF is not the sound's")
    func trailingJunk() throws {
        let wave = FileBytes.wave([1, 2, 3])
        #expect(try SoundFiles.decode(wave + Array("junk and more junk".utf8)).samples == [1, 2, 3])
        #expect(try SoundFiles.decode(wave + [0]).samples == [1, 2, 3])
        #expect(try SoundFiles.info(wave + Array("TAG".utf8)).chunks.count == 2)
    }

    @Test("AIFF-C of IMA4 that lasts 30 s is not refused for the filling of its last packet")
    func filledPacket() throws {
        func silence(_ frames: Int, in container: SoundContainer) throws -> [UInt8] {
            let sound = PCMBuffer(sampleRate: 100, channels: 1, samples: [Int16](repeating: 0, count: frames))
            return try SoundFiles.encode(sound, container: container, codec: .ima4)
        }
        let filled = try silence(3000, in: .aifc)
        #expect(try SoundFiles.info(filled).frames == 3008)
        #expect(try SoundFiles.decode(filled, maximumDuration: .seconds(30)).frames == 3008)
        let longer = try silence(3009, in: .aifc)
        #expect(throws: SoundFileError.self) { try SoundFiles.decode(longer, maximumDuration: .seconds(30)) }
        // CAF's packet table leaves nothing open.
        #expect(try SoundFiles.info(silence(3000, in: .caf)).duration == .seconds(30))
        #expect(try !SoundFiles.info(silence(3001, in: .caf)).lasts(atMost: .seconds(30)))
    }

    @Test("texts are returned with their keys")
    func tags() throws {
        #expect(try SoundFiles.info(Corpus.bytes("tagged.caf")).tags.contains(SoundTag(key: "title", value: "Chime")))
        #expect(try SoundFiles.info(Corpus.bytes("tagged.wav")).tags.contains(SoundTag(key: "INAM", value: "Chime")))
    }

    @Test("valid bits fewer than the container's are read at its top", arguments: [12, 20])
    func validBits(_ bits: Int) throws {
        let width = (bits + 7) / 8
        let format = LinearPCM(.signedInteger, bytesPerSample: width, bits: bits, byteOrder: .little)
        let sound = PCMBuffer(sampleRate: 8000, channels: 3, samples: [16, -16, 32752, -32768, 0, 256])
        let file = try SoundFiles.encode(sound, container: .wave, codec: .linearPCM(format))
        #expect(try SoundFiles.info(file).bits == bits)
        #expect(try SoundFiles.info(file).channelLayout?.bitmap == 7)
        #expect(try SoundFiles.decode(file).samples == sound.samples)
    }

    @Test("a step index beyond the table is taken for its end")
    func stepIndex() throws {
        var file = Corpus.bytes("ima-mono.wav")
        let offset = Int(try SoundFiles.info(file).dataOffset)
        file[offset + 2] = 255
        let high = try SoundFiles.decode(file)
        file[offset + 2] = 88
        #expect(try SoundFiles.decode(file) == high)
    }

    @Test("floating-point samples are rounded half to even, saturate, and are silent where they are no numbers")
    func rounding() throws {
        let values: [Float] = [0.5 / 32768, 1.5 / 32768, -0.5 / 32768, -2.5 / 32768, 1, -1, 2, -.infinity, .nan]
        let buffer = FloatPCMBuffer(sampleRate: 8000, channels: 1, samples: values)
        let file = try SoundFiles.encode(
            buffer, container: .caf, codec: .linearPCM(LinearPCM(.float, bytesPerSample: 4, byteOrder: .little)))
        let expected: [Int16] = [0, 2, 0, -2, 32767, -32768, 32767, -32768, 0]
        #expect(try SoundFiles.decode(file).samples == expected)
        let integers = try SoundFiles.encode(
            buffer, container: .caf, codec: .linearPCM(LinearPCM(.signedInteger, bytesPerSample: 2, byteOrder: .big)))
        #expect(try SoundFiles.decode(integers).samples == expected)
    }

    @Test(
        "each of six channels of ADPCM is what it is alone",
        arguments: [(SoundContainer.caf, SoundCodec.ima4), (.aifc, .ima4), (.wave, .imaADPCM)])
    func manyChannels(_ container: SoundContainer, _ codec: SoundCodec) throws {
        let frames = 700
        let samples = TestSound.music.int16(frames: frames, channels: 6, sampleRate: 8000)
        let together = try SoundFiles.decode(
            SoundFiles.encode(
                PCMBuffer(sampleRate: 8000, channels: 6, samples: samples), container: container, codec: codec))
        for channel in 0..<6 {
            let own = (0..<frames).map { samples[$0 * 6 + channel] }
            let alone = try SoundFiles.decode(
                SoundFiles.encode(
                    PCMBuffer(sampleRate: 8000, channels: 1, samples: own), container: container, codec: codec))
            #expect(alone.samples == (0..<together.frames).map { together.samples[$0 * 6 + channel] })
        }
    }
}
