import Foundation
import SoundFile
import Testing

@Suite("ringer info")
struct InfoCommandTests {
    @Test("prints a line of JSON for each file, an error for a bad one, and continues with the next")
    func json() throws {
        let ringer = try Command()
        let sound = PCMBuffer(sampleRate: 8000, channels: 2, samples: [Int16](repeating: 9, count: 8000))
        try ringer.write(SoundFiles.encode(sound, container: .caf, codec: .ima4), "a \"b\".caf")
        try ringer.write(Array("nothing".utf8), "bad.wav")
        try ringer.write(SoundFiles.encode(sound, container: .wave, codec: .uLaw), "c.aiff")
        let result = try ringer("info", "--json", "a \"b\".caf", "bad.wav", "missing", "c.aiff")
        #expect(result.status == 1)
        var objects = try result.output.split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(objects.map { $0["file"] as? String } == ["a \"b\".caf", "bad.wav", "missing", "c.aiff"])
        #expect(objects.map { $0["outcome"] as? String } == [nil, "failed", "failed", nil])
        objects.removeSubrange(1...2)
        #expect(objects.map { $0["container"] as? String } == ["CAF", "WAVE"])
        #expect(objects.map { $0["codec"] as? String } == ["ima4", "ulaw"])
        #expect(objects.map { $0["frames"] as? Int } == [4000, 4000])
        #expect(objects.map { $0["duration"] as? Double } == [0.5, 0.5])
        let complaints = result.errors.split(separator: "\n")
        #expect(complaints.count == 2)
        #expect(complaints.first?.hasPrefix("ringer: bad.wav: ") == true)
        #expect(complaints.last == "ringer: missing: cannot open: No such file or directory")
    }

    @Test("prints the same in words")
    func words() throws {
        let ringer = try Command()
        let sound = PCMBuffer(sampleRate: 44_100, channels: 1, samples: [Int16](repeating: 9, count: 100))
        try ringer.write(SoundFiles.encode(sound, container: .caf, codec: .ima4), "chime.caf")
        let result = try ringer("info", "chime.caf")
        #expect(result.status == 0)
        #expect(result.output.contains("1 ch, 44100 Hz, ima4, IMA 4:1"))
        #expect(result.output.contains("0 priming, 28 remainder frames"))
        try ringer.write(Array(SoundFiles.encode(sound, container: .caf, codec: .uLaw).dropLast(40)), "cut.caf")
        let cut = try ringer("info", "cut.caf")
        #expect(cut.output.contains("Truncated:      the sound is damaged or incomplete: 60 frames could be read\n"))
    }

    @Test("without a file is bad usage")
    func usage() throws {
        #expect(try Command()("info").status == 64)
    }
}
