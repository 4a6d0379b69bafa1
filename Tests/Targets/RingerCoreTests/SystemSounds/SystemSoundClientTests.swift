import RingerTestKit
import Testing

@testable import RingerCore

@Suite("Clients of one device's system sounds")
struct SystemSoundClientTests {
    @Test("clients have IDs and completions of their own, and share the one sound")
    func shared() throws {
        let bench = try SoundsBench()
        let other = bench.sounds.makeClient()
        let mine = try bench.register(milliseconds: 1000)
        let theirs = try other.register(.silence(duration: .milliseconds(50)))
        #expect(mine == theirs)
        let ended = Record<SystemSoundID>()
        try other.addCompletion(for: theirs) { id, _ in ended.append(id) }
        bench.play(mine)
        bench.clock.advance(by: .milliseconds(300))
        other.start(theirs)
        bench.clock.advance(by: .seconds(1))
        #expect(bench.heard == [0..<300_000, 300_000..<350_000])
        #expect(bench.outcomes == [.stopped(.replaced)] && ended.all == [theirs])
    }

    @Test("disposing of an ID, and a client's end, leave the other clients' sounds alone")
    func apart() throws {
        let bench = try SoundsBench()
        let other = bench.sounds.makeClient()
        let mine = try bench.register(milliseconds: 1000)
        let theirs = try other.register(.silence(duration: .milliseconds(50)))
        bench.play(mine)
        bench.clock.advance(by: .milliseconds(300))
        try other.dispose(theirs)
        other.close()
        bench.clock.advance(by: .seconds(1))
        #expect(bench.heard == [0..<1_000_000] && bench.outcomes == [.finished])
    }

    @Test("a client that is dropped stops its sounds and leaves nothing behind")
    func dropped() throws {
        let bench = try SoundsBench()
        let directory = try TemporaryDirectory()
        let path = try directory.writeWAV("chime.wav", frames: 48_000)
        do {
            let client = bench.sounds.makeClient()
            client.start(try client.register(path)) { [results = bench.results] in results.append($0) }
            bench.clock.advance(by: .milliseconds(250))
            #expect(bench.sounds.cachedBytes > 0)
        }
        bench.clock.advance(by: .seconds(2))
        #expect(bench.heard == [0..<250_000] && bench.outcomes == [.stopped(.closed)])
        #expect(bench.sounds.cachedBytes == 0 && bench.sounds.underWay == 0 && bench.clock.pendingTimers == 0)
    }

    @Test("alerts that are dropped are told of no more flips")
    func droppedAlerts() throws {
        let bench = try SoundsBench()
        weak var dropped: Alerts?
        do {
            let alerts = Alerts(bench.sounds)
            dropped = alerts
        }
        #expect(dropped == nil)
        bench.board.ringSilent.position = .silent
    }

    @Test("calls from many tasks at once each complete once, and leave nothing behind")
    func manyTasks() async throws {
        let bench = try SoundsBench()
        let (sounds, clock, ring) = (bench.sounds, bench.clock, bench.board.ringSilent)
        let alerts = Alerts(sounds)
        let completed = Record<Int>()
        let finished = Record<Int>()
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    for round in 0..<200 {
                        guard let id = try? sounds.register(.silence(duration: .milliseconds(5))) else { continue }
                        let call = sounds.start(id, as: round % 2 == 0 ? .sound : .alert) { _ in completed.append(task)
                        }
                        switch (task + round) % 5 {
                        case 0: sounds.stop(call)
                        case 1: try? sounds.dispose(id)
                        case 2: ring.position = round % 4 < 2 ? .silent : .ring
                        case 3: alerts.start(id) { _ in finished.append(task) }
                        default: clock.advance(by: .milliseconds(3))
                        }
                        try? sounds.dispose(id)
                    }
                }
            }
        }
        alerts.stop()
        clock.advance(by: .seconds(60))
        #expect(completed.all.count == 1600 && finished.all.count == 320)
        #expect(sounds.registered == 0 && sounds.underWay == 0 && bench.player.playing == 0)
        #expect(!alerts.isRunning && !bench.board.motor.isOn)
    }
}
