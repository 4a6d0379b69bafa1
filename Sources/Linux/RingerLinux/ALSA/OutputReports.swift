import RingerCore
import Synchronization

/// Reports what an output knows of its PCMs: their granted formats, whether they mix, and whether the watched one is
/// lost. Each report is made at once.
// SAFETY: all but the handlers' setters and `report` is used on the sound thread only; after that thread ended, only
// by the caller of `SoundThread.shutDown`.
final class OutputReports: @unchecked Sendable {
    /// Who receives the reports. A mutex of a function alone would wrap it once more each time it is read.
    struct Handlers: Sendable {
        /// Of granted formats.
        var format: (@Sendable (SoundPortFormat) -> Void)?
        /// Of problems.
        var problem: (@Sendable (RingerError) -> Void)?
        /// Of switches of the card.
        var card: (@Sendable (AudioRoute, RingerError?) -> Void)?
    }

    /// The PCM whose loss is reported.
    private struct WatchedOutput {
        var name: String
        var handler: @Sendable (Bool) -> Void
        var loss = OutputLoss()
        /// The last request that was granted: with it the lost PCM is looked for.
        var request: PCMRequest?
    }

    private(set) var formats = GrantedFormats()
    private let handlers = Mutex(Handlers())
    private var watched: WatchedOutput?
    /// The PCMs that do not mix.
    private var unmixed: Set<String> = []
    /// The devices of PCMs, by the PCM's name.
    private var devices: [String: PCMDevice] = [:]

    /// Sets handlers. May be called on any thread.
    func setHandlers(_ change: (inout Handlers) -> Void) {
        handlers.withLock { change(&$0) }
    }

    // MARK: - What is granted

    /// Reports the format that was granted last.
    func reportLast() {
        report(formats.lastReported)
    }

    /// Sets the preferences for PCMs that are opened from now on.
    func prefer(_ preferences: SessionPreferences) {
        formats.prefer(preferences)
    }

    /// The PCM of `handle` was opened, or is used again.
    func opened(_ handle: PCMHandle) {
        if var output = watched, output.name == handle.request.name {
            let isNews = output.loss.opened()
            output.request = handle.request
            watched = output
            if isNews { output.handler(false) }
        }
        devices[handle.request.name] = handle.device
        report(formats.opened(handle.request.name, handle.hardware))
        if handle.playsOneSound { doesNotMix(handle.request.name) }
    }

    /// Sound goes to the PCM `name` now, which was opened before.
    func moved(to name: String) {
        report(formats.movedTo(name))
    }

    /// Measures the delay beyond the buffer of `handle`, which is running, unless it is known.
    func measure(_ handle: PCMHandle) {
        guard !formats.isMeasured(handle.hardware), let delay = handle.delayBeyondBuffer() else { return }
        report(formats.measured(delay, handle.hardware))
    }

    private func report(_ format: SoundPortFormat?) {
        guard let format else { return }
        handlers.withLock { $0 }.format?(format)
    }

    /// Reports that the card was switched to the output of `route`, or could not be.
    func cardIsSwitched(to route: AudioRoute, _ error: RingerError? = nil) {
        handlers.withLock { $0 }.card?(route, error)
    }

    // MARK: - Problems

    /// Reports a problem. May be called on any thread.
    func report(_ problem: RingerError) {
        handlers.withLock { $0 }.problem?(problem)
    }

    /// The PCM `name` cannot play two sounds at once, which is reported once for each.
    func doesNotMix(_ name: String) {
        if unmixed.insert(name).inserted { report(HardwareProblem.doesNotMix(name, devices[name]).error) }
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
