import RingerTestKit
import Testing

@testable import RingerCore

@Suite("The player")
struct SoundPlayerTests {
    @Test("a sound that may be heard is played to its end, to the microsecond")
    func finished() throws {
        let bench = try PlayerBench()
        bench.play(200)
        bench.clock.advance(by: .seconds(1))
        #expect(bench.outcomes == [.finished])
        #expect(bench.results.all[0].elapsed == .milliseconds(200))
        #expect(bench.results.all[0].position.played == 9600)
        #expect(bench.player.playing == 0 && bench.clock.pendingTimers == 0)
    }

    @Test("a sound that the switch silences completes before the call returns, and never reaches the speaker")
    func silencedAtOnce() throws {
        let bench = try PlayerBench(position: .silent)
        bench.play(200)
        #expect(bench.outcomes == [.silenced(by: .ringSilentSwitch)])
        #expect(bench.results.all[0].elapsed == .zero)
        #expect(bench.board.speaker.recordings.isEmpty)
    }

    /// nil stands for a lock of the screen.
    @Test(
        "a flip to silent or vibrate, and a lock, stop what the switch silences, at that very sample, and nothing else",
        arguments: [SwitchPosition.silent, .vibrate, nil])
    func flip(position: SwitchPosition?) throws {
        let bench = try PlayerBench()
        bench.play(1000, as: .session(.soloAmbient))
        bench.play(1000, as: .session(.playback))
        bench.clock.advance(by: .milliseconds(250))
        if let position { bench.board.ringSilent.position = position }
        if position == nil { bench.board.surroundings.set(.screenLocked(true)) }
        bench.clock.advance(by: .zero)
        let silenced = SoundOutcome.silenced(by: position == nil ? .screenLock : .ringSilentSwitch)
        #expect(bench.outcomes == [silenced])
        #expect(bench.board.speaker.recordings[0].played == 12_000)
        bench.clock.advance(by: .seconds(1))
        #expect(bench.outcomes == [silenced, .finished])
        #expect(bench.board.speaker.recordings[1].played == 48_000)
    }

    @Test("a sound that is given up ends once, though its output ends it later")
    func givenUp() throws {
        let bench = try PlayerBench()
        bench.play(1000)
        bench.clock.advance(by: .milliseconds(250))
        bench.player.giveUp()
        #expect(bench.outcomes == [.stopped(.closed)] && bench.player.playing == 0)
        bench.clock.advance(by: .seconds(5))
        #expect(bench.outcomes.count == 1)
    }

    @Test("headphones pulled out at silent: the sound does not continue on the speaker")
    func headphonesOut() throws {
        let bench = try PlayerBench(position: .silent)
        bench.board.surroundings.set(.headphoneInserted(true))
        bench.play(1000)
        bench.clock.advance(by: .milliseconds(100))
        #expect(bench.board.speaker.recordings.map(\.route) == [.headphone])
        bench.board.surroundings.set(.headphoneInserted(false))
        bench.clock.advance(by: .zero)
        #expect(bench.outcomes == [.silenced(by: .ringSilentSwitch)])
    }

    @Test(
        "a sound on the speaker falls silent with the switch, although headphones were plugged in meanwhile",
        arguments: [SoundRequest.session(.soloAmbient), .systemSound(), .alert])
    func speakerAfterRouteChange(request: SoundRequest) throws {
        let bench = try PlayerBench()
        bench.play(1000, as: request)
        bench.clock.advance(by: .milliseconds(100))
        bench.board.surroundings.set(.headphoneInserted(true))
        bench.clock.advance(by: .milliseconds(100))
        #expect(bench.publisher.state.route == .headphone && bench.outcomes.isEmpty)
        bench.board.ringSilent.position = .silent
        bench.clock.advance(by: .zero)
        #expect(bench.outcomes == [.silenced(by: .ringSilentSwitch)])
        #expect(bench.board.speaker.recordings[0].route == .speaker)
        #expect(bench.board.speaker.recordings[0].played == 9_600)
    }

