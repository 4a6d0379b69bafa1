import Ringer
import Testing

@testable import VoIPHandset

@Suite("Handset: the command line")
struct OptionsTests {
    @Test("Addresses of both families, and the options")
    func options() throws {
        let options = try Options([
            "--listen", "[2001:db8::5]:5062", "--board", "simulated", "--position", "silent", "--calls", "3",
            "--answer-after", "1.5", "--hold-for", "30", "--no-vibrate-on-silent", "--json",
        ])
        #expect(options.address == "2001:db8::5" && options.port == 5062)
        #expect(options.board == .simulated && options.position == .silent && options.calls == 3)
        #expect(options.rules.answersAfter == .milliseconds(1_500) && options.rules.ringLimit == .seconds(60))
        #expect(options.holdLimit == .seconds(30))
        #expect(!options.preferences.vibrateOnSilent && options.preferences.vibrateOnRing && options.printsJSON)
        #expect(try Options(["--listen", "192.0.2.5:0"]).address == "192.0.2.5")
    }

    @Test(
        "Bad usage is refused",
        arguments: [
            [], ["--listen"], ["--listen", "192.0.2.5"], ["--listen", ":5060"], ["--listen", "192.0.2.5:70000"],
            ["--listen", "192.0.2.5:5060", "--calls", "17"], ["--listen", "192.0.2.5:5060", "--ring-for", "nan"],
            ["--listen", "192.0.2.5:5060", "--position", "ring"], ["--listen", "192.0.2.5:5060", "extra"],
            ["--listen", "192.0.2.5:5060", "--board", "service", "--pcm", "default"],
            ["--listen", "192.0.2.5:5060", "--unknown", "1"],
        ])
    func refused(_ arguments: [String]) {
        #expect(throws: UsageError.self) { try Options(arguments) }
    }
}
