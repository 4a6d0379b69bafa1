import RingerLinux
import RingerClient
import Testing

/// How a program has the board's speaker and motor.
enum PromiseWay: String, CaseIterable, Sendable, CustomTestStringConvertible {
    /// In the process, on the card itself.
    case loopback
    /// In the process, through dmix.
    case mixed
    /// In the process, through dmix with its own period of 125 ms.
    case mixedByDefault
    /// Over `ringerd`, which plays to the card itself.
    case serviceOnLoopback
    /// Over `ringerd`, which plays through dmix.
    case serviceOnMixed

    var isService: Bool { self == .serviceOnLoopback || self == .serviceOnMixed }
    /// The PCM that is played to; `loopback_capture` returns what is heard.
    var pcm: String {
        switch self {
        case .loopback, .serviceOnLoopback: "loopback"
        case .mixed, .serviceOnMixed: "mixed"
        case .mixedByDefault: "mixed_default"
        }
    }
    var testDescription: String { isService ? "the service on \(pcm)" : pcm }
}

/// A device on the board, in the process or over the service: each promise is tested on all of them.
final class PromiseBench {
    let device: Device
    private let events: Probe<DeviceEvent>
    private let lab: LabDevice?
    private let service: LabService?
    private let way: PromiseWay

    init(_ way: PromiseWay) async throws {
        self.way = way
        guard way.isService else {
            let lab = try LabDevice(.init(pcm: way.pcm))
            (self.lab, service, device, events) = (lab, nil, lab.device, lab.events)
            return
        }
        let path = "\(Lab.temporaryFolder)/\(way.pcm).conf"
        try write(Array("pcm = \(way.pcm)\n".utf8), to: path)
        let service = try await LabService("--config", path)
        let (device, events) = try await Self.connect(to: service)
        (lab, self.service, self.device, self.events) = (nil, service, device, events)
    }

    deinit {
        device.close()
    }

    private static func connect(to service: LabService) async throws -> (Device, Probe<DeviceEvent>) {
        let events = Probe<DeviceEvent>(try EventLoop(name: "lab-probe"))
        let device = try await Device.connect(
            to: .address(service.address), configuration: .init(observer: { events.tell($0) }))
        return (device, events)
    }

    /// Another program's device; in the process, the same one.
    func otherProgram() async throws -> Device {
        guard let service else { return device }
        return try await Self.connect(to: service).0
    }

    /// Starts the command, with the same device.
    func ringer(_ arguments: String...) throws -> ChildProcess {
        guard let service else { return try ChildProcess([RingerCommandLine.path] + arguments + ["--pcm", way.pcm]) }
        return try ChildProcess(
            ["env", "RINGER_BUS=session", "DBUS_SESSION_BUS_ADDRESS=\(service.address)", RingerCommandLine.path]
                + arguments)
    }

    /// Waits until the sound's first frame was accepted.
    func sounds() async throws {
        while true {
            if case .playback(.started, _) = try await events.next() { return }
        }
    }

    /// Moves the switch, and waits until the device has its position.
    func flip(to position: SwitchPosition) async throws {
        try LabBoard.setSwitch(silent: position == .silent)
        while true {
            if case .switchMoved(position, _, _) = try await events.next() { return }
        }
    }
}

/// A sound that the policy forbids at silent.
enum ForbiddenSound: String, CaseIterable, Sendable {
    case session, announcement, systemSound, alert

    /// Begins a sound of 2 s or more; an alert goes on until it is stopped.
    func start(on device: Device) throws {
        let sound = VirtualTime.DeviceSoundTests.sound(.seconds(2))
        switch self {
        case .session: try device.start(sound, category: .soloAmbient)
        case .announcement:
            try device.announcements.add(Announcement(sound, category: .playback, options: .honoursRingSilentSwitch))
        case .systemSound: device.sounds.start(1005)
        case .alert: device.alerts.start(1005, way: .sound, limit: nil)
        }
    }
}

/// What keeps an announcement from being heard for a while.
enum Obstacle: String, CaseIterable, Sendable {
    /// A call that is there before it.
    case callBefore
    /// A call in its middle, of 0.3 s.
    case call
    /// A call in its middle that is over at once.
    case shortCall
    /// An interruption from outside, such as an alarm clock's, that is over at once.
    case shortInterruption
    /// Another program's music in its middle, of 0.3 s.
    case music
    /// Nothing does: the switch moves, which does not concern it.
    case flip
}

/// How a vibration comes to its end.
enum MotorEnd: String, CaseIterable, Sendable {
    case limit, stop, close, death
}
