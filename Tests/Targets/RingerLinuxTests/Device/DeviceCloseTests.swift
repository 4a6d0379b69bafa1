import Glibc
import RingerLinux
import RingerTestKit
import Synchronization
import Testing

@Suite("Closing a device")
struct DeviceCloseTests {
    // It used to return at once: a process that received SIGTERM while closing ended with the motor turning.
    @Test("a second call returns when the first one is done")
    func second() throws {
        let log = Record<String>()
        let motor = SlowMotor(log)
        let device = try device(motor, clock: VirtualClock())
        let first = Thread { device.close(within: .seconds(60)) }
        motor.isClosing.wait()
        let isStarted = Latch()
        let second = Thread {
            isStarted.open()
            device.close(within: .seconds(60))
            log.append("second")
        }
        isStarted.wait()
        // Gives a call that does not wait the time to return.
        usleep(10_000)
        motor.mayGoOn.open()
        first.join()
        second.join()
        #expect(log.all == ["motor off", "second"])
        device.close()
        #expect(log.all.count == 2)
    }

    // The state referred to the player, whose output refers to the state: closed devices kept their descriptors and threads.
    @Test("a closed device is freed, though its player was made later")
    func freed() throws {
        weak var speaker: SimulatedSoundOutput?
        do {
            let board = SimulatedBoard(clock: VirtualClock())
            speaker = board.speaker
            let device = try Device.simulated(board)
            device.close()
            #expect(device.preferences == UserPreferences() && speaker != nil)
        }
        #expect(speaker == nil)
    }

    @Test("a call from within the first one returns at once")
    func nested() throws {
        let log = Record<String>()
        let motor = SlowMotor(log)
        motor.mayGoOn.open()
        let device = try device(motor, clock: VirtualClock())
        motor.whileClosing { [weak device] in
            device?.close()
            log.append("nested")
        }
        device.close()
        #expect(log.all == ["nested", "motor off"])
    }

    // It waited for the other one, and edges and stops waited for it.
    @Test("the device's own thread and the callback thread never wait for a close, though a driver blocks")
    func ownThreads() throws {
        let log = Record<String>()
        let (loop, motor) = (try EventLoop(name: "test-device"), try BlockedMotor(log))
        let device = try device(motor, clock: loop)
        let first = Thread { device.close(within: .seconds(60)) }
        motor.isClosing.wait()
        let isDone = Latch()
        loop.execute {
            device.close(within: .seconds(3600))
            log.append("own thread")
            isDone.open()
        }
        isDone.wait()
        loop.callBack {
            device.close(within: .seconds(3600))
            log.append("callback thread")
            isDone.open()
        }
        isDone.wait()
        motor.mayGoOn.open()
        // Closing may have given the motor up.
        motor.hasEnded.wait()
        first.join()
        #expect(log.all == ["own thread", "callback thread", "motor off"])
        loop.close()
    }

    @Test("a close that a driver or the device's thread holds up returns, and drops the device without waiting")
    func heldUp() throws {
        let log = Record<String>()
        let (loop, motor) = (try EventLoop(name: "test-device"), try BlockedMotor(log))
        var device: Device? = try device(motor, clock: loop)
        device?.close(within: .milliseconds(10))
        device = nil
        log.append("dropped")
        motor.mayGoOn.open()
        motor.hasEnded.wait()
        #expect(log.all == ["dropped", "motor off"])
        loop.close()
    }

    // The task that waited for it never went on.
    @Test("a vibration whose motor's driver never returns ends when closing gives the motor up")
    func neverReturns() throws {
        let (clock, motor) = (VirtualClock(), LostMotor())
        let device = try device(motor, clock: clock)
        let ends = Record<SoundOutcome>()
        device.vibrator?.start(try VibrationPattern(milliseconds: "9000")) { ends.append($0) }
        motor.isLost.store(true, ordering: .relaxed)
        let isClosed = Atomic(false)
        device.close { isClosed.store(true, ordering: .relaxed) }
        clock.advance(by: .milliseconds(999))
        #expect(ends.all.isEmpty && !isClosed.load(ordering: .relaxed))
        clock.advance(by: .milliseconds(1))
        let codes = ends.all.map { if case .failed(let error) = $0 { error.code } else { nil as RingerError.Code? } }
        #expect(codes == [.timedOut] && isClosed.load(ordering: .relaxed))
    }

