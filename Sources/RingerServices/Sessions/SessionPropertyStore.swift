/// The properties of one session, typed and untyped, served from ``SessionProperty/all``.
///
/// A value: it knows the facts it was last told, and turns what is set into requests for the coordinator. A call that
/// throws changed nothing.
public struct SessionPropertyStore: Sendable, Hashable {
    /// What setting a property asks for.
    public enum Effect: Sendable, Hashable {
        /// The coordinator is to be asked. The property has its new value once that accepted.
        case request(SessionCoordinator.Event)
        /// The coordinator is to be told ``SessionPropertyStore/preferences``, and these listeners' properties have
        /// new values already; none where the value was the same.
        case preferences([SessionPropertyChange])
    }

    /// The session whose properties they are.
    public let session: SessionID
    /// Whether ``initialize()`` was called.
    public private(set) var isInitialized = false
    /// What the session would like the hardware to do.
    public private(set) var preferences = SessionPreferences()
    /// What the store was last told.
    public private(set) var facts: SessionFacts

    /// The properties of `session`, not initialised yet.
    public init(session: SessionID, facts: SessionFacts = SessionFacts()) {
        self.session = session
        self.facts = facts
    }

    /// Initialises. Every other call is refused with `!ini` before it.
    ///
    /// - Throws: `init` the second time.
    public mutating func initialize() throws(SessionError) {
        if isInitialized { throw SessionError(.alreadyInitialized, "initialize", session: session) }
        isInitialized = true
    }

    /// The size of the property's value now, in bytes.
    ///
    /// - Throws: `!ini`; `pty?` where there is no such property, or its size is only known once a listener is told.
    public func size(of code: FourCharacterCode) throws(SessionError) -> Int {
        let property = try find(code, "get the size of")
        if let size = property.kind.size { return size }
        guard property.isReadable, let value = property.read?(facts, preferences) else {
            throw unsupported(code, "get the size of", "only listeners are told it")
        }
        return value.bytes.count
    }

    /// The property's value.
    ///
    /// - Throws: `!ini`; `pty?` where there is no such property, or it cannot be read.
    public func value(of code: FourCharacterCode) throws(SessionError) -> SessionPropertyValue {
        let property = try find(code, "get")
        guard property.isReadable, let value = property.read?(facts, preferences) else {
            throw unsupported(code, "get", "it cannot be read")
        }
        return value
    }

    /// The bytes of the property's value, for a buffer of `capacity` bytes.
    ///
    /// - Throws: `!ini`; `pty?` where there is no such property, or it cannot be read; `!siz` where the buffer is too
    ///   small. A larger one is filled in part.
    public func bytes(of code: FourCharacterCode, capacity: Int) throws(SessionError) -> [UInt8] {
        let bytes = try value(of: code).bytes
        guard bytes.count <= capacity else {
            throw SessionError(
                .badPropertySize, "get \(code)", session: session, detail: "\(bytes.count) bytes, not \(capacity)")
        }
        return bytes
    }

    /// Sets the property to the value that `bytes` are.
    ///
    /// - Throws: `!ini`; `pty?` where there is no such property, or it cannot be set; `!siz` unless there are exactly as
    ///   many bytes as its value has; and what ``set(_:to:)`` throws.
    public mutating func set(
        _ code: FourCharacterCode, bytes: some Collection<UInt8>
    ) throws(SessionError) -> Effect {
        let property = try findWritable(code)
        guard let value = SessionPropertyValue(property.kind, bytes: bytes) else { throw badSize(code, bytes.count) }
        return try set(property, value)
    }

    /// Sets the property.
    ///
    /// - Throws: `!ini`; `pty?` where there is no such property, or it cannot be set; `!siz` where the value is of
    ///   another kind; `!cat` where the category does not allow it, or there is no category of that code; -50 for a
    ///   number that can be no rate and no duration, and a route override that is none.
    public mutating func set(
        _ code: FourCharacterCode, to value: SessionPropertyValue
    ) throws(SessionError) -> Effect {
        let property = try findWritable(code)
        guard value.kind == property.kind else { throw badSize(code, value.bytes.count) }
        return try set(property, value)
    }

