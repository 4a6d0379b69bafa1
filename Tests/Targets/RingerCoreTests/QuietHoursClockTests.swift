import RingerTestKit
import Synchronization
import Testing

@testable import RingerCore

/// The quiet hours of a device, in virtual time.
@Suite struct QuietHoursClockTests {
    private let clock = VirtualClock()
    private let board: SimulatedBoard
    private static let berlin = "CET-1CEST,M3.5.0,M10.5.0/3"

    init() {
        board = SimulatedBoard(clock: clock)
    }

    private func device(
        _ quietHours: String, _ preferences: UserPreferences = UserPreferences()
    ) throws -> Device {
        var configuration = Device.Configuration(preferences: preferences)
        configuration.preferences.quietHours = try QuietHours(quietHours)
        try board.timeZone.set(Self.berlin)
        return try Device(Device.Ports(simulated: board), configuration: configuration)
    }

    private func seconds(_ hours: Int64) -> Int64 { 1_767_225_600 + hours * 3600 }

    /// 2026-01-01 is a Thursday; the clock's origin is its midnight in UTC, 1:00 in Berlin.
    private func hours(_ hours: Double) -> Duration { .seconds(1_767_225_600 + hours * 3600) }

    @Test(
        "a boundary is an edge: a sound that it forbids ends there, to the second of the span, and one may begin at its end"
    )
    func boundaries() throws {
        clock.setWallTime(hours(20.9))
        let device = try device("daily 22:00-07:00")
        defer { device.close() }
        #expect(device.state.quietHours == nil && device.decide(.systemSound()).isHeard)
        let tone = PCMBuffer(sampleRate: 8_000, channels: 1, samples: [Int16](repeating: 7, count: 8_000 * 900))
        let results = Mutex<[SoundResult]>([])
        try device.start(tone, category: .ambient) { result in results.withLock { $0.append(result) } }
        clock.advance(by: .seconds(359))
        #expect(board.speaker.playing.count == 1)
        clock.advance(by: .seconds(1))
        #expect(board.speaker.playing.isEmpty)
        let result = try #require(results.withLock { $0 }.first)
        #expect(result.outcome == .silenced(by: .quietHours))
        #expect(device.state.quietHours == .silent && device.state.quietHoursUntil == 1_767_225_600 + 30 * 3600)
        let effective = device.state.effectivePosition(device.preferences)
        #expect(effective.sources == [.quietHours] && effective.until == device.state.quietHoursUntil)
        #expect(device.decide(.session(.playback)).isHeard)
        clock.advance(by: .seconds(9 * 3600 - 1))
        #expect(!device.decide(.systemSound()).isHeard)
        clock.advance(by: .seconds(1))
        #expect(device.decide(.systemSound()).isHeard && device.state.quietHoursUntil == nil)
    }

    @Test("the clock set into them, out of them and back, and a sleep through a boundary, count at once")
    func clockIsSet() throws {
        clock.setWallTime(hours(12))
        let device = try device("daily 22:00-07:00")
        defer { device.close() }
        #expect(device.state.quietHours == nil)
        clock.setWallTime(hours(23))
        clock.advance(by: .zero)
        #expect(device.state.quietHours == .silent)
        clock.setWallTime(hours(10))
        clock.advance(by: .zero)
        #expect(device.state.quietHours == nil)
        clock.sleep(for: .seconds(13 * 3600))
        clock.advance(by: .zero)
        #expect(device.state.quietHours == .silent)
    }

    // The timer that notices it was not there yet.
    @Test("a clock that is set back just before its timer begins counts as well")
    func setBackBeforeTheTimer() throws {
        final class SetBack: DeviceClock {
            let clock: VirtualClock
            let time: Mutex<Duration?>
            init(_ clock: VirtualClock, _ time: Duration) {
                self.clock = clock
                self.time = Mutex(time)
            }
            var now: MonotonicTime { clock.now }
            var wallTime: Duration { clock.wallTime }
            func schedule(at deadline: MonotonicTime, _ body: @escaping @Sendable () -> Void) -> any DeviceTimer {
                clock.schedule(at: deadline, body)
            }
            func schedule(atWallTime time: Duration, _ body: @escaping @Sendable () -> Void) -> any DeviceTimer {
                if let time = self.time.withLock({ $0.take() }) { clock.setWallTime(time) }
                return clock.schedule(atWallTime: time, body)
            }
            func callBack(_ body: @escaping @Sendable () -> Void) { clock.callBack(body) }
        }
        clock.setWallTime(hours(12))
        try board.timeZone.set(Self.berlin)
        var ports = Device.Ports(simulated: board)
        ports.clock = SetBack(clock, hours(23 - 24))
        var configuration = Device.Configuration()
        configuration.preferences.quietHours = try QuietHours("daily 22:00-07:00")
        let device = try Device(ports, configuration: configuration)
        defer { device.close() }
        #expect(device.state.quietHours == .silent)
    }

