import RingerPolicy

/// Measured durations and their distribution.
struct Sample {
    var name: String
    var durations: [Duration] = []

    /// The duration that the fraction `share` of all do not exceed.
    func percentile(_ share: Double) -> Duration {
        let sorted = durations.sorted()
        guard !sorted.isEmpty else { return .zero }
        return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
    }

    static var heading: String {
        "what, in milliseconds".left(72) + ["n", "p50", "p95", "p99", "max"].map { $0.right(9) }.joined()
    }

    var row: String {
        let values = [0.5, 0.95, 0.99, 1].map { percentile($0).milliseconds.right(9) }
        return name.left(72) + "\(durations.count)".right(9) + values.joined()
    }
}

extension String {
    fileprivate func left(_ width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }

    fileprivate func right(_ width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }
}

extension Duration {
    fileprivate var milliseconds: String {
        let thousandths = Int(self / .microseconds(1))
        let rest = String(abs(thousandths % 1000))
        return "\(thousandths / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
    }
}