    @Test("a motor that turns is turned off by closing while the device's thread is held up", arguments: [false, true])
    func blockedThread(isDropped: Bool) throws {
        let loop = try EventLoop(name: "test-device")
        let motor = TurningMotor()
        var device: Device? = try device(motor, clock: loop)
        device?.vibrator?.start(try VibrationPattern(milliseconds: "9000"))
        #expect(motor.isOn.wait(until: .now + .seconds(60)))
        let (isBlocked, mayGoOn) = (Latch(), Latch())
        loop.execute {
            isBlocked.open()
            mayGoOn.wait()
        }
        isBlocked.wait()
        if !isDropped { device?.close(within: .milliseconds(10)) }
        device = nil
        #expect(motor.isOff.wait(until: .now + .seconds(60)))
        mayGoOn.open()
        loop.close()
    }

    // The sound thread waited for the device's, and that for the sound thread: 2 of 31 hung.
    @Test("a device whose last reference a completion drops is closed")
    func droppedInCompletion() throws {
        let sound = PCMBuffer.silence(duration: .milliseconds(1), sampleRate: 48_000)
        for round in 0..<40 {
            let loop = try EventLoop(name: "test-device")
            let isClosed = Latch()
            var ports = Device.Ports(simulated: SimulatedBoard(clock: loop)) {
                loop.close()
                isClosed.open()
            }
            ports.speaker = try ALSASoundOutput(pcm: "null")
            let owner = Owner()
            let device = try Device(ports)
            owner.device.withLock { $0 = device }
            try device.start(sound, category: .playback) { _ in owner.drop() }
            // In the middle of the sound, or after its end.
            if round % 2 == 0 { device.player.stopAll() }
            withExtendedLifetime(consume device) {}
            #expect(isClosed.wait(until: .now + .seconds(60)))
        }
    }

    /// Owns a device until it is told to drop it.
    private final class Owner: Sendable {
        let device = Mutex<Device?>(nil)

        func drop() {
            let last = device.withLock { $0.take() }
            withExtendedLifetime(last) {}
        }
    }

    // Without a motor, the thread that began closing ended the loop.
    @Test("whoever closes a device without a motor, its parts are freed on its own thread")
    func withoutMotor() throws {
        let foreign = Record<Int>()
        for round in 0..<500 {
            let loop = try EventLoop(name: "test-device")
            var ports = Device.Ports(simulated: SimulatedBoard(clock: loop)) {
                if !loop.isCurrentThread { foreign.append(round) }
                loop.close()
            }
            ports.motor = nil
            let device = try Device(ports)
            device.close(within: .seconds(60))
        }
        #expect(foreign.all.isEmpty)
    }

    // Its end waited for the clock: on a real-time board, whose clock is closed too, the sound and its device stayed.
    @Test("a simulated sound that closing stops has ended when it returns")
    func sounds() throws {
        let clock = VirtualClock()
        let board = SimulatedBoard(clock: clock)
        let device = try Device.simulated(board)
        let sound = PCMBuffer(sampleRate: 48_000, channels: 1, samples: Array(repeating: 0, count: 48_000))
        try device.start(sound, category: .playback) { _ in }
        clock.advance(by: .milliseconds(250))
        device.close()
        #expect(board.speaker.recordings.map(\.outcome) == [.stopped])
        #expect(board.speaker.recordings.map(\.played) == [12_000])
    }

