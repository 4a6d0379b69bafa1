// Feeds arbitrary bytes to the reader of one container, chosen when compiling by FUZZ_CAF, FUZZ_AIFF, FUZZ_WAVE, FUZZ_MP3,
// FUZZ_OGG or FUZZ_FLAC.
//
// Build and run one target for a minute (see run.sh for all of them):
//     Fuzz/run.sh wave 60
//
// What is held against each input: nothing traps, whole and piecewise decoding agree, the headers' count of frames is
// what decoding gives, and the samples take no more memory than four times the input (96 times for MP3: frames of 24 bytes) and a little.
// For Ogg and FLAC the count is the most that decoding gives.

import SoundFile

/// Hands out the input in pieces whose sizes change, as files and pipes do.
struct ChoppySource: ByteSource {
    let bytes: [UInt8]
    var turn = 1

    var size: Int64 { Int64(bytes.count) }

    mutating func read(at offset: Int64, into buffer: inout MutableRawSpan) throws(SoundFileError) -> Int {
        guard offset < size else { return 0 }
        turn = turn % 7 + 1
        let count = min(buffer.byteCount, bytes.count - Int(offset), turn * turn * turn)
        for index in 0..<count {
            buffer.storeBytes(of: bytes[Int(offset) + index], toByteOffset: index, as: UInt8.self)
        }
        return count
    }
}

/// How many of the inputs were sounds.
nonisolated(unsafe) var accepted: CInt = 0

/// For programs that call the fuzzer themselves.
@_cdecl("fuzz_accepted")
public func acceptedInputs() -> CInt { accepted }

func check(_ input: [UInt8]) {
    #if FUZZ_OGG || FUZZ_FLAC
    // A few bytes may be a long sound of silence: as a budget would refuse it.
    guard let info = try? SoundFiles.info(input), info.frames * Int64(info.channels) < 2_000_000 else { return }
    let whole: PCMBuffer
    do { whole = try SoundFiles.decode(input) } catch { preconditionFailure("headers accepted, decoding refused") }
    precondition(Int64(whole.frames) <= info.frames, "more frames than the headers count")
    precondition(Int64(whole.frames) == info.frames || whole.shortfall != nil, "fewer, without a word")
    #else
    guard let whole = try? SoundFiles.decode(input) else {
        // What cannot be decoded must be refused at its headers, as nothing else can go wrong in memory.
        precondition((try? SoundFiles.info(input)) == nil, "headers accepted, decoding refused")
        return
    }
    let most = (try? SoundFiles.info(input).codec) == .mpegLayer3 ? 96 : 4
    precondition(whole.samples.count * 2 <= most * input.count + 65536, "more samples than the input can hold")
    #endif
    accepted += 1
    guard var decoder = try? SoundDecoder(ChoppySource(bytes: input)) else { preconditionFailure("refused in pieces") }
    #if !FUZZ_OGG && !FUZZ_FLAC
    precondition(decoder.info.frames == Int64(whole.frames), "the headers' frames are not those decoded")
    #endif
    var piece = [Int16](repeating: 0, count: decoder.info.channels * (1 + input.count % 97))
    var place = 0
    while true {
        guard let frames = try? decoder.read(into: &piece) else { preconditionFailure("a piece was refused") }
        if frames == 0 { break }
        for index in 0..<frames * decoder.info.channels {
            precondition(piece[index] == whole.samples[place], "pieces differ from the whole")
            place += 1
        }
    }
    precondition(place == whole.samples.count, "pieces are fewer than the whole")
    guard let float = try? SoundFiles.decodeFloat(input) else { preconditionFailure("refused as floating point") }
    precondition(float.frames == whole.frames, "floating point has another length")
}

/// Where an ID3v2 tag in front ends, whose size, 28 bits in four bytes, is made to be one; 0 where there is none.
func behindTag(_ input: inout [UInt8]) -> Int {
    guard input.starts(with: Array("ID3".utf8)), input.count >= 10 else { return 0 }
    for index in 6..<10 { input[index] &= 0x7F }
    let end = 10 + input[6..<10].reduce(0) { $0 << 7 | Int($1) }
    return end < input.count ? end : 0
}

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // SAFETY: the fuzzer hands over `count` readable bytes, which are copied at once.
    var input = [UInt8](UnsafeBufferPointer(start: bytes, count: count))
    #if FUZZ_CAF
    let magic = Array("caff".utf8)
    #elseif FUZZ_AIFF
    let magic = Array("FORM".utf8)
    #elseif FUZZ_OGG
    let magic = Array("OggS".utf8)
    #elseif FUZZ_FLAC
    let magic = Array("fLaC".utf8)
    #elseif FUZZ_MP3
    // A tag, or the first bytes of a frame of one of three sampling rates.
    let starts: [[UInt8]] = [[0x49, 0x44, 0x33, 4], [0xFF, 0xFB], [0xFF, 0xF3], [0xFF, 0xE3]]
    let magic = starts[count > 3 ? Int(input[3] & 3) : 0]
    #else
    let kinds = ["RIFF", "RIFX", "RF64", "RIFF"]
    let magic = Array(kinds[count > 3 ? Int(input[3] & 3) : 0].utf8)
    #endif
    #if FUZZ_CAF || FUZZ_AIFF || FUZZ_WAVE
    let start = behindTag(&input)
    #else
    let start = 0
    #endif
    for (index, byte) in magic.enumerated() where start + index < count { input[start + index] = byte }
    check(input)
    return 0
}
