import Glibc
import RingerCore
import SystemPackage

/// Reports that a file of a directory, or the directory itself, was created, removed, renamed or changed its mode.
///
/// Modes count because device managers create a device's file before they give their group access to it. If the
/// directory is missing (/dev/input without any input device) or unreadable, its nearest readable ancestor is watched
/// instead. sysfs does not support inotify; see ``UeventSocket``. The corresponding kernel interface is inotify(7).
struct InotifyDescriptor: ChangeNotifier, ~Copyable {
    // These two never change; Swift 6.2 lets no initializer call a mutating method beside a constant.
    private var directory: FilePath
    private(set) var descriptor: CInt
    private var watch: CInt = -1
    private var mask = Self.mask

    private static let mask = UInt32(
        IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

    /// Starts watching `directory`.
    ///
    /// - Parameter contents: Whether it reports also that a file was written.
    /// - Throws: ``RingerError`` if the user has no inotify instances or watches left.
    init(_ directory: FilePath, contents: Bool = false) throws(RingerError) {
        self.directory = directory
        if contents { mask |= UInt32(IN_CLOSE_WRITE) }
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

    /// Reads the pending events, and moves the watch to the directory or its nearest existing ancestor. The caller
    /// looks at the directory afterwards.
    ///
    /// - Returns: True.
    @discardableResult
    mutating func drain() -> Bool {
        var buffer: [UInt8] = Array(repeating: 0, count: 4096)
        // Moving a watch makes events too: read those as well, or they wake the reader again.
        while read(descriptor, &buffer, buffer.count) > 0 {
            // This fails if the user has no watches left: the present watch stays.
            try? rearm()
        }
        return true
    }

    private mutating func rearm() throws(Errno) {
        var target = directory
        var attempts = 0
        while true {
            let added = inotify_add_watch(descriptor, target.string, mask)
            if added >= 0 {
                if watch != added && watch >= 0 { inotify_rm_watch(descriptor, watch) }
                watch = added
                // The next directory down may have been created before its parent was watched.
                attempts += 1
                // Give up on a directory that exists and cannot be watched.
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
        // A file in place of the directory, as in /dev/null/event0, cannot be watched: its parent's watch reports its
        // removal.
        var status = stat()
        return stat(next.string, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
