import CLabSupport
import Glibc
import Synchronization

/// An input device of the test's own, which it plugs in, moves and unplugs.
///
/// Making one plugs it in; `unplug`, or the end of the last reference, unplugs it. Source: the kernel's uinput.
final class VirtualInput: Sendable {
    /// What the device is.
    enum Kind: Sendable {
        /// Switches, off at first.
        case switches([UInt16])
        /// A slider from 0 to its greatest value.
        case axis(UInt16, maximum: Int32, value: Int32)
        /// A motor with `FF_RUMBLE` and room for so many effects.
        case rumble(effects: Int)
    }

    /// What a program did to the motor. Effects are the numbers that the kernel gave them.
    enum MotorCommand: Equatable, Sendable {
        case upload(effect: Int, strong: UInt16, weak: UInt16, milliseconds: UInt16)
        case erase(effect: Int)
        /// Plays an effect so many times; 0 stops it.
        case play(effect: Int, count: Int32)
        case gain(Int32)
    }

    /// /dev/input/eventN.
    let path: String
    private let descriptor: Int32
    private let state: State

    private struct Log {
        var commands: [MotorCommand] = []
        var waiters: [(count: Int, continuation: CheckedContinuation<[MotorCommand], Never>)] = []
    }

    private final class State: Sendable {
        let plugged = Mutex(true)
        let log = Mutex(Log())
        let uploadError = Mutex<Int32>(0)
    }

    /// Plugs a device in under this name.
    init(_ kind: Kind, name: String) throws {
        descriptor = open("/dev/uinput", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw LabFailure.system("open", "/dev/uinput") }
        state = State()
        do {
            path = try Self.create(kind, name: name, on: descriptor)
        } catch {
            close(descriptor)
            throw error
        }
        if case .rumble = kind {
            // The kernel makes a program that uploads an effect wait until the device has answered.
            try startThread { [descriptor, state] in Self.answer(descriptor, state) }
        }
    }

    deinit {
        try? unplug()
        close(descriptor)
    }

    /// Unplugs the device: whoever has it open finds it gone.
    func unplug() throws {
        let wasPlugged = state.plugged.withLock { plugged in
            defer { plugged = false }
            return plugged
        }
        guard wasPlugged else { return }
        guard lab_uinput_destroy(descriptor) == 0 else { throw LabFailure.system("UI_DEV_DESTROY") }
    }

    /// Turns a switch, and ends the report.
    func setSwitch(_ code: UInt16, on: Bool) throws {
        try emit(UInt32(EV_SW), UInt32(code), on ? 1 : 0)
        try emit(UInt32(EV_SYN), UInt32(SYN_REPORT), 0)
    }

    /// Moves an axis, and ends the report.
    func setAxis(_ code: UInt16, to value: Int32) throws {
        try emit(UInt32(EV_ABS), UInt32(code), value)
        try emit(UInt32(EV_SYN), UInt32(SYN_REPORT), 0)
    }

    /// What was done to the motor so far. Uploads and erasures are here as soon as they have returned; what was only
    /// written to the device may come a moment later: wait for it with `motorCommands(count:)`.
    var motorCommands: [MotorCommand] {
        state.log.withLock { $0.commands }
    }

    /// What was done to the motor, once there are so many commands.
    func motorCommands(count: Int) async -> [MotorCommand] {
        await withCheckedContinuation { continuation in
            let commands = state.log.withLock { log -> [MotorCommand]? in
                if log.commands.count >= count { return log.commands }
                log.waiters.append((count, continuation))
                return nil
            }
            if let commands { continuation.resume(returning: commands) }
        }
    }

    /// Lets every upload from now on fail with this error number; 0 lets them succeed.
    func failUploads(with error: Int32) {
        state.uploadError.withLock { $0 = error }
    }

    private func emit(_ type: UInt32, _ code: UInt32, _ value: Int32) throws {
        guard lab_uinput_emit(descriptor, type, code, value) == 0 else {
            throw LabFailure.system("write", "/dev/uinput")
        }
    }

    private static func create(_ kind: Kind, name: String, on descriptor: Int32) throws -> String {
        func check(_ result: Int32, _ operation: String) throws {
            guard result >= 0 else { throw LabFailure.system(operation, "/dev/uinput") }
        }
        var effects: UInt32 = 0
        switch kind {
        case .switches(let codes):
            for code in codes { try check(lab_uinput_enable(descriptor, UInt32(EV_SW), UInt32(code)), "UI_SET_SWBIT") }
        case .axis(let code, let maximum, let value):
            try check(lab_uinput_enable(descriptor, UInt32(EV_ABS), UInt32(code)), "UI_SET_ABSBIT")
            try check(lab_uinput_set_axis(descriptor, UInt32(code), 0, maximum, value), "UI_ABS_SETUP")
        case .rumble(let count):
            try check(lab_uinput_enable(descriptor, UInt32(EV_FF), UInt32(FF_RUMBLE)), "UI_SET_FFBIT")
            try check(lab_uinput_enable(descriptor, UInt32(EV_FF), UInt32(FF_GAIN)), "UI_SET_FFBIT")
            effects = UInt32(count)
        }
        try check(lab_uinput_create(descriptor, name, effects), "UI_DEV_CREATE")

        var bytes = [CChar](repeating: 0, count: 64)
        try check(lab_uinput_system_name(descriptor, &bytes, bytes.count), "UI_GET_SYSNAME")
        let name = String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let folder = "/sys/class/input/\(name)"
        guard let event = try KernelFile.names(in: folder).first(where: { $0.hasPrefix("event") }) else {
            throw LabFailure("\(folder) has no event device")
        }
        return "/dev/input/\(event)"
    }

    /// Answers for the motor until the device is gone. What was asked is recorded before the program that asked goes on.
    private static func answer(_ descriptor: Int32, _ state: State) {
        var event = input_event()
        while read(descriptor, &event, MemoryLayout<input_event>.size) == MemoryLayout<input_event>.size {
            switch (Int32(event.type), Int32(event.code)) {
            case (EV_UINPUT, UI_FF_UPLOAD):
                var upload = uinput_ff_upload()
                lab_uinput_begin_upload(descriptor, UInt32(bitPattern: event.value), &upload)
                let error = state.uploadError.withLock { $0 }
                let (effect, rumble) = (upload.effect, upload.effect.u.rumble)
                if error == 0 {
                    record(
                        .upload(
                            effect: Int(effect.id), strong: rumble.strong_magnitude, weak: rumble.weak_magnitude,
                            milliseconds: effect.replay.length), in: state)
                }
                lab_uinput_end_upload(descriptor, &upload, -error)
            case (EV_UINPUT, UI_FF_ERASE):
                var erase = uinput_ff_erase()
                lab_uinput_begin_erase(descriptor, UInt32(bitPattern: event.value), &erase)
                record(.erase(effect: Int(erase.effect_id)), in: state)
                lab_uinput_end_erase(descriptor, &erase)
            case (EV_FF, FF_GAIN):
                record(.gain(event.value), in: state)
            case (EV_FF, let effect):
                record(.play(effect: Int(effect), count: event.value), in: state)
            default:
                break
            }
        }
    }

    private static func record(_ command: MotorCommand, in state: State) {
        let (commands, ready) = state.log.withLock { log in
            log.commands.append(command)
            let count = log.commands.count
            let ready = log.waiters.filter { $0.count <= count }
            log.waiters.removeAll { $0.count <= count }
            return (log.commands, ready)
        }
        for waiter in ready { waiter.continuation.resume(returning: commands) }
    }
}
