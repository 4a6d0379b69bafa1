import RingerBus
import RingerCore
import Testing

@Suite struct LightPatternTests {
    @Test(
        "patterns as text",
        arguments: [
            ("on", LightPattern.on), ("off", .off),
            ("500,500", .blinking(on: .milliseconds(500), off: .milliseconds(500))),
            ("1,60000", .blinking(on: .milliseconds(1), off: .seconds(60))),
        ])
    func text(_ text: String, _ pattern: LightPattern) {
        #expect(LightPattern(text) == pattern && pattern.text == text)
    }

    @Test("what is no pattern", arguments: ["", "On", "0,5", "5", "5,", "1,2,3", "1,60001", "-1,5", "x,y"])
    func noPattern(_ text: String) {
        #expect(LightPattern(text) == nil)
    }
}
