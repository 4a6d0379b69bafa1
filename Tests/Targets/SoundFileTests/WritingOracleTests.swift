import Foundation
import SoundFile
import Testing

/// A file that we write, for other programs to read.
struct WrittenByUs: Sendable, CustomTestStringConvertible {
    let container: SoundContainer
    let codec: SoundCodec
    let readers: [Oracle]
    let frames: Int
    let channels: Int
    let rate: Double

    var testDescription: String { "\(codec) in \(container.rawValue), \(frames) frames, \(channels) ch, \(rate) Hz" }

    private static func pcm(_ kind: LinearPCM.Kind, _ bytes: Int, _ order: LinearPCM.ByteOrder) -> SoundCodec {
        .linearPCM(LinearPCM(kind, bytesPerSample: bytes, byteOrder: order))
    }

    static let all: [WrittenByUs] = {
        var cases: [WrittenByUs] = []
        let shapes: [(frames: Int, channels: Int, rate: Double)] = [
            (1, 1, 8000), (63, 2, 11_025), (64, 1, 22_050), (65, 6, 44_100), (1000, 2, 48_000), (4801, 1, 96_000),
            (2500, 6, 192_000),
        ]
        var turn = 0
        func add(_ container: SoundContainer, _ codec: SoundCodec, _ readers: [Oracle], atMost channels: Int = 6) {
            for _ in 0..<3 {
                repeat { turn += 1 } while shapes[turn % shapes.count].channels > channels
                let shape = shapes[turn % shapes.count]
                cases.append(
                    WrittenByUs(
                        container: container, codec: codec, readers: readers, frames: shape.frames,
                        channels: shape.channels, rate: shape.rate))
            }
        }
        for order in [LinearPCM.ByteOrder.big, .little] {
            add(.caf, pcm(.signedInteger, 2, order), [.ffmpeg, .sndfile, .sox])
            add(.caf, pcm(.signedInteger, 3, order), [.ffmpeg, .sndfile])
            add(.caf, pcm(.signedInteger, 4, order), [.ffmpeg, .sndfile])
            add(.caf, pcm(.float, 4, order), [.ffmpeg])
            add(.caf, pcm(.float, 8, order), [.ffmpeg])
        }
        add(.caf, pcm(.signedInteger, 1, .big), [.ffmpeg, .sndfile])
        add(.caf, .uLaw, [.ffmpeg, .sndfile])
        add(.caf, .aLaw, [.ffmpeg, .sndfile])
        add(.caf, .ima4, [.ffmpeg], atMost: 2)
        for bytes in 1...4 {
            add(.aiff, pcm(.signedInteger, bytes, .big), [.ffmpeg, .sndfile] + (bytes < 3 ? [.sox] : []))
        }
        add(.aifc, pcm(.signedInteger, 2, .big), [.ffmpeg, .sndfile, .sox])
        add(.aifc, pcm(.signedInteger, 2, .little), [.ffmpeg, .sndfile, .sox])
        add(.aifc, pcm(.signedInteger, 3, .little), [.sndfile])
        add(.aifc, pcm(.unsignedInteger, 1, .big), [.ffmpeg, .sndfile])
        add(.aifc, pcm(.float, 4, .big), [.ffmpeg])
        add(.aifc, pcm(.float, 8, .big), [.ffmpeg])
        add(.aifc, .uLaw, [.ffmpeg, .sndfile])
        add(.aifc, .aLaw, [.ffmpeg, .sndfile])
        add(.aifc, .ima4, [.ffmpeg], atMost: 2)
        for container in [SoundContainer.wave, .rf64] {
            // sox does not know RF64.
            let sox: [Oracle] = container == .wave ? [.sox] : []
            add(container, pcm(.unsignedInteger, 1, .big), [.ffmpeg, .sndfile] + sox)
            add(container, pcm(.signedInteger, 2, .little), [.ffmpeg, .sndfile] + sox)
            for bytes in 3...4 { add(container, pcm(.signedInteger, bytes, .little), [.ffmpeg, .sndfile]) }
            for bytes in [4, 8] { add(container, pcm(.float, bytes, .little), [.ffmpeg]) }
            add(container, .uLaw, [.ffmpeg, .sndfile] + sox)
            add(container, .aLaw, [.ffmpeg, .sndfile] + sox)
        }
        // sox reads RIFX, but not with more than two channels as libsndfile does.
        add(.wave, .imaADPCM, [.sndfile, .sox], atMost: 2)
        for bytes in 2...4 { add(.rifx, pcm(.signedInteger, bytes, .big), [.sndfile]) }
        return cases
    }()
}

