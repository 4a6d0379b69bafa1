import Synchronization

extension Device {
    /// Stops everything, the motor first, and frees it. Returns once all is closed, also if another call began closing.
    ///
    /// No sound begins and the motor is not turned on from now on. It waits for 1 s at most: a driver or a PCM that has not
    /// returned by then, or a blocked thread of the device, is left behind. On the device's thread, and in a completion, an
    /// observer or a log handler, it does not wait; dropping the last reference closes the device in the same way, and never
    /// waits.
    public func close() {
        close(within: ports.closingPatience)
    }

    /// The same, waiting for another time at most.
    package func close(within patience: Duration) {
        // Its parent uses the hardware, and has the threads that would be waited for.
        if !process.isCurrent { return }
        closing.begin()
        if core.isOnItsThread || UserCode.isRunning { return }
        let isDone = Latch()
        closing.whenOver { isDone.open() }
        isDone.wait(until: .now + patience)
    }

    /// Closes the device without waiting. `completion` is called once all is closed, or given up after 1 s: on the device's
    /// thread, or before this returns.
    package func close(completion: @escaping @Sendable () -> Void) {
        if !process.isCurrent { return completion() }
        closing.begin()
        closing.whenOver(completion)
    }
}

/// Closes a device, once: shuts the gates of sounds and sets the motor's level to off in one transition, and frees the parts
/// on the device's thread, which waits for nothing meanwhile. It does not refer to the device, whose deinitialiser may have
/// begun it. Any thread.
final class DeviceClosing: Sendable {
    private struct State {
        var isBegun = false
        var isOver = false
        /// The motor, the speaker, the file of the kept position, and the rest.
        var left = 4
        var deadline: (any DeviceTimer)?
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())
    private let ports: Device.Ports
    private let core: Core
    private let vibrator: Vibrator?
    private let keptPosition: KeptPositionFile?
    private let silentLight: SilentLight?
    private let silence: @Sendable () -> Void
    private let refuse: @Sendable () -> Void
    private let finish: @Sendable () -> Void
    private let report: @Sendable (DeviceEvent) -> Void

    /// - Parameters:
    ///   - silence: Ends all requests, inside the transition, except those to the motor.
    ///   - refuse: Forgets the user's completions, outside of it, and makes later requests fail.
    ///   - finish: Ends the requests that are left, such as those to a speaker that does not answer, the streams and waits, and
    ///     gives the signals back, once the parts are closed or given up.
    init(
        _ ports: Device.Ports, _ core: Core, _ vibrator: Vibrator?, _ keptPosition: KeptPositionFile?,
        _ silentLight: SilentLight?, report: @escaping @Sendable (DeviceEvent) -> Void,
        silence: @escaping @Sendable () -> Void, refuse: @escaping @Sendable () -> Void,
        finish: @escaping @Sendable () -> Void
    ) {
        (self.ports, self.core, self.vibrator, self.report) = (ports, core, vibrator, report)
        (self.keptPosition, self.silentLight) = (keptPosition, silentLight)
        (self.silence, self.refuse, self.finish) = (silence, refuse, finish)
    }

    var hasBegun: Bool { state.withLock { $0.isBegun } }

    /// Begins closing, unless that has begun, without waiting.
    func begin() {
        let isFirst = core.transition {
            let isFirst = state.withLock { state in
                defer { state.isBegun = true }
                return !state.isBegun
            }
            guard isFirst else { return false }
            vibrator?.stop()
            silence()
            core.perform { [self] in closeParts() }
            return true
        }
        guard isFirst else { return }
        refuse()
        // On the device's thread in each case: this one must not end the loop, or perform what is left.
        let partIsClosed: @Sendable () -> Void = { [self] in core.perform { [self] in end(1) } }
        if let keptPosition { keptPosition.whenWritten(partIsClosed) } else { partIsClosed() }
        guard let vibrator else { return partIsClosed() }
        vibrator.close { [self] error in
            if let error { report(.vibration(.offFailed(error, attempt: 1, at: ports.clock.now))) }
            partIsClosed()
        }
    }

    /// Calls `body` once the device is closed: on the device's thread, or at once if it is.
    func whenOver(_ body: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if !state.isOver { state.waiting.append(body) }
            return state.isOver
        }
        if isOver { body() }
    }

    // MARK: - On the device's thread

    private func closeParts() {
        ports.ringSilent?.close()
        for source in ports.stateSources { source.close() }
        silentLight?.close()
        do throws(RingerError) {
            try ports.statusLight?.close()
        } catch {
            report(.degraded(error, at: ports.clock.now))
        }
        let speakerIsClosed: @Sendable () -> Void = { [self] in core.perform { [self] in end(1) } }
        if let speaker = ports.speaker as? any AnsweringOutput {
            speaker.close(completion: speakerIsClosed)
        } else {
            ports.speaker.close()
            speakerIsClosed()
        }
        let deadline = ports.clock.schedule(at: ports.clock.now + ports.closingPatience) { [self] in end(3) }
        state.withLock { $0.deadline = deadline }
        end(1)
    }

    /// So many parts have ended, or are given up.
    private func end(_ parts: Int) {
        let deadline: (any DeviceTimer)?? = state.withLock { state in
            state.left -= parts
            if state.left > 0 || state.isOver { return nil }
            state.isOver = true
            return state.deadline
        }
        guard let deadline else { return }
        deadline?.cancel()
        ports.close()
        finish()
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for body in waiting { body() }
    }
}
