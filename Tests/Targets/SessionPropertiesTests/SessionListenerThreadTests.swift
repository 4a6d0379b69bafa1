import Dispatch
import Glibc
import RingerCore
import RingerTestKit
import SessionProperties
import Synchronization
import Testing

@Suite("Listeners that are slow")
struct SessionListenerThreadTests {
    /// Blocks a listener, and shows a test that one was called. The limit ends a failing test.
    private final class Gate: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)

        func open(times: Int = 1) {
            for _ in 0..<times { semaphore.signal() }
        }

        func wait() { semaphore.wait() }

        func isOpened() -> Bool { semaphore.wait(timeout: .now() + 60) == .success }
    }

    @Test("a crash in a listener can be reported: its signals are not blocked there")
    func signalMask() throws {
        let bench = try PropertyBench()
        let session = bench.playing(.playback)
        let called = Gate()
        let blocked = Record<CInt>()
        try session.addListener("chov") { _ in
            var mask = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &mask)
            for signal in [SIGSEGV, SIGILL, SIGTRAP, SIGABRT, SIGTERM] where sigismember(&mask, signal) == 1 {
                blocked.append(signal)
            }
            called.open()
        }
        bench.board.surroundings.set(.outputVolume(0.25))
        #expect(called.isOpened() && blocked.all == [SIGTERM])
    }

    @Test("listeners that block for ever delay neither a sound, nor a session, nor the listeners behind them")
    func blocked() throws {
        let bench = try PropertyBench()
        let session = bench.playing(.playback)
        let (forever, entered, called) = (Gate(), Gate(), Gate())
        let count: UInt = 40
        // More than any pool has threads, in front of a listener of a session that is notified later.
        for number in 0..<count {
            try session.addListener("chov", clientData: number) { _ in
                entered.open()
                forever.wait()
            }
        }
        try session.addListener("chov", clientData: count) { _ in called.open() }
        let other = bench.sessions.make(category: .ambient)
        try other.addListener("chov") { _ in called.open() }
        // Each blocks again for the second change.
        defer { forever.open(times: 2 * Int(count)) }

        bench.board.surroundings.set(.outputVolume(0.25))
        for _ in 0..<count { #expect(entered.isOpened()) }
        #expect(called.isOpened() && called.isOpened())

        // All of them block now. Sounds start and stop, the switch silences, sessions come and go.
        bench.activate(other)
        bench.start(other, milliseconds: 100)
        #expect(bench.board.speaker.recordings.count == 2 && bench.outcomes.all.isEmpty)
        bench.clock.advance(by: .milliseconds(100))
        #expect(bench.outcomes.all == [.finished])
        bench.start(other)
        bench.board.ringSilent.position = .silent
        bench.clock.advance(by: .zero)
        #expect(bench.outcomes.all == [.finished, .silenced(by: .ringSilentSwitch)])
        #expect(session.isAudible && !other.isAudible)
        // Listeners that do not block get the next change.
        bench.board.surroundings.set(.outputVolume(0.5))
        #expect(called.isOpened() && called.isOpened())
    }

    @Test("a listener is called in order, never two calls at a time, while others are called beside it")
    func order() throws {
        let (bench, session) = try PropertyBench.session(.playback)
        let done = Gate()
        let inside = Atomic(0)
        let told = Record<SessionPropertyValue>()
        let count = SessionListenerQueues.capacity
        try session.addListener("died") { notification in
            #expect(inside.add(1, ordering: .relaxed).newValue == 1)
            told.append(notification.change.value)
            // Slow enough that another thread takes the others over now and then.
            if told.all.count % 16 == 0 { usleep(10_000) }
            inside.subtract(1, ordering: .relaxed)
            if told.all.count == count { done.open() }
        }
        for number in 1...10 {
            try session.addListener("chov", clientData: UInt(number)) { _ in }
        }
        for step in 0..<count {
            bench.board.surroundings.set(.outputLost(step.isMultiple(of: 2)))
            bench.board.surroundings.set(.outputVolume(Float(step) / Float(count)))
        }
        #expect(done.isOpened())
        #expect(told.all == (0..<count).map { .uint32($0.isMultiple(of: 2) ? 1 : 0) })
    }

    @Test("a listener that blocks on a state finds the newest value, and how many it missed")
    func newest() throws {
        let (bench, session) = try PropertyBench.session(.playback)
        let (entered, onwards, done) = (Gate(), Gate(), Gate())
        let told = Record<SessionPropertyNotification>()
        try session.addListener("chov") { notification in
            told.append(notification)
            entered.open()
            onwards.wait()
            if told.all.count == 3 { done.open() }
        }
        func set(_ volume: Float) { bench.board.surroundings.set(.outputVolume(volume)) }
        set(0.1)
        #expect(entered.isOpened())
        for volume in [0.2, 0.3, 0.4] as [Float] { set(volume) }
        onwards.open()
        #expect(entered.isOpened())
        set(0.5)
        onwards.open(times: 2)
        #expect(done.isOpened())
        #expect(told.all.map(\.change.value) == [.float32(0.1), .float32(0.4), .float32(0.5)])
        #expect(told.all.map(\.missed) == [0, 1, 2])
    }

    @Test("a listener may change what it listens to, and still gets earlier changes after its removal")
    func reentrant() throws {
        let (bench, session) = try PropertyBench.session(.playback)
        let (entered, onwards, done) = (Gate(), Gate(), Gate())
        let told = Record<SessionPropertyValue>()
        try session.addListener("died") { [weak session] notification in
            told.append(notification.change.value)
            if told.all.count == 1 {
                entered.open()
                onwards.wait()
                try? session?.setCategory(.ambient)
            } else {
                done.open()
            }
        }
        bench.board.surroundings.set(.outputLost(true))
        #expect(entered.isOpened())
        bench.board.surroundings.set(.outputLost(false))
        try session.removeListener("died")
        bench.board.surroundings.set(.outputLost(true))
        onwards.open()
        #expect(done.isOpened())
        #expect(session.category == .ambient)
        #expect(told.all == [.uint32(1), .uint32(0)])
    }
}
