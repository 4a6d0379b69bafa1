import ArgumentParser
import Boards
import RingerLinux
import RingerClient
import RingerTestKit
import RingerTerminal

/// The device that a command uses.
struct BoardOptions: ParsableArguments {
    /// A part that the command cannot do without.
    enum Part {
        case ringSilentSwitch
    }

    @Option(
        help: ArgumentHelp(
            "The machine's own hardware, the service, a simulated board, or auto.",
            discussion: """
                auto is the service, ringerd, where it runs or the bus can start it, and no option below names a part; else the \
                machine's own hardware. The bus is the system bus; with RINGER_BUS=session, the session bus.
                """))
    var board = Board.auto
    @Option(
        name: .customLong("switch"),
        help: ArgumentHelp(
            "The switch: gpio:NAME, gpio:CHIP:OFFSET, evdev:PATH, evdev:auto, slider:PATH or slider:auto; or a push button: button:gpio:..., button:evdev:....",
            discussion: """
                Options follow after commas.
                gpio: active-low, inverted, bias=as-is|pull-up|pull-down|disabled, debounce=10ms
                evdev: name=PART, code=SW_MUTE_DEVICE, inverted
                slider: name=PART, settle=50ms
                button: toggle, cycle, long=600ms, debounce=10ms; of gpio: active-low, bias; of evdev: name, code=KEY_MUTE
                """, valueName: "switch"),
        transform: { try SwitchSpecification($0) })
    var ringSilent: SwitchSpecification?
    @Option(
        help: "The motor: ff:PATH, ff:auto, gpio:NAME, gpio:CHIP:OFFSET[,active-low], led:NAME or none.",
        transform: { try MotorSpecification($0) })
    var motor: MotorSpecification?
    @Option(
        help:
            "The ALSA PCM to play to. With a simulated board, its sounds are played there too. (default: the card's, as 'ringer doctor' shows it)"
    )
    var pcm: String?
    @Option(help: "The sound card whose volume and jacks are used: its id or number. (default: the first)")
    var card: String?
    @Option(
        help: ArgumentHelp(
            "The mixer element of the output volume. (default: the use-case configuration's; or Master, Speaker, PCM, ...)",
            valueName: "element"))
    var mixerElement: String?
    @Option(
        name: .customLong("route-pcm"),
        help: ArgumentHelp(
            "A route of the board and its PCM, such as receiver=plughw:1; may be given several times.",
            valueName: "route=pcm"),
        transform: Self.routePCM)
    var routes: [(route: AudioRoute, pcm: String)] = []
    @Flag(help: "The volume keys of input devices that are no keyboards change the volume of what is heard.")
    var volumeKeys = false
    @Option(help: "Use a simulated switch at this position instead of a real one.")
    var position: SwitchPosition?

    func validate() throws {
        if position != nil && ringSilent != nil { throw ValidationError("--position and --switch exclude each other.") }
        if board == .service && namesParts {
            throw ValidationError("--board service has the parts of the service: name none.")
        }
    }

    /// Whether an option names a part of the device.
    private var namesParts: Bool {
        position != nil || ringSilent != nil || motor != nil || pcm != nil || card != nil || mixerElement != nil
            || !routes.isEmpty || volumeKeys
    }

    static func routePCM(_ text: String) throws -> (route: AudioRoute, pcm: String) {
        let parts = text.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let route = AudioRoute(rawValue: String(parts[0])) else {
            let names = AudioRoute.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("write ROUTE=PCM; the routes are \(names).")
        }
        return (route, String(parts[1]))
    }

    /// The hardware that the options name; `following` says which state the device follows besides the switch.
    func hardware(following: Device.Hardware.Following = []) -> Device.Hardware {
        Device.Hardware(
            ringSilent: ringSilent, motor: motor, pcm: pcm,
            routes: Dictionary(routes.map { ($0.route, $0.pcm) }, uniquingKeysWith: { $1 }), following: following,
            card: card,
            volumeElement: mixerElement, volumeKeys: volumeKeys)
    }

    /// The service's device, for what has to last longer than the command.
    func connectedDevice(to operation: String, because reason: String) async throws -> Device {
        let device = try await makeDevice()
        if device.isConnected { return device }
        device.close()
        throw RingerError(
            .unsupported, operation, "device", detail: "\(reason) after this command has ended: start ringerd")
    }

    /// The device that the options name. The state of a simulated board is always followed.
    func makeDevice(
        requiring part: Part? = nil, following: Device.Hardware.Following = [],
        configuration: Device.Configuration = .init(), recording: TraceRecording? = nil
    ) async throws -> Device {
        var configuration = configuration
        if let recording { configuration.observer = { recording.recorder.record($0) } }
        let device = try await open(following: following, configuration: configuration)
        try device.close(on: Terminal.signals, afterwards: { recording?.finishOnTermination() })
        await device.waitForSwitch()
        let problem = device.switchProblem
        // A part that an option names, and that is not there, is a mistake.
        let isMisnamed = ringSilent != nil && problem?.code == .notFound
        if isMisnamed || part == .ringSilentSwitch && device.state.ringSilent == nil {
            device.close()
            throw problem
                ?? RingerError(
                    .notFound, "find a ring/silent switch", "\(HardwarePaths.standard.input)",
                    detail: "see 'ringer doctor'; name one with --switch, or use --board simulated")
        }
        if let problem {
            let position = device.preferences.whenSwitchUnreadable.rawValue
            Terminal.complain("Warning: the ring/silent switch cannot be read and counts as \(position): \(problem)")
        }
        return device
    }

    private func open(
        following: Device.Hardware.Following, configuration: Device.Configuration
    ) async throws(RingerError) -> Device {
        if await board.isService(namesParts: namesParts) {
            if configuration.preferences != UserPreferences() {
                Terminal.complain("Warning: the service's preferences apply, not those of the command line.")
            }
            return try await Device.connect(configuration: configuration)
        }
        let loop = try EventLoop(name: "ringer-device")
        do throws(RingerError) {
            return try Device(try ports(on: loop, following: following), configuration: configuration)
        } catch {
            loop.close()
            throw error
        }
    }

    /// The ports for the options: those of a simulated board, except the ones that are named.
    private func ports(
        on loop: EventLoop, following: Device.Hardware.Following
    ) throws(RingerError) -> Device.Ports {
        let simulated = SimulatedBoard(clock: loop, position: position ?? .ring)
        if board != .simulated {
            var ports = try Device.Ports(hardware(following: following), loop: loop)
            if position != nil { ports.ringSilent = simulated.ringSilent }
            return ports
        }
        var ports = Device.Ports(simulated: simulated) { loop.close() }
        if let ringSilent { ports.ringSilent = ringSilent.make(loop: loop, isAwaited: true) }
        if let motor { ports.motor = try motor.make(loop: loop) }
        if let pcm { ports.speaker = try ALSASoundOutput(pcm: pcm) }
        return ports
    }
}

extension Board: ExpressibleByArgument {}
