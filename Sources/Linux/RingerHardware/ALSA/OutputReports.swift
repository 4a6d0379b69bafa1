import RingerCore
import Synchronization

/// Reports what an output knows of its PCMs: their granted formats, whether they mix, and whether the watched one is
/// lost.
// SAFETY: all but `follow`, `reportProblems` and `report` is used on the sound thread only; after that thread ended, only
// by the caller of `SoundThread.shutDown`.
final class OutputReports: @unchecked Sendable {
    /// The PCM whose loss is reported.
    private struct WatchedOutput {
        var name: String
        var handler: @Sendable (Bool) -> Void
        var loss = OutputLoss()
        /// The last request that was granted: with it the lost PCM is looked for.
        var request: PCMRequest?
    }

    private(set) var formats = GrantedFormats()
    private var news: [SoundPortFormat] = []
    private let follower = Mutex<(@Sendable (SoundPortFormat) -> Void)?>(nil)
    private var watched: WatchedOutput?
    private let problems = Mutex<(@Sendable (RingerError) -> Void)?>(nil)
    /// The PCMs that do not mix, and those of them that were not reported yet.
    private var unmixed: (all: Set<String>, due: [String]) = ([], [])
    /// The devices of PCMs, by the PCM's name.
    private var devices: [String: PCMDevice] = [:]

    // MARK: - What is granted

    /// Sets the handler of granted formats; nil for none. May be called on any thread.
    func follow(_ handler: (@Sendable (SoundPortFormat) -> Void)?) {
        follower.withLock { $0 = handler }
    }

    /// Reports the format that was granted last.
    func reportLast() {
        if let told = formats.told { follower.withLock { $0 }?(told) }
    }

    /// Sets the preferences for PCMs that are opened from now on.
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

    /// Measures the delay beyond the buffer of `handle`, which is running, unless it is known.
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

    /// Makes the pending reports.
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

    /// Sets the handler of problems; nil for none. May be called on any thread.
    func reportProblems(_ handler: (@Sendable (RingerError) -> Void)?) {
        problems.withLock { $0 = handler }
    }

    /// Reports a problem at once. May be called on any thread.
    func report(_ problem: RingerError) {
        problems.withLock { $0 }?(problem)
    }

    /// The PCM `name` cannot play two sounds at once.
    ///
    /// - Returns: Whether ``flush()`` has something to report: each PCM is reported once.
    func doesNotMix(_ name: String) -> Bool {
        guard unmixed.all.insert(name).inserted else { return false }
        unmixed.due.append(name)
        return true
    }

    // MARK: - Loss

    /// Starts reporting to `handler` whether the PCM `name` is lost.
    func watchLoss(of name: String, _ handler: @escaping @Sendable (Bool) -> Void) {
        watched = WatchedOutput(name: name, handler: handler)
        handler(false)
    }

    /// Ends reporting losses.
    func unwatchLoss() {
        watched = nil
    }

    /// Opening or playing on the PCM `name` failed.
    func failed(_ error: RingerError, of name: String) {
        // The device that takes its place may grant another format.
        if error.code == .disconnected || error.code == .notFound { formats.forget(name) }
        guard var output = watched, output.name == name else { return }
        let isNews = output.loss.failed(error)
        watched = output
        if isNews { output.handler(true) }
    }

    /// The last request for the lost PCM; nil if none is lost.
    var lost: PCMRequest? {
        guard let output = watched, output.loss.isLost else { return nil }
        return output.request
    }
}
