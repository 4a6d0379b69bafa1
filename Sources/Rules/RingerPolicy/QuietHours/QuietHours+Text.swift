extension QuietHours {
    /// Reads `Mon..Fri 22:00-07:00; Sat,Sun 23:30-09:00; daily 20:00-22:00 volume=0.3`.
    ///
    /// Weekdays are written as in systemd's calendar events: `Mon` or `Monday`, in capitals or not, lists and ranges;
    /// ranges may go over the end of the week (`Sat..Mon`). Times are `HH:MM`, 00:00 to 23:59. A volume is 0 to 1
    /// with up to three decimals. An empty text is no quiet hours.
    ///
    /// - Throws: ``QuietHoursError`` with the word that is wrong, its place, and what is allowed.
    public init(_ text: String) throws(QuietHoursError) {
        let whole = QuietHoursWord(Array(text.utf8)[...])
        var spans: [Span] = []
        if !whole.words.isEmpty {
            for part in whole.split(at: ";") {
                let span = try Span(part)
                if spans.count == Self.mostSpans { throw part.trimmed.refuse(Self.tooMany) }
                spans.append(span)
            }
        }
        self.spans = spans
    }
}

extension QuietHours.Span {
    /// Reads one span, such as `Mon..Fri 22:00-07:00`, or `daily 20:00-22:00 volume=0.3`.
    ///
    /// - Throws: ``QuietHoursError`` with the word that is wrong, its place, and what is allowed.
    public init(_ text: String) throws(QuietHoursError) {
        try self.init(QuietHoursWord(Array(text.utf8)[...]))
    }

    fileprivate init(_ part: QuietHoursWord) throws(QuietHoursError) {
        let words = part.words
        guard let first = words.first else {
            throw part.missing("expected a span, such as Mon..Fri 22:00-07:00 or daily 22:00-07:00")
        }
        let days = try first.weekdays()
        guard words.count > 1 else { throw part.missing("expected the times behind the weekdays, such as 22:00-07:00") }
        let times = words[1].split(at: "-")
        guard times.count == 2 else { throw words[1].refuse("expected two times, such as 22:00-07:00") }
        let (begin, end) = (try times[0].time(), try times[1].time())
        let thousandths = words.count > 2 ? try words[2].volume() : nil
        if words.count > 3 { throw words[3].refuse("expected the end of the span, or a semicolon") }
        self.init(days, begin, end, thousandths)
    }
}

/// A piece of the text, whose indices are those of the text. It is read byte by byte, since characters need tables of
/// Unicode.
private struct QuietHoursWord {
    private let bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    func refuse(_ detail: String) -> QuietHoursError {
        QuietHoursError(String(decoding: bytes, as: UTF8.self), bytes.startIndex, detail)
    }

    /// The error for a word that is missing at the end.
    func missing(_ detail: String) -> QuietHoursError { QuietHoursError("", bytes.endIndex, detail) }

    func split(at separator: Unicode.Scalar) -> [QuietHoursWord] {
        let byte = UInt8(ascii: separator)
        return bytes.split(separator: byte, omittingEmptySubsequences: false).map { QuietHoursWord($0) }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    var words: [QuietHoursWord] { bytes.split(whereSeparator: Self.isBlank).map { QuietHoursWord($0) } }

    var trimmed: QuietHoursWord {
        var bytes = bytes
        while let first = bytes.first, Self.isBlank(first) { bytes.removeFirst() }
        while let last = bytes.last, Self.isBlank(last) { bytes.removeLast() }
        return QuietHoursWord(bytes)
    }

    /// Whether it is a name, in capitals or not.
    private func equals(_ name: some Collection<UInt8>) -> Bool {
        bytes.elementsEqual(name) { $0 | 0x20 == $1 | 0x20 }
    }

    // MARK: - What a span is made of

    func weekdays() throws(QuietHoursError) -> Weekdays {
        if equals("daily".utf8) { return .daily }
        var days: Weekdays = []
        for part in split(at: ",") {
            guard let dots = part.bytes.indices.first(where: { part.bytes[$0...].starts(with: "..".utf8) }) else {
                let day = try part.weekday()
                days.formUnion(Weekdays(from: day, through: day))
                continue
            }
            let first = try QuietHoursWord(part.bytes[..<dots]).weekday()
            days.formUnion(Weekdays(from: first, through: try QuietHoursWord(part.bytes[(dots + 2)...]).weekday()))
        }
        return days
    }

    /// The number of a weekday, from Monday, 0.
    private func weekday() throws(QuietHoursError) -> Int {
        for (number, name) in Weekdays.names.enumerated()
        where equals(name.utf8.prefix(3)) || equals(name.utf8) {
            return number
        }
        throw refuse("expected a weekday, such as Mon or Monday, a range, such as Mon..Fri, or daily")
    }

    /// Minutes after midnight.
    func time() throws(QuietHoursError) -> Int {
        let parts = split(at: ":")
        if parts.count == 2, parts[0].bytes.count == 2, parts[1].bytes.count == 2,
            let hour = parts[0].number, let minute = parts[1].number, minute < 60
        {
            if hour < 24 { return hour * 60 + minute }
            if hour == 24, minute == 0 { throw refuse("write 00:00 for the midnight that ends the day") }
        }
        throw refuse("expected a time from 00:00 to 23:59, as HH:MM")
    }

    /// Thousandths.
    func volume() throws(QuietHoursError) -> Int {
        let prefix = "volume=".utf8
        guard bytes.starts(with: prefix) else {
            throw refuse("expected volume=0 to volume=1, or the end of the span")
        }
        let value = QuietHoursWord(bytes.dropFirst(prefix.count))
        let parts = value.split(at: ".")
        if parts[0].bytes.count == 1, let whole = parts[0].number {
            if parts.count == 1, whole <= 1 { return whole * 1_000 }
            if parts.count == 2, parts[1].bytes.count <= 3, var decimals = parts[1].number {
                for _ in parts[1].bytes.count..<3 { decimals *= 10 }
                if whole * 1_000 + decimals <= 1_000 { return whole * 1_000 + decimals }
            }
        }
        throw value.refuse("expected a volume from 0 to 1 with up to three decimals, such as 0.3")
    }

    /// The number of one to three digits.
    private var number: Int? {
        guard (1...3).contains(bytes.count) else { return nil }
        var value = 0
        for byte in bytes {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return value
    }
}
