import RingerCore

/// A trace as an SVG picture over time: the switch, the decisions, the sound, the motor, the outcomes.
///
/// The same trace always gives the same bytes.
public struct TimelinePicture: Sendable {
    /// The picture's title.
    public var title: String
    /// The trace.
    public var trace: SignalTrace
    /// What the remarks are: the name of their lane.
    public var marks: String

    /// A picture of `trace`.
    public init(of trace: SignalTrace, title: String, marks: String = "calls") {
        self.trace = trace
        self.marks = marks
        self.title = title
    }

    /// The picture's text.
    public var svg: String {
        let lanes = TimelineLanes(trace)
        let axis = TimelineAxis(start: trace.start, end: trace.lastInstant, left: 118, right: 872)
        var canvas = SVGCanvas(width: 900)
        canvas.text(title, x: 18, y: 27, style: .title)
        var y = 44.0
        let top = y
        if !lanes.marks.isEmpty { y = Self.labels(marks, lanes.marks, from: y, axis, .mark, &canvas) }
        if !lanes.positions.isEmpty { y = Self.switchLane(lanes.positions, from: y, axis, &canvas) }
        if !lanes.decisions.isEmpty { y = Self.labels("decision", lanes.decisions, from: y, axis, .decision, &canvas) }
        y = Self.soundLane(lanes.sounds, from: y, axis, &canvas)
        y = Self.motorLane(lanes.turns, from: y, axis, &canvas)
        if !lanes.outcomes.isEmpty { y = Self.labels("outcome", lanes.outcomes, from: y, axis, .outcome, &canvas) }
        Self.timeAxis(from: y, top: top, axis, &canvas)
        return canvas.finished(height: y + 30)
    }

    // MARK: - Lanes

    private static func switchLane(
        _ positions: [TimelineLanes.Span<SwitchPosition>], from y: Double, _ axis: TimelineAxis,
        _ canvas: inout SVGCanvas
    ) -> Double {
        let height = 46.0
        let hasMiddle = positions.contains { $0.value == .vibrate }
        func level(_ position: SwitchPosition) -> Double {
            switch position {
            case .ring: y + 10
            case .vibrate: y + 23
            case .silent: y + (hasMiddle ? 36 : 34)
            }
        }
        canvas.laneName("switch", y: y + height / 2)
        var path = ""
        for (index, span) in positions.enumerated() {
            let isLast = index == positions.count - 1
            let (left, right) = (axis.x(span.from), isLast ? axis.right : axis.x(span.to))
            if span.value.silences {
                canvas.rectangle(x: left, y: y + 4, width: right - left, height: height - 8, style: .quiet)
            }
            path += "\(index == 0 ? "M" : "L")\(left.svg) \(level(span.value).svg)"
            path += "L\(right.svg) \(level(span.value).svg)"
            if right - left > Double(span.value.rawValue.count) * 6.4 + 10 {
                let isLow = span.value != .ring
                canvas.text(
                    span.value.rawValue, x: left + 5, y: level(span.value) + (isLow ? -5 : 13), style: .position)
            }
        }
        canvas.path(path, style: .switchLine)
        canvas.separator(y: y + height, axis)
        return y + height
    }

    private static func soundLane(
        _ sounds: [TimelineLanes.Span<UInt64>], from y: Double, _ axis: TimelineAxis, _ canvas: inout SVGCanvas
    ) -> Double {
        // Simultaneous sounds, which only sessions have, are drawn one below the other.
        var rows: [MonotonicTime] = []
        var boxes: [(span: TimelineLanes.Span<UInt64>, row: Int)] = []
        for span in sounds {
            let row = rows.firstIndex { $0 <= span.from } ?? rows.count
            if row == rows.count { rows.append(span.to) } else { rows[row] = span.to }
            boxes.append((span, row))
        }
        let height = 12 + 22 * Double(max(rows.count, 1))
        canvas.laneName("sound", y: y + height / 2)
        for box in boxes {
            let (left, right) = (axis.x(box.span.from), axis.x(box.span.to))
            canvas.rectangle(
                x: left, y: y + 8 + 22 * Double(box.row), width: max(right - left, 1.5), height: 18, style: .sound)
        }
        canvas.separator(y: y + height, axis)
        return y + height
    }

    private static func motorLane(
        _ turns: [TimelineLanes.Span<Float>], from y: Double, _ axis: TimelineAxis, _ canvas: inout SVGCanvas
    ) -> Double {
        let height = 40.0
        let base = y + height - 8
        canvas.laneName("motor", y: y + height / 2)
        var path = "M\(axis.left.svg) \(base.svg)"
        for turn in turns {
            let (left, right) = (axis.x(turn.from), axis.x(turn.to))
            let peak = base - 24 * Double(max(turn.value, 0.25))
            path += "L\(left.svg) \(base.svg)L\(left.svg) \(peak.svg)L\(right.svg) \(peak.svg)L\(right.svg) \(base.svg)"
        }
        canvas.path(path + "L\(axis.right.svg) \(base.svg)", style: .motorLine)
        canvas.separator(y: y + height, axis)
        return y + height
    }

    /// Markers on one line, each at its time, and their texts below.
    static func labels(
        _ name: String, _ labels: [TimelineLanes.Label], from y: Double, _ axis: TimelineAxis,
        _ style: SVGCanvas.Marker, _ canvas: inout SVGCanvas
    ) -> Double {
        var layout = LabelLayout(right: axis.right)
        var previous: String?
        let rail = y + 10
        for label in labels {
            let x = axis.x(label.at)
            canvas.marker(x: x, y: rail, style)
            // A repeated text is left out; its marker stays.
            defer { previous = label.text }
            guard label.text != previous else { continue }
            let place = layout.place(label.text, at: x)
            let row = rail + 16 + 14 * Double(place.row)
            if place.row > 0 { canvas.leader(x: x, from: rail + 5, to: row - 9) }
            canvas.text(label.text, x: place.x, y: row, style: place.isBefore ? .labelBefore : .label)
        }
        let height = 18 + 14 * Double(max(layout.rows, 1))
        canvas.laneName(name, y: rail - 1)
        canvas.separator(y: y + height, axis)
        return y + height
    }

    static func timeAxis(from y: Double, top: Double, _ axis: TimelineAxis, _ canvas: inout SVGCanvas) {
        for tick in axis.ticks {
            canvas.gridLine(x: tick.x, from: top, to: y + 4)
            canvas.text(tick.text, x: tick.x, y: y + 18, style: .tick)
        }
    }
}
