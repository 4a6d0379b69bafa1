import Foundation
import Testing

@Suite("ringer simulate --script")
struct ScriptTests {
    let ringer: Command

    init() throws {
        ringer = try Command()
    }

    private func run(_ script: String, _ arguments: String...) throws -> Command.Result {
        try ringer.write(Array(script.utf8), "test.script")
        return try ringer(["simulate", "--script", "test.script"] + arguments)
    }

    @Test("a script presses the button: each press, or a long one alone, moves the kept position")
    func button() throws {
        let result = try run(
            """
            play soloAmbient for 10 s called melody
            wait 250 ms
            press
            expect silent within 20 ms
            expect melody silenced by software-silent after 250 ms
            wait 1 s
            hold
            wait 1 s
            release
            sound 1000
            expect heard
            button cycle long 600 ms
            press for 599 ms
            wait 1 s
            expect not report "kept position vibrate"
            press for 1 s
            wait 600 ms
            expect report "kept position vibrate"
            """)
        #expect(result.status == 0, "\(result.errors)")
        #expect(try run("button long").errors.contains("toggle or cycle"))
        #expect(try run("press for").errors.contains("a time"))
    }

    @Test("a script whose expectations are met exits with 0 and counts its tests")
    func passes() throws {
        let result = try run(
            """
            play soloAmbient for 2 s called melody
            expect heard on speaker at 1
            wait 250 ms
            silent
            expect silent within 20 ms
            expect melody silenced by ring-silent-switch after 250 ms
            """)
        #expect(result.status == 0 && result.errors.isEmpty)
        #expect(result.output.hasSuffix("1 passed, 0 failed\n"))
    }

    @Test("a script may end while one session interrupts another, whose interruption ends then")
    func endsInInterruption() throws {
        let result = try run(
            """
            activate playback called music
            activate playback called call
            wait 1
            """)
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test("an expectation that is not met exits with 1, and one line names its line and the actual state")
    func fails() throws {
        let result = try run(
            "silent\nplay playback for 2 s # goes on\n\nexpect silent within 20 ms  # never\nwait 1 s\n")
        #expect(result.status == 1)
        #expect(
            result.errors
                == "ringer: test.script, line 4: \"expect silent within 20 ms\" failed: "
                + "playback is heard on speaker at 1.00, 20 ms later\n")
        #expect(result.output.hasSuffix("0 passed, 1 failed\n"))
    }

    @Test("a failed test does not stop the next one, which has a board of its own")
    func tests() throws {
        let result = try run(
            """
            # Begins every test.
            silent
            test the switch silences a melody
            play soloAmbient
            expect heard
            ring
            test the beginning is repeated
            expect at silent
            play soloAmbient
            expect silenced by ringSilentSwitch
            expect silent for 1 h
            """)
        #expect(result.status == 1)
        #expect(result.errors.contains("line 5: \"expect heard\" failed: nothing is heard"))
        #expect(result.errors.split(separator: "\n").count == 1)
        #expect(result.output.hasSuffix("1 passed, 1 failed\n"))
    }

