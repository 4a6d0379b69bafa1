import RingerTestKit
import Synchronization
import Testing

@testable import RingerCore

/// Loops on a simulated board, in virtual time, until the test ends them.
struct LoopBench {
    let bench: SoundsBench
    let executor = ManualExecutor()
    let isLooping = Flag(true)

    init(position: SwitchPosition = .ring) throws {
        bench = try SoundsBench(position: position, preferences: UserPreferences(vibrateOnRing: false))
    }

    /// A flag that closures share.
    final class Flag: Sendable {
        private let value: Atomic<Bool>
        init(_ value: Bool) { self.value = Atomic(value) }
        var isSet: Bool { value.load(ordering: .relaxed) }
        func clear() { value.store(false, ordering: .relaxed) }
    }

    /// How a loop plays its sound again: in each of its completions, or whenever it was awaited.
    enum Way: CaseIterable {
        case completions, awaits
    }

    /// Registers a sound of so many milliseconds, and plays it again and again.
    @discardableResult
    func loop(_ milliseconds: Int, on way: Way) throws -> SystemSoundID {
        let id = try bench.register(milliseconds: milliseconds)
        loop(id, on: way)
        return id
    }

    func loop(_ id: SystemSoundID, on way: Way) {
        if way == .completions { again(id) } else { loopOnAwait(id) }
    }

    func again(_ id: SystemSoundID) {
        bench.sounds.start(id) { [self] result in
            bench.results.append(result)
            if isLooping.isSet { again(id) }
        }
    }

    func loopOnAwait(_ id: SystemSoundID) {
        Task(executorPreference: executor) { [self] in
            while isLooping.isSet { bench.results.append(await bench.sounds.play(id)) }
        }
    }

    func advance(_ milliseconds: Int) { executor.advance(bench.clock, by: .milliseconds(milliseconds)) }

    /// The lengths of what was heard, in milliseconds.
    var lengths: [Int] { bench.heard.map { $0.count / 1000 } }

    /// Ends the loops, and what they play.
    func end() {
        isLooping.clear()
        bench.sounds.stopAll()
        advance(2000)
        #expect(bench.sounds.underWay == 0 && bench.clock.pendingTimers == 0)
    }
}

@Suite("Loops of system sounds")
struct SystemSoundLoopTests {
    @Test("two loops alternate whole sounds", arguments: LoopBench.Way.allCases, LoopBench.Way.allCases)
    func two(first: LoopBench.Way, second: LoopBench.Way) throws {
        // Each used to cut the other off at its first sample, a thousand times a second.
        let loops = try LoopBench()
        try loops.loop(300, on: first)
        loops.advance(100)
        try loops.loop(200, on: second)
        loops.advance(2500)
        #expect(loops.lengths == [100, 200, 300, 200, 300, 200, 300, 200, 300, 200, 300, 0])
        #expect(zip(loops.bench.heard, loops.bench.heard.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
        loops.end()
    }

