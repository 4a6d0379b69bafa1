import RingerServices
import Synchronization

/// What an output reports of its PCMs: what they granted, whether they mix, and whether the one that is watched is lost.
// SAFETY: all but `follow` and `reportProblems` is used on the sound thread alone, on which everything is reported; after that thread ended, by
// the caller of `SoundThread.shutDown` alone.
final class OutputReports: @unchecked Sendable {
    /// The PCM whose loss is reported.
    private struct WatchedOutput {
        var name: String
        var handler: @Sendable (Bool) -> Void
        var loss = OutputLoss()
        /// What it granted last: the lost PCM is looked for in that format.
        var request: PCMRequest?
    }

    private(set) var formats = GrantedFormats()
    private var news: [SoundPortFormat] = []
    private let follower = Mutex<(@Sendable (SoundPortFormat) -> Void)?>(nil)
    private var watched: WatchedOutput?
    private let problems = Mutex<(@Sendable (RingerError) -> Void)?>(nil)
    /// The PCMs that do not mix, and those of them that are still to be reported.
    private var unmixed: (all: Set<String>, due: [String]) = ([], [])
    /// What PCMs lead to, by name.
    private var devices: [String: PCMDevice] = [:]

    // MARK: - What is granted

    /// Reports to `handler` from now on what the hardware is granted; to nobody where it is nil. Any thread may call it.
    func follow(_ handler: (@Sendable (SoundPortFormat) -> Void)?) {
        follower.withLock { $0 = handler }
    }

    /// Reports what was granted last.
    func reportLast() {
        if let told = formats.told { follower.withLock { $0 }?(told) }
    }

    /// Takes in what is preferred of PCMs that are opened from now on.
    func prefer(_ preferences: SessionPreferences) {
        formats.prefer(preferences)
    }

    /// The PCM of `handle` was opened, or is used again.
    ///
    /// - Returns: Whether ``flush()`` has something to report.
    func opened(_ handle: PCMHandle) -> Bool {
        if var output = watched, output.name == handle.request.name {
            let isNews = output.loss.opened()
            output.request = handle.request
            watched = output
            if isNews { output.handler(false) }
        }
        devices[handle.request.name] = handle.device
        let isProblem = handle.playsOneSound && doesNotMix(handle.request.name)
        return add(formats.opened(handle.request.name, handle.hardware)) || isProblem
    }

    /// Sound goes to the PCM `name` now, which was opened before.
    func moved(to name: String) {
        _ = add(formats.movedTo(name))
    }

    /// Measures what lies beyond the buffer of `handle`, which runs, unless it is known.
    ///
    /// - Returns: Whether ``flush()`` has something to report.
    func measure(_ handle: PCMHandle) -> Bool {
        guard !formats.isMeasured(handle.hardware), let delay = handle.delayBeyondBuffer() else { return false }
        return add(formats.measured(delay, handle.hardware))
    }

    private func add(_ format: SoundPortFormat?) -> Bool {
        guard let format else { return false }
        news.append(format)
        return true
    }

    /// Reports what changed.
    func flush() {
        while !news.isEmpty {
            let format = news.removeFirst()
            follower.withLock { $0 }?(format)
        }
        while !unmixed.due.isEmpty {
            let name = unmixed.due.removeFirst()
            problems.withLock { $0 }?(.doesNotMix(name, devices[name]))
        }
    }

    // MARK: - Problems

    /// Calls `handler` from now on with each problem; nobody where it is nil. Any thread may call it.
    func reportProblems(_ handler: (@Sendable (RingerError) -> Void)?) {
        problems.withLock { $0 = handler }
    }

    /// The PCM `name` plays one sound at a time.
    ///
    /// - Returns: Whether ``flush()`` has something to report: each PCM is reported once.
    func doesNotMix(_ name: String) -> Bool {
        guard unmixed.all.insert(name).inserted else { return false }
        unmixed.due.append(name)
        return true
    }

    // MARK: - Loss

    /// Reports to `handler` from now on whether the PCM `name` is lost.
    func watchLoss(of name: String, _ handler: @escaping @Sendable (Bool) -> Void) {
        watched = WatchedOutput(name: name, handler: handler)
        handler(false)
    }

    /// Ends reporting it.
    func unwatchLoss() {
        watched = nil
    }

    /// A sound, or opening its PCM `name`, failed.
    func failed(_ error: RingerError, of name: String) {
        // What comes back in its place may grant something else.
        if error.code == .disconnected || error.code == .notFound { formats.forget(name) }
        guard var output = watched, output.name == name else { return }
        let isNews = output.loss.failed(error)
        watched = output
        if isNews { output.handler(true) }
    }

    /// The PCM that is lost, as it was opened last; nil where none is lost.
    var lost: PCMRequest? {
        guard let output = watched, output.loss.isLost else { return nil }
        return output.request
    }
}
