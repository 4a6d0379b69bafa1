import Glibc
import RingerServices
import SystemPackage

/// Notices when something comes to, goes from or changes its mode in a directory, the directory itself included.
///
/// Device managers create a device's file first and permit it to its group afterwards; the change of mode counts
/// therefore too. A directory that is missing, as /dev/input is while there is no input device, or that the process may
/// not read, is awaited in the nearest directory above it. sysfs sends no such events; see ``DeviceEventNotifier``. The
/// corresponding kernel interface is inotify(7).
struct DirectoryNotifier: ChangeNotifier, ~Copyable {
    private let directory: FilePath
    private var watch: CInt = -1
    let descriptor: CInt

    private static let mask = UInt32(
        IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

    /// Watches `directory` from now on.
    ///
    /// - Throws: ``RingerError`` where the user has no inotify instances or watches left.
    init(_ directory: FilePath) throws(RingerError) {
        self.directory = directory
        descriptor = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
        guard descriptor >= 0 else { throw RingerError("watch for changes", directory.string, .current) }
        do throws(Errno) {
            try rearm()
        } catch {
            throw RingerError("watch for changes", directory.string, error)
        }
    }

    deinit {
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    /// Reads what happened, and moves the watch to the nearest directory that exists now. The caller looks at the
    /// directory afterwards.
    ///
    /// - Returns: True.
    @discardableResult
    mutating func drain() -> Bool {
        var buffer: [UInt8] = Array(repeating: 0, count: 4096)
        // Changing watches makes events too: without another round they would wake the reader again.
        while read(descriptor, &buffer, buffer.count) > 0 {
            // Where this fails, the user has no watches left: the one there is stays.
            try? rearm()
        }
        return true
    }

    private mutating func rearm() throws(Errno) {
        var target = directory
        var attempts = 0
        while true {
            let added = inotify_add_watch(descriptor, target.string, Self.mask)
            if added >= 0 {
                if watch != added && watch >= 0 { inotify_rm_watch(descriptor, watch) }
                watch = added
                // The next directory down may have appeared before its parent was watched.
                attempts += 1
                // One that exists and cannot be watched is not tried for ever.
                if target == directory || attempts > 8 || !nextExists(below: target) { return }
                target = directory
                continue
            }
            let reason = Errno.current
            guard [.noSuchFileOrDirectory, .notDirectory, .permissionDenied].contains(reason), !target.isEmpty else {
                throw reason
            }
            let parent = target.removingLastComponent()
            if parent == target { throw reason }
            target = parent.isEmpty ? "." : parent
        }
    }

    private func nextExists(below ancestor: FilePath) -> Bool {
        var next = directory
        while true {
            let parent = next.removingLastComponent()
            if parent == ancestor || parent.isEmpty || parent == next { break }
            next = parent
        }
        // A file in its place, as in /dev/null/event0, cannot be watched: the parent's watch shows when it changes.
        var status = stat()
        return stat(next.string, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
