import CALSA
import Glibc
import RingerCore
import SystemPackage

/// The open use-case manager of a sound card (ALSA UCM), closed with its owner.
// SAFETY: alsa-lib keeps no state of a manager outside of this handle, which has one owner and is used by one thread at
// a time.
struct UseCaseManager: ~Copyable, @unchecked Sendable {
    private let manager: OpaquePointer
    private let subject: String

    /// Reads the configuration of card number `card`. The corresponding C function is `snd_use_case_mgr_open`.
    ///
    /// - Throws: ``RingerError``: the configuration is missing or faulty. alsa-lib's message is the error's detail.
    init(card: Int) throws(RingerError) {
        // Assigned last: the compiler of Swift 6.2.3 crashes on an initializer that throws in between.
        let subject = "use cases of sound card \(card)"
        ALSAMessages.keepOnThisThread()
        ALSAMessages.forget()
        var opened: OpaquePointer?
        let result = snd_use_case_mgr_open(&opened, "hw:\(card)")
        guard result >= 0, let opened else { throw Self.error(result, "read", subject) }
        manager = opened
        self.subject = subject
    }

    deinit {
        snd_use_case_mgr_close(manager)
    }

    /// The names of a list, such as "_verbs" and "_devices/HiFi", without their comments. The corresponding C function
    /// is `snd_use_case_get_list`.
    func names(_ list: String) throws(RingerError) -> [String] {
        ALSAMessages.forget()
        var items: UnsafeMutablePointer<UnsafePointer<CChar>?>?
        let count = snd_use_case_get_list(manager, list, &items)
        guard count >= 0 else { throw Self.error(count, "list \(list)", subject) }
        guard let items else { return [] }
        defer { snd_use_case_free_list(items, count) }
        // SAFETY: alsa-lib returned so many texts, each ending in a zero, which live until the list is freed. A name and
        // its comment alternate.
        return stride(from: 0, to: Int(count), by: 2).compactMap { items[$0].map { String(cString: $0) } }
    }

    /// A value of a device, or of its verb where the device does not have it: "PlaybackPCM"; nil if neither has it. The
    /// corresponding C function is `snd_use_case_get`.
    func value(_ name: String, of device: String, in verb: String) -> String? {
        ALSAMessages.forget()
        var text: UnsafePointer<CChar>?
        guard snd_use_case_get(manager, "\(name)/\(device)/\(verb)", &text) == 0, let text else { return nil }
        // The caller owns the text in spite of its type.
        defer { free(UnsafeMutableRawPointer(mutating: text)) }
        // SAFETY: alsa-lib returned a text that ends in a zero, and that nothing else refers to.
        let value = String(cString: text)
        return value.isEmpty ? nil : value
    }

    /// Carries out a change: `_verb`, `_enadev`, `_disdev`, with the sequence of mixer settings that the configuration
    /// has for it. The corresponding C function is `snd_use_case_set`.
    func set(_ identifier: String, _ value: String) throws(RingerError) {
        ALSAMessages.forget()
        let result = snd_use_case_set(manager, identifier, value)
        if result < 0 { throw Self.error(result, "set \(identifier) to \(value)", subject) }
    }

    private static func error(_ result: CInt, _ operation: String, _ subject: String) -> RingerError {
        RingerError(
            operation, subject, Errno(rawValue: result < 0 ? CInt(clamping: result.magnitude) : ENOMEM),
            detail: ALSAMessages.take())
    }
}
