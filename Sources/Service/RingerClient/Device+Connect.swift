import Glibc
import RingerCore
import RingerBus
import Synchronization

extension Device {
    /// Connects to the service, `ringerd`: a device of the same interface, whose switch, motor and speaker the service
    /// shares between all processes. The process needs no rights to the hardware; the bus's credentials say what it may do.
    ///
    /// The service judges every sound, by its own switch and preferences, and arbitrates this process's sessions with those
    /// of others. What `configuration` says of preferences, of the motor's longest on-time and of the mute detector is the
    /// service's to decide, and has no effect.
    ///
    /// If the service disappears, sounds and vibrations fail, `DeviceEvent.degraded(_:at:)` is reported, and the switch
    /// counts as lost. Announcements that have not begun wait for it. When it returns it is found, and sessions are made and
    /// activated again.
    ///
    /// The bus is the system bus; with `RINGER_BUS=session` in the environment, the session bus. libsystemd, or libelogind,
    /// is loaded here.
    ///
    /// - Parameter configuration: The device's behaviour.
    /// - Returns: The device.
    /// - Throws: `RingerError`: `notFound` where nobody owns the service's name and the bus cannot start the service; the
    ///   bus's error otherwise.
    public static func connect(configuration: Configuration = Configuration()) async throws(RingerError) -> Device {
        try await connect(to: .preferred, configuration: configuration)
    }

    /// As the method of the same name that is `async`, for a program that is not: it waits for the service's answer.
    public static func connect(configuration: Configuration = Configuration()) throws(RingerError) -> Device {
        let loop = try EventLoop(name: "ringer-client")
        let link = ServiceLink(.preferred, on: loop, clock: loop)
        do throws(RingerError) {
            try wait(link.open).get()
            return try Device(Ports(link), configuration: configuration)
        } catch {
            close(link)
            throw error
        }
    }

    /// Whether `connect(configuration:)` finds a service: one that runs, or that the bus can start.
    public static func isServiceAvailable() async -> Bool {
        guard BusConnection.Bus.mayExist, let loop = try? EventLoop(name: "ringer-client") else { return false }
        defer { loop.close() }
        let link = ServiceLink(.preferred, on: loop, clock: loop)
        return await withCheckedContinuation { continuation in
            link.isServiceAvailable { continuation.resume(returning: $0) }
        }
    }

    /// As the method of the same name that is `async`, for a program that is not: it waits for the bus's answer.
    public static func isServiceAvailable() -> Bool {
        guard BusConnection.Bus.mayExist, let loop = try? EventLoop(name: "ringer-client") else { return false }
        defer { loop.close() }
        let link = ServiceLink(.preferred, on: loop, clock: loop)
        return wait { link.isServiceAvailable($0) }
    }

    /// Whether a service runs. It waits for the bus's answer.
    package static func isServiceRunning() -> Bool {
        guard BusConnection.Bus.mayExist, let loop = try? EventLoop(name: "ringer-client") else { return false }
        defer { loop.close() }
        let link = ServiceLink(.preferred, on: loop, clock: loop)
        return wait { link.isServiceAvailable(orStartable: false, $0) }
    }

    /// Waits until `body` has called its completion, which another thread does, and returns what it was called with.
    package static func wait<Value: Sendable>(
        _ body: (@escaping @Sendable (Value) -> Void) -> Void
    ) -> Value {
        let latch = Latch()
        let result = Mutex<Value?>(nil)
        body { value in
            result.withLock { $0 = value }
            latch.open()
        }
        while true {
            latch.wait()
            if let value = result.withLock({ $0 }) { return value }
        }
    }

    /// Whether the device is the service's.
    public var isConnected: Bool { service != nil }

    /// Connects to the service on a bus.
    ///
    /// - Parameters:
    ///   - bus: The bus.
    ///   - clock: The device's clock; nil for that of its own event loop.
    ///   - configuration: The device's behaviour.
    package static func connect(
        to bus: BusConnection.Bus, clock: (any DeviceClock)? = nil, configuration: Configuration = Configuration()
    ) async throws(RingerError) -> Device {
        let loop = try EventLoop(name: "ringer-client")
        let link = ServiceLink(bus, on: loop, clock: clock ?? loop)
        do throws(RingerError) {
            try await link.open()
            return try Device(Ports(link), configuration: configuration)
        } catch {
            close(link)
            throw error
        }
    }

    /// Closes a link that has no device: the service may have been asked something more that it has not answered.
    private static func close(_ link: ServiceLink) {
        link.loop.sync { link.close() }
        link.loop.close()
    }
}

extension Device.Ports {
    /// The ports of the service's device; closing them leaves the bus.
    fileprivate init(_ link: ServiceLink) {
        let made = Mutex<ConnectedDevice.Parts?>(nil)
        link.loop.sync { made.withLock { $0 = ConnectedDevice.Parts(link) } }
        let parts = made.withLock { $0 } ?? ConnectedDevice.Parts(link)
        let device = parts.device
        self.init(
            clock: link.clock, ringSilent: parts.hasSwitch ? ServiceSwitch(device) : nil, motor: nil,
            statusLight: parts.lightName.map { ServiceStatusLight(device, name: $0) }, speaker: ServiceOutput(device),
            stateSources: [ServiceStateSource(device)], routes: parts.board,
            setOutputVolume: { volume throws(RingerError) in try device.setOutputVolume(volume) },
            close: {
                link.loop.sync { device.close() }
                link.loop.close()
            })
        service = device
        serviceMotorName = parts.motorName
    }
}

extension BusConnection.Bus {
    /// The system bus, or what `RINGER_BUS` says instead.
    package static var preferred: BusConnection.Bus {
        isSession ? .session : .system
    }

    /// Whether there may be such a bus: a machine without one need not load libsystemd to learn it.
    fileprivate static var mayExist: Bool {
        isSession || getenv("DBUS_SYSTEM_BUS_ADDRESS") != nil || access("/run/dbus/system_bus_socket", F_OK) == 0
            || access("/var/run/dbus/system_bus_socket", F_OK) == 0
    }

    private static var isSession: Bool { getenv("RINGER_BUS").map { String(cString: $0) } == "session" }
}
