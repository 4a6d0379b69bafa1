import Glibc
import RingerCore
import Synchronization

/// Lines that scroll, and below them the simulated board: its switch, and what the speaker and the motor did in the last
/// seconds, drawn while they run. On a terminal that cannot move its cursor there are the lines alone.
package final class BoardScreen: Sendable {
    /// When something was on: from a time until another, or until now.
    struct Span: Sendable, Equatable {
        var from: MonotonicTime
        var until: MonotonicTime?
    }

    /// What the board does, and did.
    package struct Board: Sendable {
        var position = SwitchPosition.ring
        var isLocked = false
        var route = AudioRoute.speaker
        var sounds: [UInt64: MonotonicTime] = [:]
        var heard: [Span] = []
        var felt: [Span] = []

        package var isActive: Bool { !sounds.isEmpty || felt.last.map { $0.until == nil } ?? false }

        package init() {}

        package mutating func take(_ event: DeviceEvent) {
            switch event {
            case .switchMoved(let position, _, _): self.position = position
            case .stateChanged(.screenLocked(let isLocked), _, _): self.isLocked = isLocked
            case .routeChanged(let change, _): route = change.new.output ?? route
            case .vibration(.on(_, let at)):
                if felt.last?.until != nil || felt.isEmpty { felt.append(Span(from: at)) }
            case .vibration(.off(let at)): Self.end(&felt, at)
            case .playback(.started(let at), let sound):
                if sounds.isEmpty { heard.append(Span(from: at)) }
                sounds[sound] = at
            case .soundEnded(_, let sound, let at):
                if sounds.removeValue(forKey: sound) != nil && sounds.isEmpty { Self.end(&heard, at) }
            default: break
            }
            heard.removeFirst(max(0, heard.count - 1000))
            felt.removeFirst(max(0, felt.count - 1000))
        }

        private static func end(_ spans: inout [Span], _ at: MonotonicTime) {
            guard let last = spans.indices.last, spans[last].until == nil else { return }
            spans[last].until = at
        }

        /// The lines of the board at a time, none longer than `width` columns.
        package func lines(at now: MonotonicTime, width: Int, style: TerminalStyle) -> [String] {
            let positions = SwitchPosition.allCases.map { $0 == position ? "[\($0.rawValue)]" : " \($0.rawValue) " }
            let state =
                "switch " + positions.joined()
                + "  \(isLocked ? "locked" : "unlocked"), \(route.rawValue)   ? for the keys, q quits"
            return [
                String(state.prefix(width)), "sound  " + strip(heard, at: now, width: width - 7, "=", 32, style),
                "motor  " + strip(felt, at: now, width: width - 7, "#", 33, style),
            ]
        }

        /// The columns that a line takes, without the escape sequences of its colours.
        package static func columns(_ line: String) -> Int {
            var (count, isEscape) = (0, false)
            for character in line {
                if isEscape {
                    isEscape = character != "m"
                } else if character == "\u{1B}" {
                    isEscape = true
                } else {
                    count += 1
                }
            }
            return count
        }

        /// The rows that lines take on the screen. A terminal that has become narrower has folded those that were longer.
        package static func rows(of columns: [Int], width: Int) -> Int {
            columns.reduce(0) { $0 + max(1, ($1 + width - 1) / max(1, width)) }
        }

        /// One column for each tenth of a second, the newest on the right.
        private func strip(
            _ spans: [Span], at now: MonotonicTime, width: Int, _ mark: Character, _ color: Int, _ style: TerminalStyle
        ) -> String {
            var strip = ""
            var isColored = false
            for column in 0..<max(0, width) {
                let end = now.nanoseconds - Int64(width - 1 - column) * BoardScreen.column
                let middle = end - BoardScreen.column / 2
                // What lies between two middles is drawn where it began.
                let isOn = spans.contains { span in
                    let (from, until) = (span.from.nanoseconds, (span.until ?? now).nanoseconds)
                    return from <= middle && middle < until
                        || until - from < BoardScreen.column && from <= end && from > end - BoardScreen.column
                }
                if isOn != isColored && style.hasColor { strip += isOn ? "\u{1B}[\(color)m" : "\u{1B}[0m" }
                isColored = isOn
                strip.append(isOn ? mark : ".")
            }
            return isColored && style.hasColor ? strip + "\u{1B}[0m" : strip
        }
    }

    private struct State {
        var board = Board()
        /// The columns of each line of the board that is on the screen; the cursor is at the end of the last.
        var drawn: [Int] = []
        var hasTimer = false
        var isOver = false
    }

    /// A column of the strips, in nanoseconds.
    static let column: Int64 = 100_000_000

    private let loop: EventLoop
    private let style: TerminalStyle
    private let state = Mutex(State())

    init(loop: EventLoop, style: TerminalStyle) {
        self.loop = loop
        self.style = style
    }

    /// Shows `line` above the board.
    func show(_ line: String) throws(RingerError) {
        try draw(line + "\n")
    }

    /// Takes in what happens, and draws the board while something runs.
    func update(_ event: DeviceEvent) {
        state.withLock { $0.board.take(event) }
        // A terminal that is gone was reported when a line was written.
        try? draw()
        drawOn()
    }

    /// Leaves the board on the screen, and the cursor below it.
    func finish() throws(RingerError) {
        let isDrawn = state.withLock { state in
            defer { state.isOver = true }
            return !state.drawn.isEmpty && !state.isOver
        }
        if isDrawn { try Terminal.write("\n") }
    }

    /// Draws once more a column later, as long as something runs.
    private func drawOn() {
        let isDue = state.withLock { state in
            guard style.movesCursor, state.board.isActive, !state.hasTimer, !state.isOver else { return false }
            state.hasTimer = true
            return true
        }
        guard isDue else { return }
        _ = loop.schedule(at: loop.now + .nanoseconds(Self.column)) { [self] in
            // Not on the loop's thread, which is the device's: a terminal may block.
            loop.callBack { self.drawAgain() }
        }
    }

    private func drawAgain() {
        state.withLock { $0.hasTimer = false }
        try? draw()
        drawOn()
    }

    private func draw(_ text: String = "") throws(RingerError) {
        guard style.movesCursor else { return text.isEmpty ? () : try Terminal.write(text) }
        let result = state.withLock { state -> Result<Void, RingerError> in
            // A line that comes late stands below the board.
            var output = text
            if !state.isOver {
                let width = Terminal.width
                let lines = state.board.lines(at: loop.now, width: width - 1, style: style)
                // To the board's first column and line, and clear from there.
                let rows = Board.rows(of: state.drawn, width: width)
                let start = rows > 1 ? "\r\u{1B}[\(rows - 1)A\u{1B}[J" : "\r\u{1B}[J"
                state.drawn = lines.map(Board.columns)
                output = start + text + lines.joined(separator: "\n")
            }
            do throws(RingerError) {
                return .success(try Terminal.write(output))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }
}
