import CLinux
import Glibc
import RingerCore
import SystemPackage

/// Reports that a GPIO line was requested, released or reconfigured, by whichever program or driver.
///
/// It does not hold the line. The corresponding kernel interface is `GPIO_V2_GET_LINEINFO_WATCH_IOCTL` (Linux 5.10).
struct GPIOLineInfo: ChangeNotifier, ~Copyable {
    let descriptor: CInt

    /// Starts watching the line at `offset` of the chip whose file is `chip`.
    ///
    /// - Throws: ``RingerError`` if the chip is gone, or the kernel cannot watch lines.
    init(_ chip: FilePath, _ offset: UInt32) throws(RingerError) {
        descriptor = ringer_gpio_line_watch(chip.string, offset)
        guard descriptor >= 0 else { throw RingerError("watch line \(offset)", chip.string, .current) }
    }

    deinit {
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    /// Reads the pending events.
    ///
    /// - Returns: True.
    mutating func drain() -> Bool {
        var buffer: [UInt8] = Array(repeating: 0, count: 4096)
        while read(descriptor, &buffer, buffer.count) > 0 {}
        return true
    }
}
