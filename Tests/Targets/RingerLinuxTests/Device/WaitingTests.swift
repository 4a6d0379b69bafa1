import Glibc
import RingerLinux
import RingerTestKit
import Synchronization
import Testing

/// A device without any part, on an event loop of its own.
private let bare = Device.Hardware(
    motor: MotorSpecification.none, pcm: "null",
    paths: HardwarePaths(
        devices: "/nowhere", input: "/nowhere/input", leds: "/nowhere", sound: "/nowhere", processes: "/nowhere",
        system: "/nowhere"))

@Suite("A machine that wakes")
struct WakingTests {
    @Test("the switch is read anew before anything sounds")
    func switchReadAnew() throws {
        let board = SimulatedBoard(clock: VirtualClock())
        let device = try Device.simulated(board)
        board.ringSilent.moveUnnoticed(to: .vibrate)
        board.ringSilent.moveUnnoticed(to: .silent)
        #expect(device.state.ringSilent == .ring)
        board.surroundings.set(.wokeFromSleep)
        #expect(device.state.ringSilent == .silent)
        #expect(device.decide(.session(.soloAmbient)) == .silence(.ringSilentSwitch))
        // Moved and moved back: nothing to report.
        let version = device.state.ringSilentAt
        board.ringSilent.moveUnnoticed(to: .ring)
        board.ringSilent.moveUnnoticed(to: .silent)
        board.surroundings.set(.wokeFromSleep)
        #expect(device.state.ringSilent == .silent && device.state.ringSilentAt == version)
        device.close()
    }
}

@Suite("Sleeping on the device's clock")
struct SleepTests {
    private let clock = VirtualClock()

    @Test("a firmware sleeps in virtual time, to the microsecond")
    func virtual() async throws {
        let device = try Device.simulated(SimulatedBoard(clock: clock))
        let start = clock.now
        try await clock.drive {
            try await device.sleep(for: .seconds(3600))
            try await device.sleep(for: .microseconds(1))
            try await device.sleep(for: .seconds(-1))
        }
        #expect(clock.now - start == .seconds(3600) + .microseconds(1))
        device.close()
    }

    @Test("a firmware sleeps on the kernel's clock, never too short, beside the device's thread in run")
    func real() throws {
        try Device.run(bare) { device in
            let deadline = device.clock.now + .milliseconds(2)
            try await device.sleep(until: deadline)
            #expect(device.clock.now >= deadline)
            #expect((device.clock as? EventLoop)?.isCurrentThread == false)
        }
    }

    @Test("a sleep ends with its task, and leaves no timer")
    func cancelled() async throws {
        let device = try Device.simulated(SimulatedBoard(clock: clock))
        let task = Task { try await device.sleep(for: .seconds(1)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.pendingTimers == 0)
        device.close()
    }

    // A closed event loop drops its timers: the task would wait for ever.
    @Test("a sleep ends when the device is closed, and none begins afterwards")
    func closed() async throws {
        let device = try Device.simulated(SimulatedBoard(clock: clock))
        let sleeping = Task { try await device.sleep(for: .seconds(3600)) }
        while clock.pendingTimers == 0 { await Task.yield() }
        device.close()
        let error = RingerError(.closed, "wait", "device")
        await #expect(throws: error) { try await sleeping.value }
        await #expect(throws: error) { try await device.sleep(for: .zero) }
        #expect(clock.pendingTimers == 0)
    }
}

@Suite("Descriptors of the firmware's own")
struct DescriptorTests {
    private let pipe: Pipe

    init() throws {
        pipe = try Pipe()
    }

    @Test("in run a descriptor is watched beside the switch, and read on the calling thread")
    func run() throws {
        try Device.run(bare) { [pipe] device in
            let thread = UInt(pthread_self())
            async let states = {
                for await _ in device.states { return UInt(pthread_self()) == thread }
                return false
            }()
            async let bytes = {
                var bytes: [UInt8] = []
                for await ready in try device.watch(pipe.reading) {
                    #expect(UInt(pthread_self()) == thread)
                    guard ready.contains(.readable), let byte = pipe.read() else { return bytes }
                    bytes.append(byte)
                }
                return bytes
            }()
            // One byte is read at a time: what is left ends the next wait at once.
            pipe.write([1, 2, 3])
            try await device.sleep(for: .milliseconds(1))
            pipe.write([4])
            pipe.closeWriting()
            let (isOnLoop, read) = try await (states, bytes)
            #expect(isOnLoop)
            #expect(read == [1, 2, 3, 4])
        }
    }

