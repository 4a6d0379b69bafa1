import Glibc
import RingerTestKit
import SystemPackage
import Testing

@testable import RingerCore

/// Alerts on a simulated board, in virtual time.
struct AlertBench {
    let bench: SoundsBench
    let alerts: Alerts
    let results = Record<AlertResult>()
    /// 300 ms.
    let ring: SystemSoundID

    init(
        position: SwitchPosition = .ring, preferences: UserPreferences = UserPreferences(), directories: [String] = [],
        hasMotor: Bool = true
    ) throws {
        bench = try SoundsBench(
            position: position, preferences: preferences, directories: directories, hasMotor: hasMotor)
        alerts = Alerts(bench.sounds)
        ring = try bench.register(milliseconds: 300)
    }

    func start(_ sound: SystemSoundID? = nil, way: AlertWay = .both, limit: Duration = Alerts.standardLimit) {
        alerts.start(sound ?? ring, way: way, limit: limit) { [results] in results.append($0) }
    }

    func flip(to position: SwitchPosition) { bench.board.ringSilent.position = position }

    func advance(_ milliseconds: Int) { bench.clock.advance(by: .milliseconds(milliseconds)) }

    var outcomes: [SoundOutcome] { results.all.map(\.outcome) }
}

@Suite("Alerts")
struct AlertTests {
    @Test("an alarm rings and vibrates at silent; once the user wants alarms to obey, it only vibrates")
    func alarm() throws {
        let alert = try AlertBench(position: .silent)
        alert.alerts.start(alert.ring, kind: .alarm, limit: .seconds(10)) { [results = alert.results] in
            results.append($0)
        }
        alert.advance(100)
        #expect(alert.bench.board.speaker.playing.count == 1 && alert.bench.board.motor.isOn)
        alert.bench.player.preferences.alarmsIgnoreSilence = false
        alert.advance(0)
        #expect(alert.bench.board.speaker.playing.isEmpty)
        alert.advance(5_000)
        #expect(alert.bench.heard.count == 1 && alert.bench.board.motor.turns.count > 3)
        alert.bench.player.preferences.alarmsIgnoreSilence = true
        alert.advance(6_000)
        #expect(alert.bench.heard.count > 3 && alert.outcomes == [.stopped(.limited)])
    }

