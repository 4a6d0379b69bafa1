import RingerHardware

/// The parts of the sound card that a device uses, and where each of them comes from: the options of
/// ``Device/Hardware``, the card's use-case configuration, or what was found.
///
/// The use-case configuration is looked for in files. If the card has one, alsa-lib is loaded and reads it.
package struct SoundParts: Sendable {
    /// Where a part comes from.
    package enum Source: String, Sendable, Hashable {
        case option
        case useCases = "UCM"
        case found
    }

    /// A part and its source.
    package struct Part<Value: Sendable & Hashable>: Sendable, Hashable {
        package var value: Value
        package var source: Source

        package init(value: Value, source: Source) {
            self.value = value
            self.source = source
        }
    }

    /// The use-case configuration; nil if the card has none, or it is faulty.
    package let useCases: UseCases?
    /// Why the use-case configuration cannot be used.
    package let problem: RingerError?
    /// The PCM of the speaker and of routes without one of their own.
    package let pcm: Part<String>
    /// The other routes that the options or the configuration name, and their PCMs.
    package let routes: [AudioRoute: Part<String>]
    /// The mixer's element of the output volume; nil for the one that ``MixerVolume`` chooses.
    package let volumeElement: Part<String?>
    /// Whether the configuration names jack controls: they are used instead of jacks that are found.
    package let hasJacks: Bool

    /// Looks for the parts that `hardware` does not name.
    package init(_ hardware: Device.Hardware) {
        var useCases: UseCases?
        var problem: RingerError?
        do throws(RingerError) {
            useCases = try UseCases.find(card: hardware.card, paths: hardware.paths)
        } catch {
            problem = error
        }
        self.useCases = useCases
        self.problem = problem
        let speaker = useCases?.outputs[.speaker].map { Part(value: $0.pcm, source: .useCases) }
        let pcm = hardware.pcm.map { Part(value: $0, source: .option) } ?? speaker
        self.pcm = pcm ?? Part(value: "default", source: .found)
        var routes = hardware.routes.mapValues { Part(value: $0, source: .option) }
        for (route, output) in useCases?.outputs ?? [:] where route != .speaker && routes[route] == nil {
            // The PCM that an option names is for every route without one of its own.
            routes[route] = Part(value: hardware.pcm ?? output.pcm, source: .useCases)
        }
        self.routes = routes
        volumeElement =
            hardware.volumeElement.map { Part(value: $0, source: .option) }
            ?? useCases?.volumeElement.map { Part(value: $0, source: .useCases) }
            ?? Part(value: nil, source: .found)
        hasJacks = useCases.map { !$0.headphoneJacks.isEmpty || !$0.microphoneJacks.isEmpty } ?? false
    }

    /// The speaker, which switches the card as the configuration says unless an option names its PCM.
    package func makeSpeaker(_ hardware: Device.Hardware) throws(RingerError) -> ALSASoundOutput {
        try ALSASoundOutput(
            pcm: pcm.value, routes: routes.mapValues(\.value), useCases: pcm.source == .useCases ? useCases : nil,
            realTimePriority: hardware.realTimePriority, busyPatience: hardware.busyPatience, linger: hardware.linger)
    }
}