    @Test(
        "a sound in headphones plays on through a flip, although the device's route moved to the speaker meanwhile",
        arguments: [SoundRequest.session(.soloAmbient), .systemSound(), .alert])
    func headphoneAfterRouteChange(request: SoundRequest) throws {
        let bench = try PlayerBench()
        bench.board.surroundings.set(.headphoneInserted(true))
        bench.play(1000, as: request)
        bench.clock.advance(by: .milliseconds(100))
        bench.publisher.change(.route(.speaker), from: "firmware", at: bench.clock.now)
        bench.board.ringSilent.position = .silent
        bench.clock.advance(by: .seconds(1))
        #expect(bench.publisher.state.route == .speaker)
        #expect(bench.outcomes == [.finished])
        // What begins now goes to the speaker.
        bench.play(100, as: request)
        #expect(bench.outcomes == [.finished, .silenced(by: .ringSilentSwitch)])
    }

    @Test("a call on the speaker stays judged there when its session's route and options change")
    func callKeepsSpeaker() {
        var machine = PlayerMachine(pcms: [.speaker: "speaker", .receiver: "receiver"])
        _ = machine.switchTo(.ring)
        var terms = SoundTerms(request: .session(.playAndRecord, options: .defaultToSpeaker), route: .speaker)
        _ = machine.handle(.play(1, terms, frames: 100, now: MachineTime.start))
        terms = SoundTerms(request: .session(.playAndRecord), isDucked: true, route: .receiver)
        let actions = machine.handle(.terms(1, terms, now: MachineTime.start))
        guard case .report(.decided(.play(Ducking.gain, .speaker, _, _), _, _, _))? = actions.last else {
            Issue.record("\(actions)")
            return
        }
    }

    @Test(
        "where one PCM serves two routes the codec moves the sound, which is judged where it is heard then",
        arguments: [true, false])
    func sharedPCM(isShared: Bool) {
        var machine = PlayerMachine(pcms: [.speaker: "default", .headphone: isShared ? "default" : "plughw:1"])
        _ = machine.switchTo(.ring)
        _ = machine.handle(.play(1, SoundTerms(request: .systemSound()), frames: 100, now: MachineTime.start))
        _ = machine.switchTo(.ring, route: .headphone)
        let actions = machine.switchTo(.silent, route: .headphone)
        #expect(actions.contains(.halt(1)) == !isShared)
    }

    @Test(
        "where the output switches the codec with the next sound, both routes have to allow one that plays",
        arguments: [(AudioRoute.speaker, AudioRoute.headphone), (.headphone, .speaker)])
    func movesWithNextSound(first: AudioRoute, second: AudioRoute) {
        var machine = PlayerMachine(pcms: [:], movesWithNextSound: true)
        _ = machine.switchTo(.ring, route: first)
        _ = machine.handle(.play(1, SoundTerms(request: .systemSound()), frames: 100, now: MachineTime.start))
        _ = machine.switchTo(.ring, route: second)
        #expect(machine.switchTo(.silent, route: second).contains(.halt(1)))
    }

    /// A machine for a card that is switched, at `first`, with a sound that plays there.
    private func switchedMachine(
        _ position: SwitchPosition = .ring, at first: AudioRoute, pcms: [AudioRoute: String] = [:]
    ) -> PlayerMachine {
        var machine = PlayerMachine(pcms: pcms, movesWithNextSound: true)
        _ = machine.switchTo(position, route: first)
        #expect(machine.begin(1).contains { if case .begin(1, _) = $0 { true } else { false } })
        _ = machine.cardSwitched(to: first)
        _ = machine.handle(.playback(1, .started(at: MachineTime.start)))
        return machine
    }

