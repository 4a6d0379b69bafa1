import Glibc

extension Device {
    /// Suspends the task for `duration` on the device's clock: the kernel's monotonic clock on hardware, the test's
    /// clock on a simulated board.
    ///
    /// - Parameter duration: The least time to wait; with zero or less, other work of the device runs once.
    /// - Throws: `CancellationError` if the task is cancelled, ``RingerError`` with the code `closed` if the device is
    ///   closed.
    public func sleep(for duration: Duration) async throws {
        try await sleep(until: clock.now + max(duration, .zero))
    }

    /// Suspends the task until `deadline` on the device's clock, or as soon afterwards as the system allows.
    ///
    /// - Throws: as ``sleep(for:)``.
    public func sleep(until deadline: MonotonicTime) async throws {
        _ = try await waits.wait { [clock] wake in
            let timer = clock.schedule(at: deadline) { wake(0) }
            return { timer.cancel() }
        }
    }

    /// Calls `body` once: at `deadline` on the device's thread, or before that when the device is closed, at once if it is.
    package func call(atCloseOr deadline: MonotonicTime, _ body: @escaping @Sendable () -> Void) {
        waits.call(body) { _ = clock.schedule(at: deadline, $0) }
    }

    /// Watches a descriptor of the firmware, such as standard input or the socket of an MQTT library, in the same
    /// `ppoll` that waits for the switch. It does not poll, and starts no thread.
    ///
    ///     for await ready in try device.watch(STDIN_FILENO) {
    ///         guard ready.contains(.readable), readCommand() else { break }
    ///     }
    ///
    /// The loop's body runs where its task runs: in `Device.run(_:configuration:_:)` on the calling thread. To wait for several
    /// things there, use a task group or `async let`, whose tasks stay on that thread.
    ///
    /// The descriptor is watched only while an iterator waits. If it is still ready because not all was read, the next
    /// wait ends at once. The caller closes it after the loop.
    ///
    /// - Parameters:
    ///   - descriptor: An open descriptor that `poll` supports; regular files are always ready.
    ///   - events: What to wait for; errors and hang-ups always end a wait.
    /// - Returns: What the descriptor is ready for, each time an iterator asks. The sequence ends when the task is
    ///   cancelled, when the device is closed, and after ``DescriptorEvents/invalid``.
    /// - Throws: ``RingerError`` with the code `unsupported` on a simulated board in virtual time, where no descriptor
    ///   is ever ready: a test calls the firmware's reader itself.
    public func watch(
        _ descriptor: CInt, for events: DescriptorEvents = .readable
    ) throws(RingerError) -> DescriptorReadiness {
        guard let loop = clock as? EventLoop else {
            throw RingerError(
                .unsupported, "watch", "descriptor \(descriptor)",
                detail: "the device's clock is virtual: no descriptor is ready on it")
        }
        return DescriptorReadiness(loop: loop, waits: waits, descriptor: descriptor, events: events)
    }
}

/// What a descriptor is ready for. The bits are those of poll(2).
public struct DescriptorEvents: OptionSet, Sendable, Hashable {
    /// The bits of `struct pollfd`.
    public let rawValue: Int16

    /// The set of these bits.
    public init(rawValue: Int16) {
        self.rawValue = rawValue
    }

    /// There is something to read, or the end of the stream: `POLLIN`.
    public static let readable = DescriptorEvents(rawValue: Int16(POLLIN))
    /// Writing does not block: `POLLOUT`.
    public static let writable = DescriptorEvents(rawValue: Int16(POLLOUT))
    /// Out-of-band data, or a change of a sysfs attribute: `POLLPRI`.
    public static let priority = DescriptorEvents(rawValue: Int16(POLLPRI))
    /// An error on the descriptor: `POLLERR`. It remains until the descriptor is closed.
    public static let failed = DescriptorEvents(rawValue: Int16(POLLERR))
    /// The other side closed it: `POLLHUP`. It remains; data sent before can still be read.
    public static let hungUp = DescriptorEvents(rawValue: Int16(POLLHUP))
    /// It is not open: `POLLNVAL`.
    public static let invalid = DescriptorEvents(rawValue: Int16(POLLNVAL))
}

/// What a descriptor is ready for, each time an iterator asks. See ``Device/watch(_:for:)``.
public struct DescriptorReadiness: AsyncSequence, Sendable {
    let loop: EventLoop
    let waits: DeviceWaits
    let descriptor: CInt
    let events: DescriptorEvents

    /// One reader of the sequence.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let readiness: DescriptorReadiness
        private var isOver = false

        fileprivate init(_ readiness: DescriptorReadiness) {
            self.readiness = readiness
        }

        /// Waits until the descriptor is ready; nil when the task is cancelled, when the device is closed, and after
        /// ``DescriptorEvents/invalid``.
        public mutating func next() async -> DescriptorEvents? {
            await next(isolation: nil)
        }

        /// Waits until the descriptor is ready; nil when the task is cancelled, when the device is closed, and after
        /// ``DescriptorEvents/invalid``.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> DescriptorEvents? {
            if isOver { return nil }
            let ready = try? await readiness.wait()
            isOver = ready?.contains(.invalid) ?? true
            return ready
        }
    }

    /// A new reader, which also gets what another iterator has not read.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(self)
    }

    private func wait() async throws -> DescriptorEvents {
        let ready = try await waits.wait { [loop, descriptor, events] wake in
            let watched = loop.watch(descriptor, for: events.rawValue, wake)
            return { watched.cancel() }
        }
        return DescriptorEvents(rawValue: ready)
    }
}