    // Those on a board in real time waited for its clock, which is closed with the device, and never ended.
    @Test(
        "what is asked of a closed simulated device ends once, and is neither heard nor felt", arguments: [true, false])
    func requestsAfterClose(isInRealTime: Bool) throws {
        let loop = try EventLoop(name: "test-device")
        let board = SimulatedBoard(clock: isInRealTime ? loop : VirtualClock())
        let device = try Device(Device.Ports(simulated: board) { loop.close() })
        let session = device.sessions.make(name: "test", category: .playback)
        device.close()
        let (ended, hasEnded) = (Record<String>(), Latch())
        func end<Result>(_ what: String) -> @Sendable (Result) -> Void {
            { _ in
                ended.append(what)
                hasEnded.open()
            }
        }
        let sound = PCMBuffer(sampleRate: 48_000, channels: 1, samples: Array(repeating: 0, count: 480))
        try device.start(sound, category: .playback, completion: end("sound"))
        device.player.startOutsideSessions(sound, as: .alert, completion: end("sound without a session"))
        session.start(sound, completion: end("sound of a session"))
        session.activate(completion: end("activation"))
        device.sounds.start(1104, as: .sound, completion: end("system sound"))
        device.sounds.startVibration(completion: end("system sound's vibration"))
        device.alerts.start(1005, limit: nil, completion: end("alert"))
        device.notifications.start(.standard(volume: 1), in: nil, completion: end("notification"))
        try device.announcements.add(Announcement(sound), completion: end("announcement"))
        device.vibrator?.start(.standard, completion: end("vibration"))
        device.muteDetector.measure(completion: end("detection"))
        for _ in 0..<11 where !hasEnded.wait(until: .now + .seconds(60)) { break }
        loop.sync {}
        #expect(Set(ended.all).count == 11 && ended.all.count == 11, "\(ended.all)")
        #expect(board.speaker.recordings.allSatisfy { $0.start == nil } && !board.motor.isOn)
    }

    @Test("an activation ends although the device is closed before the simulated speaker has answered")
    func activationWhileClosing() throws {
        let board = SimulatedBoard(clock: VirtualClock())
        board.speaker.answerDelay = .milliseconds(50)
        let device = try Device.simulated(board)
        let session = device.sessions.make(name: "test", category: .playback)
        let (ended, hasEnded) = (Record<String>(), Latch())
        session.activate { _ in
            ended.append("activation")
            hasEnded.open()
        }
        device.close()
        // The clock stands still from now on.
        hasEnded.wait(until: .now + .seconds(60))
        #expect(ended.all.count == 1)
    }

    // They waited for the thread of the sounds, which closing leaves behind.
    @Test("what waits for a speaker that does not answer ends when closing gives it up")
    func hungSpeaker() throws {
        let board = SimulatedBoard(clock: VirtualClock())
        var ports = Device.Ports(simulated: board)
        ports.speaker = HungOutput()
        let device = try Device(ports)
        let ended = Record<String>()
        let session = device.sessions.make(name: "test", category: .playback)
        session.activate { _ in ended.append("activation") }
        device.releaseOutput { ended.append("release") }
        device.close { ended.append("close") }
        #expect(ended.all.isEmpty)
        (board.clock as? VirtualClock)?.advance(by: .seconds(1))
        device.releaseOutput { ended.append("later release") }
        let later = device.sessions.make(name: "later", category: .playback)
        later.activate { _ in ended.append("later activation") }
        let all: Set = ["activation", "release", "close", "later release", "later activation"]
        #expect(Set(ended.all) == all && ended.all.count == all.count)
    }

    // They measured in vain for ever.
    @Test("streams of the detector's readings end when the device is closed, and those that begin later at once")
    func readings() async throws {
        let clock = VirtualClock()
        let board = SimulatedBoard(clock: clock)
        let device = try Device.simulated(board)
        let readings = device.muteDetector.readings(every: .seconds(1))
        clock.advance(by: .milliseconds(500))
        device.close()
        let later = device.muteDetector.readings(every: .seconds(1))
        // The streams would not end.
        try #require(clock.pendingTimers == 0)
        var verdicts: [MuteReading.Verdict] = []
        for await reading in readings { verdicts.append(reading.verdict) }
        for await _ in later { Issue.record("a reading of a closed device") }
        #expect(verdicts == [.audible] && board.speaker.recordings.count == 1)
    }

