import Ringer
import RingerBus

/// A program on the bus for which something was begun, until it leaves the bus. It is used on the loop's thread alone.
final class ServiceClient {
    /// Its unique name.
    let name: String
    /// Who it is, as the bus vouches for it.
    let credentials: Authorization.Credentials
    /// Watches for its leaving the bus.
    var watch: BusName?
    /// The requests that have not ended.
    var requests: Set<UInt32> = []
    /// Its sessions.
    var sessions: [UInt32: ServiceSession] = [:]
    /// Its system sounds, which nobody else can name.
    let sounds: SystemSoundServices

    init(_ name: String, _ credentials: Authorization.Credentials, _ sounds: SystemSoundServices) {
        self.name = name
        self.credentials = credentials
        self.sounds = sounds
    }
}

/// A session of a client, and the task that passes its events on.
final class ServiceSession {
    let session: AudioSession
    let path: String
    /// Passes its events on to its owner.
    var events: Task<Void, Never>?
    /// Whether its owner waits: an activation was refused, and the owner was not informed since that it would be admitted.
    var isRefused = false
    /// The properties as its owner was last informed of them.
    private var published: [String: BusValue] = [:]

    init(_ session: AudioSession, _ path: String) {
        self.session = session
        self.path = path
        published = properties
        // Its owner does not read the properties of a new session, and takes it for the only one that plays.
        published["OtherAudioPlaying"] = .boolean(false)
    }

    var properties: [String: BusValue] {
        var values: [String: BusValue] = [:]
        for property in BusInterface.session.properties { values[property.name] = value(of: property.name) }
        return values
    }

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
}
