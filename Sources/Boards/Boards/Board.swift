import Glibc
import RingerClient
import RingerCore
import RingerTestKit

/// What owns the hardware of a device that a program opens: the words of `--board` and of the environment variable
/// `RINGER_BOARD`.
package enum Board: String, CaseIterable, Sendable {
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

    /// Whether the service owns the hardware. For `auto` it waits for the bus's answer.
    ///
    /// - Parameter namesParts: Whether the program names a part, which the service would not use.
    package func isService(namesParts: Bool = false) -> Bool {
        self == .service || self == .auto && !namesParts && Device.isServiceAvailable()
    }

    /// As the method of the same name, for a program that is `async`.
    package func isService(namesParts: Bool = false) async -> Bool {
        if self != .auto || namesParts { return self == .service }
        return await Device.isServiceAvailable()
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
}
