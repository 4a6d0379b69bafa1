import CLinux
import Glibc
import SystemPackage

/// A file below a directory that its path must not leave.
struct ContainedFile: Sendable, Hashable {
    /// The directory, which is trusted: symbolic links in its own path are followed.
    var directory: String
    /// The path below it, without "..". Symbolic links in it are not followed.
    var relativePath: String

    /// The whole path, for people.
    var path: String { "\(directory)/\(relativePath)" }

    /// Opens the file for reading; a pipe or a terminal in its place does not block.
    ///
    /// - Parameter isComponentwise: Whether its path is followed component by component though the kernel may follow it in one
    ///   system call: openat2(2), Linux 5.6.
    /// - Returns: The descriptor, which the caller closes.
    /// - Throws: The system's reason: `ELOOP` if a component is a symbolic link.
    func open(isComponentwise: Bool = false) throws(Errno) -> FileDescriptor {
        let root = try OwnedDirectory(ringer_open_directory(AT_FDCWD, directory, true))
        if !isComponentwise {
            let descriptor = ringer_open_beneath(root.descriptor, relativePath)
            if descriptor >= 0 { return FileDescriptor(rawValue: descriptor) }
            let reason = Errno(rawValue: errno)
            // Older container runtimes return EPERM for unknown system calls.
            guard reason == .noFunction || reason == .notPermitted else { throw reason }
        }
        let components = relativePath.split(separator: "/").map(String.init)
        guard let name = components.last else { throw .isDirectory }
        var parent = root
        for component in components.dropLast() {
            let descriptor = ringer_open_directory(parent.descriptor, component, false)
            if descriptor < 0 { throw parent.reason(errno, for: component) }
            parent = try OwnedDirectory(descriptor)
        }
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let descriptor = openat(parent.descriptor, name, flags)
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        return FileDescriptor(rawValue: descriptor)
    }

    /// An open directory, closed with its owner.
    private struct OwnedDirectory: ~Copyable {
        let descriptor: CInt

        /// Takes over `descriptor`, or throws `errno` if it is negative.
        init(_ descriptor: CInt) throws(Errno) {
            guard descriptor >= 0 else { throw Errno(rawValue: errno) }
            self.descriptor = descriptor
        }

        deinit {
            close(descriptor)
        }

        /// Why the directory `name` in this one was not opened: for a symbolic link the kernel reports ENOTDIR.
        func reason(_ number: CInt, for name: String) -> Errno {
            var status = stat()
            let isLink =
                number == ENOTDIR && fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0
                && status.st_mode & S_IFMT == S_IFLNK
            return isLink ? .tooManySymbolicLinkLevels : Errno(rawValue: number)
        }
    }
}
