import Foundation
import RingerCore
import SystemPackage
import Testing

@testable import RingerLinux

/// Repairs: the sentence and the commands of each say the same, and the commands may be run again.
@Suite struct RepairTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func run(_ command: String) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-ec", command]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    @Test("any text is one word of the shell", arguments: ["", "a b", "it's", "$(id)`id`\"\\", "'", "*'*"])
    func quoting(text: String) throws {
        let result = try run("printf '<%s>' \(Repair.quoted(text))")
        #expect(result.status == 0 && result.output == "<\(text)>")
    }

    @Test("a line of ALSA's configuration is added once, to a file with other lines and to none")
    func soundConfiguration() throws {
        let line = "pcm.!default { type plug slave.pcm { type dmix } }"
        let repair = Repair.soundConfiguration(line, purpose: "to mix")
        #expect(repair.sentence == "to mix, with this in /etc/asound.conf: \(line)")
        let file = directory.path.appending("asound.conf").string
        let command = try #require(repair.commands.first).replacing("/etc/asound.conf", with: file)
        for before in ["", "defaults.pcm.card 1\n", "defaults.pcm.card 1"] {
            try before.write(toFile: file, atomically: true, encoding: .utf8)
            if before.isEmpty { try FileManager.default.removeItem(atPath: file) }
            for _ in 1...2 { #expect(try run(command).status == 0) }
            let end = before.isEmpty || before.hasSuffix("\n") ? "" : "\n"
            #expect(try String(contentsOfFile: file, encoding: .utf8) == before + end + line + "\n")
        }
    }

    @Test("a card's name in ALSA's configuration is corrected once, and a missing file is no error")
    func cardName() throws {
        let file = directory.path.appending("asound.conf").string
        let command = try #require(Repair.cardName.commands.first).replacing("/etc/asound.conf", with: file)
        #expect(try run(command).status == 0)
        try "# defaults.pcm.card 0\ndefaults.pcm.card Loopback\n".write(toFile: file, atomically: true, encoding: .utf8)
        for _ in 1...2 { #expect(try run(command).status == 0) }
        let mended = "# defaults.pcm.card 0\ndefaults.pcm.!card Loopback\n"
        #expect(try String(contentsOfFile: file, encoding: .utf8) == mended)
    }

    // Two LEDs of one group had one file of rules, and the second rule took the place of the first.
    @Test("each LED and each kind of device has a file of rules of its own, which the command writes whole")
    func rules() throws {
        let repairs: [Repair] = [
            .lightRule("green:status"), .lightRule("it's red"), .deviceRule("/dev/input/event0"),
            .deviceRule("/dev/gpiochip0"),
        ]
        let expected = [
            ("led-green:status", #"SUBSYSTEM=="leds", KERNEL=="green:status", RUN"#),
            ("led-it's red", #"SUBSYSTEM=="leds", KERNEL=="it's red", RUN"#),
            ("event", #"KERNEL=="event*", GROUP="input", MODE="0660""#),
            ("gpiochip", #"KERNEL=="gpiochip*", GROUP="gpio", MODE="0660""#),
        ]
        for (repair, (name, rule)) in zip(repairs, expected) {
            let command = try #require(repair.commands.first { $0.hasPrefix("printf") })
            #expect(
                try run(command.replacing("/etc/udev/rules.d", with: directory.path.string)).status == 0, "\(command)")
            let written = try String(
                contentsOfFile: directory.path.string + "/60-ringer-\(name).rules", encoding: .utf8)
            #expect(written.hasPrefix(rule) && written.hasSuffix("\n"))
        }
    }

    @Test("the sentence of a repair is its commands, one after another")
    func sentences() {
        for repair in [Repair.join("audio"), .lightRule("red"), .deviceRule("/dev/gpiochip0"), .install("a b")] {
            #expect(repair.sentence.hasPrefix(repair.commands.joined(separator: " && ")) && !repair.isDecision)
        }
        #expect(Repair.join("audio").commands.first?.hasPrefix("usermod -aG audio ") == true)
        let folder = Repair.makeServiceFolder("/srv/a b")
        #expect(folder.sentence.contains(folder.commands[0]) && folder.commands[0].hasSuffix("-m 700 '/srv/a b'"))
        let text: Repair = "press it"
        #expect(text.isDecision && text.commands.isEmpty && text.sentence == "press it")
    }
}
