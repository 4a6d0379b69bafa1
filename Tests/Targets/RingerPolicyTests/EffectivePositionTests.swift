import RingerPolicy
import Testing

@Suite("The effective position")
struct EffectivePositionTests {
    private typealias Part = (source: SilenceSource, position: SwitchPosition, until: Int64?)

    private func effective(_ parts: [Part]) -> EffectivePosition {
        var effective = EffectivePosition()
        for part in parts { effective.add(part.source, part.position, until: part.until) }
        return effective
    }

    @Test("it is the most silent of all sources, which are named, in any order")
    func table() {
        for first in SwitchPosition.allCases {
            for second in SwitchPosition.allCases {
                for third in SwitchPosition.allCases {
                    let parts: [Part] = [
                        (.ringSilentSwitch, first, nil), (.keptPosition, second, nil), (.quietHours, third, nil),
                    ]
                    let found = effective(parts)
                    let most: SwitchPosition =
                        [first, second, third].contains(.silent)
                        ? .silent : [first, second, third].contains(.vibrate) ? .vibrate : .ring
                    #expect(found.position == most)
                    let names = parts.filter { most != .ring && $0.position == most }.map(\.source)
                    #expect(found.sources == names && SilenceSource.allCases.filter(found.isMade) == names)
                    for order in [[1, 0, 2], [2, 1, 0], [1, 2, 0]] {
                        #expect(effective(order.map { parts[$0] }) == found)
                    }
                }
            }
        }
        #expect(effective([]).position == .ring && effective([]).sources.isEmpty && effective([]).until == nil)
    }

    @Test("it lasts until the last of the sources that make it so ends; for ever if one has no end")
    func ends() {
        let cases: [([Part], Int64?)] = [
            ([(.quietHours, .silent, 100)], 100),
            ([(.quietHours, .silent, 100), (.keptPosition, .silent, 200)], 200),
            ([(.quietHours, .silent, 100), (.keptPosition, .silent, nil)], nil),
            // What is less silent does not matter.
            ([(.quietHours, .silent, 100), (.keptPosition, .vibrate, nil), (.ringSilentSwitch, .ring, nil)], 100),
            ([(.quietHours, .vibrate, 100), (.keptPosition, .silent, 50)], 50),
            ([(.quietHours, .ring, 100)], nil),
        ]
        for (parts, until) in cases {
            #expect(effective(parts).until == until && effective(parts.reversed()).until == until)
        }
    }

    @Test("ring is the least silent position, and silent the most")
    func order() {
        #expect(SwitchPosition.allCases.sorted(by: >) == [.silent, .vibrate, .ring])
    }
}
