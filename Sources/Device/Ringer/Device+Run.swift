extension Device {
    /// Discovers the device and runs a whole firmware on the device's own thread: for a `main` that is not `async`.
    ///
    /// The calling thread sleeps until `body` ends. This way of using a device takes the least memory and has the
    /// shortest time from an edge to the firmware, since no other thread is started or woken. In return, `body` must
    /// not block between suspensions, which would hold up edges, and must not await the main actor. Long work goes to a
    /// `Task.detached` or a function marked `@concurrent`. The thread's stack has 1 MiB, not the 8 MiB of a main
    /// thread: put large arrays on the heap, and bound recursion.
    ///
    /// - Parameters:
    ///   - hardware: The parts to use; by default those that are found.
    ///   - configuration: How the device behaves.
    ///   - body: The firmware. The device is closed when it ends.
    /// - Throws: ``RingerError`` as ``discover(_:configuration:)`` does, and the errors of `body`.
    public static func run(
        _ hardware: Hardware = Hardware(), configuration: Configuration = Configuration(),
        _ body: @escaping @Sendable (Device) async throws -> Void
    ) throws {
        let loop = try EventLoop(name: "ringer-device", stackSize: 1024 * 1024)
        // If the device closed it already, this does nothing.
        defer { loop.close() }
        try loop.run {
            let device = try await make(hardware, configuration: configuration, loop: loop)
            defer { device.close() }
            try await body(device)
        }
    }
}
