// Announces a payment for each line on standard input. A line is an amount, and the name of its recording:
//
//     echo 12.50 | AnnouncePayment /usr/share/firmware     plays received.wav and 12.50.wav of this folder as one sound
import Glibc
import Ringer

@main
struct AnnouncePayment {
    static func main() {
        guard CommandLine.arguments.count == 2 else { fail("usage: AnnouncePayment FOLDER", status: 64) }
        let folder = CommandLine.arguments[1]
        do {
            try Device.run { device in
                try device.closeOnTermination()
                let lines = try device.watch(STDIN_FILENO)
                // The group's tasks stay on this thread. At the end of the input it waits for them.
                await withDiscardingTaskGroup { announcing in
                    var input = ""
                    for await _ in lines {
                        guard let text = readInput() else { break }
                        input += text
                        while let end = input.firstIndex(of: "\n") {
                            let amount = String(input[..<end])
                            input = String(input[input.index(after: end)...])
                            announcing.addTask { await announce(amount, from: folder, on: device) }
                        }
                    }
                }
            }
        } catch {
            fail("AnnouncePayment: \(error)", status: 1)
        }
    }

    /// Queues the announcement, which is heard whole and after those before it, and reports its outcome.
    static func announce(_ amount: String, from folder: String, on device: Device) async {
        do {
            let clips = try ["received", amount].map { try SoundLoader.load("\(folder)/\($0).wav") }
            // In a silent room the switch is obeyed; without the option, a payment is heard there too.
            let result = try await device.announcements.announce(
                Announcement(joining: clips, category: .playback, options: .honoursRingSilentSwitch))
            print("\(amount): \(result.outcome)")
        } catch {
            print("\(amount): \(error)")
        }
    }

    /// What standard input has now; nil at its end.
    static func readInput() -> String? {
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }

    static func fail(_ message: String, status: CInt) -> Never {
        var line = "\(message)\n"
        line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
        exit(status)
    }
}
