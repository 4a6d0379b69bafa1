import RingerServices
import Synchronization

/// Waits for a motor's device that disappeared while the motor may turn.
///
/// At rest it holds no descriptor: watching begins with ``wait()`` and ends with ``end()``.
final class MotorReturn: Sendable {
    /// Begins to watch, calls its argument on the event loop's thread whenever the device may be back, and returns what
    /// ends watching without waiting.
    typealias Watch = @Sendable (_ handler: @escaping @Sendable () -> Void) throws(RingerError) -> EndWatch
    typealias EndWatch = @Sendable () -> Void

    private struct State {
        var handler: (@Sendable () -> Void)?
        var end: EndWatch?
    }

    private let watch: Watch
    private let state = Mutex(State())

    init(_ watch: @escaping Watch) {
        self.watch = watch
    }

    deinit {
        end()
    }

    /// Has `handler` called, on the event loop's thread, whenever the device may be back.
    func setHandler(_ handler: @escaping @Sendable () -> Void) {
        state.withLock { $0.handler = handler }
    }

    /// Watches from now on, unless it watches already.
    ///
    /// - Throws: ``RingerError`` where the system has no room for a watch.
    func wait() throws(RingerError) {
        if state.withLock({ $0.end != nil }) { return }
        let end = try watch { [weak self] in
            guard let self else { return }
            let handler = state.withLock { $0.end == nil ? nil : $0.handler }
            handler?()
        }
        state.withLock { $0.end = end }
    }

    /// Ends watching. It waits for nothing.
    func end() {
        state.withLock { $0.end.take() }?()
    }
}
