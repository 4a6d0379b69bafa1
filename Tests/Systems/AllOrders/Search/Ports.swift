@testable import RingerCore

/// The device's thread, which runs nothing by itself: each effect that it performs is a step.
struct StepThread: DeviceThread {
    var isCurrentThread: Bool { false }
    func execute(_ body: @escaping @Sendable () -> Void) {}
}

/// The file of the kept position, which is written when a step says so: the newest position, for all that were set.
// SAFETY: the search uses a world on one thread.
final class StepFile: PositionFile, @unchecked Sendable {
    /// What was set and is not durable.
    private(set) var waiting: [@Sendable (RingerError?) -> Void] = []
    private var set = 0
    /// How many of the positions that were set are durable, or were replaced by one that is.
    private(set) var kept = 0

    func write(_ position: TimedPosition, _ completion: @escaping @Sendable (RingerError?) -> Void) {
        set += 1
        waiting.append(completion)
    }

    func keep() {
        kept = set
        let answered = waiting
        waiting = []
        for completion in answered { completion(nil) }
    }
}

/// Time that stands still until a step moves it.
// SAFETY: the search uses a world on one thread.
final class StepClock: DeviceClock, @unchecked Sendable {
    struct Timer {
        var id: UInt64
        var deadline: MonotonicTime
        var body: @Sendable () -> Void
    }

    private struct Cancel: DeviceTimer {
        unowned let clock: StepClock
        let id: UInt64

        func cancel() {
            clock.touched = true
            clock.timers.removeAll { $0.id == id }
            clock.wallTimers.removeAll { $0.id == id }
        }
    }

    private(set) var now = MonotonicTime(nanoseconds: 1_000_000_000_000)
    /// By deadline.
    private(set) var timers: [Timer] = []
    /// Those of the wall clock, which goes on by itself: a step moves it alone. The deadlines are its times.
    private(set) var wallTimers: [Timer] = []
    private(set) var wallTime = Duration.seconds(1_767_225_600 + 12 * 3_600)
    private var last: UInt64 = 0
    /// Whether a timer was set or cancelled since this was set to false.
    var touched = false

    func schedule(at deadline: MonotonicTime, _ body: @escaping @Sendable () -> Void) -> any DeviceTimer {
        last += 1
        touched = true
        let index = timers.firstIndex { $0.deadline > deadline } ?? timers.endIndex
        timers.insert(Timer(id: last, deadline: deadline, body: body), at: index)
        return Cancel(clock: self, id: last)
    }

    func schedule(atWallTime time: Duration, _ body: @escaping @Sendable () -> Void) -> any DeviceTimer {
        last += 1
        wallTimers.append(Timer(id: last, deadline: MonotonicTime(nanoseconds: time.nanoseconds), body: body))
        return Cancel(clock: self, id: last)
    }

    /// Moves the wall clock, and runs its timers that expire.
    func setWallTime(_ time: Duration) {
        wallTime = time
        while let index = wallTimers.firstIndex(where: { $0.deadline.nanoseconds <= time.nanoseconds }) {
            wallTimers.remove(at: index).body()
        }
    }

    /// Moves to the first timer, and runs it.
    func expire() {
        let first = timers.removeFirst()
        now = max(now, first.deadline)
        first.body()
    }

    /// The completions of this search only count.
    func callBack(_ body: @escaping @Sendable () -> Void) { body() }
    func runAside(_ body: @escaping @Sendable () -> Void) { body() }
}

/// An output whose sound thread is a step: it looks at gates, begins, plays to the end, fails.
// SAFETY: the search uses a world on one thread.
final class StepOutput: SoundOutput, @unchecked Sendable {
    /// What the sound thread has of a sound.
    final class Voice {
        let origin: Origin
        let gate: Gate
        let handler: (PlaybackEvent) -> Void
        let frames: Int
        var hasBegun = false
        /// Whether its beginning was not reported yet.
        var owesStart = false

        init(_ frames: Int, _ gate: Gate, _ handler: @escaping (PlaybackEvent) -> Void) {
            origin = Origin(rawValue: frames) ?? .alert
            self.frames = frames
            self.gate = gate
            self.handler = handler
        }
    }

    private struct Handle: Playback {
        func stop() {}
        func setGain(_ gain: Float, over duration: Duration) {}
    }

    let clock: StepClock
    let name = "output"
    var voices: [Voice] = []
    /// What the hardware was asked and did not answer.
    var questions: [@Sendable (RingerError?) -> Void] = []
    /// How often the hardware was asked.
    private(set) var asked = 0

    init(_ clock: StepClock) {
        self.clock = clock
    }

    func pcm(for route: AudioRoute) -> String { "default" }

    func play(
        _ sound: PCMBuffer, _ options: PlaybackOptions, _ handler: @escaping @Sendable (PlaybackEvent) -> Void
    ) -> any Playback {
        voices.append(Voice(sound.frames, options.gate ?? Gate(), handler))
        return Handle()
    }

    func ask(_ route: AudioRoute, completion: @escaping @Sendable (RingerError?) -> Void) {
        asked += 1
        questions.append(completion)
    }

    func release(stoppingSounds: Bool, completion: @escaping @Sendable () -> Void) { completion() }
    func reportProblems(_ handler: @escaping @Sendable (RingerError) -> Void) {}
    func follow(_ handler: @escaping @Sendable (SoundPortFormat) -> Void) {}
    func prefer(_ preferences: SessionPreferences) {}
    func close() {}
}

/// Whose sound it is, by its number of frames.
enum Origin: Int {
    case first = 1, second, announcement, alert, otherAnnouncement, alarm
}

/// A motor that obeys at once and answers when a step says so, possibly with an error: then it may be turning.
// SAFETY: the search uses a world on one thread.
final class StepMotor: AnsweringMotor, @unchecked Sendable {
    struct Question {
        var isOn: Bool
        var answer: @Sendable (RingerError?) -> Void
    }

    let clock: StepClock
    let name = "motor"
    var question: Question?
    /// How often it was asked.
    private(set) var asked: UInt64 = 0
    /// Since when it turns; nil while it is off.
    private(set) var turnsSince: MonotonicTime?
    /// What `turnsSince` is if turning off fails.
    private(set) var before: MonotonicTime?
    /// Whether turning off failed: its bound is the next try, not the longest on-time.
    private(set) var isStuck = false
    /// Whether it was asked while a question was unanswered.
    private(set) var wasAskedTwice = false

    init(_ clock: StepClock) {
        self.clock = clock
    }

    func turn(to level: MotorLevel?, answer: @escaping @Sendable (RingerError?) -> Void) {
        if question != nil { wasAskedTwice = true }
        asked += 1
        question = Question(isOn: level != nil, answer: answer)
        before = turnsSince
        turnsSince = level == nil ? nil : turnsSince ?? clock.now
    }

    func answer(failing: Bool) {
        guard let question else { return }
        self.question = nil
        if failing, !question.isOn {
            turnsSince = before
            isStuck = before != nil
        } else if !question.isOn {
            isStuck = false
        }
        question.answer(failing ? World.failure : nil)
    }

    func turnOn(strength: Float, limit: Duration) throws(RingerError) {}
    func turnOff() throws(RingerError) {}
    func close() throws(RingerError) {}
}
