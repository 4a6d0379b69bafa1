extension Device {
    /// Discovers the device and runs a whole firmware on the calling thread: for a `main` that is not `async`.
    ///
    /// The firmware's tasks run one at a time in an ``EventLoop`` of the calling thread, which sleeps while they wait; the
    /// device has the second thread of the process. So `body` may block or compute for long: edges are handled, sounds
    /// stop and the motor is turned off meanwhile. It must not await the main actor.
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
        let loop = try EventLoop(onThisThreadAs: "firmware")
        try loop.run {
            let device = try await discover(hardware, configuration: configuration)
            defer { device.close() }
            try await body(device)
        }
    }
}