    @Test(
        "while the card is being switched, a sound that plays is judged on both routes, and then on the new one alone")
    func whileSwitching() {
        // It plays in headphones; the next one will be heard from the speaker.
        var machine = switchedMachine(at: .headphone)
        _ = machine.switchTo(.ring, route: .speaker)
        _ = machine.begin(2)
        _ = machine.switchTo(.ring, route: .headphone)
        var other = machine
        let halted = other.switchTo(.silent, route: .headphone)
        #expect(halted.contains(.halt(1)), "the card may be at the speaker already")
        // The switch ended: both are at the speaker.
        _ = machine.cardSwitched(to: .speaker)
        _ = machine.handle(.playback(2, .started(at: MachineTime.start)))
        let both = machine.switchTo(.silent, route: .speaker)
        #expect(both.contains(.halt(1)) && both.contains(.halt(2)))
        // And the other way round: once the card is at the headphones, the position silences nothing.
        machine = switchedMachine(at: .speaker)
        _ = machine.switchTo(.ring, route: .headphone)
        _ = machine.begin(2)
        _ = machine.cardSwitched(to: .headphone)
        _ = machine.handle(.playback(2, .started(at: MachineTime.start)))
        #expect(machine.switchTo(.silent, route: .headphone).allSatisfy { $0 != .halt(1) && $0 != .halt(2) })
    }

    @Test(
        "at silent a session's sound that moves the card to the speaker ends one that may be heard on headphones alone")
    func movedToSpeaker() {
        var machine = switchedMachine(.silent, at: .headphone)
        let moved = machine.begin(2, SoundTerms(request: .session(.playback), route: .speaker))
        #expect(moved.contains(.halt(1)))
        #expect(moved.contains { if case .begin(2, _) = $0 { true } else { false } })
    }

    // The card was taken to be at the headphones, for which nothing is switched: at silent the speaker sounded.
    @Test(
        "a sound without an output of its own is judged where a switch leaves the card, whose sound was halted meanwhile",
        arguments: [AudioRoute.headphone, .headset, .line], [nil, true, false])
    func haltedWhileSwitching(route: AudioRoute, hasEnded: Bool?) {
        var machine = PlayerMachine(pcms: [:], movesWithNextSound: true)
        _ = machine.switchTo(.ring)
        _ = machine.begin(1)
        _ = machine.switchTo(.ring, route: route)
        _ = machine.begin(2)
        _ = machine.cardSwitched(to: route, RingerError(.notFound, "switch to \(route)", "sound card"))
        if hasEnded != nil { _ = machine.handle(.halt(1, .stopped(.caller))) }
        let end = PlaybackEvent.ended(.stopped, at: MachineTime.start, .init(played: 0, total: 100))
        if hasEnded == true { _ = machine.handle(.playback(1, end)) }
        _ = machine.cardSwitched(to: .speaker)
        if hasEnded == false { _ = machine.handle(.playback(1, end)) }
        _ = machine.handle(.playback(2, .started(at: MachineTime.start)))
        #expect(machine.sounds[2]?.halted == nil)
        #expect(machine.switchTo(.silent, route: route).contains(.halt(2)))
    }

    // Nothing switched the card for it, and nothing said that the card had not moved.
    @Test("a sound that the output never gets silences no other one")
    func neverHandedOver() {
        var machine = switchedMachine(.silent, at: .headphone)
        let terms = SoundTerms(request: .session(.playback), route: .speaker)
        var actions = machine.handle(.play(2, terms, frames: 0, now: MachineTime.start))
        let error = RingerError(.invalid, "play", "sound")
        actions += machine.handle(
            .playback(2, .ended(.failed(error), at: MachineTime.start, .init(played: 0, total: 0))))
        actions += machine.switchTo(.ring, route: .headphone) + machine.switchTo(.silent, route: .headphone)
        #expect(!actions.contains(.halt(1)))
    }

