import Glibc
import RingerCore
import Synchronization
import Testing

@Suite struct EventLoopTests {
    private let loop: EventLoop

    init() throws {
        loop = try EventLoop(name: "test-loop")
    }

    @Test("work runs on the loop's thread, in the order in which it was handed over")
    func work() async {
        let order = Record<Int>()
        for number in 0..<100 { loop.execute { order.append(number) } }
        loop.sync { order.append(loop.isCurrentThread ? 100 : -1) }
        #expect(order.all == Array(0...100))
        #expect(!loop.isCurrentThread)
        loop.close()
    }

    @Test("the time of an input event is exact, and one that no kernel reports is clamped")
    func inputEventTime() {
        #expect(MonotonicTime(timeval(tv_sec: 2, tv_usec: 999_999)) == MonotonicTime(nanoseconds: 2_999_999_000))
        #expect(MonotonicTime(timeval(tv_sec: 0, tv_usec: .max)) == MonotonicTime(nanoseconds: .max))
        #expect(MonotonicTime(timeval(tv_sec: .min, tv_usec: .min)) == MonotonicTime(nanoseconds: .min))
    }

    @Test("timers of the wall clock are called when they are due, those of the past at once, and cancelled ones never")
    func wallTimers() async throws {
        let called = Record<Int>()
        let isOver = AsyncStream<Void>.makeStream()
        let now = loop.wallTime
        // Due at once, and cancelled before the thread looks for what is due.
        loop.sync { loop.schedule(atWallTime: .zero) { called.append(-1) }.cancel() }
        _ = loop.schedule(atWallTime: now + .milliseconds(30)) { [loop] in
            called.append(loop.wallTime >= now + .milliseconds(30) && loop.isCurrentThread ? 2 : -2)
            isOver.continuation.finish()
        }
        for time in [.zero, .seconds(-1), now - .seconds(1)] as [Duration] {
            await withCheckedContinuation { continuation in
                _ = loop.schedule(atWallTime: time) {
                    called.append(1)
                    continuation.resume()
                }
            }
        }
        for await _ in isOver.stream {}
        #expect(called.all.sorted() == [1, 1, 1, 2])
        // One that is never due is dropped with what it holds.
        weak var held: Record<Int>?
        do {
            let record = Record<Int>()
            held = record
            loop.schedule(atWallTime: .seconds(Int64.max)) { record.append(1) }.cancel()
        }
        // The loop frees what it ran after the last of it, which may be the first of these two.
        loop.sync {}
        loop.sync {}
        #expect(held == nil)
    }

    /// A board whose clock was the loop was never freed: it held the loop, which held the timer that held the board.
    @Test(
        "a timer, a watch and a handler of failures that come after the loop was closed are dropped, with what they hold"
    )
    func afterClose() {
        loop.close()
        weak var held: Record<Int>?
        do {
            let record = Record<Int>()
            held = record
            _ = loop.schedule(at: .now) { record.append(1) }
            let watched = loop.watch(-1, for: Int16(POLLIN)) { _ in record.append(1) }
            loop.onFailure { _ in record.append(2) }
            watched.cancel()
        }
        #expect(held == nil)
        weak var kept: Record<Int>?
        do {
            let record = Record<Int>()
            kept = record
            _ = loop.watch(-1, for: Int16(POLLIN)) { _ in record.append(1) }
        }
        #expect(kept == nil)
    }

    /// Uses the loop when it is freed.
    private final class Held: Sendable {
        private let loop: EventLoop
        private let freed: Record<Int>

        init(_ loop: EventLoop, _ freed: Record<Int>) {
            (self.loop, self.freed) = (loop, freed)
        }

        deinit {
            _ = loop.schedule(at: loop.now + .seconds(3600)) {}
            freed.append(1)
        }
    }

    // It was freed under the loop's lock, which the thread then waited for itself.
    @Test("what a timer or a watch held may use the loop when it is freed")
    func freed() {
        let freed = Record<Int>()
        func schedule() -> any DeviceTimer {
            loop.schedule(at: loop.now + .seconds(3600)) { [held = Held(loop, freed)] in withExtendedLifetime(held) {} }
        }
        func watch() -> EventLoop.WatchedDescriptor {
            loop.watch(-1, for: Int16(POLLIN)) { [held = Held(loop, freed)] _ in withExtendedLifetime(held) {} }
        }
        schedule().cancel()
        watch().cancel()
        (_, _) = (schedule(), watch())
        #expect(freed.all.count == 2)
        loop.close()
        loop.sync {}
        #expect(freed.all.count == 4)
    }

