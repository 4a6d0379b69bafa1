import SessionRules

/// Follows the sessions of a device: a part of the program that is linked only where it is used, such as the listeners of
/// properties.
package protocol SessionFollower: AnyObject, Sendable {
    /// The facts of sessions may have changed, or routes did. An effect of the change, before the sessions' own subscribers
    /// get their events.
    ///
    /// - Parameters:
    ///   - events: What happened to sessions but `audible` and `silenced`, the oldest first. Each change of a route is
    ///     reported once.
    ///   - snapshot: Returns the newest snapshot; it may be called under the follower's lock.
    func sessionsChanged(_ events: [(SessionID, SessionEvent)], _ snapshot: () -> SessionSnapshot)

    /// The session was removed, or the device was closed.
    func sessionRemoved(_ id: SessionID)
}

/// The sessions that have a handle, their subscribers, and the last decision that subscribers received.
// SAFETY: used inside transitions and reads of the core alone, which makes one at a time.
final class SessionRegistry: @unchecked Sendable {
    struct Entry: Sendable {
        let name: String
        let events = Broadcast<SessionEvent>()
        /// The last decision that subscribers received; nil while the session is not active.
        fileprivate var decision: Decision?
    }

    /// How many events a subscriber may be behind before it loses the oldest.
    static let eventBuffer = 1024

    private let core: Core
    private(set) var entries: [SessionID: Entry] = [:]
    var follower: (any SessionFollower)?

    init(_ core: Core) {
        self.core = core
    }

    func add(_ id: SessionID, name: String) {
        entries[id] = Entry(name: name)
    }

    func remove(_ id: SessionID) {
        let entry = entries.removeValue(forKey: id)
        core.perform { [follower] in
            entry?.events.finish()
            follower?.sessionRemoved(id)
        }
    }

    /// Judges every session anew.
    ///
    /// - Returns: `audible` and `silenced` for sessions whose decision changed, in the order of their numbers.
    func judge(
        _ coordinator: SessionCoordinator, _ state: DeviceState, _ preferences: UserPreferences
    ) -> [(SessionID, SessionEvent)] {
        var conditions = SessionConditions(state, preferences, in: coordinator)
        var events: [(SessionID, SessionEvent)] = []
        for session in coordinator.sessions {
            guard let index = entries.index(forKey: session.id) else { continue }
            let decision = session.isActive ? conditions.decision(on: session) : nil
            let before = entries.values[index].decision
            if decision == before { continue }
            entries.values[index].decision = decision
            guard let decision else { continue }
            if decision.isHeard {
                if before?.isHeard != true { events.append((session.id, .audible)) }
            } else if before?.isHeard != false || before?.reason != decision.reason {
                events.append((session.id, .silenced(by: decision.reason)))
            }
        }
        return events
    }
}
