import RingerServices
import Synchronization

/// Switches a sound card to the output of the sound that is about to play, as its use-case configuration says.
final class UseCaseSwitch: Sendable {
    private struct State: ~Copyable {
        var manager: UseCaseManager?
        /// The output that is switched on.
        var device: String?
    }

    private let useCases: UseCases
    private let state = Mutex(State())
    private let requested = Mutex<AudioRoute?>(nil)

    /// A switch of the card that `useCases` describes. The card is not touched before ``select(_:)``.
    init(_ useCases: UseCases) {
        self.useCases = useCases
    }

    /// Whether the card has to be switched for `route`. Only the first caller with another route gets true.
    func isNeeded(for route: AudioRoute) -> Bool {
        guard useCases.outputs[route] != nil else { return false }
        return requested.withLock { requested in
            defer { requested = route }
            return requested != route
        }
    }

    /// Turns off the output that is on, and `route`'s on. The first call selects the use case. Blocks while the
    /// configuration's sequences run, which may pause.
    ///
    /// - Throws: ``RingerError`` if the configuration or a mixer setting in it fails; the next sound tries again.
    func select(_ route: AudioRoute) throws(RingerError) {
        guard let device = useCases.outputs[route]?.device else { return }
        ALSAMessages.keepOnThisThread()
        do throws(RingerError) {
            try state.withLock { state throws(RingerError) in try Self.select(device, useCases, &state) }
        } catch {
            requested.withLock { $0 = nil }
            throw error
        }
    }

    private static func select(
        _ device: String, _ useCases: UseCases, _ state: inout State
    ) throws(RingerError) {
        if state.manager == nil {
            let manager = try UseCaseManager(card: useCases.card)
            try manager.set("_verb", useCases.verb)
            state.manager = consume manager
        }
        if let old = state.device, old != device {
            try state.manager?.set("_disdev", old)
            state.device = nil
        }
        if state.device == nil {
            try state.manager?.set("_enadev", device)
            state.device = device
        }
    }
}
