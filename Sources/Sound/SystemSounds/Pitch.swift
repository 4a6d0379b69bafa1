/// A note of the equally tempered scale, A4 being 440 Hz.
package struct Pitch: Sendable, Hashable {
    /// Its frequency in hertz.
    package let frequency: Double

    /// Makes a note: `semitone` counts from C (0) to B (11), octave 4 holds A4.
    package init(semitone: Int, octave: Int) {
        precondition(Self.fourthOctave.indices.contains(semitone), "a semitone is 0 (C) to 11 (B)")
        frequency = Double(sign: .plus, exponent: octave - 4, significand: Self.fourthOctave[semitone])
    }

    // 440 Hz * 2 ^ ((semitone - 9) / 12)
    private static let fourthOctave = [
        261.6255653005986, 277.1826309768721, 293.6647679174076, 311.1269837220809, 329.6275569128699,
        349.2282314330039, 369.9944227116344, 391.9954359817493, 415.3046975799451, 440.0,
        466.1637615180899, 493.8833012561241,
    ]

    static func c(_ octave: Int) -> Pitch { Pitch(semitone: 0, octave: octave) }
    static func cSharp(_ octave: Int) -> Pitch { Pitch(semitone: 1, octave: octave) }
    static func d(_ octave: Int) -> Pitch { Pitch(semitone: 2, octave: octave) }
    static func eFlat(_ octave: Int) -> Pitch { Pitch(semitone: 3, octave: octave) }
    static func e(_ octave: Int) -> Pitch { Pitch(semitone: 4, octave: octave) }
    static func f(_ octave: Int) -> Pitch { Pitch(semitone: 5, octave: octave) }
    static func fSharp(_ octave: Int) -> Pitch { Pitch(semitone: 6, octave: octave) }
    static func g(_ octave: Int) -> Pitch { Pitch(semitone: 7, octave: octave) }
    static func aFlat(_ octave: Int) -> Pitch { Pitch(semitone: 8, octave: octave) }
    static func a(_ octave: Int) -> Pitch { Pitch(semitone: 9, octave: octave) }
    static func bFlat(_ octave: Int) -> Pitch { Pitch(semitone: 10, octave: octave) }
    static func b(_ octave: Int) -> Pitch { Pitch(semitone: 11, octave: octave) }
}
