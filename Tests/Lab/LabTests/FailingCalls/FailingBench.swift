import CALSA
import CLabSupport
import Glibc
import RingerLinux
import Synchronization

/// A device on the laboratory's drivers while system calls fail, and what a user of it asks for. It is used on one thread,
/// which may block: nothing of it runs in the cooperative pool.
final class FailingBench: Sendable {
    /// Which system call fails, with what and how often.
    struct Failure: Sendable, CustomStringConvertible {
        var number: Int
        var error: CInt
        var times: Int

        static let none = Failure(number: -1, error: 0, times: 0)
        /// So often that a program repeats it for ever.
        static let always = 1_000_000

        var description: String {
            "\(number):\(error):\(times) (\(String(cString: strerror(error))))"
        }
    }

    private struct State {
        var device: Device?
        /// How often each request ended.
        var ends: [Int] = []
        /// From which sample on nothing may be heard, and from which on it may be again.
        var silence: [(from: Int, to: Int)] = []
        var followsVolume = false
    }

    private static let motorLines = [LabBoard.motorLine, LabBoard.rawMotorLine, LabBoard.ledMotorLine]

    private let recorder: LoopbackRecorder?
    private let failure: Failure
    private let state = Mutex(State())

    /// Listens to what is played, if `isHeard`.
    init(_ failure: Failure, isHeard: Bool) throws {
        self.failure = failure
        recorder = isHeard ? try LoopbackRecorder() : nil
    }

    // MARK: - For scenarios

    /// From here on the call fails.
    func begin() { lab_calls_begin(CInt(failure.number), CInt(failure.times), failure.error) }

    /// Opens the device.
    func open(_ hardware: Device.Hardware) throws {
        let device = try Device.open(hardware)
        state.withLock { state in
            state.device = device
            state.followsVolume = hardware.following.contains(.volume)
        }
    }

    /// The open device.
    var device: Device {
        get throws {
            guard let device = state.withLock({ $0.device }) else { throw LabFailure("no device") }
            return device
        }
    }

    /// The completion of a request, which has to end once.
    func request<Result>() -> @Sendable (Result) -> Void {
        let number = state.withLock { state in
            state.ends.append(0)
            return state.ends.count - 1
        }
        return { _ in self.state.withLock { $0.ends[number] += 1 } }
    }

    func wait(_ milliseconds: Int) {
        aside { _ = usleep(useconds_t(milliseconds) * 1_000) }
    }

    /// Does what belongs to the test.
    func aside<Value>(_ body: () throws -> Value) rethrows -> Value {
        lab_calls_spare(1)
        defer { lab_calls_spare(-1) }
        return try body()
    }

    /// Moves the switch.
    func flip(to position: SwitchPosition, _ line: Int = LabBoard.switchLine) throws {
        try aside { try LabBoard.chip.setPull(line, position == .silent ? .up : .down) }
        let count = recorder?.count ?? 0
        state.withLock { state in
            if position == .silent {
                state.silence.append((count, .max))
            } else if !state.silence.isEmpty {
                state.silence[state.silence.count - 1].to = count
            }
        }
    }

    // MARK: - Afterwards

    /// What is wrong after a scenario, which may be heard for so many milliseconds at silent.
    func findings(_ before: [String], mayBeHeard: Int) async throws -> [String] {
        var findings: [String] = []
        if lab_calls_endless() != 0 { findings.append("repeated for ever") }
        let heard = try await recorder?.stop() ?? []
        for (from, to) in state.withLock({ $0.silence }) {
            let last = heard[min(from, heard.count)..<min(to, heard.count)].lastIndex { $0 != 0 }
            if let last, last - from > mayBeHeard * 48 { findings.append("heard \((last - from) / 48) ms at silent") }
        }
        // What failed is tried again, the motor after at most a second.
        if try await !isSoon({ try turning.isEmpty }) { findings.append("motors \(try turning) turn") }
        if try await !isSoon({ open == 0 }) { findings.append("\(open) requests did not end") }
        if mayWorkAfterwards, let finding = try await afterwards() { findings.append(finding) }
        await close()
        if try !turning.isEmpty { findings.append("motors \(try turning) turn after the end") }
        // The next scenario reads it anew.
        snd_config_update_free_global()
        let twice = state.withLock { $0.ends.count { $0 > 1 } }
        if twice > 0 { findings.append("\(twice) requests ended twice") }
        if try await !isSoon({ try openDescriptors() == before }) {
            let now = try openDescriptors()
            findings.append(
                "descriptors: \(before.count) before, \(now.count) now: \(now.filter { !before.contains($0) })")
        }
        return findings
    }

    /// ENODEV means that a device is gone until its file comes back; and libgpiod says so where it cannot look at sysfs.
    private var mayWorkAfterwards: Bool {
        failure.error != ENODEV && !String(cString: lab_calls_description()).hasPrefix("access(/sys/bus/gpio/")
    }

    /// What does not work any more, now that no call fails; nil if all does.
    private func afterwards() async throws -> String? {
        guard let device = state.withLock({ $0.device }) else { return nil }
        let played = Probe<SoundOutcome>(device.clock)
        try device.start(.silence(duration: .milliseconds(20)), category: .playback) { played.tell($0.outcome) }
        let outcome = try? await played.next(within: .seconds(10))
        if outcome != .finished { return "afterwards a sound is \(outcome as Any)" }
        for isSilent in [true, false] {
            try LabBoard.setSwitch(silent: isSilent)
            try LabBoard.chip.setPull(LabBoard.rawSwitchLine, isSilent ? .up : .down)
            let position: SwitchPosition = isSilent ? .silent : .ring
            if try await !isSoon({ device.state.ringSilent == position }) { return "afterwards the switch is not read" }
        }
        guard state.withLock({ $0.followsVolume }) else { return nil }
        do throws(RingerError) {
            try device.setOutputVolume(0.5)
            return nil
        } catch {
            return "afterwards the volume is not set: \(error)"
        }
    }

    /// The motors that turn.
    private var turning: [Int] {
        get throws { try Self.motorLines.filter { try LabBoard.chip.isHigh($0) } }
    }

    /// How many requests have not ended.
    private var open: Int { state.withLock { $0.ends.count { $0 == 0 } } }

    /// Whether `condition` is true within 10 s: a sound waits 2 s for a PCM that is busy.
    private func isSoon(_ condition: () throws -> Bool) async throws -> Bool {
        for _ in 0..<100 {
            if try condition() { return true }
            try await Task.sleep(for: .milliseconds(100))
        }
        return try condition()
    }

    private func close() async {
        let device = state.withLock { $0.device.take() }
        try? await blocking { device?.close() }
    }
}

/// What this process has open, without what comes and goes in /proc itself.
func openDescriptors() throws -> [String] {
    try KernelFile.names(in: "/proc/self/fd").compactMap { name in
        var bytes: [CChar] = Array(repeating: 0, count: 256)
        let count = readlink("/proc/self/fd/\(name)", &bytes, bytes.count)
        let link = String(decoding: bytes.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return link.isEmpty || link.hasPrefix("/proc/") ? nil : link
    }.sorted()
}
