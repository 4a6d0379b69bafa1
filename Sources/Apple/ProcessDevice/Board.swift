import Glibc
import Ringer
import RingerClient
import RingerTestKit

/// Where the process's device comes from: the words of the environment variable `RINGER_BOARD`.
package enum Board: String, CaseIterable {
    /// The service, where one runs or the bus can start it; else this machine's hardware. The default.
    case auto
    /// This machine's hardware.
    case hardware
    /// The service.
    case service
    /// A simulated board in real time; `RINGER_POSITION` is the position of its switch, `ring` unless set.
    case simulated

    /// The board that the environment names.
    ///
    /// - Throws: ``RingerError`` of code `invalid` for another word.
    package static func named() throws(RingerError) -> Board {
        try word("RINGER_BOARD", otherwise: .auto)
    }

    /// Opens the device that the environment names.
    static func open() throws(RingerError) -> Device {
        switch try named() {
        case .auto: try Device.isServiceAvailable() ? Device.connect() : openHardware()
        case .hardware: try openHardware()
        case .service: try Device.connect()
        case .simulated: try openSimulated().device
        }
    }

    /// The word that the environment has for `name`.
    private static func word<Word: CaseIterable & RawRepresentable<String>>(
        _ name: String, otherwise: Word
    ) throws(RingerError) -> Word {
        guard let value = getenv(name).map({ String(cString: $0) }), !value.isEmpty else { return otherwise }
        guard let word = Word(rawValue: value) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw RingerError(.invalid, "open the device", "\(name)=\(value)", detail: "the words are \(words)")
        }
        return word
    }

    /// Opens a device on a simulated board in real time.
    package static func openSimulated(
        configuration: Device.Configuration = Device.Configuration()
    ) throws(RingerError) -> (device: Device, board: SimulatedBoard) {
        let position = try word("RINGER_POSITION", otherwise: SwitchPosition.ring)
        let (board, loop) = try SimulatedBoard.inRealTime(position: position)
        do throws(RingerError) {
            let ports = Device.Ports(simulated: board) { loop.close() }
            return (try Device(ports, configuration: configuration), board)
        } catch {
            loop.close()
            throw error
        }
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
