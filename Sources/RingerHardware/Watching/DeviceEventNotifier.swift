import CLinux
import Glibc
import RingerServices
import SystemPackage

/// Notices when a device of one subsystem comes, goes or changes, as the kernel and udev announce it.
///
/// sysfs sends no inotify events when a device's directory appears, so the return of an LED shows here alone. The
/// corresponding kernel interface is netlink(7), with `NETLINK_KOBJECT_UEVENT`; it needs no privilege.
struct DeviceEventNotifier: ChangeNotifier, ~Copyable {
    private let property: String
    let descriptor: CInt

    /// Notices devices of `subsystem`, "leds", from now on.
    ///
    /// - Throws: ``RingerError`` where the process may not open a netlink socket or has no descriptor left.
    init(subsystem: String) throws(RingerError) {
        property = "SUBSYSTEM=\(subsystem)"
        descriptor = ringer_device_events()
        guard descriptor >= 0 else { throw RingerError("watch for devices", subsystem, .current) }
    }

    deinit {
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    mutating func drain() -> Bool {
        ringer_device_events_drain(descriptor, property) != 0
    }
}
