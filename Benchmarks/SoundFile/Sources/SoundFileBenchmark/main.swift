// Decodes 30 s of 48 kHz stereo from memory to interleaved Int16, beside libsndfile, ffmpeg, memcpy and a loop of our own
// without bounds checks, all in one run, and prints the ratios of the medians. Exits with 1 where a goal is missed.
//
//     Benchmarks/SoundFile/run
//
// Needs libsndfile1-dev, and ffmpeg in the PATH; without ffmpeg its row is left out and said so.

import Foundation
import SoundFile

let frames = 30 * 48_000
let channels = 2
let pcm = PCMBuffer(sampleRate: 48_000, channels: channels, samples: Input.music(frames: frames, channels: channels))
let megabytes = Double(pcm.samples.count * 2) / 1e6

func file(_ container: SoundContainer, _ codec: SoundCodec) throws -> [UInt8] {
    try SoundFiles.encode(pcm, container: container, codec: codec)
}

let ima4CAF = try file(.caf, .ima4)
let ima4AIFC = try file(.aifc, .ima4)
let imaWAV = try file(.wave, .imaADPCM)
let big = try file(.aiff, .linearPCM(LinearPCM(.signedInteger, bytesPerSample: 2, byteOrder: .big)))
let little = try file(.wave, .linearPCM(LinearPCM(.signedInteger, bytesPerSample: 2, byteOrder: .little)))
let uLaw = try file(.wave, .uLaw)
let aLaw = try file(.aifc, .aLaw)

var output = [Int16](repeating: 1, count: pcm.samples.count + 4096)

@MainActor func ours(_ bytes: [UInt8]) throws {
    var decoder = try SoundDecoder(MemorySource(bytes))
    guard try decoder.read(into: &output) >= frames else { fatalError("too few frames") }
}

var rows = Rows()
let ffmpeg = FFmpeg()
if ffmpeg == nil { print("ffmpeg is not installed: IMA4 in CAF is not compared with it") }

// Rounds alternate between all decoders, so that disturbances of the machine affect all of them.
for _ in 0..<31 {
    try rows.time("ours: IMA4 in AIFF-C") { try ours(ima4AIFC) }
    try rows.time("libsndfile: IMA4 in AIFF-C") { try Sndfile.decode(ima4AIFC, into: &output) }
    try rows.time("ours: IMA4 in CAF") { try ours(ima4CAF) }
    try rows.time("unsafe: IMA4 in CAF") { Unsafe.ima4(ima4CAF, into: &output) }
    try rows.time("ours: IMA in WAV") { try ours(imaWAV) }
    try rows.time("libsndfile: IMA in WAV") { try Sndfile.decode(imaWAV, into: &output) }
    try rows.time("ours: big-endian PCM16") { try ours(big) }
    try rows.time("libsndfile: big-endian PCM16") { try Sndfile.decode(big, into: &output) }
    try rows.time("unsafe: big-endian PCM16") { Unsafe.swap(big, into: &output) }
    try rows.time("ours: u-law") { try ours(uLaw) }
    try rows.time("libsndfile: u-law") { try Sndfile.decode(uLaw, into: &output) }
    try rows.time("unsafe: u-law") { Unsafe.table(uLaw, into: &output) }
    try rows.time("ours: A-law") { try ours(aLaw) }
    try rows.time("libsndfile: A-law") { try Sndfile.decode(aLaw, into: &output) }
    try rows.time("ours: little-endian PCM16") { try ours(little) }
    try rows.time("memcpy") { Unsafe.copy(little, into: &output) }
    try rows.time("ours: IMA4 in CAF, fresh memory") { _ = try SoundFiles.decode(ima4CAF) }
    try rows.time("ours: big-endian PCM16, fresh memory") { _ = try SoundFiles.decode(big) }
    try rows.time("ours: info, IMA4 in CAF") { _ = try SoundFiles.info(ima4CAF) }
}
for _ in 0..<3 {
    try rows.time("ours: encoding IMA4 in CAF") { _ = try file(.caf, .ima4) }
    try rows.time("ours: encoding IMA in WAV") { _ = try file(.wave, .imaADPCM) }
}
if let ffmpeg {
    for _ in 0..<11 { try ffmpeg.time(ima4CAF, &rows) }
}
print("processor: \(Rows.processor)")
rows.print(megabytes: megabytes)

rows.goal("IMA4 in AIFF-C", "libsndfile: IMA4 in AIFF-C", over: "ours: IMA4 in AIFF-C", atLeast: 5)
if ffmpeg != nil { rows.goal("IMA4 in CAF", "ffmpeg: IMA4 in CAF, net", over: "ours: IMA4 in CAF", atLeast: 20) }
rows.goal("IMA in WAV", "libsndfile: IMA in WAV", over: "ours: IMA in WAV", atLeast: 4)
rows.goal("big-endian PCM16", "libsndfile: big-endian PCM16", over: "ours: big-endian PCM16", atLeast: 4)
rows.goal("u-law", "libsndfile: u-law", over: "ours: u-law", atLeast: 1)
rows.goal("A-law", "libsndfile: A-law", over: "ours: A-law", atLeast: 1)
rows.goal("little-endian PCM16, of memcpy", "memcpy", over: "ours: little-endian PCM16", atLeast: 0.5)
rows.goal("IMA4, of our unsafe loop", "unsafe: IMA4 in CAF", over: "ours: IMA4 in CAF", atLeast: 0.8)
rows.goal("big-endian, of our unsafe loop", "unsafe: big-endian PCM16", over: "ours: big-endian PCM16", atLeast: 0.75)
rows.goal("u-law, of our unsafe loop", "unsafe: u-law", over: "ours: u-law", atLeast: 0.75)
let pieces = try Pieces.memory(decoding: [ima4CAF, ima4AIFC, imaWAV, big, little, uLaw])
let isSmall = pieces <= 65536
print("memory for decoding in pieces: \(pieces) bytes, at most 65536: \(isSmall ? "reached" : "MISSED")")
let info = rows.median("ours: info, IMA4 in CAF")
print("information: \(Int(info * 1e6)) us, at most 1000: \(info <= 0.001 ? "reached" : "MISSED")")
exit(rows.missed || !isSmall || info > 0.001 ? 1 : 0)
