import SeededGenerator
import Testing

@testable import RingerPolicy

@Suite("Whether it is quiet now, and until when")
struct QuietHoursAnswerTests {
    private static let berlin = "CET-1CEST,M3.5.0,M10.5.0/3"

    private func answer(_ text: String, _ time: Int64, _ zone: String = "UTC0") throws -> QuietHours.Answer {
        try QuietHours(text).answer(at: time, in: TimeZoneRules(posix: zone))
    }

    private func span(_ effect: QuietHours.Effect?, _ since: Int64?, _ until: Int64?) -> QuietHours.Answer {
        QuietHours.Answer(effect: effect, since: since, until: until)
    }

    // 2 March 2026 is a Monday.
    @Test("a span over midnight belongs to the day on which it begins")
    func overMidnight() throws {
        let text = "Mon 22:00-07:00"
        let (begin, end) = (utc(2026, 3, 2, 22), utc(2026, 3, 3, 7))
        let week: Int64 = 7 * 86_400
        #expect(try answer(text, begin - 1) == span(nil, end - week, begin))
        #expect(try answer(text, begin) == span(.silence, begin, end))
        #expect(try answer(text, end - 1) == span(.silence, begin, end))
        #expect(try answer(text, end) == span(nil, end, begin + week))
        #expect(try answer(text, utc(2026, 3, 2, 3)) == span(nil, end - week, begin))
        // The local Monday.
        #expect(try answer(text, begin - 3_600, Self.berlin) == span(.silence, begin - 3_600, end - 3_600))
    }