    @Test(
        "a call that begins silences the alert that rings, makes it quieter or felt, as the user chose; its end restores it",
        arguments: AlertsDuringCall.allCases)
    func call(choice: AlertsDuringCall) throws {
        let alert = try AlertBench(preferences: UserPreferences(alertsDuringCall: choice))
        let (board, publisher) = (alert.bench.board, alert.bench.publisher)
        alert.start(limit: .seconds(60))
        alert.advance(100)
        #expect(board.speaker.playing.map(\.gains) == [[1]])
        publisher.sessions(are: [.records, .call, .callByPriority])
        alert.advance(0)
        let isHeard = choice == .heard || choice == .quiet
        #expect(board.speaker.playing.map(\.gains) == (isHeard ? [choice == .quiet ? [1, 0.1] : [1]] : []))
        // The vibration of the round that was begun goes on; none of the next ones has a sound that may not be heard.
        alert.advance(5_000)
        let (heard, turns) = (board.speaker.recordingCount, board.motor.turns.count)
        alert.advance(5_000)
        #expect((board.speaker.recordingCount > heard) == isHeard)
        #expect((board.motor.turns.count > turns) == (choice == .felt || choice == .automatic))
        if choice == .quiet { #expect(board.speaker.recordings.last?.gains == [0.1]) }
        publisher.sessions(are: [])
        alert.advance(1_000)
        #expect(board.speaker.recordings.last?.gains == [1])
        alert.alerts.stop()
    }

    @Test("an alarm by the sound of the alert that runs is another one, and replaces it")
    func alarmReplaces() throws {
        let alert = try AlertBench(position: .silent)
        alert.start()
        alert.advance(100)
        #expect(alert.bench.board.speaker.playing.isEmpty)
        alert.alerts.start(alert.ring, kind: .alarm)
        alert.advance(100)
        #expect(alert.outcomes == [.stopped(.replaced)] && alert.bench.board.speaker.playing.count == 1)
    }

    @Test("an alert rings from completion to completion, and ends at exactly 20 s")
    func timesOut() throws {
        let alert = try AlertBench()
        alert.start(way: .sound)
        alert.advance(60_000)
        #expect(alert.bench.heard.count == 67)
        #expect(alert.bench.heard.first == 0..<300_000 && alert.bench.heard.last == 19_800_000..<20_000_000)
        let gaps = zip(alert.bench.heard, alert.bench.heard.dropFirst()).map { $1.lowerBound - $0.upperBound }
        #expect(gaps.allSatisfy { $0 == 0 })
        #expect(alert.outcomes == [.stopped(.limited)] && alert.results.all[0].elapsed == .seconds(20))
        #expect(alert.results.all[0].sounded && !alert.results.all[0].vibrated)
        #expect(!alert.alerts.isRunning && alert.bench.clock.pendingTimers == 0)
    }

    // Its end was computed with an addition that trapped.
    @Test("an alert with the longest of limits goes on until it is stopped")
    func longestLimit() throws {
        let alert = try AlertBench()
        alert.start(way: .sound, limit: .seconds(Int64.max))
        alert.advance(60_000)
        #expect(alert.alerts.isRunning && alert.bench.heard.count >= 200)
        alert.alerts.stop()
        alert.advance(0)
        #expect(alert.outcomes == [.stopped(.caller)])
    }

    @Test("the motor stops with the alert at 20 s, in the middle of a turn")
    func timesOutVibrating() throws {
        let alert = try AlertBench(position: .silent)
        alert.start(limit: .milliseconds(20_250))
        alert.advance(60_000)
        #expect(alert.bench.turns.first == 0..<400_000 && alert.bench.turns.last == 20_000_000..<20_250_000)
        #expect(alert.bench.turns.count == 41 && !alert.bench.board.motor.isOn)
        #expect(alert.outcomes == [.stopped(.limited)])
    }

    @Test(
        "each way is heard and felt as far as the switch allows",
        arguments: [
            (AlertWay.sound, SwitchPosition.ring, true, false), (.vibration, .ring, false, true),
            (.both, .ring, true, true), (.none, .ring, false, false),
            (.sound, .silent, false, false), (.vibration, .silent, false, true),
            (.both, .silent, false, true), (.none, .silent, false, false),
            (.sound, .vibrate, false, false), (.vibration, .vibrate, false, true),
            (.both, .vibrate, false, true), (.none, .vibrate, false, false),
        ])
    func ways(way: AlertWay, position: SwitchPosition, isHeard: Bool, isFelt: Bool) throws {
        let alert = try AlertBench(position: position)
        alert.start(way: way)
        alert.advance(1000)
        #expect(alert.bench.heard.isEmpty == !isHeard && alert.bench.turns.isEmpty == !isFelt)
        #expect(alert.alerts.isRunning)
        alert.advance(60_000)
        #expect(alert.outcomes == [.stopped(.limited)] && alert.results.all[0].elapsed == .seconds(20))
        #expect(alert.results.all[0].sounded == isHeard && alert.results.all[0].vibrated == isFelt)
    }

    @Test("stopping ends sound and motor at once")
    func stop() throws {
        let alert = try AlertBench()
        alert.start()
        alert.advance(650)
        alert.alerts.stop()
        alert.advance(0)
        // The second round began when the first turn was over; its own turn 0.1 s later.
        #expect(alert.bench.heard == [0..<300_000, 400_000..<650_000])
        #expect(alert.bench.turns == [0..<400_000, 500_000..<650_000])
        #expect(alert.outcomes == [.stopped(.caller)] && !alert.alerts.isRunning)
        alert.advance(60_000)
        #expect(alert.bench.heard.count == 2 && alert.bench.clock.pendingTimers == 0)
    }

    @Test("a flip to silent turns a ringing alert into a vibrating one, and back")
    func flips() throws {
        let alert = try AlertBench(preferences: UserPreferences(vibrateOnRing: false))
        alert.start()
        alert.advance(450)
        alert.flip(to: .silent)
        alert.advance(700)
        alert.flip(to: .ring)
        alert.advance(350)
        alert.alerts.stop()
        alert.advance(0)
        #expect(alert.bench.heard == [0..<300_000, 300_000..<450_000, 1_150_000..<1_450_000, 1_450_000..<1_500_000])
        #expect(alert.bench.turns == [450_000..<850_000, 950_000..<1_150_000])
        #expect(alert.results.all[0].sounded && alert.results.all[0].vibrated)
    }

    @Test("a flip and back within one round rings again at once")
    func quickFlips() throws {
        let alert = try AlertBench()
        alert.start()
        alert.advance(100)
        alert.flip(to: .silent)
        alert.advance(100)
        alert.flip(to: .ring)
        alert.advance(50)
        alert.alerts.stop()
        alert.advance(0)
        #expect(alert.bench.heard == [0..<100_000, 200_000..<250_000])
        // The motor rests for 0.1 s before the new round's turn, which the stop forestalls.
        #expect(alert.bench.turns == [0..<200_000])
    }

    @Test("a hundred flips in one alert leave one sound, one motor and one completion")
    func manyFlips() throws {
        let alert = try AlertBench()
        alert.start()
        for round in 0..<100 {
            alert.advance(37)
            alert.flip(to: round.isMultiple(of: 2) ? .silent : .ring)
        }
        alert.alerts.stop()
        alert.advance(5000)
        let heard = alert.bench.heard
        // At ring before the first flip, and after every second.
        #expect(heard.count >= 50)
        #expect(zip(heard, heard.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound })
        #expect(alert.outcomes == [.stopped(.caller)] && !alert.bench.board.motor.isOn)
        #expect(alert.bench.sounds.underWay == 0 && alert.bench.clock.pendingTimers == 0)
    }

    // It was held by the rules of before until they changed again: a call would have been missed.
    @Test("rules that change between an alert's start and the performing of it are the ones that it obeys")
    func rulesDuringStart() throws {
        let alert = try AlertBench(preferences: UserPreferences(doNotDisturb: true))
        let (bench, core) = (alert.bench, alert.bench.sounds.engine.core)
        // The device's thread is held up meanwhile.
        core.perform {
            alert.start(way: .sound)
            bench.player.preferences = UserPreferences()
        }
        alert.advance(100)
        #expect(bench.heard == [0..<100_000])
        alert.alerts.stop()
        core.perform {
            alert.start(way: .sound)
            bench.player.preferences = UserPreferences(doNotDisturb: true)
        }
        alert.advance(500)
        #expect(bench.heard == [0..<100_000])
        alert.alerts.stop()
        #expect(alert.outcomes == [.stopped(.caller), .stopped(.caller)])
    }

    @Test("do-not-disturb holds an alert back until it is switched off")
    func doNotDisturb() throws {
        let alert = try AlertBench(preferences: UserPreferences(doNotDisturb: true))
        alert.start()
        alert.advance(1000)
        #expect(alert.bench.heard.isEmpty && alert.bench.turns.isEmpty)
        alert.bench.player.preferences = UserPreferences()
        alert.advance(100)
        #expect(alert.bench.heard == [1_000_000..<1_100_000] && alert.bench.turns == [1_000_000..<1_100_000])
    }

    @Test("taking the wish to vibrate back stops the motor, and the sound goes on")
    func preferenceInTheMiddle() throws {
        let alert = try AlertBench()
        alert.start()
        alert.advance(100)
        alert.bench.player.preferences = UserPreferences(vibrateOnRing: false)
        alert.advance(900)
        #expect(alert.bench.turns == [0..<100_000])
        #expect(alert.bench.heard.count == 4)
    }

    @Test("starting the alert that runs neither doubles nor lengthens it, and both callers are told")
    func twice() throws {
        let alert = try AlertBench()
        alert.start(way: .sound)
        alert.advance(10_000)
        alert.start(way: .sound)
        alert.advance(60_000)
        #expect(alert.bench.heard.count == 67 && alert.bench.heard.last?.upperBound == 20_000_000)
        #expect(alert.outcomes == [.stopped(.limited), .stopped(.limited)])
    }

    @Test(
        "two alerts whose owners restart them take no processor time, heard, felt or silenced",
        arguments: SwitchPosition.allCases, [AlertWay.sound, .vibration])
    func restartingEachOther(position: SwitchPosition, way: AlertWay) throws {
        // Each start ended the other alert, whose completion started it again: where neither sounded, for ever at one
        // instant.
        let alert = try AlertBench(position: position)
        let other = try alert.bench.register(milliseconds: 500)
        let isLooping = LoopBench.Flag(true)
        @Sendable func again(_ id: SystemSoundID) {
            alert.alerts.start(id, way: way) { [results = alert.results] result in
                results.append(result)
                // Where it fails it is to end.
                if isLooping.isSet, results.all.count < 10_000 { again(id) }
            }
        }
        again(alert.ring)
        alert.advance(100)
        again(other)
        alert.advance(10_025)
        #expect(alert.results.all.count <= 410 && alert.outcomes.allSatisfy { $0 == .stopped(.replaced) })
        // Stopping everything, as closing the device does, completes both: no timer may come any more.
        isLooping.clear()
        let before = alert.results.all.count
        alert.alerts.stop()
        alert.bench.sounds.stopAll()
        alert.advance(0)
        #expect(alert.results.all.count == before + 2)
        alert.advance(200)
        #expect(alert.bench.sounds.underWay == 0 && alert.bench.clock.pendingTimers == 0)
    }

    @Test("another alert takes the place of the one that runs")
    func another() throws {
        let alert = try AlertBench()
        let other = try alert.bench.register(milliseconds: 500)
        alert.start(way: .sound)
        alert.advance(1000)
        alert.start(other, way: .sound)
        alert.advance(600)
        alert.alerts.stop()
        alert.advance(10)
        #expect(alert.outcomes == [.stopped(.replaced), .stopped(.caller)])
        #expect(alert.bench.heard.suffix(2) == [1_000_000..<1_500_000, 1_500_000..<1_600_000])
    }

    @Test("a system sound interrupts an alert for as long as it lasts")
    func interrupted() throws {
        let alert = try AlertBench()
        let click = try alert.bench.register(milliseconds: 50)
        alert.start(way: .sound)
        alert.advance(100)
        alert.bench.play(click)
        alert.advance(150)
        #expect(alert.bench.heard == [0..<100_000, 100_000..<150_000, 150_000..<250_000])
        #expect(alert.bench.outcomes == [.finished])
    }

    @Test("a vibration interrupts a vibrating alert for as long as it lasts, even one that repeats itself")
    func interruptedByVibration() throws {
        // Each used to take the other's place again at once, for ever.
        let alert = try AlertBench(position: .silent)
        try alert.bench.sounds.addCompletion(for: .vibrate) { [sounds = alert.bench.sounds] id, _ in sounds.start(id) }
        alert.start()
        alert.advance(100)
        alert.bench.play(.vibrate)
        alert.advance(3000)
        alert.bench.sounds.removeCompletion(for: .vibrate)
        alert.alerts.stop()
        alert.advance(5000)
        #expect(alert.bench.turns.first == 0..<500_000)
        #expect(alert.bench.turns.count < 12 && !alert.bench.board.motor.isOn)
        #expect(alert.outcomes == [.stopped(.caller)])
    }

    @Test("an alert that is stopped before it began never does")
    func stoppedBefore() {
        // Another thread may stop it at any moment; it used to begin all the same.
        let now = MonotonicTime(nanoseconds: 0)
        var machine = AlertMachine(.init(limit: .seconds(20)), now: now)
        #expect(machine.handle(.stop(.caller, now: now)).isEmpty)
        let actions = machine.handle(.start(PlayerRules(), now: now))
        guard case .complete(let result)? = actions.first, actions.count == 1 else {
            Issue.record("\(actions)")
            return
        }
        #expect(result.outcome == .stopped(.caller) && result.rounds == 0)
    }

    @Test("a predefined vibration is felt in its own pattern, and not heard")
    func predefinedVibration() throws {
        let alert = try AlertBench()
        alert.start(1011)
        alert.advance(1000)
        #expect(alert.bench.heard.isEmpty)
        #expect(alert.bench.turns == [0..<250_000, 400_000..<650_000, 750_000..<1_000_000])
    }

    @Test("a speaker that fails leaves an alert that is felt, and says why it was not heard")
    func failingSpeaker() throws {
        let alert = try AlertBench()
        alert.bench.board.speaker.fault = .missing
        alert.start()
        alert.advance(60_000)
        #expect(alert.bench.turns.count == 40)
        #expect(alert.outcomes == [.stopped(.limited)] && alert.results.all[0].soundError?.code == .notFound)
    }

    // It rang for one round, and never ended: the round waited for its vibration for ever.
    @Test("an alert rings on and ends where the motor's driver does not return; once it has, the alert is felt again")
    func hungMotor() throws {
        let alert = try AlertBench()
        alert.bench.board.motor.answers.areLate = true
        alert.start()
        alert.advance(10_000)
        #expect(alert.bench.heard.count == 30 && alert.bench.turns.count == 1)
        alert.bench.board.motor.answers.areLate = false
        alert.advance(50_000)
        #expect(alert.outcomes == [.stopped(.limited)] && alert.bench.turns.count > 10)
        #expect(!alert.bench.board.motor.isOn && alert.bench.clock.pendingTimers == 0)
    }

    // Its first 1,000 rounds came at once: with nothing to hear, a round ended as finished.
    @Test("an alert that is only felt tries 20 times a second where the motor fails at ring")
    func onlyMotorFails() throws {
        let alert = try AlertBench()
        alert.bench.board.motor.failTurnOn(with: RingerError(.disconnected, "turn on", "motor"))
        alert.start(way: .vibration)
        alert.advance(20_000)
        #expect(alert.results.all.map(\.rounds) == [400])
    }

    @Test("where speaker and motor fail until its end, the alert tries 20 times a second, and fails")
    func nothingWorks() throws {
        let alert = try AlertBench()
        alert.bench.board.speaker.fault = .missing
        alert.bench.board.motor.failTurnOn(with: RingerError(.disconnected, "turn on", "motor"))
        alert.start()
        alert.advance(19_990)
        #expect(alert.outcomes.isEmpty)
        alert.advance(10)
        guard case .failed? = alert.outcomes.first else {
            Issue.record("\(alert.outcomes)")
            return
        }
        #expect(alert.results.all[0].rounds == 400 && alert.results.all[0].elapsed == .seconds(20))
        // The vibrator's timer for the turn that failed.
        alert.advance(400)
        #expect(alert.bench.clock.pendingTimers == 0)
    }

    @Test("a round that fails is followed by the next one: an alert is heard as soon as the speaker works")
    func failedRound() throws {
        // One failed round used to end an alert without a sound.
        let alert = try AlertBench()
        alert.bench.board.speaker.fault = .missing
        alert.start(way: .sound)
        alert.advance(2010)
        alert.bench.board.speaker.fault = nil
        alert.advance(60_000)
        #expect(alert.bench.heard.first == 2_050_000..<2_350_000)
        #expect(alert.outcomes == [.stopped(.limited)] && alert.results.all[0].sounded)
        #expect(alert.results.all[0].soundError == nil && alert.results.all[0].elapsed == .seconds(20))
    }

    @Test("a motor that fails leaves an alert at silent that is felt as soon as the motor works")
    func failedTurn() throws {
        let alert = try AlertBench(position: .silent)
        alert.bench.board.motor.failTurnOn(with: RingerError(.disconnected, "turn on", "motor"))
        alert.start()
        alert.advance(990)
        alert.bench.board.motor.failTurnOn(with: nil)
        alert.advance(60_000)
        #expect(alert.bench.turns.first == 1_000_000..<1_400_000)
        #expect(alert.outcomes == [.stopped(.limited)] && alert.results.all[0].vibrated)
    }

    @Test("without a motor an alert that is to be heard and felt is one that is to be heard")
    func noMotor() throws {
        // At silent it used to fail, and stayed silent after a flip to ring.
        let alert = try AlertBench(position: .silent, hasMotor: false)
        alert.start(way: .both)
        alert.advance(1000)
        #expect(alert.alerts.isRunning)
        alert.flip(to: .ring)
        alert.advance(60_000)
        #expect(alert.bench.heard.first == 1_000_000..<1_300_000)
        #expect(alert.outcomes == [.stopped(.limited)] && alert.results.all[0].sounded)
    }

    @Test("a sound that can never be played leaves an alert that is felt, and fails one that is only heard at once")
    func undecodable() throws {
        let alert = try AlertBench()
        let directory = try TemporaryDirectory()
        let path = try directory.writeWAV("broken.wav", frames: 4800)
        let broken = try alert.bench.sounds.register(path)
        try directory.write("broken.wav", [UInt8](repeating: 7, count: 9644))
        alert.start(broken, way: .sound)
        guard case .failed? = alert.outcomes.first else {
            Issue.record("\(alert.outcomes)")
            return
        }
        #expect(!alert.alerts.isRunning && alert.results.all[0].rounds == 0)
        alert.start(broken, way: .both)
        alert.advance(60_000)
        #expect(
            alert.outcomes.last == .stopped(.limited) && alert.results.all[1].vibrated && alert.bench.turns.count == 40)
        #expect(alert.results.all[1].soundError != nil && alert.bench.heard.isEmpty)
    }

