import FourCharacterCodes
import RingerCore
import SessionRules

// The properties by their codes, over ``SessionProperty/all``.
extension AudioSession {
    /// The property's value.
    ///
    /// - Throws: `SessionError.Code.unsupportedProperty` where there is no such property, or it cannot be read.
    public func value(of property: FourCharacterCode) throws(SessionError) -> SessionPropertyValue {
        try store(property, "get").value(of: property)
    }

    /// The size of the property's value now, in bytes.
    ///
    /// - Throws: `SessionError.Code.unsupportedProperty`.
    public func size(of property: FourCharacterCode) throws(SessionError) -> Int {
        try store(property, "get the size of").size(of: property)
    }

    /// The bytes of the property's value, for a buffer of `capacity` bytes.
    ///
    /// - Throws: `SessionError.Code.unsupportedProperty`; `SessionError.Code.badPropertySize` where the buffer is too
    ///   small.
    public func bytes(of property: FourCharacterCode, capacity: Int) throws(SessionError) -> [UInt8] {
        try store(property, "get").bytes(of: property, capacity: capacity)
    }

    /// Sets the property.
    ///
    /// - Throws: `SessionError.Code.unsupportedProperty` where there is no such property, or it cannot be set;
    ///   `SessionError.Code.badPropertySize` where the value is of another type;
    ///   `SessionError.Code.incompatibleCategory` where the category does not allow it, or there is no category of that
    ///   code; `SessionError.Code.badParameter` for a negative, infinite or NaN preference, and for an unknown route
    ///   override; and the errors of `AudioSession.setCategory(_:options:)`. Nothing was changed then.
    public func set(_ property: FourCharacterCode, to value: SessionPropertyValue) throws(SessionError) {
        try carryOut(try store(property, "set").set(property, to: value))
    }

    /// Sets the property to the value that `bytes` are.
    ///
    /// - Throws: The errors of ``set(_:to:)``; `SessionError.Code.badPropertySize` for too many or too few bytes.
    public func set(_ property: FourCharacterCode, bytes: [UInt8]) throws(SessionError) {
        try carryOut(try store(property, "set").set(property, bytes: bytes))
    }

    private func carryOut(_ request: SessionPropertyStore.Request) throws(SessionError) {
        switch request {
        case .coordinator(let event): try self.request(event)
        case .preferSampleRate(let rate): try setPreferredSampleRate(rate)
        case .preferIOBufferDuration(let seconds): try setPreferredIOBufferDuration(seconds)
        }
    }

    private func store(
        _ property: FourCharacterCode, _ operation: String
    ) throws(SessionError) -> SessionPropertyStore {
        if property == "othr" { service.lookForOtherAudio() }
        guard service.contains(id), let facts = service.facts(of: id) else {
            throw closed("\(operation) \(property)")
        }
        return SessionPropertyStore(session: id, facts: facts, isInitialized: true)
    }
}