    @Test("overlapping spans and spans that follow each other unite")
    func union() throws {
        let text = "Mon 20:00-22:00; Mon 21:00-23:00; Mon,Tue 23:00-01:00; Wed 01:00-01:00"
        let monday = span(.silence, utc(2026, 3, 2, 20), utc(2026, 3, 3, 1))
        for hour in 20..<25 { #expect(try answer(text, utc(2026, 3, 2, hour)) == monday) }
        #expect(try answer(text, utc(2026, 3, 4, 12)) == span(.silence, utc(2026, 3, 3, 23), utc(2026, 3, 5, 1)))
        #expect(try answer("Mon 10:00-10:00; Tue 09:00-12:00", utc(2026, 3, 3, 11)).since == utc(2026, 3, 2, 10))
    }

    @Test("silence wins over volumes, and the lowest volume over the others")
    func strongest() throws {
        let text = "daily 18:00-23:00 volume=0.5; daily 20:00-22:00; daily 19:00-21:00 volume=0.2"
        let changes: [(Int, QuietHours.Effect?)] = [
            (18, .volume(0.5)), (19, .volume(0.2)), (20, .silence), (22, .volume(0.5)), (23, nil),
        ]
        for (index, change) in changes.enumerated() {
            let since = utc(2026, 3, 2, change.0)
            let until = index + 1 < changes.count ? utc(2026, 3, 2, changes[index + 1].0) : utc(2026, 3, 3, 18)
            for time in [since, until - 1] { #expect(try answer(text, time) == span(change.1, since, until)) }
        }
        #expect(
            try answer("daily 10:00-11:00 volume=0.3; daily 11:00-12:00 volume=0.3", utc(2026, 3, 2, 10)).until
                == utc(2026, 3, 2, 12))
    }

    @Test(
        "what never ends has no boundaries",
        arguments: [
            "daily 22:00-22:00", "daily 00:00-12:00; daily 12:00-00:00", "Mon..Fri 02:30-02:30; Fri..Mon 02:00-02:00",
            "daily 02:15-02:15 volume=0.3; Mon 02:00-23:00 volume=0.7",
        ])
    func always(_ text: String) throws {
        for zone in [Self.berlin, "UTC0", "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0"] {
            for time in [utc(2026, 3, 2), utc(2026, 3, 29, 1), utc(2026, 10, 25, 0, 30)] {
                let found = try answer(text, time, zone)
                #expect(found.effect != nil && found.since == nil && found.until == nil)
            }
        }
        #expect(try answer("", 0) == QuietHours.Answer() && QuietHours().nextBoundary(after: 0, in: .utc) == nil)
    }

    // Berlin's clocks go from 2:00 to 3:00 at 1:00 UTC on 29 March, and from 3:00 to 2:00 at 1:00 UTC on 25 October.
    @Test("a time that does not exist takes effect at the first moment after it")
    func missing() throws {
        let (day, gap) = (utc(2026, 3, 29), utc(2026, 3, 29, 1))
        #expect(try answer("Sun 02:30-04:00", gap, Self.berlin) == span(.silence, gap, gap + 3_600))
        #expect(try answer("Sun 01:00-02:30", gap - 1, Self.berlin) == span(.silence, day, gap))
        #expect(try answer("Sun 02:00-03:00", gap, Self.berlin).effect == nil)
        // A span within the gap is left out, and the next one is a week later.
        let next = try answer("Sun 02:10-02:50", gap - 7_200, Self.berlin)
        #expect(next == span(nil, utc(2026, 3, 22, 1, 50), utc(2026, 4, 5, 0, 10)))
        #expect(try answer("Sun 02:10-02:50", gap + 7_200, Self.berlin) == next)
    }

    @Test("the first of two equal times begins a span, and the second ends it")
    func twice() throws {
        let first = utc(2026, 10, 25, 0)
        let minute: Int64 = 60
        #expect(
            try answer("Sun 02:30-05:00", first + 30 * minute, Self.berlin)
                == span(.silence, first + 30 * minute, utc(2026, 10, 25, 4)))
        #expect(
            try answer("Sun 01:00-02:30", first, Self.berlin)
                == span(.silence, first - 60 * minute, first + 90 * minute))
        #expect(
            try answer("Sun 02:10-02:20", first + 40 * minute, Self.berlin)
                == span(.silence, first + 10 * minute, first + 80 * minute))
        // Also where the second is the moment at which the clock is set back.
        #expect(
            try answer("Sat 22:00-02:00", first, Self.berlin)
                == span(.silence, first - 240 * minute, first + 60 * minute))
        #expect(
            try answer("Sun 02:00-02:00", first, Self.berlin)
                == span(.silence, first, utc(2026, 10, 26, 1)))
        // Half an hour, from 2:00 to 1:30 at 15:00 UTC of the day before.
        let howe = utc(2026, 4, 4, 15)
        #expect(
            try answer("Sun 01:45-01:50", howe, "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0")
                == span(.silence, howe - 15 * minute, howe + 20 * minute))
        #expect(
            try answer("Sun 01:00-01:30", howe - 1, "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0")
                == span(.silence, howe - 60 * minute, howe))
    }

    @Test("a zone that left out a day had nothing of its spans, and the boundaries are those around it")
    func leftOutDay() throws {
        // Samoa went from the end of 29 December 2011 to 31 December, at 10:00 UTC.
        let date = utc(2011, 12, 30, 10)
        let zone = try TimeZoneRules(
            tzif: ZoneFile(types: [-36_000, 50_400], transitions: [(date, 1)]).bytes)
        let friday = try QuietHours("Fri 10:00-12:00")
        let (before, after) = (utc(2011, 12, 23, 22), utc(2012, 1, 5, 20))
        for time in [date - 1, date, date + 86_400] {
            #expect(friday.answer(at: time, in: zone) == span(nil, before, after))
        }
        let night = try QuietHours("Thu 22:00-07:00")
        #expect(night.answer(at: date - 1, in: zone) == span(.silence, date - 7_200, date))
    }

    @Test(
        "the next boundary is the first minute with another answer, and so is the one before",
        arguments: [
            ("CET-1CEST,M3.5.0,M10.5.0/3", 2026, 3, 26), ("CET-1CEST,M3.5.0,M10.5.0/3", 2026, 10, 22),
            ("EST5EDT,M3.2.0,M11.1.0", 2026, 3, 6), ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 2026, 4, 2),
            ("IST-1GMT0,M10.5.0,M3.5.0/1", 2026, 3, 27), ("AAA12BBB-12,J60/2,J62/2", 2026, 2, 27),
            ("IST-5:30", 2026, 3, 2), ("EET-2EEST,M3.4.4/50,M10.4.4/50", 2026, 3, 26),
        ] as [(String, Int, Int, Int)])
    func minutes(_ text: String, _ year: Int, _ month: Int, _ day: Int) throws {
        let zone = try TimeZoneRules(posix: text)
        var dice = SeededGenerator(seed: UInt64(year * 10_000 + month * 100 + day))
        let start = utc(year, month, day)
        for _ in 0..<3 {
            let quiet = try dice.quietHours()
            let effects = (0..<5 * 1_440).map { quiet.effect(at: start + 60 * Int64($0), in: zone) }
            var first = 0
            for minute in effects.indices where minute + 1 == effects.count || effects[minute + 1] != effects[minute] {
                let (since, until) = (start + 60 * Int64(first), start + 60 * Int64(minute + 1))
                for time in [since, (since + until) / 2, until - 1] {
                    let answer = quiet.answer(at: time, in: zone)
                    #expect(answer.effect == effects[minute], "\(quiet), \(time)")
                    #expect(first == 0 ? answer.since ?? .min <= since : answer.since == since, "\(quiet), \(time)")
                    let isLast = minute + 1 == effects.count
                    #expect(isLast ? answer.until ?? .max >= until : answer.until == until, "\(quiet), \(time)")
                    #expect(answer.until == quiet.nextBoundary(after: time, in: zone))
                }
                first = minute + 1
            }
        }
    }

    @Test("a zone with a change every hour, or with a day left out in every week, has answers too")
    func absurdZones() throws {
        let start = utc(2026, 1, 1)
        var (hourly, weekly) = (ZoneFile(types: [0, 93_599, -89_999]), ZoneFile(types: [0, 86_400]))
        for index in 0..<2_000 { hourly.transitions.append((start + 3_600 * Int64(index), UInt8(index % 3))) }
        // The local time jumps over each Friday, and repeats each Monday.
        for week in 0..<Int64(500) {
            let friday = start + 86_400 + 604_800 * week
            weekly.transitions += [(friday, 1), (friday + 3 * 86_400, 0)]
        }
        var dice = SeededGenerator(seed: 5)
        for file in [hourly, weekly] {
            let zone = try TimeZoneRules(tzif: file.bytes)
            for _ in 0..<20 {
                let quiet = try dice.quietHours()
                var time = start
                for _ in 0..<20 {
                    let answer = quiet.answer(at: time, in: zone)
                    if let since = answer.since {
                        #expect(since <= time && quiet.effect(at: since - 1, in: zone) != answer.effect)
                        #expect(quiet.effect(at: since, in: zone) == answer.effect)
                    }
                    guard let until = answer.until else { break }
                    #expect(until > time && quiet.effect(at: until, in: zone) != answer.effect)
                    #expect(quiet.effect(at: until - 1, in: zone) == answer.effect)
                    time = until
                }
            }
        }
        // The first Friday that comes.
        let friday = try QuietHours("Fri 12:00-13:00")
        let next = friday.nextBoundary(after: start + 604_800, in: try TimeZoneRules(tzif: weekly.bytes))
        #expect(next == start + 86_400 + 500 * 604_800 + 43_200)
    }
}

