import Glibc
import Ringer
import Synchronization

/// Lines on standard output and standard error, in order. Printing one does not wait until it is read.
final class Output: Sendable {
    /// How many lines may wait; more are lost, and counted.
    private static let limit = 10_000

    private let clock: any DeviceClock
    private let waiting = Mutex<(lines: Int, lost: Int)>((0, 0))

    /// Lines are written on the callback thread of `clock`, on which nothing else is to run.
    init(_ clock: any DeviceClock) {
        self.clock = clock
    }

    func line(_ text: String) {
        write(text, to: STDOUT_FILENO)
    }

    func complaint(_ text: String) {
        write("VoIPHandset: " + text, to: STDERR_FILENO)
    }

    private func write(_ text: String, to descriptor: CInt) {
        let isLost = waiting.withLock { waiting in
            if waiting.lines == Self.limit { waiting.lost += 1 } else { waiting.lines += 1 }
            return waiting.lost > 0
        }
        if isLost { return }
        clock.callBack { [self] in
            Self.write(text, to: descriptor)
            let lost = waiting.withLock { waiting in
                waiting.lines -= 1
                if waiting.lines > 0 { return 0 }
                defer { waiting.lost = 0 }
                return waiting.lost
            }
            if lost > 0 { complaint("\(lost) lines were not read in time, and are lost") }
        }
    }

    /// Writes a line at once. If its reader ended, it is lost.
    static func write(_ text: String, to descriptor: CInt) {
        var bytes = Array((text + "\n").utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno != EINTR {
                return
            }
        }
    }
}
