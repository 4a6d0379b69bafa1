import RingerLinux
import Synchronization
import SystemPackage
import RingerTerminal

/// Records what a device does during a command, and writes it to a file at the end.
final class TraceRecording: Sendable {
    /// The file's format.
    enum Format: Sendable {
        case valueChangeDump, picture

        /// The format for a file's extension; nil if it is another extension.
        init?(_ file: String) {
            switch FilePath(file).extension?.lowercased() {
            case "vcd": self = .valueChangeDump
            case "svg": self = .picture
            default: return nil
            }
        }
    }

    let recorder = SignalRecorder()
    private let path: String
    private let format: Format
    private let file: Mutex<ReplacementFile?>

    /// A recording into the file at `path`, which is created now, so that nothing is played if that fails.
    init(_ path: String, _ format: Format) throws(RingerError) {
        self.path = path
        self.format = format
        do {
            file = Mutex(try ReplacementFile(FilePath(path)))
        } catch {
            throw RingerError("create", path, (error as? Errno) ?? .ioError)
        }
    }

    /// Writes the file. A second call does nothing.
    func finish(at time: MonotonicTime) throws(RingerError) {
        recorder.end(at: time)
        try write()
    }

    /// The same after the command's result, beside which nothing else is shown as JSON.
    func finish(afterResultAt time: MonotonicTime) throws(ShownFailure) {
        do throws(RingerError) { try finish(at: time) } catch { throw ShownFailure(description: "\(error)") }
    }

    /// Writes the recording when a signal ends the process.
    func finishOnTermination() {
        do throws(RingerError) {
            try write()
        } catch {
            Terminal.complain("ringer: \(error)")
        }
    }

    private func write() throws(RingerError) {
        let trace = recorder.trace
        let text =
            switch format {
            case .valueChangeDump: ValueChangeDump.text(of: trace)
            case .picture: TimelinePicture(of: trace, title: FilePath(path).stem ?? path, marks: "test").svg
            }
        do {
            try file.withLock { file in
                guard var open = file.take() else { return }
                try open.descriptor.writeAll(text.utf8)
                try open.finish()
            }
        } catch {
            throw RingerError("write", path, (error as? Errno) ?? .ioError)
        }
    }
}
