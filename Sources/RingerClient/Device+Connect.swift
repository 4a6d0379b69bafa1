import Glibc
import Ringer
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
    /// If the service disappears, sounds and vibrations fail, ``DeviceEvent/degraded(_:at:)`` is reported, and the switch
    /// counts as lost. When it returns it is found, and sessions are made and activated again.
    ///
    /// The bus is the system bus; with `RINGER_BUS=session` in the environment, the session bus. libsystemd, or libelogind,
    /// is loaded here.
    ///
    /// - Parameter configuration: The device's behaviour.
    /// - Returns: The device.
    /// - Throws: ``RingerError``: `notFound` where nobody owns the service's name and the bus cannot start the service; the
    ///   bus's error otherwise.
    public static func connect(configuration: Configuration = Configuration()) async throws(RingerError) -> Device {
        try await connect(to: .preferred, configuration: configuration)
    }

    /// Whether ``connect(configuration:)`` finds a service: one that runs, or that the bus can start.
    public static func isServiceAvailable() async -> Bool {
        guard let loop = try? EventLoop(name: "ringer-client") else { return false }
        defer { loop.close() }
        let link = ServiceLink(.preferred, on: loop, clock: loop)
        return await link.isServiceAvailable()
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
        do throws(RingerError) {
            let link = ServiceLink(bus, on: loop, clock: clock ?? loop)
            try await link.open()
            return try Device(Ports(link), configuration: configuration)
        } catch {
            loop.close()
            throw error
        }
    }
}

extension Device.Ports {
    /// The ports of the service's device; closing them leaves the bus.
    fileprivate init(_ link: ServiceLink) {
        let made = Mutex<ConnectedDevice?>(nil)
        link.loop.sync { made.withLock { $0 = ConnectedDevice(link) } }
        let device = made.withLock { $0 } ?? ConnectedDevice(link)
        self.init(
            clock: link.clock, ringSilent: device.hasSwitch ? ServiceSwitch(device) : nil, motor: nil,
            statusLight: device.lightName.map { ServiceStatusLight(device, name: $0) }, speaker: ServiceOutput(device),
            stateSources: [ServiceStateSource(device)], routes: device.board,
            setOutputVolume: { volume throws(RingerError) in try device.setOutputVolume(volume) },
            close: {
                link.loop.sync { device.close() }
                link.loop.close()
            })
        service = device
        serviceMotorName = device.motorName
    }
}

extension BusConnection.Bus {
    /// The system bus, or what `RINGER_BUS` says instead.
    package static var preferred: BusConnection.Bus {
        getenv("RINGER_BUS").map { String(cString: $0) } == "session" ? .session : .system
    }
}
