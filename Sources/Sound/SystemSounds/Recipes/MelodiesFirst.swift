// The named tones, Anticipate to Minuet: short melodies of Ringer's own.
extension SoundRecipe {
    static let melodiesFirst: [String: @Sendable () -> SoundRecipe] = [
        // A step up, repeated ever faster, that stops before it arrives.
        "Anticipate": {
            SoundRecipe(
                .rod, beat: 0.2, ring: 0.15, peak: 0.55,
                [
                    .note(.e(5), 1), .note(.f(5), 1), .note(.e(5), 0.7), .note(.fSharp(5), 0.7), .note(.e(5), 0.5),
                    .note(.g(5), 0.5), .note(.e(5), 0.35), .note(.aFlat(5), 0.35), .note(.b(5), 1.5),
                ])
        },
        // A chord that opens one voice at a time.
        "Bloom": {
            SoundRecipe(
                [
                    note(.choir, .eFlat(4), at: 0, for: 1.6), note(.choir, .bFlat(4), at: 0.2, for: 1.4),
                    note(.choir, .f(5), at: 0.4, for: 1.2), note(.glass, .g(5), at: 0.6, for: 0.9, level: 0.8),
                    note(.glass, .d(6), at: 0.75, for: 0.8, level: 0.6),
                ], peak: 0.55)
        },
        // Off the beat, in thirds.
        "Calypso": {
            SoundRecipe(
                .wood, beat: 0.13, ring: 0.12, peak: 0.6,
                [
                    .chord([.f(5), .a(5)], 1.5), .chord([.g(5), .bFlat(5)], 1.5), .chord([.a(5), .c(6)], 1),
                    .rest(0.5), .chord([.bFlat(5), .d(6)], 0.5), .chord([.g(5), .bFlat(5)], 1),
                    .chord([.e(5), .g(5)], 1), .chord([.f(5), .c(6)], 2),
                ])
        },
        // Steam, faster and faster, and a whistle.
        "Choo_Choo": {
            let times = [0.0, 0.24, 0.45, 0.63, 0.78, 0.91]
            let steam = times.enumerated().map { index, time in
                burst(
                    from: index.isMultiple(of: 2) ? 1100 : 1500, quality: 0.6, at: time, for: 0.11, level: 0.7,
                    attack: 0.012, halfLife: 0.03, release: 0.02)
            }
            let whistle = melody(
                .reed, beat: 0.1, at: 1.04, level: 0.45,
                [
                    .chord([.fSharp(5), .a(5), .cSharp(6)], 1.6), .rest(0.4),
                    .chord([.fSharp(5), .a(5), .cSharp(6)], 4),
                ])
            return SoundRecipe(steam + whistle, peak: 0.55)
        },
        // Down a staircase of whole tones, each step softer.
        "Descent": {
            let steps: [Pitch] = [.c(7), .bFlat(6), .aFlat(6), .fSharp(6), .e(6), .d(6), .c(6), .bFlat(5), .aFlat(5)]
            return SoundRecipe(
                steps.enumerated().map { index, pitch in
                    note(.glass, pitch, at: Double(index) * 0.12, for: 0.45, level: 1 - Double(index) * 0.06)
                }, peak: 0.5)
        },
        // Brass on the open notes of a horn.
        "Fanfare": {
            SoundRecipe(
                .brass, beat: 0.1, peak: 0.6,
                [
                    .note(.f(4), 1), .rest(0.3), .note(.f(4), 0.7), .note(.c(5), 1.5), .note(.a(4), 0.8),
                    .note(.c(5), 0.8), .chord([.f(4), .a(4), .f(5)], 4.5),
                ])
        },
        // Up in fourths, a rung at a time, two feet to each rung.
        "Ladder": {
            let rungs: [Pitch] = [.g(4), .c(5), .f(5), .bFlat(5), .eFlat(6)]
            return SoundRecipe(
                .string, beat: 0.09, ring: 0.12, peak: 0.55, rungs.flatMap { [MelodyStep.note($0, 1), .note($0, 1)] })
        },
        // Three in a bar, courteous.
        "Minuet": {
            SoundRecipe(
                melody(
                    .string, beat: 0.17, ring: 0.1,
                    [
                        .note(.b(5), 1), .note(.fSharp(5), 0.5), .note(.e(5), 0.5), .note(.fSharp(5), 1),
                        .note(.cSharp(6), 1), .note(.b(5), 0.5), .note(.a(5), 0.5), .note(.b(5), 1),
                        .chord([.d(5), .fSharp(5), .d(6)], 3),
                    ])
                    + melody(
                        .string, beat: 0.17, ring: 0.2, level: 0.5, [.note(.b(3), 3), .note(.a(3), 3), .note(.d(4), 3)]),
                peak: 0.55)
        },
    ]
}
