import RingerTestKit
import Synchronization
import Testing

@testable import RingerCore

/// The volumes by kind of a device, and its volume keys, in virtual time.
@Suite struct VolumeKeysTests {
    private let clock = VirtualClock()
    private let board: SimulatedBoard
    private let device: Device
    private static let tone = PCMBuffer(
        sampleRate: 8_000, channels: 1, samples: [Int16](repeating: 7, count: 80_000))

    init() throws {
        board = SimulatedBoard(clock: clock)
        device = try Device.simulated(board)
    }

    private func gains(_ index: Int = 0) -> [Float] { board.speaker.recordings[index].gains }

    private func press(_ key: DeviceKey, repeated: Int = 0) {
        board.keys.press(key)
        for _ in 0..<repeated { board.keys.repeatHeld(key) }
        board.keys.release(key)
    }

    @Test("a volume is heard in what plays of its kind at once, within the ramp of a gain; at 0 the sound ends")
    func whilePlaying() throws {
        defer { device.close() }
        let outcomes = Record<SoundOutcome>()
        try device.start(Self.tone, category: .playback) { outcomes.append($0.outcome) }
        try device.start(Self.tone, category: .playAndRecord, options: .mixWithOthers) { outcomes.append($0.outcome) }
        clock.advance(by: .milliseconds(100))
        device.preferences.mediaVolume = 0.5
        device.preferences.callVolume = 0.25
        device.preferences.announcementVolume = 0.125
        #expect(gains(0) == [1, 0.5] && gains(1) == [1, 0.25])
        #expect(SoundPlayer.gainRamp <= .milliseconds(20))
        device.preferences.mediaVolume = 0
        clock.advance(by: .milliseconds(20))
        #expect(outcomes.all == [.silenced(by: .volumeZero)])
        #expect(board.speaker.playing.count == 1)
    }

    @Test("an announcement is as loud as the user wants announcements, or at a volume of its own, a repeated one too")
    func announcements() throws {
        defer { device.close() }
        device.preferences.announcementVolume = 0.5
        let short = PCMBuffer(sampleRate: 8_000, channels: 1, samples: [Int16](repeating: 7, count: 800))
        try device.announcements.add(Announcement(short))
        try device.announcements.add(Announcement(short, volume: 0.75))
        clock.advance(by: .milliseconds(50))
        // The one that plays follows; that with a volume of its own does not.
        device.preferences.announcementVolume = 0.25
        device.preferences.mediaVolume = 0.125
        clock.advance(by: .seconds(1))
        device.announcements.repeatLast()
        clock.advance(by: .seconds(1))
        #expect(board.speaker.recordings.map(\.gains) == [[0.5, 0.25], [0.75], [0.75]])
        let outcomes = Record<SoundOutcome>()
        try device.announcements.add(Announcement(short, volume: 0)) { outcomes.append($0.outcome) }
        #expect(outcomes.all == [.silenced(by: .volumeZero)])
    }

    // The factor belongs to the announcement's sound: there is nothing to restore that a crash could leave behind.
    @Test(
        "an announcement of its own volume that is cut off leaves that of other sounds, the preferences and the mixer")
    func interrupted() throws {
        board.surroundings.set(.outputVolume(0.4))
        let before = device.preferences
        try device.start(Self.tone, category: .ambient)
        try device.announcements.add(Announcement(Self.tone, options: .mixWithOthers, volume: 0.25))
        clock.advance(by: .milliseconds(100))
        #expect(gains(0) == [1] && gains(1) == [0.25])
        device.announcements.clear()
        clock.advance(by: .milliseconds(100))
        #expect(gains(0) == [1] && device.preferences == before && device.state.outputVolume == 0.4)
        try device.announcements.add(Announcement(Self.tone, options: .mixWithOthers, volume: 0.25))
        clock.advance(by: .milliseconds(100))
        // Without any of the queue's own steps, as a crash is without them.
        device.close()
        #expect(gains(0) == [1] && device.state.outputVolume == 0.4)
        let next = try Device.simulated(board)
        defer { next.close() }
        #expect(next.preferences == before)
        try next.start(Self.tone, category: .playback)
        clock.advance(by: .milliseconds(100))
        #expect(board.speaker.recordings.last?.gains == [1])
    }

    @Test("a volume key changes the kind that is heard, otherwise alerts, and the change is an event")
    func heard() throws {
        let events = Record<DeviceEvent>()
        let device = try Device.simulated(board, configuration: .init(observer: { events.append($0) }))
        defer { device.close() }
        press(.volumeDown)
        #expect(device.preferences == UserPreferences(alertVolume: 0.9375))
        clock.advance(by: .zero)
        let now = clock.now
        #expect(
            events.all.suffix(3) == [
                .key(.volumeDown, isPressed: true, at: now), .preferencesChanged(device.preferences, at: now),
                .key(.volumeDown, isPressed: false, at: now),
            ])
        press(.volumeUp)
        try device.start(Self.tone, category: .playback)
        press(.volumeDown)
        #expect(device.preferences == UserPreferences(mediaVolume: 0.9375) && gains() == [1, 0.9375])
        device.alerts.start(1005, way: .sound)
        press(.volumeDown)
        #expect(device.preferences == UserPreferences(alertVolume: 0.9375, mediaVolume: 0.9375))
        device.stopAll()
        clock.advance(by: .milliseconds(100))
        try device.announcements.add(Announcement(Self.tone))
        press(.volumeDown)
        #expect(device.preferences.announcementVolume == 0.9375)
        device.stopAll()
        clock.advance(by: .milliseconds(100))
        // A call, whose sound may be a program's own.
        let call = device.sessions.make(name: "call", category: .playAndRecord, priority: .call)
        call.activate { _ in }
        clock.advance(by: .zero)
        press(.volumeDown)
        #expect(device.preferences.callVolume == 0.9375)
    }

    @Test("a held key repeats down to 0 and up to 1, by 1/16; without repetitions a press is one step")
    func repeated() throws {
        defer { device.close() }
        press(.volumeDown, repeated: 4)
        #expect(device.preferences.alertVolume == 0.6875)
        press(.volumeDown, repeated: 40)
        #expect(device.preferences.alertVolume == 0)
        press(.volumeUp, repeated: 15)
        #expect(device.preferences.alertVolume == 1)
        press(.volumeUp)
        #expect(device.preferences.alertVolume == 1)
        // Other keys that repeat change nothing, and neither does one that is not held.
        press(.silenceRing, repeated: 3)
        board.keys.repeatHeld(.volumeDown)
        #expect(device.preferences == UserPreferences())
    }

    @Test(
        "a program's own stream is not made silent by a key; one that is silent by its volume is made louder by a key")
    func stream() throws {
        defer { device.close() }
        let session = device.sessions.make(name: "player", category: .playback)
        #expect(session.beginStream() == nil)
        press(.volumeDown, repeated: 15)
        #expect(device.preferences == UserPreferences(mediaVolume: 0.0625))
        device.preferences.mediaVolume = 0
        #expect(session.audibility(activating: false) == .silenced(.volumeZero))
        press(.volumeUp, repeated: 7)
        #expect(device.preferences == UserPreferences(mediaVolume: 0.5))
        #expect(session.audibility(activating: false) == .heard(gain: 0.5, level: 1))
        session.endStreams()
        press(.volumeDown)
        #expect(device.preferences == UserPreferences(alertVolume: 0.9375, mediaVolume: 0.5))
    }
}
