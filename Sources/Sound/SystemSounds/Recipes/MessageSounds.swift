// Six short tones for messages that arrive.
extension SoundRecipe {
    static let messageSounds: [String: @Sendable () -> SoundRecipe] = [
        // A question and its answer on wood.
        "sms-received1": {
            SoundRecipe(
                .wood, beat: 0.1, ring: 0.2, peak: 0.6,
                [.note(.g(5), 1), .note(.c(6), 0.5), .note(.bFlat(5), 1.5), .note(.f(5), 1), .note(.c(5), 1)])
        },
        // Two bells rocking.
        "sms-received2": {
            SoundRecipe(
                .bell, beat: 0.17, ring: 0.4, peak: 0.55,
                [.note(.cSharp(6), 1), .note(.aFlat(5), 1), .note(.cSharp(6), 1)])
        },
        // A roll on glass.
        "sms-received3": {
            SoundRecipe(
                .glass, beat: 0.05, ring: 0.5, peak: 0.5,
                [
                    .note(.e(5), 1), .note(.b(5), 1), .note(.fSharp(6), 1), .note(.cSharp(6), 1),
                    .note(.aFlat(6), 1), .note(.eFlat(6), 2),
                ])
        },
        // Drops in a cave.
        "sms-received4": {
            SoundRecipe(
                [
                    glide(.drop, from: 700, to: 1250, at: 0, for: 0.12),
                    glide(.drop, from: 900, to: 1500, at: 0.2, for: 0.12, level: 0.8),
                    glide(.drop, from: 560, to: 1000, at: 0.33, for: 0.16),
                    glide(.drop, from: 560, to: 1000, at: 0.6, for: 0.16, level: 0.3),
                ], peak: 0.55)
        },
        // A reed that nods twice.
        "sms-received5": {
            SoundRecipe(
                .reed, beat: 0.08, peak: 0.45,
                [.note(.bFlat(4), 1), .note(.f(5), 1), .rest(1), .note(.bFlat(4), 1), .note(.eFlat(5), 2.5)])
        },
        // One plucked chord, spread from the top.
        "sms-received6": {
            SoundRecipe(
                .string, beat: 0.045, ring: 0.7, peak: 0.6,
                [.note(.b(5), 1), .note(.a(5), 1), .note(.e(5), 1), .note(.d(5), 1), .note(.g(4), 1)])
        },
    ]
}
