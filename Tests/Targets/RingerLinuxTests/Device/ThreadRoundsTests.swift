import Glibc
import RingerLinux
import RingerCore
import RingerTestKit
import Synchronization
import Testing

/// A device on real threads: callers that start and stop, flip, vibrate, interrupt and close at the same time, with starts
/// that are shifted against each other. `RINGER_ROUNDS` sets how many rounds each test has: by default 2,000, and 200 of
/// closing, each of which makes a device and its threads.
@Suite("Rounds of threads", .serialized)
struct ThreadRoundsTests {
    private static let askedRounds = getenv("RINGER_ROUNDS").flatMap { Int(String(cString: $0)) }
    private static let rounds = askedRounds ?? 2_000
    private static let sound = PCMBuffer.silence(duration: .milliseconds(2), sampleRate: 8_000)

    /// Lets a moment pass, which the scheduler gives to nobody else.
    private static func pass(_ moments: Int) {
        let now = Atomic(0)
        for _ in 0..<moments * 50 { now.add(1, ordering: .relaxed) }
    }

    /// A speaker whose thread obeys gates: it begins each sound as soon as it can, and plays it until its gate is shut or
    /// for a few looks.
    private final class GateOutput: SoundOutput {
        final class Voice: Playback, Sendable {
            let gate: Gate
            let frames: Int

            init(_ gate: Gate, _ frames: Int) { (self.gate, self.frames) = (gate, frames) }

            func stop() {}
            func setGain(_ gain: Float, over duration: Duration) {}
        }

        let name = "test speaker"
        private let loop: EventLoop
        private let voices = Mutex<[Voice]>([])
        /// The lengths of sounds whose stop has returned.
        private let stopped = Mutex<Set<Int>>([])
        private let late = Atomic(0)

        init() throws { loop = try EventLoop(name: "test-sound") }

        func pcm(for route: AudioRoute) -> String { name }

        func play(
            _ sound: PCMBuffer, _ options: PlaybackOptions, _ handler: @escaping @Sendable (PlaybackEvent) -> Void
        ) -> any Playback {
            let voice = Voice(options.gate ?? Gate(), sound.frames)
            voices.withLock { $0.append(voice) }
            loop.execute { [self] in
                let end: PlaybackEnd
                let isStopped = stopped.withLock { $0.contains(voice.frames) }
                if voice.gate.begin() {
                    if isStopped { late.add(1, ordering: .relaxed) }
                    handler(.started(at: .now))
                    for _ in 0..<3 where voice.gate.isOpen { ThreadRoundsTests.pass(1) }
                    end = voice.gate.isOpen ? .drained : .stopped
                } else {
                    end = .stopped
                }
                voices.withLock { $0.removeAll { $0 === voice } }
                handler(.ended(end, at: .now, StreamPosition(played: 0, total: Int64(sound.frames))))
            }
            return voice
        }

        /// Whether a sound is heard, or may begin to be.
        var isAudible: Bool { voices.withLock { $0.contains { $0.gate.isOpen } } }

        /// A sound of so many frames, unlike all others that are under way, is about to be started.
        func starts(_ frames: Int) { stopped.withLock { _ = $0.remove(frames) } }

        /// The stop of the sound of so many frames has returned.
        ///
        /// - Returns: Whether it does not play on.
        func hasStopped(_ frames: Int) -> Bool {
            stopped.withLock { _ = $0.insert(frames) }
            return voices.withLock { !$0.contains { $0.frames == frames && $0.gate.isOpen } }
        }

        /// How many sounds began after their stop had returned.
        var lateBegins: Int { late.load(ordering: .relaxed) }

        func reportProblems(_ handler: @escaping @Sendable (RingerError) -> Void) {}
        func follow(_ handler: @escaping @Sendable (SoundPortFormat) -> Void) {}
        func prefer(_ preferences: SessionPreferences) {}
        func ask(_ route: AudioRoute, completion: @escaping @Sendable (RingerError?) -> Void) { completion(nil) }
        func release(stoppingSounds: Bool, completion: @escaping @Sendable () -> Void) { completion() }
        func close() {
            loop.sync {}
            loop.close()
        }
    }

    /// A board's motor, whose driver may block: it is driven on a thread of its own, and takes a moment.
    private final class MotorOnThread: BlockingMotor {
        private let motor: SimulatedMotor
        private let thread: EventLoop

        init(_ motor: SimulatedMotor) throws {
            self.motor = motor
            thread = try EventLoop(name: "test-motor")
        }

        var name: String { motor.name }

        func execute(_ body: @escaping @Sendable () -> Void) { thread.execute(body) }

