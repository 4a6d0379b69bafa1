import CLinux
import CPCMProtocol
import Glibc
import RingerCore
import RingerBus
import SystemPackage

/// Where the service listens for the ALSA plug-in `ringer`.
package enum PCMSocket {
    package static let standardPath = RINGER_PCM_SOCKET

    /// Whether a service runs that should listen: on the system bus at the standard path, on any bus where the path is named. It
    /// waits for the bus's answer.
    package static func isExpected(isNamed: Bool) -> Bool {
        (isNamed || BusConnection.Bus.preferred == .system) && Device.isServiceRunning()
    }

    /// Connects, and leaves at once.
    ///
    /// - Throws: ``RingerError`` where nobody listens there.
    package static func check(_ path: String) throws(RingerError) {
        let descriptor = ringer_connect(path)
        guard descriptor < 0 else {
            close(descriptor)
            return
        }
        let reason = Errno(rawValue: errno)
        // Somebody listens, and others wait.
        if reason != .resourceTemporarilyUnavailable { throw RingerError("connect to", path, reason) }
    }
}
