import Testing

@Suite("Mistakes in scripts")
struct ScriptMistakeTests {
    @Test(
        "each is one line that names file, line and what is wrong; nothing runs, and the exit status is 64",
        arguments: [
            ("rign", "\"rign\" is no step"),
            ("wait", "expected a time"),
            ("wait 2x", "\"2x\" is not a time"),
            ("wait -1 s", "\"-1\" is not a time"),
            ("wait nan", "\"nan\" is not a time"),
            ("wait 2 s 3", "\"3\" does not belong there"),
            ("wait 9999999 h", "\"9999999 h\" is longer than 1000 h"),
            ("ring now", "\"now\" does not belong there"),
            ("headphone", "expected \"in\" or \"out\""),
            ("headphone off", "\"off\" is not \"in\" or \"out\""),
            ("volume 1.5", "\"1.5\" is not a number from 0 to 1"),
            ("pcm broken", "\"broken\" is not one of busy, missing"),
            ("set volume 1", "\"volume\" is not a preference: vibrate-on-ring,"),
            ("volume-up 0", "\"0\" is not a number of steps from 1 to 100"),
            ("set alert-volume loud", "\"loud\" is not a number from 0 to 1"),
            ("set do-not-disturb yes", "\"yes\" is not \"on\" or \"off\""),
            ("set routes-silenced-by-switch moon", "\"moon\" is not routes with commas"),
            ("set quiet-hours Mon 22:00-24:00", "\"24:00\", character 11: write 00:00"),
            ("set quiet-hours", "expected quiet hours"), ("clock 2026-02-30 01:00", "no such date"),
            ("clock 2026-02-03", "expected a time of day"), ("clock noon", "\"noon\" is not a date"),
            ("zone Berlin", "Berlin"),
            ("set when-switch-unreadable moon", "\"moon\" is not ring, vibrate, silent"),
            ("play", "expected a category: ambient,"),
            ("play loud", "\"loud\" is not a category: ambient,"),
            ("play ambient by sound", "\"by\" does not belong there; what may follow is: from, for, with, called"),
            ("play ambient for 20 h", "\"20 h\" is longer than 600 s"),
            ("play ambient with moon", "\"moon\" is not an option: mixWithOthers,"),
            ("play in music", "\"music\" is not the name of a session that an earlier line"),
            ("play ambient called heard", "\"heard\" means something else"),
            ("sound", "expected a predefined sound's ID or name, or a file"),
            ("alert 1007 by mail", "\"mail\" is not one of sound, vibration"),
            ("notify t.caf", "expected the application's folder: notify FILE in FOLDER"),
            ("announce playback expiring in", "expected a time"),
            ("pause", "expected \"announcements\""),
            ("vibrate 1,2,x", "\"x\" in \"1,2,x\" is not a number of milliseconds"),
            ("stop it", "\"it\" is not the name of something"),
            ("test", "expected the test's title"),
            ("expect", "expected a state"),
            ("expect music", "\"music\" is no state, and no earlier line"),
            ("expect not heard within 1 s", "can be read in two ways"),
            ("expect heard on moon", "\"moon\" is not a route: speaker,"),
            ("expect silenced by moon", "\"moon\" is not a reason: switchAtRing,"),
            ("expect stopped by moon", "\"moon\" is not a cause: caller,"),
            ("expect finished by caller", "\"by\" goes with silenced and stopped"),
            ("expect heard within", "expected a time"),
            ("expect report", "expected a text"),
            ("expect report a for 1 s", "a line is reported at an instant"),
            ("play ambient called \"a", "a quote (\") is not closed"),
        ])
    func mistake(line: String, complaint: String) throws {
        let ringer = try Command()
        try ringer.write(Array("ring\nplay playback\n\(line)  # here\n".utf8), "bad.script")
        let result = try ringer("simulate", "--script", "bad.script", "--junit", "report.xml")
        #expect(result.status == 64 && result.output.isEmpty)
        #expect(result.errors.hasPrefix("ringer: bad.script, line 3: ") && result.errors.contains(complaint))
        #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
        #expect(try ringer.names == ["bad.script"])
    }

    @Test("a name is known only in its own test, and in all if it is given before the first")
    func names() throws {
        let ringer = try Command()
        let script = "activate playback called music\ntest a\nplay ambient called song\nexpect music active\ntest b\n"
        try ringer.write(Array(script.utf8), "good.script")
        #expect(try ringer("simulate", "--script", "good.script").status == 0)
        try ringer.write(Array((script + "expect song heard\n").utf8), "bad.script")
        let result = try ringer("simulate", "--script", "bad.script")
        #expect(result.status == 64 && result.errors.hasPrefix("ringer: bad.script, line 6: \"song\" is no state"))
    }

    @Test("a script that cannot be read fails with the system's reason")
    func missing() throws {
        let ringer = try Command()
        let result = try ringer("simulate", "--script", "no.script")
        #expect(result.status == 1 && result.errors == "Error: no.script: cannot read: No such file or directory\n")
        #expect(try ringer("simulate", "--junit", "report.xml").status == 64)
    }
}