        func turnOn(strength: Float, limit: Duration) throws(RingerError) {
            ThreadRoundsTests.pass(5)
            try motor.turnOn(strength: strength, limit: limit)
        }

        func turnOff() throws(RingerError) {
            ThreadRoundsTests.pass(5)
            try motor.turnOff()
        }

        func close() throws(RingerError) {
            try motor.close()
            thread.close()
        }
    }

    /// A device of real threads, and how many requests were made and have ended.
    private final class Bench: Sendable {
        let loop: EventLoop
        let board: SimulatedBoard
        let output: GateOutput
        let device: Device
        let begun = Atomic(0)
        let ended = Atomic(0)
        let failures = Record<String>()

        init(_ loop: EventLoop, motorHasThread: Bool) throws {
            self.loop = loop
            board = SimulatedBoard(clock: loop)
            output = try GateOutput()
            var ports = try Device.Ports(
                clock: loop, ringSilent: board.ringSilent,
                motor: motorHasThread ? MotorOnThread(board.motor) : board.motor, speaker: output,
                stateSources: [board.surroundings])
            ports.closingPatience = .seconds(3600)
            device = try Device(ports)
        }

        convenience init(motorHasThread: Bool = false) throws {
            try self.init(EventLoop(name: "test-device"), motorHasThread: motorHasThread)
        }

        func count<Value>() -> @Sendable (Value) -> Void {
            begun.add(1, ordering: .relaxed)
            return { [self] _ in ended.add(1, ordering: .releasing) }
        }

        /// Waits while many requests are under way: what a change leads to grows with them.
        func holdBack() {
            while begun.load(ordering: .relaxed) - ended.load(ordering: .relaxed) > 64 { ThreadRoundsTests.pass(1) }
        }

        func expect(_ condition: Bool, _ what: String) {
            if !condition { failures.append(what) }
        }

        /// Runs each body on a thread of its own, so often, with a delay that differs from round to round.
        func run(_ rounds: Int, _ bodies: [@Sendable (_ round: Int) -> Void]) async throws {
            let threads = bodies.enumerated().map { index, body in
                Thread {
                    for round in 0..<rounds {
                        ThreadRoundsTests.pass((round * (2 * index + 1)) % 17)
                        body(round)
                    }
                }
            }
            // Other tests need the thread of this one meanwhile.
            try await DetachedThread.run { for thread in threads { thread.join() } }
        }

        /// Waits for the end of every request: the time limit of the run ends a wait that has no end.
        func settle() async throws {
            while ended.load(ordering: .acquiring) < begun.load(ordering: .relaxed) {
                try await Task.sleep(for: .milliseconds(1))
            }
            #expect(ended.load(ordering: .relaxed) == begun.load(ordering: .relaxed))
            #expect(failures.all.isEmpty, "\(failures.all.count): \(failures.all.first ?? "")")
        }

        func close() {
            device.close()
            loop.close()
        }
    }

    @Test("a sound whose stop has returned is not heard, and each ends once")
    func startAndStop() async throws {
        let bench = try Bench()
        let session = try bench.device.sessions.make(category: .playback, options: .mixWithOthers)
        try await session.activate()
        let own = bench.device.sessions.make(category: .ambient)
        // Each sound has a length of its own among those that are under way.
        @Sendable func stops(_ thread: Int) -> @Sendable (Int) -> Void {
            { round in
                bench.holdBack()
                let frames = 20 + round % 128 * 2 + thread
                bench.output.starts(frames)
                let sound = PCMBuffer(sampleRate: 8_000, channels: 1, samples: Array(repeating: 0, count: frames))
                let number = session.start(sound, completion: bench.count())
                ThreadRoundsTests.pass(round % 5)
                session.stop(number)
                bench.expect(bench.output.hasStopped(frames), "a sound plays on after its stop")
            }
        }
        try await bench.run(
            Self.rounds,
            [
                stops(0), stops(1),
                { round in
                    bench.holdBack()
                    let sound = try? bench.device.start(
                        Self.sound, category: .playback, options: .mixWithOthers, completion: bench.count())
                    if let sound, round % 3 > 0 { bench.device.player.stop(sound) }
                },
                { round in try? own.setPreferredSampleRate(round % 2 == 0 ? 8_000 : 48_000) },
            ])
        bench.device.player.stopAll()
        #expect(!bench.output.isAudible)
        try await bench.settle()
        #expect(bench.output.lateBegins == 0 && bench.device.player.playing == 0)
        withExtendedLifetime((session, own)) { bench.close() }
    }

