import CLinux
import Glibc
import RingerCore
import SystemPackage

/// Reports that a device of one subsystem was added, removed or changed, from the events of the kernel and udev.
///
/// sysfs sends no inotify events when a device's directory appears; the return of an LED is reported here only. The
/// corresponding kernel interface is netlink(7), `NETLINK_KOBJECT_UEVENT`. It needs no privilege.
struct UeventSocket: ChangeNotifier, ~Copyable {
    private let property: String
    let descriptor: CInt

    /// Starts watching the devices of `subsystem`, such as "leds".
    ///
    /// - Throws: ``RingerError`` if the process may not open a netlink socket or has no descriptor left.
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
