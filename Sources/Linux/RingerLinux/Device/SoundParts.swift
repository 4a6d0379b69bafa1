/// The parts of the sound card that a device uses: those that ``Device/Hardware`` names, else those of the card's use-case
/// configuration, else those that are found.
///
/// The use-case configuration is looked for in files. If the card has one, alsa-lib is loaded and reads it.
package struct SoundParts: Sendable {
    /// The use-case configuration; nil if the card has none, or it is faulty.
    package let useCases: UseCases?
    /// Why the use-case configuration cannot be used.
    package let problem: RingerError?
    /// The PCM of the speaker and of routes without one of their own.
    package let pcm: String
    /// The PCMs of the other routes that the options or the configuration name.
    package let routes: [AudioRoute: String]
    /// The mixer's element of the output volume; nil for the one that ``MixerVolume`` chooses.
    package let volumeElement: String?
    private let switchesCard: Bool

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
        pcm = hardware.pcm ?? useCases?.output(of: .speaker)?.pcm ?? "default"
        switchesCard = hardware.pcm == nil
        var routes = hardware.routes
        for output in useCases?.outputs ?? [] where output.route != .speaker && routes[output.route] == nil {
            // The PCM that an option names is for every route without one of its own.
            routes[output.route] = hardware.pcm ?? output.pcm
        }
        self.routes = routes
        volumeElement = hardware.volumeElement ?? useCases?.volumeElement
    }

    /// Whether the configuration names jack controls: they are used instead of jacks that are found.
    package var hasJacks: Bool {
        guard let useCases else { return false }
        return !useCases.headphoneJacks.isEmpty || !useCases.microphoneJacks.isEmpty
    }

    /// The speaker, which switches the card as the configuration says unless an option names its PCM.
    package func makeSpeaker(_ hardware: Device.Hardware) throws(RingerError) -> ALSASoundOutput {
        try ALSASoundOutput(
            pcm: pcm, routes: routes, useCases: switchesCard ? useCases : nil,
            realTimePriority: hardware.realTimePriority, busyPatience: hardware.busyPatience, linger: hardware.linger)
    }
}
