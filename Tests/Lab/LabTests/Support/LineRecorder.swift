import Glibc
import Synchronization

/// Records when a line is high, by looking at it at regular intervals from a thread of its own.
///
/// In virtual time the line is read exactly on time, so the result is exact to one interval.
final class LineRecorder: Sendable {
    /// One stretch in which the line was high: from when, since the recording began, and for how long.
    struct Pulse: Equatable, Sendable {
        var start: Duration
        var length: Duration
    }

    private struct State {
        var pulses: [Pulse] = []
        var highSince: Duration?
        var failure: LabFailure?
    }

    private final class Shared: Sendable {
        let state = Mutex(State())
        let end = RecordingEnd()
    }

    private let shared = Shared()

    /// Begins to record a line.
    init(_ chip: SimulatedChip, line: Int, every interval: Duration = .milliseconds(1)) throws {
        let path = chip.valuePath(of: line)
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw LabFailure.system("open", path) }
        let shared = shared
        try startThread {
            Self.record(file, path, interval, shared)
            close(file)
            shared.end.come()
        }
    }

    /// Ends the recording and returns it. The last pulse of a line that is still high ends now.
    func stop() async throws -> [Pulse] {
        await shared.end.wait()
        return try shared.state.withLock { state in
            if let failure = state.failure { throw failure }
            return state.pulses
        }
    }

    private static func record(_ file: Int32, _ path: String, _ interval: Duration, _ shared: Shared) {
        let start = now()
        var next = start
        var isStopping = false
        while !isStopping {
            var byte: UInt8 = 0
            let count = pread(file, &byte, 1, 0)
            let moment = next - start
            isStopping = shared.state.withLock { state in
                if count != 1 { state.failure = LabFailure.system("read", path) }
                let isHigh = byte == UInt8(ascii: "1")
                if isHigh && state.highSince == nil { state.highSince = moment }
                let ends = shared.end.isAskedFor || count != 1
                if let since = state.highSince, !isHigh || ends {
                    state.pulses.append(Pulse(start: since, length: moment - since))
                    state.highSince = nil
                }
                return ends
            }
            next += interval
            var deadline = timespec(
                tv_sec: .init(next.components.seconds), tv_nsec: .init(next.components.attoseconds / 1_000_000_000))
            if !isStopping { clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, nil) }
        }
    }

    private static func now() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