    @Test(
        "every feature of the device can be scripted and expected",
        arguments: [
            "sound tock\nexpect heard\nwait 1 s\nexpect finished",
            "silent\nsound tock\nexpect silenced by ringSilentSwitch",
            "silent\nsound new-mail as alert called mail\nexpect felt\nexpect not heard\nexpect still within 1 s",
            "alert 1007 by sound for 5 s called ring\nexpect ring heard\nexpect still\nexpect ring timed-out within 6 s",
            "alert 1007 called ring\nwait 1 s\nstop ring\nexpect silent\nexpect ring stopped by caller after 1 s",
            "silent\nalert 1007\nexpect felt\nring\nexpect heard within 3 s",
            "notify at 0.5\nexpect heard at 0.5\nexpect felt",
            "set alert-volume 0.25\nnotify at 0.5\nexpect heard at 0.13",
            "set do-not-disturb on\nnotify\nexpect silenced by doNotDisturb\nnotify critical\nexpect heard",
            "set do-not-disturb on\nset do-not-disturb off\nnotify\nexpect heard",
            "silent\nalarm 1007 called ring\nexpect heard\nexpect felt\nstop ring\nexpect ring stopped by caller",
            "set alarms-ignore-silence off\nsilent\nalarm 1007\nexpect not heard\nexpect felt",
            "set alarm-volume 0.05\nalarm 1007\nexpect heard at 0.1",
            // A length is never cut to the second before.
            "clock 2026-03-02 12:00\nkeep silent for 1.5 s\nwait 1.4 s\nplay ambient\nexpect not heard for 0.4 s\nwait 1 s\nplay ambient\nexpect heard",
            "set media-volume 0.5\nset call-volume 0.25\nplay playback\nexpect heard at 0.5",
            "set call-volume 0.25\nplay playAndRecord\nexpect heard at 0.25",
            "set announcement-volume 0.5\nannounce playback for 1 s\nexpect heard at 0.5",
            "announce playback for 1 s with mixWithOthers at 0.25\nexpect heard at 0.25\nplay ambient\nexpect heard at 1",
            "play playback\nvolume-down 8\nexpect heard at 0.5\nvolume-up\nexpect heard at 0.56\nvolume-up 100\nexpect heard at 1",
            "volume-down 12\nnotify\nexpect heard at 0.25",
            "clock 2026-03-02 21:59\nset quiet-hours daily 22:00-07:00 volume=0.3\nplay playback for 2 min\nexpect heard at 1\nwait 1 min\nexpect heard at 0.3\nexpect at ring\nexpect report \"quiet hours: volume 0.30\"",
            "input on\nactivate playAndRecord priority call called talk\nalert 1007\nexpect not heard for 1 s\nexpect felt within 3 s\ndeactivate talk\nexpect heard within 3 s",
            "set alerts-during-call quiet\ninput on\nactivate playAndRecord\nalert 1007\nexpect heard at 0.1",
            "set alerts-during-call none\ninput on\nactivate playAndRecord\nalert 1007\nexpect not heard\nexpect not felt for 3 s",
            "set ducking-depth 20\nset ducking-down 0\nset ducking-up 2000\nplay playback with mixWithOthers\nactivate playback with duckOthers\nexpect heard at 0.1",
            "set vibrate-on-ring off\nalert 1007\nexpect heard\nexpect not felt for 3 s",
            "set vibrate-on-silent off\nsilent\nalert 1007\nexpect not felt for 3 s",
            "set sound-effects off\nsound tock\nexpect silenced by soundEffectsOff",
            "set haptics-while-recording on\nactivate record\nalert 1007\nexpect felt",
            "set routes-silenced-by-switch none\nsilent\nsound tock\nexpect heard",
            "vibrate 100,50,100\nexpect felt for 99 ms\nwait 1 ms\nexpect still\nexpect felt within 50 ms\nwait 1 s\nexpect finished",
            "motor fails\nvibrate\nexpect failed\nexpect still\nmotor works\nvibrate\nexpect felt",
            "pcm missing\nplay playback\nexpect failed\npcm works\nplay playback\nexpect heard",
            "headphone in\nexpect route headphone\nsilent\nplay soloAmbient\nexpect heard on headphone",
            "bluetooth in\nexpect report \"bluetooth there\"\nline in\nline out",
            "volume 0.4\nexpect volume 0.4\nvolume unknown\nexpect volume unknown",
            "lock\nexpect locked\nplay ambient\nexpect silenced by screenLock\nunlock\nexpect unlocked\nplay ambient\nexpect heard",
            "input off\nactivate record called mic\nexpect mic refused\ninput on\nactivate record\nexpect active",
            "unplug\nexpect report lost\nplug\nexpect report found\nexpect at ring",
            "deny\nsound tock\nexpect silenced\nset when-switch-unreadable ring\nsound tock\nexpect heard\n"
                + "silent\nallow\nexpect silent\nexpect at silent",
            "vibrate-position\nexpect at vibrate\nflip\nexpect at ring\nflip\nexpect at silent",
            "detect\nexpect detected audible within 0.1 s\nsilent\ndetect\nexpect detected muted",
            "pcm unpaced\ndetect\nexpect detected muted\nexpect report contradicts",
            "activate playback called music\nplay in music for 9 s called song\nexpect song heard\nexpect music audible\n"
                + "session playback for 1 s with duckOthers called prompt\nexpect music ducked\nexpect heard at 0.2\n"
                + "expect prompt finished within 1 s\nexpect music unducked\ndeactivate music\nexpect music inactive\n"
                + "expect song stopped by sessionDeactivated",
            "activate playback called music\ncall\nexpect music interrupted\nhang-up\nexpect music active\n"
                + "call\nanswer\nexpect music inactive",
            "activate ambient called game\nplay in game called tune\nexpect tune heard\nbackground game\n"
                + "expect tune silenced by background\nforeground\nplay in game\nexpect heard",
            "play playback for 5 s with honoursRingSilentSwitch\nlock\nexpect heard for 1 s\nsilent\n"
                + "expect silenced by ringSilentSwitch after 1 s",
            "activate playback priority call called talk\nplay playback called prompt\nexpect prompt silenced by sessionPriority",
            "activate playback priority alarm called warning\nsession playback called song\nexpect song refused",
            "play soloAmbient from tock called tock\nexpect tock finished after 50 ms within 1 s",
            "play playback\nsession ambient\nalert 1007\nvibrate\nstop\nexpect silent\nexpect still",
            "silent\nannounce playback for 2 s called one\nannounce playback from tock from tock called two\n"
                + "expect one heard\nexpect two not heard for 1.999 s",
            "announce playback for 2 s called one\nannounce playback from tock from tock called two\n"
                + "expect one heard for 2 s\nexpect one finished after 2 s\nexpect two heard within 1 us\n"
                + "expect two finished after 100 ms within 1 s\nrepeat announcement\nexpect finished after 100 ms within 1 s",
            "announce playback for 9 s called one\nannounce playback expiring in 2 s called two\n"
                + "announce playback for 1 s priority 1 called three\nexpect two stopped by expired within 2 s\n"
                + "pause announcements\nexpect silent for 1 min\nresume announcements\nexpect one heard within 1 s\n"
                + "skip announcement\nexpect one stopped by skipped within 1 s\nexpect three heard within 1 s\n"
                + "clear announcements\nexpect three stopped by caller within 1 s",
            "announce playback for 2 s called one\nwait 1 s\ncall\nexpect silent for 1 h\nhang-up\nexpect one heard\n"
                + "stop one\nexpect one stopped by caller within 1 s",
            "other-audio on\nexpect report \"another process plays\"\nother-audio off",
            "zone CET-1CEST,M3.5.0,M10.5.0/3\nset quiet-hours Sat,Sun 22:00-07:00\nclock 2026-03-28 21:59\nplay ambient for 5 min\n"
                + "expect heard for 59 s\nwait 1 s\nexpect silenced by quietHours after 60 s\n"
                // The hour from 2:00 to 3:00 does not exist.
                + "wait 479 min\nsound tock\nexpect silenced by quietHours\nwait 1 min\nsound tock\nexpect heard",
            "clock unset\nset quiet-hours daily 00:00-00:01\nexpect report \"never set\"\nsound tock\nexpect silenced by quietHours\n"
                + "set when-clock-unset ring\nsound tock\nexpect heard\nset when-clock-unset silent\nclock 2026-03-02 12:00\n"
                + "sound tock\nexpect heard\nset quiet-hours none",
            "set quiet-hours-position vibrate\nset quiet-hours daily 00:00-00:01\nset vibrate-on-silent off\nalert 1007 for 2 min\nexpect felt\n"
                + "expect not heard for 59 s\nexpect heard within 2 s",
            "keep vibrate\nkeep silent for 2 h\nsound tock\nexpect silenced by softwareSilent\nwait 119 min\nsound tock\n"
                + "expect silenced by softwareSilent\nwait 1 min\nexpect report \"kept position vibrate\"\nkeep ring\nsound tock\nexpect heard\n"
                + "keep silent for 1 h\nclock 2026-01-01 09:00\nsound tock\nexpect heard",
            "expect silent for 100 h\nplay playback\nexpect running\nexpect ended within 30 s",
        ])
    func features(script: String) throws {
        let result = try run(script)
        #expect(result.status == 0 && result.errors.isEmpty, "\(script)\n\(result.output)\(result.errors)")
    }

