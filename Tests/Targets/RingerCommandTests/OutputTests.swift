import Foundation
import RingerLinux
import SoundFile
import Testing

/// What the command prints, whatever the files that it reads say and however it fails.
@Suite struct OutputTests {
    private let ringer: Command

    init() throws {
        ringer = try Command()
    }

    private static let pcm = SoundCodec.linearPCM(LinearPCM(.signedInteger, bytesPerSample: 2, byteOrder: .little))

    private func wave(frames: Int) throws -> [UInt8] {
        let sound = PCMBuffer(sampleRate: 8000, channels: 1, samples: [Int16](repeating: 9, count: frames))
        return try SoundFiles.encode(sound, container: .wave, codec: Self.pcm)
    }

    private func objects(_ output: String) throws -> [[String: Any]] {
        try output.split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    // MARK: - Text from outside

    /// Clears the screen in two ways, deletes, rings, begins a line that is not the command's, and turns the rest of it round.
    private static let hostile = "a\u{1B}[2J\u{9B}2J\u{7F}\u{7}\r\nok: b\tc\u{202E}\\"
    private static let printable = #"a\x1b[2J\x9b2J\x7f\x07\x0d\x0aok: b\x09c\x202e\"#

    private func hasControls(_ text: String) -> Bool {
        text.unicodeScalars.contains {
            ($0.properties.generalCategory == .control || $0.properties.isBidiControl) && $0 != "\n"
        }
    }

    private func chunk(_ id: String, _ bytes: [UInt8]) -> [UInt8] {
        Array(id.utf8) + [UInt8(bytes.count), 0, 0, 0] + bytes + [UInt8](repeating: 0, count: bytes.count % 2)
    }

    // They worked the terminal: ESC cleared it, a line feed wrote a line that looked like the command's.
    @Test("control characters of tags and of a file's name are shown as numbers, also those that are not UTF-8")
    func tags() throws {
        let tag = chunk("LIST", Array("INFO".utf8) + chunk("INAM", Array(Self.hostile.utf8) + [0x9B, 0xFF, 0]))
        let name = Self.hostile + ".wav"
        var sound = try wave(frames: 8)
        sound.insert(contentsOf: tag, at: 36)
        sound[4] += UInt8(tag.count)
        try ringer.write(sound, name)
        // A text of ID3v2 in Latin-1, in front of silence.
        let frame = [0xFF, 0xFB, 0x90, 0x64] + [UInt8](repeating: 0, count: 413)
        let text: [UInt8] = [0, 0x61, 0x1B, 0x5B, 0x32, 0x4A, 0x9B]
        let id3 =
            Array("ID3".utf8) + [3, 0, 0, 0, 0, 0, UInt8(text.count + 10)] + Array("TIT2".utf8)
            + [0, 0, 0, UInt8(text.count), 0, 0] + text
        try ringer.write(id3 + Array(repeatElement(frame, count: 8).joined()), "b.mp3")
        let words = try ringer("info", name, "b.mp3")
        #expect(words.status == 0 && !hasControls(words.output), "\(words.output.debugDescription)")
        #expect(words.output.contains("File:           \(Self.printable).wav\n"))
        #expect(words.output.contains("INAM: \(Self.printable)\u{FFFD}\u{FFFD}\n"), "\(words.output.debugDescription)")
        let json = try ringer("info", "--json", name, "b.mp3")
        #expect(json.status == 0 && !hasControls(json.output), "\(json.output.debugDescription)")
        let first = try #require(try objects(json.output).first)
        #expect(first["file"] as? String == name)
        #expect((first["tags"] as? [[String: String]])?.first?["value"] == Self.hostile + "\u{FFFD}\u{FFFD}")
    }

    @Test(
        "an error is one line without control characters, whatever the file is called",
        arguments: [
            ["play", hostile], ["alert", hostile], ["session", "--play", hostile], ["info", hostile],
            ["convert", hostile, "out.wav"], ["convert", "in.wav", hostile + "/out.wav", "-v"],
            ["trace", hostile, "a.svg"],
            ["trace", "bad.vcd", "a.svg"], ["trace", "good.vcd", hostile + "/a.svg"],
            ["simulate", "--script", hostile],
            ["notify", "--container", hostile, "a", "--trace", hostile + "/a.svg"],
            ["status", "--switch", "evdev:/\(hostile)"],
            ["simulate", "--script", "bad.script"],
        ])
    func errors(_ arguments: [String]) throws {
        try ringer.write(wave(frames: 8), "in.wav")
        try ringer.write(Array(Self.hostile.replacing("\r\n", with: "").utf8), "bad.vcd")
        try ringer.write(Array("$timescale 1 us $end\n$enddefinitions $end\n#0\n#5\n".utf8), "good.vcd")
        try ringer.write(
            Array("play playback from \"\(Self.hostile.replacing("\r\n", with: ""))\"\n".utf8), "bad.script")
        let board = ["alert", "notify", "play", "session"].contains(arguments[0]) ? ["--board", "simulated"] : []
        let result = try ringer(arguments + board)
        #expect(result.status != 0 && !hasControls(result.errors + result.output), "\(result)")
        #expect(
            result.errors.count { $0.isNewline } == 1
                && (result.errors.contains(#"a\x1b[2J\x9b2J"#) || arguments[1] == "bad.vcd"), "\(result)")
    }

    @Test("a usage error keeps its lines, and shows no control characters")
    func usage() throws {
        let result = try ringer("trace", "a.vcd", Self.hostile)
        #expect(result.status == 64 && !hasControls(result.errors), "\(result)")
        #expect(result.errors.contains("\nUsage: ringer trace"), "\(result)")
    }

    @Test("a file's warning shows no control characters")
    func warning() throws {
        try ringer.write(Array(wave(frames: 8).dropLast(8)), Self.hostile)
        let result = try ringer("play", "./" + Self.hostile, "--board", "simulated")
        #expect(result.status == 0 && !hasControls(result.errors), "\(result)")
        #expect(result.errors.hasPrefix("Warning: ./\(Self.printable): cannot play all of it: "), "\(result)")
    }

    // MARK: - Failures as JSON

    // They printed nothing on standard output.
    @Test(
        "with --json a failure is an object on standard output, before anything has begun and later",
        arguments: [
            ["play", "missing.wav"], ["play", "1999"], ["play", "tock", "--trace", "no/run.vcd"],
            ["play", "tock", "--motor", "led:none"], ["alert", "missing.wav"], ["alert", "1999"],
            ["alert", "new-mial"], ["notify", "--trace", "no/run.vcd"], ["vibrate", "--motor", "led:none"],
            ["session", "--play", "missing.wav"], ["session", "--switch", "gpio:17"],
            ["status", "--switch", "gpio:17"], ["watch", "--switch", "gpio:17"], ["detect", "--switch", "gpio:17"],
            ["routes", "--motor", "led:none"], ["sounds", "--render", "no/folder"], ["info", "missing.wav"],
            ["simulate", "--trace", "no/run.vcd"], ["simulate", "--script", "missing.script"],
        ])
    func failures(_ arguments: [String]) throws {
        let withBoard = !["info", "sounds", "simulate"].contains(arguments[0])
        let result = try ringer(arguments + ["--json"] + (withBoard ? ["--board", "simulated"] : []))
        #expect(result.status == 1, "\(result)")
        let objects = try objects(result.output)
        try #require(objects.count == 1, "\(result)")
        #expect(objects[0]["outcome"] as? String == "failed")
        let reason = try #require(objects[0]["by"] as? String)
        #expect(!reason.isEmpty && result.errors.hasSuffix(": \(reason)\n"), "\(result)")
    }

    @Test(
        "a failure has the members of a result",
        arguments: [
            (["play", "tock"], ["play", "missing.wav"]),
            (["alert", "tock", "--for", "0.1"], ["alert", "missing.wav"]),
            (["notify"], ["notify", "--trace", "no/run.vcd"]),
            (["vibrate", "--pattern", "10"], ["vibrate", "--motor", "led:none"]),
        ])
    func members(_ result: [String], _ failure: [String]) throws {
        let both = try [result, failure].map { arguments in
            let output = try ringer(arguments + ["--board", "simulated", "--json"]).output
            return try #require(objects(output).last).keys.sorted()
        }
        #expect(both[0] == both[1])
    }

    // MARK: - Sentences

    @Test("one frame is no frames, and a code's name is words")
    func sentences() throws {
        try ringer.write(wave(frames: 1), "one.wav")
        let info = try ringer("info", "one.wav").output
        #expect(info.contains(" s, 1 frame\n") && info.contains("2 bytes, 1 frame each\n"), "\(info)")
        let convert = try ringer("convert", "one.wav", "out.wav", "-v").output
        #expect(convert.contains("1 frame, ") && convert.contains("1 frame written\n"), "\(convert)")
        try ringer.write(Array(wave(frames: 80).dropLast(158)), "cut.wav")
        let cut = try ringer("play", "cut.wav", "--board", "simulated").errors
        #expect(cut.hasPrefix("Warning: cut.wav: cannot play all of it: sound incomplete ("), "\(cut)")
        #expect(cut.contains(" 1 frame") && !cut.contains("1 frames"), "\(cut)")
    }

    // It was "expected a codec that WAVE can hold, found MPEG Layer III", to keep which -d 0 had asked for.
    @Test("-d 0 says of a codec that is only read that another one has to be named", arguments: ["0", "0@8000"])
    func onlyRead(_ format: String) throws {
        let frame = [0xFF, 0xFB, 0x90, 0x64] + [UInt8](repeating: 0, count: 413)
        try ringer.write(Array(repeatElement(frame, count: 8).joined()), "in.mp3")
        let result = try ringer("convert", "in.mp3", "out.wav", "-d", format)
        #expect(
            result.errors == "ringer: in.mp3: cannot keep its codec: not supported "
                + "(MPEG Layer III is read, not written: name another one with -d, such as LEI16)\n")
        #expect(try result.status == 1 && ringer.names == ["in.mp3"])
    }

    // Only the play that failed said so.
    @Test(
        "doctor finds the file of the kept position, a button and the light that the configuration names, and their faults"
    )
    func silence() throws {
        let command = try Command()
        func doctor(_ lines: String, json: Bool = false) throws -> String {
            try command.write(Array(lines.utf8), "ringerd.conf")
            return try command(["doctor", "--config", "ringerd.conf"] + (json ? ["--json"] : [])).output
        }
        #expect(
            try doctor("position-file = position # beside it\n").contains("ok       position position: not set yet\n"))
        try command.write(Array("vibrate until 4102444800 then ring\n".utf8), "position")
        #expect(
            try doctor("position-file=position\n").contains(
                "ok       position position: vibrate until 4102444800 then ring\n"))
        try command.write(Array("loud\n".utf8), "position")
        let damaged = try doctor("position-file = position\n")
        #expect(damaged.contains("unusable position position: position: cannot read the position"), "\(damaged)")
        #expect(damaged.contains("it counts as silent") && damaged.contains("repair:  set it anew: ringer silent off"))
        let missing = try doctor("position-file = none/position\n")
        #expect(missing.contains("unusable position none/position: ") && missing.contains("make its folder"))
        let none = try doctor("position-file = none\r\nvolume-keys = no\r\n")
        #expect(none.contains("none     position the kept position does not outlast"))
        let wrong = try doctor("button = evdev:/dev/input/none,code=KEY_MUTE\nsilent-light = none-such\n")
        #expect(wrong.contains("missing  button   ") && wrong.contains("Only a push button"))
        #expect(wrong.contains("missing  silent-light no LED none-such\n"))
        let parts = try objects(doctor("switch = button:gpio:NO_SUCH\nposition-file = position\n", json: true))
        #expect(parts.contains { $0["part"] as? String == "position" && $0["problem"] is String })
        #expect(parts.contains { $0["part"] as? String == "button" && $0["found"] as? Bool == false })
        #expect(parts.contains { $0["part"] as? String == "switch" && $0["found"] as? Bool == true })
    }

