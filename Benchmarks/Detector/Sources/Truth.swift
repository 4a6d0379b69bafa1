import RingerLinux
import Synchronization
import SystemPackage

/// Measures again and again on the laboratory's board, with a flip of the switch's line at a random moment before each
/// measurement: up to three times as long before it as a sound may go on, and counts the verdicts that contradict the line.
struct Truth {
    private static let line = "/sys/devices/platform/gpio-sim/gpiochip0/sim_gpio0/pull"

    private let device: Device
    /// Another reader of the switch: the truth, from when on a thread of this process can know it.
    private let reports: EventLoop
    private let newest = Newest()
    private let ringSilent: any RingSilentSwitch
    /// How long after that a sound may go on.
    private let delay: Duration
    private var counts = (right: 0, between: 0, unknown: 0, wrong: 0)
    private var causes: [String: Int] = [:]
    /// The first wrong readings.
    private var odd: [String] = []

    /// - Parameter pcm: The PCM. On one whose name begins with `ringer`, nothing but the PCM knows the switch.
    init(pcm: String) async throws {
        // An ordinary thread beside busy loops reads a flip when its turn comes, which is too late for a verdict.
        let priority = 20
        var hardware = Device.Hardware(motor: .some(.none), statusLight: "none", pcm: pcm, realTimePriority: priority)
        let isPlugIn = pcm.hasPrefix("ringer")
        if isPlugIn { hardware.ringSilent = try SwitchSpecification("evdev:/dev/input/none") }
        delay = isPlugIn ? .milliseconds(100) : .milliseconds(20)
        device = try await Device.discover(hardware)
        reports = try EventLoop(name: "truth", realTimePriority: priority)
        ringSilent = try SwitchSpecification("evdev:auto").make(loop: reports)
        try ringSilent.start { [newest] event in
            if case .position(let position, _) = event { newest.set(position, .now) }
        }
    }

    mutating func measure(_ count: Int) async throws {
        var isSilent = false
        try Self.flip(toSilent: isSilent)
        for _ in 0..<count {
            isSilent.toggle()
            try Self.flip(toSilent: isSilent)
            // Most of them later than a contrary verdict is excused.
            try await Task.sleep(for: delay * Double.random(in: 0..<3))
            let asked = MonotonicTime.now
            let reading = await device.muteDetector.measure()
            // Reported by now, or soon: it is debounced.
            while newest.position?.silences != isSilent { try await Task.sleep(for: .milliseconds(1)) }
            judge(reading, isSilent, asked - newest.at)
        }
        ringSilent.close()
        reports.close()
        device.close()
    }

    /// Counts a reading that was asked for so long after the switch was read.
    private mutating func judge(_ reading: MuteReading, _ isSilent: Bool, _ age: Duration) {
        let truth: MuteReading.Verdict = isSilent ? .muted : .audible
        switch reading.verdict {
        case .unknown:
            counts.unknown += 1
            causes[reading.cause.map { "\($0)" } ?? "", default: 0] += 1
        case truth: counts.right += 1
        // The flip took effect while it measured, or after it.
        case _ where age < delay: counts.between += 1
        default:
            counts.wrong += 1
            if odd.count < 5 { odd.append("    \(age) after a flip: \(reading)") }
        }
    }

    /// Prints what was counted. Returns whether no verdict was wrong.
    func report(_ title: String) -> Bool {
        print(
            "\(title): \(counts.right) right, \(counts.between) of a moment before the flip, \(counts.unknown) unknown,",
            "\(counts.wrong) wrong")
        for (cause, count) in causes { print("    unknown: \(count) \(cause)") }
        for reading in odd { print(reading) }
        return counts.wrong == 0 && counts.right > counts.unknown
    }

    private static func flip(toSilent isSilent: Bool) throws {
        let file = try FileDescriptor.open(line, .writeOnly)
        try file.closeAfter {
            _ = try file.writeAll((isSilent ? "pull-up" : "pull-down").utf8)
        }
    }
}

/// The newest report of a switch. Any thread.
private final class Newest: Sendable {
    private let state = Mutex<(position: SwitchPosition?, at: MonotonicTime)>((nil, .now))

    var position: SwitchPosition? { state.withLock { $0.position } }
    var at: MonotonicTime { state.withLock { $0.at } }

    func set(_ position: SwitchPosition, _ at: MonotonicTime) { state.withLock { $0 = (position, at) } }
}
