import Boards
import Glibc
import RingerLinux
import RingerClient

extension ProcessDevice {
    /// Opens the device that the environment names.
    static func open() throws(RingerError) -> Device {
        let board = try Board.named()
        if board == .simulated { return try Board.openSimulated().device }
        return try board.isService() ? Device.connect() : openHardware()
    }

    /// The signals that close the hardware: those that the program had left to the system when it was first opened. It may be
    /// opened again on a callback's thread, which has every signal blocked.
    private static let signals = TerminationSignals.unclaimed

    /// The machine's own parts. The motor is off when the process ends in order, and before a signal ends it: a motor on a
    /// GPIO line would turn on. A program that handles signals itself ends in order, or closes the device.
    private static func openHardware() throws(RingerError) -> Device {
        let device = try Device.open(Device.Hardware(following: .all))
        do throws(RingerError) {
            try device.close(on: signals)
        } catch {
            device.close()
            throw error
        }
        atexit { ProcessDevice.closeAtExit() }
        return device
    }
}
