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
        let loads = FileLoads(HoldingClock(bench.clock, work), bench.sounds.engine.core)
        let paths = try (1...5).map { try directory.writeWAV("\($0).wav", frames: $0 * 100) }
        let (executor, frames) = (ManualExecutor(), Record<Int>())
        for path in Array(repeating: paths, count: 20).joined() {
            Task(executorPreference: executor) { frames.append(try await loads.load(path).frames) }
        }
        Task(executorPreference: executor) {
            do throws(RingerError) {
                _ = try await loads.load("/nonexistent/sound.wav")
            } catch {
                frames.append(error.code == .notFound ? -1 : 0)
            }
        }
        executor.run()
        var jobs: [Int] = []
        while let count = Optional(work.finish()), count > 0 {
            jobs.append(count)
            executor.run()
        }
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
        #expect(bench.sounds.underWay == 4 * OutputQueue.mostWaiting)
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
}