    private static let checkout = (1...4).reduce(URL(fileURLWithPath: #filePath)) { path, _ in
        path.deletingLastPathComponent()
    }.path

    /// The scripts of examples/scripts.
    private static let examples: [String] = {
        let folder = checkout + "/examples/scripts"
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).map { folder + "/" + $0 }
    }()

    @Test("each example passes", arguments: examples)
    func example(path: String) throws {
        let result = try ringer("simulate", "--script", path)
        #expect(result.status == 0 && result.output.hasSuffix(" passed, 0 failed\n"), "\(result.errors)")
    }

    // To draw it anew: ringer simulate --script examples/scripts/first.script --trace docs/pictures/first.svg
    @Test("the picture in docs/testing.md shows what its script does now")
    func picture() throws {
        let script = Self.checkout + "/examples/scripts/first.script"
        #expect(try ringer("simulate", "--script", script, "--trace", "first.svg").status == 0)
        #expect(
            try String(contentsOfFile: ringer.folder.path + "/first.svg", encoding: .utf8)
                == String(contentsOfFile: Self.checkout + "/docs/pictures/first.svg", encoding: .utf8))
    }

    @Test("a trace of several tests has their titles, in both formats; that of one test has none")
    func titles() throws {
        let script = "test first of all\nwait 1 s\ntest then <another>\nplay playback for 1 s\nwait 1 s\n"
        #expect(try run(script, "--trace", "run.svg").status == 0)
        let picture = String(decoding: try ringer.read("run.svg"), as: UTF8.self)
        for text in [">test<", ">first of all<", ">then &lt;another&gt;<"] {
            #expect(picture.contains(text), "\(text)")
        }
        #expect(try run(script, "--trace", "run.vcd").status == 0)
        let dump = String(decoding: try ringer.read("run.vcd"), as: UTF8.self).split(separator: "\n")
        #expect(dump.contains("$var string 1 * mark $end") && dump.contains("sfirst_of_all *"))
        let second = try #require(dump.firstIndex(of: "sthen_<another> *"))
        #expect(dump[..<second].last { $0.hasPrefix("#") } == "#1000000")
        // What draws dumps reads it.
        #expect(try ringer("trace", "run.vcd", "drawn.svg").status == 0)
        #expect(String(decoding: try ringer.read("drawn.svg"), as: UTF8.self).contains("then_&lt;another&gt;"))
        #expect(try run("test alone\nwait 1 s\n", "--trace", "one.vcd").status == 0)
        #expect(!String(decoding: try ringer.read("one.vcd"), as: UTF8.self).contains("mark"))
    }

    @Test("there are examples")
    func hasExamples() {
        #expect(Self.examples.count >= 2)
    }

    @Test("files are looked for beside the script")
    func files() throws {
        #expect(try ringer("sounds", "--render", "tests/App/Library/Sounds").status == 1)
        for folder in ["tests", "tests/App", "tests/App/Library", "tests/App/Library/Sounds"] {
            try FileManager.default.createDirectory(
                atPath: ringer.folder.path + "/" + folder, withIntermediateDirectories: false)
        }
        #expect(try ringer("sounds", "--render", "tests").status == 0)
        try FileManager.default.copyItem(
            atPath: ringer.folder.path + "/tests/Tock.caf",
            toPath: ringer.folder.path + "/tests/App/Library/Sounds/t.caf")
        let script = """
            play playback from Tock.caf for 2 s
            expect finished after 2 s within 2 s
            sound Tock.caf
            expect heard
            wait 1 s
            notify t.caf in App
            expect not report instead
            expect finished after 400 ms within 1 s
            """
        try ringer.write(Array(script.utf8), "tests/files.script")
        let result = try ringer("simulate", "--script", "tests/files.script")
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        let missing = try run("wait 1 s\nplay playback from missing.caf\n")
        #expect(missing.status == 1)
        #expect(
            missing.errors
                == "ringer: test.script, line 2: \"play playback from missing.caf\" failed: "
                + "missing.caf: cannot open: No such file or directory\n")
    }

    // A length made a sound of its own of it, which had no word of what it stood for.
    @Test("a script can expect that another sound is heard, or not all of one, and why, however it is played")
    func standIns() throws {
        let data = try Command()
        for folder in ["ringer", "ringer/sounds", "App"] {
            try FileManager.default.createDirectory(
                atPath: data.folder.path + "/" + folder, withIntermediateDirectories: false)
        }
        try data.write(Array("caff".utf8), "ringer/sounds/new-mail.caf")
        #expect(try data("sounds", "--render", "rendered").status == 0)
        let whole = try data.read("rendered/Tock.caf")
        try data.write(Array(whole.prefix(whole.count / 2)), "cut.caf")
        let ringer = try Command(environment: ["XDG_DATA_HOME": data.folder.path])
        let undecodable = "\"another one instead: undecodable: \(data.folder.path)/ringer/sounds/new-mail.caf\""
        let incomplete = "\"incomplete: \(data.folder.path)/cut.caf: cannot play all of it\""
        for (step, report) in [
            ("sound new-mail", undecodable), ("sound new-mail as alert", undecodable),
            ("alert new-mail for 1 s", undecodable), ("play playback from new-mail", undecodable),
            ("play playback from new-mail for 2 s", undecodable), ("session playback from new-mail", undecodable),
            ("session playback from new-mail for 1 s", undecodable),
            ("activate playback called music\nplay in music from new-mail", undecodable),
            ("activate playback called music\nplay in music from new-mail for 1 s", undecodable),
            ("announce playback from new-mail", undecodable),
            ("announce playback from new-mail from new-mail for 1 s", undecodable),
            ("notify no.wav in App", "\"another one instead: missing: no.wav\""),
            ("sound cut.caf", incomplete), ("alert cut.caf for 1 s", incomplete),
            ("play playback from cut.caf", incomplete), ("play playback from cut.caf for 1 s", incomplete),
        ] {
            let script = "\(step)\nexpect report \(report)\nexpect heard\nexpect ended within 10 s\n"
            try data.write(Array(script.utf8), "test.script")
            let result = try ringer("simulate", "--script", data.folder.path + "/test.script")
            #expect(result.status == 0, "\(step)\n\(result.output)\(result.errors)")
        }
        // An announcement without a part of itself would say something else.
        for length in ["", " for 1 s"] {
            let script = "announce playback from cut.caf\(length)\nexpect failed\nexpect not heard for 1 s\n"
            try data.write(Array(script.utf8), "test.script")
            let result = try ringer("simulate", "--script", data.folder.path + "/test.script")
            #expect(result.status == 0, "\(result.output)\(result.errors)")
        }
    }

    @Test("every run of a script prints the same, however much time passes in it")
    func repeatable() throws {
        let script =
            "alert 1007 for 10 min\nwait 1 h\nplay soloAmbient for 3 s\nwait 0.29 s\nflip\nexpect silent\ndetect\n"
        let first = try run(script)
        #expect(first.status == 0 && first.output.contains(" 3600.290000 s  expect    ok  silent (line 6)"))
        #expect(try run(script).output == first.output)
    }

    @Test("sounds at the end of a script continue for a minute at most")
    func end() throws {
        let result = try run("alert 1007 for 20 h\n")
        let last = try #require(result.output.split(separator: "\n").last?.split(separator: " ").first)
        #expect(result.status == 0 && (59...60).contains(Double(last) ?? 0))
    }

    @Test("in JSON, each expectation is an object with its line")
    func json() throws {
        let result = try run("expect silent\nexpect heard\n", "--json")
        let objects = try result.output.split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        let expectations = objects.filter { $0["what"] as? String == "expect" }
        #expect(expectations.map { $0["line"] as? Int } == [1, 2])
        #expect(expectations.map { $0["passed"] as? Bool } == [true, false])
        #expect(expectations.map { $0["expect"] as? String } == ["silent", "heard"])
        #expect(result.status == 1)
    }

    @Test("the user's preferences are options as well")
    func preferences() throws {
        let script = "alert 1007\nexpect heard at 0.5\nexpect not felt for 2 s\n"
        #expect(try run(script).status == 1)
        #expect(try run(script, "--alert-volume", "0.5").status == 1)
        #expect(try run(script, "--alert-volume", "0.5", "--no-vibrate-on-ring").status == 0)
        #expect(try run("notify\nexpect heard at 0.5\n", "--alert-volume", "0.5").status == 0)
        #expect(try run("alert 1007\nexpect not felt for 2 s\n", "--no-vibrate-on-ring").status == 0)
    }
}
