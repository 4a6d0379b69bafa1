import Glibc
import Synchronization
import Testing

@testable import RingerCore

@Suite("The core")
struct CoreTests {
    /// A device's thread that the test plays: it runs what it was given when the test says so.
    private final class PlayedThread: DeviceThread {
        private let isCurrent = Atomic(false)
        private let given = Mutex<[@Sendable () -> Void]>([])
        /// Called by the thread that hands something over, before that is done: what happens while it is held up there.
        private let whileHeldUp = Mutex<(@Sendable () -> Void)?>(nil)

        var isCurrentThread: Bool { isCurrent.load(ordering: .relaxed) }
        var count: Int { given.withLock { $0.count } }

        func execute(_ body: @escaping @Sendable () -> Void) {
            whileHeldUp.withLock { $0.take() }?()
            given.withLock { $0.append(body) }
        }

        func holdUpNext(_ body: @escaping @Sendable () -> Void) { whileHeldUp.withLock { $0 = body } }

        /// Calls `body` as the device's thread.
        func play(_ body: () -> Void) {
            isCurrent.store(true, ordering: .relaxed)
            body()
            isCurrent.store(false, ordering: .relaxed)
        }

        /// One turn of its loop.
        func turn() {
            let due = given.withLock { given in
                defer { given = [] }
                return given
            }
            play { for body in due { body() } }
        }
    }

    private let thread = PlayedThread()
    private let core: Core
    private let performed = Record<Int>()

    init() { core = Core(thread) }

    private func add(_ numbers: Int...) {
        core.transition { for number in numbers { core.perform { [performed] in performed.append(number) } } }
    }

    @Test("effects are performed by the device's thread, in the order of the transitions, and announced once")
    func order() {
        add(1, 2)
        add(3)
        #expect(performed.all.isEmpty && thread.count == 1)
        thread.turn()
        #expect(performed.all == [1, 2, 3] && thread.count == 0)
        add(4)
        thread.turn()
        #expect(performed.all == [1, 2, 3, 4])
    }

    @Test("the device's thread performs what is due at the end of its own transition")
    func ownTransition() {
        thread.play {
            core.transition {
                add(1)
                add(2)
                #expect(performed.all.isEmpty)
            }
            #expect(performed.all == [1, 2])
        }
        #expect(thread.count == 0)
    }

    @Test("actions are carried out in the order of their events, whether an event returns its last one or appends all")
    func actions() {
        struct Machine: StateMachine {
            func handle(_ event: [Int], _ actions: inout [Int]) { actions += event }
        }
        let runner = StateMachineRunner(Machine(), in: core) { [performed] action, runner in
            performed.append(action)
            if action == 1 || action == 3 {
                // Nested: their actions come after those of the event that is under way.
                runner.send { _, actions in
                    actions.append(action * 10)
                    return action * 10 + 1
                }
                runner.send { _, _ in nil }
                runner.send([action * 10 + 2])
            }
        }
        runner.send { _, _ in 1 }
        #expect(performed.all == [1, 10, 11, 12])
        runner.send([2, 3, 4])
        #expect(performed.all == [1, 10, 11, 12, 2, 3, 4, 30, 31, 32])
        runner.send { _, actions in
            actions.append(5)
            return nil
        }
        #expect(performed.all.last == 5)
    }

    // The thread that had added the first effect said so, and nobody else did any more; then it was preempted for seconds.
    @Test("a thread that is held up before it wakes the device's thread holds up no effect")
    func heldUp() {
        thread.holdUpNext { [thread, core, performed] in
            core.perform { performed.append(2) }
            thread.turn()
            #expect(performed.all == [1, 2])
            thread.play { core.perform { performed.append(3) } }
            #expect(performed.all == [1, 2, 3])
        }
        add(1)
        #expect(performed.all == [1, 2, 3])
        // What it announced at last is over; the next one is announced anew.
        thread.turn()
        add(4)
        thread.turn()
        #expect(performed.all == [1, 2, 3, 4])
    }

