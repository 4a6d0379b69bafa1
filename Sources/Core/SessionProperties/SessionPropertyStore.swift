import FourCharacterCodes
import RingerCore
import SessionRules

/// The properties of one session by their codes, served from ``SessionProperty/all``.
///
/// A value: it reads properties from the session's facts, and turns setting one into a request. A call that throws changed
/// nothing.
package struct SessionPropertyStore: Sendable, Hashable {
    /// The request that sets a property. The property has its new value when the request was carried out.
    package enum Request: Sendable, Hashable {
        /// A request to the coordinator.
        case coordinator(SessionCoordinator.Event)
        /// The session prefers this sample rate, in hertz.
        case preferSampleRate(Double)
        /// The session prefers this buffer duration, in seconds.
        case preferIOBufferDuration(Double)
    }

    /// The session.
    package let session: SessionID
    /// Whether ``initialize()`` was called.
    package private(set) var isInitialized = false
    /// The facts that the properties report.
    package private(set) var facts: SessionFacts

    /// The properties of `session`, by default not initialised yet.
    package init(session: SessionID, facts: SessionFacts = SessionFacts(), isInitialized: Bool = false) {
        self.session = session
        self.facts = facts
        self.isInitialized = isInitialized
    }

    /// Initialises. Every other call is refused with `!ini` before it.
    ///
    /// - Throws: `init` the second time.
    package mutating func initialize() throws(SessionError) {
        if isInitialized { throw SessionError(.alreadyInitialized, "initialize", session: session) }
        isInitialized = true
    }

    /// The size of the property's value now, in bytes.
    ///
    /// - Throws: `!ini`; `pty?` where there is no such property, or its size depends on the change.
    package func size(of code: FourCharacterCode) throws(SessionError) -> Int {
        let property = try find(code, "get the size of")
        if let size = property.kind.size { return size }
        guard property.isReadable, let value = property.read?(facts) else {
            throw unsupported(code, "get the size of", "only listeners get it")
        }
        return value.bytes.count
    }

    /// The property's value.
    ///
    /// - Throws: `!ini`; `pty?` where there is no such property, or it cannot be read.
    package func value(of code: FourCharacterCode) throws(SessionError) -> SessionPropertyValue {
        let property = try find(code, "get")
        guard property.isReadable, let value = property.read?(facts) else {
            throw unsupported(code, "get", "it cannot be read")
        }
        return value
    }

    /// The bytes of the property's value, for a buffer of `capacity` bytes.
    ///
    /// - Throws: `!ini`; `pty?` where there is no such property, or it cannot be read; `!siz` where the buffer is too
    ///   small. A larger one is filled in part.
    package func bytes(of code: FourCharacterCode, capacity: Int) throws(SessionError) -> [UInt8] {
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
    package func set(
        _ code: FourCharacterCode, bytes: some Collection<UInt8>
    ) throws(SessionError) -> Request {
        let property = try findWritable(code)
        guard let value = SessionPropertyValue(property.kind, bytes: bytes) else { throw badSize(code, bytes.count) }
        return try set(property, value)
    }

    /// Sets the property.
    ///
    /// - Throws: `!ini`; `pty?` where there is no such property, or it cannot be set; `!siz` where the value is of
    ///   another type; `!cat` where the category does not allow an override that is not 0, or there is no category of that code; -50 for a
    ///   negative, infinite or NaN preference, and for an unknown route override.
    package func set(
        _ code: FourCharacterCode, to value: SessionPropertyValue
    ) throws(SessionError) -> Request {
        let property = try findWritable(code)
        guard value.kind == property.kind else { throw badSize(code, value.bytes.count) }
        return try set(property, value)
    }

    /// Takes over new facts.
    ///
    /// - Parameters:
    ///   - now: The facts.
    ///   - routeChange: The change of the session's route, where there was one.
    /// - Returns: The changes for listeners, in the order of the table.
    package mutating func update(
        _ now: SessionFacts, routeChange: RouteChange? = nil
    ) -> [SessionPropertyChange] {
        let before = facts
        guard now != before || routeChange != nil else { return [] }
        facts = now
        var changes: [SessionPropertyChange] = []
        for property in SessionProperty.observable {
            guard let read = property.read else {
                if let routeChange {
                    let value = SessionPropertyValue.routeChange(routeChange.reason, oldRoute: routeChange.old.name)
                    changes.append(SessionPropertyChange(property.code, value))
                }
                continue
            }
            let value = read(now)
            if value != read(before) { changes.append(SessionPropertyChange(property.code, value)) }
        }
        return changes
    }

    private func set(
        _ property: SessionProperty, _ value: SessionPropertyValue
    ) throws(SessionError) -> Request {
        switch (property.target, value) {
        case (.category, .uint32(let code)):
            guard let category = AudioCategory(code: FourCharacterCode(rawValue: code)) else {
                throw SessionError(
                    .incompatibleCategory, "set acat", session: session,
                    detail: "there is no category '\(FourCharacterCode(rawValue: code))'")
            }
            let options = category == facts.settings.category ? facts.settings.options : []
            return .coordinator(.setCategory(session, category, options: options))
        case (.override(let override), .uint32(let number)):
            guard number == 0 || property.isAllowed(in: facts.settings.category) else {
                throw SessionError(
                    .incompatibleCategory, "set \(property.code)", session: session,
                    detail: "not with \(facts.settings.category.rawValue)")
            }
            guard override != .speaker || number == 0 || number == property.onValue else {
                throw badParameter(property, "\(number) is no route override")
            }
            return .coordinator(.setOverride(session, override, number != 0))
        case (.sampleRate, .float64(let rate)):
            return .preferSampleRate(try limited(rate, property))
        case (.bufferDuration, .float32(let duration)):
            return .preferIOBufferDuration(try limited(Double(duration), property))
        default:
            throw unsupported(property.code, "set", "it cannot be set")
        }
    }

    private func limited(_ value: Double, _ property: SessionProperty) throws(SessionError) -> Double {
        let range = property.range ?? 0...Double.greatestFiniteMagnitude
        do throws(SessionError) {
            return try SessionPreferences.limited(value, to: range, "set \(property.code)")
        } catch {
            throw SessionError(error.code, error.operation, session: session, detail: error.detail)
        }
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
