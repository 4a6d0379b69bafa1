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

    @Test(
        "any text is one word of the shell",
        arguments: ["", "a b", "it's", "$(id)`id`\"\\", "'", "*'*", "a'\u{301}; false; '\u{301}b"]
    )
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

    @Test("a card's name in ALSA's configuration is corrected once, also behind a link; elsewhere by hand")
    func cardName() throws {
        let (file, link) = (directory.path.appending("asound.conf").string, directory.path.appending("link").string)
        #expect(Repair.cardName(in: file).isDecision)
        try "# defaults.pcm.card 0\ndefaults.pcm { card x }\n".write(toFile: file, atomically: true, encoding: .utf8)
        #expect(Repair.cardName(in: file).isDecision)
        try "# defaults.pcm.card 0\n  defaults.pcm.card Loopback\n"
            .write(toFile: file, atomically: true, encoding: .utf8)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
        let repair = Repair.cardName(in: link)
        for _ in 1...2 { #expect(try run(repair.commands.joined(separator: "\n")).status == 0) }
        let mended = "# defaults.pcm.card 0\n  defaults.pcm.!card Loopback\n"
        #expect(try String(contentsOfFile: file, encoding: .utf8) == mended)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == file)
    }

    @Test("a folder is made for the service where there is none; one that is there keeps its owner and mode")
    func serviceFolder() throws {
        let path = directory.path.appending("a b").string
        let repair = Repair.makeServiceFolder(path)
        let command = try #require(repair.commands.first)
        #expect(repair.sentence.contains("install -d -o ringer -g ringer -m 700 '\(path)'") && !repair.isDecision)
        // Somebody made it after the script was printed.
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(try run("install() { echo taken; }; " + command) == (0, ""))
        #expect(Repair.makeServiceFolder(path).isDecision)
        #expect(Repair.makeServiceFolder("/srv/../nowhere/../ringer").isDecision)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/nowhere/at all")
        #expect(Repair.makeServiceFolder(path).isDecision)
        try FileManager.default.removeItem(atPath: path)
        #expect(try run("install() { echo \"$@\"; }; " + command).output == "-d -o ringer -g ringer -m 700 \(path)\n")
    }

    // Two LEDs of one group had one file of rules, and the second rule took the place of the first.
    @Test("each LED and each kind of device has a file of rules of its own, which keeps what somebody else wrote in it")
    func rules() throws {
        let expected: [(Repair, file: String, rule: String)] = [
            (.lightRule("green:status"), "led-green:status", #"SUBSYSTEM=="leds", KERNEL=="green:status", RUN"#),
            (.lightRule(#"it's" *"#), "led-it_s___", #"SUBSYSTEM=="leds", KERNEL=="it?s???", RUN"#),
            (.deviceRule("/dev/input/event0"), "event", #"KERNEL=="event*", GROUP="input", MODE="0660""#),
            (.deviceRule("/dev/gpiochip0"), "gpiochip", #"KERNEL=="gpiochip*", GROUP="gpio", MODE="0660""#),
            (.deviceRule("/dev/uinput"), "uinput", #"KERNEL=="uinput", GROUP="input", MODE="0660""#),
            (.deviceRule("/dev/snd/controlC0"), "sound", #"SUBSYSTEM=="sound", GROUP="audio", MODE="0660""#),
        ]
        for (repair, name, rule) in expected {
            let file = directory.path.string + "/60-ringer-\(name).rules"
            let command = try #require(repair.commands.first { $0.contains("printf") })
            try "# the administrator's".write(toFile: file, atomically: true, encoding: .utf8)
            for _ in 1...2 {
                let result = try run(command.replacing("/etc/udev/rules.d", with: directory.path.string))
                #expect(result.status == 0, "\(command)")
            }
            let lines = try String(contentsOfFile: file, encoding: .utf8)
                .split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count == 3 && lines[0] == "# the administrator's" && lines[1].hasPrefix(rule))
            #expect(lines.last?.isEmpty == true)
        }
    }

    @Test("the sentence of a repair is its commands, one after another; names are words of the shell")
    func sentences() {
        for repair in [Repair.join("audio"), .lightRule("red"), .deviceRule("/dev/gpiochip0")] {
            #expect(repair.sentence.hasPrefix(repair.commands.joined(separator: " && ")) && !repair.isDecision)
            #expect(repair.needsLogin && repair.sentence.hasSuffix(", then log in again"))
        }
        #expect(Repair.join("audio").commands.first?.hasPrefix("usermod -aG audio ") == true)
        #expect(Repair.join("domain users; id").commands.first?.hasPrefix("usermod -aG 'domain users; id' ") == true)
        #expect(Repair.install("a b").sentence == "apt-get install -y a b" && !Repair.install("a").needsLogin)
        let text: Repair = "press it"
        #expect(text.isDecision && text.commands.isEmpty && text.sentence == "press it")
    }
}
