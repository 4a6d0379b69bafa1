import Glibc
import RingerCore
import RingerBus
import ServiceSupport
import Testing

@testable import RingerDaemon

/// The file that keeps the preferences.
@Suite struct PreferencesFileTests {
    /// Preferences that differ from the default ones in everything.
    private static let others = UserPreferences(
        vibrateOnRing: false, vibrateOnSilent: false, soundEffects: false, alertVolume: 0.1,
        hapticsWhileRecording: true, doNotDisturb: true, routesSilencedBySwitch: [.headphone, .line],
        whenSwitchUnreadable: .vibrate,
        quietHours: (try? QuietHours("Mon..Fri 22:00-07:00; Sat,Sun 23:30-09:00; daily 20:00-22:00 volume=0.3"))
            ?? QuietHours(),
        quietHoursPosition: .vibrate, whenClockUnset: .ring,
        alarmsIgnoreSilence: false, alarmVolume: 0.2, announcementVolume: 0.3, mediaVolume: 0.4, callVolume: 0.6,
        duckingDepth: 21.5, duckingDown: .zero, duckingUp: .seconds(2), alertsDuringCall: .none)

    @Test(
        "preferences are read as they were written",
        arguments: [UserPreferences(), others, UserPreferences(routesSilencedBySwitch: [])])
    func roundTrip(preferences: UserPreferences) async throws {
        let folder = try TemporaryFolder()
        let file = PreferencesFile(path: folder.path + "/preferences")
        try await file.write(preferences)
        #expect(file.read { Issue.record($0) } == preferences)
        #expect(folder.names == ["preferences"])
    }

    // Each Set wrote to the flash.
    @Test("what the file has already is not written again")
    func equal() async throws {
        let folder = try TemporaryFolder()
        let file = PreferencesFile(path: folder.path + "/preferences")
        try await file.write(Self.others)
        unlink(file.path)
        try await file.write(Self.others)
        #expect(folder.names == [])
        try await file.write(UserPreferences())
        #expect(file.read { Issue.record($0) } == UserPreferences())
        unlink(file.path)
        try await file.write(Self.others)
        #expect(file.read { Issue.record($0) } == Self.others)
        // Nor where it is to be written as soon as it was, on a thread that has not ended.
        await withCheckedContinuation { isOver in
            file.write(UserPreferences()) { _ in
                unlink(file.path)
                file.write(UserPreferences()) { _ in isOver.resume() }
            }
        }
        #expect(folder.names == [])
        // What could not be written is not there.
        rmdir(folder.path)
        await #expect(throws: RingerError.self) { try await file.write(Self.others) }
        await #expect(throws: RingerError.self) { try await file.write(UserPreferences()) }
        mkdir(folder.path, 0o755)
        try await file.write(Self.others)
        #expect(file.read { Issue.record($0) } == Self.others)
    }

