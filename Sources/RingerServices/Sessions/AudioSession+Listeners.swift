// Who is told of the properties' changes.
extension AudioSession {
    /// The changes of a property from now on, until the stream is dropped.
    ///
    /// A slow reader of a state finds its newest value; of happenings, such as route changes, the newest 64.
    ///
    /// - Throws: ``SessionError/Code/unsupportedProperty`` where there is no such property, or it can only be set.
    public func changes(
        of property: FourCharacterCode
    ) throws(SessionError) -> AsyncStream<SessionListenerQueues.Notification> {
        try require(property, "listen to") { entry throws(SessionError) in
            let (listener, _) = try entry.listeners.add(property, entry.ownClientData)
            entry.ownClientData -= 1
            // Adding the listener found the property.
            guard let property = SessionProperty(code: property) else { return AsyncStream { $0.finish() } }
            return entry.queues.open(listener, of: property)
        }
    }

    /// Has `body` called at each change of a property, in order, never under a lock and never two at a time, on a thread
    /// of the listeners' own. However slow it is, and should it block for ever, it delays neither sound nor other
    /// listeners.
    ///
    /// There is one listener for each pair of a property and client data: another one takes its place.
    ///
    /// - Throws: ``SessionError/Code/unsupportedProperty`` where there is no such property, or it can only be set.
    public func addListener(
        _ property: FourCharacterCode, clientData: UInt = 0,
        _ body: @escaping @Sendable (SessionListenerQueues.Notification) -> Void
    ) throws(SessionError) {
        try require(property, "listen to") { entry throws(SessionError) in
            let (listener, replaced) = try entry.listeners.add(property, clientData)
            if let replaced { entry.queues.close(replaced) }
            if let property = SessionProperty(code: property) {
                entry.queues.open(listener, of: property, calling: body)
            }
        }
    }

    /// Removes the listener of a property and client data. What it was not told yet, it is still told.
    ///
    /// - Throws: ``SessionError/Code/unsupportedProperty`` where there is no such property, or it can only be set.
    public func removeListener(_ property: FourCharacterCode, clientData: UInt = 0) throws(SessionError) {
        try require(property, "stop listening to") { entry throws(SessionError) in
            if let removed = try entry.listeners.remove(property, clientData) { entry.queues.close(removed) }
        }
    }

    /// Removes every listener of a property.
    ///
    /// - Throws: ``SessionError/Code/unsupportedProperty`` where there is no such property, or it can only be set.
    public func removeListeners(of property: FourCharacterCode) throws(SessionError) {
        try require(property, "stop listening to") { entry throws(SessionError) in
            for removed in try entry.listeners.removeAll(property) { entry.queues.close(removed) }
        }
    }
}
