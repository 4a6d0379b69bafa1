/// The times of the week in which a device is quiet, in local wall time: nights, a rest at noon.
///
/// As text, spans with semicolons between them: `Mon..Fri 22:00-07:00; Sat,Sun 23:30-09:00`. Where spans overlap they unite.
/// A span silences, or has a volume, `daily 20:00-22:00 volume=0.3`, at which announcements and media are heard.
///
/// In the night in which the clock is set forwards or back, a time that does not exist takes effect at the first moment
/// after it; of a time that exists twice the first begins a span, and the second ends it.
public struct QuietHours: Sendable, Hashable {
    /// The most spans.
    public static let mostSpans = 64

    /// The spans, as they were written; none by default.
    public let spans: [Span]

    /// No quiet hours.
    public init() {
        spans = []
    }

    /// Quiet hours of up to ``mostSpans`` spans.
    ///
    /// - Throws: ``QuietHoursError`` with the first span that is too many.
    public init(_ spans: [Span]) throws(QuietHoursError) {
        if spans.count > Self.mostSpans { throw QuietHoursError("\(spans[Self.mostSpans])", nil, Self.tooMany) }
        self.spans = spans
    }

    /// All day, every day.
    package static let always = QuietHours(Span(.daily, 0, 0, nil))

    private init(_ span: Span) {
        spans = [span]
    }

    static let tooMany = "expected at most \(mostSpans) spans"

    private init(some spans: [Span]) {
        self.spans = spans
    }

    /// The spans that silence.
    package var silencing: QuietHours { QuietHours(some: spans.filter { $0.thousandths == nil }) }

    /// The spans that have a volume.
    package var withVolumes: QuietHours { QuietHours(some: spans.filter { $0.thousandths != nil }) }
}

extension QuietHours {
    /// A part of the day on some days of the week.
    ///
    /// A span that ends before it begins goes on to the next day, and belongs to the day on which it begins; one with
    /// equal times lasts 24 hours.
    public struct Span: Sendable, Hashable {
        /// The days on which it begins; one or more.
        public let days: Weekdays
        /// In minutes after midnight, 0 to 1439.
        public let begin: Int
        /// In minutes after midnight, 0 to 1439.
        public let end: Int
        /// The volume of announcements and media, 0 to 1, a factor for the user's; nil if the span silences. Where spans overlap,
        /// those that silence do, and of several volumes the lowest counts.
        public var volume: Float? { thousandths.map { Float($0) / 1_000 } }
        let thousandths: Int?

        /// A span on `days`.
        ///
        /// - Parameters:
        ///   - days: The days on which it begins.
        ///   - begin: In minutes after midnight.
        ///   - end: In minutes after midnight; 0 for the midnight that ends the day.
        ///   - volume: 0 to 1, rounded to thousandths; nil for a span that silences.
        /// - Throws: ``QuietHoursError`` if there is no day, or a number is out of its range.
        public init(
            _ days: Weekdays = .daily, from begin: Int, to end: Int, volume: Float? = nil
        ) throws(QuietHoursError) {
            if days.isEmpty { throw QuietHoursError("", nil, "expected one weekday or more") }
            for minute in [begin, end] where !(0..<1_440).contains(minute) {
                throw QuietHoursError("\(minute)", nil, "expected minutes after midnight from 0 to 1439")
            }
            if let volume, !(0...1).contains(volume) {
                throw QuietHoursError("\(volume)", nil, "expected a volume from 0 to 1")
            }
            self.init(days, begin, end, volume.map { Int($0 * 1_000 + 0.5) })
        }

        init(_ days: Weekdays, _ begin: Int, _ end: Int, _ thousandths: Int?) {
            (self.days, self.begin, self.end, self.thousandths) = (days, begin, end, thousandths)
        }
    }
}

extension QuietHours: CustomStringConvertible {
    /// The canonical text, which is read as the same quiet hours.
    public var description: String { spans.map { $0.description }.joined(separator: "; ") }
}

extension QuietHours.Span: CustomStringConvertible {
    /// `Mon..Fri 22:00-07:00`, `daily 20:00-22:00 volume=0.3`.
    public var description: String {
        let times = "\(days) \(Self.time(begin))-\(Self.time(end))"
        guard let thousandths else { return times }
        var text = "\(times) volume=\(thousandths / 1_000)"
        var (rest, place) = (thousandths % 1_000, 100)
        if rest > 0 { text += "." }
        while rest > 0 {
            text += "\(rest / place)"
            (rest, place) = (rest % place, place / 10)
        }
        return text
    }

    private static func time(_ minutes: Int) -> String {
        let (hour, minute) = (minutes / 60, minutes % 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }
}

/// Quiet hours that were refused.
public struct QuietHoursError: Error, Sendable, Hashable {
    /// The word or number that was refused; empty where one is missing.
    public var word: String
    /// Where the word begins in the text, in bytes of UTF-8 from 0; nil if there was no text.
    public var offset: Int?
    /// What is allowed instead.
    public var detail: String

    init(_ word: String, _ offset: Int?, _ detail: String) {
        (self.word, self.offset, self.detail) = (word, offset, detail)
    }
}

extension QuietHoursError: CustomStringConvertible {
    /// `"Fry", character 6: expected a weekday ...`, `character 9: expected ...` where a word is missing. What is before a
    /// refused word is ASCII: bytes are characters there.
    public var description: String {
        let place = offset.map { "character \($0 + 1)" }
        let word = word.isEmpty ? nil : "\"\(word)\""
        let parts = [word, place].compactMap { $0 }
        return parts.isEmpty ? detail : "\(parts.joined(separator: ", ")): \(detail)"
    }
}
