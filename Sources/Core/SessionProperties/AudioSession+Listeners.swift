import FourCharacterCodes
import RingerCore

// Listeners of the properties' changes.
extension AudioSession {
    /// The changes of a property from now on, until the stream is dropped.
    ///
    /// A slow reader of a state gets its newest value; of happenings, such as route changes, the newest 64.
    ///
    /// - Throws: `SessionError.Code.unsupportedProperty` where there is no such property, or it can only be set.
    public func changes(
        of property: FourCharacterCode
    ) throws(SessionError) -> AsyncStream<SessionPropertyNotification> {
        let follower = SessionPropertyFollower.of(service)
        return try with(property, "listen to") { [id] entry throws(SessionError) in
            let clientData = entry.ownClientData
            let (listener, _) = try entry.listeners.add(property, clientData)
            entry.ownClientData -= 1
            // Adding the listener has checked the property.
            guard let known = SessionProperty(code: property) else { return AsyncStream { $0.finish() } }
            return entry.queues.open(listener, of: known) { [weak follower] in
                follower?.streamDropped(property, clientData, of: id)
            }
        }
    }

    /// Calls `body` at each change of a property, in order, outside locks and one call at a time, on a thread of the
    /// listeners' own. A slow or blocked listener delays neither sound nor other listeners.
    ///
    /// There is one listener for each pair of a property and client data: a new one replaces the old one.
    ///
    /// - Throws: `SessionError.Code.unsupportedProperty` where there is no such property, or it can only be set.
    public func addListener(
        _ property: FourCharacterCode, clientData: UInt = 0,
        _ body: @escaping @Sendable (SessionPropertyNotification) -> Void
    ) throws(SessionError) {
        try close(property, "listen to") { entry throws(SessionError) in
            let (listener, replaced) = try entry.listeners.add(property, clientData)
            if let property = SessionProperty(code: property) {
                entry.queues.open(listener, of: property, calling: body)
            }
            return replaced.map { [$0] } ?? []
        }
    }

    /// Removes the listener of a property and client data. It is still called for changes before its removal.
    ///
    /// - Throws: `SessionError.Code.unsupportedProperty` where there is no such property, or it can only be set.
    public func removeListener(_ property: FourCharacterCode, clientData: UInt = 0) throws(SessionError) {
        try close(property, "stop listening to") { entry throws(SessionError) in
            try entry.listeners.remove(property, clientData).map { [$0] } ?? []
        }
    }

    /// Removes every listener of a property.
    ///
    /// - Throws: `SessionError.Code.unsupportedProperty` where there is no such property, or it can only be set.
    public func removeListeners(of property: FourCharacterCode) throws(SessionError) {
        try close(property, "stop listening to") { entry throws(SessionError) in
            try entry.listeners.removeAll(property)
        }
    }

    /// Closes the queues of the listeners that `body` removes, once it has returned and no lock is held.
    private func close(
        _ property: FourCharacterCode, _ operation: String,
        _ body: (inout SessionPropertyFollower.Entry) throws(SessionError) -> [SessionListenerID]
    ) throws(SessionError) {
        let (queues, removed) = try with(property, operation) { entry throws(SessionError) in
            let removed = try body(&entry)
            return (entry.queues, removed)
        }
        for listener in removed { queues.close(listener) }
    }

    private func with<Value: Sendable>(
        _ property: FourCharacterCode, _ operation: String,
        _ body: (inout SessionPropertyFollower.Entry) throws(SessionError) -> Value
    ) throws(SessionError) -> Value {
        guard let follower = SessionPropertyFollower.of(service) else { throw closed("\(operation) \(property)") }
        return try follower.with(self, "\(operation) \(property)", body)
    }
}