    @Test("three loops take turns, none is left out", arguments: LoopBench.Way.allCases)
    func three(way: LoopBench.Way) throws {
        let loops = try LoopBench()
        for milliseconds in [100, 200, 300] { try loops.loop(milliseconds, on: way) }
        loops.advance(3000)
        let whole = loops.lengths.filter { $0 > 0 }
        #expect(whole.count >= 15 && whole.count <= 17)
        for index in whole.indices.dropFirst(3) { #expect(whole[index] == whole[index - 3]) }
        #expect(Set(whole.prefix(3)) == [100, 200, 300])
        loops.end()
    }

    @Test("an alert and a loop alternate whole sounds", arguments: LoopBench.Way.allCases)
    func alert(way: LoopBench.Way) throws {
        let loops = try LoopBench()
        let alerts = Alerts(loops.bench.sounds)
        let ring = try loops.bench.register(milliseconds: 300)
        try loops.loop(200, on: way)
        loops.advance(100)
        alerts.start(ring, way: .sound)
        loops.advance(1900)
        alerts.stop()
        #expect(loops.lengths == [100, 300, 200, 300, 200, 300, 200, 300, 100])
        loops.end()
    }

    @Test("a notification is heard whole, though a loop, two loops or an alert is running", arguments: 0..<5)
    func notification(what: Int) throws {
        let loops = try LoopBench()
        let alerts = Alerts(loops.bench.sounds)
        switch what {
        case 0: try loops.loop(300, on: .completions)
        case 1: try loops.loop(300, on: .awaits)
        case 2: for length in [300, 200] { try loops.loop(length, on: .completions) }
        case 3: for length in [300, 200] { try loops.loop(length, on: .awaits) }
        default: alerts.start(try loops.bench.register(milliseconds: 300))
        }
        loops.advance(450)
        let ended = Record<SystemSoundResult>()
        NotificationSounds(loops.bench.sounds).start(.standard, in: nil) { ended.append($0) }
        loops.advance(5000)
        #expect(ended.all.map(\.outcome) == [.finished])
        #expect(ended.all.first.map { loops.bench.microseconds($0.startedAt ?? loops.bench.start) } == 450_000)
        alerts.stop()
        loops.end()
    }

    @Test("a play of an alert's own ID interrupts the alert for as long as it lasts")
    func ownID() throws {
        // The alert's next round used to replace it at once.
        let bench = try SoundsBench(preferences: UserPreferences(vibrateOnRing: false))
        let alerts = Alerts(bench.sounds)
        let ring = try bench.register(milliseconds: 300)
        alerts.start(ring)
        bench.clock.advance(by: .milliseconds(100))
        bench.play(ring)
        bench.clock.advance(by: .milliseconds(400))
        alerts.stop()
        #expect(bench.heard == [0..<100_000, 100_000..<400_000, 400_000..<500_000])
        #expect(bench.outcomes == [.finished])
    }

    @Test("a sound that is played in a completion waits for the sound that plays, and is heard whole after it")
    func fromCompletion() throws {
        let (bench, long, short) = try SoundsBench.registered(milliseconds: 500, 100)
        bench.sounds.start(.vibrate) { [sounds = bench.sounds, results = bench.results] _ in
            sounds.start(short) { results.append($0) }
        }
        bench.clock.advance(by: .milliseconds(10))
        bench.play(long)
        bench.clock.advance(by: .seconds(2))
        #expect(bench.heard == [10_000..<510_000, 510_000..<610_000])
        #expect(bench.outcomes == [.finished, .finished])
    }

    @Test("a sound whose last play was replaced waits for the one that replaced it, and no longer")
    func replacedWaits() throws {
        let (bench, first, second) = try SoundsBench.registered(milliseconds: 300, 200)
        bench.play(first)
        bench.clock.advance(by: .milliseconds(100))
        bench.play(second)
        bench.clock.advance(by: .milliseconds(50))
        bench.play(first)
        bench.clock.advance(by: .seconds(1))
        #expect(bench.heard == [0..<100_000, 100_000..<300_000, 300_000..<600_000])
        // It was heard since: it takes the place of another at once again.
        bench.play(second)
        bench.clock.advance(by: .milliseconds(50))
        bench.play(first)
        bench.clock.advance(by: .seconds(1))
        #expect(bench.heard.suffix(2) == [1_150_000..<1_200_000, 1_200_000..<1_500_000])
    }

    @Test("sounds that wait are heard in the order in which they were asked for")
    func inOrder() throws {
        let bench = try SoundsBench()
        let sounds = try [100, 200, 300, 400].map { try bench.register(milliseconds: $0) }
        bench.sounds.start(.vibrate) { [services = bench.sounds, results = bench.results] _ in
            for sound in sounds { services.start(sound) { results.append($0) } }
        }
        bench.play(try bench.register(milliseconds: 500))
        bench.clock.advance(by: .seconds(3))
        #expect(bench.heard.map(\.count) == [500_000, 100_000, 200_000, 300_000, 400_000])
    }

    @Test("two loops on await of one ID do not stand still in time")
    func sameID() throws {
        let loops = try LoopBench()
        let id = try loops.bench.register(milliseconds: 300)
        loops.loopOnAwait(id)
        loops.loopOnAwait(id)
        loops.advance(5000)
        #expect(loops.bench.results.all.count < 1500)
        loops.end()
    }

    @Test("a loop of vibrations and a vibrating alert take turns, and the motor rests between them")
    func vibrations() throws {
        let loops = try LoopBench(position: .silent)
        let alerts = Alerts(loops.bench.sounds)
        alerts.start(1011)
        loops.advance(100)
        loops.again(.vibrate)
        loops.advance(4000)
        alerts.stop()
        let lengths = loops.bench.turns.map { $0.count / 1000 }
        // 1011 turns for 250 ms twice, 150 ms apart; the vibration for 400 ms.
        #expect(lengths.prefix(7) == [500, 250, 250, 400, 250, 250, 400])
        loops.end()
    }

    // MARK: - Loops that come to nothing

    @Test(
        "a loop that is silenced or fails makes 20 rounds a second after its first second",
        arguments: LoopBench.Way.allCases)
    func paced(way: LoopBench.Way) throws {
        // A thousand rounds a second used to keep the processor from sleeping for as long as the switch was at silent.
        for what in 0..<3 {
            let loops = try LoopBench(position: what == 0 ? .silent : .ring)
            if what == 1 { loops.bench.board.speaker.fault = .missing }
            let id = what == 2 ? 9999 : try loops.bench.register(milliseconds: 300)
            loops.loop(id, on: way)
            #expect(loops.bench.results.all.count == (way == .completions && what != 1 ? 1 : 0))
            loops.advance(1500)
            let before = loops.bench.results.all.count
            loops.advance(10_000)
            #expect(abs(loops.bench.results.all.count - before - 200) <= 1)
            #expect(before <= LoopPace.freeRounds + 30)
            loops.end()
        }
    }

    @Test("two silenced loops that play each other, and loops of IDs that change, are slowed down as well")
    func pingPong() throws {
        let loops = try LoopBench(position: .silent)
        let ids = try [100, 200].map { try loops.bench.register(milliseconds: $0) }
        @Sendable func next(_ index: Int) {
            loops.bench.sounds.start(ids[index]) {
                loops.bench.results.append($0)
                if loops.isLooping.isSet { next(1 - index) }
            }
        }
        next(0)
        loops.advance(2100)
        let before = loops.bench.results.all.count
        loops.advance(10_000)
        #expect(loops.bench.results.all.count - before <= 400)
        loops.end()
    }

    @Test("a round that was heard lets the next silenced one complete at once")
    func paceForgets() throws {
        let loops = try LoopBench(position: .silent)
        let id = try loops.loop(300, on: .completions)
        loops.advance(3000)
        loops.bench.board.ringSilent.position = .ring
        loops.advance(1000)
        loops.isLooping.clear()
        loops.bench.board.ringSilent.position = .silent
        loops.advance(100)
        loops.bench.play(id)
        #expect(loops.bench.results.all.last?.completedAfter == .zero)
        loops.end()
    }

    @Test("stopping everything completes a round that was slowed down at once")
    func pacedStop() throws {
        // Closing a device ends its clock: what still waited for a timer would never complete.
        let loops = try LoopBench(position: .silent)
        let id = try loops.bench.register(milliseconds: 300)
        loops.loopOnAwait(id)
        loops.advance(3020)
        let before = loops.bench.results.all.count
        #expect(loops.bench.sounds.underWay == 1)
        loops.isLooping.clear()
        loops.bench.sounds.stopAll()
        loops.executor.run()
        #expect(loops.bench.results.all.count == before + 1 && loops.bench.sounds.underWay == 0)
        #expect(loops.bench.outcomes.last == .silenced(by: .ringSilentSwitch))
    }

    @Test("a ring loop built on completions survives a speaker that fails for some seconds")
    func failingSpeaker() throws {
        // The completion was not called for a failure, and the loop ended without a word.
        let loops = try LoopBench()
        let ring = try loops.bench.register(milliseconds: 300)
        try loops.bench.sounds.addCompletion(for: ring) { [sounds = loops.bench.sounds] id, _ in sounds.start(id) }
        loops.bench.sounds.start(ring)
        loops.advance(750)
        // Rounds that fail are recorded too.
        loops.bench.board.speaker.recordingLimit = 10_000
        loops.bench.board.speaker.fault = .missing
        loops.advance(5000)
        loops.bench.board.speaker.fault = nil
        loops.advance(700)
        #expect(loops.lengths == [300, 300, 300, 300, 300, 50])
        loops.bench.sounds.removeCompletion(for: ring)
        loops.end()
    }
}