    @Test("after discover and open a descriptor is watched from any task")
    func anywhere() async throws {
        for device in [try await Device.discover(bare), try Device.open(bare)] {
            pipe.write([7])
            var ready = try device.watch(pipe.reading).makeAsyncIterator()
            #expect(await ready.next() == .readable)
            #expect(pipe.read() == 7)
            var writable = try device.watch(pipe.writing, for: .writable).makeAsyncIterator()
            #expect(await writable.next() == .writable)
            device.close()
        }
    }

    @Test("a loop over a descriptor ends with its task, and when the device is closed")
    func ends() async throws {
        let device = try Device.open(bare)
        let cancelled = Task { [pipe] in for await _ in try device.watch(pipe.reading) {} }
        cancelled.cancel()
        try await cancelled.value
        let closed = Task { [pipe] in for await _ in try device.watch(pipe.reading) {} }
        device.clock.callBack { device.close() }
        try await closed.value
    }

    @Test("a descriptor that is not open is reported once, and does not keep the device awake")
    func invalid() async throws {
        let device = try Device.open(bare)
        var found: [DescriptorEvents] = []
        // Above every limit on open files.
        for await ready in try device.watch(.max) { found.append(ready) }
        #expect(found == [.invalid])
        device.close()
    }

    @Test("a descriptor that was hung up says so")
    func hungUp() async throws {
        let device = try Device.open(bare)
        pipe.closeWriting()
        var ready = try device.watch(pipe.reading).makeAsyncIterator()
        #expect(await ready.next() == .hungUp)
        device.close()
    }

    @Test("in virtual time no descriptor can be watched")
    func virtual() throws {
        let device = try Device.simulated(SimulatedBoard(clock: VirtualClock()))
        let error = #expect(throws: RingerError.self) { try device.watch(pipe.reading) }
        #expect(error?.code == .unsupported)
        device.close()
    }
}

@Suite("Driving a virtual clock")
struct DriveTests {
    private let clock = VirtualClock()

    // Used to spin for ever.
    @Test("an operation that waits for something that time does not bring fails, and is cancelled")
    func stalled() async throws {
        let device = try Device.simulated(SimulatedBoard(clock: clock))
        let isCancelled = Mutex(false)
        let error = await #expect(throws: RingerError.self) {
            try await clock.drive(patience: .milliseconds(20)) {
                for await state in device.states where state.ringSilent == .silent { return }
                isCancelled.withLock { $0 = Task.isCancelled }
            }
        }
        #expect(error?.code == .timedOut)
        #expect(error?.detail?.contains("no timer is pending") == true)
        // It goes on, though nobody drives it.
        while !isCancelled.withLock({ $0 }) { await Task.yield() }
        device.close()
    }

    // It moved while the operation's thread stood still, on a machine that had much else to do.
    @Test("time stands still while the operation and its children compute")
    func computing() async throws {
        let device = try Device.simulated(SimulatedBoard(clock: clock))
        let start = clock.now
        let times = try await clock.drive { [clock] in
            let timer = clock.schedule(at: start + .seconds(9)) {}
            defer { timer.cancel() }
            @Sendable func compute() -> Duration {
                usleep(20_000)
                return clock.now - start
            }
            let first = compute()
            try await device.sleep(for: .seconds(1))
            async let child = compute()
            return await [first, compute(), child]
        }
        #expect(times == [.zero, .seconds(1), .seconds(1)])
        device.close()
    }

    @Test("an operation that is at work on another thread is waited for, its timers too")
    func otherThread() async throws {
        let device = try Device.simulated(SimulatedBoard(clock: clock))
        let start = clock.now
        let value = try await clock.drive {
            // Real time, as a file that is being read takes.
            try await Task.sleep(for: .milliseconds(50))
            try await device.sleep(for: .seconds(2))
            return 7
        }
        #expect(value == 7 && clock.now - start == .seconds(2))
        device.close()
    }

    @Test("what the operation throws is the caller's")
    func failure() async throws {
        let error = RingerError(.busy, "open", "a device")
        await #expect(throws: error) { try await clock.drive { throw error } }
    }
}

/// A pipe that does not block.
private final class Pipe: Sendable {
    let reading: CInt
    let writing: CInt
    private let isWritingOpen = Mutex(true)

    init() throws {
        var ends: [CInt] = [0, 0]
        try #require(Glibc.pipe(&ends) == 0)
        (reading, writing) = (ends[0], ends[1])
        for end in ends { try #require(fcntl(end, F_SETFL, O_NONBLOCK) == 0) }
    }

    deinit {
        close(reading)
        closeWriting()
    }

    func write(_ bytes: [UInt8]) {
        _ = Glibc.write(writing, bytes, bytes.count)
    }

    /// The next byte; nil at the end.
    func read() -> UInt8? {
        var byte: UInt8 = 0
        return Glibc.read(reading, &byte, 1) == 1 ? byte : nil
    }

    func closeWriting() {
        let wasOpen = isWritingOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen { close(writing) }
    }
}
