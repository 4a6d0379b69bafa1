import RingerCore
import RingerBus

/// A session of a client as an object on the bus. It runs on the event loop's thread.
final class ServiceSession {
    let session: AudioSession
    let owner: ServiceClient
    /// Its place among the sessions.
    private let share: BudgetShare
    let number: UInt32
    let path: String
    /// Passes its events on to its owner.
    var events: Task<Void, Never>?
    /// Whether its owner waits: an activation was refused, and the owner was not informed since that it would be admitted.
    var isRefused = false
    /// The properties as its owner was last informed of them.
    private var published: [String: BusValue] = [:]

    init(_ session: AudioSession, of owner: ServiceClient, _ share: BudgetShare, _ number: UInt32, _ path: String) {
        (self.session, self.owner, self.share, self.number, self.path) = (session, owner, share, number, path)
        published = properties
        // Its owner does not read the properties of a new session, and takes it for the only one that plays.
        published["OtherAudioPlaying"] = .boolean(false)
    }

    var properties: [String: BusValue] { BusInterface.session.values(value) }

    /// The properties that have changed since this was called last.
    func takeChanges() -> [String: BusValue] {
        let now = properties
        defer { published = now }
        return now.filter { published[$0.key] != $0.value }
    }

    /// Whether what refused its activation is over, which its owner is to be informed of: true once after a refusal.
    func takeEndOfRefusal() -> Bool {
        guard isRefused, !session.service.refusesActivation(of: session.id) else { return false }
        isRefused = false
        // It may have resumed after an interruption meanwhile.
        return !session.isActive
    }

    func value(of property: String) -> BusValue {
        switch property {
        case "Name": .string(session.name)
        case "Priority": .int32(Int32(clamping: session.priority.rawValue))
        case "Category": .string(session.category.rawValue)
        case "Options": .strings(session.options.names)
        case "Background": .boolean(session.isInBackground)
        case "Spoken": .boolean(session.state?.settings.isSpoken ?? false)
        case "ActiveSince": .uint64(session.state.map { $0.phase == .inactive ? 0 : $0.activation } ?? 0)
        case "Phase": .string(session.state?.phase.rawValue ?? "inactive")
        case "Route": .string(session.route?.output?.rawValue ?? "")
        case "Ducked": .boolean(session.state?.isDucked ?? false)
        case "OtherAudioPlaying": .boolean(session.service.facts(of: session.id)?.isOtherAudioPlaying ?? false)
        default: .string("")
        }
    }

    func set(_ property: String, _ value: BusValue) throws {
        switch property {
        case "Category":
            guard let category = value.string.flatMap(AudioCategory.init(rawValue:)) else { break }
            return try session.setCategory(category)
        case "Options":
            guard let options = value.strings.flatMap({ CategoryOptions(names: $0) }) else { break }
            return try session.setOptions(options)
        case "Background": return try session.setInBackground(value.boolean ?? false)
        case "Spoken": return try session.setSpoken(value.boolean ?? false)
        default: break
        }
        throw BusError.invalidArguments("\(property) cannot have this value")
    }
}
