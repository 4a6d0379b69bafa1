import RingerPolicy
import SeededGenerator
import Testing

@Suite("Quiet hours as text")
struct QuietHoursTextTests {
    @Test(
        "every way of writing has one canonical text",
        arguments: [
            ("", ""), (" \t", ""),
            ("Mon..Fri 22:00-07:00", "Mon..Fri 22:00-07:00"),
            ("sat,SUNDAY  23:30-09:00", "Sat,Sun 23:30-09:00"),
            ("Daily 22:00-07:00 volume=0.3", "daily 22:00-07:00 volume=0.3"),
            ("Mon..Sun 00:00-00:00", "daily 00:00-00:00"),
            ("Tue..Mon 12:00-12:00", "daily 12:00-12:00"),
            ("Monday..monday 01:02-03:04", "Mon 01:02-03:04"),
            ("Sat..Mon 22:00-07:00", "Sat..Mon 22:00-07:00"), ("Sun,Mon,Sat 22:00-07:00", "Sat..Mon 22:00-07:00"),
            ("Sun,Wed,Mon 22:00-07:00", "Wed,Sun,Mon 22:00-07:00"),
            ("Mon,Wed,Thu,Fri,Wed 22:00-07:00", "Mon,Wed..Fri 22:00-07:00"),
            ("Fri..Sat,Mon 22:00-07:00", "Mon,Fri,Sat 22:00-07:00"),
            ("Mon 00:00-23:59 volume=0", "Mon 00:00-23:59 volume=0"),
            ("Mon 00:00-23:59 volume=1.000", "Mon 00:00-23:59 volume=1"),
            ("Mon 00:00-23:59 volume=0.050", "Mon 00:00-23:59 volume=0.05"),
            ("Mon 00:00-23:59 volume=0.125", "Mon 00:00-23:59 volume=0.125"),
            (
                "Mon 01:00-02:00;daily 22:00-07:00 ;\tSun 12:00-14:00",
                "Mon 01:00-02:00; daily 22:00-07:00; Sun 12:00-14:00"
            ),
        ])
    func canonical(_ text: String, _ expected: String) throws {
        let quiet = try QuietHours(text)
        #expect("\(quiet)" == expected)
        #expect(try QuietHours(expected) == quiet)
        for span in quiet.spans { #expect(try QuietHours.Span("\(span)") == span) }
    }

    @Test("what is printed is read as the same")
    func roundTrip() throws {
        var dice = SeededGenerator(seed: 1)
        for _ in 0..<2_000 {
            let quiet = try dice.quietHours()
            #expect(try QuietHours("\(quiet)") == quiet)
        }
        for thousandths in 0...1_000 {
            let span = try QuietHours.Span(from: 0, to: 1, volume: Float(thousandths) / 1_000)
            #expect(
                try QuietHours.Span("\(span)") == span && span.volume == Float(thousandths) / 1_000)
        }
    }

    private static let weekday = "expected a weekday, such as Mon or Monday, a range, such as Mon..Fri, or daily"
    private static let time = "expected a time from 00:00 to 23:59, as HH:MM"
    private static let volume = "expected a volume from 0 to 1 with up to three decimals, such as 0.3"

