import CServiceSupport
import Glibc
import RingerCore
import RingerBus
import SystemPackage

/// A message bus of its own for one test: a dbus-daemon that ends with it.
package final class TestBus: Sendable {
    package let address: String
    private let process: pid_t
    /// The folder of its socket and configuration; nil where it has none of its own.
    private let folder: String?

    /// - Parameter path: Its socket; nil for one that dbus-daemon chooses.
    package convenience init(path: String? = nil) throws {
        try self.init(["--session"], path, folder: nil)
    }

    /// A bus with the system bus's own configuration and the service's policies, to which root and every other user may
    /// connect. Only root can start it.
    package static func system() throws -> TestBus {
        guard getuid() == 0 else {
            throw RingerError("start a system bus", "as this user: run the test as root", Errno.notPermitted)
        }
        var name = Array("/tmp/ringer-bus-XXXXXX".utf8CString)
        guard mkdtemp(&name) != nil else { throw RingerError("make a folder in", "/tmp", Errno(rawValue: errno)) }
        let folder = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        chmod(folder, 0o755)
        let package = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
        let configuration = """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <include>/usr/share/dbus-1/system.conf</include>
              <include>\(package)/packaging/org.ringer.Ringer1.conf</include>
            </busconfig>
            """
        let file = try FileDescriptor.open(
            FilePath(folder + "/bus.conf"), .writeOnly, options: .create,
            permissions: [.ownerReadWrite, .groupRead, .otherRead])
        try file.closeAfter { _ = try file.writeAll(configuration.utf8) }
        return try TestBus(["--config-file=\(folder)/bus.conf"], folder + "/bus", folder: folder)
    }

    private init(_ options: [String], _ path: String?, folder: String?) throws {
        self.folder = folder
        var pipe: [CInt] = [-1, -1]
        guard Glibc.pipe(&pipe) == 0 else { throw RingerError("make a pipe", "dbus-daemon", Errno(rawValue: errno)) }
        for end in pipe { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let words =
            [
                "dbus-daemon", "--nofork", "--nopidfile", "--nosyslog",
                "--address=unix:\(path.map { "path=" + $0 } ?? "tmpdir=/tmp")",
                "--print-address=3",
            ] + options
        defer { close(pipe[0]) }
        do {
            defer { close(pipe[1]) }
            process = try startProcess(words) { actions in
                posix_spawn_file_actions_adddup2(&actions, pipe[1], 3)
                test_close_from(&actions, 4)
            }
        }
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while read(pipe[0], &byte, 1) == 1, byte != UInt8(ascii: "\n") { bytes.append(byte) }
        // Its own address has a number that another bus at the same path does not have.
        address = path.map { "unix:path=" + $0 } ?? String(decoding: bytes, as: UTF8.self)
    }

    package func send(_ signal: CInt) {
        kill(process, signal)
    }

    deinit {
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
        guard let folder else { return }
        for name in ["/bus", "/bus.conf", ""] { remove(folder + name) }
    }
}
