import Foundation
import Testing

/// An independent program that reads and writes sound files, run as a process.
enum Oracle: String, CaseIterable, Sendable {
    case ffmpeg
    case sox
    case sndfile = "sndfile-convert"

    /// The path of the program; nil if it is not installed.
    var path: String? {
        let directories = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        return directories.map { "\($0)/\(rawValue)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Whether tests that need the program run. Where `RINGER_REQUIRE_ORACLES` is set they always do, and fail without.
    static func present(_ oracles: Oracle...) -> Bool {
        ProcessInfo.processInfo.environment["RINGER_REQUIRE_ORACLES"] != nil || oracles.allSatisfy { $0.path != nil }
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs the program and returns what it printed on its standard error.
    @discardableResult
    func run(_ arguments: [String]) throws -> String {
        guard let path else { throw Failure(description: "\(rawValue) is not installed") }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        let errors = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors
        try process.run()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "\(rawValue) \(arguments.joined(separator: " ")): \(text)")
        }
        return text
    }

    /// What the program decodes a file to, as interleaved 16-bit samples.
    func int16(_ file: URL, in folder: Folder) throws -> [Int16] {
        let raw = folder.file("decoded-\(UUID().uuidString).raw")
        switch self {
        case .ffmpeg: try run(["-v", "error", "-y", "-i", file.path, "-f", "s16le", raw.path])
        case .sox: try run(["-D", file.path, "-t", "raw", "-L", "-e", "signed-integer", "-b", "16", raw.path])
        case .sndfile: try run(["-pcm16", "-endian=little", file.path, raw.path])
        }
        return try Data(contentsOf: raw).int16
    }

    /// What ffmpeg decodes a file to, as interleaved samples of 16 bits and of 32-bit floating point, in one run: most of
    /// its processor time is its start.
    static func ffmpegSamples(_ file: URL, in folder: Folder) throws -> (int16: [Int16], float: [Float]) {
        let int16 = folder.file("decoded-\(UUID().uuidString).raw")
        let float = folder.file("decoded-\(UUID().uuidString).raw")
        try Oracle.ffmpeg.run(
            ["-v", "error", "-y", "-i", file.path, "-f", "s16le", int16.path, "-f", "f32le", float.path])
        return (try Data(contentsOf: int16).int16, try Data(contentsOf: float).float32)
    }

    /// The first number of ffmpeg's version.
    static func ffmpegVersion() throws -> String? {
        let banner = try ffmpeg.run(["-f", "lavfi", "-i", "anullsrc", "-t", "0", "-f", "null", "-"])
        return banner.split(separator: " ").dropFirst(2).first.map { String($0.prefix(while: \.isNumber)) }
    }

    /// What libsndfile decodes a file to, as interleaved 32-bit samples.
    func int32(_ file: URL, in folder: Folder) throws -> [Int32] {
        let raw = folder.file("decoded-\(UUID().uuidString).raw")
        try Oracle.sndfile.run(["-pcm32", "-endian=little", file.path, raw.path])
        return try Data(contentsOf: raw).float32.map { Int32(bitPattern: $0.bitPattern) }
    }
}

extension Data {
    var int16: [Int16] {
        let bytes = [UInt8](self)
        return (0..<bytes.count / 2).map { Int16(truncatingIfNeeded: Int(bytes[2 * $0]) | Int(bytes[2 * $0 + 1]) << 8) }
    }

    var float32: [Float] {
        let bytes = [UInt8](self)
        return (0..<bytes.count / 4).map { index in
            var bits: UInt32 = 0
            for place in 0..<4 { bits |= UInt32(bytes[4 * index + place]) << UInt32(8 * place) }
            return Float(bitPattern: bits)
        }
    }
}

/// A folder that goes when the test ends.
final class Folder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("ringer-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func file(_ name: String) -> URL { url.appendingPathComponent(name) }

    func write(_ bytes: [UInt8], _ name: String) throws -> URL {
        let file = file(name)
        try Data(bytes).write(to: file)
        return file
    }
}
