import CALSA
import RingerCore

/// What alsa-lib and its plug-ins say of an open PCM and its slaves, the innermost last, in lines of names and values such
/// as "rate         : 48000".
///
/// No function returns a PCM's slave. The corresponding C function is `snd_pcm_dump`.
struct PCMDescription: Sendable, Hashable {
    /// Whether a PCM on the way mixes or shares several streams.
    private(set) var isShared = false
    /// Whether one on the way mixes several streams into one buffer.
    private(set) var isMixed = false
    /// The words of each value, by its name: of the innermost PCM that has it.
    private var values: [Substring: [Substring]] = [:]

    /// Parses a description.
    init(_ text: String) {
        for line in text.split(separator: "\n") {
            // "Slave: Direct Stream Mixing PCM"
            if line.hasSuffix("Direct Stream Mixing PCM") { isMixed = true }
            if isMixed || line.hasSuffix("Direct Stream Sharing PCM") || line.hasSuffix("Share PCM") { isShared = true }
            guard let colon = line.firstIndex(of: ":") else { continue }
            let name = line[..<colon].split(separator: " ")
            if name.count == 1 { values[name[0]] = line[line.index(after: colon)...].split(separator: " ") }
        }
    }

    /// The description of `pcm`; nil if there is none.
    init?(of pcm: OpaquePointer) {
        var output: OpaquePointer?
        guard snd_output_buffer_open(&output) == 0, let output else { return nil }
        defer { snd_output_close(output) }
        var text: UnsafeMutablePointer<CChar>?
        guard snd_pcm_dump(pcm, output) == 0 else { return nil }
        let count = snd_output_buffer_string(output, &text)
        guard let text, count > 0 else { return nil }
        // SAFETY: alsa-lib wrote `count` bytes there, which stay until the output is closed, behind this call.
        let bytes = UnsafeRawBufferPointer(start: text, count: count)
        self.init(String(decoding: bytes, as: UTF8.self))
    }

    /// The format of the hardware behind all conversion and mixing of the PCM `name`, which was configured; nil if the
    /// description lacks one of the values.
    func hardware(behind name: String) -> HardwareFormat? {
        guard let sampleRate = number("rate"), let channels = number("channels"),
            let periodFrames = number("period_size"), let bufferFrames = number("buffer_size")
        else { return nil }
        return HardwareFormat(
            pcm: name, sampleRate: sampleRate, channels: channels, periodFrames: periodFrames,
            bufferFrames: bufferFrames)
    }

    private func number(_ name: Substring) -> Int? {
        guard let value = values[name]?.first.flatMap({ Int($0) }), value > 0 else { return nil }
        return value
    }

    /// What the PCM's judge says of what it plays; nil if no plug-in `ringer` is on the way, or it plays everything: because
    /// the switch does not silence its category, or because it plays without a service.
    var judgement: OutputJudgement? {
        guard let category = values["category"].flatMap({ AudioCategory(rawValue: $0.joined(separator: " ")) }) else {
            return nil
        }
        let isJudged =
            category.isSilencedBySwitch || values["options"]?.contains("honoursRingSilentSwitch") == true
        switch values["sound"]?.joined(separator: " ") {
        case "heard" where isJudged: return .heard
        case "silenced" where isJudged: return .silenced
        case "interrupted": return .interrupted
        case "unjudged, silent": return .unjudged
        default: return nil
        }
    }
}
