import RingerServices

/// What PCMs were granted, by name, and what was told of it.
struct GrantedFormats: Sendable {
    /// What is preferred.
    private(set) var preferences = SessionPreferences()
    /// What was told last.
    private(set) var told: SoundPortFormat?
    private var formats: [String: HardwareFormat] = [:]
    private var delays: [(format: HardwareFormat, delay: Duration)] = []

    /// How many delays are remembered: a device plays in few formats.
    private static let delayCount = 8

    /// Takes in what is preferred from now on. What was granted before says nothing of it.
    mutating func prefer(_ preferences: SessionPreferences) {
        guard preferences != self.preferences else { return }
        self.preferences = preferences
        formats = [:]
    }

    /// The PCM `name` was opened, and this is the hardware behind it.
    ///
    /// - Returns: What is to be told; nil where that is known.
    mutating func opened(_ name: String, _ format: HardwareFormat) -> SoundPortFormat? {
        formats[name] = format
        return tell(format)
    }

    /// Whether the PCM `name` was opened under these preferences.
    func isKnown(_ name: String) -> Bool { formats[name] != nil }

    /// Sound goes to the PCM `name` now, which is not opened for it.
    ///
    /// - Returns: What is to be told; nil where that is known, or nothing is.
    mutating func movedTo(_ name: String) -> SoundPortFormat? {
        formats[name].flatMap { tell($0) }
    }

    /// The PCM `name` is gone.
    mutating func forget(_ name: String) {
        formats[name] = nil
    }

    /// Whether what lies beyond the hardware's buffer was measured.
    func isMeasured(_ format: HardwareFormat) -> Bool { delays.contains { $0.format == format } }

    /// So long a way lies beyond the hardware's buffer. It is measured once in each format: it varies a little, and who
    /// listens for changes of latency means others.
    ///
    /// - Returns: What is to be told; nil where that is known.
    mutating func measured(_ delay: Duration, _ format: HardwareFormat) -> SoundPortFormat? {
        if isMeasured(format) { return nil }
        delays.append((format, delay))
        if delays.count > Self.delayCount { delays.removeFirst() }
        return tell(format)
    }

    private mutating func tell(_ format: HardwareFormat) -> SoundPortFormat? {
        let delay = delays.first { $0.format == format }?.delay ?? .zero
        let now = SoundPortFormat(
            sampleRate: Double(format.sampleRate), channels: format.channels, bufferDuration: format.period,
            latency: format.period + delay)
        guard now != told else { return nil }
        told = now
        return now
    }
}