    @Test("doctor names the packages of the libraries that decode some sounds, and is content without them")
    func libraries() throws {
        let without = try Command(environment: ["LD_LIBRARY_PATH": "."])
        // The loader takes the first file of the name, and that is no library.
        for name in ["libmpg123.so.0", "libsndfile.so.1"] { try without.write([], name) }
        let words = try without("doctor").output
        for (library, package, sounds) in [
            ("libmpg123.so.0", "libmpg123-0", "MP3"), ("libsndfile.so.1", "libsndfile1", "Ogg and FLAC"),
        ] {
            #expect(
                words.contains(
                    "none     decoder  no \(library), which decodes \(sounds)\n         repair:  apt-get install -y \(package)\n"
                ),
                "\(words)")
        }
        let lines = try objects(without("doctor", "--json").output).filter { $0["part"] as? String == "decoder" }
        #expect(lines.count == 2 && lines.allSatisfy { $0["found"] as? Bool == false && $0["repair"] is String })
    }

    @Test("doctor --fix prints a script that runs the report's repairs, and leaves what the owner decides as comments")
    func repairScript() throws {
        let command = try Command(environment: ["LD_LIBRARY_PATH": "."])
        for name in ["libmpg123.so.0", "libsndfile.so.1"] { try command.write([], name) }
        let configuration = "position-file = /no such/it's/position\nsilent-light = none-such\n"
        try command.write(Array(configuration.utf8), "ringerd.conf")
        let result = try command("doctor", "--config", "ringerd.conf", "--fix")
        #expect(result.status == 0 && result.output.hasPrefix("#!/bin/sh\n# Repairs "), "\(result)")
        let report = try command("doctor", "--config", "ringerd.conf")
        let commands = [
            "install -d -o ringer -g ringer -m 700 '/no such/it'\\''s'", "apt-get install -y libmpg123-0",
            "apt-get install -y libsndfile1",
        ]
        for line in commands {
            #expect(result.output.contains("\(line)\n") || result.output.contains("\n\(line) || {"), "\(result.output)")
            #expect(report.output.contains(line))
        }
        #expect(result.output.contains("\n# silent-light: no LED none-such\n#     name one of ls /sys/class/leds"))
        // The programs that it runs are doubles, which write down how they are called. Others are those of the machine's own repairs.
        let programs = ["install", "apt-get", "usermod", "groupadd", "udevadm", "sed", "grep"]
        for program in programs { try command.write(Array("echo \(program) \"$*\" >>calls\n".utf8), program) }
        try command.write(Array("echo 0\n".utf8), "id")
        for program in programs + ["id"] { chmod(command.folder.path + "/" + program, 0o755) }
        try command.write(Array(result.output.replacing("/etc/", with: "etc/").utf8), "fix.sh")
        try FileManager.default.createDirectory(
            atPath: command.folder.path + "/etc/udev/rules.d", withIntermediateDirectories: true)
        func run() throws -> (status: Int32, calls: [Substring]) {
            let shell = Process()
            shell.executableURL = URL(fileURLWithPath: "/bin/sh")
            shell.arguments = ["fix.sh"]
            shell.environment = ["PATH": command.folder.path + ":/usr/bin:/bin"]
            shell.currentDirectoryURL = command.folder
            try command.write([], "calls")
            try shell.run()
            shell.waitUntilExit()
            let calls = try String(decoding: command.read("calls"), as: UTF8.self).split(separator: "\n")
            return (shell.terminationStatus, calls.filter { $0.hasPrefix("install") || $0.hasPrefix("apt-get") })
        }
        let mended = try run()
        #expect(
            mended.status == 0
                && mended.calls == [
                    "install -d -o ringer -g ringer -m 700 /no such/it's", "apt-get install -y libmpg123-0",
                    "apt-get install -y libsndfile1",
                ])
        // One that fails does not keep the next one from being made.
        try command.write(Array("echo apt-get \"$*\" >>calls; exit 100\n".utf8), "apt-get")
        let failed = try run()
        let tries = ["libmpg123-0", "libsndfile1"].flatMap { ["apt-get install -y \($0)", "apt-get update"] }
        #expect(failed.status == 1 && failed.calls.map(String.init) == [String(mended.calls[0])] + tries)
    }

    @Test("a script and JSON exclude each other")
    func scriptOrJSON() throws {
        let result = try ringer("doctor", "--fix", "--json")
        #expect(result.status == 64 && result.output.isEmpty && result.errors.contains("choose one"), "\(result)")
    }

    @Test("doctor reports PipeWire's version, its rules, whether ringer-pipewire runs, and what cannot be silenced")
    func pipeWire() throws {
        let command = try Command(environment: ["PATH": ".:/usr/bin:/bin", "XDG_CONFIG_HOME": "config"])
        func doctor(prints text: String, status: Int = 0) throws -> String {
            let script = "#!/bin/sh\ncat <<'END'\n\(text)\nEND\nexit \(status)\n"
            try command.write(Array(script.utf8), "ringer-pipewire")
            let path = command.folder.appendingPathComponent("ringer-pipewire").path
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
            return try command("doctor").output
        }
        for folder in ["client.conf.d", "pipewire-pulse.conf.d"] {
            let place = "config/pipewire/\(folder)"
            try FileManager.default.createDirectory(
                at: command.folder.appendingPathComponent(place), withIntermediateDirectories: true)
            let rules = folder == "client.conf.d" ? "channelmix.max-volume = 0.0\n" : "# nothing\n"
            try command.write(Array(rules.utf8), place + "/50-ringer.conf")
        }
        let good = try doctor(
            prints: "PipeWire 1.4.2\nringer-pipewire runs\n70 mpv: ambient\n71 jack: cannot be silenced: no converter")
        #expect(good.contains("ok       PipeWire 1.4.2\n"), "\(good)")
        #expect(good.contains("ok       PipeWire ringer-pipewire runs\n"))
        #expect(good.contains("71 jack: cannot be silenced: no converter\n") && !good.contains("mpv"))
        #expect(good.contains("ok       PipeWire config/pipewire/client.conf.d/50-ringer.conf\n"))
        #expect(good.contains("config/pipewire/pipewire-pulse.conf.d/50-ringer.conf: it overrides the rules"))
        let bad = try doctor(prints: "PipeWire 0.3.65\nringer-pipewire does not run")
        #expect(bad.contains("unusable PipeWire 0.3.65: before 0.3.72 a part of a sound may be heard"), "\(bad)")
        #expect(bad.contains("missing  PipeWire ringer-pipewire does not run"))
        let none = try doctor(prints: "ringer-pipewire: cannot connect to PipeWire: Host is down", status: 1)
        #expect(none.contains("none     PipeWire ringer-pipewire: cannot connect to PipeWire: Host is down\n"))
    }

    // MARK: - Documents

    @Test("docs/command.md lists every word of an outcome, its cause and a fallback")
    func words() throws {
        let checkout = (1...4).reduce(URL(fileURLWithPath: #filePath)) { path, _ in path.deletingLastPathComponent() }
        let text = try String(contentsOf: checkout.appending(path: "docs/command.md"), encoding: .utf8)
        let fallbacks: [SoundFallback.Reason] = [
            .missing, .undecodable, .incomplete, .tooLong, .permissionDenied, .refusedName, .criticalNotAllowed,
        ]
        let words =
            SoundOutcome.StopCause.allCases.map(\.rawValue) + Decision.Reason.allCases.map(\.rawValue)
            + fallbacks.map(\.rawValue) + ["readable", "unreadable", "unplugged", "none"]
            + ["finished", "silenced", "stopped", "replaced", "limited", "failed", "timedOut"]
        let missing = words.filter { !text.contains("`\($0)`") }
        #expect(missing.isEmpty, "\(missing)")
    }
}
