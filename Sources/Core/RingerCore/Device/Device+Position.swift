extension Device {
    /// Sets the position that is kept beside the switch's, as a push button or a menu of the firmware does: it takes effect at
    /// once, as a move of the switch does. It can only add silence to a switch; without a switch it is the switch's.
    ///
    /// - Parameter position: The position.
    /// - Throws: ``RingerError``: why it was not kept (``Configuration/positionFile``), and so ends with this process; over the
    ///   service `accessDenied` for those who may not control the device.
    public func setPosition(_ position: SwitchPosition) async throws(RingerError) {
        try await change(to: position)
    }

    /// The same, from ring to silent, and from silent or vibrate to ring.
    public func togglePosition() async throws(RingerError) {
        try await change(to: nil)
    }

    private func change(to position: SwitchPosition?) async throws(RingerError) {
        let error = await withCheckedContinuation { continuation in
            setPosition(position) { continuation.resume(returning: $0) }
        }
        if let error { throw error }
    }

    /// Sets the kept position; nil changes between ring and silent. It takes effect before this returns, unless a service has the
    /// device. `completion` is called once, when it is kept, or with why it is not: on any thread.
    package func setPosition(
        _ position: SwitchPosition?, completion: @escaping @Sendable (RingerError?) -> Void
    ) {
        do throws(RingerError) {
            try process.check("set the position", "device")
        } catch {
            return completion(error)
        }
        if closing.hasBegun { return completion(RingerError(.closed, "set the position", "device")) }
        if let service { return service.setPosition(position, completion: completion) }
        core.transition {
            let change =
                position.map { DeviceStateChange.keptPosition($0) } ?? .buttonPressed(.toggle, at: clock.now)
            Self.move(change, from: "software", at: clock.now, in: publisher, keptIn: keptPosition, completion)
        }
    }

    /// Takes in a change of the kept position, and keeps it. `completion` is called once it is kept, or with why it is not.
    static func move(
        _ change: DeviceStateChange, from source: String, index: Int = 0, at time: MonotonicTime,
        in publisher: StatePublisher, keptIn file: KeptPosition?,
        _ completion: @escaping @Sendable (RingerError?) -> Void
    ) {
        publisher.core.transition {
            publisher.change(change, from: source, index: index, at: time)
            // In the order in which they take effect.
            if let position = publisher.state.keptPosition { file?.write(position, completion) }
        }
        if file == nil { completion(nil) }
    }

    /// Why the file of the kept position could not be read at the start; nil if it could.
    package var positionProblem: RingerError? { keptPosition?.problem }

    /// Waits until the kept position is written, if one is being written.
    package func finishKeeping() {
        keptPosition?.finish()
    }
}
