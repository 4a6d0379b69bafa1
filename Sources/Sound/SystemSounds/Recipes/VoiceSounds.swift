// Voice control and video calls.
extension SoundRecipe {
    static let voiceSounds: [String: @Sendable () -> SoundRecipe] = [
        "jbl_begin": {
            SoundRecipe(.flute, beat: 0.13, ring: 0.02, peak: 0.45, [.note(.fSharp(5), 1), .note(.cSharp(6), 1.4)])
        },
        "jbl_confirm": {
            SoundRecipe(
                .flute, beat: 0.09, ring: 0.02, peak: 0.45, [.note(.a(5), 1), .note(.a(5), 1), .note(.e(6), 2)])
        },
        "jbl_cancel": {
            SoundRecipe([glide(.flute, from: 1100, to: 520, at: 0, for: 0.3)], peak: 0.45)
        },
        // A question: up, back, and left in the air.
        "jbl_ambiguous": {
            SoundRecipe(
                [
                    glide(.flute, from: 620, to: 740, at: 0, for: 0.17),
                    glide(.flute, from: 740, to: 620, at: 0.19, for: 0.15),
                    glide(.flute, from: 620, to: 930, at: 0.36, for: 0.26),
                ], peak: 0.45)
        },
        "jbl_no_match": {
            SoundRecipe(
                .reed, beat: 0.15, peak: 0.4,
                [.chord([.eFlat(4), .a(4)], 1), .rest(0.2), .chord([.d(4), .aFlat(4)], 2)])
        },
        "vc~invitation-accepted": {
            SoundRecipe(
                .glass, beat: 0.08, ring: 0.4, peak: 0.5,
                [.note(.d(6), 1), .note(.a(5), 1), .chord([.fSharp(6), .a(6)], 2)])
        },
        "vc~ringing": {
            let purr = (0..<9).map { index in
                note(.string, index.isMultiple(of: 2) ? .g(4) : .d(5), at: Double(index) * 0.075, for: 0.3)
            }
            let again = (0..<9).map { index in
                note(.string, index.isMultiple(of: 2) ? .a(4) : .e(5), at: 0.8 + Double(index) * 0.075, for: 0.3)
            }
            return SoundRecipe(purr + again, duration: .milliseconds(2400), peak: 0.55)
        },
        "vc~ended": {
            SoundRecipe(
                .glass, beat: 0.14, ring: 0.35, peak: 0.5, [.note(.a(5), 1), .note(.e(5), 1), .note(.cSharp(5), 2)])
        },
    ]
}
