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
