import Foundation
import SoundFile
import Testing

/// A file that another program writes from a known sound.
struct WrittenByOracle: Sendable, CustomTestStringConvertible {
    let writer: Oracle
    let name: String
    let arguments: [String]
    /// The programs that must decode the file to the same 16-bit samples as we do.
    var readers: [Oracle] = [.ffmpeg]
    /// Whether ffmpeg must decode it to the same floating-point samples.
    var comparesFloat = false
    var frames = 1000
    var channels = 2
    var rate = 44_100

    var testDescription: String {
        "\(writer.rawValue) \(arguments.joined(separator: " ")) \(name), \(frames) frames, \(channels) ch, \(rate) Hz"
    }

    /// Writes the file, and says where it is.
    func make(in folder: Folder) throws -> URL {
        let source = try folder.write(
            FileBytes.wave(
                of: TestSound.noise.samples(frames: frames, channels: channels, sampleRate: Double(rate)),
                sampleRate: UInt32(rate), channels: UInt16(channels)), "source.wav")
        let file = folder.file(name)
        switch writer {
        case .ffmpeg: try writer.run(["-v", "error", "-y", "-i", source.path] + arguments + [file.path])
        case .sox: try writer.run(["-D", source.path] + arguments + [file.path])
        case .sndfile: try writer.run(arguments + [source.path, file.path])
        }
        return file
    }

    static let all: [WrittenByOracle] = {
        var cases: [WrittenByOracle] = []
        let shapes: [(frames: Int, channels: Int, rate: Int)] = [
            (1, 1, 8000), (63, 1, 11_025), (64, 2, 22_050), (65, 6, 44_100), (1000, 2, 48_000), (4801, 1, 96_000),
            (2500, 6, 192_000),
        ]
        var turn = 0
        func add(
            _ writer: Oracle, _ name: String, _ arguments: [String], _ readers: [Oracle], float: Bool = false,
            except isExcepted: (_ channels: Int, _ rate: Int) -> Bool = { _, _ in false }
        ) {
            // Three shapes for each file, going round so that all shapes meet all containers.
            for _ in 0..<3 {
                var shape = shapes[0]
                repeat {
                    turn += 1
                    shape = shapes[turn % shapes.count]
                } while isExcepted(shape.channels, shape.rate)
                cases.append(
                    WrittenByOracle(
                        writer: writer, name: name, arguments: arguments, readers: readers, comparesFloat: float,
                        frames: shape.frames, channels: shape.channels, rate: shape.rate))
            }
        }
        let pcm = ["s8", "s16be", "s16le", "s24be", "s24le", "s32be", "s32le", "f32be", "f32le", "f64be", "f64le"]
        for codec in pcm + ["mulaw", "alaw"] {
            let isWide = codec.hasPrefix("s24") || codec.hasPrefix("s32") || codec.hasPrefix("f")
            add(
                .ffmpeg, "f.caf", ["-c:a", "pcm_\(codec)"], isWide ? [.ffmpeg] : [.ffmpeg, .sndfile],
                float: true)
        }
        for codec in ["s8", "s16be", "s24be", "s32be"] {
            add(.ffmpeg, "f.aiff", ["-c:a", "pcm_\(codec)"], [.ffmpeg], float: true)
        }
        for codec in ["u8", "s16le", "f32be", "f64be", "mulaw", "alaw"] {
            add(.ffmpeg, "f.aifc", ["-c:a", "pcm_\(codec)", "-f", "aiff"], [.ffmpeg], float: true)
        }
        for codec in ["u8", "s16le", "s24le", "s32le", "f32le", "f64le", "mulaw", "alaw"] {
            add(.ffmpeg, "f.wav", ["-c:a", "pcm_\(codec)"], [.ffmpeg], float: true)
            add(.ffmpeg, "f.wav", ["-c:a", "pcm_\(codec)", "-rf64", "always"], [.ffmpeg], float: true)
        }
        // IMA4 of more than two channels is beyond ffmpeg, which also wraps WAV's IMA as no other reads it at high rates.
        add(.ffmpeg, "f.caf", ["-c:a", "adpcm_ima_qt"], [.ffmpeg], except: { $0 > 2 || $1 > 48_000 })
        add(.ffmpeg, "f.aifc", ["-c:a", "adpcm_ima_qt", "-f", "aiff"], [.ffmpeg], except: { $0 > 2 || $1 > 48_000 })
        add(.sndfile, "f.aifc", ["-ima-adpcm"], [.ffmpeg], except: { $0 > 2 || $1 > 48_000 })
        add(.sndfile, "f.wav", ["-ima-adpcm"], [.sndfile, .sox], except: { $0 > 2 || $1 > 48_000 })
        add(.sox, "f.wav", ["-e", "ima-adpcm"], [.sndfile, .sox], except: { $0 > 2 || $1 > 48_000 })
        add(
            .ffmpeg, "f.wav", ["-c:a", "adpcm_ima_wav", "-block_size", "256"], [.sndfile, .sox],
            except: { $0 > 2 || $1 > 48_000 })
        for codec in ["-pcms8", "-pcm16", "-pcm24", "-pcm32", "-float32", "-float64", "-ulaw", "-alaw"] {
            for order in codec.hasSuffix("law") || codec == "-pcms8" ? ["big"] : ["little", "big"] {
                add(
                    .sndfile, "f.caf", [codec, "-endian=\(order)"], codec.hasPrefix("-f") ? [] : [.sndfile],
                    float: true)
            }
            add(.sndfile, "f.aifc", [codec], codec.hasPrefix("-f") ? [] : [.sndfile], float: true)
            add(
                .sndfile, "f.rf64", [codec == "-pcms8" ? "-pcmu8" : codec], codec.hasPrefix("-f") ? [] : [.sndfile],
                float: true)
            add(
                .sndfile, "f.wavex", [codec == "-pcms8" ? "-pcmu8" : codec], codec.hasPrefix("-f") ? [] : [.sndfile],
                float: true)
        }
        for codec in ["-pcm16", "-pcm24", "-pcm32", "-float32"] {
            // RIFX, whose samples ffmpeg takes for little-endian.
            add(.sndfile, "f.wav", [codec, "-endian=big"], codec.hasPrefix("-f") ? [] : [.sndfile])
            add(
                .sndfile, "f.aifc", [codec == "-float32" ? "-pcm16" : codec, "-endian=little"], [.sndfile],
                float: codec.hasSuffix("16"))
        }
        for (name, arguments) in [
            ("f.wav", ["-b", "8"]), ("f.wav", ["-b", "16"]), ("f.aiff", ["-b", "8"]), ("f.aiff", ["-b", "16"]),
            ("f.aifc", ["-b", "16"]), ("f.wav", ["-e", "u-law"]), ("f.wav", ["-e", "a-law"]),
            ("f.wav", ["-b", "16", "-B"]),
        ] {
            add(.sox, name, arguments, [.sox])
        }
        return cases
    }()
}

