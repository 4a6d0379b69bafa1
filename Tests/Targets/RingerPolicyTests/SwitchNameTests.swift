import Testing

@testable import RingerPolicy

// Each new name took 137 bytes for good, and was searched for among all others.
@Suite("The name of a state's switch")
struct SwitchNameTests {
    private func state(_ name: String?) -> DeviceState { DeviceState(ringSilentSource: name) }

    @Test("it is what it was set to, and equal names are equal")
    func names() {
        for name in ["", "evdev /dev/input/event0 (ring-silent-switch)", "Schalter ⇄"] {
            #expect(state(name).ringSilentSource == name && state(name) == state(name))
            #expect(state(name).hashValue == state(name).hashValue)
        }
        #expect(state(nil).ringSilentSource == nil && state("a") != state("b") && state("a") != state(nil))
        var changed = state("a")
        changed.ringSilentSource = nil
        #expect(changed == state(nil))
    }

    @Test("the first 256 names are kept for good; a later one is none, and never another one")
    func many() {
        var names = SwitchNames()
        let numbers = (0..<20_000).map { names.add("switch \($0)") }
        #expect(numbers == (0..<256).map { $0 } + Array(repeating: nil, count: 20_000 - 256))
        #expect(names.names == (0..<256).map { "switch \($0)" })
        #expect(names.add("switch 255") == 255 && names.add("") == nil)
    }
}
