import RingerCore

/// A value-change dump as an SVG picture over time, with a lane for each of its variables.
///
/// The same dump always gives the same bytes.
public struct WaveformPicture: Sendable {
    /// The picture's title.
    public var title: String
    /// The dump.
    public var changes: ValueChanges

    /// A picture of `changes`.
    public init(of changes: ValueChanges, title: String) {
        self.changes = changes
        self.title = title
    }

    /// The picture's text.
    public var svg: String {
        let longest = changes.variables.map(\.name.count).max() ?? 0
        let axis = TimelineAxis(
            start: MonotonicTime(nanoseconds: 0), end: changes.end,
            left: min(max(118, 30 + 6.8 * Double(longest)), 436),
            right: 872)
        var canvas = SVGCanvas(width: 900)
        canvas.text(title, x: 18, y: 27, style: .title)
        let top = 44.0
        var y = top
        for variable in changes.variables { y = lane(variable, from: y, axis, &canvas) }
        TimelinePicture.timeAxis(from: y, top: top, axis, &canvas)
        return canvas.finished(height: y + 30)
    }

    private func lane(
        _ variable: ValueChanges.Variable, from y: Double, _ axis: TimelineAxis, _ canvas: inout SVGCanvas
    ) -> Double {
        let name = variable.name.count > 60 ? variable.name.prefix(57) + "..." : variable.name
        let texts = variable.changes.compactMap { change -> TimelineLanes.Label? in
            if case .text(let text) = change.value { TimelineLanes.Label(text: text, at: change.at) } else { nil }
        }
        if !texts.isEmpty { return TimelinePicture.labels(name, texts, from: y, axis, .decision, &canvas) }
        let numbers = variable.changes.compactMap { change -> Double? in
            if case .number(let number) = change.value { number } else { nil }
        }
        let isLogic = numbers.isEmpty
        let (low, high) = (min(numbers.min() ?? 0, 0), max(numbers.max() ?? 1, 0))
        let height = isLogic ? 30.0 : 40.0
        func level(_ value: Double) -> Double {
            y + height - 6 - (height - 12) * (high > low ? (value - low) / (high - low) : 0)
        }
        canvas.laneName(name, y: y + height / 2)
        let zero = level(0).svg
        var path = "M\(axis.left.svg) \(zero)"
        for (index, change) in variable.changes.enumerated() {
            let end = index + 1 < variable.changes.count ? variable.changes[index + 1].at : changes.end
            let (left, right) = (axis.x(change.at), axis.x(end))
            let value: Double
            switch change.value {
            case .level(let isHigh): value = isHigh ? 1 : 0
            case .number(let number): value = number
            case .unknown, .text:
                canvas.rectangle(x: left, y: y + 4, width: right - left, height: height - 8, style: .quiet)
                value = 0
            }
            path += "L\(left.svg) \(level(value).svg)L\(right.svg) \(level(value).svg)"
            if !isLogic, value != 0, right - left > Double(value.svg.count) * 6.4 + 10 {
                canvas.text(value.svg, x: left + 5, y: y + height / 2 + 4, style: .position)
            }
        }
        canvas.path(path + "L\(axis.x(changes.end).svg) \(zero)", style: isLogic ? .motorLine : .sound)
        canvas.separator(y: y + height, axis)
        return y + height
    }
}
