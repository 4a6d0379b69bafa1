import RingerCore
import SystemPackage

/// The jacks that a sound card shows as controls: headphones and microphone.
///
/// For cards whose driver creates no input device for its jacks; see ``JackSource`` for the others. If a card has
/// several jacks of a kind, one that is plugged in counts. Controls added later are taken in. A missing card is waited
/// for, and reported as ``DeviceStateChange/lost(_:)`` until it appears. Any thread may use it; it reads and
/// reports on the event loop's. The corresponding C functions are `snd_ctl_read` and `snd_ctl_elem_read`.
package final class JackControls: DeviceStateSource {
    private let reader: HotplugReader<Opened>

    /// The jacks of a card.
    ///
    /// - Parameters:
    ///   - card: The card's id, such as "Dummy", or its number; nil for the one of the lowest number.
    ///   - useCases: The configuration that names the jacks' controls; nil to know them by the names that drivers use.
    ///   - loop: The thread that it runs on.
    ///   - paths: Where the cards' files come and go.
    package init(
        card: String? = nil, useCases: UseCases? = nil, loop: EventLoop, paths: HardwarePaths = .standard
    ) {
        reader = HotplugReader(
            loop: loop, name: "jacks of \(SoundCard.subject(card))", directory: paths.sound, awaited: .always
        ) { () throws(RingerError) in
            Opened(try CardControls(try SoundCard.find(card, in: paths.sound)), useCases)
        }
    }

    deinit {
        reader.closeSoon()
    }

    /// "jacks of sound card 0".
    package var name: String { reader.name }

    /// Starts watching. Before it returns, reports what is plugged in now, for the jacks that the card has.
    package func start(_ handler: @escaping @Sendable (DeviceStateChange) -> Void) throws(RingerError) {
        try reader.startReporting(handler)
    }

    /// Ends watching and closes the card's controls. May be called from the handler; elsewhere it waits for a running
    /// call of the handler, so the caller must not hold a lock that the handler takes.
    package func close() {
        reader.close()
    }

    /// The open controls.
    private struct Opened: ~Copyable, WatchedDevice {
        private let controls: CardControls
        private let identity: FileIdentity?
        private let useCases: UseCases?
        private var jacks: [(kind: JackName.Kind, element: CardControls.Element)] = []
        private var told: [JackName.Kind: Bool] = [:]

        init(_ controls: consuming CardControls, _ useCases: UseCases?) {
            identity = FileIdentity(controls.card.controlFile)
            self.useCases = useCases
            self.controls = controls
        }

        var name: String { "jacks of \(controls.card.description)" }
        var descriptor: CInt { controls.descriptor }
        var isPresent: Bool { identity?.isThere ?? false }

        mutating func begin(now: MonotonicTime, into reports: inout [DeviceStateChange]) throws(RingerError) {
            try list()
            try tell(into: &reports)
        }

        mutating func read(
            isReady: Bool, now: () -> MonotonicTime, into reports: inout [DeviceStateChange]
        ) throws(RingerError) -> Bool {
            guard isReady else { return false }
            let changes = try controls.changes()
            if changes.hasOtherElements { try list() }
            if changes.hasOtherElements || changes.hasOtherValues { try tell(into: &reports) }
            return false
        }

        private mutating func list() throws(RingerError) {
            let useCases = useCases
            jacks = try controls.booleans { !Self.kinds(of: $0, useCases).isEmpty }.flatMap { element in
                Self.kinds(of: element.name, useCases).map { (kind: $0, element: element) }
            }
        }

        /// What the control `name` reports; a configuration may have one for headphones and microphone together.
        private static func kinds(of name: String, _ useCases: UseCases?) -> [JackName.Kind] {
            guard let useCases else { return JackName.kind(of: name).map { [$0] } ?? [] }
            return (useCases.headphoneJacks.contains(name) ? [.headphone] : [])
                + (useCases.microphoneJacks.contains(name) ? [.microphone] : [])
        }

        private mutating func tell(into reports: inout [DeviceStateChange]) throws(RingerError) {
            // If the last jack of a kind was removed, nothing of that kind is plugged in.
            var now = told.mapValues { _ in false }
            for jack in jacks {
                guard let isOn = try controls.isOn(jack.element) else { continue }
                now[jack.kind] = (now[jack.kind] ?? false) || isOn
            }
            for (kind, isInserted) in [(JackName.Kind.headphone, now[.headphone]), (.microphone, now[.microphone])] {
                guard let isInserted, told[kind] != isInserted else { continue }
                told[kind] = isInserted
                reports.append(kind == .headphone ? .headphoneInserted(isInserted) : .microphoneInserted(isInserted))
            }
        }
    }
}

/// The purpose of a card's jack control, by its name.
///
/// Drivers use names such as "Headphone Jack", "Front Headphone Jack", "Headset Mic Jack" and "Mic Jack". A "Phantom
/// Jack" detects nothing and is always on. The corresponding kernel document is
/// Documentation/sound/designs/jack-controls.rst.
enum JackName {
    /// What is plugged into a jack.
    enum Kind: Sendable, Hashable {
        case headphone, microphone
    }

    /// What is plugged into the jack `name`; nil if that is neither of the two, or the name is not a jack's.
    ///
    /// A jack for both, such as "Headset Jack" or "Headphone Mic Jack", does not report which of the two it holds, and
    /// counts as headphones.
    static func kind(of name: String) -> Kind? {
        guard name.hasSuffix(" Jack"), !name.hasSuffix(" Phantom Jack") else { return nil }
        if name.contains(part: "Headphone") { return .headphone }
        if name.contains(part: "Mic") { return .microphone }
        return name.contains(part: "Headset") ? .headphone : nil
    }
}
