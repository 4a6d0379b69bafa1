import Foundation
import Testing

@Suite("ringer decide, policy")
struct RulesCommandTests {
    let ringer: Command

    init() throws {
        ringer = try Command()
    }

    @Test(
        "a category is understood in any case, by Apple's names and by Apple's codes",
        arguments: [
            "playback", "Playback", "PLAYBACK", "AVAudioSessionCategoryPlayback", "kAudioSessionCategory_MediaPlayback",
            "MediaPlayback", "medi", "live", "kAudioSessionCategory_LiveAudio", "playAndRecord", "play-and-record",
            "plar", "AVAudioSessionCategoryMultiRoute",
        ])
    func ignoringSwitch(category: String) throws {
        let result = try ringer("decide", "-c", category, "--position", "silent")
        #expect(result.status == 0 && result.output.hasSuffix("(categoryIgnoresSwitch)\n"), "\(result.errors)")
    }

    @Test(
        "so are those that the switch silences",
        arguments: [
            "solo", "SoloAmbient", "AVAudioSessionCategorySoloAmbient", "kAudioSessionCategory_SoloAmbientSound",
            "ambi",
            "Ambient", "uifx", "AmbientSound",
        ])
    func honouringSwitch(category: String) throws {
        #expect(try ringer("decide", "-c", category, "--position", "Silent").output == "silence (ringSilentSwitch)\n")
    }

    @Test("a category that does not exist is refused with the names of those that do")
    func unknown() throws {
        for name in ["", "play", "AVAudioSessionCategory", "medium"] {
            let result = try ringer("decide", "--category", name)
            #expect(result.status == 64 && result.errors.contains("- soloAmbient"))
        }
    }

    @Test("an option is understood in any case and by Apple's name")
    func options() throws {
        for name in ["defaultToSpeaker", "DefaultToSpeaker", "AVAudioSessionCategoryOptionDefaultToSpeaker"] {
            #expect(try ringer("decide", "-c", "plar", "--option", name).output.hasPrefix("play on speaker"))
        }
        #expect(try ringer("decide", "-c", "plar").output.hasPrefix("play on receiver"))
    }

    @Test(
        "each of the user's preferences is an option",
        arguments: [
            (["--kind", "alert", "--no-vibrate-on-ring"], "play on speaker (switchAtRing)"),
            (["--kind", "alert", "--position", "silent", "--no-vibrate-on-silent"], "silence (ringSilentSwitch)"),
            (["--kind", "system", "--no-sound-effects"], "silence (soundEffectsOff)"),
            (["--kind", "alert", "--quiet", "silent", "--no-vibrate-on-silent"], "silence (quietHours)"),
            (["--kind", "system", "--quiet", "vibrate", "--position", "silent"], "silence (ringSilentSwitch)"),
            (
                ["--kind", "notification", "--alert-volume", "0.5"],
                "play on speaker at 0.50 and vibrate (switchAtRing)"
            ),
            (["--kind", "notification", "--do-not-disturb"], "silence (doNotDisturb)"),
            (["--kind", "alarm", "--position", "silent"], "play on speaker and vibrate (alarm)"),
            (["--kind", "alarm", "--position", "silent", "--no-alarms-ignore-silence"], "vibrate (ringSilentSwitch)"),
            (
                ["--kind", "announcement", "--announcement-volume", "0.5"],
                "play on speaker at 0.50 (categoryIgnoresSwitch)"
            ),
            (["--kind", "announcement", "--quiet-volume", "0.25"], "play on speaker at 0.25 (categoryIgnoresSwitch)"),
            (["--category", "playback", "--media-volume", "0"], "silence (volumeZero)"),
            (
                ["--category", "playAndRecord", "--call-volume", "0.5", "--media-volume", "0"],
                "play on receiver at 0.50 (categoryIgnoresSwitch)"
            ),
            (["--kind", "alarm", "--alarm-volume", "0.01"], "play on speaker at 0.10 and vibrate (switchAtRing)"),
            (
                ["--kind", "system", "--position", "silent", "--routes-silenced-by-switch", "receiver,Headphone"],
                "play on speaker (routeIgnoresSwitch)"
            ),
            (["--kind", "system", "--unreadable"], "silence (switchUnreadable)"),
            (
                ["--kind", "system", "--unreadable", "--when-switch-unreadable", "ring"],
                "play on speaker (switchUnreadable)"
            ),
            (["--kind", "alert", "--call", "priority"], "vibrate (call)"),
            (["--kind", "alert", "--call", "ordinary"], "play on speaker (switchAtRing)"),
            (
                ["--kind", "alert", "--call", "priority", "--alerts-during-call", "heard"],
                "play on speaker (switchAtRing)"
            ),
            (
                ["--kind", "notification", "--call", "ordinary", "--alerts-during-call", "quiet"],
                "play on speaker at 0.10 (call)"
            ),
            (["--kind", "alert", "--call", "ordinary", "--alerts-during-call", "none"], "silence (call)"),
            (
                ["--kind", "critical", "--call", "priority", "--alerts-during-call", "none"],
                "play on speaker (switchAtRing)"
            ),
            (["--haptics-while-recording", "--kind", "vibration"], "vibrate (vibrationRequested)"),
        ])
    func preferences(arguments: [String], decision: String) throws {
        let result = try ringer(["decide"] + arguments)
        #expect(result.output == decision + "\n" && result.status == 0, "\(result.errors)")
    }

