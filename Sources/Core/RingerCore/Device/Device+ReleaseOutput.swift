extension Device {
    /// Stops every sound and closes the speaker's PCMs, so that another process can open the hardware; returns once
    /// they are closed. Otherwise a PCM stays open for `Device.Hardware.linger` after its sound.
    ///
    /// Playing and waiting sounds, alerts and announcements end as ``SoundOutcome/StopCause/outputReleased``, and with
    /// them the vibrations of alerts and system sounds. The announcements of a paused queue stay in it. Later sounds,
    /// also those started from a completion, open the PCM again.
    public func releaseOutput() async {
        await outcome(core) { done in releaseOutput({ done(()) }) }
    }

    /// The same, returning at once.
    ///
    /// - Parameter completion: Called once the PCMs are closed, or the device is: on the caller's thread before the call
    ///   returns where that is so by then, else on the callback thread (``DeviceClock/callBack(_:)``).
    public func releaseOutput(completion: @escaping @Sendable () -> Void) {
        let user = UserCompletion<Void>(clock, core) { _ in completion() }
        releaseOutput({ user.complete(()) })
        user.callReturns()
    }

    /// The same for firmware that is not `async`: blocks the calling thread until the PCMs are closed.
    @available(*, noasync, message: "await the other releaseOutput() instead")
    public func releaseOutput() {
        let isDone = Latch()
        releaseOutput({ isDone.open() })
        isDone.wait()
    }
}
