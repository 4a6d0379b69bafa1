import Glibc
import PaymentRules
import Ringer

/// The sound of announcements: recordings joined without a gap, or a chime where there are none.
struct Announcer {
    /// The directory of the languages, each a folder of rules and recordings; nil for none.
    private let directory: String?
    /// The name of the language.
    private let name: String
    var policy: Options.Policy
    /// Its rules; nil if they could not be read.
    private let language: Language?

    /// An announcer. Rules that cannot be read are a fault of ``check()`` and of each announcement.
    init(directory: String?, language: String, policy: Options.Policy) {
        (self.directory, name, self.policy) = (directory, language, policy)
        self.language = directory.flatMap { try? Voices.language("\($0)/\(language)") }
    }

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
            if let spoken = try recordings({ language throws(RuleFault) in
                try language.announcement(of: notice.amount, prefaces)
            }) {
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
            _ = try recordings { language throws(RuleFault) in language.clips }
            return nil
        } catch {
            return error
        }
    }

    /// Speaks thousands of amounts in every currency, which takes a while.
    ///
    /// - Returns: What is wrong with the rules; nil if every amount can be told from the others, or for rules that cannot be
    ///   read: see ``check()``.
    func faultOfRules() -> RingerError? {
        guard let directory, let fault = language?.fault() else { return nil }
        return Self.error(fault, "\(directory)/\(name)")
    }

    private static func error(_ fault: RuleFault, _ folder: String) -> RingerError {
        RingerError(.invalid, "speak by", folder + "/rules", detail: fault.reason)
    }

    /// The recordings of clips of the language, joined; nil if there are no recordings.
    private func recordings(_ choose: (Language) throws(RuleFault) -> [Clip]) throws(RingerError) -> PCMBuffer? {
        guard let directory else { return nil }
        let folder = "\(directory)/\(name)"
        // Once its rules can be read, they are.
        let language = if let language { language } else { try Voices.language(folder) }
        let clips: [Clip]
        do throws(RuleFault) {
            clips = try choose(language)
        } catch {
            throw Self.error(error, folder)
        }
        var joined: PCMBuffer?
        for clip in clips {
            let path = "\(folder)/\(clip.name).wav"
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
