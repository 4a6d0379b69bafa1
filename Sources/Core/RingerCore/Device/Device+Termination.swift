import Synchronization

extension Device {
    /// Closes the device when the process receives `SIGTERM`, `SIGINT` or `SIGHUP`, and then lets the signal end the
    /// process: the motor is off and sounds have stopped before that, or their drivers have not answered for 1 s. While a
    /// driver holds up the device's thread, the signal waits.
    ///
    /// Every device of the process that called this is closed; a child of `fork` ends by the signal alone. Signals that the
    /// process ignores, such as `SIGHUP` under nohup, stay ignored. ``close()`` restores the signals' previous
    /// dispositions. A second call replaces the first.
    ///
    /// - Parameter afterwards: Called on the device's thread once the device is closed, before the signal ends the
    ///   process: to write a file, or to restore the terminal.
    /// - Throws: ``RingerError`` if the system refuses, or the device is closed already.
    public func closeOnTermination(afterwards: @escaping @Sendable () -> Void = {}) throws(RingerError) {
        try close(on: TerminationSignals.all, afterwards: afterwards)
    }

    /// Closes the device when one of `signals` arrives, as ``closeOnTermination(afterwards:)`` does.
    package func close(
        on signals: [CInt], afterwards: @escaping @Sendable () -> Void = {}
    ) throws(RingerError) {
        try process.check("close on termination", "device")
        let own = clock as? EventLoop
        let loop = if let own { own } else { try EventLoop(name: "ringer-signals") }
        do throws(RingerError) {
            let registration = try TerminationSignals.handle(
                signals, on: loop,
                untilDone: { [closing] _, done in
                    closing.begin()
                    closing.whenOver {
                        // Only now: the user's code may block.
                        afterwards()
                        done()
                    }
                })
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

/// Restores the signals when a device is closed. Any thread.
final class DeviceTermination: Sendable {
    private enum State {
        case open
        case handled(cancel: @Sendable () -> Void)
        case closed
    }

    private let state = Mutex(State.open)

    /// Sets the function that ``end()`` calls, and calls the one set before.
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

    /// Restores the signals. A second call does nothing.
    func end() {
        let before = state.withLock { state in
            defer { state = .closed }
            return state
        }
        if case .handled(let cancel) = before { cancel() }
    }
}
