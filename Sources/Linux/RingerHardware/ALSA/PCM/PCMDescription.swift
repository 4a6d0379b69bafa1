import CALSA

/// What alsa-lib and its plug-ins say of an open PCM and its slaves, in lines. The corresponding C function is
/// `snd_pcm_dump`.
enum PCMDescription {
    /// The description of `pcm`; nil if there is none.
    static func text(of pcm: OpaquePointer) -> String? {
        var output: OpaquePointer?
        guard snd_output_buffer_open(&output) == 0, let output else { return nil }
        defer { snd_output_close(output) }
        var text: UnsafeMutablePointer<CChar>?
        guard snd_pcm_dump(pcm, output) == 0 else { return nil }
        let count = snd_output_buffer_string(output, &text)
        guard let text, count > 0 else { return nil }
        // SAFETY: alsa-lib wrote `count` bytes there, which stay until the output is closed, behind this call.
        let bytes = UnsafeRawBufferPointer(start: text, count: count)
        return String(decoding: bytes, as: UTF8.self)
    }
}
