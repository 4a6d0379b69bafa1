// The properties, typed and untyped, over one table.
extension AudioSession {
    private func read<Value: Sendable>(_ body: (SessionPropertyStore) -> Value) -> Value {
        let value = try? service.table.with(id) { body($0.properties) }
        // A device that was closed has forgotten its sessions; they have the values that they were made with.
        return value ?? body(SessionPropertyStore(session: id))
    }

    /// The sample rate that the session would like, in hertz; 0 for none. Property `hwsr`.
    public var preferredSampleRate: Double { read(\.preferredSampleRate) }
    /// The duration of what the session would like the hardware to take at a time, in seconds; 0 for none. Property
    /// `iobd`.
    public var preferredIOBufferDuration: Double { read(\.preferredIOBufferDuration) }
    /// Where the session's sound goes; nil where no route fits.
    public var route: SessionRoute? { state?.route }
    /// The route's name; empty while the Ring/Silent switch silences the session. Property `rout`.
    public var routeName: String { read(\.routeName) }
    /// The sample rate that the hardware has, in hertz. Property `chsr`.
    public var sampleRate: Double { read(\.sampleRate) }
    /// How many channels are recorded: 0 without input, and until a session that records was active. Property `chic`.
    public var inputChannels: Int { read(\.inputChannels) }
    /// How many channels are played. Property `choc`.
    public var outputChannels: Int { read(\.outputChannels) }
    /// The output volume, 0 to 1. Property `chov`.
    public var outputVolume: Double { read(\.outputVolume) }
    /// How long a sample takes from the input to the program, in seconds. Property `cilt`.
    public var inputLatency: Double { read(\.inputLatency) }
    /// How long a sample takes from the program to the output, in seconds: a period, and what the driver says lies beyond
    /// its buffer, which is known once something has played. Property `colt`.
    public var outputLatency: Double { read(\.outputLatency) }
    /// The duration of what the hardware takes at a time, one ALSA period, in seconds. Property `chbd`.
    public var ioBufferDuration: Double { read(\.ioBufferDuration) }
    /// Whether another session, or a process that knows of no sessions, plays. Property `othr`.
    public var isOtherAudioPlaying: Bool {
        service.lookForOtherAudio()
        return read(\.isOtherAudioPlaying)
    }
    /// Whether sound can be recorded. Property `aiav`.
    public var isInputAvailable: Bool { read(\.isInputAvailable) }
    /// The overrides that are on: `ovrd`, `duck`, `cmix`, `cspk`, `cblu`.
    public var overrides: SessionOverrides { state?.settings.overrides ?? [] }

    /// Sets the sample rate that the session would like, held to 8,000 to 192,000 Hz; 0 for none. While the session is
    /// active the hardware is asked for it, when its PCM is opened next; ``sampleRate`` says what it granted.
    ///
    /// - Throws: ``SessionError/Code/badParameter`` for what can be no rate.
    public func setPreferredSampleRate(_ rate: Double) throws(SessionError) { try set("hwsr", to: .float64(rate)) }

    /// Sets the duration of what the session would like the hardware to take at a time, held to 0.001 to 2 s; 0 for none.
    /// While the session is active the hardware is asked for it, when its PCM is opened next; ``ioBufferDuration`` says
    /// what it granted.
    ///
    /// - Throws: ``SessionError/Code/badParameter`` for what can be no duration.
    public func setPreferredIOBufferDuration(_ seconds: Double) throws(SessionError) {
        try set("iobd", to: .float32(Float(seconds)))
    }

    /// Sends the session's sound to the speaker whatever is plugged in, or not any more. It reverts on a route change, an
    /// interruption and a change of category. Property `ovrd`.
    ///
    /// - Throws: ``SessionError/Code/incompatibleCategory`` outside playAndRecord and record.
    public func overrideRoute(toSpeaker isOn: Bool) throws(SessionError) { try setOverride(.speaker, isOn) }

    // MARK: - By their codes

    /// The property's value.
    ///
    /// - Throws: ``SessionError/Code/unsupportedProperty`` where there is no such property, or it cannot be read.
    public func value(of property: FourCharacterCode) throws(SessionError) -> SessionPropertyValue {
        if property == "othr" { service.lookForOtherAudio() }
        return try require(property, "get") { entry throws(SessionError) in
            try entry.properties.value(of: property)
        }
    }

    /// The size of the property's value now, in bytes.
    ///
    /// - Throws: ``SessionError/Code/unsupportedProperty``.
    public func size(of property: FourCharacterCode) throws(SessionError) -> Int {
        try require(property, "get the size of") { entry throws(SessionError) in
            try entry.properties.size(of: property)
        }
    }

    /// The bytes of the property's value, for a buffer of `capacity` bytes.
    ///
    /// - Throws: ``SessionError/Code/unsupportedProperty``; ``SessionError/Code/badPropertySize`` where the buffer is too
    ///   small.
    public func bytes(of property: FourCharacterCode, capacity: Int) throws(SessionError) -> [UInt8] {
        if property == "othr" { service.lookForOtherAudio() }
        return try require(property, "get") { entry throws(SessionError) in
            try entry.properties.bytes(of: property, capacity: capacity)
        }
    }

    /// Sets the property.
    ///
    /// - Throws: What ``SessionPropertyStore/set(_:to:)`` throws, and what the request that it leads to throws. Nothing
    ///   was changed then.
    public func set(_ property: FourCharacterCode, to value: SessionPropertyValue) throws(SessionError) {
        try carryOut(
            try require(property, "set") { entry throws(SessionError) in try entry.properties.set(property, to: value) }
        )
    }

    /// Sets the property to the value that `bytes` are.
    ///
    /// - Throws: What ``set(_:to:)`` throws; ``SessionError/Code/badPropertySize`` for too many or too few bytes.
    public func set(_ property: FourCharacterCode, bytes: [UInt8]) throws(SessionError) {
        try carryOut(
            try require(property, "set") { entry throws(SessionError) in
                try entry.properties.set(property, bytes: bytes)
            })
    }

    private func carryOut(_ effect: SessionPropertyStore.Effect) throws(SessionError) {
        switch effect {
        case .request(let event): try request(event)
        case .preferences(let changes):
            service.table.tell(changes, of: id)
            if !changes.isEmpty { service.tellPreferences(of: id) }
        }
    }

    /// Reads or changes the session's entry.
    func require<Value: Sendable>(
        _ property: FourCharacterCode, _ operation: String,
        _ body: (inout SessionTable.Entry) throws(SessionError) -> Value
    ) throws(SessionError) -> Value {
        if let value = try service.table.with(id, body) { return value }
        throw SessionError(
            .notInitialized, "\(operation) \(property)", session: id, detail: "the device was closed")
    }
}