    @Test("an alert with a broken file rings by what stands in for it, and says so of each round and at its end")
    func standIn() throws {
        let directory = try TemporaryDirectory()
        try directory.write("new-mail.caf", Array("caff".utf8))
        let alert = try AlertBench(directories: [directory.path])
        func told() -> Int { alert.bench.events.all.count { if case .fallback = $0 { true } else { false } } }
        alert.start(1000, way: .sound)
        alert.advance(60_000)
        let result = try #require(alert.results.all.first)
        #expect(result.outcome == .stopped(.limited) && result.sounded && result.soundError == nil)
        #expect(result.fallback?.reason == .undecodable)
        #expect(result.fallback?.error?.subject == directory.path + "/new-mail.caf")
        #expect(alert.bench.heard.count == result.rounds && told() == result.rounds)
        // Nothing stands in for what is not heard.
        alert.flip(to: .silent)
        alert.start(1000)
        alert.advance(60_000)
        #expect(alert.results.all[1].vibrated && alert.results.all[1].fallback == nil && told() == result.rounds)
    }

    @Test("a file that the system cannot read for a while is heard once it can")
    func unreadable() throws {
        let alert = try AlertBench()
        let directory = try TemporaryDirectory()
        let path = try directory.writeWAV("ring.wav", frames: 14_400)
        let ring = try alert.bench.sounds.register(path)
        unlink(path)
        alert.start(ring, way: .sound)
        alert.advance(1010)
        try directory.writeWAV("ring.wav", frames: 14_400)
        alert.advance(1000)
        #expect(alert.bench.heard.first == 1_050_000..<1_350_000)
        alert.alerts.stop()
    }