@Suite("Files that we write")
struct WritingOracleTests {
    @Test(
        "are read by other programs as what went in, sample for sample",
        .enabled(if: Oracle.present(.ffmpeg, .sox, .sndfile), "ffmpeg, sox or sndfile-convert is not installed"),
        arguments: WrittenByUs.all)
    func writing(_ written: WrittenByUs) throws {
        let folder = try Folder()
        let wide = TestSound.noise.samples(frames: written.frames, channels: written.channels, sampleRate: written.rate)
        var encoder = try SoundEncoder(
            MemorySink(), container: written.container, codec: written.codec, sampleRate: written.rate,
            channels: written.channels)
        let samples = wide.map { Double($0) / 2_147_483_648 }
        // In two parts, as a program that does not have it all at once would.
        let half = written.frames / 2 * written.channels
        try encoder.write(samples.span.extracting(0..<half))
        try encoder.write(samples.span.extracting(half..<samples.count))
        let bytes = try encoder.finish().bytes
        let file = try folder.write(
            bytes,
            "ours.\(written.container == .caf ? "caf" : written.container == .aiff ? "aiff" : written.container == .aifc ? "aifc" : "wav")"
        )

        let ours = try SoundFiles.decode(bytes)
        #expect(ours.channels == written.channels)
        #expect(ours.sampleRate == written.rate)
        let isPacked = written.codec == .ima4 || written.codec == .imaADPCM
        #expect(written.container == .aifc && isPacked || ours.frames == written.frames)
        func compare<Sample: Equatable>(_ ours: [Sample], _ theirs: [Sample], _ reader: Oracle) {
            // Neither ffmpeg nor the readers of WAV's IMA trim the filling of the last packet.
            expectSame(ours, isPacked ? Array(theirs.prefix(ours.count)) : theirs, reader)
        }
        for reader in written.readers where reader != .ffmpeg {
            compare(ours.samples, try reader.int16(file, in: folder), reader)
        }
        if written.readers.contains(.ffmpeg) {
            let theirs = try Oracle.ffmpegSamples(file, in: folder)
            compare(ours.samples, theirs.int16, .ffmpeg)
            compare(try SoundFiles.decodeFloat(bytes).samples, theirs.float, .ffmpeg)
        }
        // What went in is what the file has, as far as its bits go.
        if case .linearPCM(let format) = written.codec, format.kind != .float {
            var decoder = try SoundDecoder(MemorySource(bytes))
            var exact = [Double](repeating: 0, count: samples.count)
            var span = exact.mutableSpan
            _ = try decoder.read(into: &span)
            let scale = Double(Int64(1) << Int64(format.bits - 1))
            let expected = samples.map { min(($0 * scale).rounded(.toNearestOrEven), scale - 1) / scale }
            expectSame(exact, expected, .ffmpeg)
            if written.readers.contains(.sndfile) {
                expectSame(
                    expected.map { Int32($0 * 2_147_483_648) }, try Oracle.sndfile.int32(file, in: folder), .sndfile)
            }
        }
    }

    @Test(
        "in IMA4 are no noisier than ffmpeg's, as ffmpeg decodes both",
        .enabled(if: Oracle.present(.ffmpeg), "ffmpeg is not installed"), arguments: TestSound.allCases, [1, 2])
    func ima4Noise(_ sound: TestSound, _ channels: Int) throws {
        let folder = try Folder()
        let source = try Source(sound, channels, folder)
        let theirs = folder.file("theirs.caf")
        try Oracle.ffmpeg.run(["-v", "error", "-i", source.file.path, "-c:a", "adpcm_ima_qt", theirs.path])
        let ours = try folder.write(SoundFiles.encode(source.buffer, container: .caf, codec: .ima4), "ours.caf")
        let ourNoise = source.noise(in: try Oracle.ffmpeg.int16(ours, in: folder))
        let theirNoise = source.noise(in: try Oracle.ffmpeg.int16(theirs, in: folder))
        #expect(ourNoise <= theirNoise)
        print(
            "IMA4 \(sound) \(channels) ch: ours \(source.ratio(ourNoise)) dB, ffmpeg's \(source.ratio(theirNoise)) dB")
    }

    @Test(
        "in WAV's IMA ADPCM are no noisier than ffmpeg's and sox's, as sox decodes them",
        .enabled(if: Oracle.present(.ffmpeg, .sox), "ffmpeg or sox is not installed"), arguments: TestSound.allCases,
        [1, 2])
    func imaNoise(_ sound: TestSound, _ channels: Int) throws {
        let folder = try Folder()
        let source = try Source(sound, channels, folder)
        let ours = try folder.write(SoundFiles.encode(source.buffer, container: .wave, codec: .imaADPCM), "ours.wav")
        let ourNoise = source.noise(in: try Oracle.sox.int16(ours, in: folder))
        let ffmpegs = folder.file("ffmpegs.wav")
        try Oracle.ffmpeg.run(["-v", "error", "-i", source.file.path, "-c:a", "adpcm_ima_wav", ffmpegs.path])
        let ffmpegNoise = source.noise(in: try Oracle.sox.int16(ffmpegs, in: folder))
        let soxs = folder.file("soxs.wav")
        try Oracle.sox.run([source.file.path, "-e", "ima-adpcm", soxs.path])
        let soxNoise = source.noise(in: try Oracle.sox.int16(soxs, in: folder))
        #expect(ourNoise <= ffmpegNoise)
        #expect(ourNoise <= soxNoise)
        print(
            "IMA \(sound) \(channels) ch: ours \(source.ratio(ourNoise)) dB, ffmpeg's \(source.ratio(ffmpegNoise)) dB, "
                + "sox's \(source.ratio(soxNoise)) dB")
    }

    /// A second of a sound, and how far decoded samples are from it.
    private struct Source {
        let buffer: PCMBuffer
        let file: URL

        init(_ sound: TestSound, _ channels: Int, _ folder: Folder) throws {
            let samples = sound.int16(frames: 44_100, channels: channels, sampleRate: 44_100)
            buffer = PCMBuffer(sampleRate: 44_100, channels: channels, samples: samples)
            file = try folder.write(
                FileBytes.wave(samples, sampleRate: 44_100, channels: UInt16(channels)), "source.wav")
        }

        /// The sum of squared errors over the sound's length.
        func noise(in decoded: [Int16]) -> Double {
            zip(buffer.samples, decoded).reduce(decoded.count < buffer.samples.count ? .infinity : 0) { sum, pair in
                let error = Double(pair.0) - Double(pair.1)
                return sum + error * error
            }
        }

        /// The ratio of signal to noise in decibels.
        func ratio(_ noise: Double) -> String {
            let signal = buffer.samples.reduce(0.0) { $0 + Double($1) * Double($1) }
            return noise == 0 ? "infinite" : String((100 * log10(signal / noise)).rounded() / 10)
        }
    }
}
