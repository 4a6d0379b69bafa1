import Testing

@Suite("ringer trace")
struct TraceCommandTests {
    private static let dump = """
        $timescale 1us $end
        $scope module lab $end
        $var wire 1 s0 MUTE_SW $end
        $var real 64 s1 speaker.peak $end
        $upscope $end
        $enddefinitions $end
        #0
        0s0
        r0 s1
        #500000
        1s0
        r0.5 s1
        #1000000

        """

    @Test("draws a dump, each variable in a lane")
    func draws() throws {
        let ringer = try Command()
        try ringer.write(Array(Self.dump.utf8), "run.vcd")
        let result = try ringer("trace", "run.vcd", "run.svg")
        #expect(result.status == 0 && result.output.isEmpty && result.errors.isEmpty)
        let svg = String(decoding: try ringer.read("run.svg"), as: UTF8.self)
        #expect(svg.hasPrefix("<svg ") && svg.contains(">MUTE_SW<") && svg.contains(">speaker.peak<"))
    }

    @Test("a file that is no dump gets one line, and no picture")
    func noDump() throws {
        let ringer = try Command()
        try ringer.write(Array("RIFF, for example".utf8), "a.wav")
        let result = try ringer("trace", "a.wav", "a.svg")
        #expect(result.status == 1)
        #expect(result.errors == "ringer: a.wav: line 1: 'RIFF,' begins no value-change dump\n")
        #expect(try ringer.names == ["a.wav"])
        #expect(try ringer("trace", "missing.vcd", "a.svg").status == 1)
        #expect(try ringer("trace", "a.wav", "a.png").status == 64)
    }
}
