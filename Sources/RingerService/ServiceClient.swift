import Ringer
import RingerBus

/// A program on the bus that has asked for something, until it leaves the bus. It is used on the loop's thread alone.
final class ServiceClient {
    /// Its unique name.
    let name: String
    /// What it may do; nil until the bus has answered.
    var credentials: Authorization.Credentials?
    /// What waits for the bus's answer, in the order in which it came.
    var waiting: [(ServiceClient) -> Void] = []
    /// Watches for its leaving the bus.
    var watch: BusConnection.Registration?
    /// The requests that have not ended.
    var requests: Set<UInt32> = []
    /// Its sessions.
    var sessions: [UInt32: ServiceSession] = [:]
    /// Its system sounds, which nobody else can name.
    let sounds: SystemSoundServices

    init(_ name: String, _ sounds: SystemSoundServices) {
        self.name = name
        self.sounds = sounds
    }
}

/// A session of a client, and the task that passes its events on.
final class ServiceSession {
    let session: AudioSession
    let path: String
    /// Passes its events on to its owner.
    var events: Task<Void, Never>?
    /// The properties as its owner was last informed of them.
    private var published: [String: BusValue] = [:]

    init(_ session: AudioSession, _ path: String) {
        self.session = session
        self.path = path
        published = properties
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
}
