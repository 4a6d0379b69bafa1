import RingerTestKit
import Testing

@testable import RingerCore

@Suite("Properties of system sounds")
struct SystemSoundPropertyTests {
    /// The ID, or the value, as the machine writes it.
    private func bytes(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number) { Array($0) } }

    @Test("a sound obeys the sound-effects preference, and does not outlive its client, unless it is told so")
    func defaults() throws {
        let bench = try SoundsBench()
        for id in [try bench.register(milliseconds: 10), 1000, .vibrate] {
            let specifier = bytes(id.rawValue)
            #expect(try bench.sounds.value(of: .isUISound, specifier: specifier, size: 4) == bytes(1))
            #expect(try bench.sounds.value(of: .completePlaybackIfAppDies, specifier: specifier, size: 4) == bytes(0))
            #expect(try bench.sounds.propertyInfo(.isUISound, specifier: specifier) == (4, true))
        }
    }

    @Test("what is set is read back, by either spelling; any number but 0 counts as 1")
    func set() throws {
        let bench = try SoundsBench()
        let id = try bench.register(milliseconds: 10)
        try bench.sounds.set(.isUISound, specifier: bytes(id.rawValue), to: bytes(0))
        try bench.sounds.set(.completePlaybackIfAppDies, specifier: bytes(id.rawValue), to: bytes(0x100))
        #expect(try !bench.sounds.isUISound(id) && bench.sounds.completesPlaybackIfAppDies(id))
        #expect(
            try bench.sounds.value(of: .completePlaybackIfAppDies, specifier: bytes(id.rawValue), size: 4) == bytes(1))
    }

    @Test("the sound-effects preference silences user-interface sounds, and the switch silences the others too")
    func meaning() throws {
        let bench = try SoundsBench(preferences: UserPreferences(soundEffects: false))
        let click = try bench.register(milliseconds: 10)
        let chime = try bench.register(milliseconds: 10)
        try bench.sounds.setIsUISound(false, of: chime)
        bench.play(click)
        bench.play(chime)
        bench.clock.advance(by: .seconds(1))
        bench.board.ringSilent.position = .silent
        bench.play(chime)
        #expect(bench.outcomes == [.silenced(by: .soundEffectsOff), .finished, .silenced(by: .ringSilentSwitch)])
    }

    @Test("each mistake has its result code")
    func errors() throws {
        let bench = try SoundsBench()
        let id = bytes(try bench.register(milliseconds: 10).rawValue)
        func code(_ body: () throws -> Void) -> SystemSoundError.Code? {
            do {
                try body()
                return nil
            } catch {
                return (error as? SystemSoundError)?.code
            }
        }
        let unknown = SystemSoundProperty("what")
        #expect(code { _ = try bench.sounds.value(of: unknown, specifier: id, size: 4) } == .unsupportedProperty)
        #expect(code { _ = try bench.sounds.propertyInfo(unknown, specifier: id) } == .unsupportedProperty)
        #expect(code { _ = try bench.sounds.value(of: .isUISound, specifier: id, size: 8) } == .badPropertySize)
        #expect(code { try bench.sounds.set(.isUISound, specifier: id, to: [1]) } == .badPropertySize)
        #expect(code { try bench.sounds.set(.isUISound, specifier: [1, 2], to: bytes(1)) } == .badSpecifierSize)
        #expect(code { try bench.sounds.set(.isUISound, specifier: bytes(9999), to: bytes(1)) } == .unspecified)
        #expect(SystemSoundError.Code.unsupportedProperty.rawValue == 0x7074_793F)
        #expect(SystemSoundError.Code.badPropertySize.rawValue == 0x2173_697A)
        #expect(SystemSoundError.Code.badSpecifierSize.rawValue == 0x2173_7063)
        #expect("\(SystemSoundError.Code.badPropertySize) \(SystemSoundError.Code.unspecified)" == "!siz -1500")
    }
}
