import FourCharacterCodes
import RingerCore

/// The number of one listener: of one pair of a property and client data.
package struct SessionListenerID: RawRepresentable, Sendable, Hashable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

/// The listeners of a session's properties: at most one for each pair of a property and client data.
///
/// A value. ``SessionListenerQueues`` carries the notifications.
package struct SessionListeners<ClientData: Hashable & Sendable>: Sendable, Hashable {
    private struct Entry: Sendable, Hashable {
        var id: SessionListenerID
        var property: FourCharacterCode
        var clientData: ClientData
    }

    private var entries: [Entry] = []
    private var newestID: UInt64 = 0

    /// No listeners.
    package init() {}

    /// Adds the listener of `property` and `clientData`, last among those of the property.
    ///
    /// - Returns: The listener, and the one of the same pair that it replaces.
    /// - Throws: `pty?` where there is no such property, or it can only be set.
    package mutating func add(
        _ property: FourCharacterCode, _ clientData: ClientData
    ) throws(SessionError) -> (added: SessionListenerID, replaced: SessionListenerID?) {
        try check(property, "listen to")
        let replaced = removeEntry(property, clientData)
        newestID += 1
        let id = SessionListenerID(rawValue: newestID)
        entries.append(Entry(id: id, property: property, clientData: clientData))
        return (id, replaced)
    }

    /// Removes the listener of `property` and `clientData`.
    ///
    /// - Returns: The listener; nil if there was none of that pair.
    /// - Throws: `pty?` where there is no such property, or it can only be set.
    package mutating func remove(
        _ property: FourCharacterCode, _ clientData: ClientData
    ) throws(SessionError) -> SessionListenerID? {
        try check(property, "stop listening to")
        return removeEntry(property, clientData)
    }

    /// Removes every listener of `property`.
    ///
    /// - Returns: The listeners, the oldest first.
    /// - Throws: `pty?` where there is no such property, or it can only be set.
    package mutating func removeAll(_ property: FourCharacterCode) throws(SessionError) -> [SessionListenerID] {
        try check(property, "stop listening to")
        defer { entries.removeAll { $0.property == property } }
        return listeners(of: property)
    }

    /// The listeners of `property`, the oldest first.
    package func listeners(of property: FourCharacterCode) -> [SessionListenerID] {
        entries.compactMap { $0.property == property ? $0.id : nil }
    }

    /// Whether there are no listeners.
    package var isEmpty: Bool { entries.isEmpty }

    private mutating func removeEntry(_ property: FourCharacterCode, _ clientData: ClientData) -> SessionListenerID? {
        guard let index = entries.firstIndex(where: { $0.property == property && $0.clientData == clientData }) else {
            return nil
        }
        return entries.remove(at: index).id
    }

    private func check(_ code: FourCharacterCode, _ operation: String) throws(SessionError) {
        guard let property = SessionProperty(code: code), property.acceptsListeners else {
            throw SessionError(.unsupportedProperty, "\(operation) \(code)")
        }
    }
}
