import RingerTestKit
import Synchronization
import Testing

@testable import RingerCore

/// A kept position that ends by itself, in virtual time.
@Suite final class TimedPositionTests: PositionTests {
    /// The clock's present second; 2026-01-01 0:16:40.
    private static let start: Int64 = 1_767_225_600 + 1_000

    private func write(_ text: String) throws { try folder.write("position", Array(text.utf8)) }

    private func device(hasSwitch: Bool = true, on clock: VirtualClock? = nil) throws -> Device {
        var configuration = Device.Configuration()
        configuration.positionFile = file
        var ports = Device.Ports(simulated: clock.map { SimulatedBoard(clock: $0) } ?? board)
        if !hasSwitch { ports.ringSilent = nil }
        return try open(ports, configuration)
    }

    @Test("it ends at its time, by one timer, and the position before is in force again and in the file")
    func ends() async throws {
        let device = try device()
        #expect(!clock.advanceToNextTimer(by: .init(nanoseconds: .max)))
        try await device.setPosition(.silent, until: Self.start + 7_200)
        #expect(try kept() == "silent until \(Self.start + 7_200) then ring\n")
        #expect(device.state.keptPositionUntil == Self.start + 7_200)
        let effective = device.state.effectivePosition(device.preferences)
        #expect(effective.sources == [.keptPosition] && effective.until == Self.start + 7_200)
        clock.advance(by: .seconds(7_199))
        #expect(device.decide(.systemSound()) == .silence(.softwareSilent) && clock.pendingTimers == 1)
        clock.advance(by: .seconds(1))
        #expect(device.state.keptPosition == .ring && device.state.keptPositionUntil == nil)
        #expect(device.decide(.systemSound()).isHeard && clock.pendingTimers == 0)
        device.finishKeeping()
        #expect(try kept() == "ring\n")
    }

    // Its timer came first, and what waited began for a moment.
    @Test("where quiet hours begin when it ends, nothing is heard or felt in between, whichever timer is first")
    func endsAsQuietHoursBegin() async throws {
        let device = try device()
        try await device.setPosition(.silent, until: Self.start + 3_600 - 1_000)
        device.preferences = UserPreferences(
            vibrateOnSilent: false, quietHours: try QuietHours("daily 01:00-02:00"), whenClockUnset: .silent)
        device.alerts.start(1005, limit: .seconds(3_600))
        clock.advance(by: .seconds(3_000))
        #expect(board.speaker.recordings.isEmpty && board.motor.turnCount == 0)
        #expect(device.state.keptPosition == .ring && device.state.quietHours == .silent)
    }

    @Test("an end at which nothing changes is none")
    func endsInTheSame() async throws {
        let device = try device()
        try await device.setPosition(.silent)
        try await device.setPosition(.silent, until: Self.start + 3_600)
        #expect(try kept() == "silent\n" && device.state.keptPositionUntil == nil)
        #expect(device.state.effectivePosition(device.preferences).until == nil)
    }

    @Test(
        "the end is an edge: what the position before forbids stops there; without a switch it is the switch's, with its end"
    )
    func edge() async throws {
        let device = try device(hasSwitch: false)
        try await device.setPosition(.silent)
        try await device.setPosition(.ring, until: Self.start + 10)
        let tone = PCMBuffer(sampleRate: 48_000, channels: 1, samples: [Int16](repeating: 7, count: 48_000 * 20))
        let outcomes = Mutex<[SoundOutcome]>([])
        try device.start(tone, category: .ambient) { result in outcomes.withLock { $0.append(result.outcome) } }
        clock.advance(by: .seconds(9))
        #expect(board.speaker.playing.count == 1)
        clock.advance(by: .seconds(1))
        #expect(board.speaker.playing.isEmpty && device.state.ringSilent == .silent)
        #expect(outcomes.withLock { $0 } == [.silenced(by: .ringSilentSwitch)])
        try await device.setPosition(.vibrate, until: Self.start + 20)
        let effective = device.state.effectivePosition(device.preferences)
        #expect(effective.sources == [.ringSilentSwitch, .keptPosition] && effective.until == Self.start + 20)
    }

    @Test("a switch at the same position has no end, and so the two have none")
    func besideSwitch() async throws {
        let device = try device()
        board.ringSilent.position = .silent
        try await device.setPosition(.silent, until: Self.start + 10)
        #expect(device.state.effectivePosition(device.preferences).until == nil)
    }

    @Test("a press, a toggle and another position end it, and its time changes nothing then")
    func replaced() async throws {
        for way in 0..<3 {
            let device = try device()
            try await device.setPosition(.vibrate)
            try await device.setPosition(.silent, until: clock.wallTime.components.seconds + 60)
            switch way {
            case 0: board.button.press()
            case 1: try await device.togglePosition()
            default: try await device.setPosition(.ring)
            }
            #expect(device.state.keptPosition == .ring && device.state.keptPositionUntil == nil)
            board.button.release()
            try await device.setPosition(.vibrate)
            clock.advance(by: .seconds(100))
            #expect(device.state.keptPosition == .vibrate)
            #expect(try kept() == "vibrate\n")
        }
    }

    @Test("one upon another: the end of the second leads to what was before the first")
    func upon() async throws {
        let device = try device()
        try await device.setPosition(.vibrate)
        try await device.setPosition(.silent, until: Self.start + 60)
        try await device.setPosition(.ring, until: Self.start + 30)
        #expect(try kept() == "ring until \(Self.start + 30) then vibrate\n")
        clock.advance(by: .seconds(30))
        #expect(device.state.keptPosition == .vibrate)
        clock.advance(by: .seconds(60))
        #expect(device.state.keptPosition == .vibrate && clock.pendingTimers == 0)
    }

