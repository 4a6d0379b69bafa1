/// What a POSIX TZ string says: the offset of standard time, and when in each year summer time begins and ends.
struct YearlyTimeRules: Sendable, Hashable {
    /// Summer time, which may also be behind standard time.
    struct Saving: Sendable, Hashable {
        /// In seconds ahead of UTC.
        var offset: Int64
        var begin: YearlyChange
        var end: YearlyChange
    }

    /// In seconds ahead of UTC.
    var standard: Int64
    /// Nil if standard time lasts all year.
    var saving: Saving?

    init(standard: Int64, saving: Saving? = nil) {
        self.standard = standard
        self.saving = saving
    }

    /// The offset at a second of UTC.
    func offset(at utc: Int64) -> Int64 { offset(inFirstCycle: Gregorian.timeInFirstCycle(utc)) }

    /// The first second after `utc` at which the offset changes; nil if it never does, or later than times go.
    func nextTransition(after utc: Int64) -> Int64? {
        guard let saving, saving.offset != standard else { return nil }
        var time = Gregorian.timeInFirstCycle(utc)
        let current = offset(inFirstCycle: time)
        var passed: Int64 = 0
        // Where summer time ends as the next one begins, nothing changes. After one cycle nothing ever will.
        for _ in 0...2 * Gregorian.yearsOfCycle {
            var next = Int64.max
            for change in changes(around: time) where change.time > time { next = min(next, change.time) }
            passed += next - time
            time = next % Gregorian.cycle
            if offset(inFirstCycle: time) != current {
                let (transition, isTooLate) = utc.addingReportingOverflow(passed)
                return isTooLate ? nil : transition
            }
        }
        return nil
    }

    private func offset(inFirstCycle time: Int64) -> Int64 {
        guard let saving else { return standard }
        var latest = (time: Int64.min, isSaving: false)
        for change in changes(around: time) where change.time <= time {
            // One summer time that ends as the next one begins lasts for ever (RFC 9636, 3.3.1).
            if change.time > latest.time || (change.time == latest.time && change.isSaving) { latest = change }
        }
        return latest.isSaving ? saving.offset : standard
    }

    /// The changes of the years around a time, among them the last one up to it and the first one after it: with times of
    /// up to 167 hours and 25 hours of offset a change is up to eight days outside of its year.
    private func changes(around time: Int64) -> [(time: Int64, isSaving: Bool)] {
        guard let saving else { return [] }
        let year = Gregorian.year(of: time / Gregorian.day)
        var changes: [(time: Int64, isSaving: Bool)] = []
        changes.reserveCapacity(10)
        for year in year - 2...year + 2 {
            changes.append((saving.begin.localTime(in: year) - standard, true))
            changes.append((saving.end.localTime(in: year) - saving.offset, false))
        }
        return changes
    }
}

/// When in each year the time changes.
struct YearlyChange: Sendable, Hashable {
    enum Day: Sendable, Hashable {
        /// `Jn`, 1 to 365; 29 February is never counted.
        case ofCommonYear(Int64)
        /// `n`, 0 to 365.
        case ofYear(Int64)
        /// `Mm.w.d`: the week, 1 to 5, of the month, 1 to 12, in which the weekday comes so many times; 5 is the last.
        /// Sunday is 0.
        case ofWeek(month: Int, week: Int64, weekday: Int64)
    }

    var day: Day
    /// In seconds after midnight, -167 to 167 hours.
    var time: Int64 = 7_200

    /// In seconds of the local time before the change, since 1970.
    func localTime(in year: Int64) -> Int64 {
        let first = Gregorian.days(before: year)
        let days: Int64
        switch day {
        case .ofCommonYear(let number): days = first + number - (number < 60 || !Gregorian.isLeap(year) ? 1 : 0)
        case .ofYear(let number): days = first + number
        case .ofWeek(let month, let week, let weekday):
            let start = first + Gregorian.days(before: month, in: year)
            // 1 January 1970 was a Thursday, and the days are not negative.
            let toWeekday = (weekday - (start + 4) % 7 + 7) % 7
            let found = start + toWeekday + 7 * (week - 1)
            let next =
                month == 12 ? Gregorian.days(before: year + 1) : first + Gregorian.days(before: month + 1, in: year)
            days = found < next ? found : found - 7
        }
        return days * Gregorian.day + time
    }
}

/// The calendar, which repeats itself after 400 years: years around the first cycle from 1970 on are enough.
enum Gregorian {
    /// In seconds.
    static let day: Int64 = 86_400
    static let yearsOfCycle = 400
    /// 400 years in seconds.
    static let cycle: Int64 = 146_097 * day

    /// The same time of the cycle from 1970 on.
    static func timeInFirstCycle(_ utc: Int64) -> Int64 {
        let time = utc % cycle
        return time < 0 ? time + cycle : time
    }

    static func isLeap(_ year: Int64) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    /// The days from 1970 to 1 January of a year from 1 on.
    static func days(before year: Int64) -> Int64 {
        let past = year - 1
        // 719,162 days are from year 1 to 1970.
        return past * 365 + past / 4 - past / 100 + past / 400 - 719_162
    }

    /// The days of a year before a month, 1 to 12.
    static func days(before month: Int, in year: Int64) -> Int64 {
        let days: Int64 =
            switch month {
            case 1: 0
            case 2: 31
            case 3: 59
            case 4: 90
            case 5: 120
            case 6: 151
            case 7: 181
            case 8: 212
            case 9: 243
            case 10: 273
            case 11: 304
            default: 334
            }
        return month > 2 && isLeap(year) ? days + 1 : days
    }

    /// The year of a day since 1970, which is not negative.
    static func year(of day: Int64) -> Int64 {
        let year = 1970 + day * 400 / 146_097
        if days(before: year) > day { return year - 1 }
        return days(before: year + 1) <= day ? year + 1 : year
    }
}
