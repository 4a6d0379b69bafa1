import Foundation
import SoundFile
import Testing

/// Sounds as programs in the field write them, made by `Field/make.py`, against what ffmpeg decodes of them.
@Suite("Sounds from the field", .enabled(if: Oracle.present(.ffmpeg), "needs ffmpeg"))
struct FieldSoundTests {
    /// Files that are decoded to other samples than those of ffmpeg 5, or to more or fewer, and why. A name matches where it has all
    /// words.
    private static let differences: [(words: String, reason: String)] = [
        ("rifx", "ffmpeg 5 takes RIFX's samples for little-endian; sox and libsndfile agree with us in other tests"),
        ("-ima-", "ffmpeg's arithmetic of WAV's IMA differs by up to 89; libsndfile's and sox's is followed"),
        ("caf ima4", "ffmpeg does not trim the sound to the packet table's valid frames"),
        ("id3.twice", "ffmpeg looks for nothing behind the zeros that follow a tag"),
        ("aif size.", "ffmpeg refuses sizes that were never filled in; libsndfile reads to the end of the file"),
        ("aif count.most", "ffmpeg refuses the count; libsndfile's length is that of the data"),
        ("caf s24 block.4", "24 bits in packets of 4 bytes are padded, as CAF describes them; ffmpeg does not know it"),
        ("caf block.1000", "ffmpeg reads packets of 1000 bytes, of which there is none"),
        ("rf64 size.", "ffmpeg takes 0 for the length; RF64 is read as RIFF is"),
        ("wave data.twice", "ffmpeg plays the second data chunk, others the first"),
        (
            "mp3 cat",
            "the second file's description has no sound, and its first frame has; ffmpeg drops one of them, or none"
        ),
        ("mp3 damage", "ffmpeg drops the frame behind the damage, mpg123 does not"),
        ("mp3 gap", "ffmpeg drops the frame behind the gap, and more behind one with ID3 in front"),
        ("mp3 cut.", "ffmpeg decodes a frame of which a part is there"),
        ("wave-mp3 inner.", "ffmpeg drops frames of MP3 in WAV that does not begin with the data"),
        ("mp3-xing ape", "ffmpeg does not find the encoder's description behind the tag: nothing is trimmed"),
        ("mp3-xing front.", "the same, behind other bytes; and the first frame needs bits of one that is not there"),
        ("mp3-xing tail.zeros", "ffmpeg does not trim the end"),
        ("flac count.half", "libsndfile ends where the header says"),
        ("flac damage", "libsndfile has silence for damaged frames, ffmpeg nothing"),
        ("ogg chain", "libsndfile plays the first of several streams"),
        ("flac chain", "the same"),
        ("opus-2", "the decoders' resampling at the end differs by 32"),
    ]
    /// Files that ffmpeg plays and that are refused, and why.
    private static let refusals: [(words: String, reason: String)] = [
        ("caf ima4 frames.", "a packet of IMA4 has 64 frames; ffmpeg does not look"),
        ("wave-mp3 cut.first", "no frame of MP3 is whole; ffmpeg decodes what there is of one"),
        ("opus damage", "libsndfile refuses it, ffmpeg decodes the first packets"),
    ]

    /// What of `list` a file's name has all words of.
    private static func matching(_ name: String, _ list: [(words: String, reason: String)]) -> [String] {
        list.map(\.words).filter { $0.split(separator: " ").allSatisfy { name.contains($0) } }
    }

    @Test("several hundred files with faults are decoded as ffmpeg decodes them, or there is a reason")
    func corpus() throws {
        let folder = try Folder()
        let make = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Field/make.py")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", make.path, folder.file("").path]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        try #require(dlopen("libsndfile.so.1", RTLD_LAZY) != nil, "needs libsndfile")
        // Later ones differ elsewhere.
        let isListed = try Oracle.ffmpegVersion() == "5"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("").path).sorted()
        var (files, same) = (0, 0)
        /// The lists' entries that a file needed.
        var needed: Set<String> = []
        for name in names where !name.hasSuffix(".s16") {
            files += 1
            let bytes = [UInt8](try Data(contentsOf: folder.file(name)))
            let raw = try? Data(contentsOf: folder.file(name + ".s16"))
            let theirs: [Int16] = [UInt8](raw ?? Data()).withUnsafeBytes { raw in
                (0..<raw.count / 2).map { raw.loadUnaligned(fromByteOffset: 2 * $0, as: Int16.self) }
            }
            let ours: PCMBuffer
            do {
                ours = try SoundFiles.decode(bytes)
            } catch {
                if theirs.isEmpty {
                    same += 1
                } else {
                    let reasons = Self.matching(name, Self.refusals)
                    #expect(!reasons.isEmpty || !isListed, "\(name): \(error)")
                    needed.formUnion(reasons.map { "refused: " + $0 })
                }
                continue
            }
            #expect(!name.contains("-other."), "\(name) has nothing of what its header says")
            // Lossy codecs round differently.
            let isSame =
                ours.samples.count == theirs.count
                && zip(ours.samples, theirs).allSatisfy { abs(Int32($0) - Int32($1)) <= 1 }
            if isSame {
                same += 1
            } else {
                let reasons = Self.matching(name, Self.differences)
                #expect(
                    !reasons.isEmpty || !isListed,
                    "\(name): \(ours.samples.count) samples, ffmpeg \(theirs.count); \(ours.shortfall?.reason ?? "no word")"
                )
                needed.formUnion(reasons)
            }
            let info = try SoundFiles.info(bytes)
            #expect(ours.frames == info.frames || ours.shortfall != nil, "\(name)")
            // What was left out is said; MP3 without a count does not tell that it was cut off between two packets.
            let isCut = ["-cut.", "size.long", "-chain.", "flac-s16-1-count.half"].contains(where: name.contains)
            let isUncounted = name.contains("mp3-cbr")
            #expect(!isCut || ours.shortfall != nil || isUncounted, "\(name)")
            let isWhole = ["-plain.", "-tail.", "-front.1.", "-id3."].contains(where: name.contains)
            #expect(!isWhole || ours.shortfall == nil, "\(name): \(ours.shortfall?.reason ?? "")")
        }
        #expect(files > 700 && same > (isListed ? 550 : 450), "\(same) of \(files)")
        guard isListed else { return }
        let listed = Self.differences.map(\.words) + Self.refusals.map { "refused: " + $0.words }
        #expect(Set(listed) == needed, "no file needs \(Set(listed).subtracting(needed).sorted())")
    }
}
