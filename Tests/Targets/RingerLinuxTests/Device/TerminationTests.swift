import Glibc
import RingerLinux
import RingerTestKit
import Synchronization
import Testing

/// A signal ends everything that is registered for signals: one test at a time.
@Suite("Ending a process by a signal", .serialized)
enum TerminationTests {}

// SIGUSR1 replaces the signals that end a process.
extension TerminationTests {
    @Suite("Termination signals") struct SignalTests {
        private let loop: EventLoop
        private let bodies = Record<Int>()

        init() throws {
            loop = try EventLoop(name: "test-signals")
            received.store(0, ordering: .relaxed)
            while arrival.wait(until: .now) {}
            signal(SIGUSR1) { _ in
                received.add(1, ordering: .relaxed)
                arrival.open()
            }
        }

        // They were swallowed from then on.
        @Test("after the registration is cancelled a signal does what it did before")
        func cancelled() throws {
            let registration = try TerminationSignals.handle([SIGUSR1], on: loop) { [bodies] _ in bodies.append(1) }
            registration.cancel()
            registration.cancel()
            kill(getpid(), SIGUSR1)
            arrival.wait()
            #expect(bodies.all.isEmpty)
            loop.close()
        }

        // A program that closed its device could not be ended by a signal any more.
        @Test("the caller's thread keeps its mask where the loop's thread has ended before the registration")
        func cancelledAfterLoop() throws {
            let registration = try TerminationSignals.handle([SIGUSR1], on: loop) { _ in }
            loop.close()
            // What is handed in runs on this thread once that of the loop has ended.
            let (runner, caller) = (Record<Int>(), pthread_self())
            while runner.all.last != 1 { loop.sync { runner.append(pthread_self() == caller ? 1 : 0) } }
            var (signals, before, mask) = (sigset_t(), sigset_t(), sigset_t())
            sigemptyset(&signals)
            sigaddset(&signals, SIGUSR1)
            pthread_sigmask(SIG_UNBLOCK, &signals, &before)
            registration.cancel()
            pthread_sigmask(SIG_SETMASK, &before, &mask)
            #expect(sigismember(&mask, SIGUSR1) == 0)
        }

        @Test("the body runs on its loop, and after it the signal does what it did before")
        func handled() throws {
            _ = try TerminationSignals.handle([SIGUSR1], on: loop) { [bodies, loop] signal in
                bodies.append(loop.isCurrentThread && signal == SIGUSR1 ? 1 : -1)
                bodies.append(received.load(ordering: .relaxed) == 0 ? 2 : -2)
            }
            kill(getpid(), SIGUSR1)
            arrival.wait()
            #expect(bodies.all == [1, 2])
            kill(getpid(), SIGUSR1)
            arrival.wait()
            #expect(bodies.all == [1, 2])
            loop.close()
        }

        // Only the newest body ran.
        @Test("every body runs, each on its own loop, and the signal waits for the last of them")
        func several() throws {
            let other = try EventLoop(name: "test-signals-2")
            let (isBlocked, mayEnd, isOver) = (Latch(), Latch(), Latch())
            _ = try TerminationSignals.handle([SIGUSR1], on: loop) { [bodies] _ in
                isBlocked.open()
                mayEnd.wait()
                bodies.append(received.load(ordering: .relaxed) == 0 ? 1 : -1)
                isOver.open()
            }
            _ = try TerminationSignals.handle([SIGUSR1], on: other) { [bodies] _ in
                bodies.append(received.load(ordering: .relaxed) == 0 ? 2 : -2)
                isOver.open()
            }
            kill(getpid(), SIGUSR1)
            isBlocked.wait()
            isOver.wait()
            other.sync {}
            #expect(bodies.all == [2])
            mayEnd.open()
            arrival.wait()
            #expect(bodies.all == [2, 1] && received.load(ordering: .relaxed) == 1)
            loop.close()
            other.close()
        }

