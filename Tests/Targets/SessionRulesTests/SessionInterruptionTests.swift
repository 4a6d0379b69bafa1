import RingerPolicy
import SeededGenerator
import SessionRules
import Testing

@Suite("Sessions: interruptions")
struct SessionInterruptionTests {
    static let call = OutsideInterruption(rawValue: 1)
    static let clock = OutsideInterruption(rawValue: 2)

    @Test("a call interrupts every session, mixing or not, and its end brings them back")
    func outside() throws {
        var stage = try SessionStage(playing: ["music": "medi", "ambience": "ambi"])
        try stage.send(.outsideBegan(Self.call))
        #expect(
            stage.actions == [
                .stopSound(stage["music"], .interruption),
                .interruptionBegan(stage["music"], by: .outside(Self.call)),
                .stopSound(stage["ambience"], .interruption),
                .interruptionBegan(stage["ambience"], by: .outside(Self.call)), .activityChanged(.interrupted),
            ])
        #expect(try stage.state("music").request == .session(.playback, isInterrupted: true))
        try stage.send(.outsideEnded(Self.call, shouldResume: true))
        #expect(
            stage.actions == [
                .interruptionEnded(stage["ambience"], shouldResume: true),
                .interruptionEnded(stage["music"], shouldResume: true), .activityChanged([]),
            ])
    }

    @Test("an end without should-resume leaves sessions inactive")
    func doesNotResume() throws {
        var stage = try SessionStage(playing: ["music": "medi"])
        try stage.send(.outsideBegan(Self.call))
        try stage.send(.outsideEnded(Self.call, shouldResume: false))
        #expect(stage.actions == [.interruptionEnded(stage["music"], shouldResume: false), .activityChanged([])])
        #expect(try stage.state("music").phase == .inactive)
    }

    // Programs find a service that was started again in any order.
    @Test(
        "sessions that resume are active or interrupted as they were, in whatever order they do",
        arguments: [true, false])
    func resumesElsewhere(isOnlyActivated: Bool) throws {
        let names = ["one", "two", "three", "four"]
        let profiles = ["medi", "medi", "solo", "ambi", "medi+mix", "medi+duck", "medi+speech", "plar", "reca"]
        var random = SeededGenerator(seed: 1)
        var interrupted = 0
        for _ in 0..<1_000 {
            let sessions = names.map { name in
                (name, random.pick(profiles), random.pick([SessionPriority.ordinary, .ordinary, .call, .alarm]))
            }
            let isSpoken = names.map { _ in random.oneIn(3) }
            func stage(at time: UInt64) throws -> SessionStage {
                var stage = try SessionStage(at: time)
                for ((name, profile, priority), isSpoken) in zip(sessions, isSpoken) {
                    try stage.make(name, profile, priority, isSpoken: isSpoken)
                }
                return stage
            }
            var before = try stage(at: 1_000)
            for _ in 0..<6 {
                let id = before[random.pick(names)]
                var event = SessionCoordinator.Event.activate(id)
                // The sessions of a restarted service know nothing of those that are gone, or were other ones.
                if !isOnlyActivated {
                    switch random.below(5) {
                    case 0: event = .deactivate(id, notifyOthers: true)
                    case 1: event = .setCategory(id, .playback, options: random.pick([[], .mixWithOthers]))
                    default: break
                    }
                }
                _ = before.coordinator.handle(event)
            }
            let resuming = try names.filter { try before.state($0).phase != .inactive }
            interrupted += try names.count { try before.state($0).isInterrupted }
            var first: SessionStage?
            for order in Self.orders(of: resuming) {
                var after = try stage(at: 2_000)
                for name in names {
                    let settings = try before.state(name).settings
                    try after.send(.setCategory(after[name], settings.category, options: settings.options))
                }
                for name in order { try after.send(.resume(after[name], since: before.state(name).activation)) }
                var expected = isOnlyActivated ? before : first ?? after
                first = first ?? after
                // And so at the end of each.
                while true {
                    #expect(
                        try names.map { try after.state($0).phase } == names.map { try expected.state($0).phase },
                        "\(order): \(sessions) \(isSpoken)")
                    guard let leader = expected.coordinator.leader else { break }
                    try expected.send(.deactivate(leader.id))
                    try after.send(.deactivate(leader.id))
                }
            }
        }
        #expect(interrupted > 400)
    }

    @Test("no sessions wait for each other in a circle after one has resumed")
    func noCircle() throws {
        var stage = try SessionStage()
        try stage.make("first", "medi")
        try stage.send(.activate(stage["first"], at: 10))
        try stage.make("talk", "medi+mix", isSpoken: true)
        try stage.send(.activate(stage["talk"], at: 30))
        try stage.make("prompt", "medi+speech")
        try stage.send(.activate(stage["prompt"], at: 40))
        try stage.send(.setOptions(stage["talk"], []))
        #expect(try stage.state("talk").causes.contains(.session(stage["first"])))
        try stage.make("resumed", "medi")
        try stage.send(.resume(stage["resumed"], since: 20))
        try stage.send(.deactivate(stage["prompt"]))
        #expect(stage.coordinator.leader != nil)
    }

    private static func orders<Element>(of elements: [Element]) -> [[Element]] {
        if elements.isEmpty { return [[]] }
        return elements.indices.flatMap { index in
            var others = elements
            let first = others.remove(at: index)
            return orders(of: others).map { [first] + $0 }
        }
    }

    @Test("a session that resumes interrupts none that was activated here, and an interruption from outside goes on")
    func resumesBesideNewer() throws {
        var stage = try SessionStage(at: 1_000)
        for name in ["music", "game"] { try stage.make(name, "medi") }
        try stage.send(.activate(stage["game"]))
        try stage.send(.resume(stage["music"], since: 1_000))
        #expect(
            stage.actions == [
                .activated(stage["music"]), .interruptionBegan(stage["music"], by: .session(stage["game"])),
            ])
        // It is what it is here already.
        try stage.send(.resume(stage["game"], since: 0))
        #expect(stage.actions.isEmpty)
        try stage.send(.remove(stage["game"]))
        #expect(try stage.state("music").isActive)
        // One that resumes later with an earlier time is as old as that.
        try stage.make("late", "medi")
        try stage.send(.resume(stage["late"], since: .max))
        #expect(try stage.state("late").isActive && stage.state("music").isInterrupted)
        try stage.send(.resume(stage["late"], since: 1))
        #expect(try stage.state("late").isInterrupted && stage.state("music").isActive)
        try stage.send(.activate(stage["late"], at: 5_000))
        #expect(try stage.state("late").isActive && stage.state("music").isInterrupted)
        try stage.send(.remove(stage["late"]))

        try stage.make("prompt", "medi+mix")
        try stage.send(.outsideBegan(Self.call))
        try stage.send(.resume(stage["prompt"], since: 1))
        #expect(try stage.state("prompt").causes == [.outside(Self.call)])
        try stage.send(.outsideEnded(Self.call, shouldResume: true))
        #expect(try stage.state("prompt").isActive && stage.state("music").isActive)
    }

    @Test("after a call was answered no end comes, not even at its end, and sessions may be activated")
    func answered() throws {
        var stage = try SessionStage(playing: ["music": "medi", "game": "solo"])
        try stage.send(.outsideBegan(Self.call))
        #expect(stage.refusal(.activate(stage["music"])) == .notActive)
        try stage.send(.outsideAnswered(Self.call))
        #expect(
            stage.actions == [
                .interruptionDropped(stage["music"], .answered), .interruptionDropped(stage["game"], .answered),
                .activityChanged([]),
            ])
        try stage.send(.outsideEnded(Self.call, shouldResume: true))
        #expect(stage.actions.isEmpty)
        try stage.send(.activate(stage["music"]))
        #expect(try stage.state("music").isActive)
    }

    @Test("nested interruptions end once, when the last is over, in whichever order")
    func nested() throws {
        for last in [Self.call, Self.clock] {
            let first = last == Self.call ? Self.clock : Self.call
            var stage = try SessionStage(playing: ["music": "medi"])
            try stage.send(.outsideBegan(Self.call))
            try stage.send(.outsideBegan(Self.clock))
            #expect(stage.actions.isEmpty)
            try stage.send(.outsideEnded(first, shouldResume: true))
            #expect(stage.actions.isEmpty)
            try stage.send(.outsideEnded(last, shouldResume: true))
            #expect(stage.actions.first == .interruptionEnded(stage["music"], shouldResume: true))
        }
    }

    @Test("one of several interruptions that says not to resume is enough")
    func nestedWithoutResume() throws {
        var stage = try SessionStage(playing: ["music": "medi"])
        try stage.send(.outsideBegan(Self.call))
        try stage.send(.outsideBegan(Self.clock))
        try stage.send(.outsideEnded(Self.call, shouldResume: false))
        try stage.send(.outsideEnded(Self.clock, shouldResume: true))
        #expect(stage.actions.first == .interruptionEnded(stage["music"], shouldResume: false))
    }

    @Test("sessions that interrupted each other come back one by one, the newest first")
    func stack() throws {
        var stage = try SessionStage(playing: ["music": "medi", "podcast": "medi", "game": "solo"])
        try stage.send(.outsideBegan(Self.call))
        try stage.send(.outsideEnded(Self.call, shouldResume: true))
        #expect(stage.actions.first == .interruptionEnded(stage["game"], shouldResume: true))
        #expect(try stage.state("music").isInterrupted && stage.state("podcast").isInterrupted)
        try stage.send(.deactivate(stage["game"]))
        #expect(stage.actions.last == .interruptionEnded(stage["podcast"], shouldResume: true))
        try stage.send(.deactivate(stage["podcast"]))
        #expect(stage.actions.last == .interruptionEnded(stage["music"], shouldResume: true))
    }

    @Test("when the one in between goes, the oldest keeps waiting for the newest, and gets one end")
    func middleGoes() throws {
        var stage = try SessionStage(playing: ["music": "medi", "podcast": "medi", "game": "solo"])
        try stage.send(.deactivate(stage["podcast"]))
        #expect(
            stage.actions == [
                .interruptionDropped(stage["podcast"], .deactivated), .deactivated(stage["podcast"]),
            ])
        #expect(try stage.state("music").isInterrupted)
        try stage.send(.deactivate(stage["game"]))
        #expect(stage.actions.last == .interruptionEnded(stage["music"], shouldResume: true))
    }

    @Test("an interrupted session that is activated again gets no end, and interrupts in its turn")
    func reactivated() throws {
        var stage = try SessionStage(playing: ["music": "medi", "game": "solo"])
        try stage.send(.activate(stage["music"]))
        #expect(
            stage.actions == [
                .interruptionDropped(stage["music"], .reactivated), .stopSound(stage["game"], .interruption),
                .interruptionBegan(stage["game"], by: .session(stage["music"])), .activated(stage["music"]),
            ])
        try stage.send(.deactivate(stage["music"]))
        #expect(stage.actions.last == .interruptionEnded(stage["game"], shouldResume: true))
    }

    @Test("one that waits for a session which does not resume need not wait on")
    func giveUp() throws {
        var stage = try SessionStage(playing: ["music": "medi"])
        try stage.make("podcast", "medi", isSpoken: true)
        try stage.send(.activate(stage["podcast"]))
        try stage.playing(["voice": "medi+speech"])
        try stage.send(.deactivate(stage["voice"], notifyOthers: false))
        #expect(
            stage.actions.suffix(2) == [
                .interruptionEnded(stage["podcast"], shouldResume: false),
                .interruptionEnded(stage["music"], shouldResume: true),
            ])
    }

    @Test("a session that stopped mixing while interrupted does not fight with the one it played beside")
    func revertedMixing() throws {
        // Its override reverts with the interruption; without waiting it would come back beside the other, or be
        // interrupted at the moment of its resumption.
        var stage = try SessionStage(playing: ["music": "medi"])
        try stage.make("radio", "medi", isSpoken: true)
        try stage.send(.setOverride(stage["radio"], .mixWithOthers, true))
        try stage.send(.activate(stage["radio"]))
        #expect(try stage.state("music").isActive)
        try stage.playing(["voice": "medi+speech"])
        #expect(try !stage.state("radio").settings.overrides.contains(.mixWithOthers))
        try stage.send(.deactivate(stage["voice"]))
        #expect(!stage.actions.contains(.interruptionEnded(stage["radio"], shouldResume: true)))
        #expect(try stage.state("music").isActive && stage.state("radio").isInterrupted)
        try stage.send(.deactivate(stage["music"]))
        #expect(stage.actions.last == .interruptionEnded(stage["radio"], shouldResume: true))
    }

    @Test("a session that changes its mixing while interrupted waits for the one it would fight with")
    func changedMixing() throws {
        var stage = try SessionStage(playing: ["music": "medi"])
        try stage.make("radio", "medi+mix", isSpoken: true)
        try stage.send(.activate(stage["radio"]))
        try stage.playing(["voice": "medi+speech"])
        try stage.send(.setOptions(stage["radio"], []))
        try stage.send(.deactivate(stage["voice"]))
        #expect(try stage.state("music").isActive && stage.state("radio").isInterrupted)
    }

    @Test("one that interrupts speech is waited for only by what it interrupted itself")
    func speechLater() throws {
        // The podcast was activated beside the voice, and plays beside it again whatever it sets meanwhile.
        var stage = try SessionStage(playing: ["voice": "medi+speech"])
        try stage.make("podcast", "medi", isSpoken: true)
        try stage.send(.activate(stage["podcast"]))
        try stage.playing(["music": "medi"])
        try stage.send(.setOptions(stage["podcast"], .mixWithOthers))
        try stage.send(.deactivate(stage["music"]))
        #expect(try stage.state("podcast").isActive && stage.state("voice").isActive)
        // Nor does a call's end have the voice interrupt what it played beside.
        try stage.send(.outsideBegan(Self.call))
        try stage.send(.outsideEnded(Self.call, shouldResume: true))
        #expect(try stage.state("podcast").isActive && stage.state("voice").isActive)
    }

    @Test("the most important comes back first, then the newest, whatever their numbers")
    func order() throws {
        var stage = try SessionStage()
        try stage.make("newest", "ambi")
        try stage.make("oldest", "ambi")
        try stage.make("alarm", "medi+mix", .alarm)
        for name in ["alarm", "oldest", "newest"] { try stage.send(.activate(stage[name])) }
        try stage.send(.outsideBegan(Self.call))
        try stage.send(.outsideEnded(Self.call, shouldResume: true))
        #expect(
            stage.actions.dropLast() == [
                .interruptionEnded(stage["alarm"], shouldResume: true),
                .interruptionEnded(stage["newest"], shouldResume: true),
                .interruptionEnded(stage["oldest"], shouldResume: true),
            ])
    }

    @Test("the higher session comes back although a lower one took its place meanwhile")
    func higherComesBack() throws {
        var stage = try SessionStage()
        try stage.make("call", "plar", .call, isSpoken: true)
        try stage.send(.activate(stage["call"]))
        try stage.make("warning", "medi+speech", .alarm)
        try stage.send(.activate(stage["warning"]))
        try stage.make("music", "medi")
        try stage.send(.activate(stage["music"]))
        try stage.send(.deactivate(stage["warning"]))
        #expect(try stage.state("call").isActive && stage.state("music").isInterrupted)
    }

    @Test("the end of an interruption that never began, and a second beginning, change nothing")
    func unknown() throws {
        var stage = try SessionStage(playing: ["music": "medi"])
        try stage.send(.outsideEnded(Self.call, shouldResume: true))
        try stage.send(.outsideAnswered(Self.call))
        #expect(stage.actions.isEmpty)
        try stage.send(.outsideBegan(Self.call))
        let before = stage.coordinator
        try stage.send(.outsideBegan(Self.call))
        #expect(stage.coordinator == before)
    }
}