    @Test("the clock set forwards beyond the end ends it, set back makes it longer, and a sleep across it counts")
    func clockIsSet() async throws {
        let device = try device()
        try await device.setPosition(.silent, until: Self.start + 3_600)
        clock.setWallTime(.seconds(Self.start - 500))
        clock.advance(by: .seconds(3_600))
        #expect(device.state.keptPosition == .silent)
        clock.setWallTime(.seconds(Self.start + 3_599))
        #expect(device.state.keptPosition == .silent)
        clock.setWallTime(.seconds(Self.start + 3_600))
        #expect(device.state.keptPosition == .ring)
        // Once it has ended it does not begin again.
        clock.setWallTime(.seconds(Self.start))
        #expect(device.state.keptPosition == .ring && clock.pendingTimers == 0)
        try await device.setPosition(.silent, until: Self.start + 3_600)
        clock.sleep(for: .seconds(4_000))
        #expect(device.decide(.systemSound()).isHeard)
    }

    @Test("it outlasts a restart with its end; one that has passed by then has ended, and does not begin again")
    func restart() async throws {
        let first = try device()
        try await first.setPosition(.vibrate)
        try await first.setPosition(.silent, until: Self.start + 60)
        first.close()
        #expect(clock.pendingTimers == 0)
        let second = try device()
        #expect(second.state.keptPosition == .silent && second.state.keptPositionUntil == Self.start + 60)
        clock.advance(by: .seconds(60))
        #expect(second.state.keptPosition == .vibrate)
        try await second.setPosition(.silent, until: Self.start + 120)
        second.close()
        clock.advance(by: .seconds(60))
        let third = try device(hasSwitch: false)
        #expect(third.state.keptPosition == .vibrate && third.state.ringSilent == .vibrate && clock.pendingTimers == 0)
        third.close()
        #expect(try kept() == "vibrate\n")
        clock.setWallTime(.seconds(Self.start))
        let fourth = try device()
        #expect(fourth.state.keptPosition == .vibrate)
        fourth.close()
    }

    @Test(
        "while the clock was never set it does not end, also over restarts; it ends as soon as the clock is set beyond it"
    )
    func clockUnset() async throws {
        try write("silent until \(Self.start + 60) then ring\n")
        clock.setWallTime(.seconds(5))
        for _ in 0..<2 {
            let device = try device()
            clock.advance(by: .seconds(1_000))
            #expect(device.decide(.systemSound()) == .silence(.softwareSilent))
            clock.setWallTime(.seconds(1_000_000_000))
            #expect(device.state.keptPosition == .silent)
            device.close()
        }
        let device = try device()
        clock.setWallTime(.seconds(Self.start + 59))
        #expect(device.state.keptPosition == .silent)
        clock.advance(by: .seconds(1))
        #expect(device.decide(.systemSound()).isHeard)
    }

    // It would have been at ring for as long as nobody set the clock.
    @Test("while the clock was never set, one that is less silent than what follows has ended")
    func clockUnsetLoud() async throws {
        try write("vibrate until \(Self.start + 60) then silent\n")
        clock.setWallTime(.zero)
        let first = try device()
        #expect(first.state.keptPosition == .silent && first.state.keptPositionUntil == nil)
        first.close()
        #expect(try kept() == "silent\n")
        clock.setWallTime(.seconds(Self.start))
        let second = try device()
        try await second.setPosition(.ring, until: Self.start + 60)
        #expect(second.state.keptPosition == .ring)
        clock.setWallTime(.seconds(7))
        #expect(second.state.keptPosition == .silent)
    }

    @Test(
        "a damaged end counts as silent, is reported, and the next position is kept",
        arguments: [
            "vibrate until then ring\n", "ring until 1800000000 then\n", "ring until 1800000000 then ring",
            "ring until 1800000000 then loud\n", "ring until -1 then ring\n", "ring until 5 then ring\n",
            "ring until 01800000000 then ring\n", "ring until 99999999999999999999 then ring\n",
            "ring until 7258118400 then ring\n", "ring  until 1800000000 then ring\n",
            "ring for 1800000000 then ring\n",
            "ring until 1800000000 and ring\n", "ring until 1800000000 then ring \n",
            "ring until 1800000000 then ring\n\n",
            "ring until\n", "ring \n",
        ])
    func damaged(_ text: String) async throws {
        try write(text)
        let device = try device()
        #expect(device.state.keptPosition == .silent && device.state.keptPositionUntil == nil)
        #expect(device.positionProblem?.subject == file && device.positionProblem?.code == .invalid)
        try await device.setPosition(.ring, until: Self.start + 1)
        #expect(try kept() == "ring until \(Self.start + 1) then silent\n")
    }

    @Test("an end that is none is refused with its reason, and nothing changes")
    func refused() async throws {
        let device = try device()
        try await device.setPosition(.vibrate)
        func refusal(_ until: Int64) async -> String? {
            let error = await #expect(throws: RingerError.self) { try await device.setPosition(.silent, until: until) }
            #expect(error?.code == .invalid && error?.subject == "until \(until)")
            return error?.detail
        }
        for until in [Self.start, Self.start - 1, 0, -1, .min] {
            #expect(await refusal(until)?.contains("future") == true)
        }
        for until in [7_258_118_400, Int64.max] { #expect(await refusal(until)?.contains("2200") == true) }
        clock.setWallTime(.seconds(100))
        #expect(await refusal(7_300)?.contains("never set") == true)
        #expect(device.state.keptPosition == .vibrate && clock.pendingTimers == 0)
        #expect(try kept() == "vibrate\n")
        try await device.setPosition(.silent, until: Self.start)
        clock.setWallTime(.seconds(Self.start))
        #expect(device.state.keptPosition == .vibrate)
    }
}