    /// What a file can be for a moment.
    enum MomentaryFault: CaseIterable {
        case unreadable, empty, cutOffInHeader, cutOffBeforeSound

        /// Changes the file at `path` in place.
        func strike(_ path: String) throws {
            switch self {
            case .unreadable:
                // The kernel refuses to read the speed of the loopback interface, whose file is not empty.
                unlink(path)
                try #require(symlink("/sys/class/net/lo/speed", path) == 0)
            case .empty: try #require(truncate(path, 0) == 0)
            case .cutOffInHeader: try #require(truncate(path, 30) == 0)
            case .cutOffBeforeSound: try #require(truncate(path, 44) == 0)
            }
        }
    }

    @Test(
        "a file that cannot be read for a moment, or is being rewritten, is heard once it can be read",
        .enabled(if: access("/sys/class/net/lo/speed", F_OK) == 0), arguments: MomentaryFault.allCases)
    func momentaryFault(_ fault: MomentaryFault) throws {
        let alert = try AlertBench()
        let directory = try TemporaryDirectory()
        let path = try directory.writeWAV("ring.wav", frames: 14_400)
        let ring = try alert.bench.sounds.register(path)
        try fault.strike(path)
        alert.start(ring, way: .sound)
        alert.advance(110)
        unlink(path)
        try directory.writeWAV("ring.wav", frames: 14_400)
        alert.advance(60_000)
        #expect(alert.bench.heard.first == 150_000..<450_000 && alert.outcomes == [.stopped(.limited)])
    }