    @Test("values that a preference does not take are bad usage")
    func values() throws {
        for arguments in [
            ["--alert-volume", "2"], ["--alarm-volume", "-1"], ["--media-volume", "1.5"], ["--call-volume", "nan"],
            ["--announcement-volume", "-0.5"], ["--quiet-volume", "2"], ["--alert-volume", "x"],
            ["--routes-silenced-by-switch", "moon"],
            ["--ducking-depth", "51"], ["--ducking-depth", "-1"],
            ["--ducking-down", "2001"], ["--ducking-up", "-1"], ["--ducking-up", "0.5"],
            ["--alerts-during-call", "loud"],
        ] {
            #expect(try ringer(["decide"] + arguments).status == 64)
        }
    }

    @Test("the table of the rules follows the preferences")
    func policy() throws {
        func atRing(_ arguments: String...) throws -> String? {
            let rows = try ringer(["policy"] + arguments).output.split(separator: "\n")
            let alert = try #require(rows.first { $0.hasPrefix("alert") })
            return alert.split(separator: " ").dropFirst().first.map(String.init)
        }
        #expect(try atRing() == "both")
        #expect(try atRing("--no-vibrate-on-ring") == "play")
        func inCall(_ arguments: String...) throws -> Substring? {
            let rows = try ringer(["policy"] + arguments).output.split(separator: "\n")
            return rows.last { $0.hasPrefix("alert") }?.split(separator: " ").last
        }
        #expect(try inCall() == "vibrate" && inCall("--alerts-during-call", "heard") == "play")
        #expect(try inCall("--alerts-during-call", "none") == "silence")
    }

    @Test("what belongs to a session is refused for every other kind of sound")
    func kinds() throws {
        for kind in ["system", "alert", "notification", "critical", "vibration"] {
            #expect(try ringer("decide", "--kind", kind).status == 0)
            for option in [["--category", "playback"], ["--option", "duckOthers"], ["--background"]] {
                let result = try ringer(["decide", "--kind", kind] + option)
                #expect(
                    result.status == 64 && result.errors.contains("\(option[0]) goes with --kind session"), "\(kind)")
            }
        }
        #expect(try ringer("decide", "--kind", "session", "-c", "playback", "--background").status == 0)
    }

    @Test("the table has each state that a decision depends on, and its JSON names it")
    func states() throws {
        let lines = try ringer("policy").output.split(separator: "\n")
        func cells(_ line: Substring) -> [String] {
            line.replacing("  ", with: "\t").split(separator: "\t").map { $0.trimmingCharacters(in: .whitespaces) }
                .filter { !$0.isEmpty }
        }
        // It used to be 196 wide.
        #expect(lines.allSatisfy { $0.count <= 80 })
        let parts = [lines.prefix(lines.count / 2), lines.suffix(lines.count / 2)].map { $0.map(cells) }
        #expect(
            parts.map { $0.prefix(2) } == [
                [["no"], ["ring", "vibrate", "silent", "unreadable", "switch"]],
                [
                    ["ring,", "silent,", "silent,", "ring,", "ring,"],
                    ["locked", "locked", "headphone", "recording", "in a call"],
                ],
            ])
        #expect(
            parts.map { $0.first { $0[0] == "alert" } } == [
                ["alert", "both", "vibrate", "vibrate", "vibrate", "both"],
                ["alert", "both", "vibrate", "both", "silence", "vibrate"],
            ])
        for part in parts {
            #expect(part.contains(["any session, interrupted"] + Array(repeating: "silence", count: 5)))
            #expect(part.contains(["playback,"]) && part.contains { $0[0] == "honoursRingSilentSwitch" })
            #expect(part.contains { $0[0] == "playAndRecord" && $0[1] == "receiver" })
        }
        let json = try ringer("policy", "--json").output.split(separator: "\n")
        #expect(json.count == 19 * 10)
        #expect(
            json.contains(
                #"{"sound":"alert","position":null,"unreadable":true,"locked":false,"deviceRoute":"speaker","recording":false,"#
                    + #""silencing":false,"call":false,"decision":"vibrate","reason":"switchUnreadable","vibrates":true}"#
            ))
    }
}
