import Glibc
import RingerTestKit
import Testing

@testable import RingerCore

// Files used to be read and decoded on the caller's thread, which may be the device's: a slow one held up the switch.
@Suite("System sounds that are decoded slowly")
struct SlowFileTests {
    private let directory: TemporaryDirectory
    private let work = HeldWork()
    private let bench: SoundsBench
    /// 200 ms, in a file.
    private let file: SystemSoundID
    /// 100 ms, in memory.
    private let memory: SystemSoundID

    init() throws {
        directory = try TemporaryDirectory()
        bench = try SoundsBench(preferences: UserPreferences(vibrateOnRing: false), slowWork: work)
        file = try bench.sounds.register(try directory.writeWAV("chime.wav", frames: 9600))
        memory = try bench.register(milliseconds: 100)
    }

    private func advance(_ milliseconds: Int) { bench.clock.advance(by: .milliseconds(milliseconds)) }

    @Test("a call returns before its file is read, and is heard once that is decoded; the next time at once")
    func aside() {
        bench.play(file)
        advance(50)
        #expect(bench.heard.isEmpty && bench.outcomes.isEmpty && bench.sounds.underWay == 1)
        #expect(work.finish() == 1)
        advance(500)
        bench.play(file)
        #expect(work.finish() == 0)
        advance(500)
        #expect(bench.heard == [50_000..<250_000, 550_000..<750_000] && bench.outcomes == [.finished, .finished])
    }

    // Each call had a thread of its own, and decoded the whole file.
    @Test("a file that many calls play is decoded once, and two files at a time")
    func files() throws {
        let loads = FileLoads(bench.player)
        let paths = try (1...5).map { try directory.writeWAV("\($0).wav", frames: $0 * 100) }
        let frames = Record<Int>()
        for path in Array(repeating: paths, count: 20).joined() {
            loads.load(path, as: bench.player.reserve()) {
                if case .loaded(let sound) = $0 { frames.append(sound.frames) }
            }
        }
        loads.load("/nonexistent/sound.wav", as: bench.player.reserve()) {
            if case .failed(let error) = $0 { frames.append(error.code == .notFound ? -1 : 0) }
        }
        var jobs: [Int] = []
        while case let count = work.finish(), count > 0 { jobs.append(count) }
        #expect(jobs == [2, 2, 2])
        #expect(frames.all.sorted() == [-1] + (1...5).flatMap { Array(repeating: $0 * 100, count: 20) })
    }

    @Test("a sound in memory replaces one that is being decoded, and begins at once")
    func replaced() throws {
        let other = try bench.sounds.register(try directory.writeWAV("other.wav", frames: 4800))
        let (before, last) = (try bench.register(milliseconds: 500), try bench.register(milliseconds: 300))
        bench.play(before)
        advance(50)
        // What plays is not replaced before the next sound can begin.
        bench.play(file)
        advance(25)
        #expect(bench.heard == [0..<75_000] && bench.outcomes.isEmpty)
        for id in [memory, other, last] { bench.play(id) }
        advance(25)
        work.finish()
        advance(1000)
        #expect(bench.results.all.map(\.sound) == [memory, before, file, other, last])
        #expect(bench.outcomes == Array(repeating: .stopped(.replaced), count: 4) + [.finished])
        #expect(bench.heard == [0..<75_000, 75_000..<375_000])
    }

    @Test("neither a vibration nor an alert's motor waits for a sound that is being decoded")
    func vibration() {
        bench.play(file)
        bench.sounds.start(.vibrate)
        advance(1)
        #expect(bench.board.motor.isOn)
        #expect(work.finish() == 1)
        advance(500)
        #expect(bench.heard == [1_000..<201_000])
    }

    @Test("a sound is decoded once for all calls that wait for it, and two sounds at a time at most")
    func budget() throws {
        let files = try (0..<4).map { try bench.sounds.register(try directory.writeWAV("\($0).wav", frames: 4800)) }
        for id in files { for _ in 0..<100 { bench.sounds.start(id) } }
        // So many calls of an ID wait at most.
        #expect(bench.sounds.underWay == 4 * SystemSoundQueue.mostWaiting)
        var loads: [Int] = []
        while case let count = work.finish(), count > 0 { loads.append(count) }
        #expect(loads == [2, 2])
        advance(200)
        #expect(bench.heard.last == 0..<100_000 && bench.sounds.underWay == 0)
        #expect(bench.sounds.cachedBytes == 4 * 9_600)
    }

