/// A band-pass filter whose centre can move from sample to sample (a state-variable filter).
struct BandFilter {
    // Beyond this fraction of the sample rate the filter's feedback is no longer stable.
    private static let highestCentre = 1.0 / 7

    private let sampleRate: Double
    private let damping: Double
    private var low = 0.0
    private var band = 0.0

    /// `quality` is the centre divided by the width of the band; anything from 0.5 up is stable.
    init(sampleRate: Double, quality: Double) {
        self.sampleRate = sampleRate
        damping = 1 / max(quality, 0.5)
    }

    /// Filters one sample with the band's centre at `centre` hertz.
    ///
    /// A narrow band passes little of the noise; what it passes is brought back to the same power.
    mutating func pass(_ sample: Double, centre: Double) -> Double {
        let position = min(max(centre / sampleRate, 0), Self.highestCentre)
        let step = 2 * Sine.ofTurns(position / 2)
        low += step * band
        band += step * (sample - low - damping * band)
        return band * (damping / max(step, 1e-6)).squareRoot()
    }
}
