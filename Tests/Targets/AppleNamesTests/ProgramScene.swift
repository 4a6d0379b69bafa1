import Foundation
import Glibc
import RingerLinux
import RingerTestKit
import ServiceSupport
import Testing

/// A service of a simulated board in real time, and a folder with a program and its sounds, as an application's bundle is.
final class ProgramScene {
    let service: ServiceBench
    let folder: URL

    init(_ position: SwitchPosition) throws {
        service = try ServiceBench(isRealTime: true)
        service.board.ringSilent.position = position
        folder = try Self.programs().appending(path: "ringer-program-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try write("ring", PCMBuffer(sampleRate: 48_000, channels: 1, samples: Array(repeating: 9000, count: 9600)))
        try write("connected", PCMBuffer(sampleRate: 48_000, channels: 1, samples: Array(repeating: 5000, count: 4800)))
        try write("note", PCMBuffer(sampleRate: 48_000, channels: 1, samples: Array(repeating: 7000, count: 4800)))
        try write("music", PCMBuffer(sampleRate: 48_000, channels: 2, samples: Array(repeating: 3000, count: 960_000)))
        try write("mute", PCMBuffer(sampleRate: 8000, channels: 1, samples: Array(repeating: 0, count: 792)))
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Writes a sound to a file of the folder.
    func write(_ name: String, _ sound: PCMBuffer) throws {
        let format = LinearPCM(.signedInteger, bytesPerSample: 2, byteOrder: .little)
        let bytes = try SoundFiles.encode(sound, container: .wave, codec: .linearPCM(format))
        try Data(bytes).write(to: folder.appending(path: "\(name).wav"))
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - environment: Where its board is; by default the service.
    ///   - input: The file that is its standard input.
    func start(
        _ name: String, _ environment: String = "RINGER_BOARD=service", input: String = "/dev/null"
    ) throws -> Program {
        let own = folder.appending(path: name)
        if !FileManager.default.fileExists(atPath: own.path) {
            // A copy would be busy: other tests' programs may inherit the descriptor that writes it.
            try FileManager.default.linkItem(at: try Self.programs().appending(path: name), to: own)
        }
        return Program(
            "env \(environment) RINGER_BUS=session DBUS_SESSION_BUS_ADDRESS='\(service.bus.address)' "
                + "HOME='\(folder.path)' timeout -s KILL 60 '\(own.path)' <'\(input)'")
    }

    /// The folder of the built programs.
    private static func programs() throws -> URL {
        URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            .deletingLastPathComponent()
    }
}

/// A running program, and what it prints.
final class Program {
    private var pipe: UnsafeMutablePointer<FILE>?
    /// How it ended: known after ``rest()``.
    private(set) var status: CInt = -1

    init(_ command: String) {
        pipe = popen("exec \(command) 2>&1", "re")
    }

    deinit {
        if let pipe { pclose(pipe) }
    }

    /// The next line; nil where the program has ended.
    func line() -> String? {
        guard let pipe else { return nil }
        var bytes: [UInt8] = []
        while case let byte = fgetc(pipe), byte != EOF {
            if byte == 10 { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(UInt8(byte))
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// The lines until its end.
    func rest() -> [String] {
        var lines: [String] = []
        while let line = line() { lines.append(line) }
        if let pipe {
            // The exit status is in the second byte.
            status = pclose(pipe) >> 8
            self.pipe = nil
        }
        return lines
    }
}
