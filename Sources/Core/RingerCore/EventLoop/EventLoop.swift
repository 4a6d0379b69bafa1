import CLinux
import Glibc
import Synchronization
import SystemPackage

/// A thread that waits for descriptors and timers, and calls their handlers.
///
/// It sleeps in one `ppoll` until a descriptor is ready, a timer expires, or another thread hands it work; nothing else
/// wakes it, except once within 1 ms after a call that left something for later. Any thread may use it; all handlers run on
/// its own, one after another, and must not block.
///
/// It is also a task executor: a subscriber in `Task(executorPreference: loop)` receives an edge without a change of
/// threads.
public final class EventLoop: DeviceClock, DeviceThread, TaskExecutor, Sendable {
    /// Called with what a descriptor is ready for: `POLLIN`, `POLLOUT`, `POLLERR`, `POLLHUP`.
    public typealias DescriptorHandler = @Sendable (_ ready: Int16) -> Void

    struct Watched {
        var id: UInt64
        var descriptor: CInt
        var events: Int16
        var handler: DescriptorHandler
    }

    struct Timer {
        var deadline: MonotonicTime
        var id: UInt64
        var body: @Sendable () -> Void
    }

    enum Work {
        case body(@Sendable () -> Void)
        case job(UnownedJob)
    }

    struct State {
        /// In the order in which they were watched.
        var watched: [Watched] = []
        /// Ordered by deadline, then by age; the next one to expire is last.
        var timers: [Timer] = []
        var work: [Work] = []
        /// What runs after the next wait.
        var later: [@Sendable () -> Void] = []
        var nextID: UInt64 = 0
        /// How often the thread has taken its work, from 1.
        var turn: UInt64 = 1
        /// When the thread wakes by itself: the deadline of the next timer when it last began to wait.
        var wakesAt = MonotonicTime(nanoseconds: .max)
        var descriptorsChanged = true
        var isClosed = false
        /// Gets the next failure to wait.
        var onFailure: (@Sendable (RingerError) -> Void)?
        /// Whether a thread runs what is handed in: the loop's own until its end, then a caller for as long as there is work.
        var hasRunner = true
    }

    let state = Mutex(State())
    private let woken = WokenTurn()
    let wake: CInt
    /// A timerfd for the next timer, exact to the microsecond: the time-out of `ppoll` itself may be late by a
    /// thousandth of its length.
    let alarm: CInt
    let runner = Atomic<UInt>(0)
    /// Whether the thread has ended, and callers take its place.
    private let isReplaced = Atomic(false)
    let callbacks = CallbackThread()
    private let process = OwningProcess()
    /// Why the thread does not run with the requested real-time priority; nil if it does, or none was requested.
    public let schedulingError: RingerError?
    /// Whether the loop started its thread, instead of running on the one that calls ``run(_:)``.
    let hasOwnThread: Bool

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - name: The thread's name, as `ps -L` shows it; cut to 15 bytes.
    ///   - realTimePriority: 1 to 99 for `SCHED_FIFO`; nil for the ordinary scheduler. If the process lacks the right
    ///     to it, the loop runs with the ordinary scheduler and sets ``schedulingError``.
    ///   - stackSize: The thread's stack in bytes, 256 KiB by default. The kernel gives it memory as it is used.
    /// - Throws: ``RingerError`` if the system has no descriptor or thread left.
    public init(
        name: String, realTimePriority: Int? = nil, stackSize: Int = 256 * 1024
    ) throws(RingerError) {
        (wake, alarm) = try Self.descriptors(name)
        hasOwnThread = true
        let start = ThreadStart()
        let id: pthread_t
        do throws(Errno) {
            id = try DetachedThread.start(stackSize: stackSize, inheritsScheduling: true) {
                ringer_name_thread(name)
                start.wait()?.run()
            }
        } catch {
            Glibc.close(wake)
            Glibc.close(alarm)
            throw RingerError("start the thread", "event loop \(name)", error)
        }
        runner.store(UInt(id), ordering: .releasing)
        var schedulingError: RingerError?
        if let realTimePriority {
            var parameters = sched_param()
            parameters.sched_priority = CInt(clamping: realTimePriority)
            let result = pthread_setschedparam(id, SCHED_FIFO, &parameters)
            if result != 0 {
                schedulingError = RingerError(
                    "run with SCHED_FIFO priority \(realTimePriority)", "event loop \(name)", Errno(rawValue: result))
            }
        }
        self.schedulingError = schedulingError
        start.go(self)
    }

