extension YearlyTimeRules {
    /// Reads a POSIX TZ string with the extensions of RFC 9636: names in angle brackets, times of -167 to 167 hours.
    ///
    /// - Throws: ``TimeZoneError`` with the character.
    init(_ text: [UInt8]) throws(TimeZoneError) {
        var reader = TimeZoneTextReader(text)
        try reader.name()
        standard = -(try reader.duration(hours: 24, "an offset"))
        saving = nil
        if reader.isAtEnd { return }
        try reader.name()
        let isGiven = !reader.isAtEnd && reader.next != UInt8(ascii: ",")
        let offset = isGiven ? -(try reader.duration(hours: 24, "an offset")) : standard + 3_600
        guard !reader.isAtEnd else {
            let (begin, end) = (
                YearlyChange.Day.ofWeek(month: 3, week: 2, weekday: 0),
                YearlyChange.Day.ofWeek(month: 11, week: 1, weekday: 0)
            )
            saving = Saving(offset: offset, begin: YearlyChange(day: begin), end: YearlyChange(day: end))
            return
        }
        let begin = try reader.change()
        let end = try reader.change()
        guard reader.isAtEnd else { throw reader.refuse("expected the end of the text") }
        saving = Saving(offset: offset, begin: begin, end: end)
    }
}

/// Reads the parts of a TZ string in their order.
private struct TimeZoneTextReader {
    private let text: [UInt8]
    private var index = 0

    init(_ text: [UInt8]) {
        self.text = text
    }

    var next: UInt8? { index < text.count ? text[index] : nil }
    var isAtEnd: Bool { index == text.count }

    func refuse(_ reason: String, at place: Int? = nil) -> TimeZoneError {
        TimeZoneError(.character(place ?? index, of: String(decoding: text, as: UTF8.self)), reason)
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    /// A name: three letters or more, or `<+0330>`.
    mutating func name() throws(TimeZoneError) {
        let isQuoted = take("<")
        let start = index
        while let byte = next {
            let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            let isSign = byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
            guard isLetter || (isQuoted && (isDigit || isSign)) else { break }
            index += 1
        }
        guard index - start >= 3 else {
            throw refuse("expected a name of three letters or more, or one as <+0330>", at: start)
        }
        guard !isQuoted || take(">") else { throw refuse("expected letters, digits, + or -, then >") }
    }

    /// `[+-]hh[:mm[:ss]]` in seconds.
    mutating func duration(hours: Int64, _ what: String) throws(TimeZoneError) -> Int64 {
        let isNegative = take("-")
        if !isNegative { _ = take("+") }
        var seconds = try number(0...hours, "\(what) as [+-]hh[:mm[:ss]] with 0 to \(hours) hours") * 3_600
        if take(":") {
            seconds += try number(0...59, "0 to 59 minutes") * 60
            if take(":") { seconds += try number(0...59, "0 to 59 seconds") }
        }
        return isNegative ? -seconds : seconds
    }

    /// `,date[/time]`.
    mutating func change() throws(TimeZoneError) -> YearlyChange {
        guard take(",") else { throw refuse("expected a comma and a date: Jn, n or Mm.w.d") }
        let day: YearlyChange.Day
        if take("J") {
            day = .ofCommonYear(try number(1...365, "a day from 1 to 365"))
        } else if take("M") {
            let month = try number(1...12, "a month from 1 to 12")
            guard take(".") else { throw refuse("expected a point and the week") }
            let week = try number(1...5, "a week from 1 to 5")
            guard take(".") else { throw refuse("expected a point and the weekday") }
            day = .ofWeek(month: Int(month), week: week, weekday: try number(0...6, "a weekday from 0, Sunday, to 6"))
        } else {
            day = .ofYear(try number(0...365, "a date: Jn, n from 0 to 365, or Mm.w.d"))
        }
        return take("/") ? YearlyChange(day: day, time: try duration(hours: 167, "a time")) : YearlyChange(day: day)
    }

    private mutating func number(_ range: ClosedRange<Int64>, _ what: String) throws(TimeZoneError) -> Int64 {
        let start = index
        var value: Int64 = 0
        // More digits than any number in range has.
        while index - start < 4, let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
            index += 1
        }
        guard index > start, range.contains(value) else { throw refuse("expected \(what)", at: start) }
        return value
    }
}
