import RingerLinux

/// A device on the laboratory's drivers, with what happens on it.
final class LabDevice: Sendable {
    let device: Device
    let events: Probe<DeviceEvent>
    let speaker: ALSASoundOutput?

    /// The device of this hardware.
    init(_ hardware: Device.Hardware = .init()) throws {
        let loop = try EventLoop(name: "lab-device")
        let events = Probe<DeviceEvent>(loop)
        self.events = events
        do throws(RingerError) {
            let ports = try Device.Ports(hardware, loop: loop)
            speaker = ports.speaker as? ALSASoundOutput
            device = try Device(ports, configuration: .init(observer: { events.tell($0) }))
        } catch {
            loop.close()
            throw error
        }
    }

    deinit {
        device.close()
    }

    /// The next position that the switch is moved to; other events are passed over.
    func nextPosition() async throws -> (SwitchPosition, at: MonotonicTime) {
        while true {
            if case .switchMoved(let position, _, let at) = try await events.next() { return (position, at) }
        }
    }

    /// The next route that the device's sound takes; other events are passed over.
    func nextRoute() async throws -> RouteChange {
        while true {
            if case .routeChanged(let change, _) = try await events.next() { return change }
        }
    }

    /// Waits until the sound's first frame was accepted.
    func nextStart() async throws -> MonotonicTime {
        while true {
            if case .playback(.started(let at), _) = try await events.next() { return at }
        }
    }
}

/// The command, as it was built beside the tests.
enum RingerCommandLine {
    static var path: String {
        let bundle = CommandLine.arguments[0]
        let folder = bundle.lastIndex(of: "/").map { String(bundle[..<$0]) } ?? "."
        return folder + "/ringer"
    }
}
