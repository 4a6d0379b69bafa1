import RingerHardware
import Synchronization

extension Device {
    /// Closes the device when the process is told to end (`SIGTERM`, `SIGINT`, `SIGHUP`), and lets the signal end it
    /// then: the motor is off, and sounds have stopped, before the process is gone.
    ///
    /// Each device of a process is closed. Signals that the process ignores, as under nohup, stay ignored. When the device
    /// is closed before a signal comes, signals do again what they did before. A second call replaces the first.
    ///
    /// - Parameter afterwards: Called on the device's thread when the device is closed, before the signal ends the process:
    ///   to write a file, or to restore the terminal.
    /// - Throws: ``RingerError`` where the system refuses, or the device is closed already.
    public func closeOnTermination(afterwards: @escaping @Sendable () -> Void = {}) throws(RingerError) {
        let own = clock as? EventLoop
        let loop = if let own { own } else { try EventLoop(name: "ringer-signals") }
        do throws(RingerError) {
            let registration = try TerminationSignals.handle(on: loop) { [weak self] _ in
                // The motor first: the user's code may block.
                self?.close()
                afterwards()
            }
            try termination.set {
                registration.cancel()
                if own == nil { loop.close() }
            }
        } catch {
            if own == nil { loop.close() }
            throw error
        }
    }
}

/// What gives the signals back when a device is closed.
final class DeviceTermination: Sendable {
    private enum State {
        case open
        case handled(cancel: @Sendable () -> Void)
        case closed
    }

    private let state = Mutex(State.open)

    /// Has `cancel` called by ``end()``, in place of the function set before, which is called now.
    ///
    /// - Throws: ``RingerError`` with the code `closed` after ``end()``; `cancel` was called then.
    func set(_ cancel: @escaping @Sendable () -> Void) throws(RingerError) {
        let before = state.withLock { state in
            let before = state
            if case .closed = before {} else { state = .handled(cancel: cancel) }
            return before
        }
        switch before {
        case .open: break
        case .handled(let cancel): cancel()
        case .closed:
            cancel()
            throw RingerError(.closed, "close on termination", "device")
        }
    }

    /// Gives the signals back. A second call does nothing.
    func end() {
        let before = state.withLock { state in
            defer { state = .closed }
            return state
        }
        if case .handled(let cancel) = before { cancel() }
    }
}
