import RingerCore

/// Converts times to positions in a picture, and chooses its ticks.
struct TimelineAxis {
    let start: MonotonicTime
    let seconds: Double
    let left: Double
    let right: Double

    init(start: MonotonicTime, end: MonotonicTime, left: Double, right: Double) {
        self.start = start
        // A margin after the last time, so that what happens there is visible; never zero.
        seconds = max((end - start).inSeconds * 1.02, 1e-3)
        self.left = left
        self.right = right
    }

    func x(_ time: MonotonicTime) -> Double {
        left + (right - left) * (time - start).inSeconds / seconds
    }

    /// About eight ticks, at 1, 2 or 5 times a power of ten.
    var ticks: [(x: Double, text: String)] {
        var step = 1e-6
        let factors = [2.0, 2.5, 2.0]
        var index = 0
        while seconds / step > 10 {
            step *= factors[index % 3]
            index += 1
        }
        return (0...Int(seconds / step + 1e-9)).map { count in
            let time = Double(count) * step
            return (left + (right - left) * time / seconds, label(time, step: step))
        }
    }

    private func label(_ time: Double, step: Double) -> String {
        if time == 0 { return "0" }
        let (scale, unit) = step >= 0.1 ? (1.0, "s") : step >= 1e-4 ? (1e3, "ms") : (1e6, "\u{B5}s")
        return "\((time * scale).svg) \(unit)"
    }
}

/// Places labels in several rows so that none overlap.
struct LabelLayout {
    struct Place {
        var x: Double
        var row: Int
        /// The text ends at `x` instead of beginning there.
        var isBefore: Bool
    }

    let right: Double
    /// How many rows are used.
    private(set) var rows = 0
    /// Where the free space of each row begins.
    private var free: [Double] = []

    init(right: Double) {
        self.right = right
    }

    mutating func place(_ text: String, at x: Double) -> Place {
        let width = Double(text.count) * 6.1
        let isBefore = x + width > right + 16
        let from = isBefore ? x - width : x - 4
        let row = free.firstIndex { $0 <= from } ?? free.count
        let end = isBefore ? x + 14 : x + width + 8
        if row == free.count { free.append(end) } else { free[row] = end }
        rows = max(rows, row + 1)
        return Place(x: isBefore ? x + 4 : x - 4, row: row, isBefore: isBefore)
    }
}
