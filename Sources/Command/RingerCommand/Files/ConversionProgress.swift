import Glibc
import SystemPackage

/// Shows the progress of a long conversion on standard error, if that is a terminal.
struct ConversionProgress {
    private let total: Int64
    private let isShown: Bool
    private let clock = ContinuousClock()
    private var next: ContinuousClock.Instant

    /// Progress towards `total` frames. Not shown for a sound of a minute or less, whose conversion is short.
    init(total: Int64, longerThan duration: Duration) {
        self.total = total
        isShown = total > 0 && duration > .seconds(60) && isatty(FileDescriptor.standardError.rawValue) == 1
        next = clock.now
    }

    /// Shows how many frames are done, at most ten times a second.
    mutating func show(_ done: Int64) {
        guard isShown, clock.now >= next else { return }
        next = clock.now.advanced(by: .milliseconds(100))
        write("\r\(Int(100 * Double(done) / Double(total)))%")
    }

    /// Clears the line.
    func finish() {
        if isShown { write("\r    \r") }
    }

    /// Errors of standard error are ignored: progress is not worth an error.
    private func write(_ text: String) {
        _ = try? FileDescriptor.standardError.writeAll(text.utf8)
    }
}
