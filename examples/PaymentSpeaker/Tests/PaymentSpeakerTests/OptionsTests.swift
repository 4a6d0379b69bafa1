import Ringer
import Testing

@testable import PaymentSpeaker

@Suite struct OptionsTests {
    @Test(arguments: [
        ("broker.example", "broker.example", nil), ("10.0.0.1:1884", "10.0.0.1", 1884), ("[::1]:8883", "::1", 8883),
        ("[fe80::1]", "fe80::1", nil),
    ])
    func aBrokerIsAHostAndPerhapsAPort(text: String, host: String, port: Int?) throws {
        let options = try Options(["--device", "a", "--broker", text])
        #expect(options.host == host && options.port == port)
    }

    @Test(arguments: [
        [], ["--device", "a/b"], ["--device", "a", "--broker", ":1883"], ["--device", "a", "--broker", "host:0"],
        ["--device", "a", "--policy", "loud"], ["--device", "a", "--sound", "skip"], ["--device", "a", "--cert", "c"],
        ["--device", "a", "--cafile", "f", "--key", "k"], ["--device"], ["a"], ["--device", "a", "--volume", "1"],
        ["--device", "a", "--keep-alive", "4"], ["--device", "a", "--password-file", "p"],
        ["--device", "a", "--provider", "health"], ["--device", "a", "--provider", "b/c"],
        ["--device", "a", "--provider", "b", "--provider", "b"], ["--device", "a", "--quiet-hours", "nightly"],
        ["--device", "a", "--board", "service", "--quiet-hours", "daily 22:00-07:00"],
    ])
    func wrongOptionsAreRefused(arguments: [String]) {
        #expect(throws: UsageError.self) { try Options(arguments) }
    }

    @Test func aUserWithoutTLSIsWarnedAbout() throws {
        let user = ["--device", "a", "--username", "u", "--password-file", "p"]
        #expect(try Options(user).warnings.count == 1)
        #expect(try Options(user + ["--cafile", "f"]).warnings == [])
        #expect(try Options(["--device", "a"]).warnings == [])
    }

    @Test func signingKeysOfTheWrongLengthAreRefused() throws {
        let right = "# keys\n\nshop HS256 c2VjcmV0LW9mLTMyLWJ5dGVzLW9yLW1vcmUtLi4uLi4\n"
        _ = try Envelope(right, path: "keys", device: "a")
        for wrong in [
            "shop HS256 c2hvcnQ", "shop HS512 c2VjcmV0LW9mLTMyLWJ5dGVzLW9yLW1vcmUtLi4uLi4", "shop", "a EdDSA =",
        ] {
            #expect(throws: RingerError.self) { try Envelope(wrong, path: "keys", device: "a") }
        }
    }

    @Test func aFileThatCannotBeReadIsAnError() throws {
        let directory = try TemporaryDirectory()
        // It can be opened.
        #expect(throws: RingerError.self) { try contents(of: directory.path) }
        #expect(throws: RingerError.self) { try contents(of: directory.path + "/missing") }
    }

    @Test func base64OfAddressesIsDecodedStrictly() {
        #expect(Base64URL.decode("".utf8) == [])
        #expect(Base64URL.decode("_-8".utf8) == [0xFF, 0xEF])
        // Padding, another alphabet, a single character, bits that are left over.
        for wrong in ["_-8=", "/+8", "A", "_-9"] { #expect(Base64URL.decode(wrong.utf8) == nil, "\(wrong)") }
    }
}
