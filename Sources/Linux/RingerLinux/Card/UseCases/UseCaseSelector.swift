import RingerCore
import SystemPackage

/// Switches a sound card to the output of the sound that is about to play, as its use-case configuration says.
/// ``select(_:)`` runs on an opener's thread, the rest on the sound thread.
// SAFETY: `requested`, `card` and `missing` are used on the sound thread only. `change`, `opened` and `on` are used by `select`
// alone, which the threads of a `PCMOpener` call one after another; its lock orders them.
final class UseCaseSelector: @unchecked Sendable {
    /// Carries out a change: its identifier and value. The corresponding C function is `snd_use_case_set`.
    typealias Change = (_ identifier: String, _ value: String) throws(RingerError) -> Void

    private let useCases: UseCases
    private let pcm: String
    private let open: @Sendable () throws(RingerError) -> Change
    /// That of the open manager; nil before the first switch, and after one that failed.
    private var change: Change?
    /// The card's file when it was opened.
    private var opened: FileIdentity?
    /// The outputs that may be switched on: after a failure more than one.
    private var on: [String] = []
    /// The route that was asked for last; nil if the card has to be switched before the next sound.
    private(set) var requested: AudioRoute?
    /// The card that was there then.
    private var card: FileIdentity?
    /// The routes without an output that sounds were played on.
    private var missing: Set<AudioRoute> = []

    /// A selector for the card that `useCases` describes. The card is not touched before ``select(_:)``.
    ///
    /// - Parameters:
    ///   - pcm: The PCM of the routes that have no PCM of their own.
    ///   - open: Opens the card's use-case manager; nil for alsa-lib's.
    init(_ useCases: UseCases, pcm: String, open: (@Sendable () throws(RingerError) -> Change)? = nil) {
        self.useCases = useCases
        self.pcm = pcm
        if let open {
            self.open = open
        } else {
            self.open = { () throws(RingerError) in try Self.open(card: useCases.card) }
        }
    }

    private static func open(card: Int) throws(RingerError) -> Change {
        let manager = try UseCaseManager(card: card)
        func set(_ identifier: String, _ value: String) throws(RingerError) { try manager.set(identifier, value) }
        return set
    }

    /// Where the card's file comes and goes.
    var directory: FilePath { useCases.controlFile.removingLastComponent() }

    /// Whether the configuration has an output for `route`.
    func hasOutput(for route: AudioRoute) -> Bool { useCases.output(of: route) != nil }

    /// A sound is about to be played on `route`, which has no output, and the PCM `name`: the card stays as it is, and the
    /// next sound of a route with an output switches it.
    ///
    /// - Returns: The error, and whether it is the first one of that route; nil if the PCM is another card's.
    func misses(_ route: AudioRoute, _ name: String) -> (error: RingerError, isNew: Bool)? {
        guard name == pcm || useCases.outputs.contains(where: { $0.pcm == name }) else { return nil }
        hasFailed()
        let detail = "\(useCases.verb) in \(useCases.file) has no such output"
        let error = RingerError(.notFound, "switch to \(route)", "sound card", detail: detail)
        return (error, missing.insert(route).inserted)
    }

    /// Whether the card has to be switched for `route`. If so, notes it as the one that was asked for last.
    func isNeeded(for route: AudioRoute) -> Bool {
        if requested == route { return false }
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

    /// Turns off the outputs that are on, and `route`'s on. The first call selects the use case. Blocks while the
    /// configuration's sequences run, which may pause. Must be called on an opener's thread.
    ///
    /// - Parameter route: The route; nil to close a card that is gone, whose number and driver are free only then.
    /// - Throws: ``RingerError`` if the configuration or a mixer setting in it fails; see ``hasFailed()``. `route`'s output is
    ///   turned on though another one could not be turned off.
    func select(_ route: AudioRoute?) throws(RingerError) {
        guard let route, let wanted = useCases.output(of: route)?.device else { return forget() }
        ALSAMessages.keepOnThisThread()
        let file = FileIdentity(useCases.controlFile)
        if file != opened { forget() }
        do throws(RingerError) {
            let isNew = self.change == nil
            if isNew { try begin(file) }
            guard let change = self.change else { return }
            var failure: RingerError?
            for output in on where output != wanted {
                do throws(RingerError) {
                    // A new manager takes every output for off, and would do nothing to turn it off.
                    if isNew { try change("_enadev", output) }
                    try change("_disdev", output)
                    on.removeAll { $0 == output }
                } catch {
                    failure = failure ?? error
                }
            }
            if isNew || !on.contains(wanted) {
                // Half of it may be on if this fails.
                if !on.contains(wanted) { on.append(wanted) }
                try change("_enadev", wanted)
            }
            if let failure { throw failure }
        } catch {
            // The manager does not know what is on.
            self.change = nil
            throw error
        }
    }

    private func begin(_ file: FileIdentity?) throws(RingerError) {
        let change = try open()
        opened = file
        try change("_verb", useCases.verb)
        self.change = change
    }

    private func forget() {
        change = nil
        on = []
    }
}
