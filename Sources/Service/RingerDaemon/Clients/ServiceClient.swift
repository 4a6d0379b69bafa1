import Ringer
import RingerBus

/// A program on the bus for which something was begun, until it leaves the bus. It runs on the event loop's thread.
final class ServiceClient {
    /// Its unique name.
    let name: String
    /// Who it is, as the bus vouches for it.
    let credentials: Authorization.Credentials
    /// Watches for its leaving the bus.
    var watch: BusName?
    /// The requests that have not ended.
    var requests: Set<UInt32> = []
    /// The sessions that it has not released.
    var sessions: Set<UInt32> = []
    /// Its system sounds, which nobody else can name.
    let sounds: SystemSoundServices

    init(_ name: String, _ credentials: Authorization.Credentials, _ sounds: SystemSoundServices) {
        self.name = name
        self.credentials = credentials
        self.sounds = sounds
    }
}
