// Mail, voice mail and what is sent.
extension SoundRecipe {
    static let mailSounds: [String: @Sendable () -> SoundRecipe] = [
        // An envelope on a table, and a small bell.
        "new-mail": {
            SoundRecipe(
                [
                    burst(
                        from: 1500, to: 700, quality: 0.8, at: 0, for: 0.09, level: 0.5, attack: 0.01, halfLife: 0.02),
                    note(.bell, .d(6), at: 0.08, for: 0.7),
                    note(.bell, .fSharp(5), at: 0.2, for: 0.8, level: 0.8),
                ], peak: 0.55)
        },
        // Three plucked strings, each higher and fainter: it is on its way.
        "mail-sent": {
            SoundRecipe(
                [
                    note(.string, .d(5), at: 0, for: 0.4), note(.string, .a(5), at: 0.08, for: 0.4, level: 0.7),
                    note(.string, .g(6), at: 0.16, for: 0.5, level: 0.45),
                ], peak: 0.5)
        },
        "Voicemail": {
            SoundRecipe(
                .rod, beat: 0.15, ring: 0.3, peak: 0.55,
                [.note(.b(4), 1), .note(.e(5), 0.5), .note(.fSharp(5), 0.5), .note(.b(5), 1), .note(.aFlat(5), 2)])
        },
        "ReceivedMessage": {
            SoundRecipe(
                [note(.drop, .a(6), at: 0, for: 0.15, level: 0.7), note(.drop, .eFlat(6), at: 0.1, for: 0.25)],
                peak: 0.5)
        },
        "SentMessage": {
            SoundRecipe(
                [
                    glide(.drop, from: 420, to: 900, at: 0, for: 0.16),
                    glide(.drop, from: 900, to: 1700, at: 0.09, for: 0.16, level: 0.6),
                ],
                peak: 0.5)
        },
        // Five quick chirps.
        "tweet_sent": {
            SoundRecipe(
                (0..<5).map { index in
                    let from = 2300 + Double(index * 3 % 4) * 260
                    return glide(
                        .pure, from: from, to: from + 900, at: Double(index) * 0.075, for: 0.055,
                        level: 1 - Double(index) * 0.12)
                }, peak: 0.4)
        },
    ]
}
