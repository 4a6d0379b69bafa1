extension Device {
    /// Discovers the device and runs a whole firmware on the device's own thread: for a `main` that is not `async`.
    ///
    /// The calling thread sleeps until `body` ends. Of all ways to use a device this one takes the least memory and the
    /// shortest time from an edge to the firmware, since no other thread is started or woken. The price: what `body`
    /// does between two suspensions must not block, since edges wait for it, and it must not await the main actor. Long
    /// work goes to a `Task.detached`, or to a function marked `@concurrent`. The thread's stack has 1 MiB, not the 8 MiB of
    /// a main thread: large arrays belong on the heap, and recursion needs a bound.
    ///
    /// - Parameters:
    ///   - hardware: Which parts; by default those that are found.
    ///   - configuration: How the device behaves.
    ///   - body: The firmware. The device is closed when it ends.
    /// - Throws: ``RingerError``, as ``discover(_:configuration:)`` does, and what `body` throws.
    public static func run(
        _ hardware: Hardware = Hardware(), configuration: Configuration = Configuration(),
        _ body: @escaping @Sendable (Device) async throws -> Void
    ) throws {
        let loop = try EventLoop(name: "ringer-device", stackSize: 1024 * 1024)
        // Closed twice where the device closes it: the second time does nothing.
        defer { loop.close() }
        try loop.run {
            let device = try await make(hardware, configuration: configuration, loop: loop)
            defer { device.close() }
            try await body(device)
        }
    }
}