    @Test("a task that the loop runs stays on its thread, and its error is the caller's")
    func run() throws {
        let order = Record<Bool>()
        loop.run { [loop] in
            order.append(loop.isCurrentThread)
            await Task.yield()
            order.append(loop.isCurrentThread)
        }
        #expect(order.all == [true, true])
        let error = RingerError(.busy, "open", "a device")
        #expect(throws: error) { try loop.run { throw error } }
        loop.close()
    }

    @Test("a loop without a thread runs on its caller's: tasks, timers and work of other threads, until its body ends")
    func ownerless() throws {
        let own = try EventLoop(onThisThreadAs: "test-loop")
        let order = Record<Bool>()
        let caller = UInt(pthread_self())
        let value = own.run { [own, loop] in
            order.append(UInt(pthread_self()) == caller && own.isCurrentThread)
            // Another thread hands work over while this one sleeps in ppoll.
            await withCheckedContinuation { continuation in
                loop.execute { own.execute { continuation.resume() } }
            }
            await withCheckedContinuation { continuation in
                _ = own.schedule(at: own.now + .milliseconds(1)) { continuation.resume() }
            }
            order.append(UInt(pthread_self()) == caller)
            return 42
        }
        #expect(value == 42 && order.all == [true, true])
        // It has ended: what is handed over runs at once.
        own.sync { order.append(true) }
        #expect(order.all.count == 3)
        loop.close()
    }

    @Test("work that is handed over while the loop runs what it was woken for is not left")
    func workMeanwhile() async throws {
        for _ in 0..<200 {
            let (isRunning, mayEnd, isDone) = (Latch(), Latch(), Latch())
            loop.execute {
                isRunning.open()
                mayEnd.wait()
            }
            isRunning.wait()
            loop.execute { isDone.open() }
            mayEnd.open()
            #expect(isDone.wait(until: .now + .seconds(60)))
        }
    }

    @Test("waiting for work on the loop's own thread runs it at once")
    func nestedSync() {
        let order = Record<Int>()
        loop.sync {
            order.append(1)
            loop.sync { order.append(2) }
            order.append(3)
        }
        #expect(order.all == [1, 2, 3])
        loop.close()
    }

    @Test("work that throws, throws where it was waited for")
    func throwing() throws {
        let error = RingerError(.busy, "test", "loop")
        #expect(throws: error) { try loop.syncThrowing { () throws(RingerError) in throw error } }
        try loop.syncThrowing {}
        loop.close()
    }

    @Test("timers run in the order of their deadlines, never early, equal ones in the order in which they were made")
    func timers() async {
        let start = loop.now
        let (order, finished) = (Record<Int>(), AsyncStream<Void>.makeStream())
        // None is called before all are made.
        loop.sync {
            for (number, milliseconds) in [(3, 6), (1, 2), (2, 4), (4, 6), (0, 2)] {
                let deadline = start + .milliseconds(milliseconds)
                _ = loop.schedule(at: deadline) {
                    order.append(loop.now >= deadline ? number : -1)
                    if order.all.count == 5 { finished.continuation.finish() }
                }
            }
        }
        for await _ in finished.stream {}
        #expect(order.all == [1, 0, 2, 3, 4])
        loop.close()
    }

    @Test("a timer that was cancelled does not run, and one that is due is called from the loop, not from its maker")
    func cancelledTimer() async {
        let order = Record<Int>()
        await withCheckedContinuation { continuation in
            loop.sync {
                loop.schedule(at: loop.now) { order.append(1) }.cancel()
                _ = loop.schedule(at: loop.now) {
                    order.append(3)
                    continuation.resume()
                }
                order.append(2)
            }
        }
        #expect(order.all == [2, 3])
        loop.close()
    }

