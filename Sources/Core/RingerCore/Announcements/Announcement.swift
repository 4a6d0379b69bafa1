/// An announcement: a sound, or several clips joined without a gap, and how to play it.
public struct Announcement: Sendable {
    /// The samples.
    public let sound: PCMBuffer
    /// The audio category, which decides whether the Ring/Silent switch silences the sound.
    public var category: AudioCategory
    /// The category's options.
    public var options: CategoryOptions
    /// Announcements of a higher priority play first; those of equal priority in the order in which they were added. A
    /// playing announcement is never interrupted by another.
    public var priority: Int
    /// How long after it was added the announcement may begin, the machine's sleep included; nil for no limit. After that it
    /// ends as ``SoundOutcome/StopCause/expired``; after a sleep when the device notices the waking, and up to that much later
    /// where it does not follow sleep.
    public var expiry: Duration?
    /// A volume of its own, clamped to 0...1, in the place of ``UserPreferences/announcementVolume``; nil for that one. It is a factor
    /// of this sound alone: other sounds, the preferences and a mixer stay as they are, and nothing has to be restored.
    public var volume: Float?

    /// An announcement of one sound. It fails where a part of the sound is missing, other than damaged bytes that were left
    /// out (``PCMBuffer/shortfall``).
    public init(
        _ sound: PCMBuffer, category: AudioCategory = .playback, options: CategoryOptions = [], priority: Int = 0,
        expiry: Duration? = nil, volume: Float? = nil
    ) {
        self.sound = sound
        self.category = category
        self.options = options
        self.priority = priority
        self.expiry = expiry
        self.volume = volume
    }

    /// An announcement of several clips without gaps: "received", "twelve", "fifty". It fails where a part of
    /// one of them is missing, other than damaged bytes that were left out, or it has no frames: without a word, or half of one,
    /// it would say something else.
    ///
    /// - Throws: ``RingerError`` with code `invalid` if there is no clip, or the clips differ in sample rate or channel
    ///   count.
    public init(
        joining clips: [PCMBuffer], category: AudioCategory = .playback, options: CategoryOptions = [],
        priority: Int = 0, expiry: Duration? = nil, volume: Float? = nil
    ) throws(RingerError) {
        var clips = clips
        self.init(
            try Self.join(&clips), category: category, options: options, priority: priority, expiry: expiry,
            volume: volume)
    }

    /// The clips without gaps. Each one is dropped once it was copied, so that they do not take twice the memory.
    package static func join(_ clips: inout [PCMBuffer]) throws(RingerError) -> PCMBuffer {
        guard var sound = clips.first else {
            throw RingerError(.invalid, "join the clips", "announcement", detail: "there is none")
        }
        if clips.count == 1 { return sound }
        for (index, clip) in clips.enumerated().dropFirst() {
            guard clip.sampleRate == sound.sampleRate, clip.channels == sound.channels else {
                throw RingerError(
                    .invalid, "join the clips", "announcement",
                    detail: "clip \(index + 1) has \(clip.channels) channels at \(clip.sampleRate) Hz, "
                        + "the first \(sound.channels) at \(sound.sampleRate) Hz")
            }
        }
        sound.samples = []
        sound.samples.reserveCapacity(clips.reduce(0) { $0 + $1.samples.count })
        let empty = clips.contains { $0.frames == 0 } ? PCMBuffer.Shortfall(reason: "a clip has no frames") : nil
        let shortfalls = clips.compactMap(\.shortfall)
        sound.shortfall = shortfalls.first { $0.isPartial } ?? empty ?? shortfalls.first
        for index in clips.indices {
            sound.samples += clips[index].samples
            clips[index].samples = []
        }
        return sound
    }
}
