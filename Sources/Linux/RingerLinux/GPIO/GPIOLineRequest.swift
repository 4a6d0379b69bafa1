import CGPIOD
import Glibc
import RingerCore
import SystemPackage

/// A requested GPIO line, released with its owner.
// SAFETY: libgpiod keeps no state outside of this handle, which has one owner and is used by one thread at a time.
struct GPIOLineRequest: ~Copyable, @unchecked Sendable {
    /// One edge.
    struct Edge: Sendable, Hashable {
        /// Whether the line became active.
        var isActive: Bool
        /// The kernel's timestamp.
        var at: MonotonicTime
        /// The kernel's number of the edge, from 1; nil if the kernel does not number edges.
        var sequence: UInt32?
    }

    /// The capacity of the queue in kernel ABI v1, which does not number edges. With v2 we ask for 64.
    static let smallQueue = 16

    private let request: OpaquePointer
    /// The line, for people: "gpiochip0 line 2".
    let subject: String

    init(_ request: OpaquePointer, subject: String) {
        self.request = request
        self.subject = subject
    }

    deinit {
        ringer_gpio_request_release(request)
    }

    /// Whether the kernel debounces inputs: with libgpiod 2.x.
    static var kernelDebounces: Bool { ringer_gpio_kernel_debounces() }

    /// Readable when there are edges.
    var descriptor: CInt { ringer_gpio_request_fd(request) }

    /// Whether the line is active.
    func isActive() throws(RingerError) -> Bool {
        let value = ringer_gpio_request_get(request)
        guard value >= 0 else { throw RingerError("read the level", subject, .current) }
        return value == 1
    }

    /// Makes the line active or inactive.
    func set(_ isActive: Bool) throws(RingerError) {
        guard ringer_gpio_request_set(request, isActive) == 0 else {
            throw RingerError("set the level", subject, .current)
        }
    }

    /// Passes the queued edges to `body`. `isReady` says that a poll reported some.
    ///
    /// - Returns: How many there were.
    func read(isReady: Bool, _ body: (Edge) -> Void) throws(RingerError) -> Int {
        var count = 0
        var isReady = isReady
        while count < 1024 {
            // Reading blocks if there are no edges.
            if !isReady {
                var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&ready, 1, 0) > 0 else { break }
                // The chip is gone: reading it would fail differently with each kernel.
                if ready.revents & Int16(POLLIN) == 0 { throw RingerError("read the edges", subject, .noDevice) }
            }
            isReady = false
            // SAFETY: the function writes at most RINGER_GPIO_EDGES edges, and returns how many.
            let batch = withUnsafeTemporaryAllocation(of: ringer_gpio_edge.self, capacity: Int(RINGER_GPIO_EDGES)) {
                guard let start = $0.baseAddress else { return -1 }
                let batch = Int(ringer_gpio_request_read(request, start))
                for index in 0..<max(0, batch) { body(Edge(start[index])) }
                return batch
            }
            guard batch >= 0 else { throw RingerError("read the edges", subject, .current) }
            count += batch
            // The kernel returns all it has: fewer than a full queue are the last ones.
            if batch < Self.smallQueue { break }
        }
        return count
    }
}

extension GPIOLineRequest.Edge {
    fileprivate init(_ edge: ringer_gpio_edge) {
        self.init(
            isActive: edge.active, at: MonotonicTime(nanoseconds: edge.at),
            sequence: edge.sequence == 0 ? nil : edge.sequence)
    }
}