        @Test("a body whose loop never gets to it is not waited for once it is cancelled")
        func cancelledWhileTerminating() throws {
            let busy = try EventLoop(name: "test-busy")
            let (isBusy, mayGoOn, isOver) = (Latch(), Latch(), Latch())
            busy.execute {
                isBusy.open()
                mayGoOn.wait()
            }
            isBusy.wait()
            let registration = try TerminationSignals.handle([SIGUSR1], on: busy) { [bodies] _ in bodies.append(-1) }
            _ = try TerminationSignals.handle([SIGUSR1], on: loop) { _ in isOver.open() }
            kill(getpid(), SIGUSR1)
            isOver.wait()
            loop.sync {}
            #expect(received.load(ordering: .relaxed) == 0)
            registration.cancel()
            arrival.wait()
            mayGoOn.open()
            busy.sync {}
            #expect(bodies.all.isEmpty)
            loop.close()
            busy.close()
        }

        @Test("a body that closes what it was registered for, and so cancels itself, ends like any other")
        func cancelsItself() throws {
            let registration = Mutex<TerminationSignals.Registration?>(nil)
            let box = Box(registration)
            let handle = try TerminationSignals.handle([SIGUSR1], on: loop) { [bodies] _ in
                box.value.withLock { $0 }?.cancel()
                bodies.append(received.load(ordering: .relaxed) == 0 ? 1 : -1)
            }
            box.value.withLock { $0 = handle }
            kill(getpid(), SIGUSR1)
            arrival.wait()
            #expect(bodies.all == [1] && received.load(ordering: .relaxed) == 1)
            loop.close()
        }

        // A program started by nohup was ended by the hang-up that it was to outlive.
        @Test("a signal that the process ignores stays ignored")
        func ignored() throws {
            signal(SIGUSR1, SIG_IGN)
            let registration = try TerminationSignals.handle([SIGUSR1], on: loop) { [bodies] _ in bodies.append(-1) }
            kill(getpid(), SIGUSR1)
            loop.sync {}
            #expect(bodies.all.isEmpty)
            registration.cancel()
            var now = sigaction()
            sigaction(SIGUSR1, nil, &now)
            #expect(unsafeBitCast(now.__sigaction_handler.sa_handler, to: Int.self) == 1)
            loop.close()
        }

        @Test("a handler that the program sets later is left alone")
        func replaced() throws {
            let registration = try TerminationSignals.handle([SIGUSR1], on: loop) { [bodies] _ in bodies.append(-1) }
            signal(SIGUSR1) { _ in
                received.add(10, ordering: .relaxed)
                arrival.open()
            }
            registration.cancel()
            kill(getpid(), SIGUSR1)
            arrival.wait()
            #expect(received.load(ordering: .relaxed) == 10 && bodies.all.isEmpty)
            loop.close()
        }
    }
}

/// How many signals came to the handler that the process had before.
private let received = Atomic(0)

/// Signalled when one came: a signal to the process is delivered on any of its threads.
private let arrival = Latch()

/// What the bodies noted, in order.
private final class Box<Value: ~Copyable & Sendable>: Sendable {
    let value: Value

    init(_ value: consuming Value) {
        self.value = value
    }
}

extension TerminationTests {
    @Suite("A device that is closed on termination") struct DeviceTests {
        private func handler(of signal: CInt) -> Int {
            var now = sigaction()
            sigaction(signal, nil, &now)
            // SAFETY: a function pointer is compared, not called.
            return unsafeBitCast(now.__sigaction_handler.sa_handler, to: Int.self)
        }

        /// Runs `body` while the signals do what they do by default; under nohup SIGHUP is ignored.
        private func withDefaults(_ body: () throws -> Void) rethrows {
            let before = TerminationSignals.all.map { signal($0, SIG_DFL) }
            defer { for (number, handler) in zip(TerminationSignals.all, before) { signal(number, handler) } }
            try body()
        }

