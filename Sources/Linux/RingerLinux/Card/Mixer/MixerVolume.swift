import RingerCore
import SystemPackage

/// The output volume according to a sound card's mixer.
///
/// The volume is the element's step between its lowest and highest, 0 to 1, linear in steps as the per cent of
/// `amixer`; not decibels, which not every driver reports. The loudest channel counts. An element whose playback switch
/// is off has volume 0. A card without such an element has volume nil.
///
/// A missing card is waited for: it is reported as ``DeviceStateChange/lost(_:)`` with volume nil. The card's control
/// file is held open until the card is gone; unloading a driver waits for that. Any thread may use it; it reads,
/// sets and reports on the event loop's. The corresponding C functions are those of `snd_mixer`.
package final class MixerVolume: DeviceStateSource {
    private let reader: HotplugReader<Opened>

    /// - Parameters:
    ///   - card: The card's id, such as "Dummy", or its number; nil for the card of the lowest number.
    ///   - element: The element's name, such as "Master"; nil for the first one with a playback volume of Master,
    ///     Speaker, PCM, Headphone, Digital, Playback and then the others.
    ///   - loop: The thread that it runs on.
    ///   - paths: Where the cards' files come and go.
    package init(
        card: String? = nil, element: String? = nil, loop: EventLoop, paths: HardwarePaths = .standard
    ) {
        reader = HotplugReader(
            loop: loop, name: "volume of \(SoundCard.subject(card))", directory: paths.sound, awaited: .always
        ) { () throws(RingerError) in
            Opened(try CardMixer(try SoundCard.find(card, in: paths.sound)), element)
        }
    }

    deinit {
        reader.closeSoon()
    }

    /// "volume of sound card 0".
    package var name: String { reader.name }

    /// Starts watching. Reports the current volume before it returns.
    package func start(_ handler: @escaping @Sendable (DeviceStateChange) -> Void) throws(RingerError) {
        try reader.start { event in
            switch event {
            case .report(let volume): handler(.outputVolume(volume))
            case .lost(let error, _):
                handler(.lost(error))
                handler(.outputVolume(nil))
            case .found: handler(.found)
            }
        }
    }

    /// Ends watching and closes the mixer. May be called from the handler; elsewhere it waits for a running call of the
    /// handler, so the caller must not hold a lock that the handler takes.
    package func close() {
        reader.close()
    }

    /// Sets the volume, and reports it before it returns. The element's playback switch is turned on where the volume is
    /// above 0.
    ///
    /// - Parameter volume: The volume, 0 to 1; it becomes the nearest of the element's steps.
    /// - Throws: ``RingerError``: the card is missing, it has no such element, or the driver refuses the volume; then the
    ///   mixer is opened anew.
    package func set(_ volume: Float) throws(RingerError) {
        do throws(RingerError) {
            try reader.use("set the volume") { opened, reports throws(RingerError) in
                try opened.set(volume, into: &reports)
            }
        } catch {
            // alsa-lib has kept the values that the driver refused.
            if error.code != .unsupported { reader.reopen { _ in { _ in true } } }
            throw error
        }
    }

    /// The open mixer.
    private struct Opened: ~Copyable, WatchedDevice {
        private let mixer: CardMixer
        private let element: String?
        private let identity: FileIdentity?
        private var told: Float?

        init(_ mixer: consuming CardMixer, _ element: String?) {
            identity = FileIdentity(mixer.card.controlFile)
            self.mixer = mixer
            self.element = element
        }

        var name: String { "volume of \(mixer.card.description)" }
        var descriptor: CInt { mixer.descriptor }
        var isPresent: Bool { identity?.isThere ?? false }

        mutating func begin(now: MonotonicTime, into reports: inout [Float?]) {
            told = mixer.volume(of: element)
            reports.append(told)
        }

        mutating func read(
            isReady: Bool, now: () -> MonotonicTime, into reports: inout [Float?]
        ) throws(RingerError) -> Bool {
            guard isReady else { return false }
            try mixer.handleEvents()
            // Elements are added and removed too: look the element up again.
            report(into: &reports)
            return false
        }

        mutating func set(_ volume: Float, into reports: inout [Float?]) throws(RingerError) {
            guard try mixer.setVolume(volume, of: element) else {
                throw RingerError(
                    .unsupported, "set the volume", mixer.card.description,
                    detail: element.map { "its mixer has no \($0) with a playback volume" }
                        ?? "its mixer has no playback volume")
            }
            report(into: &reports)
        }

        private mutating func report(into reports: inout [Float?]) {
            let volume = mixer.volume(of: element)
            guard volume != told else { return }
            told = volume
            reports.append(volume)
        }
    }
}