    /// Takes in what is so now.
    ///
    /// - Parameters:
    ///   - now: The facts.
    ///   - routeChange: The change that the coordinator told, where it did.
    /// - Returns: What listeners are to be told, in the order of the table.
    public mutating func update(
        _ now: SessionFacts, routeChange: RouteChange? = nil
    ) -> [SessionPropertyChange] {
        let before = facts
        guard now != before || routeChange != nil else { return [] }
        facts = now
        var changes: [SessionPropertyChange] = []
        for property in SessionProperty.told {
            guard let read = property.read else {
                if let routeChange {
                    let value = SessionPropertyValue.routeChange(routeChange.reason, oldRoute: routeChange.old.name)
                    changes.append(SessionPropertyChange(property.code, value))
                }
                continue
            }
            let value = read(now, preferences)
            if value != read(before, preferences) { changes.append(SessionPropertyChange(property.code, value)) }
        }
        return changes
    }

    private mutating func set(
        _ property: SessionProperty, _ value: SessionPropertyValue
    ) throws(SessionError) -> Effect {
        switch (property.target, value) {
        case (.category, .uint32(let code)):
            guard let category = AudioCategory(code: FourCharacterCode(rawValue: code)) else {
                throw SessionError(
                    .incompatibleCategory, "set acat", session: session,
                    detail: "there is no category '\(FourCharacterCode(rawValue: code))'")
            }
            let options = category == facts.settings.category ? facts.settings.options : []
            return .request(.setCategory(session, category, options: options))
        case (.override(let override), .uint32(let number)):
            guard property.isAllowed(in: facts.settings.category) else {
                throw SessionError(
                    .incompatibleCategory, "set \(property.code)", session: session,
                    detail: "not with \(facts.settings.category.rawValue)")
            }
            guard override != .speaker || number == 0 || number == property.onValue else {
                throw badParameter(property, "\(number) is no route override")
            }
            return .request(.setOverride(session, override, number != 0))
        case (.sampleRate, .float64(let rate)):
            let held = try limited(rate, property)
            let isNew = held != preferences.sampleRate
            preferences.sampleRate = held
            return .preferences(isNew ? [SessionPropertyChange(property.code, .float64(held))] : [])
        case (.bufferDuration, .float32(let duration)):
            let held = Float(try limited(Double(duration), property))
            let isNew = held != preferences.ioBufferDuration
            preferences.ioBufferDuration = held
            return .preferences(isNew ? [SessionPropertyChange(property.code, .float32(held))] : [])
        default:
            throw unsupported(property.code, "set", "it cannot be set")
        }
    }

    /// The number held at the property's limits; 0, for no preference, stays.
    private func limited(_ number: Double, _ property: SessionProperty) throws(SessionError) -> Double {
        guard number.isFinite, number >= 0 else { throw badParameter(property, "not a positive number") }
        guard number > 0, let range = property.range else { return 0 }
        return min(max(number, range.lowerBound), range.upperBound)
    }

    private func find(_ code: FourCharacterCode, _ operation: String) throws(SessionError) -> SessionProperty {
        guard isInitialized else { throw SessionError(.notInitialized, "\(operation) \(code)", session: session) }
        guard let property = SessionProperty(code: code) else {
            throw unsupported(code, operation, "there is no such property")
        }
        return property
    }

    private func findWritable(_ code: FourCharacterCode) throws(SessionError) -> SessionProperty {
        let property = try find(code, "set")
        guard property.isWritable else { throw unsupported(code, "set", "it cannot be set") }
        return property
    }

    private func unsupported(_ code: FourCharacterCode, _ operation: String, _ detail: String) -> SessionError {
        SessionError(.unsupportedProperty, "\(operation) \(code)", session: session, detail: detail)
    }

    private func badSize(_ code: FourCharacterCode, _ size: Int) -> SessionError {
        SessionError(.badPropertySize, "set \(code)", session: session, detail: "\(size) bytes")
    }

    private func badParameter(_ property: SessionProperty, _ detail: String) -> SessionError {
        SessionError(.badParameter, "set \(property.code)", session: session, detail: detail)
    }
}
