import Glibc
import SystemPackage
import Testing

@testable import RingerLinux

@Suite struct InotifyDescriptorTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test("creating, removing and changing the mode of a file is reported; reading and writing it is not")
    func files() throws {
        let notifier = try Notifier(directory.makeDirectory("input"))
        #expect(!notifier.hasChanges())
        let file = try directory.write("", to: "input/event0")
        #expect(notifier.hasChanges())
        _ = try directory.read("input/event0")
        try directory.write("x", to: "input/event0")
        #expect(!notifier.hasChanges())
        chmod(file.string, 0o660)
        #expect(notifier.hasChanges())
        directory.remove("input/event0")
        #expect(notifier.hasChanges())
        #expect(!notifier.hasChanges())
    }

    @Test("a directory that is missing is awaited, several levels deep")
    func missingDirectory() throws {
        let notifier = try Notifier(directory.path.pushing("a/b/c"))
        directory.makeDirectory("other")
        _ = notifier.hasChanges()
        directory.makeDirectory("a")
        #expect(notifier.hasChanges())
        directory.makeDirectory("a/b")
        #expect(notifier.hasChanges())
        directory.makeDirectory("a/b/c")
        #expect(notifier.hasChanges())
        try directory.write("", to: "a/b/c/event0")
        #expect(notifier.hasChanges())
    }

    // Used to be an error: a device whose switch this process may not read yet did not open.
    @Test(
        "a directory that may not be read is awaited",
        .enabled(if: geteuid() == 0, "it gives up root's rights, which root may"))
    func forbiddenDirectory() throws {
        chmod(directory.path.string, 0o755)
        let path = directory.makeDirectory("input")
        chmod(path.string, 0o700)
        let notifier = try withoutRootsRights { Result { try Notifier(path) } }.get()
        try directory.write("", to: "input/event0")
        #expect(!withoutRootsRights { notifier.hasChanges() })
        chmod(path.string, 0o755)
        #expect(withoutRootsRights { notifier.hasChanges() })
        try directory.write("", to: "input/event1")
        #expect(withoutRootsRights { notifier.hasChanges() })
    }

    // Below /dev/null it was looked for without end.
    @Test("a directory whose place a file has is awaited", arguments: ["file", "file/below", "file/far/below"])
    func fileInItsPlace(name: String) throws {
        try directory.write("", to: "file")
        let notifier = try Notifier(directory.path.pushing(FilePath(name)))
        directory.remove("file")
        #expect(notifier.hasChanges())
        directory.makeDirectory(name)
        #expect(notifier.hasChanges())
        try directory.write("", to: "\(name)/event0")
        #expect(notifier.hasChanges())
    }

    @Test("a directory that was removed and made again is watched again")
    func removedDirectory() throws {
        let notifier = try Notifier(directory.makeDirectory("input"))
        for _ in 0..<3 {
            directory.remove("input")
            #expect(notifier.hasChanges())
            try directory.write("", to: "input/event0")
            #expect(notifier.hasChanges())
            try directory.write("", to: "input/event1")
            #expect(notifier.hasChanges())
        }
    }

    @Test("a directory that was moved away and replaced is not mistaken for the new one")
    func movedDirectory() throws {
        let path = directory.makeDirectory("input")
        let notifier = try Notifier(path)
        rename(path.string, directory.path.appending("old").string)
        #expect(notifier.hasChanges())
        directory.makeDirectory("input")
        #expect(notifier.hasChanges())
        try directory.write("", to: "old/event0")
        #expect(!notifier.hasChanges())
        try directory.write("", to: "input/event0")
        #expect(notifier.hasChanges())
    }
}

/// A notifier that expectations can ask.
private final class Notifier {
    private var notifier: InotifyDescriptor

    init(_ directory: FilePath) throws {
        notifier = try InotifyDescriptor(directory)
    }

    /// Whether there are changes, which are read.
    func hasChanges() -> Bool {
        var ready = pollfd(fd: notifier.descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&ready, 1, 0) > 0 else { return false }
        notifier.drain()
        return true
    }
}
