import CEvdev
import RingerCore
import Synchronization
import SystemPackage

/// A vibration motor that the kernel shows as an input device with `FF_RUMBLE`: gpio-vibrator, pwm-vibra, a gamepad.
///
/// Prefer it to the other motors: the kernel ends each vibration, and stops the motor when the process dies. The gain
/// (`FF_GAIN`) belongs to the user and is not changed. Any thread may use it. The corresponding C function is `ioctl` with
/// `EVIOCSFF`.
///
/// A device that a program makes (uinput), or that is far away, may block until it has answered, uinput for 30 s. A ``Vibrator``
/// drives the motor from a thread of its own, as ``GPIOMotor``.
public final class ForceFeedbackMotor: VibrationMotor, BlockingMotor {
    private struct Effect {
        var id: CInt
        var magnitude: UInt16
        var milliseconds: UInt16
    }

    private struct State: ~Copyable {
        var handle: EvdevHandle?
        var effect: Effect?
        var isClosed = false
    }

    /// The longest effect: the kernel does not specify longer ones, so longer limits are cut to it.
    public static let longestEffect = Duration.milliseconds(32_767)

    private let device: EvdevSelector
    private let paths: HardwarePaths
    /// Serialises the hardware itself, across its system calls: nothing that a flip or a caller waits for takes it.
    private let state: Mutex<State>
    private let newestName: Mutex<String>
    private let thread = MotorThread()
    private let process = OwningProcess()

    /// Opens the motor; needs write permission to its device. Of several the board's own comes first, and one with buttons or
    /// axes, such as a gamepad, has to be named.
    ///
    /// - Throws: ``RingerError`` if there is none, or it is forbidden.
    public init(_ device: EvdevSelector = .automatic(), paths: HardwarePaths = .standard) throws(RingerError) {
        self.device = device
        self.paths = paths
        let handle = try Self.open(device, paths)
        let name = Self.name(handle)
        state = Mutex(State(handle: handle))
        newestName = Mutex(name)
    }

    deinit {
        // The motor is its parent's where this is a child. A deinitialiser cannot throw, and has no caller to report to.
        if process.isCurrent { try? close() }
    }

    /// "force feedback /dev/input/event1 (gpio-vibrator)".
    public var name: String { newestName.withLock { $0 } }

    /// Turns the motor on. A device that was unplugged is opened again.
    ///
    /// - Parameters:
    ///   - strength: 0 to 1, for the strong and the weak motor alike. 0 or NaN turns the motor off.
    ///   - limit: After this time the kernel stops the motor, at most ``longestEffect``, rounded to the kernel's timer.
    ///     Zero or less turns the motor off.
    /// - Throws: ``RingerError``: `disconnected` or `notFound` if the device is gone; the system's `ENOSPC` if it has
    ///   no room for another effect.
    public func turnOn(strength: Float, limit: Duration) throws(RingerError) {
        guard strength > 0, limit > .zero else { return try turnOff() }
        let magnitude = UInt16(clamping: max(1, Int((min(strength, 1) * 65_535).rounded())))
        let limit = min(limit, Self.longestEffect)
        let milliseconds = UInt16(clamping: (limit.nanoseconds + 999_999) / 1_000_000)
        try state.withLock { state throws(RingerError) in
            if state.isClosed { throw RingerError(.closed, "turn on", name) }
            let wasOpen = state.handle != nil
            do throws(RingerError) {
                try play(&state, magnitude, milliseconds)
            } catch {
                guard error.code == .disconnected else { throw error }
                // The device's effects are gone. It may have been plugged in again.
                state.handle = nil
                state.effect = nil
                guard wasOpen else { throw error }
                try play(&state, magnitude, milliseconds)
            }
        }
    }

    /// Turns the motor off. If the device refuses, closes it, which stops the motor too; the error is thrown
    /// nevertheless, and the next call succeeds.
    ///
    /// - Throws: ``RingerError``, `disconnected` if the device is gone: the kernel stopped the motor then.
    public func turnOff() throws(RingerError) {
        try state.withLock { state throws(RingerError) in try stop(&state) }
    }

    /// Turns the motor off, frees the effect and closes the device.
    public func close() throws(RingerError) {
        try state.withLock { state throws(RingerError) in
            state.isClosed = true
            defer {
                state.handle = nil
                state.effect = nil
                thread.end()
            }
            try stop(&state)
            if let effect = state.effect, let descriptor = state.handle?.descriptor {
                guard ringer_ff_erase(descriptor, effect.id) == 0 else {
                    throw RingerError("free the effect", name, .current)
                }
            }
        }
    }

    package func execute(_ body: @escaping @Sendable () -> Void) { thread.execute(body) }

    package var closesAtOnce: Bool { thread.isUnused }

    private func play(_ state: inout State, _ magnitude: UInt16, _ milliseconds: UInt16) throws(RingerError) {
        if state.handle == nil {
            let handle = try Self.open(device, paths)
            let name = Self.name(handle)
            newestName.withLock { $0 = name }
            state.handle = consume handle
        }
        guard let descriptor = state.handle?.descriptor else { return }
        let known = state.effect
        if known?.magnitude != magnitude || known?.milliseconds != milliseconds {
            let id = ringer_ff_upload_rumble(descriptor, known?.id ?? -1, magnitude, milliseconds)
            guard id >= 0 else { throw RingerError("upload the effect", name, .current) }
            state.effect = Effect(id: id, magnitude: magnitude, milliseconds: milliseconds)
        }
        guard let effect = state.effect, ringer_ff_play(descriptor, effect.id, 1) == 0 else {
            throw RingerError("turn on", name, .current)
        }
    }

    private func stop(_ state: inout State) throws(RingerError) {
        guard let descriptor = state.handle?.descriptor, let effect = state.effect else { return }
        if ringer_ff_play(descriptor, effect.id, 0) == 0 { return }
        let error = RingerError("turn off", name, .current)
        // The kernel stops and erases a file's effects when the file is closed.
        state.handle = nil
        state.effect = nil
        throw error
    }

    private static func open(_ device: EvdevSelector, _ paths: HardwarePaths) throws(RingerError) -> EvdevHandle {
        let (last, wanted) = device == .automatic() ? (1, "FF_RUMBLE and no buttons or axes") : (2, "FF_RUMBLE")
        var rank = 0
        while true {
            do throws(RingerError) {
                let handle = try device.open(in: paths, access: .readWrite, wanted: wanted) {
                    $0.motorRank.map { $0 <= rank } == true
                }
                // Nothing reads the device: if it also has keys, they must not fill its queue.
                handle.passOnly([EvdevCode(type: UInt16(EV_SYN), code: 0)])
                return handle
            } catch {
                if rank == last { throw error }
                rank += 1
            }
        }
    }

    private static func name(_ handle: borrowing EvdevHandle) -> String { "force feedback \(handle.description)" }
}