    @Test("stopping a sound that is being decoded ends it at once")
    func stopped() {
        let call = bench.play(file)
        bench.sounds.stop(call)
        #expect(bench.outcomes == [.stopped(.caller)])
        work.finish()
        advance(500)
        #expect(bench.heard.isEmpty && bench.sounds.underWay == 0 && bench.sounds.cachedBytes == 0)
        let ended = bench.events.all.count { if case .soundEnded(.stopped, _, _) = $0 { true } else { false } }
        #expect(ended == 1)
    }

    @Test("disposing of a sound that is being decoded, or closing its client, ends it at once")
    func disposed() throws {
        bench.play(file)
        try bench.sounds.dispose(file)
        #expect(bench.outcomes == [.stopped(.disposed)])
        let client = bench.sounds.makeClient()
        client.start(1000) { [results = bench.results] in results.append($0) }
        client.close()
        #expect(bench.outcomes == [.stopped(.disposed), .stopped(.closed)])
        work.finish()
        advance(500)
        #expect(bench.heard.isEmpty && bench.sounds.underWay == 0)
    }

    @Test("a flip to silent ends a sound that is being decoded; another one is silenced before its call returns")
    func silenced() {
        bench.play(file)
        bench.board.ringSilent.position = .silent
        #expect(bench.outcomes == [.silenced(by: .ringSilentSwitch)])
        bench.board.ringSilent.position = .ring
        bench.play(file)
        bench.board.ringSilent.position = .silent
        bench.play(memory)
        #expect(bench.outcomes.count == 3 && bench.outcomes.allSatisfy { $0 == .silenced(by: .ringSilentSwitch) })
        work.finish()
        advance(500)
        #expect(bench.heard.isEmpty)
    }

    @Test("a file that turns out to be broken or gone replaces nothing")
    func broken() throws {
        let path = try directory.writeWAV("gone.wav", frames: 4800)
        let gone = try bench.sounds.register(path)
        unlink(path)
        bench.play(memory)
        bench.play(gone)
        advance(50)
        work.finish()
        advance(500)
        #expect(bench.results.all.map(\.sound) == [gone, memory] && bench.heard == [0..<100_000])
        #expect(bench.results.all.first?.error?.cause.code == .notFound)
    }

    // It failed: its file was no longer registered.
    @Test(
        "a sound that is to be played to its end is, though its client is closed or dropped while it is decoded",
        arguments: [true, false])
    func clientDies(isDropped: Bool) throws {
        var client: SystemSoundServices? = bench.sounds.makeClient()
        let id = try #require(try client?.register(try directory.writeWAV("own.wav", frames: 9600)))
        try client?.setCompletesPlaybackIfAppDies(true, of: id)
        client?.start(id) { [results = bench.results] in results.append($0) }
        advance(50)
        if isDropped { client = nil } else { client?.close() }
        #expect(work.finish() == 1)
        advance(500)
        #expect(bench.heard == [50_000..<250_000] && bench.outcomes == [.finished])
    }

    @Test("an alert begins once its sound is decoded, and needs it decoded once; stopped before, it ends at once")
    func alert() {
        let alerts = Alerts(bench.sounds)
        let ended = Record<AlertResult>()
        alerts.start(file) { ended.append($0) }
        advance(50)
        alerts.stop()
        advance(0)
        #expect(ended.all.map(\.outcome) == [.stopped(.caller)] && bench.heard.isEmpty)
        work.finish()
        alerts.start(file)
        #expect(work.finish() == 1)
        advance(450)
        #expect(work.finish() == 0)
        alerts.stop()
        #expect(bench.heard == [50_000..<250_000, 250_000..<450_000, 450_000..<500_000])
    }

    // Its calls never ended.
    @Test("a file system that does not answer fails a sound after 5 s, then at once until it answers")
    func hung() {
        bench.play(file)
        advance(4999)
        #expect(bench.outcomes.isEmpty)
        advance(1)
        work.finish(except: 1)
        #expect(failures == [.timedOut])
        bench.play(file)
        #expect(work.finish(except: 1) == 1)
        #expect(failures == [.timedOut, .timedOut] && bench.clock.pendingTimers == 0)
        work.finish()
        bench.play(file)
        work.finish()
        advance(500)
        #expect(bench.heard == [5_000_000..<5_200_000] && bench.clock.pendingTimers == 0)
    }

    // Nothing was decoded or synthesised any more, and a timer woke the device every 2 s.
    @Test("eight files that hang hold up no predefined sound, other files fail at once, and no timer is left")
    func eightHung() throws {
        let files = try (0..<9).map { try bench.sounds.register(try directory.writeWAV("\($0).wav", frames: 480)) }
        for id in files.prefix(8) { bench.sounds.start(id) }
        advance(12_000)
        work.finish(except: 8)
        bench.play(files[8])
        bench.play(1003)
        while work.finish(except: 8) > 0 {}
        advance(5000)
        #expect(bench.results.all.map(\.sound) == [files[8], 1003] && failures == [.timedOut])
        #expect(bench.heard.map(\.lowerBound) == [12_000_000])
        #expect(bench.sounds.underWay == 0 && bench.clock.pendingTimers == 0)
    }

