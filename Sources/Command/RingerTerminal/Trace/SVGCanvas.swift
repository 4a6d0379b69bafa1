import RingerCore

/// Draws a picture as SVG text.
struct SVGCanvas {
    enum TextStyle: String {
        case title, label, tick, position
        case lane
        /// A label that ends where it is placed.
        case labelBefore = "label before"
    }

    enum ShapeStyle: String {
        case quiet, sound
        case switchLine = "switch"
        case motorLine = "motor"
    }

    enum Marker: String {
        case decision, outcome, mark
    }

    let width: Double
    private var grid = ""
    private var body = ""

    init(width: Double) {
        self.width = width
    }

    mutating func text(_ text: String, x: Double, y: Double, style: TextStyle) {
        body += "<text class=\"\(style.rawValue)\" x=\"\(x.svg)\" y=\"\(y.svg)\">\(Self.escaped(text))</text>\n"
    }

    mutating func laneName(_ name: String, y: Double) {
        text(name, x: 18, y: y + 4, style: .lane)
    }

    mutating func rectangle(x: Double, y: Double, width: Double, height: Double, style: ShapeStyle) {
        body += "<rect class=\"\(style.rawValue)\" x=\"\(x.svg)\" y=\"\(y.svg)\" width=\"\(width.svg)\""
        body += " height=\"\(height.svg)\"/>\n"
    }

    mutating func path(_ path: String, style: ShapeStyle) {
        body += "<path class=\"\(style.rawValue)\" d=\"\(path)\"/>\n"
    }

    mutating func marker(x: Double, y: Double, _ marker: Marker) {
        let (left, right, top, bottom) = ((x - 4).svg, (x + 4).svg, (y - 4).svg, (y + 4).svg)
        let shape =
            switch marker {
            // A diamond, a disc, and an arrow that points at the instant.
            case .decision: "M\(x.svg) \(top)L\(right) \(y.svg)L\(x.svg) \(bottom)L\(left) \(y.svg)Z"
            case .outcome: "M\(left) \(y.svg)a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z"
            case .mark: "M\(left) \(top)L\(right) \(top)L\(x.svg) \(bottom)Z"
            }
        body += "<path class=\"\(marker.rawValue)\" d=\"\(shape)\"/>\n"
    }

    /// A thin line from a marker to its text.
    mutating func leader(x: Double, from top: Double, to bottom: Double) {
        grid += "<path class=\"leader\" d=\"M\(x.svg) \(top.svg)V\(bottom.svg)\"/>\n"
    }

    mutating func separator(y: Double, _ axis: TimelineAxis) {
        grid += "<path class=\"line\" d=\"M18 \(y.svg)H\(axis.right.svg)\"/>\n"
    }

    mutating func gridLine(x: Double, from top: Double, to bottom: Double) {
        grid += "<path class=\"line\" d=\"M\(x.svg) \(top.svg)V\(bottom.svg)\"/>\n"
    }

    /// The finished picture of this height.
    func finished(height: Double) -> String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="\(width.svg)" height="\(height.svg)" viewBox="0 0 \(width.svg) \
        \(height.svg)">
        <style>
        text{font-family:system-ui,"Segoe UI","DejaVu Sans",sans-serif;font-size:11px;fill:#1f2933}
        .title{font-size:15px;font-weight:600}
        .lane{font-size:12px;fill:#52606d}
        .tick{text-anchor:middle;fill:#7b8794}
        .label{paint-order:stroke;stroke:#ffffff;stroke-width:3px;stroke-linejoin:round}
        .before{text-anchor:end}
        .paper{fill:#ffffff;stroke:#d9dee4}
        .line{fill:none;stroke:#e4e9ee}
        .leader{fill:none;stroke:#b8c1cb}
        .quiet{fill:#f3e8e8}
        .switch{fill:none;stroke:#b03a2e;stroke-width:2}
        .sound{fill:#2d7dd2;stroke:#ffffff}
        .motor{fill:#f2c14e;fill-opacity:.55;stroke:#b07d12;stroke-width:1.5}
        .decision{fill:#6b4fa0}
        .outcome{fill:#2e8b57}
        .mark{fill:#52606d}
        </style>
        <rect class="paper" x="0.5" y="0.5" width="\((width - 1).svg)" height="\((height - 1).svg)" rx="6"/>
        \(grid)\(body)</svg>

        """
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "&": escaped += "&amp;"
            default: escaped.append(character)
            }
        }
        return escaped
    }
}

extension Double {
    /// The number with at most two decimals.
    var svg: String {
        let hundredths = Int64((self * 100).rounded())
        let (whole, rest) = (hundredths.magnitude / 100, hundredths.magnitude % 100)
        var text = (hundredths < 0 ? "-" : "") + String(whole)
        if rest > 0 {
            text += rest % 10 == 0 ? ".\(rest / 10)" : rest < 10 ? ".0\(rest)" : ".\(rest)"
        }
        return text
    }
}