    @Test("a clock that was never set is quiet, as the preference says, is reported once, and counts once it is set")
    func clockUnset() throws {
        for position in SwitchPosition.allCases {
            clock.setWallTime(.seconds(1_000))
            let device = try device("daily 22:00-07:00", UserPreferences(whenClockUnset: position))
            defer { device.close() }
            #expect(device.decide(.systemSound()).isHeard == (position == .ring))
            clock.setWallTime(.seconds(5_000))
            clock.advance(by: .zero)
            #expect(device.decide(.systemSound()).isHeard == (position == .ring))
            clock.setWallTime(hours(12))
            clock.advance(by: .zero)
            #expect(device.decide(.systemSound()).isHeard)
        }
    }

    @Test("a span with a volume lowers what plays at its boundary, silences nothing, and both apply where they overlap")
    func volumes() throws {
        clock.setWallTime(hours(20.9))
        let device = try device("daily 22:00-07:00 volume=0.3; daily 23:00-06:00; daily 23:00-01:00 volume=0.2")
        defer { device.close() }
        let tone = PCMBuffer(sampleRate: 8_000, channels: 1, samples: [Int16](repeating: 7, count: 8_000 * 900))
        try device.start(tone, category: .playback)
        clock.advance(by: .seconds(359))
        #expect(board.speaker.recordings[0].gains == [1] && device.state.quietHoursVolume == nil)
        clock.advance(by: .seconds(1))
        #expect(board.speaker.recordings[0].gains == [1, 0.3])
        #expect(device.state.quietHours == nil && device.decide(.systemSound()).isHeard)
        #expect(device.state.quietHoursVolumeUntil == seconds(22))
        #expect(device.state.effectivePosition(device.preferences).position == .ring)
        clock.setWallTime(hours(22.5))
        clock.advance(by: .zero)
        // Nothing of the switch silences this category: the lower volume applies in silence too.
        #expect(board.speaker.recordings[0].gains == [1, 0.3, 0.2] && device.state.quietHours == .silent)
        #expect(device.state.quietHoursUntil == seconds(29))
        #expect(device.state.quietHoursVolumeUntil == seconds(24))
        clock.setWallTime(hours(24.5))
        clock.advance(by: .zero)
        #expect(device.state.quietHoursVolume == 0.3 && device.state.quietHours == .silent)
        clock.setWallTime(hours(29.5))
        clock.advance(by: .zero)
        #expect(device.state.quietHoursVolume == 0.3 && device.state.quietHours == nil)
        clock.setWallTime(hours(30))
        clock.advance(by: .zero)
        #expect(device.state.quietHoursVolume == nil && device.state.quietHoursVolumeUntil == nil)
    }

    @Test(
        "while the clock was never set the lowest volume counts, beside the silence of other spans; not where ring does"
    )
    func volumesWhileUnset() throws {
        for (text, position, quiet, volume): (String, SwitchPosition, SwitchPosition?, Float?) in [
            ("daily 22:00-07:00 volume=0.3; daily 20:00-22:00 volume=0.5", .silent, nil, 0.3),
            ("daily 22:00-07:00 volume=0.3; daily 20:00-22:00", .silent, .silent, 0.3),
            ("daily 22:00-07:00 volume=0.3; daily 20:00-22:00", .vibrate, .vibrate, 0.3),
            ("daily 22:00-07:00 volume=0.3; daily 20:00-22:00", .ring, nil, nil),
        ] {
            clock.setWallTime(.seconds(1_000))
            let device = try device(text, UserPreferences(whenClockUnset: position))
            defer { device.close() }
            #expect(device.state.quietHours == quiet && device.state.quietHoursVolume == volume, "\(text)")
            board.timeZone.fail(with: RingerError(.invalid, "read the time zone", "/etc/localtime"))
            clock.setWallTime(hours(12))
            clock.advance(by: .zero)
            #expect(device.state.quietHours == quiet && device.state.quietHoursVolume == volume)
            try board.timeZone.set(Self.berlin)
            #expect(device.state.quietHours == nil && device.state.quietHoursVolume == nil)
        }
    }

