import SessionRules

// What the session's hardware and surroundings are now. Each property names the four-character code of the same property
// in the target SessionProperties.
extension AudioSession {
    private var facts: SessionFacts { service.facts(of: id) ?? SessionFacts() }

    /// The sample rate that the session prefers, in hertz; 0 for none. Property `hwsr`.
    public var preferredSampleRate: Double { facts.preferences.sampleRate }
    /// The duration that the session would like the hardware to take at a time, in seconds; 0 for none. Property `iobd`.
    public var preferredIOBufferDuration: Double { Double(facts.preferences.ioBufferDuration) }
    /// The session's route; its output is nil if no route fits. Nil for a session that was removed.
    public var route: SessionRoute? { state?.route }
    /// The route's name; empty while the Ring/Silent switch silences the session. Property `rout`.
    public var routeName: String { facts.routeName }
    /// The sample rate that the hardware has, in hertz. Property `chsr`.
    public var sampleRate: Double { facts.hardware.sampleRate }
    /// How many channels are recorded: 0 without input, and until a session that records was active. Property `chic`.
    public var inputChannels: Int { Int(facts.hardware.inputChannels) }
    /// How many channels are played. Property `choc`.
    public var outputChannels: Int { Int(facts.hardware.outputChannels) }
    /// The output volume, 0 to 1; 1 without a mixer. Property `chov`.
    public var outputVolume: Double { Double(facts.outputVolume) }
    /// How long a sample takes from the input to the program, in seconds. Property `cilt`.
    public var inputLatency: Double { Double(facts.hardware.inputLatency) }
    /// How long a sample takes from the program to the output, in seconds: a period, and what the driver reports beyond
    /// its buffer, which is known once something has played. Property `colt`.
    public var outputLatency: Double { Double(facts.hardware.outputLatency) }
    /// The duration of what the hardware takes at a time, one ALSA period, in seconds. Property `chbd`.
    public var ioBufferDuration: Double { Double(facts.hardware.ioBufferDuration) }
    /// Whether another session, or a process that has no session here, plays. Property `othr`.
    public var isOtherAudioPlaying: Bool {
        service.lookForOtherAudio()
        return facts.isOtherAudioPlaying
    }
    /// Whether sound can be recorded; true if it is not known. Property `aiav`.
    public var isInputAvailable: Bool { facts.isInputAvailable }
    /// The overrides that are on: `ovrd`, `duck`, `cmix`, `cspk`, `cblu`.
    public var overrides: SessionOverrides { state?.settings.overrides ?? [] }

    /// Sets the sample rate that the session prefers, limited to 8,000 to 192,000 Hz; 0 for none. While the session is
    /// active, the hardware is asked for it when its PCM is opened next; ``sampleRate`` is what it granted.
    ///
    /// - Throws: ``SessionError/Code/badParameter`` for a negative rate, an infinite one, or NaN.
    public func setPreferredSampleRate(_ rate: Double) throws(SessionError) {
        let limited = try SessionPreferences.limited(
            rate, to: SessionPreferences.sampleRates, "set the preferred sample rate")
        try setPreferences { $0.sampleRate = limited }
    }

    /// Sets the duration that the session would like the hardware to take at a time, limited to 0.001 to 2 s; 0 for none.
    /// While the session is active, the hardware is asked for it when its PCM is opened next; ``ioBufferDuration`` is what
    /// it granted.
    ///
    /// - Throws: ``SessionError/Code/badParameter`` for a negative duration, an infinite one, or NaN.
    public func setPreferredIOBufferDuration(_ seconds: Double) throws(SessionError) {
        let limited = try SessionPreferences.limited(
            seconds, to: SessionPreferences.ioBufferDurations, "set the preferred buffer duration")
        try setPreferences { $0.ioBufferDuration = Float(limited) }
    }

    /// Sends the session's sound to the speaker whatever is plugged in, or no longer. It reverts on a route change, an
    /// interruption and a change of category. Property `ovrd`.
    ///
    /// - Throws: ``SessionError/Code/incompatibleCategory`` for the speaker outside playAndRecord.
    public func overrideRoute(toSpeaker isOn: Bool) throws(SessionError) { try setOverride(.speaker, isOn) }
}