    @Test("from a flip to silent to the next one nothing is heard that the switch silences")
    func flips() async throws {
        let bench = try Bench()
        let plays: @Sendable (Int) -> Void = { _ in
            bench.holdBack()
            bench.device.player.startOutsideSessions(Self.sound, as: .session(.soloAmbient), completion: bench.count())
        }
        try await bench.run(
            Self.rounds,
            [
                plays, plays,
                { _ in
                    bench.board.ringSilent.position = .silent
                    for _ in 0..<4 {
                        bench.expect(!bench.output.isAudible, "heard at silent")
                        ThreadRoundsTests.pass(1)
                    }
                    bench.board.ringSilent.position = .ring
                },
            ])
        try await bench.settle()
        bench.close()
    }

    @Test("vibrations end once each, and the motor is off after the last stop", arguments: [false, true])
    func vibrations(motorHasThread: Bool) async throws {
        let bench = try Bench(motorHasThread: motorHasThread)
        let vibrator = try #require(bench.device.vibrator)
        let vibrates: @Sendable (Int) -> Void = { round in
            bench.holdBack()
            let vibration = vibrator.start(.standard, completion: bench.count())
            ThreadRoundsTests.pass(round % 7)
            vibrator.stop(round % 4 == 0 ? nil : vibration)
        }
        try await bench.run(
            Self.rounds,
            [
                vibrates, vibrates,
                // Few: loops of vibrations that come to nothing are slowed down.
                { round in if round % 512 == 0 { bench.device.sounds.startVibration(completion: bench.count()) } },
            ])
        vibrator.stop()
        bench.device.sounds.stopAll()
        try await bench.settle()
        #expect(!bench.board.motor.isOn && vibrator.isOff)
        bench.close()
    }

    @Test("during an interruption no session is heard, and announcements go on after it")
    func interruptions() async throws {
        let bench = try Bench()
        let session = bench.device.sessions.make(category: .playback)
        let announcements = bench.device.announcements
        try await bench.run(
            Self.rounds,
            [
                { _ in
                    session.activate { _ in }
                    session.start(Self.sound, completion: bench.count())
                },
                { round in
                    if round % 8 > 0 || announcements.count > 8 { return }
                    _ = try? announcements.add(Announcement(Self.sound), completion: bench.count())
                },
                { _ in
                    let interruption = bench.device.sessions.interruptionBegan()
                    for _ in 0..<4 {
                        bench.expect(!bench.output.isAudible, "heard during an interruption")
                        ThreadRoundsTests.pass(1)
                    }
                    bench.device.sessions.interruptionEnded(interruption)
                },
            ])
        session.deactivate { _ in }
        try await bench.settle()
        #expect(announcements.count == 0)
        withExtendedLifetime(session) { bench.close() }
    }

    @Test("tasks that wait for events, sounds and vibrations end when they are cancelled, whatever happens meanwhile")
    func cancellations() async throws {
        let bench = try Bench()
        let device = bench.device
        let session = device.sessions.make(category: .ambient)
        try await session.activate()
        let waits: @Sendable (Int) -> Void = { round in
            bench.holdBack()
            let over: @Sendable (Bool) -> Void = bench.count()
            let task = Task {
                switch round % 5 {
                case 0: for await _ in device.events {}
                case 1: for await _ in session.events {}
                case 2: for await _ in device.states {}
                case 3: _ = await session.play(Self.sound)
                default: _ = await device.vibrate(.standard)
                }
                over(true)
            }
            ThreadRoundsTests.pass(round % 23)
            task.cancel()
        }
        try await bench.run(
            Self.rounds,
            [waits, waits, { round in bench.board.ringSilent.position = round % 2 == 0 ? .silent : .ring }])
        try await bench.settle()
        withExtendedLifetime(session) { bench.close() }
    }

    @Test("a device that is closed beside its callers is silent and still when that returns, and ends every request")
    func closes() async throws {
        let loop = try EventLoop(name: "test-device")
        for round in 0..<(Self.askedRounds ?? 200) {
            let bench = try Bench(loop, motorHasThread: round % 2 == 1)
            let session = bench.device.sessions.make(category: .playback)
            try await bench.run(
                1,
                [
                    { _ in
                        session.activate { _ in }
                        session.start(Self.sound, completion: bench.count())
                    },
                    { _ in bench.device.vibrator?.start(.standard, completion: bench.count()) },
                    { _ in
                        ThreadRoundsTests.pass(round % 13)
                        bench.device.close(within: .seconds(60))
                        bench.expect(!bench.board.motor.isOn, "the motor turns after close")
                    },
                ])
            bench.device.player.stopAll()
            #expect(!bench.output.isAudible)
            try await bench.settle()
            withExtendedLifetime(session) { bench.device.close() }
        }
        loop.close()
    }
}