    @Test("without quiet hours a clock that was never set changes nothing, and there is no timer")
    func none() throws {
        clock.setWallTime(.seconds(1_000))
        let device = try device("")
        defer { device.close() }
        #expect(device.decide(.systemSound()).isHeard)
        #expect(!clock.advanceToNextTimer(by: .init(nanoseconds: .max)))
    }

    @Test("new preferences count at once; vibrate is felt")
    func preferences() throws {
        clock.setWallTime(hours(23))
        let device = try device("")
        defer { device.close() }
        device.preferences.quietHours = try QuietHours("daily 22:00-07:00")
        #expect(device.decide(.alert) == .vibrate(.quietHours))
        device.preferences.quietHoursPosition = .vibrate
        device.preferences.vibrateOnSilent = false
        #expect(device.decide(.alert) == .vibrate(.quietHours))
        device.preferences.quietHours = QuietHours()
        #expect(device.decide(.alert).isHeard && device.state.quietHours == nil)
    }

    @Test("another zone counts at once, and one that cannot be read is quiet until it can")
    func zone() throws {
        clock.setWallTime(hours(21.5))
        let device = try device("daily 22:00-07:00")
        defer { device.close() }
        #expect(device.state.quietHours == .silent)
        try board.timeZone.set("UTC0")
        #expect(device.state.quietHours == nil)
        board.timeZone.fail(with: RingerError(.invalid, "read the time zone", "/etc/localtime"))
        #expect(device.state.quietHours == .silent && device.state.quietHoursUntil == nil)
        device.preferences.whenClockUnset = .ring
        #expect(device.state.quietHours == nil && device.decide(.systemSound()).isHeard)
        device.preferences.whenClockUnset = .vibrate
        #expect(device.state.quietHours == .vibrate)
        try board.timeZone.set("UTC0")
        #expect(device.state.quietHours == nil)
    }

    @Test("the detector finds sounds muted in quiet hours, with or without a switch")
    func detector() throws {
        clock.setWallTime(hours(23))
        for hasSwitch in [true, false] {
            var configuration = Device.Configuration()
            configuration.preferences.quietHours = try QuietHours("daily 22:00-07:00")
            var ports = Device.Ports(simulated: board)
            if !hasSwitch { ports.ringSilent = nil }
            let device = try Device(ports, configuration: configuration)
            defer { device.close() }
            let readings = Mutex<[MuteReading]>([])
            device.muteDetector.measure { reading in readings.withLock { $0.append(reading) } }
            clock.advance(by: .seconds(5))
            let reading = try #require(readings.withLock { $0 }.first)
            #expect(reading.verdict == .muted && reading.way == .device && !reading.disagreesWithSwitch)
        }
    }

    @Test("a clock that was never set is reported once, and again only after it was set")
    func reported() throws {
        let reports = Mutex<[String]>([])
        clock.setWallTime(.seconds(1_000))
        var configuration = Device.Configuration()
        configuration.observer = { event in
            if case .degraded(let error, _) = event { reports.withLock { $0.append("\(error)") } }
        }
        configuration.preferences.quietHours = try QuietHours("daily 22:00-07:00")
        let device = try Device(Device.Ports(simulated: board), configuration: configuration)
        defer { device.close() }
        for seconds in [2_000, 3_000] {
            clock.setWallTime(.seconds(seconds))
            device.preferences.doNotDisturb.toggle()
        }
        #expect(reports.withLock { $0 }.count == 1)
        #expect(reports.withLock { $0 }.first?.contains("never set; until it is, silent counts") == true)
        clock.setWallTime(hours(12))
        clock.setWallTime(.seconds(1_000))
        #expect(reports.withLock { $0 }.count == 2)
    }

    @Test("a wake-up at each boundary and none between: two a day")
    func wakeUps() throws {
        clock.setWallTime(hours(12))
        let device = try device("daily 22:00-07:00")
        defer { device.close() }
        var wakeUps = 0
        let end = clock.now + .seconds(10 * 86_400)
        while clock.advanceToNextTimer(by: end) { wakeUps += 1 }
        #expect(wakeUps == 20)
    }
}
