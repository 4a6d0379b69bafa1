import RingerCore
import Synchronization

/// Waits for the return of a motor's device that disappeared while the motor may have been turning.
///
/// It holds a descriptor only between ``wait()`` and ``end()``, which any thread may call under the lock of the motor.
final class MotorReturn: Sendable {
    /// Starts watching: calls its argument on the event loop's thread whenever the device may be back. Returns a
    /// function that ends watching without waiting for the loop.
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

    /// Sets the function that is called on the event loop's thread whenever the device may be back.
    func setHandler(_ handler: @escaping @Sendable () -> Void) {
        state.withLock { $0.handler = handler }
    }

    /// Starts watching, unless it is watching already.
    ///
    /// - Throws: ``RingerError`` if the system has no descriptor or watch left.
    func wait() throws(RingerError) {
        if state.withLock({ $0.end != nil }) { return }
        let end = try watch { [weak self] in
            guard let self else { return }
            let handler = state.withLock { $0.end == nil ? nil : $0.handler }
            handler?()
        }
        state.withLock { $0.end = end }
    }

    /// Ends watching, without waiting for the loop.
    func end() {
        state.withLock { $0.end.take() }?()
    }
}
