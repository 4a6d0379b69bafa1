import SystemSounds
import RingerTestKit
import Testing

@testable import RingerCore

@Suite("Predefined sounds, played by ID")
struct PredefinedPlayingTests {
    @Test("every predefined ID plays without being registered: heard, felt, or neither, and completed")
    func all() throws {
        for sound in PredefinedSound.all {
            let bench = try SoundsBench()
            let id = SystemSoundID(rawValue: sound.id)
            bench.play(id)
            bench.clock.advance(by: .seconds(31))
            #expect(bench.outcomes == [.finished], "\(sound.name)")
            #expect(bench.heard.count == (sound.filePhone == nil ? 0 : 1), "\(sound.name)")
            #expect(bench.turns.count == sound.vibration.count, "\(sound.name)")
        }
    }

    @Test("at silent the sounds are silenced at once and the vibrations are felt")
    func silent() throws {
        let bench = try SoundsBench(position: .silent)
        for sound in PredefinedSound.all { bench.play(SystemSoundID(rawValue: sound.id)) }
        bench.clock.advance(by: .seconds(5))
        #expect(bench.heard.isEmpty && bench.sounds.cachedBytes == 0)
        #expect(bench.results.all.count == 125)
        let silent = bench.results.all.filter { $0.sound.predefinedSound?.vibration.isEmpty == true }
        #expect(silent.count == 120)
        for result in silent {
            #expect(result.outcome == .silenced(by: .ringSilentSwitch) && !result.vibrated && result.elapsed == .zero)
        }
    }

    @Test(
        "each vibration has its own pattern, however it is played",
        arguments: [
            (SystemSoundID.vibrate, [0..<400_000]), (1011, [0..<250_000, 400_000..<650_000]),
            (1311, [0..<150_000, 250_000..<400_000]), (1350, [0..<80_000, 160_000..<480_000]),
            (1351, [0..<300_000, 380_000..<460_000, 540_000..<620_000]),
        ] as [(SystemSoundID, [Range<Int64>])])
    func vibrations(id: SystemSoundID, turns: [Range<Int64>]) throws {
        for use in [SystemSoundServices.Use.sound, .alert] {
            let bench = try SoundsBench(position: .silent)
            bench.play(id, as: use)
            bench.clock.advance(by: .seconds(5))
            #expect(bench.turns == turns && bench.results.all.first?.vibrated == true)
        }
    }

    @Test("a sound without a file is silent, and vibrates as an alert")
    func silentRow() throws {
        let bench = try SoundsBench()
        bench.play(1102)
        #expect(bench.outcomes == [.finished] && bench.heard.isEmpty && bench.turns.isEmpty)
        bench.play(1102, as: .alert)
        bench.clock.advance(by: .seconds(1))
        #expect(bench.outcomes == [.finished, .finished] && bench.turns == [0..<400_000])
    }

    @Test("a file on the device overrides a predefined sound by its name, the first directory first")
    func override() throws {
        let (first, second) = (try TemporaryDirectory(), try TemporaryDirectory())
        try second.writeWAV("new-mail.caf", frames: 4800)
        let directories = [first.path, second.path, "/nowhere/at/all"]
        let bench = try SoundsBench(directories: directories)
        bench.play(1000)
        bench.clock.advance(by: .seconds(5))
        #expect(bench.heard == [0..<100_000] && bench.results.all.first?.fallback == nil)
        try first.writeWAV("new-mail.caf", frames: 9600)
        let other = try SoundsBench(directories: directories)
        other.play(1000)
        other.clock.advance(by: .seconds(5))
        #expect(other.heard == [0..<200_000])
        let mail = try #require(PredefinedSound.withID(1000))
        #expect(PredefinedSounds(directories: directories).source(of: mail) == .file(first.path + "/new-mail.caf"))
    }

    @Test("a broken file, or one longer than 30 s, gives way to the recipe, and the outcome says so each time")
    func brokenOverride() throws {
        let directory = try TemporaryDirectory()
        try directory.write("new-mail.caf", Array("caff".utf8))
        try directory.writeWAV("mail-sent.caf", rate: 8000, frames: 248_000)
        let bench = try SoundsBench(directories: [directory.path])
        bench.play(1000)
        bench.clock.advance(by: .seconds(5))
        bench.play(1000)
        bench.clock.advance(by: .seconds(5))
        bench.play(1001)
        bench.clock.advance(by: .seconds(5))
        #expect(bench.outcomes == [.finished, .finished, .finished])
        #expect(bench.results.all.map { $0.fallback?.reason } == [.undecodable, .undecodable, .tooLong])
        let told = bench.events.all.filter { if case .fallback = $0 { true } else { false } }
        #expect(told.count == 3)
    }

    @Test("what stands in for a broken file says so in a category as well, and as an announcement it is heard")
    func brokenOverrideElsewhere() throws {
        let directory = try TemporaryDirectory()
        try directory.write("new-mail.caf", Array("caff".utf8))
        let clock = VirtualClock()
        let events = Record<DeviceEvent>()
        let device = try Device.simulated(
            SimulatedBoard(clock: clock),
            configuration: .init(
                sounds: .init(predefined: PredefinedSounds(directories: [directory.path])),
                observer: { events.append($0) }))
        defer { device.close() }
        let samples = try #require(try device.sounds.samples(of: 1000))
        #expect(samples.shortfall?.file == directory.path + "/new-mail.caf")
        let results = Record<SoundResult>()
        try device.start(samples, category: .playback) { results.append($0) }
        clock.advance(by: .seconds(5))
        try device.announcements.add(Announcement(joining: [samples, samples])) { results.append($0) }
        clock.advance(by: .seconds(10))
        #expect(results.all.map(\.outcome) == [.finished, .finished])
        #expect(results.all.map { $0.fallback?.reason } == [.undecodable, .undecodable])
        let told = events.all.filter { if case .fallback = $0 { true } else { false } }
        #expect(told.count == 2)
    }

    @Test("a player plays its own files")
    func player() throws {
        let directory = try TemporaryDirectory()
        try directory.writeWAV("sq_alarm.caf", frames: 4800)
        let alarm = try #require(PredefinedSound.withID(1005))
        let sounds = PredefinedSounds(variant: .player, directories: [directory.path])
        #expect(sounds.samples(of: alarm)?.frames == 4800)
        #expect(PredefinedSounds(directories: [directory.path]).source(of: alarm) == .synthesized)
    }

    @Test("IDs that share a file share what is kept of it")
    func sharedFile() throws {
        let bench = try SoundsBench()
        try bench.sounds.prepare(1007)
        let bytes = bench.sounds.cachedBytes
        try bench.sounds.prepare(1012)
        try bench.sounds.prepare(1307)
        #expect(bytes > 0 && bench.sounds.cachedBytes == bytes)
    }

    @Test("predefined sounds are kept up to the limit and no further")
    func bounded() throws {
        let bench = try SoundsBench()
        for sound in PredefinedSound.all { try bench.sounds.prepare(SystemSoundID(rawValue: sound.id)) }
        #expect(bench.sounds.cachedBytes <= 1 << 20 && bench.sounds.cachedBytes > 1 << 19)
    }
}