    @Test(
        "a sound whose card could not be switched plays on only where every route of its PCM allows it",
        arguments: [true, false])
    func failedSwitch(hasStarted: Bool) {
        let error = RingerError(.timedOut, "switch to headphone", "sound card")
        var machine = PlayerMachine(pcms: [.line: "other", .bluetooth: "air"], movesWithNextSound: true)
        _ = machine.switchTo(.silent, route: .headphone)
        _ = machine.begin(1)
        _ = machine.begin(2, SoundTerms(request: .session(.playback)))
        // One that waits for a switch of its own, and one on a PCM of a single route.
        _ = machine.begin(3, SoundTerms(request: .systemSound(), route: .headset))
        _ = machine.begin(4, SoundTerms(request: .systemSound(), route: .line))
        if hasStarted {
            for id in [1, 2, 4] { _ = machine.handle(.playback(UInt64(id), .started(at: MachineTime.start))) }
        }
        #expect(
            machine.cardSwitched(to: .headphone, error).filter { if case .halt = $0 { true } else { false } } == [
                .halt(1)
            ])
        #expect(machine.sounds[1]?.halted == .failed(error))
        // It was not known that it would fail: the next sound on that route begins, and ends with its own switch.
        #expect(machine.begin(5).contains { if case .begin(5, _) = $0 { true } else { false } })
        #expect(machine.cardSwitched(to: .headphone, error).contains(.halt(5)))
        _ = machine.cardSwitched(to: .headset)
        _ = machine.handle(.playback(3, .started(at: MachineTime.start)))
        #expect(
            machine.sounds[3]?.halted == nil && machine.sounds[2]?.halted == nil && machine.sounds[4]?.halted == nil)
    }

    @Test("until a switch succeeds after one that failed, a flip silences what may be heard at the speaker")
    func unknownCard() {
        var machine = switchedMachine(at: .headphone)
        _ = machine.cardSwitched(to: .headphone, RingerError(.system, "switch to headphone", "sound card"))
        #expect(machine.sounds[1]?.halted == nil)
        var known = machine
        _ = known.cardSwitched(to: .headphone)
        #expect(!known.switchTo(.silent, route: .headphone).contains(.halt(1)))
        #expect(machine.switchTo(.silent, route: .headphone).contains(.halt(1)))
        #expect(machine.sounds[1]?.halted == .silenced(by: .ringSilentSwitch))
    }

    @Test(
        "a switch of the card moves no sound that plays on another PCM, headphones pulled out or not",
        arguments: [true, false])
    func otherPCM(isPulledOut: Bool) {
        var machine = switchedMachine(
            at: .headphone, pcms: [.headphone: "jack", .headset: "jack", .line: "line", .speaker: "speaker"])
        var actions: [PlayerMachine.Action] = []
        if isPulledOut {
            for isInserted in [true, false] {
                let state = DeviceState(ringSilent: .ring, route: .speaker, isHeadphoneInserted: isInserted)
                machine.take(state, now: MachineTime.start, &actions)
            }
        }
        _ = machine.begin(2, SoundTerms(request: .session(.playback), route: .line))
        _ = machine.cardSwitched(to: .line)
        #expect(machine.sounds[1]?.route == (isPulledOut ? nil : .headphone))
        #expect(machine.switchTo(.silent, route: .speaker).contains(.halt(1)) == isPulledOut)
    }

    // One at the service, whose session was freed before the service had read its file, failed as busy.
    @Test("a sound that is stopped ends as stopped, though the output could not play it by then")
    func stoppedThenFailed() {
        var machine = PlayerMachine(pcms: [:])
        _ = machine.switchTo(.ring)
        _ = machine.handle(.play(1, SoundTerms(request: .systemSound()), frames: 100, now: MachineTime.start))
        #expect(machine.handle(.halt(1, .stopped(.sessionRemoved))) == [.halt(1)])
        let end = PlaybackEvent.ended(
            .failed(RingerError(.busy, "play", "session")), at: MachineTime.start, .init(played: 0, total: 100))
        let outcomes = machine.handle(.playback(1, end)).compactMap { action in
            if case .complete(_, let result) = action { result.outcome } else { nil }
        }
        #expect(outcomes == [.stopped(.sessionRemoved)])
    }

    @Test("the alert volume follows the user while an alert plays")
    func volume() throws {
        let bench = try PlayerBench()
        bench.play(1000, as: .alert)
        bench.clock.advance(by: .milliseconds(10))
        bench.player.preferences.alertVolume = 0.25
        #expect(bench.board.speaker.recordings[0].gains == [1, 0.25])
        bench.player.preferences.doNotDisturb = true
        bench.clock.advance(by: .zero)
        #expect(bench.outcomes == [.silenced(by: .doNotDisturb)])
    }

    @Test("a session that is interrupted falls silent")
    func interrupted() throws {
        let bench = try PlayerBench()
        let id = bench.play(1000, as: .session(.playback))
        bench.clock.advance(by: .milliseconds(10))
        bench.player.setTerms(SoundTerms(request: .session(.playback, isInterrupted: true)), of: id)
        bench.clock.advance(by: .zero)
        #expect(bench.outcomes == [.silenced(by: .interruption)])
    }

    @Test("stopping ends a sound as stopped; stopping it again, or after its end, does nothing")
    func stop() throws {
        let bench = try PlayerBench()
        let id = bench.play(1000)
        bench.clock.advance(by: .milliseconds(10))
        bench.player.stop(id)
        bench.player.stop(id)
        bench.clock.advance(by: .seconds(2))
        bench.player.stop(id)
        #expect(bench.outcomes == [.stopped(.caller)])
    }

    @Test("a sound stopped before its first frame ends as stopped too")
    func stopBeforeStart() throws {
        let bench = try PlayerBench()
        let id = bench.play(1000)
        bench.player.stop(id)
        bench.clock.advance(by: .seconds(2))
        #expect(bench.outcomes == [.stopped(.caller)])
    }

    @Test(
        "a failure of the output is the sound's outcome",
        arguments: [SimulatedSoundOutput.Fault.busy, .missing, .gone(frame: 100)])
    func failure(fault: SimulatedSoundOutput.Fault) throws {
        let bench = try PlayerBench()
        bench.board.speaker.fault = fault
        bench.play(1000)
        bench.clock.advance(by: .seconds(2))
        guard case .failed(let error) = bench.outcomes.first else {
            Issue.record("\(bench.outcomes) is no failure")
            return
        }
        #expect(["busy", "notFound", "disconnected"].contains(error.code.rawValue))
        #expect(bench.outcomes.count == 1)
    }

    @Test("an underrun is an event that somebody can see, and no end")
    func underrun() throws {
        let bench = try PlayerBench()
        bench.board.speaker.fault = .underrun(frame: 4800)
        let id = bench.play(1000)
        bench.clock.advance(by: .seconds(2))
        #expect(bench.outcomes == [.finished])
        let at = bench.start + .milliseconds(100)
        #expect(bench.events.all.contains(.playback(.underrun(at: at), sound: id.number)))
        #expect(bench.events.all.contains(.playback(.recovered(at: at), sound: id.number)))
    }

    @Test("cancelling the task stops the sound")
    func cancelled() throws {
        let (bench, executor) = (try PlayerBench(), ManualExecutor())
        let task = Task(executorPreference: executor) {
            bench.results.append(
                await bench.player.playOutsideSessions(
                    .silence(duration: .seconds(20), sampleRate: 8000, channels: 1), as: .session(.playback)))
        }
        executor.run()
        task.cancel()
        executor.advance(bench.clock, by: .milliseconds(10))
        #expect(bench.outcomes == [.stopped(.caller)])
    }

    @Test("a ring made of completions that play again stops when its flag says so")
    func ringLoop() throws {
        let bench = try PlayerBench()
        let rounds = Record<Void>()
        @Sendable func ring() {
            bench.player.startOutsideSessions(.silence(duration: .milliseconds(300)), as: .systemSound()) { _ in
                rounds.append(())
                if rounds.all.count < 5 { ring() }
            }
        }
        ring()
        bench.clock.advance(by: .seconds(10))
        #expect(rounds.all.count == 5)
        #expect(bench.board.speaker.recordings.last?.end == bench.start + .milliseconds(1500))
    }
}