    @Test("what effects add is performed in the next turn: the device's thread looks at its descriptors in between")
    func turns() {
        core.perform { [core, performed] in
            performed.append(1)
            core.perform { performed.append(2) }
        }
        thread.turn()
        #expect(performed.all == [1] && thread.count == 1)
        thread.turn()
        #expect(performed.all == [1, 2] && thread.count == 0)
    }

    @Test("a turn performs all that waits, also after another thread made a transition during the one before")
    func turnAfterAnother() throws {
        final class Made: Sendable { let isMade = Atomic(false) }
        let made = Made()
        core.perform { while !made.isMade.load(ordering: .acquiring) { sched_yield() } }
        try DetachedThread.start(stackSize: DetachedThread.workStackSize) { [core] in
            // The effect was taken.
            while !core.waiting.isEmpty { sched_yield() }
            core.transition {}
            made.isMade.store(true, ordering: .releasing)
        }
        thread.turn()
        add(1, 2)
        thread.turn()
        #expect(performed.all == [1, 2])
    }

    @Test("an effect may perform those after it, in order")
    func flush() {
        core.perform { [core, performed] in
            core.perform { performed.append(3) }
            core.flush()
            performed.append(4)
        }
        add(1, 2)
        thread.turn()
        #expect(performed.all == [1, 2, 3, 4])
    }

    @Test("without a thread effects are performed before the call returns, those of effects too")
    func withoutThread() {
        let core = Core()
        core.transition {
            core.perform { [performed] in
                performed.append(1)
                core.perform { performed.append(2) }
                #expect(performed.all == [1])
            }
            #expect(performed.all.isEmpty)
        }
        #expect(performed.all == [1, 2])
    }

    // The first caller performed what the others went on adding, and never returned.
    @Test("without a thread, a call returns though another thread never rests")
    func busyThread() throws {
        final class Counts: Sendable {
            let calls = Atomic(0)
            let performed = Atomic(0)
            let isOver = Atomic(false)
            let hasEnded = Atomic(false)
            let isLate = Atomic(false)

            var waiting: Int { calls.load(ordering: .relaxed) - performed.load(ordering: .relaxed) }
        }
        let (core, counts, caller) = (Core(), Counts(), pthread_self())
        let deadline = ContinuousClock.now + .seconds(60)
        let effect: Core.Effect = {
            counts.performed.add(1, ordering: .relaxed)
            guard pthread_self() == caller, !counts.isOver.load(ordering: .relaxed) else { return }
            if ContinuousClock.now > deadline {
                counts.isLate.store(true, ordering: .relaxed)
                return counts.isOver.store(true, ordering: .relaxed)
            }
            // There is always one more that waits.
            while counts.waiting < 1 { sched_yield() }
        }
        try DetachedThread.start(stackSize: DetachedThread.workStackSize) {
            while !counts.isOver.load(ordering: .relaxed) {
                counts.calls.add(1, ordering: .relaxed)
                core.perform(effect)
                // Never many, however long the caller's thread does not run.
                while counts.waiting > 8 && !counts.isOver.load(ordering: .relaxed) { sched_yield() }
            }
            counts.hasEnded.store(true, ordering: .releasing)
        }
        counts.calls.add(1, ordering: .relaxed)
        core.perform(effect)
        counts.isOver.store(true, ordering: .relaxed)
        let isLate = counts.isLate.load(ordering: .relaxed)
        #expect(!isLate)
        while !counts.hasEnded.load(ordering: .acquiring) { sched_yield() }
    }

    @Test("threads that send at the same time lose no effect and no change")
    func threads() async {
        final class Counts: Sendable { let effects = Atomic(0) }
        struct Counter: StateMachine {
            var value = 0
            mutating func handle(_ event: Int, _ actions: inout [Int]) {
                value += event
                actions.append(event)
            }
        }
        let (core, counts) = (Core(), Counts())
        let runner = StateMachineRunner(Counter(), in: core) { action, _ in
            core.perform { counts.effects.add(action, ordering: .relaxed) }
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { for _ in 0..<2_500 { runner.send(1) } } }
        }
        #expect(runner.read { $0.value } == 10_000)
        // The last thread may have left effects to the one that performs them.
        while counts.effects.load(ordering: .relaxed) < 10_000 { await Task.yield() }
    }
}
