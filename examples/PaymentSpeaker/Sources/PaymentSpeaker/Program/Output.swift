import Glibc
import Ringer

/// Lines on standard output or standard error, in order. Printing one does not wait until it is read.
@PaymentActor
final class Output {
    /// How many lines may wait; more are lost, and counted.
    private static let limit = 1000

    private let descriptor: CInt
    private var waiting: [ArraySlice<UInt8>] = []
    private var lost = 0
    private let unwritten = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    init(_ descriptor: CInt) {
        self.descriptor = descriptor
    }

    func line(_ text: String) {
        write()
        guard waiting.count < Self.limit else { return lost += 1 }
        waiting.append(Array((Self.printable(text) + "\n").utf8)[...])
        write()
        if !waiting.isEmpty { unwritten.continuation.yield() }
    }

    /// Writes what waits, as the reader takes it, until the task is cancelled or the device is closed.
    func run(_ device: Device) async throws {
        for await _ in unwritten.stream {
            for await _ in try device.watch(descriptor, for: .writable) {
                write()
                if waiting.isEmpty { break }
            }
        }
    }

    /// Writes as much as the descriptor takes at once.
    private func write() {
        while let line = waiting.first, canWrite {
            // A pipe that poll(2) calls writable takes so much without waiting.
            let count = line.prefix(Int(PIPE_BUF)).withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                waiting[0] = line.dropFirst(count)
            } else if errno != EINTR {
                // Its reader ended.
                waiting[0] = []
            }
            if waiting[0].isEmpty { waiting.removeFirst() }
        }
        guard waiting.isEmpty, lost > 0 else { return }
        let count = lost
        lost = 0
        line("\(count) lines were not read in time, and are lost")
    }

    /// Whether a write does not wait.
    private var canWrite: Bool {
        var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&state, 1, 0) > 0
    }

    /// The text with escapes, as JSON has them, for what could forge a line or command a terminal: control characters, line
    /// separators, and format characters such as those that change the direction of writing. Text from the network is in
    /// many lines; none is printed without this filter. A line of JSON keeps its meaning.
    nonisolated static func printable(_ text: String) -> String {
        var printable = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    printable += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: printable.unicodeScalars.append(scalar)
            }
        }
        return printable
    }
}
