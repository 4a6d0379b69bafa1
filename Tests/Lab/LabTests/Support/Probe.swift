import Glibc
import RingerLinux
import RingerCore
import Synchronization

/// Collects the reports of a port, for the test to take one after another.
final class Probe<Event: Sendable>: Sendable {
    private struct State {
        var events: [Event] = []
        var taken = 0
        var waiter: (number: UInt64, continuation: CheckedContinuation<Event?, Never>)?
        var nextNumber: UInt64 = 0
    }

    private let state = Mutex(State())
    private let clock: any DeviceClock

    init(_ clock: any DeviceClock) {
        self.clock = clock
    }

    /// All reports so far, including those that were taken.
    var all: [Event] { state.withLock { $0.events } }

    /// How many events were not taken yet.
    var waiting: Int { state.withLock { $0.events.count - $0.taken } }

    /// Takes in an event.
    func tell(_ event: Event) {
        let waiter = state.withLock { state in
            state.events.append(event)
            if state.waiter != nil { state.taken += 1 }
            return state.waiter.take()
        }
        waiter?.continuation.resume(returning: event)
    }

    /// The next event.
    func next(within limit: Duration = .seconds(60)) async throws -> Event {
        let event = await withCheckedContinuation { continuation in
            let (ready, number) = state.withLock { state -> (Event?, UInt64) in
                if state.taken < state.events.count {
                    state.taken += 1
                    return (state.events[state.taken - 1], 0)
                }
                state.nextNumber += 1
                state.waiter = (state.nextNumber, continuation)
                return (nil, state.nextNumber)
            }
            if let ready { return continuation.resume(returning: ready) }
            _ = clock.schedule(at: clock.now + limit) {
                let waiter = self.state.withLock { $0.waiter?.number == number ? $0.waiter.take() : nil }
                waiter?.continuation.resume(returning: nil)
            }
        }
        guard let event else { throw LabFailure("nothing was told within \(limit)") }
        return event
    }
}

extension Probe where Event == SwitchEvent {
    /// The next event, which has to be a position.
    func nextPosition(within limit: Duration = .seconds(60)) async throws -> (SwitchPosition, at: MonotonicTime) {
        let event = try await next(within: limit)
        guard case .position(let position, let at) = event else { throw LabFailure("\(event) instead of a position") }
        return (position, at)
    }
}

/// A switch that is being watched, and its reports.
final class WatchedSwitch: Sendable {
    let loop: EventLoop
    let port: any RingSilentSwitch
    let probe: Probe<SwitchEvent>

    /// Starts the switch of this specification, on a loop of its own.
    init(_ specification: String) throws {
        loop = try EventLoop(name: "lab-switch")
        port = try SwitchSpecification(specification).make(loop: loop)
        let probe = Probe<SwitchEvent>(loop)
        self.probe = probe
        do {
            try port.start { probe.tell($0) }
        } catch {
            loop.close()
            throw error
        }
    }

    deinit {
        port.close()
        loop.close()
    }

    /// Keeps the switch from being read, as a busy processor does, while `body` runs.
    func whileUnread(_ body: () async throws -> Void) async throws {
        let reached = Latch()
        let gate = Latch()
        loop.execute {
            reached.open()
            gate.wait()
        }
        defer { gate.open() }
        // An edge is there at once: the loop would read it before it came to the gate.
        try await blocking { reached.wait() }
        try await body()
    }
}

/// The devices that this process has open, once for each descriptor: threads and timers come and go by themselves.
func openDevices() throws -> [String] {
    let links = try KernelFile.names(in: "/proc/self/fd").map { name in
        var bytes: [CChar] = Array(repeating: 0, count: 256)
        let count = readlink("/proc/self/fd/\(name)", &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    let kinds = ["/dev/input/", "/dev/snd/", "/dev/gpiochip", "/sys/", "inotify", "gpio-line", "gpio-event", "gpio-"]
    return links.filter { link in kinds.contains { link.contains($0) } }.sorted()
}
