import Glibc
import SystemPackage

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

    /// Sets the position until a time: then the one before is in force again, ring if there was none. Another one that is set, and a
    /// press of the button, end it earlier. A position that ends is never followed by another one that does. The time is one of
    /// the wall clock, also after that was set, a sleep or a restart; while the clock was never set the position does not end, but
    /// for one that is less silent than what follows.
    ///
    /// - Parameters:
    ///   - position: The position.
    ///   - until: When it ends, in seconds of UTC since 1970.
    /// - Throws: ``RingerError``: as `setPosition(_:)`; `invalid` for a time that is not in the future, before 2200; `unsupported`
    ///   of a service that is too old for it.
    public func setPosition(_ position: SwitchPosition, until: Int64) async throws(RingerError) {
        try await change(to: position, until: until)
    }

    /// The same, from ring to silent, and from silent or vibrate to ring.
    public func togglePosition() async throws(RingerError) {
        try await change(to: nil)
    }

    private func change(to position: SwitchPosition?, until: Int64? = nil) async throws(RingerError) {
        let error = await withCheckedContinuation { continuation in
            setPosition(position, until: until) { continuation.resume(returning: $0) }
        }
        if let error { throw error }
    }

    /// Sets the kept position, until a time in seconds of UTC since 1970; nil changes between ring and silent. It takes effect before this returns, unless a service has the
    /// device. `completion` is called once, when it is kept, or with why it is not: on any thread.
    package func setPosition(
        _ position: SwitchPosition?, until: Int64? = nil, completion: @escaping @Sendable (RingerError?) -> Void
    ) {
        do throws(RingerError) {
            try process.check("set the position", "device")
            if service == nil { try keeper.check(until) }
        } catch {
            return completion(error)
        }
        if closing.hasBegun { return completion(RingerError(.closed, "set the position", "device")) }
        if let service { return service.setPosition(position, until: until, completion: completion) }
        core.transition {
            let change =
                position.map { DeviceStateChange.keptPosition($0, until: until) }
                ?? .buttonPressed(.toggle, at: clock.now)
            keeper.move(change, from: "software", at: clock.now, completion)
        }
    }

    /// Why the file of the kept position could not be read at the start; nil if it could.
    package var positionProblem: RingerError? { keptPosition?.problem }

    /// What the file of the kept position at `path` has, in words, and why it cannot be used; nil if it can.
    package static func examinePosition(in path: String) -> (text: String, problem: RingerError?) {
        let kept = KeptPositionFile(path, initial: .ring)
        let folder = FilePath(path).removingLastComponent()
        var (text, problem) = ("\(path): \(kept.first.text.dropLast())", kept.problem)
        if access(path, F_OK) != 0 { text = "\(path): not set yet" }
        // Who may write there, the service's user knows; on a read-only file system nobody may.
        if problem == nil, access(folder.isEmpty ? "." : folder.string, W_OK) != 0, errno == EROFS {
            problem = RingerError("write", path, .readOnlyFileSystem)
        }
        return (text, problem)
    }

    /// Waits until the kept position is written, if one is being written.
    package func finishKeeping() {
        keptPosition?.finish()
    }
}
