import RingerLinux
import RingerTerminal
import Testing

@Suite("the board in the terminal")
struct BoardScreenTests {
    private func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

    private func style(_ term: String?, _ noColor: String? = nil) -> TerminalStyle {
        .init(term: term, noColor: noColor)
    }

    @Test(
        "the newest tenth of a second is on the right; sounds and the motor are drawn while they run, and where they ran"
    )
    func strips() {
        var board = BoardScreen.Board()
        board.take(.switchMoved(.silent, source: "switch", at: at(0)))
        board.take(.playback(.started(at: at(10)), sound: 1))
        board.take(.soundEnded(.finished, sound: 1, at: at(10.3)))
        board.take(.vibration(.on(strength: 1, at: at(10.5))))
        let lines = board.lines(at: at(11), width: 27, style: style("xterm", "1"))
        #expect(lines[0] == "switch  ring  vibrate [sile")
        #expect(lines[1] == "sound  ..........===.......")
        #expect(lines[2] == "motor  ...............#####")
        board.take(.vibration(.off(at: at(11))))
        #expect(board.lines(at: at(12), width: 27, style: style("xterm", "1"))[2] == "motor  .....#####..........")
        #expect(!board.isActive)
    }

    @Test("no line is longer than the terminal is wide", arguments: [20, 79, 199])
    func width(columns: Int) {
        let lines = BoardScreen.Board().lines(at: at(1), width: columns, style: style("xterm", "1"))
        #expect(lines.allSatisfy { $0.count <= columns } && lines[1].count == columns && lines[2].count == columns)
    }

    @Test("a terminal that became narrower has folded the board's lines: all of their rows are drawn over")
    func narrowed() {
        var board = BoardScreen.Board()
        board.take(.playback(.started(at: at(0)), sound: 1))
        for name in ["1", ""] {
            let lines = board.lines(at: at(3), width: 79, style: style("xterm", name))
            let columns = lines.map(BoardScreen.Board.columns)
            #expect(columns == [75, 79, 79])
            for (width, rows) in [(80, 3), (79, 3), (78, 5), (40, 6), (39, 8), (200, 3)] {
                #expect(BoardScreen.Board.rows(of: columns, width: width) == rows)
            }
        }
        #expect(BoardScreen.Board.rows(of: [], width: 80) == 0)
    }

    @Test("colours only where NO_COLOR is empty, and no control characters on a dumb terminal")
    func styles() {
        var board = BoardScreen.Board()
        board.take(.playback(.started(at: at(1)), sound: 1))
        func sound(_ style: TerminalStyle) -> String { board.lines(at: at(1), width: 9, style: style)[1] }
        #expect(sound(style("xterm")) == "sound  .\u{1B}[32m=\u{1B}[0m")
        #expect(sound(style("xterm", "")) == sound(style("xterm")))
        #expect(sound(style("xterm", "1")) == "sound  .=")
        for term in [nil, "", "dumb"] { #expect(!style(term).movesCursor && !style(term).hasColor) }
    }
}
