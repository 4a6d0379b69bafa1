import CGPIOD
import RingerCore
import SystemPackage

/// An open GPIO chip, closed with its owner.
// SAFETY: libgpiod keeps no state outside of this handle, which has one owner and is used by one thread at a time.
struct GPIOChip: ~Copyable, @unchecked Sendable {
    private let chip: OpaquePointer
    /// The chip's file.
    let path: FilePath
    /// The chip's name: "gpiochip0".
    let name: String
    /// The label that the driver gives the chip.
    let label: String

    /// Opens the chip at `path`. The corresponding C function is `gpiod_chip_open`.
    init(_ path: FilePath) throws(RingerError) {
        guard let chip = ringer_gpio_chip_open(path.string) else {
            throw RingerError("open as a GPIO chip", path.string, .current)
        }
        self.chip = chip
        self.path = path
        name = String(cString: ringer_gpio_chip_name(chip))
        label = String(cString: ringer_gpio_chip_label(chip))
    }

    deinit {
        ringer_gpio_chip_close(chip)
    }

    /// The offset of the first line named `name`; nil if there is none.
    func offset(ofLine name: String) throws(RingerError) -> UInt32? {
        let offset = ringer_gpio_chip_find_line(chip, name)
        if let offset = UInt32(exactly: offset) { return offset }
        let reason = Errno.current
        if reason == .noSuchFileOrDirectory { return nil }
        throw RingerError("find line \(name)", path.string, reason)
    }

    /// The holder of the line at `offset`; nil if there is none, or the kernel does not report it.
    func consumer(ofLine offset: UInt32) -> String? {
        let consumer = Self.text { ringer_gpio_chip_consumer(chip, offset, $0, $1) }
        return consumer?.isEmpty == true ? nil : consumer
    }

    /// Requests an input, whose edges are queued from now on.
    func requestInput(
        _ offset: UInt32, bias: GPIOBias, isActiveLow: Bool, kernelDebounce: Duration
    ) throws(RingerError) -> GPIOLineRequest {
        let microseconds = UInt32(clamping: (kernelDebounce + .nanoseconds(999)).nanoseconds / 1000)
        var input = ringer_gpio_input(bias: bias.rawBias, active_low: isActiveLow, debounce: microseconds)
        let request = ringer_gpio_request_input(chip, offset, &input)
        return try adopt(request, offset)
    }

    /// Requests an output, inactive at first.
    func requestOutput(_ offset: UInt32, isActiveLow: Bool) throws(RingerError) -> GPIOLineRequest {
        try adopt(ringer_gpio_request_output(chip, offset, isActiveLow), offset)
    }

    private func adopt(_ request: OpaquePointer?, _ offset: UInt32) throws(RingerError) -> GPIOLineRequest {
        let subject = "\(name) line \(offset)"
        if let request { return GPIOLineRequest(request, subject: subject) }
        let reason = Errno.current
        var detail: String?
        if reason == .resourceBusy { detail = consumer(ofLine: offset).map { "used by \"\($0)\"" } }
        throw RingerError("request the line", subject, reason, detail: detail)
    }

    private static func text(_ read: (UnsafeMutablePointer<CChar>, Int) -> CInt) -> String? {
        // SAFETY: the kernel's names have at most 31 bytes; the function writes at most the given size, including the
        // zero.
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            guard let start = buffer.baseAddress, read(start, buffer.count) == 0 else { return nil }
            return String(cString: start)
        }
    }
}