    @Test("what is there of a file that is being rewritten is heard, and the whole file in the next round")
    func cutOffFile() throws {
        let alert = try AlertBench()
        let directory = try TemporaryDirectory()
        let path = try directory.writeWAV("ring.wav", frames: 14_400)
        let ring = try alert.bench.sounds.register(path)
        try #require(truncate(path, 44 + 4_800) == 0)
        alert.start(ring, way: .sound)
        try directory.writeWAV("ring.wav", frames: 14_400)
        alert.advance(400)
        #expect(alert.bench.heard.prefix(2) == [0..<50_000, 50_000..<350_000])
        alert.alerts.stop()
    }

    @Test(
        "an alert of an ID that nobody has, and one that can only be felt where there is no motor, fail at once",
        arguments: [true, false])
    func nothingToAlertBy(isUnknown: Bool) throws {
        let alert = try AlertBench(hasMotor: isUnknown)
        if isUnknown { alert.start(9999) } else { alert.start(way: .vibration) }
        guard case .failed(let error)? = alert.outcomes.first else {
            Issue.record("\(alert.outcomes)")
            return
        }
        #expect(error.code == .notFound && !alert.alerts.isRunning)
    }

    @Test("a start right after a stop begins a new alert: a redial rings")
    func redial() throws {
        // It used to join the alert that was ending, and nothing rang.
        let alert = try AlertBench()
        alert.start(way: .sound)
        alert.advance(150)
        alert.alerts.stop()
        #expect(!alert.alerts.isRunning)
        alert.start(way: .sound)
        #expect(alert.alerts.isRunning)
        alert.advance(450)
        #expect(alert.bench.heard == [0..<150_000, 150_000..<450_000, 450_000..<600_000])
        #expect(alert.outcomes == [.stopped(.caller)])
        alert.advance(60_000)
        #expect(alert.outcomes == [.stopped(.caller), .stopped(.limited)])
        #expect(alert.results.all[1].elapsed == .seconds(20) && alert.bench.clock.pendingTimers == 0)
    }