@Suite("Files that other programs write")
struct ReadingOracleTests {
    @Test(
        "are decoded as those programs decode them, sample for sample",
        .enabled(if: Oracle.present(.ffmpeg, .sox, .sndfile), "ffmpeg, sox or sndfile-convert is not installed"),
        arguments: WrittenByOracle.all)
    func reading(_ written: WrittenByOracle) throws {
        let folder = try Folder()
        let file = try written.make(in: folder)
        let bytes = [UInt8](try Data(contentsOf: file))
        let info = try SoundFiles.info(bytes)
        let buffer = try SoundFiles.decode(bytes)
        #expect(info.sampleRate == Double(written.rate))
        #expect(info.channels == written.channels)
        #expect(info.frames == Int64(buffer.frames))
        #expect(!info.isTruncated)
        let ffmpeg = written.comparesFloat ? try Oracle.ffmpegSamples(file, in: folder) : nil
        for reader in written.readers {
            var theirs: [Int16]
            if reader == .ffmpeg, let ffmpeg {
                theirs = ffmpeg.int16
            } else {
                theirs = try reader.int16(file, in: folder)
            }
            // Others decode the filling of WAV's last block too.
            if info.codec == .imaADPCM, theirs.count > buffer.samples.count {
                theirs.removeLast(theirs.count - buffer.samples.count)
                #expect(buffer.frames >= written.frames)
            } else if info.framesPerPacket == 1, Int(info.dataSize) & 1 == 0, written.frames & 1 == 0 {
                // Some count the byte that fills an odd chunk.
                #expect(buffer.frames == written.frames)
            }
            expectSame(buffer.samples, theirs, reader)
        }
        if case .linearPCM(let format) = info.codec, format.kind != .float, written.readers.contains(.sndfile) {
            var decoder = try SoundDecoder(MemorySource(bytes))
            var ours = [Double](repeating: 0, count: buffer.samples.count)
            var span = ours.mutableSpan
            _ = try decoder.read(into: &span)
            expectSame(ours.map { Int32($0 * 2_147_483_648) }, try Oracle.sndfile.int32(file, in: folder), .sndfile)
        }
        if let ffmpeg { expectSame(try SoundFiles.decodeFloat(bytes).samples, ffmpeg.float, .ffmpeg) }
    }
}

/// Compares without printing thousands of numbers.
func expectSame<T: Equatable>(
    _ ours: [T], _ theirs: [T], _ reader: Oracle, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(ours.count == theirs.count, "\(reader.rawValue)", sourceLocation: sourceLocation)
    if let place = zip(ours, theirs).enumerated().first(where: { $0.element.0 != $0.element.1 }) {
        Issue.record(
            "sample \(place.offset): ours \(place.element.0), \(reader.rawValue)'s \(place.element.1)",
            sourceLocation: sourceLocation)
    }
}
