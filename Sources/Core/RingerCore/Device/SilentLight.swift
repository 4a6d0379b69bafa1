import Synchronization

/// The light that is lit while the device is not at ring. Any thread.
final class SilentLight: Sendable {
    private struct State {
        /// What it shows; nil before the first time, and after a failure.
        var isLit: Bool?
        var isClosed = false
    }

    private let light: any StatusLight
    private let core: Core
    private let report: @Sendable (RingerError) -> Void
    private let state = Mutex(State())

    init(_ light: any StatusLight, _ core: Core, report: @escaping @Sendable (RingerError) -> Void) {
        (self.light, self.core, self.report) = (light, core, report)
    }

    /// Shows whether `position` is another one than ring, as an effect.
    func show(_ position: SwitchPosition?) {
        let isLit = position?.silences == true
        core.perform { [self] in
            if state.withLock({ $0.isClosed || $0.isLit == isLit }) { return }
            do throws(RingerError) {
                try light.show(isLit ? .on : .off)
                state.withLock { $0.isLit = isLit }
            } catch {
                state.withLock { $0.isLit = nil }
                report(error)
            }
        }
    }

    /// Turns it off, for ever.
    func close() {
        state.withLock { $0.isClosed = true }
        do throws(RingerError) { try light.close() } catch { report(error) }
    }
}
