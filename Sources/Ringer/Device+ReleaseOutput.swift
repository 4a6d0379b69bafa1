import RingerHardware

extension Device {
    /// Stops every sound and closes the speaker's PCMs, so that another process can open the hardware; returns once they are
    /// closed. A PCM is otherwise kept for ``Hardware/linger`` after its sound.
    ///
    /// Sounds, alerts and announcements that play or wait end as ``SoundOutcome/StopCause/outputReleased``, and vibrations
    /// of alerts and system sounds with them. The announcements of a queue that was paused wait on. What is played later,
    /// from a completion too, opens the PCM again.
    public func releaseOutput() async {
        await withCheckedContinuation { continuation in
            releaseOutput { continuation.resume() }
        }
    }

    /// The same for firmware that is not `async`: blocks the calling thread until the PCMs are closed.
    @available(*, noasync, message: "await the other releaseOutput() instead")
    public func releaseOutput() {
        let isDone = Latch()
        releaseOutput { isDone.open() }
        isDone.wait()
    }
}
