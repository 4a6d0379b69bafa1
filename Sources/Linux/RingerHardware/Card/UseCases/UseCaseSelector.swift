import RingerCore
import SystemPackage

/// Switches a sound card to the output of the sound that is about to play, as its use-case configuration says.
/// ``select(_:)`` runs on an opener's thread, the rest on the sound thread.
// SAFETY: `requested` and `card` are used on the sound thread only. `manager`, `opened` and `device` are used by `select`
// alone, which the threads of a `PCMOpener` call one after another; its lock orders them.
final class UseCaseSelector: @unchecked Sendable {
    private let useCases: UseCases
    private var manager: UseCaseManager?
    /// The card's file when it was opened.
    private var opened: FileIdentity?
    /// The output that is switched on.
    private var device: String?
    /// The route that was asked for last; nil if the card has to be switched before the next sound.
    private var requested: AudioRoute?
    /// The card that was there then.
    private var card: FileIdentity?

    /// A selector for the card that `useCases` describes. The card is not touched before ``select(_:)``.
    init(_ useCases: UseCases) {
        self.useCases = useCases
    }

    /// Where the card's file comes and goes.
    var directory: FilePath { useCases.controlFile.removingLastComponent() }

    /// Whether the card has to be switched for `route`. If so, notes it as the one that was asked for last.
    func isNeeded(for route: AudioRoute) -> Bool {
        guard requested != route, useCases.output(of: route) != nil else { return false }
        requested = route
        card = FileIdentity(useCases.controlFile)
        return true
    }

    /// Whether the card has gone since it was asked for; the next sound switches the one that comes back.
    func hasLostCard() -> Bool {
        guard requested != nil || card != nil, card?.isThere != true else { return false }
        (requested, card) = (nil, nil)
        return true
    }

    /// The card could not be switched, or switching it did not return in time: the next sound tries again.
    func hasFailed() {
        requested = nil
    }

    /// Turns off the output that is on, and `route`'s on. The first call selects the use case. Blocks while the
    /// configuration's sequences run, which may pause. Must be called on an opener's thread.
    ///
    /// - Parameter route: The route; nil to close a card that is gone, whose number and driver are free only then.
    /// - Throws: ``RingerError`` if the configuration or a mixer setting in it fails; see ``hasFailed()``.
    func select(_ route: AudioRoute?) throws(RingerError) {
        guard let route, let wanted = useCases.output(of: route)?.device else { return forget() }
        ALSAMessages.keepOnThisThread()
        let file = FileIdentity(useCases.controlFile)
        if file != opened { forget() }
        do throws(RingerError) {
            if manager == nil {
                let new = try UseCaseManager(card: useCases.card)
                try new.set("_verb", useCases.verb)
                manager = consume new
                opened = file
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
            forget()
            throw error
        }
    }

    private func forget() {
        manager = nil
        device = nil
    }
}
