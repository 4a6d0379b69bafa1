import FourCharacterCodes
extension SystemSoundServices {
    /// Whether the sound obeys the user's "sound effects" preference; true unless set.
    ///
    /// - Throws: ``SystemSoundError`` where there is no such sound.
    public func isUISound(_ id: SystemSoundID) throws(SystemSoundError) -> Bool {
        try value(of: .isUISound, of: id)
    }

    /// Sets whether the sound obeys the user's "sound effects" preference. A sound that plays already is not affected.
    ///
    /// - Throws: ``SystemSoundError`` where there is no such sound.
    public func setIsUISound(_ isUISound: Bool, of id: SystemSoundID) throws(SystemSoundError) {
        guard table.set(.isUISound, of: id, to: isUISound) else { throw .unknown(id, "set a property") }
    }

    /// Whether the sound plays on to its end after the client has ended; false unless set.
    ///
    /// - Throws: ``SystemSoundError`` where there is no such sound.
    public func completesPlaybackIfAppDies(_ id: SystemSoundID) throws(SystemSoundError) -> Bool {
        try value(of: .completePlaybackIfAppDies, of: id)
    }

    /// Sets whether the sound plays on to its end after the client was closed: see ``close()``.
    ///
    /// - Throws: ``SystemSoundError`` where there is no such sound.
    public func setCompletesPlaybackIfAppDies(_ completes: Bool, of id: SystemSoundID) throws(SystemSoundError) {
        guard table.set(.completePlaybackIfAppDies, of: id, to: completes) else {
            throw .unknown(id, "set a property")
        }
    }

    private func value(of property: SystemSoundProperty, of id: SystemSoundID) throws(SystemSoundError) -> Bool {
        guard table.contains(id) else { throw .unknown(id, "read a property") }
        return table.value(of: property, of: id)
    }

    // MARK: - Untyped

    /// The size of a property's value in bytes, and whether it can be set.
    ///
    /// The corresponding C function is `AudioServicesGetPropertyInfo`.
    ///
    /// - Parameter specifier: The sound's ID, a `UInt32` in the machine's byte order.
    /// - Throws: ``SystemSoundError``: unsupported property, bad specifier size, or unspecified for an unknown sound.
    public func propertyInfo(
        _ property: SystemSoundProperty, specifier: [UInt8]
    ) throws(SystemSoundError) -> (size: Int, isWritable: Bool) {
        _ = try checked(property, specifier, "read a property's size")
        return (SystemSoundProperty.valueSize, true)
    }

    /// A property's value: a `UInt32` in the machine's byte order, 1 or 0.
    ///
    /// The corresponding C function is `AudioServicesGetProperty`.
    ///
    /// - Parameters:
    ///   - specifier: The sound's ID, a `UInt32` in the machine's byte order.
    ///   - size: The size of the caller's buffer in bytes; it has to be 4.
    /// - Throws: ``SystemSoundError``: unsupported property, bad specifier size, bad property size, or unspecified for an
    ///   unknown sound.
    public func value(
        of property: SystemSoundProperty, specifier: [UInt8], size: Int
    ) throws(SystemSoundError) -> [UInt8] {
        let id = try checked(property, specifier, "read a property")
        guard size == SystemSoundProperty.valueSize else { throw badSize(size, "read a property") }
        return Self.bytes(table.value(of: property, of: id) ? 1 : 0)
    }

    /// Sets a property: any value but 0 counts as 1.
    ///
    /// The corresponding C function is `AudioServicesSetProperty`.
    ///
    /// - Parameters:
    ///   - specifier: The sound's ID, a `UInt32` in the machine's byte order.
    ///   - value: A `UInt32` in the machine's byte order.
    /// - Throws: ``SystemSoundError``: unsupported property, bad specifier size, bad property size, or unspecified for an
    ///   unknown sound.
    public func set(
        _ property: SystemSoundProperty, specifier: [UInt8], to value: [UInt8]
    ) throws(SystemSoundError) {
        let id = try checked(property, specifier, "set a property")
        guard value.count == SystemSoundProperty.valueSize else { throw badSize(value.count, "set a property") }
        guard table.set(property, of: id, to: value.contains { $0 != 0 }) else { throw .unknown(id, "set a property") }
    }

    private func checked(
        _ property: SystemSoundProperty, _ specifier: [UInt8], _ operation: String
    ) throws(SystemSoundError) -> SystemSoundID {
        guard SystemSoundProperty.defaults[property] != nil else {
            let name = FourCharacterCode(rawValue: property.rawValue).description
            throw SystemSoundError(
                .unsupportedProperty, RingerError(.unsupported, operation, "system sounds", detail: "'\(name)'"))
        }
        guard specifier.count == SystemSoundProperty.specifierSize else {
            throw SystemSoundError(
                .badSpecifierSize,
                RingerError(.invalid, operation, "system sounds", detail: "a specifier of \(specifier.count) bytes"))
        }
        let id = SystemSoundID(rawValue: Self.number(specifier))
        guard table.contains(id) else { throw .unknown(id, operation) }
        return id
    }

    private func badSize(_ size: Int, _ operation: String) -> SystemSoundError {
        SystemSoundError(
            .badPropertySize, RingerError(.invalid, operation, "system sounds", detail: "a value of \(size) bytes"))
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: number.littleEndian >> $0) }
    }

    private static func number(_ bytes: [UInt8]) -> UInt32 {
        UInt32(littleEndian: bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) })
    }
}
