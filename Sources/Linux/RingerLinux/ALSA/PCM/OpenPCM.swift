import CALSA
import Glibc
import RingerCore
import SystemPackage

/// An open playback or capture PCM and the configuration made for it. Both are closed by ``close()``, or else on
/// deinitialisation. It is used by one thread at a time.
final class OpenPCM {
    let pcm: OpaquePointer
    /// The name that was opened.
    let name: String
    /// The PCM's name in errors.
    let subject: String
    /// The configuration made for this PCM, whose conversion refers to it while the PCM is open.
    private let configuration: OpaquePointer?
    private var isClosed = false

    /// Opens `name`. The corresponding C function is `snd_pcm_open`.
    ///
    /// - Throws: ``RingerError``: not found, busy, permission denied.
    init(_ name: String, subject: String, for stream: snd_pcm_stream_t = SND_PCM_STREAM_PLAYBACK) throws(RingerError) {
        ALSAMessages.forget()
        var pcm: OpaquePointer?
        let result = snd_pcm_open(&pcm, name, stream, SND_PCM_NONBLOCK)
        guard let pcm, result >= 0 else { throw Self.openError(result, subject) }
        self.pcm = pcm
        self.name = name
        self.subject = subject
        configuration = nil
    }

    /// Opens `name` for playback behind a conversion whose hardware side runs at `sampleRate`.
    ///
    /// `plug` asks the hardware for the rate nearest to the sound's own, and takes another rate only from its
    /// configuration. The corresponding C functions are `snd_config_update_r` and `snd_pcm_open_lconf`.
    init(_ name: String, subject: String, convertingTo sampleRate: Int) throws(RingerError) {
        ALSAMessages.forget()
        let definition = """
            pcm.ringer_converted { type plug slave { pcm "\(Self.escaped(name))" rate \(sampleRate) } }
            """
        // A private copy of the process's configuration: other threads may be reading that one.
        var top: OpaquePointer?
        var update: OpaquePointer?
        let loaded = snd_config_update_r(&top, &update, nil)
        if let update { snd_config_update_free(update) }
        guard let top, loaded >= 0 else { throw Self.openError(loaded < 0 ? loaded : -ENOMEM, subject) }
        var pcm: OpaquePointer?
        var result = Self.load(definition, into: top)
        if result >= 0 {
            result = snd_pcm_open_lconf(&pcm, "ringer_converted", SND_PCM_STREAM_PLAYBACK, SND_PCM_NONBLOCK, top)
        }
        guard let pcm, result >= 0 else {
            snd_config_delete(top)
            throw Self.openError(result, subject)
        }
        self.pcm = pcm
        self.name = Self.plug(name)
        self.subject = subject
        configuration = top
    }

    deinit {
        close()
    }

    /// Closes the PCM, which must not be used afterwards. The corresponding C function is `snd_pcm_close`.
    func close() {
        if isClosed { return }
        isClosed = true
        snd_pcm_close(pcm)
        if let configuration { snd_config_delete(configuration) }
    }

    private static func load(_ text: String, into top: OpaquePointer) -> CInt {
        var input: OpaquePointer?
        let result = snd_input_buffer_open(&input, text, text.utf8.count)
        guard let input, result >= 0 else { return result }
        defer { snd_input_close(input) }
        return snd_config_load(top, input)
    }

    /// `name`, escaped for use between double quotes.
    private static func escaped(_ name: String) -> String {
        var escaped = ""
        for character in name {
            if character == "\"" || character == "\\" { escaped.append("\\") }
            escaped.append(character)
        }
        return escaped
    }

    private static func openError(_ result: CInt, _ subject: String) -> RingerError {
        var error = error(result, "open", subject)
        let number = error.errno?.rawValue
        // If a file of the configuration could not be opened, alsa-lib keeps a configuration without it, which has no such
        // PCM. The next attempt reads it anew.
        if number == ENOENT { snd_config_update_free_global() }
        // The device was not there before: it is missing, not disconnected.
        if number == ENODEV || number == ENXIO { error.code = .notFound }
        // Of a card that may not be opened, alsa-lib says that it is not there.
        let isOfCard = error.code == .notFound && error.detail?.contains(part: "card") == true
        if isOfCard, let card = HardwareProblem.soundCards() {
            error = RingerError("open", subject, card.error.errno ?? .permissionDenied, detail: "\(card.error)")
        }
        return error
    }

    /// The error for alsa-lib's negative `result`.
    static func error(_ result: some BinaryInteger, _ operation: String, _ subject: String) -> RingerError {
        let number = CInt(clamping: result.magnitude)
        var error = RingerError(operation, subject, Errno(rawValue: number), detail: ALSAMessages.take())
        // The PCM of a sound server that ended reports these.
        if number == EIO || number == ENXIO { error.code = .disconnected }
        return error
    }

    /// The name of the PCM `name` behind a conversion.
    static func plug(_ name: String) -> String {
        // `name` may have arguments; quotes keep their commas together.
        let quote = name.contains("'") ? "\"" : "'"
        return "plug:\(quote)\(name)\(quote)"
    }

    /// Whether the PCM converts already, so that another plug would not help.
    var converts: Bool { snd_pcm_type(pcm) == SND_PCM_TYPE_PLUG }
}