    private func device(_ motor: any VibrationMotor, clock: any DeviceClock) throws -> Device {
        let board = SimulatedBoard(clock: clock)
        var ports = Device.Ports(simulated: board)
        ports.motor = motor
        return try Device(ports)
    }
}

/// A speaker whose thread does not return from alsa-lib.
private final class HungOutput: AnsweringOutput {
    private struct Sound: Playback {
        func stop() {}
        func setGain(_ gain: Float, over duration: Duration) {}
    }

    let name = "hung speaker"
    let switchesCard = false

    func pcm(for route: AudioRoute) -> String { name }
    func play(
        _ sound: PCMBuffer, _ options: PlaybackOptions, _ handler: @escaping @Sendable (PlaybackEvent) -> Void
    ) -> any Playback { Sound() }
    func reportProblems(_ handler: @escaping @Sendable (RingerError) -> Void) {}
    func follow(_ handler: @escaping @Sendable (SoundPortFormat) -> Void) {}
    func prefer(_ preferences: SessionPreferences) {}
    func ask(_ route: AudioRoute, completion: @escaping @Sendable (RingerError?) -> Void) {}
    func release(stoppingSounds: Bool, completion: @escaping @Sendable () -> Void) {}
    func close() {}
    func close(completion: @escaping @Sendable () -> Void) {}
    func followCard(_ handler: @escaping @Sendable (AudioRoute, RingerError?) -> Void) {}
}

/// A motor that takes as long to be closed as the test wants.
private final class SlowMotor: VibrationMotor {
    let name = "slow motor"
    let isClosing = Latch()
    let mayGoOn = Latch()
    private let log: Record<String>
    private let body = Mutex<(@Sendable () -> Void)?>(nil)
    private let isClosed = Atomic(false)

    init(_ log: Record<String>) {
        self.log = log
    }

    /// Calls `body` while it is being closed.
    func whileClosing(_ body: @escaping @Sendable () -> Void) {
        self.body.withLock { $0 = body }
    }

    func turnOn(strength: Float, limit: Duration) {}
    func turnOff() {}

    func close() {
        guard !isClosed.exchange(true, ordering: .relaxed) else { return }
        isClosing.open()
        mayGoOn.wait()
        body.withLock { $0 }?()
        log.append("motor off")
    }
}

/// A motor whose driver, on a thread of its own, returns from closing when the test wants.
final class BlockedMotor: BlockingMotor {
    let name = "blocked motor"
    let isClosing = Latch()
    let mayGoOn = Latch()
    let hasEnded = Latch()
    private let log: Record<String>
    private let thread: EventLoop

    init(_ log: Record<String>) throws {
        self.log = log
        thread = try EventLoop(name: "test-motor")
    }

    func turnOn(strength: Float, limit: Duration) {}
    func turnOff() {}
    func execute(_ body: @escaping @Sendable () -> Void) { thread.execute(body) }

    func close() {
        isClosing.open()
        mayGoOn.wait()
        log.append("motor off")
        hasEnded.open()
        thread.close()
    }
}

/// A motor whose driver does not return any more.
private final class LostMotor: BlockingMotor {
    let name = "lost motor"
    let isLost = Atomic(false)

    func turnOn(strength: Float, limit: Duration) {}
    func turnOff() {}
    func close() {}
    func execute(_ body: @escaping @Sendable () -> Void) {
        if !isLost.load(ordering: .relaxed) { body() }
    }
}

/// A motor that tells when it turned on, and was closed.
private final class TurningMotor: VibrationMotor {
    let name = "motor"
    let isOn = Latch()
    let isOff = Latch()

    func turnOn(strength: Float, limit: Duration) { isOn.open() }
    func turnOff() {}
    func close() { isOff.open() }
}
