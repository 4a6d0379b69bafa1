/// What keeps the position over a restart.
protocol PositionFile: Sendable {
    /// Writes the position, and calls `completion` once it is durable, or with why it is not: on any thread.
    func write(_ position: TimedPosition, _ completion: @escaping @Sendable (RingerError?) -> Void)
}

/// The position that software or a button sets, in its file: one line. Any thread.
final class KeptPositionFile: PositionFile {
    /// What the file had at the start; silent where it could not be read.
    let first: TimedPosition
    /// Why the file could not be read; nil if it could, or is not there yet.
    let problem: RingerError?
    private let writer: TextFileWriter

    /// Reads the file at `path`, which need not exist: `initial` is the position then.
    init(_ path: String, initial: SwitchPosition) {
        writer = TextFileWriter(path: path)
        do throws(RingerError) {
            let word = try TextFile.read(path)
            guard let position = TimedPosition(word) else {
                throw RingerError(
                    .invalid, "read the position", path,
                    detail:
                        "it is not ring, vibrate or silent, or has an end that is none, or does not end with one newline; it counts as silent until the next one is set"
                )
            }
            (first, problem) = (position, nil)
        } catch {
            (first, problem) =
                TextFile.isMissing(path) ? (TimedPosition(initial), nil) : (TimedPosition(.silent), error)
        }
    }

    func write(_ position: TimedPosition, _ completion: @escaping @Sendable (RingerError?) -> Void) {
        writer.write(position.text, completion)
    }

    /// Waits until what was set is written.
    func finish() {
        writer.finish()
    }

    /// Calls `body` once what was set is written: at once, or on the thread that writes.
    func whenWritten(_ body: @escaping @Sendable () -> Void) {
        writer.whenWritten(body)
    }
}

/// A position that is kept, and its end: what its file has.
struct TimedPosition: Sendable, Hashable {
    struct End: Sendable, Hashable {
        /// In seconds of UTC since 1970.
        var at: Int64
        /// The position that follows.
        var next: SwitchPosition
    }

    /// What an end may be: before the year 2200.
    static let ends = QuietHoursClock.earliest..<7_258_118_400

    var position: SwitchPosition
    /// Nil where it stays until the next one.
    var end: End?

    init(_ position: SwitchPosition, _ end: End? = nil) {
        (self.position, self.end) = (position, end)
    }

    /// Reads `silent`, or `silent until 1767225600 then ring`, and a newline; nil for anything else.
    init?(_ text: String) {
        let words = text.dropLast().split(separator: " ", omittingEmptySubsequences: false)
        guard let position = words.first.flatMap({ SwitchPosition(rawValue: String($0)) }) else { return nil }
        self.init(position)
        if words.count == 5, let at = Int64(words[2]), let next = SwitchPosition(rawValue: String(words[4])) {
            end = End(at: at, next: next)
        }
        // One way of writing: a line that was cut short or has more in it is another one.
        guard self.text == text, end.map({ Self.ends.contains($0.at) }) != false else { return nil }
    }

    var text: String {
        position.rawValue + (end.map { " until \($0.at) then \($0.next.rawValue)" } ?? "") + "\n"
    }

    /// Whether its end has come. While the clock was never set nobody knows, and the more silent one of the two counts.
    func isOver(at wallTime: Duration) -> Bool {
        guard let end else { return false }
        let now = wallTime.components.seconds
        return now >= QuietHoursClock.earliest ? end.at <= now : end.next > position
    }
}
