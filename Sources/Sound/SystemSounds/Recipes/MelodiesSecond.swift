// The named tones, News Flash to Update: short melodies of Ringer's own.
extension SoundRecipe {
    static let melodiesSecond: [String: @Sendable () -> SoundRecipe] = [
        // A ticker on one note under two calls of brass.
        "News_Flash": {
            let ticker = (0..<14).map {
                note(.tap, .d(7), at: Double($0) * 0.09, for: 0.05, level: $0 % 4 == 0 ? 0.6 : 0.35)
            }
            let calls = melody(
                .brass, beat: 0.18, level: 0.7,
                [
                    .chord([.d(4), .a(4)], 1), .rest(1), .chord([.d(4), .a(4)], 0.8), .rest(0.2),
                    .chord([.e(4), .b(4), .e(5)], 4),
                ])
            return SoundRecipe(ticker + calls, peak: 0.6)
        },
        // A muted horn at night, over a bass that walks.
        "Noir": {
            let horn = melody(
                .flute, beat: 0.24, at: 0.24,
                [.note(.eFlat(4), 1.5), .note(.d(4), 0.5), .note(.bFlat(3), 1), .note(.fSharp(4), 3)])
            let bass = melody(
                .string, beat: 0.24, ring: 0.15, level: 0.8,
                [.note(.g(2), 1), .note(.bFlat(2), 1), .note(.c(3), 1), .note(.cSharp(3), 1), .note(.d(3), 2.5)])
            return SoundRecipe(horn + bass, peak: 0.55)
        },
        // A hunting call among trees: an open fifth, answered from farther off.
        "Sherwood_Forest": {
            let call: [MelodyStep] = [.note(.d(5), 1), .note(.a(5), 0.5), .note(.d(5), 0.5), .note(.e(5), 2)]
            return SoundRecipe(
                melody(.flute, beat: 0.16, call) + melody(.flute, beat: 0.16, at: 0.8, level: 0.35, call), peak: 0.5)
        },
        // A glittering run that closes on itself.
        "Spell": {
            let run: [Pitch] = [.c(6), .eFlat(6), .fSharp(6), .a(6), .c(7), .b(6), .aFlat(6), .f(6), .d(6), .b(5)]
            return SoundRecipe(
                run.enumerated().map { index, pitch in
                    note(.bell, pitch, at: Double(index) * 0.055, for: 0.45, level: 0.7)
                }
                    + [
                        burst(
                            from: 5200, to: 2600, quality: 6, at: 0.1, for: 0.7, level: 0.12, attack: 0.2, release: 0.4)
                    ],
                peak: 0.5)
        },
        // A tremor that swells on a half tone, and one low knock.
        "Suspense": {
            let tremor = (0..<16).map { index in
                note(
                    .reed, index.isMultiple(of: 2) ? .b(3) : .c(4), at: Double(index) * 0.07, for: 0.065,
                    level: 0.25 + Double(index) * 0.05)
            }
            return SoundRecipe(tremor + [note(.wood, .e(3), at: 1.22, for: 0.4, level: 1.3)], peak: 0.6)
        },
        // The letter R, twice, on a sounder: short, long, short.
        "Telegraph": {
            let letter: [MelodyStep] = [
                .note(.aFlat(5), 1), .rest(1), .note(.aFlat(5), 3), .rest(1), .note(.aFlat(5), 1),
            ]
            return SoundRecipe(.beeper, beat: 0.065, peak: 0.45, letter + [.rest(3)] + letter)
        },
        // On the toes, and a look over the shoulder.
        "Tiptoes": {
            SoundRecipe(
                .wood, beat: 0.19, ring: 0.05, peak: 0.55,
                [
                    .note(.a(4), 1), .note(.e(5), 1), .note(.bFlat(4), 1), .note(.e(5), 1), .note(.b(4), 0.5),
                    .note(.c(5), 0.5), .rest(0.7), .note(.aFlat(5), 1),
                ])
        },
        // Keys, the bell at the end of the line, the carriage.
        "Typewriters": {
            let keys = [0.0, 0.11, 0.19, 0.33, 0.41, 0.5, 0.64, 0.71]
            let strokes = keys.enumerated().flatMap { index, time in
                [
                    burst(from: 2600 + Double(index * 5 % 3) * 500, quality: 1.2, at: time, for: 0.04, halfLife: 0.006),
                    glide(.tap, from: 330, to: 260, at: time + 0.004, for: 0.05, level: 0.5),
                ]
            }
            return SoundRecipe(
                strokes + [
                    note(.bell, .e(7), at: 0.84, for: 0.6, level: 0.5),
                    burst(from: 700, to: 1500, quality: 2, at: 1.05, for: 0.3, level: 0.3, attack: 0.05, release: 0.02),
                    burst(from: 1200, quality: 1.5, at: 1.35, for: 0.07, level: 0.9, halfLife: 0.012),
                ], peak: 0.55)
        },
        // Two chords, the second a step up and brighter.
        "Update": {
            SoundRecipe(
                melody(
                    .organ, beat: 0.2,
                    [.chord([.c(5), .e(5), .b(5)], 1), .rest(0.25), .chord([.d(5), .fSharp(5), .cSharp(6)], 2.2)])
                    + [note(.glass, .a(6), at: 0.27, for: 0.8, level: 0.7)], peak: 0.5)
        },
    ]
}
