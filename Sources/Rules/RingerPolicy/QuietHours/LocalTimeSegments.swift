/// The offsets of a zone in a part of time, and how local times become UTC there.
struct LocalTimeSegments {
    /// The first seconds with their offsets, ascending.
    private var segments: [(start: Int64, offset: Int64)]

    /// The lowest and the highest offset.
    private(set) var offsets: ClosedRange<Int64>

    /// The part around some local days, with what is as far from them as offsets reach.
    init(of zone: TimeZoneRules, around days: ClosedRange<Int64>) {
        var last = (days.lowerBound - 5) * Gregorian.day
        var offset = zone.offset(at: last)
        segments = [(last, offset)]
        offsets = offset...offset
        while let next = zone.nextTransition(after: last), next <= (days.upperBound + 6) * Gregorian.day {
            (last, offset) = (next, zone.offset(at: next))
            segments.append((last, offset))
            offsets = min(offsets.lowerBound, offset)...Swift.max(offsets.upperBound, offset)
        }
    }

    private func end(of index: Int) -> Int64 { index + 1 < segments.count ? segments[index + 1].start : .max }

    /// The first second at which it is a local time or later: the first of two, or the first after a gap.
    func first(reaching local: Int64) -> Int64 {
        for (index, segment) in segments.enumerated() {
            let utc = Swift.max(segment.start, local - segment.offset)
            if utc < end(of: index) { return utc }
        }
        return .max
    }

    /// The last second at which a local time begins: the second of two, or the first after a gap.
    func last(reaching local: Int64) -> Int64 {
        for (index, segment) in segments.enumerated().reversed() where local - segment.offset >= segment.start {
            return min(end(of: index), local - segment.offset)
        }
        return .min
    }
}
