import Glibc
import Ringer
import RingerTestKit

/// Commands on standard input.
struct Console {
    private let handset: Handset
    private let registration: Registration?
    private let board: SimulatedBoard?
    private let output: Output

    init(_ handset: Handset, _ registration: Registration?, _ board: SimulatedBoard?, _ output: Output) {
        self.handset = handset
        self.registration = registration
        self.board = board
        self.output = output
    }

    /// Reads commands until the end of standard input.
    func read(from device: Device) async {
        var line: [UInt8] = []
        guard let readiness = try? device.watch(STDIN_FILENO) else { return }
        for await ready in readiness {
            if ready.contains(.invalid) { return }
            var bytes = [UInt8](repeating: 0, count: 256)
            let count = bytes.withUnsafeMutableBytes { Glibc.read(STDIN_FILENO, $0.baseAddress, $0.count) }
            if count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN) { return }
            for byte in bytes.prefix(max(count, 0)) {
                if byte == UInt8(ascii: "\n") {
                    obey(String(decoding: line, as: UTF8.self))
                    line = []
                } else if line.count < 256 {
                    line.append(byte)
                }
            }
        }
    }

    private func obey(_ command: String) {
        switch command {
        case "answer": handset.send(.answer)
        case "reject": handset.send(.reject)
        case "hang up": handset.send(.hangUp)
        case "silence": handset.send(.silence)
        case "status": output.line(Line.json(handset.status + (registration?.status ?? [])))
        case "": break
        default:
            if let board, let position = Self.position(command) {
                board.ringSilent.position = position
            } else {
                output.complaint("Unknown command: answer, reject, hang up, silence or status.")
            }
        }
    }

    private static func position(_ command: String) -> SwitchPosition? {
        let prefix = "position "
        return command.hasPrefix(prefix) ? SwitchPosition(rawValue: String(command.dropFirst(prefix.count))) : nil
    }
}