@Suite("The device's state")
struct DeviceStateTests {
    @Test("a subscriber gets the current state first, then the newest, never an old one")
    func states() async throws {
        let bench = try PlayerBench()
        bench.board.ringSilent.position = .silent
        var states = bench.publisher.states.makeAsyncIterator()
        #expect(await states.next()?.ringSilent == .silent)
        bench.board.ringSilent.position = .ring
        bench.board.ringSilent.position = .vibrate
        #expect(await states.next()?.ringSilent == .vibrate)
    }

    @Test("each position carries its source and the instant of its edge")
    func stamps() throws {
        let bench = try PlayerBench()
        bench.clock.advance(by: .milliseconds(70))
        bench.board.ringSilent.position = .silent
        #expect(bench.publisher.state.ringSilentAt == bench.start + .milliseconds(70))
        #expect(bench.publisher.state.ringSilentSource == "switch")
    }

    @Test("a switch that is unplugged leaves its last position in force, and is reported; so is its return")
    func unplugged() throws {
        let bench = try PlayerBench(position: .silent)
        bench.board.ringSilent.unplug()
        #expect(bench.publisher.state.ringSilent == .silent && !bench.publisher.state.isSwitchConnected)
        bench.board.ringSilent.position = .ring
        #expect(bench.publisher.state.ringSilent == .silent)
        bench.board.ringSilent.plug()
        #expect(bench.publisher.state.ringSilent == .ring && bench.publisher.state.isSwitchConnected)
        let names = bench.events.all.map { String("\($0)".prefix { $0 != "(" }) }
        #expect(names == ["switchMoved", "switchLost", "switchFound", "switchMoved"])
    }

