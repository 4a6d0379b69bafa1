import CALSA
import Glibc
import RingerCore
import SystemPackage

/// A sound card.
struct SoundCard: Sendable, Hashable {
    /// Its number.
    let index: Int
    /// The file of its controls.
    let controlFile: FilePath

    /// Finds a card by its id, such as "Dummy", or its number; nil for the card of the lowest number.
    ///
    /// - Throws: ``RingerError``: not found, permission denied. The corresponding C function is `snd_card_get_index`.
    static func find(_ name: String?, in directory: FilePath) throws(RingerError) -> SoundCard {
        let index: Int
        if let name {
            ALSAMessages.keepOnThisThread()
            ALSAMessages.forget()
            let result = snd_card_get_index(name)
            guard result >= 0 else {
                var error = RingerError(
                    "find", subject(name), Errno(rawValue: -result), detail: ALSAMessages.take())
                // The card was not there before: it is missing, not disconnected.
                if error.code == .disconnected { error.code = .notFound }
                throw error
            }
            index = Int(result)
        } else {
            guard let file = try DirectoryListing.existing(prefix, in: directory).first,
                let number = Int(file.dropFirst(prefix.utf8CodeUnitCount))
            else { throw RingerError(.notFound, "find a sound card", directory.string) }
            index = number
        }
        return SoundCard(index: index, controlFile: directory.appending("\(prefix)\(index)"))
    }

    /// The name of a card in errors.
    static func subject(_ name: String?) -> String { name.map { "sound card \($0)" } ?? "sound card" }

    /// What errors call it.
    var description: String { "sound card \(index)" }

    /// Opens the card's controls for reading, or for reading and writing, non-blocking. The caller closes them.
    ///
    /// ALSA's configuration is not read: that takes a megabyte, and a card's name there may be a sound server. The
    /// corresponding C function is `snd_ctl_open_lconf`.
    func openControls(isWritable: Bool = false) throws(RingerError) -> OpaquePointer {
        ALSAMessages.keepOnThisThread()
        ALSAMessages.forget()
        var configuration: OpaquePointer?
        try check(snd_config_top(&configuration), "open")
        defer { snd_config_delete(configuration) }
        var text: OpaquePointer?
        let definition = "ctl.card { type hw card \(index) }"
        try check(snd_input_buffer_open(&text, definition, definition.utf8.count), "open")
        defer { snd_input_close(text) }
        try check(snd_config_load(configuration, text), "open")
        var controls: OpaquePointer?
        let mode = CInt(SND_CTL_NONBLOCK) | (isWritable ? 0 : CInt(SND_CTL_READONLY))
        try check(snd_ctl_open_lconf(&controls, "card", mode, configuration), "open")
        guard let controls else { throw error(ENOMEM, "open") }
        return controls
    }

    /// Throws the error of a negative `result` of alsa-lib; returns any other.
    @discardableResult
    func check(_ result: CInt, _ operation: String) throws(RingerError) -> CInt {
        if result < 0 { throw error(-result, operation) }
        return result
    }

    private func error(_ number: CInt, _ operation: String) -> RingerError {
        RingerError(operation, description, Errno(rawValue: number), detail: ALSAMessages.take())
    }

    private static let prefix: StaticString = "controlC"
}
