import Glibc
import Ringer
import RingerTestKit

/// What a person does to a simulated board, on standard input: moves its switch, turns its volume, presses its key.
@PaymentActor
struct Console {
    static let commands = "position ring|vibrate|silent, volume 0 to 1, repeat"

    let board: SimulatedBoard
    let complain: (String) -> Void

    /// Reads commands until the end of standard input.
    func read(from device: Device) async throws {
        var line: [UInt8] = []
        for await _ in try device.watch(STDIN_FILENO) {
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

    func obey(_ command: String) {
        let words = command.split(separator: " ").map(String.init)
        let value = words.count == 2 ? words[1] : ""
        if words.isEmpty { return }
        if words[0] == "position", let position = SwitchPosition(rawValue: value) {
            board.ringSilent.position = position
        } else if words[0] == "volume", let volume = Float(value), (0...1).contains(volume) {
            board.surroundings.set(.outputVolume(volume))
        } else if words == ["repeat"] {
            board.keys.press(.repeatAnnouncement)
            board.keys.release(.repeatAnnouncement)
        } else {
            complain("unknown command; the commands are \(Self.commands)")
        }
    }
}
