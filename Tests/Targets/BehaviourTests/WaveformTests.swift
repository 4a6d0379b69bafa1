import RingerLinux
import RingerTerminal
import Testing

@Suite("Value-change dumps that are read")
struct WaveformTests {
    private func dump(_ changes: String, scale: String = "1us") -> String {
        """
        $date today $end $timescale \(scale) $end
        $scope module m $end
        $var wire 1 ! line [0] $end
        $var integer 32 " count $end
        $var real 64 # level $end
        $var string 1 % word $end
        $upscope $end $enddefinitions $end
        \(changes)
        """
    }

    private func at(_ microseconds: Int64, _ value: ValueChanges.Value) -> ValueChanges.Change {
        ValueChanges.Change(at: MonotonicTime(nanoseconds: microseconds * 1000), value: value)
    }

    @Test("values of every kind come at their times; equal ones are left out")
    func values() throws {
        let text = dump(
            "#0 $dumpvars x! b0 \" r0 # $end #5 1! sready % #5 1! b\(String(repeating: "1", count: 32)) \" #70 r-0.5 # #90"
        )
        let changes = try ValueChanges(text)
        #expect(changes.variables.map(\.name) == ["line [0]", "count", "level", "word"])
        #expect(changes.variables[0].changes == [at(0, .unknown), at(5, .level(true))])
        #expect(changes.variables[1].changes == [at(0, .number(0)), at(5, .number(-1))])
        #expect(changes.variables[2].changes == [at(0, .number(0)), at(70, .number(-0.5))])
        #expect(changes.variables[3].changes == [at(5, .text("ready"))])
        #expect(changes.end.nanoseconds == 90_000)
    }

    @Test(
        "the scale is that of the dump",
        arguments: [("1 s", 3_000_000_000), ("10us", 30_000), ("100 ps", 0), ("1ns", 3)])
    func scale(_ scale: String, _ nanoseconds: Int64) throws {
        #expect(try ValueChanges(dump("#3", scale: scale)).end.nanoseconds == nanoseconds)
    }

    @Test("Ringer's own dump is read as it was written")
    func own() throws {
        var trace = SignalTrace(start: MonotonicTime(nanoseconds: 0))
        trace.add(.ringSilent(.silent), at: MonotonicTime(nanoseconds: 2_000_000))
        trace.add(.motor(0.5), at: MonotonicTime(nanoseconds: 3_000_000))
        let changes = try ValueChanges(ValueChangeDump.text(of: trace))
        let silent = try #require(changes.variables.first { $0.name == "switch_silent" })
        #expect(silent.changes == [at(0, .unknown), at(2000, .level(true))])
        let strength = try #require(changes.variables.first { $0.name == "motor_strength" })
        #expect(strength.changes == [at(0, .number(0)), at(3000, .number(0.5))])
    }

    @Test("what is no dump is refused, with the line")
    func mistakes() {
        func reason(_ text: String) -> String? {
            do throws(ValueChanges.Mistake) {
                _ = try ValueChanges(text)
                return nil
            } catch {
                return error.description
            }
        }
        #expect(reason("") == "line 1: no value-change dump: it has no $enddefinitions")
        #expect(reason("\nhello world") == "line 2: 'hello' begins no value-change dump")
        #expect(reason("$enddefinitions $end") == "line 1: the dump has no $timescale")
        #expect(reason("$timescale 3 us $end") == "line 1: not a time scale")
        #expect(reason("$version Ringer") == "line 1: $end is missing")
        #expect(reason("$var wire 0 ! a $end") == "line 1: not a variable's declaration")
        #expect(reason(dump("#5\n#4")) == "line 9: '#4' is not a later time")
        #expect(reason(dump("#9223372036854775807")) == "line 8: '#9223372036854775807' is not a later time")
        #expect(reason(dump("1?")) == "line 8: '1?' is no change of a variable")
        #expect(reason(dump("b2 !")) == "line 8: 'b2' is no value")
        #expect(reason(dump("2!")) == "line 8: 'b2' is no value")
        #expect(reason(dump("b1 ?")) == "line 8: a value of no variable")
        #expect(reason(dump("rnan #")) == "line 8: 'rnan' is no real number")
        #expect(reason(dump("$nonsense")) == "line 8: '$nonsense' is not known among changes")
    }

    @Test("a picture has each variable's lane, and its steps at their times")
    func picture() throws {
        let svg = WaveformPicture(of: try ValueChanges(dump("#0 0! r0 # #500000 1! r2 # s<a> % #1000000")), title: "t")
            .svg
        for name in ["line [0]", "count", "level", "word", "&lt;a&gt;"] { #expect(svg.contains(">\(name)</text>")) }
        // 118 to 872 are 1.02 s.
        #expect(svg.contains("M118 68L118 68L487.61 68L487.61 50L857.22 50L857.22 68"))
    }
}
