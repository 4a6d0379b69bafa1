import RingerServices
import SystemPackage

/// The output volume, as a sound card's mixer has it: read, and followed.
///
/// The volume is the place of the mixer's element between its lowest and highest step, evenly by steps, as `amixer` shows
/// it in per cent; not decibels, which not every driver tells. Of several channels the loudest counts, and an element
/// whose playback switch is off is at 0. A card without such an element has no volume, which is nil.
///
/// A card that is missing is awaited: ``DeviceStateChange/lost(_:)`` and a volume of nil are what is so now. It holds the
/// card's control file open, which a driver waits for when it is unloaded; it lets go as soon as the card is gone. The
/// corresponding C functions are those of `snd_mixer`.
package final class MixerVolume: DeviceStateSource {
    private let watcher: DeviceWatcher<Source>

    /// The volume of a card.
    ///
    /// - Parameters:
    ///   - card: The card's id, such as "Dummy", or its number; nil for the one of the lowest number.
    ///   - element: The element's name, such as "Master"; nil for the first that has a playback volume, of Master,
    ///     Speaker, PCM, Headphone, Digital, Playback and then the others.
    ///   - loop: The thread that it runs on.
    ///   - paths: Where the cards' files come and go.
    package init(
        card: String? = nil, element: String? = nil, loop: EventLoop, paths: HardwarePaths = .standard
    ) {
        watcher = DeviceWatcher(
            loop: loop, name: "volume of \(SoundCard.subject(card))", directory: paths.sound, awaited: .always
        ) { () throws(RingerError) in
            Source(try CardMixer(try SoundCard.find(card, in: paths.sound)), element)
        }
    }

    deinit {
        watcher.closeSoon()
    }

    /// "volume of sound card 0".
    package var name: String { watcher.name }

    /// Begins to watch. What the volume is now is told before it returns.
    package func start(_ handler: @escaping @Sendable (DeviceStateChange) -> Void) throws(RingerError) {
        try watcher.start { event in
            switch event {
            case .report(let volume): handler(.outputVolume(volume))
            case .lost(let error, _):
                handler(.lost(error))
                handler(.outputVolume(nil))
            case .found: handler(.found)
            }
        }
    }

    /// Ends watching and closes the mixer. It may be called from anywhere, the handler included; elsewhere it waits for a
    /// call of the handler that is under way, so the caller must hold no lock that the handler takes.
    package func close() {
        watcher.close()
    }

    /// The open mixer.
    private struct Source: ~Copyable, DeviceSource {
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
            // Elements come and go too: which one it is, is looked up anew.
            let volume = mixer.volume(of: element)
            guard volume != told else { return false }
            told = volume
            reports.append(volume)
            return false
        }
    }
}
