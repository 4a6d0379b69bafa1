import RingerCore
import Synchronization
import SystemPackage

/// A vibration motor on a GPIO line of its own, through a transistor.
///
/// Only this process turns it off: if it is killed in mid-vibration, the line may keep its level and the motor may keep
/// turning, since the kernel does not define the level of a released line. A chip that disappears, such as an I2C
/// expander whose driver is unbound, may keep driving the line: the motor waits for the chip's return by inotify. If
/// possible, describe the motor to the kernel as gpio-vibrator and use ``ForceFeedbackMotor``. Any thread may use it.
///
/// The driver of a chip behind a slow bus may block for long. A ``Vibrator`` drives the motor from a thread of its own, which
/// the first vibration starts with the scheduling of the device's thread, so that edges of the switch do not wait for it.
public final class GPIOMotor: VibrationMotor, BlockingMotor {
    private struct State: ~Copyable {
        var request: GPIOLineRequest?
        /// The line may be active: it was activated, and was not read as inactive since.
        var mayTurn = false
        var isClosed = false
    }

    private let line: GPIOLine
    private let isActiveLow: Bool
    private let paths: HardwarePaths
    /// Serialises the hardware itself, across its system calls: nothing that a flip or a caller waits for takes it.
    private let state: Mutex<State>
    private let newestName: Mutex<String>
    private let comeBack: MotorReturn
    private let thread = MotorThread()
    private let process = OwningProcess()

    /// Requests the line, and turns the motor off.
    ///
    /// - Parameters:
    ///   - line: The line.
    ///   - isActiveLow: Whether the motor turns while the line is low.
    ///   - loop: The thread on which the return of a lost chip is watched for.
    ///   - paths: Where the kernel shows its devices.
    /// - Throws: ``RingerError`` if there is no such line, or it is forbidden or in use.
    public init(
        _ line: GPIOLine, isActiveLow: Bool = false, loop: EventLoop, paths: HardwarePaths = .standard
    ) throws(RingerError) {
        self.line = line
        self.isActiveLow = isActiveLow
        self.paths = paths
        comeBack = MotorReturn { handler throws(RingerError) in
            let watch = try DirectoryWatch(paths.devices, loop: loop, handler)
            return { watch.closeSoon() }
        }
        let request = try Self.request(line, isActiveLow, paths)
        let name = line.name(of: request)
        state = Mutex(State(request: request))
        newestName = Mutex(name)
    }

    deinit {
        // The motor is its parent's where this is a child. A deinitialiser cannot throw, and has no caller to report to.
        if process.isCurrent { try? close() }
    }

    /// "GPIO gpiochip0 line 3 (vibrator)".
    public var name: String { newestName.withLock { $0 } }

    /// Turns the motor on, at full strength. A chip that was removed is looked for again.
    ///
    /// - Parameters:
    ///   - strength: 0 to 1. 0 or NaN turns the motor off.
    ///   - limit: The hardware has no limit: the caller has to turn the motor off. Zero or less turns the motor off.
    /// - Throws: ``RingerError``.
    public func turnOn(strength: Float, limit: Duration) throws(RingerError) {
        guard strength > 0, limit > .zero else { return try turnOff() }
        try state.withLock { state throws(RingerError) in
            if state.isClosed { throw RingerError(.closed, "turn on", name) }
            let wasOpen = state.request != nil
            do throws(RingerError) {
                try set(true, &state)
            } catch {
                guard error.code == .disconnected else { throw error }
                state.request = nil
                guard wasOpen else { throw error }
                try set(true, &state)
            }
        }
    }

    /// Turns the motor off, and reads the line back.
    ///
    /// - Throws: ``RingerError`` if the line could not be made inactive; each call tries again, with a new request of
    ///   the line if necessary. The code is `unreachable` if the line's chip disappeared while the motor may be
    ///   turning.
    public func turnOff() throws(RingerError) {
        try state.withLock { state throws(RingerError) in try stop(&state) }
    }

    package func execute(_ body: @escaping @Sendable () -> Void) { thread.execute(body) }

    package var closesAtOnce: Bool { thread.isUnused }

    /// Calls `handler` on the loop's thread whenever a chip that disappeared may be back.
    public func onReturn(_ handler: @escaping @Sendable () -> Void) {
        comeBack.setHandler(handler)
    }

    /// Turns the motor off and releases the line, whose level the kernel does not define then; known hardware keeps it.
    /// After a failed call, another one tries again.
    public func close() throws(RingerError) {
        try state.withLock { state throws(RingerError) in
            state.isClosed = true
            defer {
                state.request = nil
                comeBack.end()
                thread.end()
            }
            // Otherwise it is off, as the driver was asked when the line was requested.
            if state.mayTurn { try stop(&state) }
        }
    }

    private func stop(_ state: inout State) throws(RingerError) {
        if state.request == nil && !state.mayTurn { return }
        do throws(RingerError) {
            try set(false, &state)
        } catch {
            // A new request is inactive at first, which also turns the motor off.
            state.request = nil
            try stopAnew(&state)
        }
        comeBack.end()
    }

    private func stopAnew(_ state: inout State) throws(RingerError) {
        do throws(RingerError) {
            try set(false, &state)
        } catch {
            guard isGone(error) else { throw error }
            state.request = nil
            // Watch before looking again: the chip may come back in between.
            try comeBack.wait()
            do throws(RingerError) {
                try set(false, &state)
            } catch {
                guard isGone(error) else { throw error }
                state.request = nil
                throw RingerError(
                    .unreachable, "turn off", name, errno: error.errno,
                    detail: "the line may still drive the motor; it is turned off when the chip is back")
            }
        }
    }

    /// Whether `error` means that the chip is missing, or not permitted yet, so that its return changes the chips'
    /// directory. A chip that exists and does not answer is different.
    private func isGone(_ error: RingerError) -> Bool {
        [.notFound, .disconnected, .permissionDenied].contains(error.code)
    }

    private func set(_ isActive: Bool, _ state: inout State) throws(RingerError) {
        if state.request == nil {
            let request = try Self.request(line, isActiveLow, paths)
            let name = line.name(of: request)
            newestName.withLock { $0 = name }
            state.request = consume request
        }
        if isActive { state.mayTurn = true }
        try state.request?.set(isActive)
        if isActive { return }
        if try state.request?.isActive() == true {
            throw RingerError(.system, "turn off", name, detail: "the line is still active")
        }
        state.mayTurn = false
    }

    private static func request(
        _ line: GPIOLine, _ isActiveLow: Bool, _ paths: HardwarePaths
    ) throws(RingerError) -> GPIOLineRequest {
        let located = try line.locate(in: paths)
        return try located.chip.requestOutput(located.offset, isActiveLow: isActiveLow)
    }
}
