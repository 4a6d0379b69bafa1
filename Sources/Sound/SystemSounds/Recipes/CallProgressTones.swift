// The tones of a telephone network that report the progress of a call.
extension SoundRecipe {
    /// Sources: 3GPP TS 22.001 annex F (its North American values), the North American precise tone plan (ITU-T
    /// E.300-series supplement 3), and ITU-T E.180 for the special information tone.
    static let callProgressTones: [String: @Sendable () -> SoundRecipe] = [
        "ct-busy": { cadence([480, 620], on: 0.5, off: 0.5, times: 2, level: 0.3) },
        "ct-congestion": { cadence([480, 620], on: 0.25, off: 0.25, times: 4, level: 0.3) },
        "ct-path-ack": { cadence([425], on: 0.2, off: 0, times: 1, level: 0.4) },
        // The pause of 9.7 s until the next burst is made by the caller that repeats it.
        "ct-call-waiting": { cadence([440], on: 0.3, off: 0, times: 1, level: 0.4) },
        "ct-error": { specialInformation() },
        // Not a network's tone: a keypad's second click, of our own.
        "ct-keytone2": {
            SoundRecipe(.pure, beat: 0.045, peak: 0.35, [.chord([.fSharp(6), .cSharp(7)], 1)])
        },
    ]

    // Three tones of 330 ms, one after the other, and 1 s of silence.
    private static func specialInformation() -> SoundRecipe {
        let parts = [950.0, 1400, 1800].enumerated().map { index, frequency in
            glide(.signal, from: frequency, to: frequency, at: Double(index) * 0.33, for: 0.33, level: 0.4)
        }
        return SoundRecipe(parts, duration: .milliseconds(1990))
    }
}
