extension UserPreferences {
    /// The depths of ducking, in decibels. The greatest one is silence.
    package static let duckingDepths = 0.0...50.0
    /// The longest ramp of ducking: 2 s.
    package static let longestDucking = Duration.milliseconds(2_000)

    /// The factor on the samples of a ducked sound, 0 to 1.
    package var duckingGain: Float {
        let most = Self.duckingDepths.upperBound
        // What is no number is silence, as it is with volumes.
        guard Double(duckingDepth) < most else { return 0 }
        return Float(powerOfTen(-max(Double(duckingDepth), Self.duckingDepths.lowerBound) / 20))
    }

    /// How long a ducked sound takes from one gain to another one.
    package func duckingRamp(from old: Float, to new: Float) -> Duration {
        min(max(new < old ? duckingDown : duckingUp, .zero), Self.longestDucking)
    }
}

/// 10 to the power of a number from -2.5 to 0, without a library of functions: the same on every processor.
private func powerOfTen(_ exponent: Double) -> Double {
    // e to the power of a 64th, by its series, six times squared.
    let x = exponent * 2.302_585_092_994_045_7 / 64
    var (sum, term) = (1.0, 1.0)
    for index in 1...10 {
        term *= x / Double(index)
        sum += term
    }
    for _ in 0..<6 { sum *= sum }
    return sum
}
