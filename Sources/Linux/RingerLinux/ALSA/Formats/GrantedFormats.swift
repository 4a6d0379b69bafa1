import RingerCore

/// The formats that PCMs granted, by name, and the format that was reported last.
struct GrantedFormats: Sendable {
    /// The preferred rate and period.
    private(set) var preferences = SessionPreferences()
    /// The format that was reported last.
    private(set) var lastReported: SoundPortFormat?
    private var formats: [String: HardwareFormat] = [:]
    private var delays: [(format: HardwareFormat, delay: Duration)] = []

    /// How many formats' delays are remembered. A device plays in few formats.
    private static let delayCount = 8

    /// Sets the preferences. Formats granted under the previous ones are dropped.
    mutating func prefer(_ preferences: SessionPreferences) {
        guard preferences != self.preferences else { return }
        self.preferences = preferences
        formats = [:]
    }

    /// The PCM `name` was opened, with this hardware behind it.
    ///
    /// - Returns: The format to report; nil if it was reported already.
    mutating func opened(_ name: String, _ format: HardwareFormat) -> SoundPortFormat? {
        formats[name] = format
        return toReport(format)
    }

    /// Whether the PCM `name` was opened under these preferences.
    func isKnown(_ name: String) -> Bool { formats[name] != nil }

    /// Sound goes to the PCM `name` now, which is not opened for that.
    ///
    /// - Returns: The format to report; nil if it was reported already, or is unknown.
    mutating func movedTo(_ name: String) -> SoundPortFormat? {
        formats[name].flatMap { toReport($0) }
    }

    /// The PCM `name` is gone.
    mutating func forget(_ name: String) {
        formats[name] = nil
    }

    /// Whether the delay beyond the hardware's buffer was measured.
    func isMeasured(_ format: HardwareFormat) -> Bool { delays.contains { $0.format == format } }

    /// Takes in the measured delay beyond the hardware's buffer. Only the first measurement of each format counts: it
    /// varies a little, and such variations are no change of the route's latency.
    ///
    /// - Returns: The format to report; nil if it was reported already.
    mutating func measured(_ delay: Duration, _ format: HardwareFormat) -> SoundPortFormat? {
        if isMeasured(format) { return nil }
        delays.append((format, delay))
        if delays.count > Self.delayCount { delays.removeFirst() }
        return toReport(format)
    }

    private mutating func toReport(_ format: HardwareFormat) -> SoundPortFormat? {
        let delay = delays.first { $0.format == format }?.delay ?? .zero
        let now = SoundPortFormat(
            sampleRate: Double(format.sampleRate), channels: format.channels, bufferDuration: format.period,
            latency: format.period + delay)
        guard now != lastReported else { return nil }
        lastReported = now
        return now
    }
}
