import Testing

@testable import RingerCore

@Suite("The order in which system sounds get an output")
struct SystemSoundQueueTests {
    /// Asks for the output for play `number` of the sound `id`: whether it has it then, and which call ends as replaced.
    func ask(
        _ queue: inout SystemSoundQueue, _ number: UInt64, _ id: UInt32, fromCompletion: Bool = false
    ) -> (begins: Bool, replaced: UInt64?) {
        let sound = SystemSoundQueue.Sound(client: 1, id: SystemSoundID(rawValue: id))
        let replaced = queue.request(number, sound, isFromCompletion: fromCompletion)
        return (queue.owner == number, replaced)
    }

    @Test("a sound that was replaced waits too while the sound that replaced its replacer is playing")
    func replacedInTurn() {
        // Three loops on await would otherwise replace each other for ever, without time going on.
        var queue = SystemSoundQueue()
        #expect(ask(&queue, 1, 5001) == (true, nil))
        #expect(ask(&queue, 2, 5002) == (true, 1))
        #expect(ask(&queue, 3, 5003) == (true, 2))
        #expect(ask(&queue, 4, 5001) == (false, nil))
        #expect(ask(&queue, 5, 5002) == (false, nil))
        queue.release(3)
        #expect(queue.owner == 4)
        queue.release(4)
        #expect(queue.owner == 5)
    }

    @Test("a sound waits for one that has waited for it, and replaces one that has not")
    func waitedFor() {
        var queue = SystemSoundQueue()
        _ = ask(&queue, 1, 5001)
        _ = ask(&queue, 2, 5002, fromCompletion: true)
        queue.release(1)
        #expect(queue.owner == 2)
        #expect(ask(&queue, 3, 5001) == (false, nil))
        #expect(ask(&queue, 4, 5003) == (true, 2))
        queue.release(4)
        #expect(queue.owner == 3)
        // Sound 5003 was heard while 5001 waited.
        #expect(ask(&queue, 5, 5003) == (false, nil))
    }

    @Test("a play of the ID that is playing replaces it at once, as often as it comes")
    func sameID() {
        var queue = SystemSoundQueue()
        _ = ask(&queue, 1, 5001)
        for number in 2...100 { #expect(ask(&queue, UInt64(number), 5001) == (true, UInt64(number - 1))) }
    }

    @Test("of a sound that is asked for faster than it can be played, a few plays wait, and the oldest are dropped")
    func mostWaiting() {
        var queue = SystemSoundQueue()
        _ = ask(&queue, 1, 5001)
        let first = UInt64(SystemSoundQueue.mostWaiting) + 2
        for number in 2..<first { #expect(ask(&queue, number, 5002, fromCompletion: true) == (false, nil)) }
        #expect(ask(&queue, first, 5002, fromCompletion: true) == (false, 2))
        #expect(ask(&queue, first + 1, 5003, fromCompletion: true) == (false, nil))
        queue.release(1)
        #expect(queue.owner == 3)
    }

    @Test("a call that is stopped while it waits gives its place to the next, and replaced nothing")
    func stopped() {
        var queue = SystemSoundQueue()
        _ = ask(&queue, 1, 5001)
        _ = ask(&queue, 2, 5002, fromCompletion: true)
        _ = ask(&queue, 3, 5003, fromCompletion: true)
        queue.release(2)
        queue.release(1)
        #expect(queue.owner == 3)
        queue.release(3)
        #expect(queue.owner == nil)
        #expect(ask(&queue, 4, 5001) == (true, nil))
    }
}

@Suite("The machine of system sounds")
struct SystemSoundMachineTests {
    static let now = MonotonicTime(nanoseconds: 1_000_000_000)

    func attempt(_ number: UInt64, _ request: SoundRequest, _ decision: Decision) -> SystemSoundAttempt {
        SystemSoundAttempt(
            number: number, sound: SystemSoundQueue.Sound(client: 1, id: 5001), request: request, decision: decision,
            result: SystemSoundResult(
                sound: 5001, outcome: .finished, vibrated: false, requestedAt: Self.now, endedAt: Self.now,
                position: StreamPosition(played: 0, total: 0)))
    }

    func vibration(_ number: UInt64) -> SystemSoundAttempt {
        var attempt = attempt(number, .alert, .vibrate(.ringSilentSwitch))
        attempt.pattern = .standard
        return attempt
    }

    func result(_ actions: [SystemSoundMachine.Action]) -> SystemSoundResult? {
        for case .complete(let call) in actions { return call.result }
        return nil
    }

    @Test("rules that change between the decision and the motor's turn end the vibration unfelt")
    func forbidden() {
        var machine = SystemSoundMachine()
        _ = machine.handle(.play(vibration(1), now: Self.now))
        let result = result(machine.handle(.vibrationForbidden(1, now: Self.now)))
        #expect(result?.vibration == .stopped(.caller) && result?.vibrated == false && machine.count == 0)
        // The motor did not turn: the next vibration needs no rest before it.
        let next = machine.handle(.play(vibration(2), now: Self.now))
        #expect(next.contains(.startVibration(2, .standard, .alert)))
    }

    @Test("a sound that waits is silenced at once when the rules forbid it")
    func waitingSoundIsSilenced() {
        var machine = SystemSoundMachine()
        let samples = PCMBuffer.silence(duration: .seconds(1), sampleRate: 48_000)
        for number in 1...2 {
            let request = SoundRequest.systemSound(isUISound: true)
            var attempt = attempt(UInt64(number), request, RingerPolicy.decide(request))
            attempt.take(.success(samples))
            attempt.isFromCompletion = true
            _ = machine.handle(.play(attempt, now: Self.now))
        }
        let silent = PlayerRules(state: DeviceState(ringSilent: .silent))
        let actions = machine.handle(.rules(silent, now: Self.now + .milliseconds(100)))
        #expect(result(actions)?.outcome == .silenced(by: .ringSilentSwitch))
        #expect(result(actions)?.completedAfter == .milliseconds(100) && machine.count == 1)
    }
}
