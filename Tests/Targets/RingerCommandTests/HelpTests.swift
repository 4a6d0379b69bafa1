import Foundation
import RingerTerminal
import Testing

/// The help of the command on a terminal of 80 columns.
@Suite struct HelpTests {
    private static let subcommands = [
        "status", "watch", "doctor", "detect", "silent", "quiet", "play", "alert", "notify", "announce", "sounds",
        "vibrate",
        "session", "routes",
        "decide", "policy", "info", "convert", "trace", "simulate",
    ]

    // The line of the usage is the argument parser's; JSON is one word, which it does not break.
    @Test("no line of the help is wider than 80 columns", arguments: subcommands)
    func width(subcommand: String) throws {
        let help = try Command(environment: ["COLUMNS": "80"])(subcommand, "--help")
        #expect(help.status == 0)
        let wide = help.output.split(separator: "\n").filter {
            $0.count > 80 && $0.contains(" ") && !$0.hasPrefix("USAGE: ")
        }
        #expect(wide.isEmpty, "\(wide)")
    }

    // Its columns used to be broken there.
    @Test("what a script may say stays in its columns")
    func grammar() throws {
        let help = try Command(environment: ["COLUMNS": "80"])("simulate", "--help")
        #expect(help.output.contains(Script.grammar))
    }
}
