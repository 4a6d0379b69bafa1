import CRinger
import RingerLinux
import Synchronization

/// What `struct ringer_device` is: a device until it is closed. Any thread.
///
/// It is never freed, and its address is used again only after as many others were closed as are kept: a call that one thread
/// has just begun may come to it when another thread has closed the device.
final class OpenDevice: Sendable {
    /// How many that are closed are kept, and how many of them with their descriptors.
    private static let (kept, keptDescriptors) = (1024, 16)

    private struct Devices {
        /// Programs that look for leaks find them here.
        var all: [OpenDevice] = []
        /// Those that are closed, in order.
        var closed: [OpenDevice] = []
    }

    private static let devices = Mutex(Devices())

    private struct State {
        var handle: DeviceHandle?
        /// The queue of a closed device, until somebody who reads events has learnt of the end: a thread that waits for the
        /// descriptor would not wake if it was closed before. A program that reads no more never does.
        var ended: EventQueue?
    }

    private let process = OwnProcess()
    private let state: Mutex<State>

    private init(_ handle: DeviceHandle) {
        state = Mutex(State(handle: handle))
    }

    /// The pointer by which a program names a device.
    static func pointer(to handle: DeviceHandle) -> OpaquePointer {
        let device = devices.withLock { devices in
            if devices.closed.count > kept, devices.closed[0].process.isCurrent {
                let device = devices.closed.removeFirst()
                device.state.withLock { $0 = State(handle: handle) }
                return device
            }
            let device = OpenDevice(handle)
            devices.all.append(device)
            return device
        }
        return OpaquePointer(Unmanaged.passUnretained(device).toOpaque())
    }

    /// The device at `pointer`, which is to be closed, and which no later call finds; nil if it was closed, and in a child of
    /// fork.
    static func remove(_ pointer: OpaquePointer) -> DeviceHandle? {
        // SAFETY: an object that ringer_device_open made is never freed.
        let device = Unmanaged<OpenDevice>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
        guard device.process.isCurrent else { return nil }
        let handle: DeviceHandle? = device.state.withLock { state in
            guard let handle = state.handle.take() else { return nil }
            state.ended = handle.queue
            // Its sessions are refused at the same time.
            handle.hasClosed.store(true, ordering: .releasing)
            return handle
        }
        guard let handle else { return nil }
        let earlier = devices.withLock { devices in
            devices.closed.append(device)
            return devices.closed.dropLast(keptDescriptors).last
        }
        // Its descriptor is closed outside of the lock.
        _ = earlier?.state.withLock { $0.ended.take() }
        return handle
    }

    /// - Throws: ``RingerError``: `otherProcess` in a child of fork, `closed` once the device is closed.
    fileprivate func current(toRead: Bool) throws -> DeviceHandle {
        try process.check()
        let (handle, ended): (DeviceHandle?, EventQueue?) = state.withLock { state in
            (state.handle, toRead ? state.ended.take() : nil)
        }
        // Its descriptor is closed outside of the lock.
        guard let handle else { return try withExtendedLifetime(ended) { throw DeviceHandle.closed } }
        return handle
    }
}

extension DeviceHandle {
    /// The device at `pointer`, which `ringer_device_open` made.
    ///
    /// - Parameter toRead: Whether the caller reads its events, and learns of its end.
    static func at(_ pointer: OpaquePointer?, toRead: Bool = false) throws -> DeviceHandle {
        // SAFETY: an object that ringer_device_open made is never freed.
        let device = Unmanaged<OpenDevice>.fromOpaque(UnsafeRawPointer(try required(pointer, "device")))
        return try device._withUnsafeGuaranteedRef { try $0.current(toRead: toRead) }
    }
}
