/// The rules of a time zone: how far its local time is from UTC, at any time.
///
/// Times are seconds of UTC since 1970 without leap seconds, as `CLOCK_REALTIME` counts them; every `Int64` is allowed.
/// The source is RFC 9636, which replaces RFC 8536.
package struct TimeZoneRules: Sendable, Hashable {
    /// The offsets of a zone, in seconds: RFC 9636 asks for no others, and the zones of the world are within ±16 hours.
    static let offsets: ClosedRange<Int64> = -89_999...93_599

    /// The offset before the first transition.
    private let initial: Int64
    /// The transitions of the table that change the offset, ascending, and the offset from each on.
    private let times: [Int64]
    private let changed: [Int64]
    /// The rules for times after the table, and the table's last transition; nil if there is no table.
    private let yearly: YearlyTimeRules?
    private let tableEnd: Int64?

    /// UTC.
    package static let utc = TimeZoneRules(YearlyTimeRules(standard: 0))

    /// Reads a POSIX TZ string, such as `CET-1CEST,M3.5.0,M10.5.0/3`: the value of `TZ` that is no name of a file.
    ///
    /// Summer time without rules (`EST5EDT`) has those of the United States, as in glibc and tzcode.
    ///
    /// - Throws: ``TimeZoneError`` with the character.
    package init(posix text: String) throws(TimeZoneError) {
        self.init(try YearlyTimeRules(Array(text.utf8)))
    }

    private init(_ rules: YearlyTimeRules) {
        (initial, times, changed, yearly, tableEnd) = (rules.standard, [], [], rules, nil)
    }

    /// The rules of a file.
    ///
    /// - Parameters:
    ///   - first: The offset before the first transition, and without any the only one where there is no footer.
    ///   - table: The transitions, ascending.
    ///   - footer: The rules from the last transition on.
    init(first: Int64, table: [(time: Int64, offset: Int64)], footer: YearlyTimeRules?) {
        var (times, changed): ([Int64], [Int64]) = ([], [])
        var current = first
        for (index, entry) in table.enumerated() {
            let isLast = index == table.count - 1
            let offset = isLast ? footer?.offset(at: entry.time) ?? entry.offset : entry.offset
            if offset == current { continue }
            times.append(entry.time)
            changed.append(offset)
            current = offset
        }
        (self.times, self.changed) = (times, changed)
        (initial, yearly, tableEnd) = (first, footer, table.last?.time)
    }

    /// How many seconds the local time is ahead of UTC.
    package func offset(at utc: Int64) -> Int64 {
        if let yearly, utc >= tableEnd ?? .min { return yearly.offset(at: utc) }
        let index = indexOfTransition(after: utc)
        return index == 0 ? initial : changed[index - 1]
    }

    /// The first second after `utc` at which the offset changes; nil if it never does again. Transitions that change
    /// nothing but the name are none.
    package func nextTransition(after utc: Int64) -> Int64? {
        let index = indexOfTransition(after: utc)
        return index < times.count ? times[index] : yearly?.nextTransition(after: max(utc, tableEnd ?? .min))
    }

    /// The index of the first transition after `utc`; the number of transitions if there is none.
    private func indexOfTransition(after utc: Int64) -> Int {
        var (low, high) = (0, times.count)
        while low < high {
            let middle = (low + high) / 2
            if times[middle] > utc { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// A time zone that cannot be read.
package struct TimeZoneError: Error, Sendable, Hashable {
    /// Where the fault is.
    package enum Place: Sendable, Hashable {
        /// The byte of a file, from 0.
        case byte(Int)
        /// The character of a TZ string, from 0.
        case character(Int, of: String)
    }

    /// Where the fault is.
    package var place: Place
    /// What is wrong, and what is allowed.
    package var reason: String

    package init(_ place: Place, _ reason: String) {
        self.place = place
        self.reason = reason
    }
}

extension TimeZoneError: CustomStringConvertible {
    /// `byte 44 of the time zone file: ...`, `character 11 of TZ "CET-1CEST,X": ...`.
    package var description: String {
        switch place {
        case .byte(let offset): "byte \(offset) of the time zone file: \(reason)"
        case .character(let offset, let text): "character \(offset + 1) of TZ \"\(text)\": \(reason)"
        }
    }
}
