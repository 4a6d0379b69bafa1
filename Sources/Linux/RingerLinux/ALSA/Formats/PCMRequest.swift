import RingerCore

/// The PCM and format that a sound needs.
struct PCMRequest: Sendable, Hashable {
    /// The PCM's name in ALSA's configuration.
    var name: String
    /// Frames a second.
    var sampleRate: Int
    /// Samples in a frame.
    var channels: Int
    /// The rate and period to ask the hardware for.
    var preferences: SessionPreferences

    /// The PCM `name`, for sound of `channels` channels at `sampleRate` frames a second, rounded to whole hertz.
    ///
    /// - Throws: ``RingerError``: unsupported if no device could have the format. Of formats within these bounds, the
    ///   device itself reports whether it has them.
    init(
        _ name: String, sampleRate: Double, channels: Int, _ preferences: SessionPreferences = SessionPreferences()
    ) throws(RingerError) {
        guard sampleRate >= 1, sampleRate <= 1_000_000, (1...256).contains(channels) else {
            throw RingerError(.unsupported, "play \(channels) channels at \(sampleRate) Hz", PCMHandle.subject(name))
        }
        self.name = name
        self.sampleRate = Int(sampleRate.rounded())
        self.channels = channels
        self.preferences = preferences
    }
}
