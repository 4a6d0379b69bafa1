import Glibc
import RingerTestKit
import Testing

@testable import RingerCore

@Suite("System sounds from files")
struct SystemSoundFileTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("a file is registered by its header, decoded when it is first played, and heard as it is written")
    func file() throws {
        let path = try directory.writeWAV("chime.wav", frames: 9600)
        let bench = try SoundsBench()
        let id = try bench.sounds.register(path)
        #expect(id.rawValue > 4095 && bench.sounds.cachedBytes == 0)
        bench.play(id)
        bench.clock.advance(by: .seconds(1))
        #expect(bench.heard == [0..<200_000] && bench.sounds.cachedBytes == 19_200)
        #expect(bench.board.speaker.recordings[0].samples.prefix(4) == [0, 1, 2, 3])
    }

    @Test("to register the first sound goes the way of a silenced one, which nobody sees", arguments: [true, false])
    func rehearsal(isAtRing: Bool) throws {
        let bench = try SoundsBench(position: isAtRing ? .ring : .silent)
        let events = bench.events.all
        let id = try bench.sounds.register(try directory.writeWAV("chime.wav", frames: 9600))
        bench.clock.advance(by: .seconds(1))
        #expect(bench.events.all == events && bench.sounds.underWay == 0 && bench.clock.pendingTimers == 0)
        #expect(bench.board.speaker.recordingCount == 0 && bench.turns.isEmpty)
        let completed = Record<SoundOutcome>()
        try bench.sounds.addCompletion(for: id) { completed.append($1) }
        bench.sounds.rehearse(id)
        #expect(completed.all.isEmpty && bench.events.all == events)
        bench.play(id)
        bench.clock.advance(by: .seconds(1))
        #expect(bench.heard == (isAtRing ? [1_000_000..<1_200_000] : []) && completed.all.count == 1)
    }

    @Test("exactly 30 s are accepted; one frame more is refused with -1502, before anything is decoded")
    func limit() throws {
        let bench = try SoundsBench()
        _ = try bench.sounds.register(try directory.writeWAV("30s.wav", rate: 8000, frames: 240_000))
        let long = try directory.writeWAV("long.wav", rate: 8000, frames: 240_001)
        let error = #expect(throws: SystemSoundError.self) { try bench.sounds.register(long) }
        #expect(error?.code == .exceededMaximumDuration && error?.code.rawValue == -1502)
        _ = try bench.register(milliseconds: 30_000)
        #expect(throws: SystemSoundError.self) { try bench.register(milliseconds: 30_001) }
        #expect(bench.sounds.registered == 2)
    }

    @Test("a file that is not there, or no sound, is refused with -1500 and its name")
    func missing() throws {
        let bench = try SoundsBench()
        let missing = #expect(throws: SystemSoundError.self) { try bench.sounds.register(directory.path + "/no.caf") }
        #expect(missing?.code == .unspecified && missing?.cause.code == .notFound)
        #expect(missing?.cause.subject == directory.path + "/no.caf")
        let text = try directory.write("text.caf", Array("no sound at all".utf8))
        let garbage = #expect(throws: SystemSoundError.self) { try bench.sounds.register(text) }
        #expect(garbage?.code == .unspecified && garbage?.cause.code == .invalid)
    }

    @Test("a file that vanished since fails when it is played; while it is kept in memory it plays on")
    func vanished() throws {
        let path = try directory.writeWAV("chime.wav", frames: 4800)
        let bench = try SoundsBench()
        let played = try bench.sounds.register(path)
        let unplayed = try bench.sounds.register(path)
        bench.play(played)
        bench.clock.advance(by: .seconds(1))
        unlink(path)
        bench.play(played)
        bench.clock.advance(by: .seconds(1))
        bench.play(unplayed)
        bench.clock.advance(by: .seconds(1))
        #expect(bench.outcomes.prefix(2) == [.finished, .finished])
        #expect(bench.results.all.last?.error?.cause.code == .notFound)
    }

    @Test("a file that cannot be read is reported with the system's reason")
    func readError() throws {
        // The kernel refuses to read the speed of the loopback interface, whose file is not empty.
        let error = #expect(throws: RingerError.self) { try SoundLoader.load("/sys/class/net/lo/speed") }
        #expect(error?.errno == .invalidArgument && error?.subject == "/sys/class/net/lo/speed")
    }

    @Test("a file that was cut off when it was played is read anew when it is played again")
    func cutOff() throws {
        let path = try directory.writeWAV("chime.wav", frames: 9600)
        let bench = try SoundsBench()
        let id = try bench.sounds.register(path)
        try #require(truncate(path, 44 + 4_800) == 0)
        bench.play(id)
        bench.clock.advance(by: .seconds(1))
        try directory.writeWAV("chime.wav", frames: 9600)
        bench.play(id)
        bench.clock.advance(by: .seconds(1))
        #expect(bench.heard == [0..<50_000, 1_000_000..<1_200_000])
    }

    // They ended as finished, without a word.
    @Test("what is there of a cut off file is heard, and the call and an event say so; one without a frame fails")
    func incomplete() throws {
        let path = try directory.writeWAV("chime.wav", frames: 9600)
        try #require(truncate(path, 44 + 4_800) == 0)
        let bench = try SoundsBench()
        bench.play(try bench.sounds.register(path))
        bench.clock.advance(by: .seconds(1))
        #expect(bench.heard == [0..<50_000] && bench.outcomes == [.finished])
        #expect(bench.results.all.first?.fallback?.reason == .incomplete)
        let events = bench.events.all.filter { if case .fallback = $0 { true } else { false } }
        #expect(events.count == 1)

        let early = try bench.sounds.register(path)
        try #require(truncate(path, 44) == 0)
        let complete = try directory.writeWAV("empty.wav", frames: 0)
        for (file, code) in [(path, RingerError.Code.soundIncomplete), (complete, .invalid)] {
            let error = #expect(throws: SystemSoundError.self) { try bench.sounds.register(file) }
            #expect(error?.cause.code == code && error?.cause.subject == file)
        }
        for (id, code) in [
            (early, RingerError.Code.soundIncomplete),
            (try bench.sounds.register(.silence(duration: .zero)), .invalid),
        ] {
            bench.play(id)
            bench.clock.advance(by: .seconds(1))
            #expect(bench.results.all.last?.error?.cause.code == code)
        }
        bench.player.startOutsideSessions(.silence(duration: .zero), as: .alert) { result in
            if case .failed = result.outcome {} else { Issue.record("\(result)") }
        }
        bench.clock.advance(by: .seconds(1))
        #expect(bench.player.playing == 0)
    }

    @Test("a file that overrides a predefined sound is read anew after a moment in which it could not be read")
    func unreadableOverride() throws {
        let path = directory.path + "/new-mail.caf"
        try #require(symlink("/sys/class/net/lo/speed", path) == 0)
        let bench = try SoundsBench(directories: [directory.path])
        bench.play(1000)
        bench.clock.advance(by: .seconds(5))
        #expect(bench.results.all.first?.fallback?.reason == .undecodable)
        unlink(path)
        try directory.writeWAV("new-mail.caf", frames: 4800)
        bench.play(1000)
        bench.clock.advance(by: .seconds(5))
        #expect(bench.heard.last == 5_000_000..<5_100_000 && bench.results.all.last?.fallback == nil)
    }

    @Test("a silenced sound is not even read from its file")
    func silencedUnread() throws {
        let path = try directory.writeWAV("chime.wav", frames: 4800)
        let bench = try SoundsBench(position: .silent)
        let id = try bench.sounds.register(path)
        unlink(path)
        bench.play(id)
        #expect(bench.outcomes == [.silenced(by: .ringSilentSwitch)])
        #expect(bench.results.all.first?.position.total == 4800)
    }

    @Test("decoded sounds are kept up to the limit, the one that was used longest ago given up first")
    func cache() throws {
        let bench = try SoundsBench(cacheLimit: 30_000)
        let ids = try ["a", "b", "c"].map {
            try bench.sounds.register(try directory.writeWAV($0 + ".wav", frames: 6000))
        }
        try bench.sounds.prepare(ids[0])
        try bench.sounds.prepare(ids[1])
        try bench.sounds.prepare(ids[0])
        #expect(bench.sounds.cachedBytes == 24_000)
        try bench.sounds.prepare(ids[2])
        #expect(bench.sounds.cachedBytes == 24_000)
        #expect(
            bench.sounds.engine.cache[.registered(client: bench.sounds.client, ids[0])] != nil
                && bench.sounds.engine.cache[.registered(client: bench.sounds.client, ids[1])] == nil)
        let large = try bench.sounds.register(try directory.writeWAV("large.wav", frames: 48_000))
        bench.play(large)
        bench.clock.advance(by: .seconds(2))
        #expect(bench.outcomes == [.finished] && bench.sounds.cachedBytes == 24_000)
    }

    @Test("registering and disposing 100,000 times leaves nothing behind, and hands out no ID twice")
    func churn() throws {
        let bench = try SoundsBench()
        let path = try directory.writeWAV("chime.wav", frames: 48)
        var last: UInt32 = 4095
        var repeated = 0
        let samples = PCMBuffer.silence(duration: .milliseconds(1))
        for round in 0..<100_000 {
            // Reading a header takes its time: every tenth is enough.
            let id = try round % 10 == 0 ? bench.sounds.register(path) : bench.sounds.register(samples)
            if id.rawValue != last + 1 { repeated += 1 }
            last = id.rawValue
            if round % 1000 == 0 {
                try bench.sounds.addCompletion(for: id) { _, _ in }
                try bench.sounds.setIsUISound(false, of: id)
                bench.play(id)
            }
            try bench.sounds.dispose(id)
        }
        bench.clock.advance(by: .seconds(1))
        #expect(repeated == 0)
        #expect(bench.sounds.table.count == (0, 0, 0))
        #expect(bench.sounds.cachedBytes == 0 && bench.sounds.underWay == 0)
        #expect(bench.player.playing == 0 && bench.clock.pendingTimers == 0)
        #expect(try openDescriptors(of: path) == 0)
    }

    @Test("numbers begin anew after the last one, and leave out those in use")
    func wrap() {
        let table = SystemSoundTable()
        let source = SoundSource.known(.success(PCMBuffer.silence(duration: .zero)))
        let first = table.add(source)
        table.skip(to: .max)
        #expect(first?.rawValue == 4096)
        #expect(table.add(source)?.rawValue == .max)
        #expect(table.add(source)?.rawValue == 4097)
    }

    /// How many descriptors of this process are open on the file at `path`; those of other tests do not count.
    private func openDescriptors(of path: String) throws -> Int {
        var wanted = stat()
        try #require(stat(path, &wanted) == 0)
        var count = 0
        for descriptor in 0..<CInt(1024) {
            var status = stat()
            if fstat(descriptor, &status) == 0, status.st_dev == wanted.st_dev, status.st_ino == wanted.st_ino {
                count += 1
            }
        }
        return count
    }
}
