/// How a sound is played: from which frame, how often, how loud, and whether as an announcement.
package struct SoundManner: Sendable, Hashable {
    /// Its first frame to be played, 0 to its end.
    package var first: Int
    /// How often it is played, every time but the first as a whole; at least once, and ``most(of:)`` times at most.
    package var rounds: Int
    /// A factor for the policy's gain, 0 to 1.
    package var volume: Float
    /// Whether it is an announcement, and how loud.
    package var announcement: AnnouncementVolume?

    /// By default the whole sound once, as loud as it is.
    package init(first: Int = 0, rounds: Int = 1, volume: Float = 1, announcement: AnnouncementVolume? = nil) {
        self.first = first
        self.rounds = rounds
        self.volume = volume
        self.announcement = announcement
    }

    /// How often a sound can be played: for 31 years, which counts as without end.
    package static func most(of sound: PCMBuffer) -> Int {
        max(1, Int(clamping: Int64(min(sound.sampleRate, 1e6) * 1e9) / Int64(max(1, sound.frames))))
    }

    /// How many frames are played.
    package func frames(of sound: PCMBuffer) -> Int64 { max(0, Int64(sound.frames) * Int64(rounds) - Int64(first)) }

    /// What is left once so many frames of the sound were played.
    package func after(_ played: Int64, of sound: PCMBuffer) -> SoundManner {
        guard sound.frames > 0 else { return self }
        let (round, frame) = (Int64(first) + max(0, played)).quotientAndRemainder(dividingBy: Int64(sound.frames))
        // At its end nothing is left of the last round.
        let isOver = round >= rounds
        return SoundManner(
            first: isOver ? sound.frames : Int(frame), rounds: isOver ? 1 : rounds - Int(round), volume: volume,
            announcement: announcement)
    }
}
