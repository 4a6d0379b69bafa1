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
        /// Keys, none pressed.
        case keys([UInt16])
        /// A slider from 0 to its greatest value.
        case axis(UInt16, maximum: Int32, value: Int32)
        /// A motor with `FF_RUMBLE` and room for so many effects.
        case rumble(effects: Int)
        /// The same, with a button and an axis.
        case gamepad(effects: Int)
        /// A motor whose program does not answer: who uploads an effect waits, for 30 s, or until it is unplugged.
        case silentRumble
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
    private let isPlugged = Mutex(true)
    private let answerer: MotorAnswerer?

    /// Plugs a device in under this name.
    init(_ kind: Kind, name: String) throws {
        descriptor = open("/dev/uinput", O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw LabFailure.system("open", "/dev/uinput") }
        do {
            path = try Self.create(kind, name: name, on: descriptor)
            switch kind {
            case .rumble, .gamepad: answerer = try MotorAnswerer(descriptor)
            default: answerer = nil
            }
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit {
        // A program that still has effects waits for the answers to their erasure: the answerer goes last.
        try? unplug()
        answerer?.stop()
        close(descriptor)
    }

    /// Unplugs the device: reads of its open descriptors fail.
    func unplug() throws {
        let wasPlugged = isPlugged.withLock { plugged in
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

    /// Presses or releases a key, and ends the report.
    func setKey(_ code: UInt16, isPressed: Bool) throws {
        try emit(UInt32(EV_KEY), UInt32(code), isPressed ? 1 : 0)
        try emit(UInt32(EV_SYN), UInt32(SYN_REPORT), 0)
    }

    /// Repeats a key, as the kernel does while one is held, and ends the report.
    func repeatKey(_ code: UInt16) throws {
        try emit(UInt32(EV_KEY), UInt32(code), 2)
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
        answerer?.commands ?? []
    }

    /// What was done to the motor, once there are so many commands.
    func motorCommands(count: Int) async -> [MotorCommand] {
        await answerer?.commands(count: count) ?? []
    }

    /// Lets every upload from now on fail with this error number; 0 lets them succeed.
    func failUploads(with error: Int32) {
        answerer?.failUploads(with: error)
    }

    /// Waits until a program uploads an effect to a motor that does not answer, and returns the number of its request.
    func nextUpload() async throws -> UInt32 {
        try await blocking { [descriptor] in
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            var event = input_event()
            while poll(&request, 1, 60_000) == 1 {
                guard read(descriptor, &event, MemoryLayout<input_event>.size) > 0 else { break }
                if (Int32(event.type), Int32(event.code)) == (EV_UINPUT, UI_FF_UPLOAD) {
                    return UInt32(bitPattern: event.value)
                }
            }
            throw LabFailure("no effect is uploaded")
        }
    }

    /// Whether the program that uploads with this request still waits.
    func isWaiting(_ request: UInt32) -> Bool {
        var upload = uinput_ff_upload()
        return lab_uinput_begin_upload(descriptor, request, &upload) == 0
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
        case .keys(let codes):
            for code in codes {
                try check(lab_uinput_enable(descriptor, UInt32(EV_KEY), UInt32(code)), "UI_SET_KEYBIT")
            }
        case .axis(let code, let maximum, let value):
            try check(lab_uinput_enable(descriptor, UInt32(EV_ABS), UInt32(code)), "UI_SET_ABSBIT")
            try check(lab_uinput_set_axis(descriptor, UInt32(code), 0, maximum, value), "UI_ABS_SETUP")
        case .rumble(let count), .gamepad(let count):
            if case .gamepad = kind {
                try check(lab_uinput_enable(descriptor, UInt32(EV_KEY), UInt32(BTN_GAMEPAD)), "UI_SET_KEYBIT")
                try check(lab_uinput_enable(descriptor, UInt32(EV_ABS), UInt32(ABS_X)), "UI_SET_ABSBIT")
                try check(lab_uinput_set_axis(descriptor, UInt32(ABS_X), 0, 255, 128), "UI_ABS_SETUP")
            }
            try check(lab_uinput_enable(descriptor, UInt32(EV_FF), UInt32(FF_RUMBLE)), "UI_SET_FFBIT")
            try check(lab_uinput_enable(descriptor, UInt32(EV_FF), UInt32(FF_GAIN)), "UI_SET_FFBIT")
            effects = UInt32(count)
        case .silentRumble:
            try check(lab_uinput_enable(descriptor, UInt32(EV_FF), UInt32(FF_RUMBLE)), "UI_SET_FFBIT")
            effects = 1
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
}
