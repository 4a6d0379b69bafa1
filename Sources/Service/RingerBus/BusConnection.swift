import CSDBus
import Glibc
import RingerCore

/// A connection to a message bus, on an event loop: its messages are handled on the loop's thread, where every method but
/// ``connect(_:on:)`` is called. Nothing here waits for the bus.
// SAFETY: `bus` and all state are used on the loop's thread alone.
package final class BusConnection: @unchecked Sendable {
    /// Which bus.
    package enum Bus: Sendable, Hashable {
        case system
        case session
        /// The bus that listens at a D-Bus address, such as `unix:path=/run/bus`.
        case address(String)

        package var description: String {
            switch self {
            case .system: "system bus"
            case .session: "session bus"
            case .address(let address): "bus \(address)"
            }
        }
    }

    /// Handles a message; returns whether it did. A call that nobody handles gets the error UnknownMethod.
    package typealias Handler = (BusMessage) -> Bool
    /// Takes the reply to a call, or the error that came instead.
    package typealias Completion = (Result<BusMessage, BusError>) -> Void

    /// A call whose reply has not come. The connection keeps it until then, on the loop's thread.
    private final class Call {
        let number: UInt64
        let member: String
        var slot: OpaquePointer?
        private weak var connection: BusConnection?
        private let completion: Completion

        init(_ number: UInt64, _ member: String, of connection: BusConnection, _ completion: @escaping Completion) {
            self.number = number
            self.member = member
            self.connection = connection
            self.completion = completion
        }

        deinit {
            if let slot { sd_bus_slot_unref(slot) }
        }

        func end(_ result: Result<BusMessage, BusError>) {
            connection?.calls[number] = nil
            completion(result)
        }
    }

    package let loop: EventLoop
    package let name: String
    let bus: OpaquePointer
    private var watched: EventLoop.WatchedDescriptor?
    private var watchedEvents: Int16 = 0
    private var timer: (any DeviceTimer)?
    private var deadline: MonotonicTime?
    private var isPumping = false
    /// The message that sd-bus handles.
    private var current: BusMessage?
    private var isPumpDue = false
    /// Whether nothing is read until the bus has taken all that was sent.
    private var isDraining = false
    private var isClosed = false
    private var calls: [UInt64: Call] = [:]
    private var lastCall: UInt64 = 0
    /// Messages that did not fit into sd-bus's own queue: sent as soon as the bus takes messages again.
    private var unsent: [BusMessage] = []
    /// The objects that were served, and what answers for the objects above them.
    var served: Set<String> = []
    var parents: Registration?
    private var onDisconnect: ((RingerError) -> Void)?
    private var onWritten: (() -> Void)?

    /// The calls of other programs.
    package private(set) lazy var received = ReceivedCalls(of: self)

    /// The longest that messages are taken in a row, and the most calls that are answered then: the loop's timers, its other
    /// descriptors and what the answers have begun have their turn. Everybody on the bus can send more than any service handles.
    private static let turn = Duration.milliseconds(8)
    private static let callsPerTurn = 2
    /// Where the bus has not taken so many messages, no more is read until it has taken all: what is replied to at once keeps
    /// nobody from being answered.
    private static let mostUnsent = 1024

    private init(_ bus: OpaquePointer, _ name: String, _ loop: EventLoop) {
        self.bus = bus
        self.name = name
        self.loop = loop
    }

    deinit {
        sd_bus_unref(bus)
    }

    /// Connects to a bus. The bus's greeting is awaited when the first message is sent, not here.
    ///
    /// - Parameters:
    ///   - which: The bus.
    ///   - loop: The event loop whose thread handles the messages.
    /// - Throws: ``RingerError`` where the bus cannot be reached.
    package static func connect(_ which: Bus, on loop: EventLoop) throws(RingerError) -> BusConnection {
        var bus: OpaquePointer?
        var result: CInt
        switch which {
        case .system: result = sd_bus_open_system(&bus)
        case .session: result = sd_bus_open_user(&bus)
        case .address(let address):
            result = sd_bus_new(&bus)
            if result >= 0 { result = sd_bus_set_address(bus, address) }
            if result >= 0 { result = sd_bus_set_bus_client(bus, 1) }
            if result >= 0 { result = sd_bus_start(bus) }
        }
        guard result >= 0, let bus else {
            if let bus { sd_bus_unref(bus) }
            if result == -ENOMEDIUM {
                throw RingerError(
                    .notFound, "connect", which.description,
                    detail: "neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set")
            }
            throw RingerError("connect", which.description, busResult: result)
        }
        let connection = BusConnection(bus, which.description, loop)
        result = sd_bus_add_filter(
            bus, nil,
            { message, data, _ in
                guard let message, let data else { return 0 }
                // It costs next to nothing to refuse a call here.
                return Unmanaged<BusConnection>.fromOpaque(data).takeUnretainedValue().handles(BusMessage(message))
                    ? 0 : 1
            }, Unmanaged.passUnretained(connection).toOpaque())
        guard result >= 0 else { throw RingerError("connect", which.description, busResult: result) }
        loop.execute { connection.pump() }
        return connection
    }

    /// Calls `handler` when the bus is gone; nothing arrives afterwards.
    package func onDisconnect(_ handler: @escaping (RingerError) -> Void) {
        onDisconnect = handler
    }

    /// Closes the connection. What was sent is written out first, as far as the bus takes it without a wait; calls that have
    /// no reply then fail.
    package func close() {
        if isClosed { return }
        pump()
        shut()
    }

    /// sd-bus forgets the replies that it waits for when it is closed: the calls end here.
    private func shut() {
        if isClosed { return }
        isClosed = true
        watched?.cancel()
        timer?.cancel()
        unsent = []
        received.removeAll()
        (onWritten, onDisconnect) = (nil, nil)
        sd_bus_close(bus)
        for (_, call) in calls.sorted(by: { $0.key < $1.key }) {
            call.end(.failure(Self.failure(call.member, -ENOTCONN)))
        }
    }

    // MARK: - Sending

    /// Calls a method.
    ///
    /// - Parameters:
    ///   - autoStart: Whether the bus may start the service for this call.
    ///   - timeout: How long to wait for the reply; nil for ever.
    ///   - completion: Called once.
    package func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = [],
        autoStart: Bool = true, timeout: Duration? = .seconds(25), _ completion: @escaping Completion
    ) {
        var created: OpaquePointer?
        var result = sd_bus_message_new_method_call(bus, &created, destination, path, interface, member)
        guard result >= 0, let created else { return completion(.failure(Self.failure(member, result))) }
        let message = BusMessage(owning: created)
        result = message.append(arguments)
        if !autoStart { sd_bus_message_set_auto_start(created, 0) }
        guard result >= 0 else { return completion(.failure(Self.failure(member, result))) }
        lastCall += 1
        let call = Call(lastCall, member, of: self, completion)
        let limit = timeout.map { $0.inMicroseconds } ?? UInt64.max
        result = sd_bus_call_async(
            bus, &call.slot, created,
            { reply, data, _ in
                guard let reply, let data else { return 0 }
                // SAFETY: the connection keeps the call as long as it has its slot.
                let call = Unmanaged<Call>.fromOpaque(data).takeUnretainedValue()
                let message = BusMessage(reply)
                call.end(message.error.map { .failure($0) } ?? .success(message))
                return 1
            }, Unmanaged.passUnretained(call).toOpaque(), limit)
        guard result >= 0 else { return completion(.failure(Self.failure(member, result))) }
        calls[call.number] = call
        pumpSoon()
    }

    /// Calls a method of the bus itself, and waits for the reply for ever: without one there is no bus, and the connection ends.
    package func callBus(_ member: String, _ arguments: [BusValue], _ completion: @escaping Completion) {
        let bus = "org.freedesktop.DBus"
        call(bus, "/org/freedesktop/DBus", bus, member, arguments, timeout: nil, completion)
    }

    private static func failure(_ member: String, _ result: CInt) -> BusError {
        BusError("org.freedesktop.DBus.Error.Disconnected", "\(RingerError("call", member, busResult: result))")
    }

    /// Sends a signal: to `destination` alone, or to everybody who subscribed.
    package func signal(
        _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue], to destination: String? = nil
    ) {
        var created: OpaquePointer?
        guard sd_bus_message_new_signal(bus, &created, path, interface, member) >= 0, let created else { return }
        let message = BusMessage(owning: created)
        if let destination { sd_bus_message_set_destination(created, destination) }
        if message.append(arguments) >= 0 { send(message) }
    }

    /// Replies to a call. Where the caller wants no reply, the values are not even made.
    package func reply(to call: BusMessage, _ values: @autoclosure () -> [BusValue] = []) {
        var created: OpaquePointer?
        guard call.expectsReply, sd_bus_message_new_method_return(call.message, &created) >= 0, let created else {
            return
        }
        let message = BusMessage(owning: created)
        if message.append(values()) >= 0 { send(message) }
    }

    /// Replies to a call with an error, whose sentence is cut to 1 KiB: it may repeat what the caller sent, and the bus
    /// disconnects a sender of too long a message.
    package func reply(to call: BusMessage, _ error: BusError) {
        guard call.expectsReply else { return }
        var created: OpaquePointer?
        let text = error.message
        let end = text.utf8.index(text.startIndex, offsetBy: 1024, limitedBy: text.endIndex) ?? text.endIndex
        let result = error.name.withCString { name in
            // It does not end within a scalar.
            String(text[..<end]).withCString { text in
                var error = sd_bus_error(name: name, message: text, _need_free: 0)
                return sd_bus_message_new_method_error(call.message, &created, &error)
            }
        }
        guard result >= 0, let created else { return }
        send(BusMessage(owning: created))
    }

    /// Calls `body` once the bus has taken all that was sent: at once where nothing waits. It replaces a body that waits.
    package func whenWritten(_ body: @escaping () -> Void) {
        if hasWritten { body() } else { onWritten = body }
    }

    private func send(_ message: BusMessage) {
        if isClosed { return }
        if !unsent.isEmpty || sd_bus_send(bus, message.message, nil) == -ENOBUFS { unsent.append(message) }
        pumpSoon()
    }

    // MARK: - The loop

    /// Notes the message that sd-bus handles. Returns whether it is to be handled.
    private func handles(_ message: BusMessage) -> Bool {
        current = message
        return received.admits(message)
    }

    /// Answers the calls whose turn it is, while the bus takes the replies.
    private func answerCalls() {
        for _ in 0..<Self.callsPerTurn where !isClosed && hasWritten {
            guard received.answerNext() else { return }
        }
    }

    /// Whether a quarter of the process's descriptors is free, of which the kernel gives out the lowest: more than a message
    /// brings. Nobody knows how many a message has brought, and the connection to the bus does not survive one that the kernel
    /// could not deliver whole.
    var hasDescriptorsLeft: Bool {
        let descriptor = fcntl(sd_bus_get_fd(bus), F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { return false }
        defer { Glibc.close(descriptor) }
        return descriptor < getdtablesize() / 4 * 3
    }

    /// Has the queue processed once what runs now has returned: sending may leave messages in it.
    func pumpSoon() {
        if isPumping || isPumpDue || isClosed { return }
        isPumpDue = true
        loop.execute { [self] in
            isPumpDue = false
            pump()
        }
    }

    /// How many messages the bus has not taken. An older library that cannot tell counts as one with none.
    var unsentCount: Int {
        var count: UInt64 = 0
        return sd_bus_get_n_queued_write(bus, &count) < 0 ? unsent.count : unsent.count + Int(clamping: count)
    }

    private var hasWritten: Bool { unsentCount == 0 }

    /// Takes what has arrived and writes what is queued, as far as neither waits and for one turn; then answers calls, and watches
    /// for more.
    private func pump() {
        if isClosed || isPumping { return }
        isPumping = true
        let end = loop.now + Self.turn
        var result: CInt
        var before: Int
        repeat {
            before = unsentCount
            result = processNext()
            while let message = unsent.first, sd_bus_send(bus, message.message, nil) != -ENOBUFS {
                unsent.removeFirst()
            }
            if unsentCount >= Self.mostUnsent { isDraining = true }
            // While it only writes, sd-bus reads where the bus takes no more.
        } while result > 0 && !isClosed && (!isDraining || unsentCount < before) && loop.now < end
        if hasWritten {
            isDraining = false
            received.allWritten()
        }
        if result >= 0 { answerCalls() }
        isPumping = false
        if isClosed { return }
        if hasWritten, let body = onWritten {
            onWritten = nil
            body()
        }
        guard result >= 0 else {
            let handler = onDisconnect
            shut()
            handler?(RingerError(.disconnected, "talk to the bus", name, errno: .init(rawValue: -result)))
            return
        }
        // sd-bus may have queued messages, of which the descriptor reports nothing.
        let hasMore = isDraining ? false : result > 0 || received.hasNext && hasWritten
        if hasMore { pumpSoon() } else { rearm(isDraining ? Int16(POLLOUT) : nil) }
    }

    /// Has sd-bus handle the next message, or write. Returns 0 where nothing is left, and an error where the connection is lost.
    private func processNext() -> CInt {
        current = nil
        defer { current = nil }
        let result = sd_bus_process(bus, nil)
        // sd-bus answers some calls itself, and fails where it cannot: the machine may have no identity. The message is gone
        // then, and the connection is as it was.
        guard result < 0, let current else { return result }
        reply(to: current, BusError("org.freedesktop.DBus.Error.Failed", "\(current.member): error \(-result)"))
        return 1
    }

    /// - Parameter only: What alone the connection is watched for; nil for what sd-bus wants.
    private func rearm(_ only: Int16?) {
        let events = only ?? Int16(truncatingIfNeeded: sd_bus_get_events(bus))
        if events != watchedEvents || watched == nil {
            watched?.cancel()
            watchedEvents = events
            watched = loop.watch(sd_bus_get_fd(bus), for: events) { [weak self] _ in
                // A turn that is due anyway comes after what else is due.
                if let self, !isPumpDue { pump() }
            }
        }
        let next = nextTimeout
        guard next != deadline else { return }
        deadline = next
        timer?.cancel()
        timer = next.map { time in
            loop.schedule(at: time) { [weak self] in
                self?.deadline = nil
                self?.pump()
            }
        }
    }

    /// When the first of the calls without a reply ends; nil where all wait for ever.
    package var nextTimeout: MonotonicTime? {
        var next = UInt64.max
        _ = sd_bus_get_timeout(bus, &next)
        return next < UInt64(Int64.max / 1000) ? MonotonicTime(nanoseconds: Int64(next) * 1000) : nil
    }
}

extension Duration {
    /// Whole microseconds; 0 for a negative duration, the largest number where it does not fit.
    fileprivate var inMicroseconds: UInt64 {
        let (seconds, attoseconds) = components
        let (product, overflows) = UInt64(clamping: seconds).multipliedReportingOverflow(by: 1_000_000)
        return overflows ? .max : product &+ UInt64(clamping: attoseconds / 1_000_000_000_000)
    }
}
