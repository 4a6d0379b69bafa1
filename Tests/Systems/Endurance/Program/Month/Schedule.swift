import RingerLinux
import SeededGenerator

/// What happens to a payment speaker in a month: the same in every run.
struct Schedule {
    enum Happening {
        /// The firmware wants to announce the next payment.
        case payment
        /// The switch is moved so many positions on.
        case flip(by: Int)
        case unplug, plug
        case vibrate(VibrationPattern)
        case interruption(Interruption)
        case interruptionEnds
        /// The firmware ends, and starts again.
        case restart
    }

    enum Interruption: CaseIterable {
        /// From outside, as an alarm clock does.
        case alarm
        /// From outside, and over within the call.
        case moment
        /// From outside until it is answered; from then on a session.
        case answeredCall
        case callSession
    }

    static let days = 30
    static let payments = 100_000
    static let flips = 10_000
    static let unplugs = 1_000
    static let interruptions = 300
    static let vibrations = 5_000

    /// All of it, at so many milliseconds since the beginning, in order.
    private(set) var happenings: [(time: Int, what: Happening)] = []

    init() throws(RingerError) {
        var random = SeededGenerator(seed: 20)
        let day = 86_400_000
        let month = Self.days * day
        var payment = 0
        var payments: [Int] = []
        for _ in 0..<Self.payments {
            // Every other one comes soon after the one before.
            payment = Bool.random(using: &random) ? payment + .random(in: 0..<2_000, using: &random) : 0
            if payment == 0 || payment >= month { payment = .random(in: 0..<month, using: &random) }
            payments.append(payment)
        }
        payments.sort()
        happenings = payments.map { ($0, .payment) }
        for _ in 0..<Self.flips {
            let step = Int.random(in: 1..<SwitchPosition.allCases.count, using: &random)
            happenings.append((.random(in: 0..<month, using: &random), .flip(by: step)))
        }
        let patterns = try ["400", "200,200,200", "100,300,1500,300,100", "15000"].map { text throws(RingerError) in
            try VibrationPattern(milliseconds: text)
        }
        for _ in 0..<Self.vibrations {
            let pattern = patterns.randomElement(using: &random) ?? .standard
            happenings.append((.random(in: 0..<month, using: &random), .vibrate(pattern)))
        }
        for number in 0..<Self.unplugs {
            let stay = Self.stay(number, of: Self.unplugs, in: month, atMost: 1_200_000, &random)
            happenings += [(stay.lowerBound, .unplug), (stay.upperBound, .plug)]
        }
        for number in 0..<Self.interruptions {
            let stay = Self.stay(number, of: Self.interruptions, in: month, atMost: 600_000, &random)
            let kind = Interruption.allCases[number % Interruption.allCases.count]
            // Most come while a payment is announced.
            let next = payments.first { stay.contains($0) } ?? stay.lowerBound
            let begin = min(next + .random(in: 0..<1_000, using: &random), stay.upperBound - 1)
            happenings += [(begin, .interruption(kind)), (stay.upperBound, .interruptionEnds)]
        }
        for number in 1..<Self.days { happenings.append((number * day, .restart)) }
        happenings.sort { $0.time < $1.time }
    }

    /// A time from one moment to another, in the `number`th of `count` equal parts of `whole`.
    private static func stay(
        _ number: Int, of count: Int, in whole: Int, atMost longest: Int, _ random: inout SeededGenerator
    ) -> Range<Int> {
        let part = whole / count
        let length = Int.random(in: 1...longest, using: &random)
        let start = number * part + .random(in: 0..<part - length, using: &random)
        return start..<start + length
    }
}
