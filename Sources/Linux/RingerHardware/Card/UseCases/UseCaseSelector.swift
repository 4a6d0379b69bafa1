import RingerCore
import Synchronization

/// Switches a sound card to the output of the sound that is about to play, as its use-case configuration says.
/// ``select(_:)`` runs on an opener's thread; any thread may call the rest.
// SAFETY: `manager` and `device` are used by `select` alone, which the threads of a `PCMOpener` call one after another; its
// lock orders them.
final class UseCaseSelector: @unchecked Sendable {
    private let useCases: UseCases
    private var manager: UseCaseManager?
    /// The output that is switched on.
    private var device: String?
    /// The route that was asked for last, as an ``AudioRouteSet``.
    private let requested = Atomic<UInt8>(0)

    /// A selector for the card that `useCases` describes. The card is not touched before ``select(_:)``.
    init(_ useCases: UseCases) {
        self.useCases = useCases
    }

    /// Whether the card has to be switched for `route`. Only the first caller with another route gets true.
    func isNeeded(for route: AudioRoute) -> Bool {
        guard useCases.output(of: route) != nil else { return false }
        let route = AudioRouteSet(route).rawValue
        return requested.exchange(route, ordering: .relaxed) != route
    }

    /// The card could not be switched, or switching it did not return in time: the next sound tries again.
    func hasFailed() {
        requested.store(0, ordering: .relaxed)
    }

    /// Turns off the output that is on, and `route`'s on. The first call selects the use case. Blocks while the
    /// configuration's sequences run, which may pause. Must be called on an opener's thread.
    ///
    /// - Throws: ``RingerError`` if the configuration or a mixer setting in it fails; see ``hasFailed()``.
    func select(_ route: AudioRoute) throws(RingerError) {
        guard let wanted = useCases.output(of: route)?.device else { return }
        ALSAMessages.keepOnThisThread()
        do throws(RingerError) {
            if manager == nil {
                let opened = try UseCaseManager(card: useCases.card)
                try opened.set("_verb", useCases.verb)
                manager = consume opened
            }
            if let device, device != wanted {
                try manager?.set("_disdev", device)
                self.device = nil
            }
            if device == nil {
                try manager?.set("_enadev", wanted)
                device = wanted
            }
        } catch {
            // The card may have gone, and come back: begin anew.
            manager = nil
            device = nil
            throw error
        }
    }
}
