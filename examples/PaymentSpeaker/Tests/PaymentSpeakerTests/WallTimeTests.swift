import Foundation
import PaymentRules
import Testing

@Suite struct WallTimeTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2026-11-22T10:15:30.25+08:00", 1_795_313_730_250_000),
        ("2000-02-29t23:59:60z", 951_868_800_000_000), ("1969-12-31T23:59:59.999999Z", -1),
        ("2024-12-31T23:30:00-01:30", 1_735_693_200_000_000), ("2026-11-22 10:15:30.1234567Z", 1_795_342_530_123_456),
    ])
    func timesOfRFC3339AreRead(text: String, microseconds: Int64) {
        #expect(WallTime(rfc3339: text)?.microseconds == microseconds)
    }

    @Test func eachMonthOfFourHundredYearsFollowsTheOneBefore() throws {
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        var expected = try #require(WallTime(rfc3339: "1900-01-01T00:00:00Z")).microseconds
        #expect(expected == -2_208_988_800_000_000)
        var wrong = 0
        func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        for year in 1900..<2300 {
            for month in 1...12 {
                let isLeap = year % 400 == 0 || year % 4 == 0 && year % 100 != 0
                let days = lengths[month - 1] + (month == 2 && isLeap ? 1 : 0)
                for day in [1, days] {
                    let time = WallTime(rfc3339: "\(year)-\(padded(month))-\(padded(day))T00:00:00Z")
                    if time?.microseconds != expected + Int64(day - 1) * 86_400_000_000 { wrong += 1 }
                }
                expected += Int64(days) * 86_400_000_000
            }
        }
        #expect(wrong == 0)
    }

    @Test(arguments: [
        "", "2026-11-22", "2026-11-22T10:15:30", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00+8:00", "2026-01-01T00:00:00Zx",
        "26-01-01T00:00:00Z", "2026-01-01T00:00:00+24:00",
    ])
    func otherTextsAreRefused(text: String) {
        #expect(WallTime(rfc3339: text) == nil)
    }
}
