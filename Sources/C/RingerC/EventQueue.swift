import CLinux
import CRinger
import Glibc
import RingerLinux
import Synchronization

/// The events that wait for the program, and the descriptor that is readable while there are some. Any thread.
///
/// Changes of the state that wait are merged into one. Sessions' events and the ends of requests whose number the program has
/// are never lost. Of the others the newest are lost where the program does not read, and counted.
final class EventQueue: Sendable {
    /// How many events that may be lost wait at most.
    static let limit = 256

    private struct Waiting {
        var event: ringer_event
        var isLosable: Bool
    }

    private struct State {
        var hasState = false
        /// The event of the state that the program has read last; without a type before the first.
        var given = ringer_event()
        var events: [Waiting] = []
        /// How many of `events` may be lost.
        var losable = 0
        var lost: UInt64 = 0
        /// What was read of `events`.
        var read = 0
        /// Whether the descriptor is readable.
        var isReadable = false
        /// Whether it stays so.
        var hasEnded = false

        var isEmpty: Bool { !hasState && read == events.count && lost == 0 }
    }

    /// An eventfd, owned by this object.
    let descriptor: CInt
    private let state = Mutex(State())

    init() throws {
        descriptor = ringer_eventfd()
        guard descriptor >= 0 else { throw Failure(errno, "eventfd: \(String(cString: strerror(errno)))") }
    }

    deinit {
        close(descriptor)
    }

    /// Notes on the device's thread, which nothing of the program holds up, that the state has changed.
    func addState() {
        let mustWrite = state.withLock { Self.add(&$0) { $0.hasState = true } }
        // Outside of the lock, for which the woken program would have to wait.
        if mustWrite { makeReadable() }
    }

    /// Notes that the state has changed to `current`, unless that is what the program has read last.
    func addState(_ current: ringer_state) {
        add { state in
            if state.given.type == RINGER_EVENT_STATE, state.given.u.state.isSame(as: current) { return }
            state.hasState = true
        }
    }

    /// Adds an event that waits until it is read.
    func add(_ event: ringer_event) {
        add { $0.events.append(Waiting(event: event, isLosable: false)) }
    }

    /// Adds an event that may be lost.
    func addLosable(_ event: ringer_event) {
        add { state in
            guard state.losable < Self.limit else {
                state.lost += 1
                return
            }
            state.losable += 1
            state.events.append(Waiting(event: event, isLosable: true))
        }
    }

    /// Makes the descriptor readable for good, and drops the events: the device is closed, which the next reader learns.
    func end() {
        state.withLock { state in
            state = State(hasEnded: true)
            makeReadable()
        }
    }

    /// Writes the next event to `target`. `current` is the state now, `now` the time.
    ///
    /// - Returns: Whether one waited.
    func next(
        _ target: Structure<ringer_event>, _ current: () -> DeviceState, now: () -> MonotonicTime
    ) -> Bool {
        state.withLock { state in
            defer {
                if state.isEmpty && state.isReadable && !state.hasEnded {
                    var count: UInt64 = 0
                    // If another thread is about to write, a later call reads that, and finds no event.
                    if Glibc.read(descriptor, &count, 8) == 8 { state.isReadable = false }
                }
            }
            if state.hasState {
                state.hasState = false
                state.given.type = RINGER_EVENT_STATE
                state.given.at = now().nanoseconds
                // An assignment to a member of the union copies all of it.
                withUnsafeMutableBytes(of: &state.given.u) {
                    $0.storeBytes(of: ringer_state(current()), as: ringer_state.self)
                }
                target.write(from: &state.given)
                return true
            }
            if state.read < state.events.count {
                target.write(from: &state.events[state.read].event)
                if state.events[state.read].isLosable { state.losable -= 1 }
                state.read += 1
                if state.read == state.events.count || state.read == Self.limit {
                    state.events.removeFirst(state.read)
                    state.read = 0
                }
                return true
            }
            guard state.lost > 0 else { return false }
            var event = ringer_event()
            event.type = RINGER_EVENT_LOST
            event.at = now().nanoseconds
            event.u.lost = state.lost
            state.lost = 0
            target.write(from: &event)
            return true
        }
    }

    private func add(_ body: (inout State) -> Void) {
        // A thread of the program that is held up holds the lock, whose waiters lend it their priority, and not the event.
        state.withLock { if Self.add(&$0, body) { makeReadable() } }
    }

    /// Returns whether the descriptor must be made readable.
    private static func add(_ state: inout State, _ body: (inout State) -> Void) -> Bool {
        if state.hasEnded { return false }
        body(&state)
        if state.isReadable || state.isEmpty { return false }
        state.isReadable = true
        return true
    }

    private func makeReadable() {
        var one: UInt64 = 1
        write(descriptor, &one, 8)
    }
}
