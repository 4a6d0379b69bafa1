import Glibc
import RingerTestKit
import SystemPackage
import Testing

@testable import RingerCore

@Suite("Notification sounds")
struct NotificationSoundTests {
    private let directory: TemporaryDirectory
    private var container: ApplicationContainer { ApplicationContainer(directory.path) }

    init() throws {
        directory = try TemporaryDirectory()
        try directory.make("Library/Sounds")
        try directory.make("Cafe.app")
    }

    private func play(
        _ sound: NotificationSound, in container: ApplicationContainer?, position: SwitchPosition = .ring,
        preferences: UserPreferences = UserPreferences()
    ) throws -> (SystemSoundResult, SoundsBench) {
        let bench = try SoundsBench(position: position, preferences: preferences)
        let notifications = NotificationSounds(bench.sounds)
        notifications.start(sound, in: container) { [results = bench.results] in results.append($0) }
        bench.clock.advance(by: .seconds(40))
        return (try #require(bench.results.all.first), bench)
    }

    @Test("the default is the system's default alert, heard and felt like any alert")
    func standard() throws {
        let (result, bench) = try play(.standard, in: nil)
        #expect(result.sound == 1007 && result.outcome == .finished && result.vibrated && result.fallback == nil)
        #expect(bench.heard.count == 1 && bench.turns.count == 1)
    }

    @Test("a name is looked for in Library/Sounds, then in the bundle")
    func lookup() throws {
        try directory.writeWAV("Cafe.app/chime.wav", frames: 4800)
        #expect(try play(.named("chime.wav"), in: container).1.heard == [0..<100_000])
        try directory.writeWAV("Library/Sounds/chime.wav", frames: 9600)
        let (result, bench) = try play(.named("chime.wav"), in: container)
        #expect(bench.heard == [0..<200_000] && result.fallback == nil)
    }

    @Test("where no bundle is marked as one, the container is the bundle")
    func flatContainer() throws {
        let flat = try TemporaryDirectory()
        try flat.writeWAV("chime.wav", frames: 4800)
        #expect(try play(.named("chime.wav"), in: ApplicationContainer(flat.path)).1.heard == [0..<100_000])
        let named = ApplicationContainer(directory.path, bundle: flat.path)
        #expect(try play(.named("chime.wav"), in: named).1.heard == [0..<100_000])
    }

    @Test("the default replaces a sound that cannot be played, and the outcome has the reason")
    func fallbacks() throws {
        try directory.write("Library/Sounds/text.caf", Array("no sound at all".utf8))
        try directory.writeWAV("Library/Sounds/30s.wav", rate: 8000, frames: 240_000)
        try directory.writeWAV("Library/Sounds/31s.wav", rate: 8000, frames: 248_000)
        try directory.writeWAV("Library/Sounds/nearly.wav", rate: 8000, frames: 239_999)
        func reason(_ name: String) throws -> SoundFallback.Reason? {
            let (result, _) = try play(.named(name), in: container)
            #expect(result.outcome == .finished)
            return result.fallback?.reason
        }
        #expect(try reason("no.caf") == .missing)
        #expect(try reason("text.caf") == .undecodable)
        #expect(try reason("30s.wav") == .tooLong)
        #expect(try reason("31s.wav") == .tooLong)
        #expect(try reason("nearly.wav") == nil)
        let (result, bench) = try play(.named("no.caf"), in: container)
        #expect(bench.events.all.contains(.fallback(try #require(result.fallback), sound: 1, at: bench.start)))
    }

    // With what filled up its last packet it was longer than 30 s.
    @Test("a sound shorter than 30 s is played whatever its packets are, one of 30 s is not")
    func packets() throws {
        let fact = Array("fact".utf8)
        for (frames, isPlayed) in [(239_992, true), (239_999, true), (241_000, false)] {
            let sound = PCMBuffer(sampleRate: 8000, channels: 1, samples: Array(repeating: 0, count: frames))
            let files: [(String, [UInt8])] = [
                ("aifc", try SoundFiles.encode(sound, container: .aifc, codec: .ima4)),
                ("caf", try SoundFiles.encode(sound, container: .caf, codec: .ima4)),
                ("wav", try SoundFiles.encode(sound, container: .wave, codec: .imaADPCM)),
            ]
            for (ending, bytes) in files {
                try directory.write("Library/Sounds/sound.\(ending)", bytes)
                let (result, _) = try play(.named("sound.\(ending)"), in: container)
                #expect((result.fallback?.reason == nil) == isPlayed, "\(frames) frames, \(ending)")
            }
            // Without its length in frames the file says no more than the number of blocks.
            var wav = files[2].1
            let index = try #require(wav.indices.first { wav[$0...].starts(with: fact) })
            wav.replaceSubrange(index..<index + 4, with: Array("junk".utf8))
            try directory.write("Library/Sounds/junk.wav", wav)
            #expect((try play(.named("junk.wav"), in: container).0.fallback == nil) == isPlayed, "\(frames) frames")
        }
    }

    @Test("another Library/Sounds is searched after the container's, before the bundle")
    func otherDirectory() throws {
        let other = try TemporaryDirectory()
        try other.make("Library/Sounds")
        try other.writeWAV("Library/Sounds/chime.wav", frames: 4800)
        try directory.writeWAV("Cafe.app/chime.wav", frames: 9600)
        var container = container
        container.otherDirectory = other.path
        #expect(try play(.named("chime.wav"), in: container).1.heard == [0..<100_000])
        try directory.writeWAV("Library/Sounds/chime.wav", frames: 14_400)
        #expect(try play(.named("chime.wav"), in: container).1.heard == [0..<300_000])
    }

    @Test(
        "a name that leads elsewhere is refused",
        arguments: ["../chime.wav", "Sounds/chime.wav", "..", "a..wav", "/etc/passwd", "", ".", "chime.wav\0.caf"])
    func refused(name: String) throws {
        try directory.writeWAV("Library/chime.wav", frames: 4800)
        let (result, _) = try play(.named(name), in: container)
        #expect(result.fallback?.reason == .refusedName && result.outcome == .finished)
    }

    // Only a link in the last place was noticed, and called undecodable.
    @Test(
        "a link does not lead out of the container, wherever it stands in the path",
        arguments: ["Library", "Library/Sounds", "Library/Sounds/link.wav", "Evil.app"])
    func link(_ place: String) throws {
        let elsewhere = try TemporaryDirectory()
        try elsewhere.make("Sounds")
        let target = try elsewhere.writeWAV("Sounds/link.wav", frames: 4800)
        try elsewhere.writeWAV("link.wav", frames: 4800)
        let own = try TemporaryDirectory()
        let targets = ["Library": elsewhere.path, "Library/Sounds/link.wav": target]
        if place != "Library" { try own.make(place == "Library/Sounds" ? "Library" : "Library/Sounds") }
        #expect(symlink(targets[place] ?? elsewhere.path + "/Sounds", own.path + "/" + place) == 0)

        let container = ApplicationContainer(own.path)
        let (result, _) = try play(.named("link.wav"), in: container)
        #expect(result.fallback?.reason == .refusedName && result.outcome == .finished)
        #expect(result.fallback?.error?.errno == .tooManySymbolicLinkLevels)
        for file in container.files(named: "link.wav") {
            // Kernels before 5.6 cannot do it in one call.
            for isComponentwise in [false, true] {
                #expect(throws: RingerError.self) { try FileByteSource(file, isComponentwise: isComponentwise) }
            }
        }
        // A container may stand behind a link itself: its place is trusted.
        let good = try TemporaryDirectory()
        #expect(symlink(elsewhere.path, good.path + "/container") == 0)
        let trusted = ApplicationContainer(good.path + "/container", bundle: good.path + "/container")
        #expect(try play(.named("link.wav"), in: trusted).0.fallback == nil)
    }

    @Test("a file is opened alike in one call and component by component", arguments: [false, true])
    func resolutions(isComponentwise: Bool) throws {
        try directory.writeWAV("Library/Sounds/chime.wav", frames: 4800)
        try directory.write("file", [])
        try directory.make("Library/Sounds/directory.wav")
        func open(_ path: String) throws -> FileByteSource {
            try FileByteSource(
                ContainedFile(directory: directory.path, relativePath: path), isComponentwise: isComponentwise)
        }
        #expect(try open("Library/Sounds/chime.wav").size == 9644)
        #expect(try open("file").size == 0)
        for (path, reason) in [
            ("Library/Sounds/none.wav", Errno.noSuchFileOrDirectory), ("none/Sounds/chime.wav", .noSuchFileOrDirectory),
            ("file/chime.wav", .notDirectory), ("Library/Sounds/directory.wav", .isDirectory),
        ] {
            #expect(throws: RingerError.self) { try open(path) }
            do throws(any Error) {
                _ = try open(path)
            } catch let error as RingerError {
                #expect(error.errno == reason, "\(path)")
            }
        }
    }

    @Test("the default replaces a file that the process may not read, and the outcome says so")
    func forbidden() throws {
        let error = RingerError("open", "chime.wav", .permissionDenied)
        #expect(SoundFallback(error).reason == .permissionDenied)
        let out = RingerError("open", "chime.wav", .improperLink)
        #expect(SoundFallback(out).reason == .refusedName)
    }

    // The caller's thread looked for it, and hung where the file system did not answer.
    @Test("a call returns before its file is looked for, and the default plays where that takes 5 s")
    func lookedForAside() throws {
        let work = HeldWork()
        let bench = try SoundsBench(preferences: UserPreferences(vibrateOnRing: false), slowWork: work)
        let notifications = NotificationSounds(bench.sounds)
        func start() {
            notifications.start(.named("chime.wav"), in: container) { [results = bench.results] in results.append($0) }
        }
        start()
        try directory.writeWAV("Library/Sounds/chime.wav", frames: 4800)
        work.finish()
        bench.clock.advance(by: .seconds(1))
        #expect(bench.heard == [0..<100_000] && bench.results.all.map(\.fallback) == [nil])
        start()
        bench.clock.advance(by: .seconds(5))
        work.finish(except: 1)
        bench.clock.advance(by: .seconds(10))
        #expect(bench.heard.count == 2 && bench.results.all.last?.fallback?.error?.code == .timedOut)
    }

    @Test("a critical sound is heard at silent and under do-not-disturb, if the application may send one")
    func critical() throws {
        let quiet = UserPreferences(doNotDisturb: true)
        var container = container
        container.allowsCriticalAlerts = true
        let allowed = try play(.standardCritical(), in: container, position: .silent, preferences: quiet)
        #expect(allowed.0.sound == 1005 && allowed.0.outcome == .finished && allowed.0.fallback == nil)
        container.allowsCriticalAlerts = false
        let refused = try play(.standardCritical(), in: container, position: .silent)
        #expect(refused.0.outcome == .silenced(by: .ringSilentSwitch) && refused.0.vibrated)
        #expect(refused.0.fallback?.reason == .criticalNotAllowed)
    }

    @Test("do-not-disturb holds back any other")
    func doNotDisturb() throws {
        let (result, bench) = try play(.standard, in: nil, preferences: UserPreferences(doNotDisturb: true))
        #expect(result.outcome == .silenced(by: .doNotDisturb) && bench.turns.isEmpty)
    }

    @Test("the volume is the sender's, times the user's for all but critical ones")
    func volume() throws {
        let half = UserPreferences(alertVolume: 0.5)
        var container = container
        container.allowsCriticalAlerts = true
        #expect(
            try play(.standard(volume: 0.5), in: nil, preferences: half).1.board.speaker.recordings[0].gains == [0.25])
        #expect(
            try play(.standardCritical(volume: 0.5), in: container, preferences: half).1.board.speaker.recordings[0]
                .gains == [0.5])
        #expect(try play(.standard(volume: 0), in: nil).0.outcome == .silenced(by: .volumeZero))
        #expect(try play(.standard(volume: .nan), in: nil).0.outcome == .silenced(by: .volumeZero))
        #expect(try play(.standard(volume: 7), in: nil).1.board.speaker.recordings[0].gains == [1])
    }

    @Test("a notification and a system sound share the one sound that is heard")
    func shared() throws {
        let bench = try SoundsBench()
        let notifications = NotificationSounds(bench.sounds)
        bench.play(try bench.register(milliseconds: 1000))
        bench.clock.advance(by: .milliseconds(100))
        notifications.start(.standard, in: nil)
        bench.clock.advance(by: .seconds(5))
        #expect(bench.outcomes == [.stopped(.replaced)])
    }
}