    /// A loop without a thread of its own: it runs on the calling thread, inside ``run(_:)`` alone. It ends with that call,
    /// which only this thread may make, once.
    ///
    /// On the main thread it runs the part of a firmware that blocks, such as a database that waits for the disk, beside the
    /// thread of the device, without starting another one:
    ///
    ///     let loop = try EventLoop(onThisThreadAs: "firmware")
    ///     try loop.run {
    ///         let device = try await Device.discover()
    ///         ...
    ///     }
    ///
    /// - Parameter name: The loop's name, for errors.
    /// - Throws: ``RingerError`` if the system has no descriptor left.
    public init(onThisThreadAs name: String) throws(RingerError) {
        (wake, alarm) = try Self.descriptors(name)
        schedulingError = nil
        hasOwnThread = false
        runner.store(UInt(pthread_self()), ordering: .releasing)
    }

    private static func descriptors(_ name: String) throws(RingerError) -> (wake: CInt, alarm: CInt) {
        let wake = ringer_eventfd()
        guard wake >= 0 else { throw RingerError("make an event counter", "event loop \(name)", .current) }
        let alarm = ringer_timerfd()
        guard alarm >= 0 else {
            let reason = Errno.current
            Glibc.close(wake)
            throw RingerError("make a timer", "event loop \(name)", reason)
        }
        return (wake, alarm)
    }

    deinit {
        // The running thread holds a reference: it has ended, and no longer uses the descriptors.
        Glibc.close(wake)
        Glibc.close(alarm)
    }

    /// Ends the thread after its current call. Timers and watches are dropped; work handed in before still runs.
    public func close() {
        // What their closures refer to is freed outside of the lock.
        let dropped = state.withLock { state in
            defer {
                (state.isClosed, state.timers, state.watched, state.later, state.onFailure) = (true, [], [], [], nil)
            }
            return (state.timers, state.watched, state.later, state.onFailure)
        }
        withExtendedLifetime(dropped) { wakeUp() }
    }

    // MARK: - Time

    /// The loop itself.
    public var thread: (any DeviceThread)? { self }

    /// The instant now. The corresponding C function is `clock_gettime`, with `CLOCK_MONOTONIC`.
    public var now: MonotonicTime { .now }

    /// How long the machine has slept since it was started. The corresponding C function is `clock_gettime`, with
    /// `CLOCK_BOOTTIME` and `CLOCK_MONOTONIC`.
    public var timeAsleep: Duration { ClockReading.exact().leastDifference }

    /// Calls `body` on the loop's thread at `deadline`, or as soon afterwards as the thread gets to run; never after
    /// ``close()``.
    public func schedule(at deadline: MonotonicTime, _ body: @escaping @Sendable () -> Void) -> any DeviceTimer {
        let (id, turn): (UInt64, UInt64?) = state.withLock { state in
            state.nextID += 1
            // It would be kept, with what it holds, and never run.
            if state.isClosed { return (state.nextID, nil) }
            let timer = Timer(deadline: deadline, id: state.nextID, body: body)
            // Search from the end, where the earliest are; equal deadlines run in the order in which they were
            // scheduled.
            var index = state.timers.endIndex
            while index > 0, state.timers[index - 1].deadline <= deadline { index -= 1 }
            state.timers.insert(timer, at: index)
            return (state.nextID, deadline < state.wakesAt ? state.turn : nil)
        }
        // The thread itself looks at its timers before it sleeps.
        if let turn, !isCurrentThread { woken.wake(turn) { wakeUp() } }
        return LoopTimer(loop: self, id: id)
    }

    private struct LoopTimer: DeviceTimer {
        weak let loop: EventLoop?
        let id: UInt64

        func cancel() {
            let timer = loop?.state.withLock { state in
                state.timers.firstIndex { $0.id == id }.map { state.timers.remove(at: $0) }
            }
            withExtendedLifetime(timer) {}
        }
    }

    /// Runs user code on the callback thread, which the first call starts. If the system has no thread left, tries
    /// again after 0.1 s.
    public func callBack(_ body: @escaping @Sendable () -> Void) {
        startCallbacks { [callbacks] () throws(RingerError) in try callbacks.add(body) }
    }

    private func startCallbacks(_ start: @escaping @Sendable () throws(RingerError) -> Void) {
        do throws(RingerError) {
            try start()
        } catch {
            _ = schedule(at: now + .milliseconds(100)) { [weak self] in
                self?.startCallbacks { [weak self] () throws(RingerError) in try self?.callbacks.retry() }
            }
        }
    }

    // MARK: - Descriptors

