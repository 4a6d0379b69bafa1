import Glibc
import RingerCore

/// A path of its own in /tmp; what is there goes with it.
final class TemporaryFile: Sendable {
    let path: String

    init() {
        path = "/tmp/ringer-test-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
    }

    deinit {
        unlink(path)
    }

    /// Puts an empty file in its place.
    func replace() {
        // The old file's number may not be used again before it is gone.
        let new = Glibc.open("\(path).new", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        close(new)
        rename("\(path).new", path)
    }

    /// What is in it, as 16-bit samples.
    var samples: [Int16] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var samples: [Int16] = []
        var chunk = [Int16](repeating: 0, count: 4096)
        while true {
            let count = fread(&chunk, 2, chunk.count, file)
            if count == 0 { return samples }
            samples.append(contentsOf: chunk.prefix(count))
        }
    }

    /// The time in its first line, in nanoseconds.
    var time: MonotonicTime? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 32)
        if fgets(&line, CInt(line.count), file) == nil { return nil }
        return MonotonicTime(nanoseconds: Int64(strtoll(line, nil, 10)))
    }

    /// How often this process has it open.
    var openCount: Int {
        guard let directory = opendir("/proc/self/fd") else { return -1 }
        defer { closedir(directory) }
        var count = 0
        while let entry = readdir(directory) {
            // The entry is only as long as its name.
            let name = withUnsafePointer(to: &entry.pointee.d_name.0) { String(cString: $0) }
            var target = [CChar](repeating: 0, count: 256)
            let length = readlink("/proc/self/fd/\(name)", &target, target.count - 1)
            if length > 0, target.prefix(length).elementsEqual(path.utf8.map { CChar(bitPattern: $0) }) { count += 1 }
        }
        return count
    }
}

/// A file that is locked until ``open()``; the threads that wait for the lock continue then.
final class LockedFile: Sendable {
    let path: String
    private let file: TemporaryFile
    private let descriptor: CInt

    init() {
        file = TemporaryFile()
        path = file.path
        descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        precondition(flock(descriptor, LOCK_EX) == 0, "a file of our own cannot be locked")
    }

    deinit {
        close(descriptor)
    }

    /// Whether somebody is opening a PCM behind it: it has the file open too.
    var isAwaited: Bool { file.openCount > 1 }

    func open() {
        flock(descriptor, LOCK_UN)
    }
}
