import RingerHardware

extension Device {
    /// Closes the device when the process is told to end (`SIGTERM`, `SIGINT`, `SIGHUP`), and lets the signal end it
    /// then: the motor is off, and sounds have stopped, before the process is gone.
    ///
    /// - Parameters:
    ///   - cleanUp: What else is to be done first, such as giving the terminal back as it was.
    ///   - afterwards: What is to be done when the device is closed, such as writing down what it did.
    /// - Throws: ``RingerError`` where the system refuses.
    public func closeOnTermination(
        cleanUp: @escaping @Sendable () -> Void = {}, afterwards: @escaping @Sendable () -> Void = {}
    ) throws(RingerError) {
        let loop: EventLoop
        if let own = clock as? EventLoop { loop = own } else { loop = try EventLoop(name: "ringer-signals") }
        try TerminationSignals.handle(on: loop) { [weak self] _ in
            cleanUp()
            self?.close()
            afterwards()
        }
    }
}
