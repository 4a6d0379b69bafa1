import Glibc
import PaymentRules
import Ringer

/// The sound of announcements: recordings joined without a gap, or a chime where there are none.
struct Announcer {
    var language: Language
    /// The directory of the recordings; nil for none.
    var directory: String?
    var policy: Options.Policy

    /// The announcement of a payment. If its recordings cannot be used, it is the chime, and `fault` says why: a payment is
    /// never silent for want of a word, and never holds up the others.
    ///
    /// The recordings are read each time: a board has little memory, and the kernel keeps the files that are read often.
    ///
    /// - Parameters:
    ///   - prefaces: What is said before it.
    ///   - expiry: How long the announcement may wait for others and for calls; nil for no limit.
    func announcement(
        of notice: Notice, _ prefaces: [Preface] = [], expiry: Duration?
    ) -> (announcement: Announcement, fault: RingerError?) {
        let options: CategoryOptions = policy == .announce ? [] : .honoursRingSilentSwitch
        var fault: RingerError?
        do throws(RingerError) {
            let clips = language.announcement(of: notice.amount, notice.currency, prefaces)
            if let spoken = try recordings(of: clips) {
                return (Announcement(spoken, category: .playback, options: options, expiry: expiry), nil)
            }
        } catch {
            fault = error
        }
        return (
            Announcement(
                prefaces.isEmpty ? Self.chime : Self.chimeAgain, category: .playback, options: options, expiry: expiry),
            fault
        )
    }

    /// Joins every recording, so that one that is missing, cut short or of another format is found before a payment needs
    /// it.
    ///
    /// - Returns: What is wrong with the first such recording; nil if all can be used.
    func check() -> RingerError? {
        do throws(RingerError) {
            _ = try recordings(of: language.clips)
            return nil
        } catch {
            return error
        }
    }

    /// The recordings of these clips, joined; nil if there are no recordings.
    private func recordings(of clips: [Clip]) throws(RingerError) -> PCMBuffer? {
        guard let directory else { return nil }
        var joined: PCMBuffer?
        for clip in clips {
            let path = "\(directory)/\(language.rawValue)/\(clip.name).wav"
            func refusal(_ detail: String) -> RingerError {
                RingerError(.invalid, "join the recording", path, detail: detail)
            }
            // Without a word, or half of one, another amount would be heard.
            if try SoundLoader.info(path).isTruncated { throw refusal("it is cut short") }
            let sound = try SoundLoader.load(path)
            guard sound.frames > 0 else { throw refusal("it is empty") }
            guard var begun = joined else {
                joined = sound
                continue
            }
            guard sound.sampleRate == begun.sampleRate, sound.channels == begun.channels else {
                throw refusal(
                    "it has \(sound.channels) channels at \(sound.sampleRate) Hz, those before it "
                        + "\(begun.channels) at \(begun.sampleRate) Hz")
            }
            // Not copied: nothing else refers to the samples while they grow.
            joined = nil
            begun.samples += sound.samples
            joined = begun
        }
        return joined
    }

    /// Two tones, 0.4 s.
    private static let chime = tones([(660, 0.15), (880, 0.25)])
    /// The chime after a lower tone.
    private static let chimeAgain = tones([(440, 0.3), (660, 0.15), (880, 0.25)])

    /// Tones that fade, by their frequencies in hertz and lengths in seconds.
    private static func tones(_ tones: [(frequency: Double, length: Double)]) -> PCMBuffer {
        let rate = 24_000
        var samples: [Int16] = []
        for (frequency, length) in tones {
            let frames = Int(length * Double(rate))
            for frame in 0..<frames {
                let fade = 1 - Double(frame) / Double(frames)
                let phase = 2 * Double.pi * frequency * Double(frame) / Double(rate)
                samples.append(Int16(sin(phase) * fade * 16_000))
            }
        }
        return PCMBuffer(sampleRate: Double(rate), channels: 1, samples: samples)
    }
}
