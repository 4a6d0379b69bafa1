extension QuietHours {
    /// What quiet hours do at a moment: the strongest of what their spans do, silence before the lowest volume.
    package enum Effect: Sendable, Hashable {
        /// They silence.
        case silence
        /// Announcements and media have this volume, 0 to 1.
        case volume(Float)
    }

    /// What applies at a moment, and how long. Times are seconds of UTC since 1970.
    package struct Answer: Sendable, Hashable {
        /// Nil outside of quiet hours.
        package var effect: Effect?
        /// The first second at which it applied; nil if it always did.
        package var since: Int64?
        /// The first second after it; nil if it always will.
        package var until: Int64?

        package init(effect: Effect? = nil, since: Int64? = nil, until: Int64? = nil) {
            (self.effect, self.since, self.until) = (effect, since, until)
        }
    }

    /// The times for which there are quiet hours: a billion years, within which no sum is too large.
    static let times: ClosedRange<Int64> = -(1 << 55)...1 << 55

    /// What applies at a second of UTC.
    package func effect(at utc: Int64, in zone: TimeZoneRules) -> Effect? {
        rank(at: utc, in: zone).effect
    }

    /// What applies at a second of UTC, since when and until when.
    ///
    /// The effort is bounded by the number of spans: they are looked at in the three weeks around `utc`, and further only
    /// where the zone left out all of them.
    package func answer(at utc: Int64, in zone: TimeZoneRules) -> Answer {
        let rank = rank(at: utc, in: zone)
        return Answer(
            effect: rank.effect, since: change(from: utc, rank, isForward: false, in: zone),
            until: change(from: utc, rank, isForward: true, in: zone))
    }

    /// The first second of UTC after `utc` at which something else applies; nil if that never happens.
    package func nextBoundary(after utc: Int64, in zone: TimeZoneRules) -> Int64? {
        change(from: utc, rank(at: utc, in: zone), isForward: true, in: zone)
    }

    private func rank(at utc: Int64, in zone: TimeZoneRules) -> Rank {
        guard Self.times.contains(utc), !spans.isEmpty else { return .none }
        let segments = LocalTimeSegments(of: zone, around: utc.day...utc.day)
        let days = (utc + segments.offsets.lowerBound).day - 1...(utc + segments.offsets.upperBound).day
        var rank = Rank.none
        for interval in intervals(of: days, in: segments) where interval.contains(utc) {
            rank = min(rank, interval.rank)
        }
        return rank
    }

    /// The first second after `utc` at which another rank applies, or the first second of the present one.
    private func change(from utc: Int64, _ rank: Rank, isForward: Bool, in zone: TimeZoneRules) -> Int64? {
        guard Self.times.contains(utc), !spans.isEmpty else { return nil }
        var probe = utc
        // A zone that leaves out all spans of a week needs a transition in it.
        for round in 0..<2 * TimeZoneRules.mostTransitions where Self.times.contains(probe) {
            let days = isForward ? probe.day - 4...probe.day + 11 : probe.day - 14...probe.day + 4
            let intervals = intervals(of: days, in: LocalTimeSegments(of: zone, around: days))
            // Outside of these times there may be intervals of other days.
            if isForward {
                let found = intervals.firstChange(after: probe, rank)
                if found < (days.upperBound - 1) * Gregorian.day { return found }
            } else {
                let found = -intervals.map { $0.mirrored }.firstChange(after: -probe - 1, rank)
                if found > (days.lowerBound + 4) * Gregorian.day { return found }
            }
            if round == 0, !everChanges { return nil }
            probe += isForward ? 7 * Gregorian.day : -7 * Gregorian.day
        }
        return nil
    }

    /// Whether different things apply within the week.
    private var everChanges: Bool {
        let rank = rank(at: 0, in: .utc)
        let segments = LocalTimeSegments(of: .utc, around: -4...11)
        return intervals(of: -4...11, in: segments).firstChange(after: 0, rank) < 10 * Gregorian.day
    }

    /// The spans that begin on some days, counted from 1970, as UTC.
    private func intervals(of days: ClosedRange<Int64>, in segments: LocalTimeSegments) -> [Interval] {
        var intervals: [Interval] = []
        for day in days {
            for span in spans where span.days.contains(day.weekday) {
                let begin = day * Gregorian.day + Int64(span.begin) * 60
                let minutes = span.end > span.begin ? span.end - span.begin : span.end - span.begin + 1_440
                let end = begin + Int64(minutes) * 60
                let interval = Interval(
                    begin: segments.first(reaching: begin), end: segments.last(reaching: end),
                    rank: Rank(span.thousandths))
                if interval.begin < interval.end { intervals.append(interval) }
            }
        }
        return intervals
    }
}

/// What wins where several spans apply: less is stronger.
private struct Rank: Comparable {
    /// -1 silences, then thousandths of a volume.
    private let value: Int

    static let none = Rank(.max)

    init(_ thousandths: Int?) {
        value = thousandths ?? -1
    }

    static func < (left: Rank, right: Rank) -> Bool { left.value < right.value }

    var effect: QuietHours.Effect? {
        self == .none ? nil : value < 0 ? .silence : .volume(Float(value) / 1_000)
    }
}

/// A span of one day, as UTC, without its end.
private struct Interval {
    var begin, end: Int64
    var rank: Rank

    func contains(_ utc: Int64) -> Bool { begin <= utc && utc < end }

    /// The same with time running backwards: second `t` becomes `-t - 1`.
    var mirrored: Interval { Interval(begin: -end, end: -begin, rank: rank) }
}

extension [Interval] {
    /// The first second after `utc`, at which `rank` applies, where another one does; `Int64.max` if there is none.
    fileprivate func firstChange(after utc: Int64, _ rank: Rank) -> Int64 {
        /// How far the present rank reaches by what was looked at.
        var covered = rank == .none ? Int64.max : utc
        for interval in sorted(by: { $0.begin < $1.begin }) {
            if interval.begin > covered { break }
            if interval.rank < rank, interval.begin > utc { return interval.begin }
            if interval.rank == rank { covered = Swift.max(covered, interval.end) }
        }
        return covered
    }
}

extension Int64 {
    /// The day since 1970 of a second.
    fileprivate var day: Int64 { self >= 0 ? self / Gregorian.day : (self + 1) / Gregorian.day - 1 }

    /// The weekday of a day since 1970, a Thursday; Monday is 0.
    fileprivate var weekday: Int { Int(((self + 3) % 7 + 7) % 7) }
}
