import FourCharacterCodes
import RingerPolicy
import SeededGenerator
import SoundFile
import SystemSounds

/// The predefined sounds, and what becomes of sound files in every container and codec: written, read, damaged, and
/// longer than 32 bits can count.
enum Sounds {
    static func report() {
        synthesis()
        files()
    }

    private static func synthesis() {
        var digest = Digest()
        for stem in SoundRecipe.predefinedStems {
            guard let recipe = SoundRecipe.predefined(stem: stem) else { continue }
            digest.add(SoundSynthesizer.render(recipe, sampleRate: 8_000))
        }
        digest.report("predefined sounds")
    }

    private static let codecs: [SoundCodec] = {
        var codecs: [SoundCodec] = [.ima4, .imaADPCM, .uLaw, .aLaw]
        for order in [LinearPCM.ByteOrder.big, .little] {
            for bytes in 1...4 {
                codecs.append(.linearPCM(LinearPCM(.signedInteger, bytesPerSample: bytes, byteOrder: order)))
            }
            for bytes in [4, 8] {
                codecs.append(.linearPCM(LinearPCM(.float, bytesPerSample: bytes, byteOrder: order)))
            }
        }
        codecs.append(.linearPCM(LinearPCM(.unsignedInteger, bytesPerSample: 1, byteOrder: .big)))
        return codecs
    }()

    /// The file with a header that does not say how long the sound is: it lasts to the end of the file.
    private static func endless(_ bytes: [UInt8], _ container: SoundContainer) -> [UInt8]? {
        guard let start = try? Int(SoundFiles.info(bytes).dataOffset) else { return nil }
        var bytes = bytes
        // CAF counts its edits between the size and the sound.
        let size = container == .caf ? start - 12..<start - 4 : start - 4..<start
        for index in size { bytes[index] = 0xFF }
        return bytes
    }

    private static func files() {
        var written = Digest()
        var damaged = Digest()
        var long = Digest()
        var longest: Int64 = 0
        var random = SeededGenerator(seed: 7)
        let samples = (0..<600).map { _ in Int16(truncatingIfNeeded: random.next()) }
        for container in SoundContainer.allCases {
            for codec in codecs {
                for channels in 1...2 {
                    let sound = PCMBuffer(sampleRate: 44_100, channels: channels, samples: samples)
                    let bytes: [UInt8]
                    do throws(SoundFileError) {
                        bytes = try SoundFiles.encode(sound, container: container, codec: codec)
                    } catch {
                        written.add(error)
                        continue
                    }
                    for byte in bytes { written.add(UInt64(byte)) }
                    written.addReading(MemorySource(bytes))
                    for _ in 0..<50 { damaged.addReading(MemorySource(random.damaged(bytes))) }
                    guard container == .caf || container == .wave, let endless = endless(bytes, container) else {
                        continue
                    }
                    for size in [5_000_000_000, Int64.max] {
                        long.addReading(LongSource(bytes: endless, size: size))
                        long.addReading(LongSource(bytes: random.damaged(endless), size: size))
                        let info = try? SoundFiles.info(LongSource(bytes: endless, size: size))
                        longest = max(longest, info?.frames ?? 0)
                    }
                }
            }
        }
        precondition(longest > Int64(UInt32.max), "no file is long")
        written.report("files")
        damaged.report("damaged files")
        long.report("long files")
    }
}

/// Bytes, and silence after them up to a size that no memory holds.
private struct LongSource: ByteSource {
    var bytes: [UInt8]
    var size: Int64

    mutating func read(at offset: Int64, into buffer: inout MutableRawSpan) throws(SoundFileError) -> Int {
        guard offset >= 0, offset < size else { return 0 }
        let count = Int(min(Int64(buffer.byteCount), size - offset))
        for index in 0..<count {
            let place = offset + Int64(index)
            buffer.storeBytes(
                of: place < Int64(bytes.count) ? bytes[Int(place)] : 0, toByteOffset: index, as: UInt8.self)
        }
        return count
    }
}

extension SeededGenerator {
    /// `bytes` with a few of the first 200 replaced; often by those that make a size large, negative or unknown.
    mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0...below(3) {
            let place = below(min(200, bytes.count))
            let length = pick([1, 1, 4, 8])
            let value = pick([0, 0x7F, 0x80, 0xFF, UInt8(truncatingIfNeeded: next())])
            for index in place..<min(place + length, bytes.count) { bytes[index] = value }
        }
        return bytes
    }
}

extension Digest {
    mutating func add(_ sound: PCMBuffer) {
        add(sound.sampleRate)
        add(sound.channels)
        add(sound.samples.count)
        for sample in sound.samples { add(sample) }
    }

    /// Adds the contents of a file's headers and its first frames, or the reason why it cannot be read.
    mutating func addReading(_ source: some ByteSource) {
        do throws(SoundFileError) {
            var decoder = try SoundDecoder(source)
            add(decoder.info)
            var piece = [Int16](repeating: 0, count: 256 * decoder.info.channels)
            for _ in 0..<3 {
                let frames = try decoder.read(into: &piece)
                for sample in piece[..<(frames * decoder.info.channels)] { add(sample) }
            }
        } catch {
            add(error)
        }
    }

    /// Adds an error without its text, in which Embedded Swift cannot print every number.
    mutating func add(_ error: SoundFileError) {
        add(error.code.rawValue)
        add(error.offset ?? -1)
    }

    private mutating func add(_ info: SoundFileInfo) {
        add(info.codec.description)
        add(info.sampleRate)
        for number in [info.channels, info.bits, info.bytesPerPacket, info.framesPerPacket] { add(number) }
        for number in [info.frames, info.dataOffset, info.dataSize, info.primingFrames, info.remainderFrames] {
            add(number)
        }
        add(info.isTruncated)
        add(info.minimumFrames)
        add(info.duration.nanoseconds)
        for chunk in info.chunks {
            add(chunk.id.description)
            add(chunk.offset)
            add(chunk.size ?? -1)
        }
        for tag in info.tags {
            add(tag.key)
            add(tag.value)
        }
    }
}
