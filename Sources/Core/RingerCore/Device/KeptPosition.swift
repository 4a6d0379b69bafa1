import Glibc
import SystemPackage

/// The position that software or a button sets, in its file: one word. Any thread.
final class KeptPosition: Sendable {
    /// The position that the file had at the start; silent where it could not be read.
    let first: SwitchPosition
    /// Why the file could not be read; nil if it could, or is not there yet.
    let problem: RingerError?
    private let writer: TextFileWriter

    /// Reads the file at `path`, which need not exist: `initial` is the position then.
    init(_ path: String, initial: SwitchPosition) {
        writer = TextFileWriter(path: path)
        do throws(RingerError) {
            let word = try TextFile.read(path)
            guard word.last == "\n", let position = SwitchPosition(rawValue: String(word.dropLast())) else {
                throw RingerError(
                    .invalid, "read the position", path,
                    detail: "it is not ring, vibrate or silent; it counts as silent until the next one is set")
            }
            (first, problem) = (position, nil)
        } catch {
            (first, problem) = Self.isMissing(path) ? (initial, nil) : (.silent, error)
        }
    }

    /// Whether there is no file yet, in a directory that is there: the file of a directory that is not mounted may say silent.
    private static func isMissing(_ path: String) -> Bool {
        let parent = FilePath(path).removingLastComponent()
        do {
            let directory = try FileDescriptor.open(
                parent.isEmpty ? "." : parent, .readOnly, options: [.directory, .closeOnExec])
            defer { try? directory.close() }
            var information = stat()
            return lstat(path, &information) != 0 && errno == ENOENT
        } catch {
            return false
        }
    }

    /// Writes the position, and calls `completion` once it is durable, or with why it is not: on the thread that writes.
    func write(_ position: SwitchPosition, _ completion: @escaping @Sendable (RingerError?) -> Void) {
        writer.write(position.rawValue + "\n", completion)
    }

    /// Waits until what was set is written.
    func finish() {
        writer.finish()
    }

    /// Calls `body` once what was set is written: at once, or on the thread that writes.
    func whenWritten(_ body: @escaping @Sendable () -> Void) {
        writer.whenWritten(body)
    }
}
