import Foundation
import Testing

/// The decoder `multimon-ng`, which shares nothing with this code.
enum MultimonNG {
    static let path = "/usr/bin/multimon-ng"
    static let isInstalled = FileManager.default.isExecutableFile(atPath: path)
    static let absence: Comment = "multimon-ng is not installed (Debian: apt install multimon-ng)"

    /// The keys it hears in the given sounds, played one after the other with 100 ms of silence about each.
    static func touchTones(in stems: [String]) throws -> [String] {
        // Each pair of frames averaged: the rendering at 44.1 kHz as the decoder's 22.05 kHz.
        var samples = [Int16](repeating: 0, count: 2205)
        for stem in stems {
            let sound = try #require(Rendered.at44100[stem])
            for index in stride(from: 0, to: sound.samples.count - 1, by: 2) {
                let sum = Int(sound.samples[index]) + Int(sound.samples[index + 1])
                samples.append(Int16(sum / 2))
            }
            samples += [Int16](repeating: 0, count: 2205)
        }
        return try decode(samples)
    }

    private static func decode(_ samples: [Int16]) throws -> [String] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("touch-tones-\(UUID().uuidString).raw")
        try samples.withUnsafeBytes { Data($0) }.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let decoder = Process()
        decoder.executableURL = URL(fileURLWithPath: path)
        decoder.arguments = ["-q", "-c", "-a", "DTMF", "-t", "raw", file.path]
        let output = Pipe()
        decoder.standardOutput = output
        decoder.standardError = FileHandle.nullDevice
        try decoder.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        decoder.waitUntilExit()
        return text.split(whereSeparator: \.isNewline).compactMap { line in
            line.hasPrefix("DTMF: ") ? String(line.dropFirst(6)) : nil
        }
    }
}
