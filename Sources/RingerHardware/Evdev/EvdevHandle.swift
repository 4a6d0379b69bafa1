import CEvdev
import Glibc
import RingerServices
import SystemPackage

/// An open input device, closed with its owner.
// SAFETY: libevdev keeps no state outside of this handle, which has one owner and is used by one thread at a time.
struct EvdevHandle: ~Copyable, @unchecked Sendable {
    /// What an input device told.
    enum Input: Sendable, Hashable {
        /// A code has a new value since `at`: the kernel's stamp, or the time of reading after a drop.
        case value(EvdevCode, Int32, at: MonotonicTime)
        /// The kernel's queue overflowed, and what was in it is lost. Values that changed follow.
        case dropped(at: MonotonicTime)
    }

    private let device: OpaquePointer
    /// Its descriptor, which does not block. It stays the handle's.
    let descriptor: CInt
    /// Its file.
    let path: FilePath
    /// What its driver calls it.
    let deviceName: String

    /// How a device is opened.
    enum Access: Sendable {
        /// To be read.
        case read
        /// To be read and played on; needs permission to write.
        case readWrite
    }

    /// Opens the input device at `path`; its stamps are of `CLOCK_MONOTONIC`.
    ///
    /// - Throws: ``RingerError``; `unsupported` where it is no input device.
    init(_ path: FilePath, _ access: Access = .read) throws(RingerError) {
        let flags = (access == .read ? O_RDONLY : O_RDWR) | O_NONBLOCK | O_CLOEXEC
        let descriptor = Glibc.open(path.string, flags)
        guard descriptor >= 0 else { throw RingerError("open", path.string, .current) }
        var device: OpaquePointer?
        // The clock first: setting it on a device that has queued something costs a drop.
        guard ringer_evdev_use_monotonic_clock(descriptor) == 0 else {
            let reason = Errno.current
            Glibc.close(descriptor)
            throw RingerError("use as an input device", path.string, reason)
        }
        let result = libevdev_new_from_fd(descriptor, &device)
        guard result == 0, let device else {
            Glibc.close(descriptor)
            throw RingerError("use as an input device", path.string, Errno(rawValue: -result))
        }
        self.device = device
        self.descriptor = descriptor
        self.path = path
        deviceName = libevdev_get_name(device).map { String(cString: $0) } ?? ""
    }

    deinit {
        libevdev_free(device)
        Glibc.close(descriptor)
    }

    /// The device, for people: "/dev/input/event0 (gpio-keys)".
    var description: String { deviceName.isEmpty ? path.string : "\(path.string) (\(deviceName))" }

    /// Whether the device has `code`. The corresponding C function is `libevdev_has_event_code`.
    func has(_ code: EvdevCode) -> Bool {
        libevdev_has_event_code(device, UInt32(code.type), UInt32(code.code)) == 1
    }

    /// Whether the device plays rumble effects.
    var rumbles: Bool { has(EvdevCode(type: UInt16(EV_FF), code: UInt16(FF_RUMBLE))) }

    /// What `code` was when the device was opened, or last read. The corresponding C function is
    /// `libevdev_get_event_value`.
    func value(of code: EvdevCode) -> Int32 {
        libevdev_get_event_value(device, UInt32(code.type), UInt32(code.code))
    }

    /// Has the kernel pass on nothing but `codes`, which are of one type, where it can.
    func passOnly(_ codes: [EvdevCode]) {
        guard let type = codes.first?.type else { return }
        let codes = codes.map(\.code)
        ringer_evdev_pass_only(descriptor, type, codes, CInt(codes.count))
    }

    /// Reads what happened at one time, or where the queue overflowed what is different since. The corresponding C
    /// function is `libevdev_next_event`.
    ///
    /// - Returns: Whether there may be more.
    /// - Throws: ``RingerError``, `disconnected` where the device is gone; what was read before was told.
    func read(now: () -> MonotonicTime, _ body: (Input) -> Void) throws(RingerError) -> Bool {
        var flag = UInt32(LIBEVDEV_READ_FLAG_NORMAL.rawValue)
        let sync = UInt32(LIBEVDEV_READ_FLAG_SYNC.rawValue)
        var event = input_event()
        while true {
            let result = libevdev_next_event(device, flag, &event)
            switch result {
            case Int32(LIBEVDEV_READ_STATUS_SUCCESS.rawValue):
                // To look whether another follows is a system call, which can wait until this one was told.
                if event.type == UInt16(EV_SYN) && event.code == UInt16(SYN_REPORT) { return true }
                let at = MonotonicTime(nanoseconds: ringer_evdev_stamp(&event))
                body(.value(EvdevCode(type: event.type, code: event.code), event.value, at: at))
            case Int32(LIBEVDEV_READ_STATUS_SYNC.rawValue) where flag != sync:
                body(.dropped(at: now()))
                flag = sync
            case Int32(LIBEVDEV_READ_STATUS_SYNC.rawValue):
                // Not an edge but what the device answered when it was asked.
                body(.value(EvdevCode(type: event.type, code: event.code), event.value, at: now()))
            case -EAGAIN where flag == sync:
                flag = UInt32(LIBEVDEV_READ_FLAG_NORMAL.rawValue)
            case -EAGAIN:
                return false
            case -EINTR:
                continue
            default:
                throw RingerError("read", path.string, Errno(rawValue: -result))
            }
        }
    }
}