        private var handlers: [Int] { TerminationSignals.all.map { handler(of: $0) } }

        @Test("signals are caught until the last device is closed, and do then what they did before")
        func lastDevice() throws {
            try withDefaults {
                let before = handlers
                let devices = try (0..<2).map { _ in try Device.simulated(SimulatedBoard(clock: VirtualClock())) }
                for device in devices { try device.closeOnTermination() }
                let caught = handlers
                #expect(zip(before, caught).allSatisfy { $0 != $1 })
                devices[0].close()
                #expect(handlers == caught)
                devices[1].close()
                #expect(handlers == before)
            }
        }

        @Test("signals that the program handles, ignores or blocks are claimed")
        func claimed() {
            withDefaults {
                var (set, mask) = (sigset_t(), sigset_t())
                sigemptyset(&set)
                pthread_sigmask(SIG_SETMASK, &set, &mask)
                defer { pthread_sigmask(SIG_SETMASK, &mask, nil) }
                #expect(TerminationSignals.unclaimed == [SIGTERM, SIGINT, SIGHUP])
                let before = signal(SIGHUP, SIG_IGN)
                #expect(TerminationSignals.unclaimed == [SIGTERM, SIGINT])
                signal(SIGHUP) { _ in }
                #expect(TerminationSignals.unclaimed == [SIGTERM, SIGINT])
                signal(SIGHUP, before)
                sigaddset(&set, SIGTERM)
                pthread_sigmask(SIG_BLOCK, &set, nil)
                #expect(TerminationSignals.unclaimed == [SIGINT, SIGHUP])
            }
        }

        // A device whose close another thread had begun, or whose motor's driver had a thread of its own, let the signal end
        // the process at once.
        @Test(
            "the signal waits for a motor whose driver blocks, and the device's thread does not",
            arguments: [false, true])
        func blockedDriver(isClosing: Bool) throws {
            let log = Record<String>()
            let (loop, motor) = (try EventLoop(name: "test-device"), try BlockedMotor(log))
            var ports = Device.Ports(simulated: SimulatedBoard(clock: loop))
            ports.motor = motor
            ports.closingPatience = .seconds(3600)
            let device = try Device(ports)
            while arrival.wait(until: .now) {}
            let before = signal(SIGUSR1) { _ in
                received.add(1, ordering: .relaxed)
                arrival.open()
            }
            defer { signal(SIGUSR1, before) }
            received.store(0, ordering: .relaxed)
            let isOver = Latch()
            try device.close(on: [SIGUSR1]) {
                log.append("afterwards")
                isOver.open()
            }
            if isClosing { device.close(within: .zero) }
            // On the loop's thread, which accepts it: the handler has run when the call returns, and the loop takes the signal in
            // its next turn.
            loop.sync { raise(SIGUSR1) }
            motor.isClosing.wait()
            loop.sync {}
            loop.sync { log.append("device's thread") }
            #expect(received.load(ordering: .relaxed) == 0)
            motor.mayGoOn.open()
            isOver.wait()
            arrival.wait()
            #expect(log.all == ["device's thread", "motor off", "afterwards"])
            loop.close()
        }

        @Test("a device that is dropped gives the signals back too")
        func dropped() throws {
            let before = handlers
            do {
                let device = try Device.simulated(SimulatedBoard(clock: VirtualClock()))
                try device.closeOnTermination()
                try device.closeOnTermination()
                #expect(handlers != before)
            }
            #expect(handlers == before)
        }

        @Test("a device that is closed already is an error")
        func closed() throws {
            let before = handlers
            let device = try Device.simulated(SimulatedBoard(clock: VirtualClock()))
            device.close()
            let error = #expect(throws: RingerError.self) { try device.closeOnTermination() }
            #expect(error?.code == .closed)
            #expect(handlers == before)
        }
    }
}
