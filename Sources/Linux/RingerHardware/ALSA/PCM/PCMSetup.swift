import CALSA

/// The setup of the PCM behind all conversion and mixing, according to alsa-lib's description.
///
/// No function returns a PCM's slave, but the description of a PCM ends with that of its innermost slave, in lines of
/// names and values such as "rate         : 48000". The corresponding C function is `snd_pcm_dump`.
struct PCMSetup: Sendable, Hashable {
    var sampleRate = 0
    var channels = 0
    var periodFrames = 0
    var bufferFrames = 0
    /// Whether a PCM on the way mixes or shares several streams.
    var isShared = false
    /// Whether one on the way mixes several streams into one buffer.
    var isMixed = false

    /// The last setup in a description; nil if it lacks one of the values.
    init?(_ description: some StringProtocol) {
        for line in description.split(separator: "\n") {
            // "Slave: Direct Stream Mixing PCM"
            if line.hasSuffix("Direct Stream Mixing PCM") { isMixed = true }
            if isMixed || line.hasSuffix("Direct Stream Sharing PCM")
                || line.hasSuffix("Share PCM")
            {
                isShared = true
            }
            guard let colon = line.firstIndex(of: ":") else { continue }
            let words = line[..<colon].split(separator: " ")
            guard words.count == 1, let name = words.first else { continue }
            guard let value = line[line.index(after: colon)...].split(separator: " ").first.flatMap({ Int($0) }) else {
                continue
            }
            switch name {
            case "rate": sampleRate = value
            case "channels": channels = value
            case "period_size": periodFrames = value
            case "buffer_size": bufferFrames = value
            default: break
            }
        }
        guard sampleRate > 0, channels > 0, periodFrames > 0, bufferFrames > 0 else { return nil }
    }

    /// The setup behind `pcm`, which was configured; nil if alsa-lib does not describe it.
    init?(of pcm: OpaquePointer) {
        guard let description = PCMDescription.text(of: pcm) else { return nil }
        self.init(description)
    }
}
