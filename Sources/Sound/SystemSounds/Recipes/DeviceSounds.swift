// Locks, keys, switches, power and shaking. Those whose names begin with `sq_` are the player's, for a beeper.
extension SoundRecipe {
    static let deviceSounds: [String: @Sendable () -> SoundRecipe] = [
        // A latch that falls: two knocks, the second lower.
        "lock": {
            SoundRecipe(
                [
                    burst(from: 2600, quality: 1.5, at: 0, for: 0.05, level: 0.8, halfLife: 0.008),
                    burst(from: 900, quality: 2, at: 0.07, for: 0.11, level: 1, halfLife: 0.016),
                    glide(.tap, from: 210, to: 150, at: 0.07, for: 0.1, level: 0.9),
                ], peak: 0.5)
        },
        // A latch that lifts: a scrape upwards and one light knock.
        "unlock": {
            SoundRecipe(
                [
                    burst(from: 900, to: 3800, quality: 3, at: 0, for: 0.12, level: 0.5, attack: 0.03, release: 0.03),
                    burst(from: 3400, quality: 2, at: 0.13, for: 0.06, level: 1, halfLife: 0.009),
                    glide(.tap, from: 520, to: 640, at: 0.13, for: 0.06, level: 0.5),
                ], peak: 0.45)
        },
        "sq_lock": {
            SoundRecipe(
                [
                    glide(.beeper, from: 1300, to: 700, at: 0, for: 0.05),
                    glide(.beeper, from: 500, to: 400, at: 0.07, for: 0.06),
                ],
                peak: 0.4)
        },
        "Tink": {
            SoundRecipe(
                [
                    glide(.tap, from: 3520, to: 3520, at: 0, for: 0.06),
                    glide(.tap, from: 5274, to: 5274, at: 0, for: 0.05, level: 0.4),
                ],
                peak: 0.35)
        },
        "Tock": {
            SoundRecipe(
                [
                    glide(.tap, from: 1180, to: 980, at: 0, for: 0.05),
                    burst(from: 1700, quality: 1, at: 0, for: 0.02, level: 0.5, halfLife: 0.003),
                ], peak: 0.35)
        },
        "sq_tock": {
            SoundRecipe([glide(.beeper, from: 1900, to: 1900, at: 0, for: 0.016)], peak: 0.35)
        },
        "beep-beep": {
            SoundRecipe(.organ, beat: 0.12, peak: 0.45, [.note(.aFlat(5), 1), .rest(0.6), .note(.aFlat(5), 1)])
        },
        "sq_beep-beep": {
            SoundRecipe(.beeper, beat: 0.07, peak: 0.4, [.note(.b(6), 1), .rest(1), .note(.b(6), 1)])
        },
        "RingerChanged": {
            SoundRecipe(
                [
                    burst(from: 3000, quality: 1, at: 0, for: 0.02, level: 0.4, halfLife: 0.004),
                    note(.glass, .c(6), at: 0.015, for: 0.5),
                    note(.glass, .a(6), at: 0.06, for: 0.5, level: 0.6),
                ], peak: 0.5)
        },
        "low_power": {
            SoundRecipe(
                .reed, beat: 0.16, peak: 0.5,
                [.note(.d(5), 1), .note(.b(4), 1), .note(.aFlat(4), 1), .note(.f(4), 2.5)])
        },
        // Dice in a cup: taps at uneven times.
        "shake": {
            let times = [0.0, 0.07, 0.12, 0.21, 0.26, 0.34, 0.39, 0.48, 0.52, 0.6]
            return SoundRecipe(
                times.enumerated().map { index, time in
                    burst(
                        from: 1400 + Double(index * 7 % 5) * 450, quality: 4, at: time, for: 0.06,
                        level: index % 3 == 0 ? 1 : 0.6, halfLife: 0.009)
                }, peak: 0.5)
        },
        "alarm": {
            let call: [MelodyStep] = [.note(.e(6), 1), .note(.b(5), 1), .note(.e(6), 1), .note(.aFlat(6), 1), .rest(2)]
            return SoundRecipe(.bell, beat: 0.11, ring: 0.25, peak: 0.65, call + call)
        },
        "sq_alarm": {
            let call: [MelodyStep] = [
                .note(.e(6), 1), .rest(0.5), .note(.e(6), 1), .rest(0.5), .note(.e(6), 1), .rest(3),
            ]
            return SoundRecipe(.beeper, beat: 0.1, peak: 0.65, call + call)
        },
    ]
}
