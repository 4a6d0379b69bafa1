// The camera, and recording begun and ended.
extension SoundRecipe {
    static let cameraSounds: [String: @Sendable () -> SoundRecipe] = [
        // A curtain opens, cloth runs, a curtain closes.
        "photoShutter": {
            SoundRecipe(
                [
                    burst(from: 4200, quality: 0.7, at: 0, for: 0.05, level: 1, halfLife: 0.007),
                    glide(.tap, from: 420, to: 300, at: 0, for: 0.05, level: 0.5),
                    burst(
                        from: 2200, to: 3000, quality: 1, at: 0.03, for: 0.09, level: 0.15, attack: 0.02, release: 0.02),
                    burst(from: 3100, quality: 0.7, at: 0.125, for: 0.09, level: 0.9, halfLife: 0.011),
                    glide(.tap, from: 300, to: 240, at: 0.125, for: 0.07, level: 0.5),
                ], peak: 0.6)
        },
        "begin_record": {
            SoundRecipe([glide(.pure, from: 660, to: 660, at: 0, for: 0.18)], peak: 0.4)
        },
        "end_record": {
            SoundRecipe(
                [
                    glide(.pure, from: 660, to: 660, at: 0, for: 0.08),
                    glide(.pure, from: 495, to: 495, at: 0.1, for: 0.16),
                ],
                peak: 0.4)
        },
        "begin_video_record": {
            SoundRecipe([note(.rod, .g(5), at: 0, for: 0.25), note(.rod, .g(6), at: 0.09, for: 0.35)], peak: 0.45)
        },
        "end_video_record": {
            SoundRecipe(
                [
                    note(.rod, .g(6), at: 0, for: 0.2), note(.rod, .g(5), at: 0.09, for: 0.25),
                    note(.rod, .g(5), at: 0.22, for: 0.35),
                ], peak: 0.45)
        },
    ]
}
