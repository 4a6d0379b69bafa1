import Foundation
import PaymentRules
import Testing

@testable import PaymentSpeaker

@Suite struct LanguageTests {
    static let names = ["zh", "en", "hi"]

    static func folder(_ name: String) -> String {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../languages/\(name)").standardized
            .path
    }

    static func language(_ name: String) throws -> Language { try Voices.language(folder(name)) }

    static func spoken(_ language: Language, _ text: String, _ code: String, separator: String = " ") throws -> String {
        let currency = try #require(Currency(code))
        let amount = try #require(Amount(text, currency))
        return try language.announcement(of: amount).map(\.text).joined(separator: separator)
    }

    /// The amounts of amounts.tsv, with their words in Mandarin (in yuan) and in English (in dollars). The English column was made
    /// with Python's num2words, the Mandarin one with cn2an, and then read and corrected by the rules that `zh` states.
    @Test func twoHundredAmountsAreSpokenAsInTheTable() throws {
        let (mandarin, english) = (try Self.language("zh"), try Self.language("en"))
        let file = try #require(Bundle.module.url(forResource: "amounts", withExtension: "tsv"))
        let rows = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
            $0.split(separator: "\t").map(String.init)
        }
        #expect(rows.count == 200)
        for row in rows {
            #expect(try Self.spoken(mandarin, row[0], "CNY", separator: "") == "收款" + row[1], "\(row[0])")
            #expect(try Self.spoken(english, row[0], "USD") == "received " + row[2], "\(row[0])")
        }
    }

    @Test(arguments: [
        ("0", "शून्य रुपया प्राप्त हुआ"), ("1", "एक रुपया प्राप्त हुआ"), ("12.50", "बारह रुपये पचास पैसे प्राप्त हुए"),
        ("1.01", "एक रुपया एक पैसा प्राप्त हुए"),
        ("0.01", "एक पैसा प्राप्त हुआ"), ("99", "निन्यानबे रुपये प्राप्त हुए"), ("105", "एक सौ पाँच रुपये प्राप्त हुए"),
        ("100000", "एक लाख रुपये प्राप्त हुए"),
        ("123456789", "बारह करोड़ चौंतीस लाख छप्पन हज़ार सात सौ नवासी रुपये प्राप्त हुए"),
    ])
    func hindiHasTheVerbAtTheEndAndInTheNumberOfTheAmount(amount: String, text: String) throws {
        #expect(try Self.spoken(Self.language("hi"), amount, "INR") == text)
    }

    /// One penny was "one pence".
    @Test(arguments: [("0.01", "एक पेनी प्राप्त हुआ"), ("0.50", "पचास पेंस प्राप्त हुए"), ("2.01", "दो पाउंड एक पेनी प्राप्त हुए")])
    func hindiHasThePennyInBothNumbers(amount: String, text: String) throws {
        #expect(try Self.spoken(Self.language("hi"), amount, "GBP") == text)
    }

    @Test func currenciesOfThreeDecimalsAreSpoken() throws {
        #expect(try Self.spoken(Self.language("en"), "1.005", "KWD") == "received one Kuwaiti dinar and five fils")
        #expect(try Self.spoken(Self.language("zh"), "1.005", "KWD", separator: "") == "收款一点零零五科威特第纳尔")
        #expect(try Self.spoken(Self.language("hi"), "2.500", "KWD") == "दो दीनार पाँच सौ फ़िल्स प्राप्त हुए")
    }

    @Test(arguments: names) func aLanguageSpeaksEveryAmountDifferently(name: String) throws {
        let language = try Self.language(name)
        #expect(language.fault() == nil)
        #expect(language.currencyCodes.count >= 6)
    }

    @Test func aCurrencyThatTheLanguageHasNotIsAFault() throws {
        let baht = try #require(Currency("THB"))
        let (hindi, amount) = (try Self.language("hi"), try #require(Amount("1", baht)))
        #expect(throws: RuleFault.self) { try hindi.announcement(of: amount) }
    }

    /// The smallest language: digits only.
    static let small = """
        announcement: received {amount}
        amount: {units %number} {unit}
        %number:
        0: 0
        1: 1 [ >> ]
        currency JPY JPY
        clip last-payment again
        clip time-unknown long ago
        clip received received
        clip 0 none
        clip 1 some
        clip JPY yen
        """

    @Test func faultsNameTheirLine() throws {
        _ = try Language(Self.small, name: "x")
        for (right, wrong, line) in [
            ("0: 0", "0 0", 4), ("1: 1 [ >> ]", "1: 1 [ >>", 5), ("1: 1 [ >> ]", "0: 1", 5),
            ("1: 1 [ >> ]", "1: <%a>", 5),
            ("{unit}", "{money}", 2), ("JPY JPY", "YEN JPY", 6), ("JPY JPY", "JPY JPY / sen", 6),
            ("clip 1", "clip 0", 11),
            ("clip received received", "clip received", 9), ("%number:", "%number", 3),
            ("clip 1 some", "clip ../1 some", 11), ("1: 1 [ >> ]", "1: 1 [ [ >> ] ]", 5),
            // Each amount within itself: the process ended by its stack.
            ("{units %number} {unit}", "{amount} {unit}", 2), ("received {amount}", "received", 1),
            ("0: 0", "%number:", 4), ("clip 0 none", "amount: {unit}", 10), ("clip 0 none", "currency JPY JPY", 10),
        ] {
            let text = Self.small.replacing(right, with: wrong, maxReplacements: 1)
            #expect(text != Self.small)
            #expect { try Language(text, name: "x") } throws: { ($0 as? RuleFault)?.line == line }
        }
        for missing in ["announcement: received {amount}", "clip time-unknown long ago"] {
            #expect(throws: RuleFault.self) { try Language(Self.small.replacing(missing, with: ""), name: "x") }
        }
    }

    @Test(arguments: [
        ("1: 1 [ >> ]", "1: 1", "two amounts are spoken alike"), ("clip 1 some", "", "there is no clip 1"),
        ("1: 1 [ >> ]", "1: =%number=", "comes to no end"),
        ("1: 1 [ >> ]", "1: =%other=", "there is no set of rules %other"),
        ("0: 0", "", "has no rule for 0"), ("currency JPY JPY", "", "there is no currency"),
        ("clip 1 some", "clip 1 none", "two amounts are spoken alike, 0 and 1"),
        ("1: 1 [ >> ]", "1: 1\n765432: 2", "there is no clip 2"),
    ])
    func whatCannotBeSpokenIsAFault(right: String, wrong: String, reason: String) throws {
        let language = try Language(Self.small.replacing(right, with: wrong, maxReplacements: 1), name: "x")
        let fault = try #require(language.fault())
        #expect(fault.reason.contains(reason), "\(fault.reason)")
    }

    /// The program ended on the thread that checks the rules.
    @Test func rulesThatComeToNoEndDoNotOverflowASmallStack() async throws {
        await #expect(processExitsWith: .success) {
            let rules = Self.small.replacing("1: 1 [ >> ]", with: "1: =%number=", maxReplacements: 1)
            let language = try Language(rules, name: "x")
            let thread = Thread { exit(language.fault() == nil ? EXIT_FAILURE : EXIT_SUCCESS) }
            thread.stackSize = 256 << 10
            thread.start()
            sleep(60)
        }
    }

    /// Forty sets, each twice what the one before says, and nothing in the end: the speaker was busy for hours.
    @Test func rulesThatDoubleWhatTheySayAreAFault() throws {
        var rules = "0: =%40=\n%0:\n0:\n"
        for set in 1...40 { rules += "%\(set):\n0: =%\(set - 1)= =%\(set - 1)=\n" }
        let text = Self.small.replacing("0: 0", with: rules, maxReplacements: 1)
        let fault = try #require(try Language(text, name: "x").fault())
        #expect(fault.reason.contains("comes to no end"), "\(fault.reason)")
    }

    /// The announcement was "received", of any amount.
    @Test func anAmountWithoutAnOrderOfWordsIsAFault() throws {
        let rules = Self.small.replacing("currency JPY JPY", with: "currency JPY JPY\ncurrency CNY JPY")
        let (language, yuan) = (try Language(rules, name: "x"), try #require(Currency("CNY")))
        let amount = try #require(Amount("1.05", yuan))
        #expect { try language.announcement(of: amount) } throws: {
            ($0 as? RuleFault)?.reason == "the line amount-with-minor: is missing"
        }
    }

    @Test func rulesOfAnotherSystemsEditorAreRead() throws {
        let text = "\u{FEFF}# Written elsewhere.\r\n" + Self.small.replacing("\n", with: "\r\n")
        let language = try Language(text, name: "x")
        #expect(try Self.spoken(language, "1", "JPY") == "received some yen")
    }

    @Test func rulesThatAreNotUTF8AreAFault() throws {
        let directory = try TemporaryDirectory()
        try Data("clip received re\u{E7}u".unicodeScalars.map { UInt8($0.value) }).write(
            to: URL(filePath: directory.path + "/rules"))
        #expect { try Voices.language(directory.path) } throws: { "\($0)".contains("it is not UTF-8") }
    }

    @Test func voicesCheckSaysWhatIsWrong() throws {
        let directory = try TemporaryDirectory()
        for (name, rules) in [("right", true), ("wrong", false)] {
            let folder = directory.path + "/" + name
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            if rules {
                try FileManager.default.copyItem(atPath: Self.folder("en") + "/rules", toPath: folder + "/rules")
            } else {
                try Data("announcement received".utf8).write(to: URL(filePath: folder + "/rules"))
            }
        }
        var lines: [String] = []
        #expect(try Voices.run(["check", directory.path]) { lines.append($0) } == 1)
        #expect(lines.contains { $0.hasPrefix("right: the rules are right") })
        #expect(lines.contains { $0.contains("received twelve") })
        #expect(lines.contains { $0.hasPrefix("wrong: ") && $0.contains("line 1") })
        lines = []
        #expect(try Voices.run(["list", directory.path + "/right"]) { lines.append($0) } == 0)
        #expect(lines.contains("USD-one\tdollar"))
        #expect(throws: UsageError.self) { try Voices.run(["check"]) { _ in } }
    }
}
