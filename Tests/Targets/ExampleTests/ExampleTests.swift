import Foundation
import PacedSupport
import Testing

/// The examples of one file, as processes: on a machine without a switch, with a PCM that keeps what it plays.
@Suite struct ExampleTests {
    @Test func `Payments are announced whole and in their order; one without a recording is not`()
        throws
    {
        let scene = try Scene()
        // A file for each recording, told apart by its samples.
        try scene.write("received.wav", frames: 4_800, sample: 100)
        try scene.write("12.50.wav", frames: 9_600, sample: 200)
        try scene.write("3.00.wav", frames: 2_400, sample: 300)
        let result = try scene.run("AnnouncePayment", [scene.folder.path], input: "12.50\n7.77\n3.00\n")
        #expect(result.status == 0)
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 3)
        #expect(lines.contains { $0.hasPrefix("7.77: ") && $0.contains("7.77.wav") })
        #expect(lines.filter { $0.hasSuffix(": finished") } == ["12.50: finished", "3.00: finished"])
        let expected = [(100, 4_800), (200, 9_600), (100, 4_800), (300, 2_400)]
            .flatMap { [Int16](repeating: Int16($0.0), count: $0.1) }
        #expect(try scene.played().filter { $0 != 0 } == expected)
    }

    @Test func `A line on standard input answers the ring, which nobody answers otherwise`() throws {
        let scene = try Scene()
        let answered = try scene.run("RingUntilAnswered", ["60"], input: "\n")
        #expect(answered.output == "stopped(caller)\n")
        #expect(answered.status == 0)
        // Standard input that stays open, and says nothing.
        let missed = try scene.run("RingUntilAnswered", ["1"], input: nil)
        #expect(missed.output == "stopped(limited)\n")
        #expect(missed.status == 1)
    }

    @Test func `The test of a firmware on the simulated board passes`() throws {
        let result = try Scene().run("FirmwareTest", [], input: "")
        #expect(result.output.split(separator: "\n").count == 4)
        #expect(result.output.split(separator: "\n").allSatisfy { $0.hasPrefix("ok: ") })
        #expect(result.status == 0)
    }

    @Test(arguments: [("AnnouncePayment", []), ("RingUntilAnswered", ["soon"]), ("RingUntilAnswered", ["0"])])
    func `Wrong arguments end in status 64 and the usage`(program: String, arguments: [String]) throws {
        let result = try Scene().run(program, arguments, input: "")
        #expect(result.status == 64)
        #expect(result.errors.hasPrefix("usage: \(program) "))
    }
}

/// A folder, and a PCM that writes what it plays into it.
private final class Scene {
    let folder: URL
    /// Beside the bundle of the tests.
    private let programs = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()

    init() throws {
        try PacedSink.install()
        folder = FileManager.default.temporaryDirectory.appending(path: "ringer-example-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Writes a mono WAV file of 48 kHz, all of whose samples are `sample`.
    func write(_ name: String, frames: Int, sample: Int16) throws {
        func bytes<Value: FixedWidthInteger>(_ value: Value) -> Data {
            withUnsafeBytes(of: value.littleEndian) { Data($0) }
        }
        var file = Data("RIFF".utf8) + bytes(UInt32(36 + 2 * frames)) + Data("WAVEfmt ".utf8) + bytes(UInt32(16))
        file += bytes(UInt16(1)) + bytes(UInt16(1)) + bytes(UInt32(48_000)) + bytes(UInt32(96_000))
        file += bytes(UInt16(2)) + bytes(UInt16(16)) + Data("data".utf8) + bytes(UInt32(2 * frames))
        for _ in 0..<frames { file += bytes(sample) }
        try file.write(to: folder.appending(path: name))
    }

    /// What the program printed, and its status. Without an input, its standard input stays open until it ends.
    func run(
        _ program: String, _ arguments: [String], input: String?
    ) throws -> (output: String, errors: String, status: Int32) {
        let process = Process(), standardInput = Pipe(), output = Pipe(), errors = Pipe()
        process.executableURL = programs.appending(path: program)
        process.arguments = arguments
        process.standardInput = standardInput
        process.standardOutput = output
        process.standardError = errors
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["ALSA_CONFIG_PATH": try configuration().path], uniquingKeysWith: { $1 })
        try process.run()
        if let input {
            try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
            try standardInput.fileHandleForWriting.close()
        }
        let printed = try output.fileHandleForReading.readToEnd() ?? Data()
        let complaints = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (
            String(decoding: printed, as: UTF8.self), String(decoding: complaints, as: UTF8.self),
            process.terminationStatus
        )
    }

    /// The samples that the PCM played, one of its two equal channels.
    func played() throws -> [Int16] {
        try Data(contentsOf: folder.appending(path: "played.raw")).withUnsafeBytes { bytes in
            let samples = bytes.bindMemory(to: Int16.self)
            return stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
        }
    }

    /// The sink's own configuration, whose default PCM keeps what it plays.
    private func configuration() throws -> URL {
        let sink = try #require(ProcessInfo.processInfo.environment["ALSA_CONFIG_PATH"])
        let file = folder.appending(path: "asound.conf")
        let text = """
            <\(sink)>
            pcm.!default { type plug slave.pcm "paced_hw:CAPTURE=\(folder.path)/played.raw,UNDERRUNS=false,RATE=48000,CHANNELS=2" }
            """
        try Data(text.utf8).write(to: file)
        return file
    }
}
