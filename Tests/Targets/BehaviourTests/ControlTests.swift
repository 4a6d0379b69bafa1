import RingerLinux
import RingerCore
import RingerTestKit
import Testing

/// What a program does to sounds that play or wait, as the rest of the suite.
extension DeviceBehaviourTests {
    @Test("a sound that repeats plays until it is stopped, as loud as was set last", arguments: Connection.allCases)
    func loop(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        let results = Results<SoundResult>()
        let sound = bench.device.player.reserve()
        try bench.device.start(
            Self.tone(milliseconds: 100), in: SoundManner(rounds: 1_000, volume: 0.5), reserved: sound,
            category: .playback, options: []
        ) { results.append($0) }
        bench.advance(.milliseconds(250))
        bench.device.player.setVolume(0.25, of: sound)
        bench.advance(.milliseconds(250))
        #expect(bench.board.speaker.playing.map { $0.gains.last } == [0.25] && results.all.isEmpty)
        bench.device.player.stop(sound)
        bench.advance(.milliseconds(20))
        #expect(results.all.map(\.outcome) == [.stopped(.caller)])
    }

    @Test("announcements expire, and are paused, skipped, repeated and cleared", arguments: Connection.allCases)
    func queue(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        let announcements = bench.device.announcements
        let results = Results<SoundResult>()
        let tone = Self.tone(milliseconds: 300)
        try announcements.add(Announcement(tone)) { results.append($0) }
        try announcements.add(Announcement(tone, expiry: .seconds(1))) { results.append($0) }
        bench.advance(.milliseconds(100))
        announcements.pause()
        bench.advance(.seconds(2))
        #expect(results.all.map(\.outcome) == [.stopped(.expired)] && bench.board.speaker.playing.isEmpty)
        announcements.resume()
        bench.advance(.milliseconds(100))
        announcements.skip()
        bench.advance(.milliseconds(100))
        announcements.repeatLast { results.append($0) }
        bench.advance(.seconds(1))
        #expect(results.all.dropFirst().map(\.outcome) == [.stopped(.skipped), .finished])
        try announcements.add(Announcement(tone)) { results.append($0) }
        try announcements.add(Announcement(tone)) { results.append($0) }
        bench.advance(.milliseconds(100))
        announcements.clear()
        bench.advance(.milliseconds(100))
        #expect(results.all.dropFirst(3).map(\.outcome) == [.stopped(.caller), .stopped(.caller)])
        #expect(announcements.count == 0 && bench.board.speaker.playing.isEmpty)
    }

    @Test(
        "an announcement is as loud as announcements are, or at a volume of its own; other sounds are as media",
        arguments: Connection.allCases)
    func volumes(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        var preferences = UserPreferences(announcementVolume: 0.5, mediaVolume: 0.25)
        let error = await withCheckedContinuation { continuation in
            bench.device.setPreferences(preferences) { continuation.resume(returning: $0) }
        }
        #expect(error == nil)
        let tone = Self.tone(milliseconds: 300)
        try bench.device.announcements.add(Announcement(tone, options: .mixWithOthers))
        try bench.device.announcements.add(Announcement(tone, options: .mixWithOthers, volume: 0.75))
        bench.advance(.milliseconds(100))
        try bench.device.start(tone, category: .ambient)
        bench.advance(.milliseconds(100))
        preferences.announcementVolume = 0.125
        let changed = await withCheckedContinuation { [preferences] continuation in
            bench.device.setPreferences(preferences) { continuation.resume(returning: $0) }
        }
        #expect(changed == nil)
        bench.advance(.seconds(1))
        #expect(bench.board.speaker.recordings.map(\.gains) == [[0.5, 0.125], [0.25], [0.75]])
    }

    @Test(
        "releaseOutput stops what plays and closes the PCM, which the next sound opens", arguments: Connection.allCases)
    func release(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        bench.board.speaker.mixes = false
        let results = Results<SoundResult>()
        let tone = Self.tone(milliseconds: 300)
        try bench.device.start(tone, category: .playback) { results.append($0) }
        bench.advance(.milliseconds(100))
        let releases = Results<Void>()
        bench.device.releaseOutput { releases.append(()) }
        bench.advance(.milliseconds(20))
        #expect(releases.all.count == 1)
        #expect(results.all.map(\.outcome) == [.stopped(.outputReleased)] && !bench.board.speaker.isOpen)
        let later = try await bench.run { try await $0.play(tone, category: .playback) }
        #expect(later.outcome == .finished)
    }
}
