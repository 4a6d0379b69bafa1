import Ringer
import Testing

@testable import VoIPHandset

@Suite("Handset: the command line")
struct OptionsTests {
    @Test("Addresses of both families, and the options")
    func options() throws {
        let options = try Options([
            "--listen", "[2001:db8::5]:5062", "--board", "simulated", "--position", "silent", "--calls", "3",
            "--answer-after", "1.5", "--hold-for", "30", "--lost-after", "90", "--no-vibrate-on-silent", "--json",
        ])
        #expect(options.address == "2001:db8::5" && options.port == 5062)
        #expect(options.board == .simulated && options.position == .silent && options.calls == 3)
        #expect(options.rules.answersAfter == .milliseconds(1_500) && options.rules.ringLimit == .seconds(60))
        #expect(options.holdLimit == .seconds(30) && options.silenceLimit == .seconds(90))
        #expect(!options.preferences.vibrateOnSilent && options.preferences.vibrateOnRing && options.printsJSON)
        #expect(try Options(["--listen", "192.0.2.5:0"]).address == "192.0.2.5")
    }

    @Test("TLS needs a certificate, and has no registrar")
    func security() throws {
        let listen = ["--listen", "192.0.2.5:5061", "--transport", "tls"]
        let options = try Options(listen + ["--certificate", "/c.pem", "--caller-authorities", "/a.crt"])
        #expect(options.certificate == "/c.pem" && options.callerAuthorities == "/a.crt")
        for wrong in [
            listen, ["--listen", "192.0.2.5:5061", "--certificate", "/c.pem"],
            ["--listen", "192.0.2.5:5061", "--caller-authorities", "/a.crt"],
            listen + ["--certificate", "/c.pem", "--account", "door@example.org"],
        ] {
            #expect(throws: UsageError.self) { try Options(wrong) }
        }
    }

    @Test("Callers and rings")
    func callers() throws {
        let options = try Options([
            "--listen", "192.0.2.5:5060", "--allow", "door@example.org", "--allow", "192.0.2.0/24", "--strangers",
            "3/60",
            "--ring", "family=/etc/family.wav", "--ring", "urn:a=b=c.wav",
        ])
        #expect(options.callers.known.count == 2)
        #expect(options.callers.strangers == .init(calls: 3, period: .seconds(60)))
        #expect(options.rings == ["family": "/etc/family.wav", "urn:a=b": "c.wav"])
    }

    @Test("An account registers at its domain, or at the registrars that are named")
    func account() throws {
        let listen = ["--listen", "192.0.2.5:5060"]
        #expect(try Options(listen).account == nil)
        let account = try #require(try Options(listen + ["--account", "door@example.org"]).account)
        #expect(account.addressOfRecord == "sip:door@example.org" && account.registrars == ["example.org"])
        #expect(account.uri(of: "example.org") == "sip:example.org" && account.lifetime == .seconds(600))
        let two = try Options(
            listen + [
                "--transport", "tcp", "--registrar", "192.0.2.1:5080", "--account", "door@example.org", "--registrar",
                "[2001:db8::1]", "--register-for", "60",
            ])
        #expect(two.account?.registrars == ["192.0.2.1:5080", "[2001:db8::1]"])
        #expect(two.account?.uri(of: "192.0.2.1:5080") == "sip:192.0.2.1:5080;transport=tcp")
        #expect(two.account?.lifetime == .seconds(60))
        #expect(throws: RingerError.self) {
            try Options(listen + ["--account", "a@b", "--password-file", "/nowhere"]).accountWithPassword()
        }
    }

    @Test(
        "Bad usage is refused",
        arguments: [
            [], ["--listen"], ["--listen", "192.0.2.5"], ["--listen", ":5060"], ["--listen", "192.0.2.5:70000"],
            ["--listen", "192.0.2.5:5060", "--calls", "17"], ["--listen", "192.0.2.5:5060", "--ring-for", "nan"],
            ["--listen", "192.0.2.5:5060", "--position", "ring"], ["--listen", "192.0.2.5:5060", "extra"],
            ["--listen", "192.0.2.5:5060", "--board", "service", "--pcm", "default"],
            ["--listen", "192.0.2.5:5060", "--unknown", "1"],
            ["--listen", "192.0.2.5:5060", "--account", "door"], ["--listen", "192.0.2.5:5060", "--account", "@b"],
            ["--listen", "192.0.2.5:5060", "--account", "a b@c"], ["--listen", "192.0.2.5:5060", "--account", "a@b>"],
            ["--listen", "192.0.2.5:5060", "--registrar", "192.0.2.1"],
            ["--listen", "192.0.2.5:5060", "--allow", "somebody"],
            ["--listen", "192.0.2.5:5060", "--strangers", "0/60"],
            ["--listen", "192.0.2.5:5060", "--strangers", "3"], ["--listen", "192.0.2.5:5060", "--ring", "family="],
            ["--listen", "192.0.2.5:5060", "--account", "a@b", "--registrar", "a\r\nb"],
            ["--listen", "192.0.2.5:5060", "--account", "a@b", "--register-for", "0"],
        ])
    func refused(_ arguments: [String]) {
        #expect(throws: UsageError.self) { try Options(arguments) }
    }
}
