import RingerLinux
import RingerTestKit
import Synchronization
import Testing

/// A machine that shows no device.
private let nowhere = HardwarePaths(
    devices: "/nowhere", input: "/nowhere/input", leds: "/nowhere", sound: "/nowhere", processes: "/nowhere",
    system: "/nowhere")

/// A switch that is there and whose position is not known.
@Suite struct UnreadableSwitchTests {
    private let clock = VirtualClock()
    private let sound = PCMBuffer.silence(duration: .milliseconds(500), sampleRate: 48_000)

    // Used to count as a device without a switch: the sound was heard at silent.
    @Test("a sound is silenced while the switch cannot be read, and heard once it can")
    func silencedUntilRead() async throws {
        let board = SimulatedBoard(clock: clock, position: .ring)
        board.ringSilent.becomeUnreadable()
        let events = Mutex<[DeviceEvent]>([])
        let device = try Device.simulated(
            board, configuration: .init(observer: { event in events.withLock { $0.append(event) } }))
        #expect(device.state.isSwitchUnreadable && device.state.ringSilent == nil)
        #expect(device.switchProblem?.code == .permissionDenied)
        let problem = try #require(device.switchProblem)
        #expect(events.withLock { $0 } == [.degraded(problem, at: clock.now)])
        #expect(device.decide(.systemSound()) == .silence(.switchUnreadable))
        let result = await device.player.playOutsideSessions(sound, as: .session(.soloAmbient))
        #expect(result.outcome == .silenced(by: .switchUnreadable))
        #expect(board.speaker.recordings.isEmpty)

        board.ringSilent.becomeReadable()
        #expect(!device.state.isSwitchUnreadable && device.switchProblem == nil)
        #expect(device.decide(.systemSound()).reason == .switchAtRing)
        device.close()
    }

    @Test("the user may choose that a switch that cannot be read counts as ring, while it is unreadable too")
    func preference() throws {
        let board = SimulatedBoard(clock: clock, position: .silent)
        board.ringSilent.becomeUnreadable()
        let device = try Device.simulated(board)
        device.preferences.whenSwitchUnreadable = .ring
        #expect(device.decide(.systemSound()).isHeard)
        var ended: SoundOutcome?
        let outcome = Mutex<SoundOutcome?>(nil)
        device.player.startOutsideSessions(sound, as: .session(.soloAmbient)) { result in
            outcome.withLock { $0 = result.outcome }
        }
        clock.advance(by: .milliseconds(100))
        device.preferences.whenSwitchUnreadable = .silent
        clock.advance()
        ended = outcome.withLock { $0 }
        #expect(ended == .silenced(by: .switchUnreadable))
        device.close()
    }

    @Test("a switch that was read and is lost keeps its last position in force")
    func lostLater() throws {
        let board = SimulatedBoard(clock: clock, position: .ring)
        let device = try Device.simulated(board)
        board.ringSilent.unplug()
        #expect(device.state.ringSilent == .ring && !device.state.isSwitchUnreadable)
        #expect(!device.state.isSwitchConnected && device.switchProblem?.code == .disconnected)
        #expect(device.decide(.systemSound()).reason == .switchAtRing)
        device.close()
    }

    @Test("until a slider has settled it counts as unreadable, and nothing is wrong with it")
    func settling() throws {
        let board = SimulatedBoard(clock: clock, position: .ring)
        board.ringSilent.settleTime = .milliseconds(50)
        let device = try Device.simulated(board)
        clock.advance(by: .milliseconds(49))
        #expect(device.decide(.systemSound()) == .silence(.switchUnreadable))
        #expect(device.switchProblem == nil)
        clock.advance(by: .milliseconds(1))
        #expect(device.state.ringSilent == .ring && !device.state.isSwitchUnreadable)
        device.close()
    }

    @Test("a device waits for a slider's first position, a second at most")
    func waiting() async throws {
        for (settleTime, isRead) in [(Duration.milliseconds(300), true), (.milliseconds(1500), false)] {
            let board = SimulatedBoard(clock: clock, position: .ring)
            board.ringSilent.settleTime = settleTime
            let events = Mutex<[DeviceEvent]>([])
            let device = try Device.simulated(
                board, configuration: .init(observer: { event in events.withLock { $0.append(event) } }))
            let waiting = Task { await device.waitForSwitch() }
            // The slider's timer, and that of the wait.
            while clock.pendingTimers < 2 { await Task.yield() }
            clock.advance(by: min(settleTime, .seconds(1)) - .milliseconds(1))
            #expect(device.state.isSwitchUnreadable && events.withLock { $0.count } == 0)
            clock.advance(by: .milliseconds(1))
            await waiting.value
            #expect(device.state.isSwitchUnreadable != isRead)
            let degraded = events.withLock { $0 }.compactMap { event in
                if case .degraded(let error, _) = event { error.code } else { nil }
            }
            #expect(degraded == (isRead ? [] : [.timedOut]))
            clock.advance(by: .seconds(1))
            #expect(!device.state.isSwitchUnreadable)
            device.close()
        }
    }

    @Test("discover, open and run have a device without a switch, which counts as ring, and say so")
    func noSwitch() async throws {
        let hardware = Device.Hardware(motor: MotorSpecification.none, pcm: "null", paths: nowhere)
        let discovered = try await Device.discover(hardware)
        let opened = try Device.open(hardware)
        for device in [discovered, opened] {
            #expect(!device.state.isSwitchUnreadable && device.switchProblem == nil)
            #expect(device.decide(.systemSound()).reason == .noSwitch)
            device.close()
        }
        try Device.run(hardware) { device in
            #expect(device.decide(.systemSound()).reason == .noSwitch)
        }
    }

    // Used to throw: a firmware that starts before udev has made the switch's file did not run at all.
    @Test("a switch that was named and is not there is unreadable, and waited for")
    func named() async throws {
        let hardware = Device.Hardware(
            ringSilent: .evdev(.path("/nowhere/input/event0")), motor: MotorSpecification.none, pcm: "null",
            paths: nowhere)
        let device = try Device.open(hardware)
        #expect(device.state.isSwitchUnreadable)
        #expect(device.switchProblem?.code == .notFound)
        #expect(device.switchProblem?.subject == "/nowhere/input/event0")
        #expect(device.decide(.systemSound()) == .silence(.switchUnreadable))
        device.close()
        let discovered = try await Device.discover(hardware)
        #expect(discovered.state.isSwitchUnreadable)
        discovered.close()
        try Device.run(hardware) { #expect($0.state.isSwitchUnreadable) }
    }

    @Test("a switch whose name can never be right is an error")
    func misnamed() async throws {
        let hardware = Device.Hardware(
            ringSilent: .evdev(.path("/dev/null")), motor: MotorSpecification.none, pcm: "null", paths: nowhere)
        #expect(throws: RingerError.self) { try Device.open(hardware) }
        await #expect(throws: RingerError.self) { try await Device.discover(hardware) }
    }
}
