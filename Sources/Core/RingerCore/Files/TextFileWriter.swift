import Synchronization
import SystemPackage

/// Writes a small text file on a thread of its own, one text after the other. It is called on any thread.
package final class TextFileWriter: Sendable {
    package typealias Completion = @Sendable (RingerError?) -> Void

    private struct State {
        /// What is to be written next. What is older than it is not written any more.
        var pending: String?
        var completions: [Completion] = []
        var isWriting = false
        /// What was written last; nil where that is not known.
        var written: String?
    }

    private let path: String
    private let state = Mutex(State())

    /// Writes the file at `path`, which need not exist.
    package init(path: String) {
        self.path = path
    }

    /// Writes the text, and calls `completion` once it is durable, on the thread that writes. Of several calls that come while
    /// a write runs, the newest is written. What the file has already is not written again: flash wears.
    package func write(_ text: String, _ completion: @escaping Completion) {
        if state.withLock({ !$0.isWriting && $0.written == text }) { return completion(nil) }
        enqueue(text, completion)
    }

    /// Waits until everything is written that was to be written when it was called.
    package func finish() {
        let isWritten = Latch()
        enqueue(nil) { _ in isWritten.open() }
        isWritten.wait()
    }

    /// Calls `body` once everything is written that was to be written: at once, or on the thread that writes.
    package func whenWritten(_ body: @escaping @Sendable () -> Void) {
        if state.withLock({ !$0.isWriting }) { return body() }
        enqueue(nil) { _ in body() }
    }

    private func enqueue(_ text: String?, _ completion: @escaping Completion) {
        let mustStart = state.withLock { state in
            if let text { state.pending = text }
            state.completions.append(completion)
            defer { state.isWriting = true }
            return !state.isWriting
        }
        guard mustStart else { return }
        do throws(Errno) {
            try DetachedThread.start(stackSize: 256 * 1024) { [self] in writeAll() }
        } catch {
            let completions = state.withLock { state in
                defer { state = State() }
                return state.completions
            }
            for completion in completions { completion(RingerError("write", path, error, detail: "no thread is left")) }
        }
    }

    private func writeAll() {
        while true {
            let next = state.withLock { state -> (String?, [Completion])? in
                state.isWriting = !state.completions.isEmpty
                guard state.isWriting else { return nil }
                defer { (state.pending, state.completions) = (nil, []) }
                return (state.pending == state.written ? nil : state.pending, state.completions)
            }
            guard let (text, completions) = next else { return }
            var failure: RingerError?
            if let text {
                do throws(RingerError) {
                    try TextFile.replace(path, with: text)
                } catch {
                    failure = error
                }
                state.withLock { $0.written = failure == nil ? text : nil }
            }
            for completion in completions { completion(failure) }
        }
    }
}
