import CLinux
import Glibc
import RingerLinux
import ServiceSupport

/// Descriptors of every kind that a hostile caller may send as a sound.
final class OddFiles: Sendable {
    let all: [CInt]
    private let changing: PrivateFile
    private let files: [PrivateFile]
    private let opened: [CInt]

    init() throws {
        changing = try PrivateFile(seconds: 2)
        // A sound, one that is a hole of 1 GiB, no sound, and MP3.
        files = [
            try PrivateFile(seconds: 0.1), try PrivateFile(seconds: 20), try PrivateFile(bytes: 1 << 30),
            try PrivateFile([1, 2, 3]), changing, try PrivateFile(PrivateFile.silentMP3),
            // MP3 that is cut off in a frame, and whose frames are damaged.
            try PrivateFile(Array(PrivateFile.silentMP3.prefix(1000))),
            try PrivateFile(PrivateFile.silentMP3.enumerated().map { $0.offset % 417 < 4 ? $0.element : 0xA5 }),
        ]
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { throw RingerError(.system, "make", "pipe") }
        var path = Array("/tmp/ringer-fifo-XXXXXX".utf8CString)
        guard mkdtemp(&path) != nil else { throw RingerError(.system, "make", "folder") }
        let folder = String(decoding: path.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        mkfifo(folder + "/fifo", 0o600)
        defer { for name in ["/fifo", ""] { remove(folder + name) } }
        let names = [folder + "/fifo", folder, "/dev/zero", "/proc/self/mem"]
        // A memory file that its owner may write and truncate at any time.
        let memory = ringer_memory_file()
        let sound = try SoundFiles.encode(
            PCMBuffer(sampleRate: 8_000, channels: 1, samples: [Int16](repeating: 1, count: 800)), container: .wave,
            codec: .linearPCM(LinearPCM(.signedInteger, bytesPerSample: 2, byteOrder: .little)))
        guard sound.withUnsafeBytes({ write(memory, $0.baseAddress, $0.count) }) == sound.count else {
            throw RingerError(.system, "write", "memory file")
        }
        opened =
            ends + [memory, socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)]
            + names.map { open($0, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
        guard !opened.contains(-1) else { throw RingerError(.system, "open", "odd files") }
        all = files.map(\.descriptor) + opened
    }

    deinit {
        for descriptor in opened { close(descriptor) }
    }

    /// Lets a file grow and shrink again and again while it is read, until the task is cancelled.
    func change() async {
        var isLong = true
        while !Task.isCancelled {
            changing.truncate(to: isLong ? 100 : 64 << 20)
            isLong.toggle()
            try? await Task.sleep(for: .milliseconds(3))
        }
    }
}
