import RingerServices

/// Which PCM a sound needs, in which format.
struct PCMRequest: Sendable, Hashable {
    /// The PCM's name in ALSA's configuration.
    var name: String
    /// Frames a second.
    var sampleRate: Int
    /// Samples in a frame.
    var channels: Int
    /// What the hardware is to be asked for.
    var preferences: SessionPreferences

    /// The PCM `name`, for sound of `channels` channels at `sampleRate` frames a second, rounded to whole hertz.
    ///
    /// - Throws: ``RingerError``: unsupported where no device has such a format. Within the bounds that are checked here
    ///   the device says itself what it cannot do.
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
