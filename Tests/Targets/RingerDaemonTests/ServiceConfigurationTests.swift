import Glibc
import RingerLinux
import Testing
import ringerd

@testable import RingerDaemon

/// The service's configuration file.
@Suite struct ServiceConfigurationTests {
    @Test("every key sets what it names")
    func keys() throws {
        let text = """
            # A comment.
            switch = gpio:ring-silent
            button = evdev:auto,code=KEY_MUTE,long=600ms
            silent-light = red:mute
            motor=led:vibrator      # another
            \tpcm = hw:1,0
            route-receiver = plughw:1
            route-bluetooth = bluealsa
            card = PCH
            mixer-element = Speaker
            microphone = no
            busy-patience = 0.5
            linger = 0
            real-time-priority = 20
            controlling-users = root 1000
            controlling-groups = 27
            playing-groups = 29, 1001
            preferences-file = /tmp/preferences
            position-file = /tmp/position
            initial-position = vibrate
            clients-per-user = 1
            requests-per-user = 2
            sessions-per-user = 3
            pcms-per-user = 4
            descriptors-per-user = 5
            decoded-mib-per-user = 6
            """
        let configuration = try ServiceConfiguration(text: text, path: "test.conf")
        let hardware = configuration.hardware
        #expect(hardware.ringSilent == (try SwitchSpecification("gpio:ring-silent")))
        #expect(hardware.silentLight == "red:mute")
        #expect(hardware.button == (try SwitchSpecification("button:evdev:auto,code=KEY_MUTE,long=600ms")))
        #expect(hardware.motor == (try MotorSpecification("led:vibrator")))
        #expect(hardware.pcm == "hw:1,0")
        #expect(hardware.routes == [.receiver: "plughw:1", .bluetooth: "bluealsa"])
        #expect(hardware.card == "PCH" && hardware.volumeElement == "Speaker")
        #expect(!hardware.hasOwnMicrophone)
        #expect(hardware.busyPatience == .milliseconds(500) && hardware.linger == .zero)
        #expect(hardware.realTimePriority == 20)
        #expect(configuration.preferencesFile == "/tmp/preferences")
        #expect(configuration.positionFile == "/tmp/position" && configuration.initialPosition == .vibrate)
        #expect(Budget.Resource.allCases.map { configuration.limits[$0] } == [1, 2, 3, 4, 5, 6 << 20])
        let authorization = configuration.authorization
        #expect(authorization.controllingUsers == [0, 1000])
        #expect(authorization.controllingGroups == [27])
        #expect(authorization.playingGroups == [29, 1001])
    }

    @Test("a file without a key that is set is the default configuration, and so is the one that is installed")
    func defaults() throws {
        let installed = try ServiceConfiguration(path: Self.installed)
        let empty = try ServiceConfiguration(text: "", path: "test.conf")
        for configuration in [installed, empty] {
            #expect(configuration.hardware.following == .all)
            #expect(configuration.hardware.hasOwnMicrophone)
            #expect(configuration.controllingUsers == ["root"])
            #expect(configuration.controllingGroups == ["ringer"])
            #expect(configuration.playingGroups == ["audio"])
            #expect(Budget.Resource.allCases.map { configuration.limits[$0] } == [32, 64, 64, 64, 128, 64 << 20])
        }
        #expect(try ServiceConfiguration(text: "preferences-file = none", path: "").preferencesFile == nil)
        #expect(try ServiceConfiguration(text: "playing-groups =", path: "").playingGroups == [])
    }

    @Test("what the installed file shows in comments is right")
    func comments() throws {
        let text = try TextFile.read(Self.installed)
        let lines = text.split(separator: "\n").filter {
            $0.hasPrefix("#") && $0.dropFirst().first != " " && $0.count > 1
        }
        #expect(lines.count == 30)
        _ = try ServiceConfiguration(
            text: lines.map { $0.dropFirst() }.joined(separator: "\n"), path: "the lines without #")
    }

    @Test(
        "a wrong line is one error that names the file, the line and what is expected",
        arguments: [
            ("pcm", "KEY = VALUE"), ("pcm =", "a value"), ("= 1", "there is no key"),
            ("pmc = 1", "there is no key \"pmc\""),
            ("linger = 1\nlinger = 1", "second time"), ("microphone = 1", "yes or no"), ("linger = -1", "0 to 3600"),
            ("linger = nan", "0 to 3600"), ("busy-patience = 1 s", "0 to 3600"), ("real-time-priority = 0", "1 to 99"),
            ("real-time-priority = 100", "1 to 99"), ("route-nowhere = x", "there is no key"), ("switch = foo", "foo"),
            ("switch = button:gpio:mute,long=x", "no duration"), ("silent-light =", "a value"),
            ("button = slider:auto", "a button is button:gpio:"),
            ("motor = foo:1", "foo"), ("preferences-file =", "a value"),
            ("initial-position = loud", "ring, vibrate or silent"),
            ("clients-per-user = 0", "1 to 120"), ("requests-per-user = 1.5", "1 to 4096"),
        ])
    func wrongLines(text: String, expected: String) {
        let number = text.split(separator: "\n").count + 1
        do throws(RingerError) {
            _ = try ServiceConfiguration(text: "# first\n" + text, path: "/etc/ringer/ringerd.conf")
            Issue.record("\(text) is accepted")
        } catch {
            #expect(error.code == .invalid)
            #expect("\(error)".hasPrefix("/etc/ringer/ringerd.conf, line \(number): "))
            #expect("\(error)".contains(expected) && !"\(error)".contains("\n"), "\(error)")
        }
    }

    @Test("a file that is not there is an error that names it")
    func missing() {
        #expect(throws: RingerError.self) { try ServiceConfiguration(path: "/nonexistent/ringerd.conf") }
    }

    /// The file in the tree that is installed.
    private static var installed: String {
        var parts = #filePath.split(separator: "/")
        parts.removeLast(4)
        return "/" + parts.joined(separator: "/") + "/packaging/ringerd.conf"
    }
}