    @Test(
        "what is wrong is named with its place and what is allowed",
        arguments: [
            ("Fry 22:00-07:00", "\"Fry\", character 1: \(weekday)"),
            ("Mon..Fry 22:00-07:00", "\"Fry\", character 6: \(weekday)"),
            ("Mon-Fri 22:00-07:00", "\"Mon-Fri\", character 1: \(weekday)"),
            ("Mon, Tue 22:00-07:00", "character 5: \(weekday)"),
            ("Mon.. 22:00-07:00", "character 6: \(weekday)"),
            ("Mon..Tue..Wed 22:00-07:00", "\"Tue..Wed\", character 6: \(weekday)"),
            ("Mond 22:00-07:00", "\"Mond\", character 1: \(weekday)"),
            ("Mon,daily 22:00-07:00", "\"daily\", character 5: \(weekday)"),
            ("22:00-07:00", "\"22:00-07:00\", character 1: \(weekday)"),
            ("Täglich 22:00-07:00", "\"Täglich\", character 1: \(weekday)"),
            ("Mon", "character 4: expected the times behind the weekdays, such as 22:00-07:00"),
            ("Mon 22:00", "\"22:00\", character 5: expected two times, such as 22:00-07:00"),
            ("Mon 22:00 - 07:00", "\"22:00\", character 5: expected two times, such as 22:00-07:00"),
            ("Mon 22:00-", "character 11: \(time)"),
            ("Mon 22:00-7:00", "\"7:00\", character 11: \(time)"),
            ("Mon 22:60-07:00", "\"22:60\", character 5: \(time)"),
            ("Mon 25:00-07:00", "\"25:00\", character 5: \(time)"),
            ("Mon +1:00-07:00", "\"+1:00\", character 5: \(time)"),
            ("Mon 22:00:00-07:00", "\"22:00:00\", character 5: \(time)"),
            ("Mon 22:00-24:00", "\"24:00\", character 11: write 00:00 for the midnight that ends the day"),
            ("Mon 22:00-24:01", "\"24:01\", character 11: \(time)"),
            ("Mon 22:00-07:00 0.3", "\"0.3\", character 17: expected volume=0 to volume=1, or the end of the span"),
            ("Mon 22:00-07:00 volume=1.001", "\"1.001\", character 24: \(volume)"),
            ("Mon 22:00-07:00 volume=2", "\"2\", character 24: \(volume)"),
            ("Mon 22:00-07:00 volume=-0.1", "\"-0.1\", character 24: \(volume)"),
            ("Mon 22:00-07:00 volume=nan", "\"nan\", character 24: \(volume)"),
            ("Mon 22:00-07:00 volume=.5", "\".5\", character 24: \(volume)"),
            ("Mon 22:00-07:00 volume=0.", "\"0.\", character 24: \(volume)"),
            ("Mon 22:00-07:00 volume=0.1234", "\"0.1234\", character 24: \(volume)"),
            ("Mon 22:00-07:00 volume=0,3", "\"0,3\", character 24: \(volume)"),
            ("Mon 22:00-07:00 volume=", "character 24: \(volume)"),
            (
                "Mon 22:00-07:00 volume=0 x",
                "\"x\", character 26: expected the end of the span, or a semicolon"
            ),
            (
                "Mon 22:00-07:00;",
                "character 17: expected a span, such as Mon..Fri 22:00-07:00 or daily 22:00-07:00"
            ),
            (
                "Mon 22:00-07:00; Tue 22:00-24:00",
                "\"24:00\", character 28: write 00:00 for the midnight that ends the day"
            ),
        ])
    func wrong(_ text: String, _ message: String) {
        #expect {
            _ = try QuietHours(text)
        } throws: {
            #expect("\($0)" == message)
            return true
        }
    }

    @Test("there may be 64 spans; the next one is refused by its text and place")
    func limit() throws {
        let spans = try (0..<65).map { try QuietHours.Span(from: $0, to: 720) }
        #expect(try QuietHours(Array(spans.dropLast())).spans.count == 64)
        #expect(throws: QuietHoursError.self) { _ = try QuietHours(spans) }
        let text = spans.map(\.description).joined(separator: "; ")
        #expect(try QuietHours(String(text.dropLast(19))).spans.count == 64)
        #expect {
            _ = try QuietHours(text)
        } throws: {
            let error = try #require($0 as? QuietHoursError)
            return error.word == "daily 01:04-12:00" && error.offset == 64 * 19
                && error.detail == "expected at most 64 spans"
        }
    }

    @Test("a span that is made of numbers is checked too")
    func numbers() throws {
        for (days, begin, end, volume, message) in [
            ([], 0, 1, nil, "expected one weekday or more"),
            (.daily, -1, 1, nil, "\"-1\": expected minutes after midnight from 0 to 1439"),
            (.daily, 0, 1_440, nil, "\"1440\": expected minutes after midnight from 0 to 1439"),
            (.daily, 0, 1, 1.1, "\"1.1\": expected a volume from 0 to 1"),
            (.daily, 0, 1, .nan, "\"nan\": expected a volume from 0 to 1"),
        ] as [(Weekdays, Int, Int, Float?, String)] {
            #expect {
                _ = try QuietHours.Span(days, from: begin, to: end, volume: volume)
            } throws: { "\($0)" == message }
        }
        #expect(
            try QuietHours.Span([.monday, .sunday], from: 1_320, to: 420) == QuietHours.Span("Sun,Mon 22:00-07:00"))
        #expect(Weekdays(rawValue: 0xFF) == .daily)
    }
}
