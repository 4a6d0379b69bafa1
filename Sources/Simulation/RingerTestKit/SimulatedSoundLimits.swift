import RingerCore

/// The limits of simulated sound hardware. It grants what is nearest to a request.
public struct SimulatedSoundLimits: Sendable, Hashable {
    /// The supported sample rates, in hertz.
    public var sampleRates: [Double]
    /// The supported lengths of a period.
    public var periods: ClosedRange<Duration>
    /// The number of channels.
    public var channels: Int
    /// The delay of the hardware behind its buffer.
    public var delay: Duration

    /// Limits, by default those of an ordinary codec.
    public init(
        sampleRates: [Double] = [8_000, 16_000, 22_050, 32_000, 44_100, 48_000, 96_000],
        periods: ClosedRange<Duration> = .milliseconds(1)...(.milliseconds(100)), channels: Int = 2,
        delay: Duration = .zero
    ) {
        self.sampleRates = sampleRates
        self.periods = periods
        self.channels = channels
        self.delay = delay
    }

    /// The format granted to a sound of that rate: the preferred rate, or else the sound's own, as near as possible.
    func grant(sampleRate: Double, _ preferences: SessionPreferences) -> SoundPortFormat {
        let wanted = preferences.sampleRate > 0 ? preferences.sampleRate : sampleRate
        let rate = sampleRates.min { abs($0 - wanted) < abs($1 - wanted) } ?? wanted
        let microseconds = Int64((Double(preferences.ioBufferDuration) * 1_000_000).rounded())
        let period = microseconds > 0 ? Duration.microseconds(microseconds) : .milliseconds(10)
        let granted = min(max(period, periods.lowerBound), periods.upperBound)
        return SoundPortFormat(
            sampleRate: rate, channels: channels, bufferDuration: granted, latency: granted + delay)
    }
}
