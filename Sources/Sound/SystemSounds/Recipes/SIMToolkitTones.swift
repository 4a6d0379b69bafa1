// The tones a SIM card may ask for (PLAY TONE).
extension SoundRecipe {
    /// Sources: ETSI TS 102 223 and 3GPP TS 31.111 name the tones; "call dropped" sounds as 3GPP TS 22.001 annex F has
    /// it, three bursts of 425 Hz. The others are the device's own choice.
    static let simToolkitTones: [String: @Sendable () -> SoundRecipe] = [
        "SIMToolkitCallDropped": { cadence([425], on: 0.2, off: 0.2, times: 3, level: 0.4) },
        "SIMToolkitGeneralBeep": { cadence([1000], on: 0.15, off: 0, times: 1, level: 0.35) },
        "SIMToolkitPositiveACK": {
            SoundRecipe(.beeper, beat: 0.09, peak: 0.35, [.note(.a(5), 1), .note(.d(6), 1.8)])
        },
        "SIMToolkitNegativeACK": {
            SoundRecipe(
                .beeper, beat: 0.14, peak: 0.4, [.chord([.e(4), .f(4)], 1), .rest(0.3), .chord([.b(3), .c(4)], 2)])
        },
        "SIMToolkitSMS": {
            SoundRecipe(
                .beeper, beat: 0.06, peak: 0.35,
                [.note(.g(6), 1), .rest(1), .note(.g(6), 1), .rest(1), .note(.c(7), 2)])
        },
        "ussd": {
            SoundRecipe(
                .organ, beat: 0.11, peak: 0.45,
                [.note(.bFlat(5), 1), .rest(0.4), .note(.bFlat(5), 1), .note(.eFlat(5), 2)])
        },
    ]
}
