import RingerBus

/// Who may do what, by the credentials that the bus vouches for.
package struct Authorization: Sendable {
    /// What a call needs.
    package enum Permission: Sendable {
        /// Everybody: read the state, decide.
        case read
        /// Make sounds, vibrate, open sessions, detect.
        case play
        /// Play critical sounds, change preferences and the volume, stop the requests of others.
        case control
    }

    /// Who calls.
    package typealias Credentials = BusCaller

    /// The users that may do everything, root among them.
    package var controllingUsers: Set<UInt32> = [0]
    /// The groups whose members may do everything.
    package var controllingGroups: Set<UInt32> = []
    /// The groups whose members may play.
    package var playingGroups: Set<UInt32> = []

    /// Only root may do anything but read.
    package init() {}

    /// The most that a caller with these credentials may do.
    package func highest(of credentials: Credentials) -> Permission {
        allows(credentials, .control) ? .control : allows(credentials, .play) ? .play : .read
    }

    /// Whether a caller with these credentials may do it.
    package func allows(_ credentials: Credentials, _ permission: Permission) -> Bool {
        switch permission {
        case .read: true
        case .control:
            controllingUsers.contains(credentials.user) || !controllingGroups.isDisjoint(with: credentials.groups)
        case .play:
            allows(credentials, .control) || !playingGroups.isDisjoint(with: credentials.groups)
        }
    }
}