    @Test("a predefined sound whose file hangs is synthesised, and looked for again the next time")
    func hungPredefined() {
        bench.play(1003)
        advance(5000)
        work.finish(except: 1)
        advance(5000)
        let result = bench.results.all.first
        #expect(result?.outcome == .finished && result?.fallback?.error?.code == .timedOut)
        work.finish()
        bench.play(1003)
        work.finish()
        advance(5000)
        #expect(bench.results.all.count == 2 && bench.results.all.last?.fallback == nil)
    }

    // Each of 20 rounds a second started a thread, which had nothing to read.
    @Test("an alert whose file hangs is tried again every 5 s, and rings once the file system answers")
    func hungAlert() {
        let alerts = Alerts(bench.sounds)
        let ended = Record<AlertResult>()
        alerts.start(file, limit: nil) { ended.append($0) }
        advance(5000)
        var threads = 0
        for _ in 0..<400 {
            threads += work.finish(except: 1)
            advance(50)
        }
        #expect(ended.all.isEmpty && threads <= 6)
        for _ in 0..<200 {
            work.finish()
            advance(50)
        }
        alerts.stop()
        advance(100)
        #expect(ended.all.first?.sounded == true && !bench.heard.isEmpty)
    }

    // A sound began though its task had been cancelled, or its device closed.
    @Test("stopping a call, and stopping all, end a call whose file is being read")
    func fileIsStopped() throws {
        let loads = FileLoads(bench.player)
        let path = try directory.writeWAV("file.wav", frames: 4800)
        let ends = Record<SoundOutcome.StopCause?>()
        func load() -> SoundPlayer.ID {
            let id = bench.player.reserve()
            loads.load(path, as: id) {
                if case .stopped(let cause) = $0 { ends.append(cause) } else { ends.append(nil) }
            }
            return id
        }
        loads.stop(load())
        #expect(ends.all == [.caller])
        _ = load()
        loads.stopAll(because: .closed)
        #expect(ends.all == [.caller, .closed])
        _ = load()
        work.finish()
        #expect(ends.all == [.caller, .closed, nil])
    }

    @Test("a file that is long to decode is waited for, as long as its reads return")
    func slowDecoding() throws {
        let ended = Record<Bool>()
        let clock = bench.clock
        let loads = bench.player.loads
        for (number, hangs) in [(UInt64(1), false), (2, true)] {
            let call = SoundReadQueue.Call {
                true
            } read: { refusal in
                if let refusal { return .failure(refusal) }
                let pass = { clock.advance(by: .seconds(20)) }
                if hangs { FileWait.during(pass) } else { pass() }
                return .success(PCMBuffer(sampleRate: 48_000, channels: 1, samples: [0]))
            } deliver: {
                ended.append((try? $0.get()) != nil)
            }
            loads.load(.call(number), bytes: 1, for: call)
            while work.finish() > 0 {}
        }
        #expect(ended.all == [true, false] && clock.pendingTimers == 0)
    }

    // After 2 s a load no longer counted: eight were decoded at once.
    @Test("two sounds at a time are decoded however long that takes; one that waits for its file makes room after 2 s")
    func longDecoding() {
        for (hangs, expected) in [(false, 0), (true, 1)] {
            let loads = SoundReadQueue(HoldingClock(bench.clock, work), Core())
            let begun = Record<Int>()
            func load(_ number: UInt64, _ body: @escaping @Sendable () -> Void = {}) {
                let call = SoundReadQueue.Call {
                    true
                } read: { _ in
                    body()
                    return .success(nil)
                } deliver: { _ in
                }
                loads.load(.call(number), bytes: 1, for: call)
            }
            load(1) { [work, clock = bench.clock] in
                let pass = { clock.advance(by: .seconds(3)) }
                if hangs { FileWait.during(pass) } else { pass() }
                // What was begun meanwhile.
                begun.append(work.finish())
            }
            // The first is decoded while this one is.
            load(2) { [work] in work.finish() }
            load(3)
            load(4)
            work.finish(except: 1)
            #expect(begun.all == [expected])
            while work.finish() > 0 {}
        }
    }

    private var failures: [RingerError.Code] {
        bench.outcomes.compactMap { if case .failed(let error) = $0 { error.code } else { nil } }
    }
}
