import CLabSupport
import Glibc

/// Codes of the kernel's input interface that the tests use, by name. Source: linux/input-event-codes.h.
enum SwitchCode {
    static let muteDevice = UInt16(SW_MUTE_DEVICE)
    static let headphoneInsert = UInt16(SW_HEADPHONE_INSERT)
    static let microphoneInsert = UInt16(SW_MICROPHONE_INSERT)
    static let lid = UInt16(SW_LID)
}

/// The sound profile's axis, which is newer than Debian 12's headers.
enum AxisCode {
    static let soundProfile: UInt16 = 0x22
}

/// One of the kernel's input event devices, opened and read without any library: what the drivers really say.
final class InputDevice: Sendable {
    /// What the kernel reported, on its monotonic clock.
    struct Event: Equatable, Sendable {
        var type: UInt16
        var code: UInt16
        var value: Int32
        var time: Duration
    }

    /// /dev/input/eventN.
    let path: String
    private let descriptor: Int32

    /// Opens a device by its path.
    init(path: String) throws {
        self.path = path
        descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw LabFailure.system("open", path) }
        guard lab_input_use_monotonic_clock(descriptor) == 0 else { throw LabFailure.system("EVIOCSCLOCKID", path) }
    }

    /// Opens the device of this name.
    convenience init(named name: String) throws {
        try self.init(path: Self.path(named: name))
    }

    deinit {
        close(descriptor)
    }

    /// The path of the device of this name.
    static func path(named name: String) throws -> String {
        let root = "/sys/class/input"
        for entry in try KernelFile.names(in: root) where entry.hasPrefix("event") {
            if try KernelFile.read("\(root)/\(entry)/device/name") == name { return "/dev/input/\(entry)" }
        }
        throw LabFailure("no input device is called \(name)")
    }

    /// Whether a switch is on now.
    func isOn(switch code: Int) throws -> Bool {
        let state = lab_input_switch(descriptor, UInt32(code))
        guard state >= 0 else { throw LabFailure.system("EVIOCGSW", path) }
        return state == 1
    }

    /// The current value of an axis.
    func value(ofAxis code: UInt16) throws -> Int32 {
        var value: Int32 = 0
        guard lab_input_axis(descriptor, UInt32(code), &value) == 0 else { throw LabFailure.system("EVIOCGABS", path) }
        return value
    }

    /// The next event, markers between reports (`EV_SYN`, `SYN_REPORT`) left out.
    func next(within limit: Duration) async throws -> Event {
        try await blocking { try self.waitForNext(within: limit) }
    }

    /// Uploads a rumble and plays it; the kernel ends it at its length, or when this object goes.
    func playRumble(milliseconds: UInt16) throws {
        let effect = lab_input_upload_rumble(descriptor, 0xffff, 0xffff, milliseconds)
        guard effect >= 0 else { throw LabFailure.system("EVIOCSFF", path) }
        var event = input_event()
        event.type = UInt16(EV_FF)
        event.code = UInt16(effect)
        event.value = 1
        let size = MemoryLayout<input_event>.size
        guard write(descriptor, &event, size) == size else { throw LabFailure.system("write", path) }
    }

    private func waitForNext(within limit: Duration) throws -> Event {
        while true {
            var event = input_event()
            let size = MemoryLayout<input_event>.size
            let count = read(descriptor, &event, size)
            if count == size {
                if event.type == UInt16(EV_SYN) && event.code == UInt16(SYN_REPORT) { continue }
                let time = Duration.microseconds(lab_input_time(&event))
                return Event(type: event.type, code: event.code, value: event.value, time: time)
            }
            guard count < 0 && errno == EAGAIN else { throw LabFailure.system("read", path) }
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let milliseconds = limit.components.seconds * 1_000 + limit.components.attoseconds / 1_000_000_000_000_000
            let ready = poll(&request, 1, Int32(milliseconds))
            guard ready >= 0 else { throw LabFailure.system("poll", path) }
            guard ready > 0 else { throw LabFailure("\(path): nothing within \(limit)") }
        }
    }
}