    @Test("an alert that begins while the one before is ending for its time rings as well")
    func startAtTheLimit() throws {
        let alert = try AlertBench()
        alert.start(way: .sound, limit: .milliseconds(500))
        _ = alert.bench.clock.schedule(at: alert.bench.start + .milliseconds(500)) { alert.start(way: .sound) }
        alert.advance(500)
        alert.advance(1000)
        #expect(alert.outcomes == [.stopped(.limited)] && alert.alerts.isRunning)
        #expect(alert.bench.heard.last?.upperBound == 1_500_000)
        alert.alerts.stop()
    }

    @Test("an alert without a limit goes on until it is stopped, in the pattern and with the pause of the caller's")
    func cadence() throws {
        let alert = try AlertBench()
        alert.alerts.start(
            alert.ring, limit: nil, vibration: try VibrationPattern(milliseconds: "1000"), pause: .seconds(3)
        ) { [results = alert.results] in results.append($0) }
        alert.advance(3_600_500)
        #expect(alert.bench.turns.count == 901 && alert.bench.heard.count == 901)
        #expect(alert.bench.turns[1] == 4_000_000..<5_000_000 && alert.bench.heard[1] == 4_000_000..<4_300_000)
        #expect(alert.bench.turns[900] == 3_600_000_000..<3_600_500_000)
        alert.advance(1000)
        alert.alerts.stop()
        // It is stopped in its pause.
        #expect(alert.outcomes == [.stopped(.caller)] && alert.results.all[0].elapsed == .milliseconds(3_601_500))
        #expect(alert.bench.clock.pendingTimers == 0)
    }

