// Rings or vibrates, as the ring/silent switch says, until the call is answered: by a line on standard input.
//
//     RingUntilAnswered [SECONDS]     rings for 30 s at most, or for as long as is said. Status 0: answered; 1: nobody did
import Glibc
import Ringer

@main
struct RingUntilAnswered {
    static func main() {
        let seconds = CommandLine.arguments.count > 1 ? Int(CommandLine.arguments[1]) : 30
        guard CommandLine.arguments.count <= 2, let seconds, seconds > 0 else {
            fail("usage: RingUntilAnswered [SECONDS]", status: 64)
        }
        var isAnswered = false
        do {
            isAnswered = try ring(for: .seconds(seconds))
        } catch {
            fail("RingUntilAnswered: \(error)", status: 2)
        }
        exit(isAnswered ? 0 : 1)
    }

    static func ring(for limit: Duration) throws -> Bool {
        let answer = Answer()
        try Device.run { device in
            // SIGTERM stops the motor and the sound before the process ends.
            try device.closeOnTermination()
            async let _: Void = {
                for await _ in try device.watch(STDIN_FILENO) {
                    // The sound and the motor stop at once.
                    device.alerts.stop()
                    return
                }
            }()
            // A predefined ring, heard at ring and felt where the motor may turn: 1 s on and 2 s off.
            let result = await device.alerts.alert(
                1005, limit: limit, vibration: try VibrationPattern(milliseconds: "1000"), pause: .seconds(2))
            print(result.outcome)
            answer.isGiven = result.outcome == .stopped(.caller)
            // What still waits for an answer is cancelled at the end of this scope.
        }
        return answer.isGiven
    }

    /// Written by the firmware's tasks, and read when they have ended.
    final class Answer: @unchecked Sendable {  // SAFETY: Device.run orders the write before the read.
        var isGiven = false
    }

    static func fail(_ message: String, status: CInt) -> Never {
        var line = "\(message)\n"
        line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
        exit(status)
    }
}
