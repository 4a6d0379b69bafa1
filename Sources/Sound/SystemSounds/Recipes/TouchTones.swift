// The keypad's tones.
extension SoundRecipe {
    /// Source: ITU-T Q.23: a key sounds one frequency for its row and one for its column, here exact and at equal
    /// levels. The sum of the two stays below the ceiling whatever their phases.
    static let touchTones: [String: @Sendable () -> SoundRecipe] = [
        "dtmf-1": { touchTone(697, 1209) }, "dtmf-2": { touchTone(697, 1336) }, "dtmf-3": { touchTone(697, 1477) },
        "dtmf-4": { touchTone(770, 1209) }, "dtmf-5": { touchTone(770, 1336) }, "dtmf-6": { touchTone(770, 1477) },
        "dtmf-7": { touchTone(852, 1209) }, "dtmf-8": { touchTone(852, 1336) }, "dtmf-9": { touchTone(852, 1477) },
        "dtmf-star": { touchTone(941, 1209) }, "dtmf-0": { touchTone(941, 1336) },
        "dtmf-pound": { touchTone(941, 1477) },
    ]

    // ITU-T Q.24: receivers take 40 ms and up for a digit; 200 ms are heard as one.
    private static func touchTone(_ row: Double, _ column: Double) -> SoundRecipe {
        cadence([row, column], on: 0.2, off: 0, times: 1, level: 0.3)
    }
}