    @Test("without a file, and for what a file does not name, the defaults apply")
    func defaults() throws {
        let folder = try TemporaryFolder()
        #expect(PreferencesFile(path: folder.path + "/none").read { Issue.record($0) } == UserPreferences())
        let path = try folder.write("# nothing but\n do-not-disturb=yes \r\n", to: "preferences")
        #expect(
            PreferencesFile(path: path).read { Issue.record($0) } == UserPreferences(doNotDisturb: true))
    }

    @Test(
        "a damaged file is reported with its line, kept aside, and the defaults apply",
        arguments: [
            ("do-not-disturb = yes\nalert-volume = loud\n", "line 2"), ("alert-volume = 1.5", "line 1"),
            ("alert-volume = nan", "line 1"), ("do-not-disturb", "line 1"), ("do-not-disturb = true", "line 1"),
            ("sound-effects = no\nsound-effects = no", "line 2"),
            ("routes-silenced-by-switch = speaker, nowhere", "line 1"), ("when-switch-unreadable =", "line 1"),
            ("ducking-depth = 51", "line 1"), ("ducking-down = -1", "line 1"), ("ducking-up = 2001", "line 1"),
            ("alerts-during-call = loud", "line 1"),
            ("quiet-hours = daily 22:00-24:00", "line 1"), ("quiet-hours = daily 22:00-07:00 volume=1.3", "\"1.3\""),
            ("\u{0}\u{0}\u{0}", "line 1"), (String(repeating: "#", count: 1 << 20) + "\n", "1 MiB"),
        ])
    func damaged(text: String, place: String) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(text, to: "preferences")
        var reports: [String] = []
        let preferences = PreferencesFile(path: path).read { reports.append("\($0)") }
        #expect(preferences == .unread && "\(UserPreferences.unread.quietHours)" == "daily 00:00-00:00")
        #expect(reports.count == 1)
        #expect(reports.first?.contains(place) == true && reports.first?.contains("\n") == false)
        #expect(reports.first?.contains("preferences.damaged") == true)
        #expect(folder.names == ["preferences.damaged"])
        // At the next start as well, until preferences are kept.
        #expect(PreferencesFile(path: path).read { reports.append("\($0)") } == .unread && reports.count == 2)
    }

    // It was taken for a new device's, and the first change wrote over the owner's.
    @Test(
        "a file whose directory is not there yet, as one that is not mounted, is read once it is, and is not written before"
    )
    func missingDirectory() async throws {
        let folder = try TemporaryFolder()
        let file = PreferencesFile(path: folder.path + "/later/preferences")
        var reports: [String] = []
        #expect(file.read { reports.append("\($0)") } == nil && reports.count == 1)
        await #expect(throws: RingerError.self) { try await file.write(Self.others) }
        mkdir(folder.path + "/later", 0o755)
        _ = try folder.write("do-not-disturb = yes\n", to: "later/preferences")
        #expect(file.read { Issue.record($0) } == UserPreferences(doNotDisturb: true))
        try await file.write(Self.others)
    }

    // As after a roll-back of the firmware: the file was taken for a damaged one.
    @Test("a key that is not known is reported with its line and skipped; the others hold")
    func unknownKey() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("do-not-disturb = yes\nfuture = 1\nalert-volume = 0.25\n", to: "preferences")
        var reports: [String] = []
        let preferences = PreferencesFile(path: path).read { reports.append("\($0)") }
        #expect(preferences == UserPreferences(alertVolume: 0.25, doNotDisturb: true))
        #expect(reports.count == 1 && reports.first?.contains("line 2") == true)
        #expect(folder.names == ["preferences"])
    }

    // It was renamed as if it were damaged, and the next write lost it.
    @Test("a file that cannot be read stays as it is, and is not written before it was read")
    func unreadable() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/preferences"
        // A link to itself: nobody can read it, root included.
        symlink("preferences", path)
        let file = PreferencesFile(path: path)
        var reports: [String] = []
        _ = file.read { reports.append("\($0)") }
        #expect(reports.count == 1)
        await #expect(throws: RingerError.self) { try await file.write(Self.others) }
        #expect(folder.names == ["preferences"] && access(path, F_OK) != 0)
        unlink(path)
        _ = try folder.write("do-not-disturb = yes\n", to: "preferences")
        #expect(file.read { Issue.record($0) } == UserPreferences(doNotDisturb: true))
        try await file.write(Self.others)
        #expect(file.read { Issue.record($0) } == Self.others)
    }

    @Test("preferences that cannot be read at the start are read later; what was set meanwhile stays set and is kept")
    func readLater() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/preferences"
        symlink("preferences", path)
        let bench = try ServiceBench(preferencesFile: PreferencesFile(path: path))
        let client = try bench.client()
        let error = await client.set("Preferences", .dictionary(["alertVolume": .double(0.5)]))
        #expect(error != nil)
        #expect(bench.device.preferences == UserPreferences(alertVolume: 0.5))
        try await client.advance(.seconds(100))
        #expect(access(path, F_OK) != 0)
        unlink(path)
        _ = try folder.write("do-not-disturb = yes\n", to: "preferences")
        try await client.advance(.seconds(30))
        let both = UserPreferences(alertVolume: 0.5, doNotDisturb: true)
        #expect(bench.device.preferences == both)
        bench.stop()
        #expect(PreferencesFile(path: path).read { Issue.record($0) } == both)
    }

    // The bus's Set was the only way in which preferences changed in the service.
    @Test("what the volume keys change is published and kept, also what they changed while the file could not be read")
    func volumeKeys() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/preferences"
        for isUnread in [false, true] {
            if isUnread {
                unlink(path)
                symlink("preferences", path)
            }
            let bench = try ServiceBench(preferencesFile: PreferencesFile(path: path))
            let client = try bench.client()
            for key in ["volumeDown", "volumeDown", "volumeUp", "volumeDown"] {
                let error = await client.error(
                    "PressKey", [.string(key)], interface: RingerNames.simulatedBoardInterface)
                #expect(error == nil)
            }
            var preferences = UserPreferences(alertVolume: 0.875)
            #expect(bench.device.preferences == preferences)
            for await signal in client.signals where signal.member == "PropertiesChanged" {
                let changed = signal.arguments[1].dictionary?["Preferences"]?.dictionary
                if changed?["alertVolume"] == .double(0.875) { break }
            }
            if isUnread {
                #expect(access(path, F_OK) != 0)
                unlink(path)
                _ = try folder.write("do-not-disturb = yes\n", to: "preferences")
                try await client.advance(.seconds(60))
                preferences.doNotDisturb = true
                #expect(bench.device.preferences == preferences)
            }
            bench.stop()
            #expect(PreferencesFile(path: path).read { Issue.record($0) } == preferences)
        }
    }

    @Test("a write that fails leaves the old file as it was")
    func failure() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("do-not-disturb = yes\n", to: "preferences")
        // The temporary file cannot be made.
        mkdir(path + ".new", 0o700)
        let file = PreferencesFile(path: path)
        await #expect(throws: RingerError.self) { try await file.write(Self.others) }
        rmdir(path + ".new")
        #expect(file.read { Issue.record($0) } == UserPreferences(doNotDisturb: true))
    }

    @Test("of many writes at once the newest is in the file")
    func newest() async throws {
        let folder = try TemporaryFolder()
        let file = PreferencesFile(path: folder.path + "/preferences")
        let writes = (1...100).map { number in
            let preferences = UserPreferences(alertVolume: Float(number) / 100)
            // The tasks are made in order, and each one enqueues its write before the next is made.
            return Task.immediate { try await file.write(preferences) }
        }
        for write in writes { try await write.value }
        file.finish()
        #expect(file.read { Issue.record($0) }?.alertVolume == 1)
    }

    @Test(
        "preferences that a client set hold after the service was started again, and its default ones are not written")
    func restart() async throws {
        let folder = try TemporaryFolder()
        let file = PreferencesFile(path: folder.path + "/preferences")
        do {
            let bench = try ServiceBench(preferencesFile: file)
            #expect(folder.names == [])
            let changed = BusValue.dictionary(["doNotDisturb": .boolean(true), "alertVolume": .double(0.25)])
            #expect(try await bench.client().set("Preferences", changed) == nil)
            // The reply came once the preferences were kept: killed now, the service would lose nothing.
            #expect(folder.names == ["preferences"])
        }
        let bench = try ServiceBench(preferencesFile: PreferencesFile(path: file.path))
        let preferences = try await (try bench.client()).property("Preferences")?.dictionary
        #expect(preferences?["doNotDisturb"] == .boolean(true))
        #expect(preferences?["alertVolume"] == .double(0.25))
    }

    @Test("who sets preferences that cannot be kept gets the reason; they are in force all the same")
    func unwritable() async throws {
        let folder = try TemporaryFolder()
        let bench = try ServiceBench(preferencesFile: PreferencesFile(path: folder.path + "/none/preferences"))
        let client = try bench.client()
        let name = await client.set("Preferences", .dictionary(["doNotDisturb": .boolean(true)]))
        #expect(name == "org.ringer.Error.NotFound")
        #expect(bench.device.preferences.doNotDisturb)
    }

    @Test("who sets preferences while the service ends is informed that they are kept")
    func ending() async throws {
        for _ in 0..<20 {
            let folder = try TemporaryFolder()
            let file = PreferencesFile(path: folder.path + "/preferences")
            let bench = try ServiceBench(preferencesFile: file)
            let client = try bench.client()
            async let error = client.set("Preferences", .dictionary(["doNotDisturb": .boolean(true)]))
            while !bench.device.preferences.doNotDisturb { await Task.yield() }
            bench.stop()
            #expect(folder.names == ["preferences"])
            #expect(await error == nil)
        }
    }
}

extension PreferencesFile {
    /// Writes the preferences, and returns once they are durable.
    fileprivate func write(_ preferences: UserPreferences) async throws {
        let failure = await withCheckedContinuation { continuation in
            write(preferences) { continuation.resume(returning: $0) }
        }
        if let failure { throw failure }
    }
}
