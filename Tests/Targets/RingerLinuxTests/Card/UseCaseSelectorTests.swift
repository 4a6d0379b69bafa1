import RingerCore
import Testing

@testable import RingerLinux

/// The switches of a card that stands in for one with use cases.
@Suite struct UseCaseSelectorTests {
    /// A card that was switched to its speaker.
    private func atSpeaker() throws -> (StandInCard, UseCaseSelector) {
        let card = StandInCard()
        let selector = card.selector()
        try selector.select(.speaker)
        return (card, selector)
    }

    @Test(
        "an output that could not be turned off is turned off with the next sound, whichever failed", arguments: [1, 3])
    func failedOff(failures: Int) throws {
        let (card, selector) = try atSpeaker()
        card.fail(["_disdev Speaker"])
        for _ in 0..<failures {
            #expect(throws: RingerError.self) { try selector.select(.headphone) }
            // The speaker is the one that stays on besides.
            #expect(card.on == ["Speaker", "Headphones"])
        }
        card.fail([])
        try selector.select(.headphone)
        #expect(card.on == ["Headphones"])
        try selector.select(.speaker)
        #expect(card.on == ["Speaker"])
    }

    @Test(
        "after a failure of any call the card is at the next sound's output alone",
        arguments: ["_verb", "_enadev Headphones"])
    func failedOn(call: String) throws {
        let (card, selector) = try atSpeaker()
        _ = card.calls
        if call == "_verb" { card.fail(["_disdev Speaker"]) }
        if call != "_verb" { card.fail([call]) }
        #expect(throws: RingerError.self) { try selector.select(.headphone) }
        card.fail(call == "_verb" ? ["_verb"] : [])
        if call == "_verb" { #expect(throws: RingerError.self) { try selector.select(.speaker) } }
        card.fail([])
        for (route, output) in [(AudioRoute.speaker, "Speaker"), (.headphone, "Headphones")] {
            try selector.select(route)
            #expect(card.on == [output])
        }
    }

    @Test("an output that can no longer be turned on keeps no other one from it")
    func brokenOutput() throws {
        let (card, selector) = try atSpeaker()
        card.fail(["_enadev Headphones"])
        #expect(throws: RingerError.self) { try selector.select(.headphone) }
        // Half of it may be on: that is reported, but the speaker plays.
        #expect(throws: RingerError.self) { try selector.select(.speaker) }
        #expect(card.on == ["Speaker"])
    }

    @Test("a card that took another one's place is switched from the beginning")
    func otherCard() throws {
        let (card, selector) = try atSpeaker()
        card.fail(["_disdev Speaker"])
        #expect(throws: RingerError.self) { try selector.select(.headphone) }
        card.fail([])
        card.plugIn()
        _ = card.calls
        try selector.select(.headphone)
        #expect(card.calls == ["_verb HiFi", "_enadev Headphones"] && card.on == ["Headphones"])
    }

    @Test(
        "headphones and a headset stand in for each other, as on cards whose device Headset is a microphone",
        arguments: [(AudioRoute.headphone, AudioRoute.headset), (.headset, .headphone)])
    func standIn(output: AudioRoute, route: AudioRoute) throws {
        let card = StandInCard([(.speaker, "Speaker", pcm: "a"), (output, "Jack", pcm: "b")])
        let selector = card.selector(pcm: "a")
        #expect(selector.hasOutput(for: route) && card.useCases.output(of: route)?.pcm == "b")
        try selector.select(.speaker)
        try selector.select(route)
        #expect(card.on == ["Jack"])
        // An output of its own comes first.
        let both = StandInCard([(.headphone, "Headphones", pcm: "a"), (.headset, "Headset", pcm: "b")])
        #expect(both.useCases.output(of: .headset)?.device == "Headset")
        #expect(both.useCases.output(of: .headphone)?.device == "Headphones")
        #expect(both.useCases.output(of: .line) == nil)
    }

    @Test(
        "20,000 switches with failures and other cards between them leave one output on, and cost the same at the end")
    func many() throws {
        let card = StandInCard([
            (.speaker, "Speaker", pcm: "a"), (.receiver, "Earpiece", pcm: "a"), (.headphone, "Headphones", pcm: "b"),
            (.line, "Line", pcm: "b"),
        ])
        let routes: [(AudioRoute, String)] = [
            (.speaker, "Speaker"), (.receiver, "Earpiece"), (.headset, "Headphones"), (.headphone, "Headphones"),
            (.line, "Line"),
        ]
        let selector = card.selector(pcm: "a")
        var random = SeededRandom(seed: 36)
        var most = 0
        var failures = 0
        for round in 1...20_000 {
            let (route, output) = try #require(routes.randomElement(using: &random))
            switch random.next() % 50 {
            case 0: card.plugIn()
            case 1:
                card.plugIn()
                try selector.select(nil)
            case 2: card.fail(["_disdev \(routes[Int(random.next() % 5)].1)"])
            case 3: card.fail(["_enadev \(routes[Int(random.next() % 5)].1)"])
            case 4: card.fail(["_verb"])
            default: card.fail([])
            }
            _ = card.calls
            do {
                try selector.select(route)
            } catch {
                failures += 1
                card.fail([])
                try selector.select(route)
            }
            if card.on != [output] { Issue.record("\(card.on) instead of \(output) after round \(round)") }
            most = max(most, card.calls.count)
        }
        #expect(failures > 100)
        // Each output is turned on and off once more at most, twice after a failure.
        #expect(most <= 2 * (1 + 2 * 5))
    }
}