    @Test("every flip is an event, in order, however slow the subscribers of the state are")
    func thousandFlips() throws {
        let bench = try PlayerBench()
        let executor = ManualExecutor()
        let seen = Record<SwitchPosition?>()
        let slow = Task(executorPreference: executor) {
            for await state in bench.publisher.states { seen.append(state.ringSilent) }
        }
        defer { executor.end([slow]) }
        executor.run()
        for _ in 0..<500 {
            bench.board.ringSilent.position = .silent
            bench.board.ringSilent.position = .ring
        }
        let moves = bench.events.all.compactMap { event -> SwitchPosition? in
            if case .switchMoved(let position, _, _) = event { position } else { nil }
        }
        #expect(moves == [.ring] + (0..<1000).map { $0.isMultiple(of: 2) ? .silent : .ring })
        // The slow one was woken by the first flip, and gets to run after the last.
        #expect(seen.all == [.ring])
        executor.run()
        #expect(seen.all == [.ring, .ring])
    }

    // A full buffer of a removed subscriber is not counted as a loss, so the count alone does not show it.
    @Test("a subscriber that goes away is removed")
    func subscriptionEnds() async throws {
        let broadcast = Broadcast<Int>()
        let kept = broadcast.subscribe(buffering: .bufferingOldest(1))
        do {
            let stream = broadcast.subscribe(buffering: .bufferingOldest(1))
            #expect(broadcast.send(1) == 0)
            #expect(broadcast.send(2) == 2)
            #expect(broadcast.subscribers.count == 2)
            _ = stream
        }
        #expect(broadcast.subscribers.count == 1)
        #expect(broadcast.send(3) == 1)
        broadcast.finish()
        #expect(broadcast.subscribers.count == 0)
        _ = kept
    }
}

/// The instant of a machine that is tested without a clock.
private enum MachineTime {
    static let start = MonotonicTime(nanoseconds: 1_000_000_000)
}

extension PlayerMachine {
    /// Begins a sound, by default a system sound, and hands it to the output.
    fileprivate mutating func begin(_ id: ID, _ terms: SoundTerms = SoundTerms(request: .systemSound())) -> [Action] {
        let actions = handle(.play(id, terms, frames: 100, now: MachineTime.start))
        guard let route = sounds[id]?.route else { return actions }
        return actions + handle(.handOver(route, now: MachineTime.start))
    }

    /// The output reports a switch of the card.
    fileprivate mutating func cardSwitched(to route: AudioRoute, _ error: RingerError? = nil) -> [Action] {
        handle(.card(route, error, now: MachineTime.start))
    }

    /// Moves the switch, on a device whose sound takes `route`.
    fileprivate mutating func switchTo(
        _ position: SwitchPosition, route: AudioRoute = .speaker
    ) -> [Action] {
        var actions: [Action] = []
        take(DeviceState(ringSilent: position, route: route), now: MachineTime.start, &actions)
        return actions
    }
}