    /// Watches `descriptor` for `events` (`POLLIN`, `POLLOUT`; errors and hang-ups always) and calls `handler` on the
    /// loop's thread while it is ready; never after ``close()``.
    ///
    /// The caller owns the descriptor, and stops watching before closing it.
    public func watch(
        _ descriptor: CInt, for events: Int16, _ handler: @escaping DescriptorHandler
    ) -> WatchedDescriptor {
        let id = state.withLock { state in
            state.nextID += 1
            // It would be kept, with what it holds.
            if state.isClosed { return state.nextID }
            state.watched.append(
                Watched(id: state.nextID, descriptor: descriptor, events: events, handler: handler))
            state.descriptorsChanged = true
            return state.nextID
        }
        wakeUp()
        return WatchedDescriptor(loop: self, id: id)
    }

    /// A descriptor that the loop watches.
    public struct WatchedDescriptor: Sendable {
        fileprivate weak let loop: EventLoop?
        fileprivate let id: UInt64

        /// Stops watching. If called on the loop's thread, or inside ``EventLoop/sync(_:)``, the handler is not called
        /// again and the descriptor may be closed at once.
        public func cancel() {
            guard let loop else { return }
            let watched = loop.state.withLock { state in
                state.descriptorsChanged = true
                return state.watched.firstIndex { $0.id == id }.map { state.watched.remove(at: $0) }
            }
            withExtendedLifetime(watched) { loop.wakeUp() }
        }
    }

    // MARK: - Work

    /// Whether the caller runs on the loop's thread.
    public var isCurrentThread: Bool { runner.load(ordering: .acquiring) == UInt(pthread_self()) }

    /// Calls `body` on the loop's thread soon. After ``close()``, when the thread has ended, a caller takes its place: this
    /// one, which calls `body` before it returns, or another that is at work, so that nothing runs on two threads at once.
    public func execute(_ body: @escaping @Sendable () -> Void) {
        add(.body(body))
    }

    /// Calls `body` after the loop's next wait, whose time-out is 1 ms at most: for what may wait until other threads had the
    /// processor, those that the current call has woken among them. Called on the loop's thread; dropped by ``close()``.
    package func executeLater(_ body: @escaping @Sendable () -> Void) {
        state.withLock { state in if !state.isClosed { state.later.append(body) } }
    }

    /// As ``execute(_:)``, for what concerns the thread itself: `body` is not called once that has ended.
    package func executeOnThread(_ body: @escaping @Sendable () -> Void) {
        execute { [self] in if !isReplaced.load(ordering: .acquiring) { body() } }
    }

    /// Calls `body` on the loop's thread and waits for it; on that thread itself, calls it at once. After ``close()``,
    /// `body` runs where ``execute(_:)`` says. In a child of fork, which has no such thread, it is not called.
    public func sync(_ body: @escaping @Sendable () -> Void) {
        if isCurrentThread { return body() }
        if !process.isCurrent { return }
        let isDone = Latch()
        execute {
            body()
            isDone.open()
        }
        isDone.wait()
    }

    /// Calls `body` as ``sync(_:)`` does, and rethrows its error.
    public func syncThrowing(_ body: @escaping @Sendable () throws(RingerError) -> Void) throws(RingerError) {
        try process.check("wait for its thread", "event loop")
        let failure = Mutex<RingerError?>(nil)
        sync {
            do throws(RingerError) {
                try body()
            } catch {
                failure.withLock { $0 = error }
            }
        }
        if let error = failure.withLock({ $0 }) { throw error }
    }

    /// Runs a job of a task on the loop's thread.
    public func enqueue(_ job: consuming ExecutorJob) {
        add(.job(UnownedJob(job)))
    }

    @inline(__always)
    private func add(_ work: Work) {
        let (hadRunner, turn) = state.withLock { state in
            defer { state.hasRunner = true }
            state.work.append(work)
            return (state.hasRunner, state.turn)
        }
        if !hadRunner {
            isReplaced.store(true, ordering: .releasing)
            runRest()
        } else if !isCurrentThread {
            woken.wake(turn) { wakeUp() }
        }
    }

    func run(_ work: Work) {
        switch work {
        case .body(let body): body()
        case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    private func wakeUp() {
        // The thread is awake, and looks at its work before it sleeps.
        if isCurrentThread { return }
        var one: UInt64 = 1
        // While the counter is full it fails, and the loop is awake. A loop that missed its work would sleep on.
        for _ in 0..<10 where write(wake, &one, MemoryLayout<UInt64>.size) > 0 { return }
    }
}

/// Hands the loop, once it is initialised, from the thread that makes it to its own.
private final class ThreadStart: Sendable {
    private let loop = Mutex<EventLoop?>(nil)
    private let isReady = Latch()

    func go(_ loop: EventLoop) {
        self.loop.withLock { $0 = loop }
        isReady.open()
    }

    func wait() -> EventLoop? {
        isReady.wait()
        // The thread retains this object until it ends; it must not retain the loop.
        return loop.withLock { $0.take() }
    }
}
