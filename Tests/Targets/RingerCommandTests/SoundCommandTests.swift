import Foundation
import SoundFile
import Testing

@Suite("ringer sounds, play, alert, notify")
struct SoundCommandTests {
    let ringer: Command

    init() throws {
        ringer = try Command()
    }

    private func object(_ line: String) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }

    @Test("sounds lists all 125, one object a line")
    func list() throws {
        let result = try ringer("sounds", "--json")
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(result.status == 0 && lines.count == 125)
        let first = try object(lines[0])
        #expect(first["id"] as? Int == 1000 && first["name"] as? String == "new-mail")
        #expect(first["file"] as? String == "new-mail.caf" && first["resolved"] != nil)
        #expect(try object(lines[124])["resolved"] as? String == "vibration")
        #expect(lines.contains { $0.contains(#""categorySince":"3.2","formerCategory":"SystemSoundPreview""#) })
        #expect(lines[0].hasSuffix(#""since":null,"categorySince":null,"formerCategory":null}"#))
    }

    @Test("sounds --render writes every file, and the files override what they were made of")
    func render() throws {
        #expect(try ringer("sounds", "--render", "out").status == 0)
        let files = try FileManager.default.contentsOfDirectory(atPath: ringer.folder.path + "/out")
        #expect(files.count == 80 && files.allSatisfy { $0.hasSuffix(".caf") })
        #expect(try SoundFiles.info(ringer.read("out/alarm.caf")).container == .caf)
        let listed = try ringer("sounds", "--sounds", "out", "--json").output.split(separator: "\n")
        #expect(try object(String(listed[0]))["resolved"] as? String == "out/new-mail.caf")
    }

    @Test("play takes an ID, a name, a category or a file, and prints the outcome")
    func play() throws {
        for sound in ["1104", "tock", "KeyPressed"] {
            let result = try ringer("play", sound, "--board", "simulated", "--json")
            let object = try object(result.output)
            #expect(result.status == 0 && object["outcome"] as? String == "finished", "\(sound)")
            #expect(object["vibrated"] as? Bool == false && object["fallback"] is NSNull)
            #expect(object["completion"] as? Double ?? 0 > 0.02)
        }
        let silent = try ringer("play", "1104", "--board", "simulated", "--position", "silent", "--json")
        #expect(try object(silent.output)["by"] as? String == "ringSilentSwitch")
        let vibration = try ringer("play", "4095", "--board", "simulated", "--position", "silent", "--json")
        #expect(try object(vibration.output)["vibrated"] as? Bool == true)
        let announced = try ringer("play", "1104", "-c", "playback", "--board", "simulated", "--position", "silent")
        #expect(announced.output.hasPrefix("finished"))
        #expect(try ringer("play", "1999", "--board", "simulated").status == 1)
        #expect(try ringer("play", "no-such-file", "--board", "simulated").status == 1)
    }

    @Test(
        "a name that is no file and resembles a predefined sound's is an error that names the sound",
        arguments: [("new-mial", "new-mail"), ("New-Mai", "new-mail"), ("tok", "Tock"), ("KeyPresed", "KeyPressed")])
    func misspelt(name: String, meant: String) throws {
        let ending = "\(name): cannot open: No such file or directory (or is \"\(meant)\" meant?)\n"
        for words in [["play", name], ["play", name, "-c", "playback"], ["alert", name]] {
            let result = try ringer(words + ["--board", "simulated"])
            #expect(result.status == 1 && result.errors == "Error: " + ending, "\(result.errors)")
        }
        try ringer.write(Array("sound \(name)".utf8), "a.script")
        #expect(try ringer("simulate", "--script", "a.script").errors.hasSuffix(": " + ending))
        try ringer.write(Array("play playback from \(name)".utf8), "a.script")
        #expect(try ringer("simulate", "--script", "a.script").errors.hasSuffix(": " + ending))
    }

    @Test("a file that is there, one in a folder, and a name like no other get no such hint")
    func notMisspelt() throws {
        try ringer.write(Array("no sound".utf8), "new-mial")
        for name in ["new-mial", "./new-mai", "unlike-any-other", "x"] {
            let result = try ringer("play", name, "--board", "simulated")
            #expect(result.status == 1 && !result.errors.contains("meant"), "\(result.errors)")
        }
    }

    // A switch that is not there used to be waited for, at silent and with status 0, where a motor is an error.
    @Test("a switch that an option names and that is not there is an error, as a motor is")
    func unknownParts() throws {
        for command in [["status"], ["play", "tock"], ["vibrate"], ["alert", "tock", "--for", "1"], ["session"]] {
            for part in [
                ["--switch", "gpio:17"], ["--switch", "gpio:no-such-chip:17"], ["--switch", "evdev:/nowhere"],
                ["--switch", "slider:/nowhere"], ["--motor", "gpio:MOTOR"], ["--motor", "led:none"],
            ] {
                let result = try ringer(command + part + ["--board", "simulated"])
                #expect(result.status == 1 && result.output.isEmpty, "\(command) \(part) \(result.output)")
                #expect(result.errors.hasPrefix("Error: ") && result.errors.count { $0 == "\n" } == 1)
            }
        }
    }

    @Test("alert lasts for the given time, in the given way")
    func alert() throws {
        let result = try ringer("alert", "1104", "--way", "vibration", "--for", "0.3", "--board", "simulated", "--json")
        let object = try object(result.output)
        #expect(object["outcome"] as? String == "timedOut" && object["vibrated"] as? Bool == true)
        #expect(object["sounded"] as? Bool == false && (object["elapsed"] as? Double ?? 0) >= 0.3)
        #expect(try ringer("alert", "1104", "--for", "0", "--board", "simulated").status == 64)
    }

    @Test("an MP3 file is played; without libmpg123 its error names the package, and an alert vibrates and says why")
    func mp3() throws {
        // Frames of silence: a header, and nothing in it.
        let frame = [0xFF, 0xFB, 0x90, 0x64] + [UInt8](repeating: 0, count: 413)
        try ringer.write(Array(repeatElement(frame, count: 8).joined()), "silence.mp3")
        let info = try object(ringer("info", "silence.mp3", "--json").output)
        #expect(info["container"] as? String == "MP3" && info["codec"] as? String == "mp3")
        #expect(info["frames"] as? Int == 8 * 1152)
        #expect(try ringer("convert", "silence.mp3", "silence.caf").status == 0)
        #expect(try SoundFiles.decode(ringer.read("silence.caf")).frames == 8 * 1152)
        #expect(
            try object(ringer("play", "silence.mp3", "--board", "simulated", "--json").output)["outcome"] as? String
                == "finished")

        // The loader takes the first file of the name, and that is no library.
        let without = try Command(environment: ["LD_LIBRARY_PATH": "."])
        try without.write([], "libmpg123.so.0")
        try without.write(ringer.read("silence.mp3"), "silence.mp3")
        #expect(try without("info", "silence.mp3").status == 0)
        let play = try without("play", "silence.mp3", "--board", "simulated")
        #expect(play.status == 1 && play.errors.contains("libmpg123-0"), "\(play)")
        var alert: [String: Any] = [:]
        // Longer where the machine was too slow to read the file in time.
        for seconds in ["0.5", "20"] where alert["soundError"] as? String == nil {
            alert = try object(
                without("alert", "silence.mp3", "--for", seconds, "--board", "simulated", "--json").output)
        }
        #expect(alert["vibrated"] as? Bool == true && alert["sounded"] as? Bool == false)
        #expect((alert["soundError"] as? String)?.contains("libmpg123-0") == true, "\(alert)")
    }

    // With --json it was not said which library.
    @Test(
        "without libsndfile the error of Ogg and FLAC names its package, and a sound that stands in is heard",
        arguments: ["OggS", "fLaC"])
    func withoutSndfile(_ start: String) throws {
        let without = try Command(environment: ["LD_LIBRARY_PATH": "."])
        // The loader takes the first file of the name, and that is no library.
        try without.write([], "libsndfile.so.1")
        let bytes = Array(start.utf8) + [UInt8](repeating: 0, count: 100)
        try without.write(bytes, "tune")
        try without.write(bytes, "Tock.caf")
        for command in [
            ["info", "tune"], ["convert", "tune", "out.wav"], ["play", "tune", "--board", "simulated"],
            ["alert", "tune", "--for", "1", "--board", "simulated"],
            ["session", "-c", "playback", "--play", "tune", "--board", "simulated"],
        ] {
            let result = try without(command)
            #expect(result.status == 1 && result.output.isEmpty, "\(command): \(result)")
            #expect(result.errors.contains("tune: ") && result.errors.contains("package libsndfile1"), "\(result)")
        }
        #expect(try without.names == ["Tock.caf", "libsndfile.so.1", "tune"])
        for (command, file) in [
            (["notify", "tune", "--container", "."], "tune"), (["play", "1104", "--sounds", "."], "Tock.caf"),
        ] {
            let result = try without(command + ["--board", "simulated", "--json"])
            let object = try object(result.output)
            #expect(object["outcome"] as? String == "finished" && object["fallback"] as? String == "undecodable")
            #expect(object["frames"] as? Int ?? 0 > 0)
            #expect(
                result.errors.contains("Warning: ./\(file): ") && result.errors.contains("libsndfile1"), "\(result)")
        }
    }

    // It was "finished" with the status 0, without a word.
    @Test("what is there of a file that was cut off is played, with a warning; a file without a frame is an error")
    func incomplete() throws {
        let sound = PCMBuffer(sampleRate: 8000, channels: 1, samples: [Int16](repeating: 99, count: 8000))
        let bytes = try SoundFiles.encode(
            sound, container: .wave, codec: .linearPCM(LinearPCM(.signedInteger, bytesPerSample: 2, byteOrder: .little))
        )
        try ringer.write(Array(bytes[..<(44 + 160)]), "cut.wav")
        try ringer.write(Array(bytes[..<44]), "empty.wav")
        for command in [["play", "cut.wav"], ["session", "-c", "playback", "--play", "cut.wav"]] {
            let result = try ringer(command + ["--board", "simulated", "--json"])
            #expect(
                result.status == 0 && result.errors.contains("Warning: cut.wav: cannot play all of it"), "\(result)")
            let last = try object(String(result.output.split(separator: "\n").last ?? ""))
            #expect(last["outcome"] as? String == "finished" && last["fallback"] as? String == "incomplete")
            #expect(last["frames"] as? Int == 80)
        }
        let empty = try ringer("play", "empty.wav", "--board", "simulated")
        #expect(empty.status == 1 && empty.errors.contains("empty.wav: cannot decode the sound"), "\(empty)")
    }

    @Test("alert takes a vibration pattern, a pause between rounds, and no time limit")
    func alertOptions() throws {
        var (rounds, turns): (Int?, Int) = (nil, 0)
        // Longer where the machine was too slow to vibrate in time.
        for seconds in ["1", "20"] where turns < 3 {
            let result = try ringer(
                "alert", "1104", "--way", "vibration", "--pattern", "20,20,20,20,20", "--pause", "86400", "--for",
                seconds, "--board", "simulated", "--json", "--trace", "run.vcd")
            #expect(result.status == 0)
            rounds = try object(result.output)["rounds"] as? Int
            // In the dump "motor" is a wire with a code of its own: "1" and the code is a turn.
            let lines = try String(decoding: ringer.read("run.vcd"), as: UTF8.self).split(separator: "\n")
            let variable = try #require(lines.first { $0.hasPrefix("$var") && $0.contains(" motor ") })
            turns = lines.count { $0 == "1\(variable.split(separator: " ")[3])" }
        }
        #expect(rounds == 1 && turns == 3)
        for refused in [
            ["--pause", "-1"], ["--pattern", "0"], ["--pattern", "a"], ["--until-stopped", "--for", "3"],
        ] {
            #expect(try ringer(["alert", "1104", "--board", "simulated"] + refused).status == 64, "\(refused)")
        }
        // Without a limit it ends where there is no such sound.
        #expect(try ringer("alert", "1999", "--until-stopped", "--board", "simulated").status == 1)
    }

    @Test("notify plays the application's sound, or says why it plays the default")
    func notify() throws {
        #expect(try ringer("sounds", "--render", "Tones").status == 0)
        let sounds = ringer.folder.path + "/App/Library/Sounds"
        try FileManager.default.createDirectory(atPath: sounds, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: ringer.folder.path + "/Tones/Tock.caf", toPath: sounds + "/t.caf")
        func notify(_ arguments: String...) throws -> [String: Any] {
            let all = ["notify", "--container", "App", "--board", "simulated", "--json"] + arguments
            return try object(ringer(all).output)
        }
        let named = try notify("t.caf")
        #expect(named["fallback"] is NSNull && named["frames"] as? Int == 2400 && named["vibrated"] as? Bool == true)
        #expect(try notify("other.caf")["fallback"] as? String == "missing")
        #expect(try notify("../t.caf", "--position", "silent")["fallback"] as? String == "refusedName")
        let critical = try notify("t.caf", "--critical", "--position", "silent", "--do-not-disturb")
        #expect(critical["outcome"] as? String == "finished")
        let forbidden = try notify("t.caf", "--critical", "--forbid-critical", "--position", "silent")
        #expect(forbidden["outcome"] as? String == "silenced")
        #expect(forbidden["fallback"] as? String == "criticalNotAllowed")
        #expect(try ringer("notify", "t.caf", "--board", "simulated").status == 64)
    }

    @Test("--trace writes a value-change dump or a picture, and nothing else")
    func trace() throws {
        #expect(try ringer("play", "1104", "--board", "simulated", "--trace", "run.vcd").status == 0)
        #expect(try ringer("simulate", "--trace", "run.svg").status == 0)
        #expect(String(decoding: try ringer.read("run.vcd"), as: UTF8.self).contains("$timescale 1 us $end"))
        #expect(String(decoding: try ringer.read("run.svg"), as: UTF8.self).contains("</svg>"))
        for name in ["run.txt", "run", "svg"] {
            #expect(try ringer("play", "1104", "--board", "simulated", "--trace", name).status == 64)
        }
        #expect(try ringer.names == ["run.svg", "run.vcd"])
        #expect(try ringer("play", "1104", "--board", "simulated", "--trace", "no/run.vcd").status == 1)
    }
}