    @Test("a flip in the pause between two rounds changes the next round")
    func flipInPause() throws {
        let alert = try AlertBench(preferences: UserPreferences(vibrateOnRing: false))
        alert.alerts.start(alert.ring, pause: .seconds(1))
        alert.advance(500)
        alert.flip(to: .silent)
        alert.advance(1000)
        #expect(alert.bench.heard == [0..<300_000] && alert.bench.turns == [1_300_000..<1_500_000])
        alert.alerts.stop()
    }

    @Test("a sound without frames does not turn round and round")
    func emptySound() throws {
        let alert = try AlertBench()
        let empty = try alert.bench.register(milliseconds: 0)
        alert.start(empty, way: .sound)
        alert.advance(60_000)
        let result = try #require(alert.results.all.first)
        #expect(result.rounds == 0 && !result.sounded && alert.bench.heard.isEmpty, "\(result)")
        #expect(
            result.outcome == result.soundError.map { .failed($0) } && result.soundError?.code == .invalid, "\(result)")
    }

    @Test("a file that stays cut off for 5 s is read every 5 s from then on, not 20 times a second")
    func staysCutOff() throws {
        let alert = try AlertBench()
        let directory = try TemporaryDirectory()
        let path = try directory.writeWAV("ring.wav", frames: 14_400)
        let ring = try alert.bench.sounds.register(path)
        try #require(truncate(path, 44) == 0)
        alert.start(ring, way: .sound)
        alert.advance(60_000)
        let result = try #require(alert.results.all.first)
        #expect((4...105).contains(result.rounds) && result.soundError?.code == .soundIncomplete, "\(result)")
    }

    @Test("disposing of an alert's sound in the middle does not silence it: it holds what it plays")
    func disposed() throws {
        let alert = try AlertBench(preferences: UserPreferences(vibrateOnRing: false))
        alert.start()
        alert.advance(100)
        try alert.bench.sounds.dispose(alert.ring)
        alert.advance(400)
        #expect(alert.bench.heard == [0..<100_000, 100_000..<400_000, 400_000..<500_000])
    }

    @Test("cancelling the task that waits for an alert stops it")
    func cancelled() throws {
        let (alert, executor) = (try AlertBench(), ManualExecutor())
        let task = Task(executorPreference: executor) {
            alert.results.append(await alert.alerts.alert(alert.ring))
        }
        executor.advance(alert.bench.clock, by: .milliseconds(500))
        task.cancel()
        executor.advance(alert.bench.clock, by: .milliseconds(10))
        #expect(alert.outcomes == [.stopped(.caller)])
        #expect(alert.results.all.map(\.elapsed) == [.milliseconds(500)])
    }
}