/// A year of quiet hours against what `Zones/expect.py` paints.
@Suite("A year of quiet hours", .enabled(if: ZoneInfo.isPresent, "needs python3 and tzdata"))
struct QuietHoursYearTests {
    /// As people write them, and with times at which clocks are set.
    private static let written = [
        "Mon..Fri 22:00-07:00; Sat,Sun 23:30-09:00; daily 20:00-22:00 volume=0.3; Sat..Mon 12:30-14:45 volume=0.25",
        "Sun 01:30-02:15 volume=0.5; daily 02:30-02:45; Sun 02:05-02:10 volume=0.1; Fri..Mon 02:40-02:00 volume=0.8",
        "Fri..Sun 22:00-01:00; Fri..Sun 20:00-02:00 volume=0.2; Fri..Sun 19:00-03:00 volume=0.4",
    ]

    @Test(
        "every boundary is as Python's zoneinfo has it, and what is between them",
        arguments: [
            ("Europe/Berlin", 2026, true), ("America/New_York", 2026, true), ("Asia/Kolkata", 2026, true),
            ("Australia/Lord_Howe", 2026, false), ("Africa/Casablanca", 2026, false), ("Europe/Dublin", 2026, false),
            ("Asia/Gaza", 2026, false), ("Pacific/Apia", 2011, false),
        ] as [(String, Int, Bool)])
    func year(_ name: String, _ year: Int, _ isBetween: Bool) throws {
        let zone = try TimeZoneRules(tzif: #require(ZoneFile.installed(name)))
        var dice = SeededGenerator(seed: UInt64(name.utf8.count * 10_000 + year))
        let texts = try Self.written + (0..<4).map { _ in "\(try dice.quietHours())" }
        var lines = try ZoneInfo.expect(["year", "\(year)", name] + texts)[...]
        for text in texts {
            let quiet = try QuietHours(text)
            while let line = lines.popFirst(), line[0] != "end" {
                let (since, until) = (
                    try #require(Int64(line[0])),
                    try #require(lines.first.flatMap { Int64($0[$0[0] == "end" ? 1 : 0]) })
                )
                let effect: QuietHours.Effect? =
                    line[1] == "none"
                    ? nil : line[1] == "silence" ? .silence : .volume((try #require(Float(line[1]))) / 1_000)
                let isLast = lines.first?[0] == "end"
                let isFirst = since == utc(year, 1, 1)
                let answer = quiet.answer(at: since, in: zone)
                #expect(answer.effect == effect, "\(text), \(since)")
                #expect(isLast ? answer.until ?? .max >= until : answer.until == until, "\(text), \(since)")
                #expect(isFirst ? answer.since ?? .min <= since : answer.since == since, "\(text), \(since)")
                // Every seventh minute of one text: each minute of a day in the course of a week. Those of others are what is
                // between their boundaries.
                if isBetween, text == Self.written[0] {
                    for time in stride(from: since, to: until, by: 7 * 60)
                    where quiet.effect(at: time, in: zone) != effect {
                        Issue.record("\(text), \(time)")
                    }
                }
            }
        }
        #expect(lines.isEmpty)
    }
}
