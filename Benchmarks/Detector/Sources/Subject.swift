import RingerLinux
import RingerTestKit

/// A device whose sounds are known to be heard or not, and the detector's findings.
struct Subject {
    enum Kind: String, CaseIterable {
        case heard = "is heard"
        case switchAtSilent = "switch at silent"
        case routedToNothing = "PCM routed to nothing"
        case swallows = "PCM that swallows what it is given"
        case missing = "PCM that is missing"
        case standsStill = "PCM that stands still"

        var pcm: String {
            switch self {
            case .heard, .switchAtSilent: "paced"
            case .routedToNothing: "plug:null"
            case .swallows: "paced:FAULT=unpaced,TIMES=0"
            case .missing: "missing"
            case .standsStill: "paced:FAULT=stall,FRAME=2400,TIMES=0"
            }
        }

        /// The right verdict; nil if it cannot be known.
        var truth: MuteReading.Verdict? {
            switch self {
            case .heard: .audible
            case .switchAtSilent, .routedToNothing, .swallows: .muted
            case .missing, .standsStill: nil
            }
        }

        /// The time from the call within which 99 of 100 readings must come.
        var limit: Duration? {
            switch truth {
            case .audible: .milliseconds(105)
            case .muted: .milliseconds(5)
            default: nil
            }
        }
    }

    let kind: Kind
    let device: Device
    var durations: [Duration] = []
    var unknown = 0
    var wrong = 0
    /// The first wrong readings.
    var odd: [String] = []

    init(_ kind: Kind, on loop: EventLoop) throws {
        self.kind = kind
        let board = SimulatedBoard(clock: loop, position: kind == .switchAtSilent ? .silent : .ring)
        device = try Device(
            Device.Ports(
                clock: loop, ringSilent: board.ringSilent, motor: nil, speaker: ALSASoundOutput(pcm: kind.pcm)))
    }

    mutating func measure() async {
        let asked = MonotonicTime.now
        let reading = await device.muteDetector.measure()
        durations.append(MonotonicTime.now - asked)
        if reading.verdict == .unknown { unknown += 1 }
        // If the right verdict cannot be known, any verdict is wrong.
        if reading.verdict != .unknown && reading.verdict != kind.truth { wrong += 1 }
        if kind.truth != nil && reading.verdict != kind.truth && odd.count < 5 { odd.append("\(reading)") }
    }

    static let heading =
        pad("what, in milliseconds from the call", 52) + ["n", "right", "unknown", "wrong"].map(right).joined()
        + ["p50", "p99", "max", "limit"].map(right).joined()

    func row(isBusy: Bool) -> String {
        Self.pad(kind.rawValue + (isBusy ? ", busy" : ""), 52)
            + [durations.count, durations.count - unknown - wrong, unknown, wrong].map { Self.right("\($0)") }.joined()
            + [percentile(0.5), percentile(0.99), percentile(1)].map { Self.right($0.milliseconds) }.joined()
            + Self.right(isBusy ? "-" : kind.limit.map(\.milliseconds) ?? "-")
    }

    /// What misses its target.
    func problem(isBusy: Bool) -> String? {
        if wrong > 0 { return "  WRONG" }
        if kind.truth != nil && unknown * 100 > durations.count { return "  UNDECIDED" }
        if !isBusy, let limit = kind.limit, percentile(0.99) > limit { return "  LATE" }
        return nil
    }

    private func percentile(_ share: Double) -> Duration {
        let sorted = durations.sorted()
        guard !sorted.isEmpty else { return .zero }
        return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func right(_ text: String) -> String {
        String(repeating: " ", count: max(0, 10 - text.count)) + text
    }
}

extension Duration {
    fileprivate var milliseconds: String {
        let thousandths = Int(self / .microseconds(1))
        let rest = String(thousandths % 1000)
        return "\(thousandths / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
    }
}
