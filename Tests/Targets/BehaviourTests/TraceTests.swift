import RingerLinux
import RingerTerminal
import Testing

@Suite("Traces")
struct TraceTests {
    @Test("a value-change dump has every change at its microsecond")
    func dump() throws {
        let stage = try Stage()
        stage.wait(100)
        stage.play(1057, as: .alert, "playAlert")
        stage.wait(30)
        stage.flip(to: .silent)
        stage.wait(500)
        stage.recorder.end(at: stage.clock.now)
        let lines = ValueChangeDump.text(of: stage.recorder.trace).split(separator: "\n").map(String.init)
        let values = try lines.suffix(from: #require(lines.firstIndex(of: "$enddefinitions $end")) + 1)
        #expect(
            Array(values) == [
                "#0", "0\"", "0#", "r0.0 $", "0%", "0&", "snone '", "snone *", "1!", "0(", "0)",
                "#100000", "splayAlert *", "1#", "r1.0 $", "1%", "1&", "sswitchAtRing '", "1\"",
                "#130000", "0%", "sringSilentSwitch '", "0!", "1)", "0\"",
                "#500000", "0#", "r0.0 $", "scompletion *", "#630000",
            ])
    }

    @Test("changes are put in the order of their times; earlier ones are placed at the start")
    func changesInOrder() throws {
        var trace = SignalTrace(start: MonotonicTime(nanoseconds: 1000))
        trace.add(.motor(1), at: MonotonicTime(nanoseconds: 9000))
        trace.add(.ringSilent(.silent), at: MonotonicTime(nanoseconds: 0))
        trace.add(.motor(0), at: MonotonicTime(nanoseconds: 9000))
        #expect(trace.changes.map(\.signal) == [.ringSilent(.silent), .motor(1), .motor(0)])
        #expect(trace.changes.map(\.at.nanoseconds) == [1000, 9000, 9000])
        #expect(trace.lastInstant.nanoseconds == 9000)
    }

    @Test("a recorder without a start begins with the first event")
    func beginning() {
        let recorder = SignalRecorder()
        recorder.record(.switchMoved(.ring, source: "switch", at: MonotonicTime(nanoseconds: 5_000_000)))
        recorder.end(at: MonotonicTime(nanoseconds: 6_000_000))
        #expect(recorder.trace.start.nanoseconds == 5_000_000 && recorder.trace.lastInstant.nanoseconds == 6_000_000)
        #expect(ValueChangeDump.text(of: recorder.trace).hasSuffix("#1000\n"))
    }

    @Test("a trace without changes still makes a picture and a dump")
    func empty() {
        let trace = SignalTrace(start: MonotonicTime(nanoseconds: 0))
        #expect(TimelinePicture(of: trace, title: "a < b & c").svg.contains("a &lt; b &amp; c"))
        #expect(ValueChangeDump.text(of: trace).contains("#0\nx!\nx(\nx)\n"))
    }

    @Test("an alert of 20 s with hundreds of flips is drawn with every bar inside the picture")
    func crowded() throws {
        let stage = try Stage()
        stage.alert(1104)
        for round in 0..<300 {
            stage.wait(61)
            stage.flip(to: round.isMultiple(of: 2) ? .silent : .ring)
        }
        stage.wait(5000)
        let svg = stage.picture("crowded")
        #expect(svg.contains("</svg>") && !svg.contains("nan") && !svg.contains("inf"))
        #expect(svg.utf8.count < 1 << 20)
    }
}