    // Such a timer kept the loop from everything else.
    @Test("a timer that sets itself again at once keeps no descriptor from being handled")
    func restlessTimer() async throws {
        let pipe = try Pipe()
        let isRead = Shared(Atomic(false))
        let runs = Shared(Atomic(0))
        let loop = loop
        @Sendable func rearm() {
            if isRead.value.load(ordering: .relaxed) { return }
            runs.value.add(1, ordering: .relaxed)
            _ = loop.schedule(at: loop.now) { rearm() }
        }
        await withCheckedContinuation { continuation in
            let watch = Shared(Mutex<EventLoop.WatchedDescriptor?>(nil))
            loop.sync {
                let descriptor = loop.watch(pipe.reader, for: Int16(POLLIN)) { _ in
                    watch.value.withLock { $0?.cancel() }
                    isRead.value.store(true, ordering: .relaxed)
                    continuation.resume()
                }
                watch.value.withLock { $0 = descriptor }
                rearm()
            }
            pipe.write([1])
        }
        #expect(runs.value.load(ordering: .relaxed) > 0)
        loop.close()
    }

    @Test("the signals of a crash are not blocked on the loop's thread; those that end a process are")
    func signalMask() {
        let blocked = Record<CInt>()
        let signals = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGTERM, SIGINT, SIGHUP, SIGCHLD]
        loop.sync {
            var mask = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &mask)
            for signal in signals where sigismember(&mask, signal) == 1 { blocked.append(signal) }
        }
        #expect(blocked.all == [SIGTERM, SIGINT, SIGHUP, SIGCHLD])
        loop.close()
    }

    // The C library may give it a larger one that a thread before it had.
    @Test("the thread has at least the stack that it is given")
    func stack() throws {
        for (loop, size) in [(loop, 256 * 1024), (try EventLoop(name: "test-stack", stackSize: 1 << 20), 1 << 20)] {
            let found = Record<Int>()
            loop.sync {
                found.append(ownStackSize())
            }
            #expect(found.all.allSatisfy { $0 >= size } && found.all.count == 1)
            loop.close()
        }
    }

    @Test("waiting for a latch that is not opened ends at the deadline")
    func latch() {
        let latch = Latch()
        #expect(!latch.wait(until: .now + .milliseconds(1)))
        latch.open()
        #expect(latch.wait(until: .now + .seconds(60)))
        #expect(!latch.wait(until: MonotonicTime(nanoseconds: 0)))
    }

    @Test("a descriptor is handled while it is ready, and not after it was given up")
    func descriptor() async throws {
        let pipe = try Pipe()
        let read = Record<UInt8>()
        let finished = AsyncStream<Void>.makeStream()
        let watch = loop.watch(pipe.reader, for: Int16(POLLIN)) { _ in
            // One at a time: the loop calls again while more is there.
            read.append(pipe.read())
            if read.all.count == 3 { finished.continuation.finish() }
        }
        pipe.write([1, 2, 3])
        for await _ in finished.stream {}
        #expect(read.all == [1, 2, 3])
        loop.sync { watch.cancel() }
        pipe.write([4])
        loop.sync {}
        loop.sync {}
        #expect(read.all == [1, 2, 3])
        loop.close()
    }

    @Test("a handler that gives up another descriptor keeps that one's handler from running")
    func cancelWithinHandler() async throws {
        let pipes = [try Pipe(), try Pipe()]
        let handled = Record<Int>()
        let watches = Mutex<[EventLoop.WatchedDescriptor]>([])
        let box = Shared(watches)
        loop.sync {
            // Both are ready before the loop looks, so it finds them in one round.
            for pipe in pipes { pipe.write([1]) }
            for (index, pipe) in pipes.enumerated() {
                let watch = loop.watch(pipe.reader, for: Int16(POLLIN)) { _ in
                    handled.append(index)
                    box.value.withLock { for watch in $0 { watch.cancel() } }
                }
                box.value.withLock { $0.append(watch) }
            }
        }
        for _ in 0..<3 { loop.sync {} }
        #expect(handled.all.count == 1)
        loop.close()
    }

    /// How often the calling thread has slept.
    private static func sleeps() -> Int {
        var usage = rusage()
        // RUSAGE_THREAD, which Swift's Glibc module leaves out.
        getrusage(1, &usage)
        return usage.ru_nvcsw
    }

    // It spun: a real-time thread would have stopped the machine.
    @Test("a loop that cannot wait for its descriptors reports it once, and sleeps between its attempts")
    func cannotWait() async throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        // The kernel refuses more than that.
        let count = try #require(Int(exactly: limit.rlim_cur).flatMap { $0 <= 1 << 20 ? $0 : nil })
        let (failures, counts) = (Record<RingerError>(), Record<Int>())
        loop.onFailure { failures.append($0) }
        loop.sync {
            for _ in 0..<count { _ = loop.watch(-1, for: Int16(POLLIN)) { _ in } }
        }
        loop.sync { counts.append(Self.sleeps()) }
        for _ in 0..<3 {
            await withCheckedContinuation { continuation in
                _ = loop.schedule(at: loop.now + .milliseconds(20)) { continuation.resume() }
            }
        }
        loop.sync { counts.append(Self.sleeps()) }
        #expect(counts.all[1] - counts.all[0] >= 3)
        #expect(failures.all.map(\.errno) == [.invalidArgument])
        loop.close()
    }

    @Test("a task that prefers the loop runs on its thread")
    func taskExecutor() async {
        let isThere = await Task(executorPreference: loop) { loop.isCurrentThread }.value
        #expect(isThere)
        loop.close()
    }

    @Test("after closing, work runs on the caller's thread, and timers do not run")
    func closed() {
        let order = Record<Int>()
        loop.sync {
            // Due before the loop gets to look at its timers.
            _ = loop.schedule(at: loop.now) { order.append(-1) }
            loop.close()
        }
        loop.close()
        loop.sync { order.append(1) }
        loop.execute { order.append(2) }
        loop.sync { order.append(3) }
        #expect(order.all == [1, 2, 3])
    }

    // Each ran it at once: the state that belongs to the loop's thread was changed by several threads together.
    @Test(
        "after closing, work that several threads hand in runs one at a time, and waiting for it is possible anywhere")
    func sharedAfterClose() async throws {
        loop.close()
        loop.sync {}
        let (running, overlaps, runs) = (Shared(Atomic(0)), Shared(Atomic(0)), Shared(Atomic(0)))
        @Sendable func work() {
            if running.value.add(1, ordering: .relaxed).oldValue != 0 { overlaps.value.add(1, ordering: .relaxed) }
            for _ in 0..<10 { sched_yield() }
            loop.sync { runs.value.add(1, ordering: .relaxed) }
            running.value.subtract(1, ordering: .relaxed)
        }
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    try await DetachedThread.run {
                        for _ in 0..<200 {
                            loop.execute(work)
                            loop.sync(work)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        loop.sync {}
        #expect(overlaps.value.load(ordering: .relaxed) == 0)
        #expect(runs.value.load(ordering: .relaxed) == 4 * 400)
    }

    @Test("a priority that the process may not have is reported, and the loop runs without it")
    func priority() throws {
        let loop = try EventLoop(name: "test-priority", realTimePriority: 1_000)
        #expect(loop.schedulingError != nil)
        let order = Record<Int>()
        loop.sync { order.append(1) }
        #expect(order.all == [1])
        loop.close()
    }
}

/// A value that closures share.
private final class Shared<Value: ~Copyable & Sendable>: Sendable {
    let value: Value

    init(_ value: consuming Value) {
        self.value = value
    }
}

private final class Pipe: Sendable {
    let reader: CInt
    let writer: CInt

    init() throws {
        var ends: [CInt] = [-1, -1]
        try #require(pipe(&ends) == 0)
        (reader, writer) = (ends[0], ends[1])
    }

    deinit {
        close(reader)
        close(writer)
    }

    func write(_ bytes: [UInt8]) {
        _ = Glibc.write(writer, bytes, bytes.count)
    }

    func read() -> UInt8 {
        var byte: UInt8 = 0
        return Glibc.read(reader, &byte, 1) == 1 ? byte : 0
    }
}

/// The size of the calling thread's stack, in bytes.
private func ownStackSize() -> Int {
    // Swift's Glibc module leaves `pthread_getattr_np` out.
    typealias Attributes = @convention(c) (pthread_t, UnsafeMutablePointer<pthread_attr_t>) -> CInt
    guard let address = dlsym(nil, "pthread_getattr_np") else { return -1 }
    // SAFETY: this is the type that the C library declares.
    let attributesOf = unsafeBitCast(address, to: Attributes.self)
    var attributes = pthread_attr_t()
    guard attributesOf(pthread_self(), &attributes) == 0 else { return -1 }
    defer { pthread_attr_destroy(&attributes) }
    var size = 0
    pthread_attr_getstacksize(&attributes, &size)
    return size
}
