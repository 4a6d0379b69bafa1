import Glibc
import Testing

@testable import RingerPolicy

@Suite("Preferences about ducking")
struct DuckingPreferenceTests {
    @Test("the depth in decibels is a factor on the samples: none at 0, silence at 50")
    func gain() {
        #expect(UserPreferences().duckingGain == 0.199_526_23)
        #expect(UserPreferences(duckingDepth: 0).duckingGain == 1)
        #expect(UserPreferences(duckingDepth: 20).duckingGain == 0.1)
        for tenth in 0..<500 {
            let depth = Float(tenth) / 10
            let expected = Float(pow(10, -Double(depth) / 20))
            let gain = UserPreferences(duckingDepth: depth).duckingGain
            #expect(abs(gain - expected) <= expected.ulp, "\(depth)")
        }
        for depth: Float in [50, 51, .infinity, .nan] { #expect(UserPreferences(duckingDepth: depth).duckingGain == 0) }
        for depth: Float in [-1, -.infinity] { #expect(UserPreferences(duckingDepth: depth).duckingGain == 1) }
    }

    @Test("a ramp is that of its direction, 0 to 2 s")
    func ramps() {
        let preferences = UserPreferences(duckingDown: .milliseconds(5), duckingUp: .milliseconds(700))
        #expect(preferences.duckingRamp(from: 1, to: 0.2) == .milliseconds(5))
        #expect(preferences.duckingRamp(from: 0.2, to: 0.5) == .milliseconds(700))
        let outside = UserPreferences(duckingDown: .seconds(-1), duckingUp: .seconds(3_600))
        #expect(outside.duckingRamp(from: 1, to: 0) == .zero && outside.duckingRamp(from: 0, to: 1) == .seconds(2))
    }
}
