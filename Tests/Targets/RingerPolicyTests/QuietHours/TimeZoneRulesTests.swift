import SeededGenerator
import Testing

@testable import RingerPolicy

@Suite("The rules of a time zone")
struct TimeZoneRulesTests {
    private static let berlin = "CET-1CEST,M3.5.0,M10.5.0/3"

    @Test("a TZ string gives the offset and the next change")
    func text() throws {
        let zone = try TimeZoneRules(posix: Self.berlin)
        let (spring, autumn) = (utc(2026, 3, 29, 1), utc(2026, 10, 25, 1))
        #expect(zone.offset(at: spring - 1) == 3_600 && zone.offset(at: spring) == 7_200)
        #expect(zone.offset(at: autumn - 1) == 7_200 && zone.offset(at: autumn) == 3_600)
        #expect(zone.nextTransition(after: spring - 1) == spring && zone.nextTransition(after: spring) == autumn)
        #expect(zone.nextTransition(after: autumn) == utc(2027, 3, 28, 1))
        #expect(TimeZoneRules.utc.offset(at: spring) == 0 && TimeZoneRules.utc.nextTransition(after: 0) == nil)
    }

    @Test(
        "all forms of TZ strings are read",
        arguments: [
            ("<+0330>-3:30", 12_600, 12_600), ("UTC0", 0, 0), ("ABC24:59:59", -89_999, -89_999),
            ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", -7_200, -3_600),
            ("EST5EDT", -18_000, -14_400), ("EST+5EDT,M3.2.0,M11.1.0", -18_000, -14_400),
            // Summer time behind standard time.
            ("IST-1GMT0,M10.5.0,M3.5.0/1", 0, 3_600),
            ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 39_600, 37_800),
            ("EET-2EEST,M3.4.4/50,M10.4.4/50", 7_200, 10_800),
            ("CET-1CEST,J60/-167:59:59,J300/167", 3_600, 7_200), ("CET-1CEST,0/0,365/0", 7_200, 7_200),
            // For ever, as RFC 9636 writes it.
            ("XXX3EDT4,0/0,J365/23", -14_400, -14_400),
        ] as [(String, Int64, Int64)])
    func forms(_ text: String, _ january: Int64, _ july: Int64) throws {
        let zone = try TimeZoneRules(posix: text)
        #expect(zone.offset(at: utc(2026, 1, 15)) == january && zone.offset(at: utc(2026, 7, 15)) == july)
        let next = zone.nextTransition(after: utc(2026, 1, 15))
        // One day in a leap year alone is none of summer.
        if text.contains("365/0") { #expect(next != nil) } else { #expect((next == nil) == (january == july)) }
    }

    @Test("days of the year count 29 February, or do not")
    func daysOfTheYear() throws {
        for (text, common, leap) in [
            ("A", (2026, 3, 1), (2028, 2, 29)), ("J", (2026, 3, 1), (2028, 3, 1)),
        ] as [(String, (Int, Int, Int), (Int, Int, Int))] {
            let zone = try TimeZoneRules(posix: "AAA0BBB,\(text == "J" ? "J60" : "59")/0,300")
            for day in [common, leap] {
                #expect(zone.nextTransition(after: utc(day.0, 1, 10)) == utc(day.0, day.1, day.2))
            }
        }
        // The last day of a leap year is the first of the next year otherwise.
        let last = try TimeZoneRules(posix: "AAA0BBB,100,365/0")
        #expect(last.nextTransition(after: utc(2028, 7, 1)) == utc(2028, 12, 31) - 3_600)
        #expect(last.nextTransition(after: utc(2027, 7, 1)) == utc(2028, 1, 1) - 3_600)
    }

    @Test("a rule whose changes cancel each other in most years is found in the others")
    func rareChanges() throws {
        // Summer time ends on 29 February for a day; 2200 has none.
        let zone = try TimeZoneRules(posix: "AAA0BBB0:00:01,J60/0,59/-0:00:01")
        #expect(zone.offset(at: utc(2026, 1, 1)) == -1)
        #expect(zone.nextTransition(after: utc(2196, 3, 1)) == utc(2204, 2, 29))
        #expect(zone.nextTransition(after: utc(2204, 2, 29)) == utc(2204, 3, 1))
    }

    @Test(
        "a TZ string that is none is refused with the character and what is allowed",
        arguments: [
            ("", "character 1 of TZ \"\": expected a name of three letters or more, or one as <+0330>"),
            ("CE-1", "character 1 of TZ \"CE-1\": expected a name of three letters or more, or one as <+0330>"),
            ("<+03-3", "character 7 of TZ \"<+03-3\": expected letters, digits, + or -, then >"),
            ("CET", "character 4 of TZ \"CET\": expected an offset as [+-]hh[:mm[:ss]] with 0 to 24 hours"),
            ("CET25", "character 4 of TZ \"CET25\": expected an offset as [+-]hh[:mm[:ss]] with 0 to 24 hours"),
            ("CET-1:60", "character 7 of TZ \"CET-1:60\": expected 0 to 59 minutes"),
            ("CET-1:00:", "character 10 of TZ \"CET-1:00:\": expected 0 to 59 seconds"),
            ("CET-1!", "character 6 of TZ \"CET-1!\": expected a name of three letters or more, or one as <+0330>"),
            ("A🙂", "character 1 of TZ \"A🙂\": expected a name of three letters or more, or one as <+0330>"),
            (
                "AAA1BBB,M3.5.0",
                "character 15 of TZ \"AAA1BBB,M3.5.0\": expected a comma and a date: Jn, n or Mm.w.d"
            ),
            ("AAA1BBB,M13.5.0,1", "character 10 of TZ \"AAA1BBB,M13.5.0,1\": expected a month from 1 to 12"),
            ("AAA1BBB,M3,1", "character 11 of TZ \"AAA1BBB,M3,1\": expected a point and the week"),
            ("AAA1BBB,M3.6.0,1", "character 12 of TZ \"AAA1BBB,M3.6.0,1\": expected a week from 1 to 5"),
            ("AAA1BBB,M3.5,1", "character 13 of TZ \"AAA1BBB,M3.5,1\": expected a point and the weekday"),
            ("AAA1BBB,M3.5.7,1", "character 14 of TZ \"AAA1BBB,M3.5.7,1\": expected a weekday from 0, Sunday, to 6"),
            ("AAA1BBB,J0,1", "character 10 of TZ \"AAA1BBB,J0,1\": expected a day from 1 to 365"),
            (
                "AAA1BBB,366,1",
                "character 9 of TZ \"AAA1BBB,366,1\": expected a date: Jn, n from 0 to 365, or Mm.w.d"
            ),
            (
                "AAA1BBB,1/168,1",
                "character 11 of TZ \"AAA1BBB,1/168,1\": expected a time as [+-]hh[:mm[:ss]] with 0 to 167 hours"
            ),
            ("AAA1BBB,1,2,3", "character 12 of TZ \"AAA1BBB,1,2,3\": expected the end of the text"),
            (
                "AAA99999999999999999999",
                "character 4 of TZ \"AAA99999999999999999999\": expected an offset as [+-]hh[:mm[:ss]] with 0 to 24 hours"
            ),
        ])
    func badText(_ text: String, _ message: String) {
        #expect(refusal(of: { _ = try TimeZoneRules(posix: text) }) == message)
    }

    private func refusal(of body: () throws -> Void) -> String {
        do { try body() } catch { return "\(error)" }
        return "nothing was refused"
    }

    // MARK: - Files

    private static let table = ZoneFile(
        types: [600, 3_600, 7_200], transitions: [(-1_000, 1), (1_000, 2), (2_000, 2), (3_000, 1)])

    @Test("a file of each version is read, with leap seconds or without", arguments: [nil, "2", "3", "4"], [0, 27])
    func versions(_ version: Character?, _ leapSeconds: Int) throws {
        var file = Self.table
        (file.version, file.leapSeconds) = (version, leapSeconds)
        let zone = try TimeZoneRules(tzif: file.bytes)
        let offsets = [Int64.min, -1_001, -1_000, 999, 1_000, 2_999, 3_000, .max].map { zone.offset(at: $0) }
        #expect(offsets == [600, 600, 3_600, 3_600, 7_200, 7_200, 3_600, 3_600])
        #expect(zone.nextTransition(after: .min) == -1_000 && zone.nextTransition(after: -1_000) == 1_000)
        // The one at 2000 changes nothing.
        #expect(zone.nextTransition(after: 1_000) == 3_000 && zone.nextTransition(after: 3_000) == nil)
    }

    @Test("the footer counts from the last transition on; in a file without transitions, always")
    func footers() throws {
        var file = Self.table
        file.footer = Self.berlin
        let zone = try TimeZoneRules(tzif: file.bytes)
        #expect(zone.offset(at: 2_999) == 7_200 && zone.offset(at: 3_000) == 3_600)
        #expect(zone.nextTransition(after: 3_000) == utc(1970, 3, 29, 1))
        #expect(zone.offset(at: utc(2200, 7, 1)) == 7_200)
        let alone = try TimeZoneRules(tzif: ZoneFile(types: [600], footer: Self.berlin).bytes)
        #expect(alone.offset(at: utc(1900, 1, 1)) == 3_600)
        #expect(try TimeZoneRules(tzif: ZoneFile(types: [600]).bytes).offset(at: 0) == 600)
        // What the footer says at the last transition counts, not the transition's type.
        file.transitions = [(utc(2026, 7, 1), 0)]
        let late = try TimeZoneRules(tzif: file.bytes)
        #expect(late.nextTransition(after: 0) == utc(2026, 7, 1) && late.offset(at: utc(2026, 7, 1)) == 7_200)
    }

    @Test(
        "a damaged file is refused with the byte and the reason",
        arguments: [
            (0, 0x58, "byte 0 of the time zone file: expected \"TZif\", with which a time zone file begins"),
            (4, 0x31, "byte 4 of the time zone file: version 49; expected 0, or the digit 2, 3 or 4 (50 to 52)"),
            (4, 0x33, "byte 58 of the time zone file: the second header has another version than the first"),
            (32, 1, "byte 184 of the time zone file: the file ends; expected 83886090 bytes of data at byte 44"),
            (54, 0x58, "byte 54 of the time zone file: expected \"TZif\", with which a time zone file begins"),
            (77, 1, "byte 74 of the time zone file: 1 indicators; expected none, or as many as types, 3"),
            (81, 2, "byte 78 of the time zone file: 2 indicators; expected none, or as many as types, 3"),
            (88, 8, "byte 86 of the time zone file: 2052 transitions; expected at most 2000"),
            (93, 0, "byte 90 of the time zone file: 0 types of local time; expected 1 to 256"),
            (92, 2, "byte 90 of the time zone file: 515 types of local time; expected 1 to 256"),
            (97, 0, "byte 94 of the time zone file: no characters of names; expected 1 or more"),
            (98, 1, "byte 106 of the time zone file: transition 1000; expected a later one than 144115188075854872"),
            (133, 3, "byte 133 of the time zone file: type 3; expected less than 3"),
            (134, 1, "byte 134 of the time zone file: an offset of 16777816 s; expected -89999 to 93599"),
            (138, 2, "byte 138 of the time zone file: 2 for summer time; expected 0 or 1"),
            (139, 4, "byte 139 of the time zone file: name 4; expected less than 4"),
            (156, 0x20, "byte 156 of the time zone file: expected the footer, which begins with a line feed"),
            (157, 0x0A, "byte 157 of the time zone file: footer \""),
            (-1, 0x20, "byte 184 of the time zone file: the file ends; expected a line feed as the end of the footer"),
        ] as [(Int, UInt8, String)])
    func damage(_ place: Int, _ value: UInt8, _ expected: String) {
        var file = Self.table
        file.footer = Self.berlin
        var bytes = file.bytes
        bytes[place < 0 ? bytes.count + place : place] = value
        #expect(refusal(of: { _ = try TimeZoneRules(tzif: bytes) }).hasPrefix(expected))
    }

    @Test("a file that is cut off anywhere is refused at its end")
    func cut() {
        var file = Self.table
        file.footer = Self.berlin
        let bytes = file.bytes
        for count in bytes.indices {
            do {
                _ = try TimeZoneRules(tzif: Array(bytes[..<count]))
                Issue.record("\(count) bytes are enough")
            } catch {
                #expect(error.place == .byte(count), "\(count): \(error)")
            }
        }
    }

    @Test("any second of 64 bits has an offset, and no sum is too large")
    func extremes() throws {
        var file = Self.table
        file.transitions = [(.min, 1), (-(1 << 59), 0), (.max, 2)]
        file.footer = Self.berlin
        let zones = try [
            TimeZoneRules(tzif: file.bytes), TimeZoneRules(posix: Self.berlin),
            TimeZoneRules(posix: "AAA-24:59:59BBB24:59:59,0/-167,J365/167"),
        ]
        let quiet = try QuietHours("daily 22:00-07:00; Sun 02:30-02:40 volume=0.1")
        for zone in zones {
            for time in [.min, .min + 1, .min + 20_000_000_000, -1, 0, .max - 20_000_000_000, .max - 1, .max] as [Int64]
            {
                #expect(TimeZoneRules.offsets.contains(zone.offset(at: time)))
                if let next = zone.nextTransition(after: time) {
                    #expect(next > time && zone.offset(at: next) != zone.offset(at: next - 1))
                }
                if time != 0, time != -1 { #expect(quiet.answer(at: time, in: zone) == QuietHours.Answer()) }
            }
            for limit in [QuietHours.times.lowerBound, QuietHours.times.upperBound] {
                _ = quiet.answer(at: limit, in: zone)
            }
        }
    }

    @Test("a next change is a change, and there is none before it", arguments: ["Africa/Casablanca", "Europe/Dublin"])
    func transitions(_ name: String) throws {
        guard let bytes = ZoneFile.installed(name) else { return }
        let zone = try TimeZoneRules(tzif: bytes)
        var time = utc(1900, 1, 1)
        var count = 0
        while let next = zone.nextTransition(after: time), next < utc(2100, 1, 1) {
            count += 1
            #expect(
                zone.offset(at: next - 1) == zone.offset(at: time) && zone.offset(at: next) != zone.offset(at: time))
            for part in 1..<Int64(16) {
                #expect(zone.offset(at: time + (next - time) * part / 16) == zone.offset(at: time))
            }
            time = next
        }
        // Morocco has no changes after 2026 (tzdata 2026f).
        #expect(count > 60)
    }

    @Test(
        "10,000 damaged files are refused, or are zones that answer",
        arguments: ["Europe/Berlin", "a file of the test"])
    func mutations(_ name: String) throws {
        var table = Self.table
        table.footer = Self.berlin
        let bytes = ZoneFile.installed(name) ?? table.bytes
        let quiet = try QuietHours("Mon..Fri 22:00-07:00; Sun 02:30-02:40 volume=0.1")
        var dice = SeededGenerator(seed: 7)
        var (read, refused) = (0, 0)
        for _ in 0..<5_000 {
            var damaged = bytes
            for _ in 0...Int.random(in: 0..<4, using: &dice) {
                // The headers and the footer as often as all of the rest.
                let places = [
                    0..<damaged.count, 0..<min(damaged.count, 120), max(0, damaged.count - 30)..<damaged.count,
                ]
                guard let place = places[.random(in: 0..<3, using: &dice)].randomElement(using: &dice) else { break }
                switch Int.random(in: 0..<5, using: &dice) {
                case 0: damaged.removeSubrange(place...)
                case 1: damaged.remove(at: place)
                case 2: damaged.insert(.random(in: 0...255, using: &dice), at: place)
                case 3: damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &dice)
                default: damaged[place] = .random(in: 0...255, using: &dice)
                }
            }
            do throws(TimeZoneError) {
                let zone = try TimeZoneRules(tzif: damaged)
                read += 1
                let time = Int64(bitPattern: dice.next()) >> Int64.random(in: 0..<64, using: &dice)
                #expect(TimeZoneRules.offsets.contains(zone.offset(at: time)))
                if let next = zone.nextTransition(after: time) { #expect(next > time) }
                let now = utc(2026, 3, 28, 12)
                #expect(quiet.nextBoundary(after: now, in: zone).map { $0 > now } != false)
            } catch {
                refused += 1
                if case .byte(let place) = error.place { #expect((0...damaged.count).contains(place)) }
            }
        }
        #expect(read > 100 && refused > 100, "\(read) read, \(refused) refused")
    }

    @Test(
        "Python's zoneinfo says the same of other zones", .enabled(if: ZoneInfo.isPresent, "needs python3 and tzdata"))
    func otherZones() throws {
        let names = [
            "Africa/Casablanca", "Africa/El_Aaiun", "Africa/Monrovia", "America/Caracas", "America/Los_Angeles",
            "America/New_York", "America/Nuuk", "America/Santiago", "America/St_Johns", "Antarctica/Troll", "Asia/Gaza",
            "Asia/Jerusalem", "Asia/Kathmandu", "Asia/Kolkata", "Asia/Pyongyang", "Asia/Tehran", "Asia/Tokyo",
            "Atlantic/Azores", "Australia/Lord_Howe", "Europe/Amsterdam", "Europe/Berlin", "Europe/Dublin",
            "Europe/London", "Pacific/Apia", "Pacific/Chatham", "Pacific/Easter", "Pacific/Kiritimati", "UTC",
        ]
        var zones: [Substring: TimeZoneRules] = [:]
        for name in names { zones[name[...]] = try TimeZoneRules(tzif: #require(ZoneFile.installed(name))) }
        let lines = try ZoneInfo.expect(["offsets"] + names)
        for line in lines {
            let time = try #require(Int64(line[1]))
            #expect(zones[line[0]]?.offset(at: time) == Int64(line[2]), "\(line)")
        }
        #expect(lines.count > 1_000)
    }
}
