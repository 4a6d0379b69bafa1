import Glibc
import PaymentRules
import Ringer

/// The sound of announcements: recordings joined without a gap, or a chime where there are none.
struct Announcer {
    var language: Language
    /// The directory of the recordings; nil for none.
    var directory: String?
    var policy: Options.Policy

    /// The announcement of a payment.
    ///
    /// The recordings are read each time: a board has little memory, and the kernel keeps the files that are read often.
    ///
    /// - Parameter expiry: How long the announcement may wait for others and for calls; nil for no limit.
    /// - Throws: ``RingerError`` if a recording is missing or differs from the others in its format.
    func announcement(of notice: Notice, expiry: Duration?) throws(RingerError) -> Announcement {
        let options: CategoryOptions = policy == .announce ? [] : .honoursRingSilentSwitch
        guard let directory else {
            return Announcement(Self.chime, category: .playback, options: options, expiry: expiry)
        }
        var clips: [PCMBuffer] = []
        for clip in language.announcement(of: notice.amount, notice.currency) {
            clips.append(try SoundLoader.load("\(directory)/\(language.rawValue)/\(clip.name).wav"))
        }
        return try Announcement(joining: clips, category: .playback, options: options, expiry: expiry)
    }

    /// Checks that every recording is there, so that a missing one is found before a payment needs it.
    ///
    /// - Throws: ``RingerError`` for the first one that is not.
    func check() throws(RingerError) {
        guard let directory else { return }
        for clip in language.clips { _ = try SoundLoader.info("\(directory)/\(language.rawValue)/\(clip.name).wav") }
    }

    /// Two tones, 0.4 s.
    private static let chime: PCMBuffer = {
        let rate = 24_000
        var samples: [Int16] = []
        for (frequency, length) in [(660.0, 0.15), (880.0, 0.25)] {
            let frames = Int(length * Double(rate))
            for frame in 0..<frames {
                let fade = 1 - Double(frame) / Double(frames)
                let phase = 2 * Double.pi * frequency * Double(frame) / Double(rate)
                samples.append(Int16(sin(phase) * fade * 16_000))
            }
        }
        return PCMBuffer(sampleRate: Double(rate), channels: 1, samples: samples)
    }()
}
