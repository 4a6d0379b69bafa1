// What a headset with one button plays in the ear: quiet and plain, distinguished only by length and pitch.
extension SoundRecipe {
    static let headsetTones: [String: @Sendable () -> SoundRecipe] = [
        "long_low_short_high": { SoundRecipe([tone(low, 0, 0.35), tone(high, 0.38, 0.1)], peak: 0.3) },
        "short_double_high": { SoundRecipe([tone(high, 0, 0.08), tone(high, 0.14, 0.08)], peak: 0.3) },
        "short_low_high": { SoundRecipe([tone(low, 0, 0.1), tone(high, 0.12, 0.1)], peak: 0.3) },
        "short_double_low": { SoundRecipe([tone(low, 0, 0.08), tone(low, 0.14, 0.08)], peak: 0.3) },
        // Nine short ones at middle height, then the two low ones.
        "middle_9_short_double_low": {
            let middle = (0..<9).map { tone(Pitch.g(5).frequency, Double($0) * 0.09, 0.05) }
            return SoundRecipe(middle + [tone(low, 0.87, 0.08), tone(low, 1.01, 0.08)], peak: 0.3)
        },
    ]

    private static let low = Pitch.c(5).frequency
    private static let high = Pitch.c(6).frequency

    private static func tone(_ frequency: Double, _ start: Double, _ length: Double) -> SoundPart {
        glide(.pure, from: frequency, to: frequency, at: start, for: length)
    }
}
