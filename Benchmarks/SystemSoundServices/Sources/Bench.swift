import Glibc
import RingerLinux
import RingerTestKit
import SystemPackage

/// A device with a simulated switch and motor, whose sounds are played on a real PCM, or taken at once.
struct Bench {
    let board: SimulatedBoard
    let device: Device
    let starts: Starts

    init(position: SwitchPosition = .ring, pcm: String?) throws {
        let (board, loop) = try SimulatedBoard.inRealTime(position: position)
        self.board = board
        let starts = Starts()
        self.starts = starts
        var ports = Device.Ports(simulated: board) { loop.close() }
        if let pcm { ports.speaker = try ALSASoundOutput(pcm: pcm, realTimePriority: realTimePriority) }
        device = try Device(
            ports,
            configuration: .init(observer: { event in
                if case .playback(.started(let time), _) = event { starts.note(time) }
            }))
    }

    /// Plays, waits for the end, and returns the time from the call to the first frame; nil if none was accepted.
    func timeToFirstFrame(_ id: SystemSoundID) -> Duration? {
        let over = Semaphore()
        starts.forget()
        let called = device.clock.now
        device.sounds.start(id) { _ in over.signal() }
        over.wait()
        return starts.newest.map { $0 - called }
    }
}

/// A directory of sound files, removed at the end.
final class Files {
    let directory: String
    private var paths: [String] = []

    init() throws {
        var template = Array("/tmp/ringer-benchmark-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Errno(rawValue: errno) }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for path in paths { unlink(path) }
        rmdir(directory)
    }

    func write(_ name: String, _ samples: PCMBuffer) throws -> String {
        let path = directory + "/" + name
        let bytes = try SoundFiles.encode(
            samples, container: .caf,
            codec: .linearPCM(LinearPCM(.signedInteger, bytesPerSample: 2, byteOrder: .little)))
        let file = try FileDescriptor.open(
            FilePath(path), .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
        try file.closeAfter { _ = try file.writeAll(bytes) }
        paths.append(path)
        return path
    }
}
