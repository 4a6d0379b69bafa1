import CEvdev
import Glibc
import RingerCore
import SystemPackage

/// An open input device, closed with its owner.
// SAFETY: libevdev keeps no state outside of this handle, which has one owner and is used by one thread at a time.
struct EvdevHandle: ~Copyable, @unchecked Sendable {
    /// An event of an input device.
    enum Input: Sendable, Hashable {
        /// A code's new value. `at` is the kernel's timestamp, or the time of reading after a drop.
        case value(EvdevCode, Int32, at: MonotonicTime)
        /// The kernel's queue overflowed and its events are lost. The values that changed follow.
        case dropped(at: MonotonicTime)
    }

    let device: OpaquePointer
    /// The device's descriptor, non-blocking. The handle closes it.
    let descriptor: CInt
    /// The device's file.
    let path: FilePath
    /// The name that the driver gives the device.
    let deviceName: String

    /// How to open a device.
    enum Access: Sendable {
        /// For reading.
        case read
        /// For reading and for playing effects; needs write permission.
        case readWrite
    }

    /// Opens the input device at `path`. Its timestamps are of `CLOCK_MONOTONIC`.
    ///
    /// - Throws: ``RingerError``; `unsupported` if the file is not an input device.
    init(_ path: FilePath, _ access: Access = .read) throws(RingerError) {
        let flags = (access == .read ? O_RDONLY : O_RDWR) | O_NONBLOCK | O_CLOEXEC
        let descriptor = Glibc.open(path.string, flags)
        guard descriptor >= 0 else { throw RingerError("open", path.string, .current) }
        var device: OpaquePointer?
        // Set the clock first: setting it while events are queued causes a drop.
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

    /// The value of `code` when the device was opened or last read. The corresponding C function is
    /// `libevdev_get_event_value`.
    func value(of code: EvdevCode) -> Int32 {
        libevdev_get_event_value(device, UInt32(code.type), UInt32(code.code))
    }

    /// Has the kernel pass on only `codes`, which are of one type, if it supports that.
    func passOnly(_ codes: [EvdevCode]) {
        guard let type = codes.first?.type else { return }
        let codes = codes.map(\.code)
        ringer_evdev_pass_only(descriptor, type, codes, CInt(codes.count))
    }

    /// Reads the next value; after an overflow, the values that changed. The corresponding C function is
    /// `libevdev_next_event`.
    ///
    /// - Returns: Whether there may be more.
    /// - Throws: ``RingerError``, `disconnected` if the device is gone; events read before that were passed to `body`.
    func read(now: () -> MonotonicTime, _ body: (Input) -> Void) throws(RingerError) -> Bool {
        // "Blocking", which the descriptor is not: a system call less, since libevdev reads no more while it has events.
        let normal = UInt32(LIBEVDEV_READ_FLAG_NORMAL.rawValue | LIBEVDEV_READ_FLAG_BLOCKING.rawValue)
        let sync = UInt32(LIBEVDEV_READ_FLAG_SYNC.rawValue)
        var flag = normal
        var event = input_event()
        while true {
            let result = libevdev_next_event(device, flag, &event)
            switch result {
            case Int32(LIBEVDEV_READ_STATUS_SUCCESS.rawValue):
                // The end of a report.
                if event.type == UInt16(EV_SYN) { continue }
                let at = MonotonicTime(nanoseconds: ringer_evdev_stamp(&event))
                body(.value(EvdevCode(type: event.type, code: event.code), event.value, at: at))
                // The kernel has the whole report. Looking for the next value can wait until this one has been passed on.
                return true
            case Int32(LIBEVDEV_READ_STATUS_SYNC.rawValue) where flag != sync:
                body(.dropped(at: now()))
                flag = sync
            case Int32(LIBEVDEV_READ_STATUS_SYNC.rawValue):
                // After a drop: the value was read from the device, and has no timestamp.
                body(.value(EvdevCode(type: event.type, code: event.code), event.value, at: now()))
            case -EAGAIN where flag == sync:
                flag = normal
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
