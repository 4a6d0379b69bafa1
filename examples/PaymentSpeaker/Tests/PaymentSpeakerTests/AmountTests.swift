import Foundation
import PaymentRules
import Testing

@Suite struct AmountTests {
    /// An amount, and its words in Mandarin (in yuan) and in English (in dollars). The English column was made with Python's
    /// num2words, the Mandarin one with cn2an, and then read and corrected by the rules that `Mandarin` states.
    struct Row {
        var amount: String
        var mandarin: String
        var english: String
    }

    static func table() throws -> [Row] {
        let file = try #require(Bundle.module.url(forResource: "amounts", withExtension: "tsv"))
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
            let columns = line.split(separator: "\t").map(String.init)
            return Row(amount: columns[0], mandarin: columns[1], english: columns[2])
        }
    }

    @Test func twoHundredAmountsAreSpokenAsInTheTable() throws {
        let table = try Self.table()
        #expect(table.count == 200)
        for row in table {
            let amount = try #require(Amount(row.amount))
            let mandarin = Language.mandarin.announcement(of: amount, .cny).map(\.text)
            #expect(mandarin.joined() == "收款" + row.mandarin, "\(row.amount)")
            let english = Language.english.announcement(of: amount, .usd).map(\.text)
            #expect(english.joined(separator: " ") == "received " + row.english, "\(row.amount)")
        }
    }

    @Test func everyClipOfAnAnnouncementIsInTheListOfClips() throws {
        for language in Language.allCases {
            let listed = Set(language.clips)
            #expect(listed.count == language.clips.count)
            #expect(Set(language.clips.map(\.name)).count == listed.count, "two clips share a file")
            for row in try Self.table() {
                let amount = try #require(Amount(row.amount))
                for currency in Currency.allCases where currency.hasHundredths || amount.rest == 0 {
                    let isListed = listed.isSuperset(
                        of: language.announcement(of: amount, currency, [.lastPayment, .timeUnknown]))
                    #expect(isListed, "\(row.amount) \(currency)")
                }
            }
        }
    }

    @Test(arguments: ["", ".5", "5.", "1.234", "+1", "-1", "1,000", "01", "00.50", "1000000000", "1 ", "1e3", "１"])
    func aTextThatCouldBeTakenForAnotherAmountIsNone(text: String) {
        #expect(Amount(text) == nil)
    }

    @Test func aTextOfOneDecimalIsTenths() throws {
        #expect(try #require(Amount("12.5")).hundredths == 1250)
        #expect(try #require(Amount("0.05")).description == "0.05")
        #expect(Amount("999999999.99")?.hundredths == Amount.largest)
    }
}
