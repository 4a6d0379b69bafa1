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
        var isStopping = false
        var failure: LabFailure?
        var stopped: CheckedContinuation<Void, Never>?
        var hasEnded = false
    }

    private final class Shared: Sendable {
        let state = Mutex(State())
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
            Self.end(shared)
        }
    }

    /// Ends the recording and returns it. The last pulse of a line that is still high ends now.
    func stop() async throws -> [Pulse] {
        await withCheckedContinuation { continuation in
            let hasEnded = shared.state.withLock { state in
                state.isStopping = true
                if !state.hasEnded { state.stopped = continuation }
                return state.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
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
                let ends = state.isStopping || count != 1
                if let since = state.highSince, !isHigh || ends {
                    state.pulses.append(Pulse(start: since, length: moment - since))
                    state.highSince = nil
                }
                return ends
            }
            next += interval
            var deadline = timespec(
                tv_sec: Int(next.components.seconds), tv_nsec: Int(next.components.attoseconds / 1_000_000_000))
            if !isStopping { clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, nil) }
        }
    }

    private static func end(_ shared: Shared) {
        let continuation = shared.state.withLock { state in
            state.hasEnded = true
            return state.stopped.take()
        }
        continuation?.resume()
    }

    private static func now() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
