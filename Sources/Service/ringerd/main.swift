import CLinux
import Glibc
import RingerLinux
import RingerBus
import RingerDaemon
import RingerTestKit

/// What the command line asks for.
struct Arguments {
    var bus = BusConnection.Bus.system
    var isSimulated = false
    var isVirtual = false
    var configuration: String?
    var pcmSocket: String?

    static let help = """
        ringerd: the service that decides for every program of a device whether a sound is heard.

        USAGE: ringerd [--system | --session | --address ADDRESS] [--board auto|simulated] [--clock real|virtual]
                       [--config FILE] [--pcm-socket PATH]

          --system           Serve on the system bus. This is the default.
          --session          Serve on the session bus: for desktops and tests.
          --address ADDRESS  Serve on the bus at a D-Bus address, such as unix:path=/run/bus.
          --board BOARD      The machine's own hardware (auto, the default) or a simulated board.
          --clock CLOCK      The clock of a simulated board: real, the default, or virtual.
          --config FILE      The configuration file (default: /etc/ringer/ringerd.conf, where there is one).
          --pcm-socket PATH  Serve the ALSA plug-in at this socket (default: \(PCMServer.standardPath) with --system, else none).
          --introspect       Print the introspection data of the interfaces.
          --version          Print the version and the revision.
          --help             Print this text.

        Exit status: 0 after SIGTERM or SIGINT; with one line on standard error 1 failed, 64 bad usage, 78 wrong configuration.

        """

    init(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        func value(of option: String) throws(UsageError) -> String {
            guard let value = rest.popFirst() else { throw UsageError("\(option) needs a value") }
            return value
        }
        while let argument = rest.popFirst() {
            switch argument {
            case "--system": bus = .system
            case "--session": bus = .session
            case "--address": bus = .address(try value(of: argument))
            case "--board":
                switch try value(of: argument) {
                case "auto": isSimulated = false
                case "simulated": isSimulated = true
                case let other: throw UsageError("--board is auto or simulated, not \(other)")
                }
            case "--clock":
                switch try value(of: argument) {
                case "real": isVirtual = false
                case "virtual": isVirtual = true
                case let other: throw UsageError("--clock is real or virtual, not \(other)")
                }
            case "--config": configuration = try value(of: argument)
            case "--pcm-socket": pcmSocket = try value(of: argument)
            default: throw UsageError("unknown argument \(argument)")
            }
        }
        if isVirtual && !isSimulated { throw UsageError("--clock virtual needs --board simulated") }
    }
}

struct UsageError: Error {
    var message: String

    init(_ message: String) {
        self.message = message
    }
}

func write(_ text: String, to descriptor: CInt) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count < 0 { return }
        bytes = bytes.dropFirst(count)
    }
}

/// The configuration of the file that the arguments name, or else of the standard one, where there is one.
func configuration(_ arguments: Arguments) throws(RingerError) -> ServiceConfiguration {
    let standard = "/etc/ringer/ringerd.conf"
    guard let path = arguments.configuration ?? (access(standard, F_OK) == 0 ? standard : nil) else {
        return ServiceConfiguration()
    }
    return try ServiceConfiguration(path: path)
}

/// Runs the service on this thread until a signal ends the process or the bus is lost. The device has a thread of its own:
/// no message of the bus delays an edge, a stop or the end of a vibration. So have the programs on the ALSA plug-in: other load
/// does not delay what they learn of the switch.
func serve(_ arguments: Arguments, _ configuration: ServiceConfiguration) throws {
    let loop = try EventLoop(onThisThreadAs: "ringerd")
    defer { loop.close() }
    let deviceLoop = try EventLoop(name: "ringer-device", realTimePriority: configuration.hardware.realTimePriority)
    defer { deviceLoop.close() }
    try loop.run {
        var board: SimulatedBoard?
        let ports: Device.Ports
        if arguments.isSimulated {
            let simulated = SimulatedBoard(clock: arguments.isVirtual ? VirtualClock() : deviceLoop)
            // Nobody can ask for them.
            simulated.speaker.keepsSamples = false
            board = simulated
            ports = Device.Ports(simulated: simulated)
        } else {
            ports = try Device.Ports(configuration.hardware, loop: deviceLoop)
        }
        let preferencesFile = configuration.preferencesFile.map { PreferencesFile(path: $0) }
        var preferences = UserPreferences()
        if let preferencesFile { preferences = preferencesFile.read { write("\($0)\n", to: STDERR_FILENO) } ?? .unread }
        var ofDevice = Device.Configuration(preferences: preferences)
        (ofDevice.positionFile, ofDevice.initialPosition) = (configuration.positionFile, configuration.initialPosition)
        let device = try Device(ports, configuration: ofDevice)
        defer { device.close() }
        if let problem = device.positionProblem { write("\(problem)\n", to: STDERR_FILENO) }
        if !arguments.isSimulated { await device.waitForSwitch() }
        let connection = try BusConnection.connect(arguments.bus, on: loop)
        var authorization = configuration.authorization
        // A bus of its own belongs to the user who runs the service.
        if arguments.bus != .system { authorization.controllingUsers.insert(getuid()) }
        let budget = ServiceBudget(configuration.limits, clock: device.clock) {
            write("Warning: \($0)\n", to: STDERR_FILENO)
        }
        let service = Service(
            device, loop: loop, connection: connection, authorization: authorization, budget: budget,
            preferencesFile: preferencesFile, followsLogind: arguments.bus == .system,
            board: board.map { SimulatedBoardService($0, loop: loop) })
        let feedback = configuration.servesFeedback ? FeedbackService(service, configuration.feedback) : nil
        if let problem = feedback?.problem {
            write("\(problem); feedback is silent until a profile is set\n", to: STDERR_FILENO)
        }
        let pcmPath = arguments.pcmSocket ?? (arguments.bus == .system ? PCMServer.standardPath : nil)
        // What programs on the plug-in make it do delays nothing of the device.
        let pcmPriority = configuration.hardware.realTimePriority.map { max(1, $0 - 1) }
        let pcmLoop = try pcmPath.map { _ in try EventLoop(name: "ringer-pcm", realTimePriority: pcmPriority) }
        defer { pcmLoop?.close() }
        let pcms = pcmPath.map {
            PCMServer(
                device, loop: loop, streamLoop: pcmLoop, path: $0, authorization: authorization, budget: budget)
        }
        let signals = try TerminationSignals.handle(
            on: loop,
            untilDone: { _, _ in
                pcms?.stop()
                service.stop()
                feedback?.stop()
                connection.close()
                // The signal would end the process when this is done.
                device.close(completion: { exit(EXIT_SUCCESS) })
            })
        defer { signals.cancel() }
        do throws(RingerError) {
            try feedback?.start()
        } catch {
            // feedbackd may run beside it.
            write("Warning: \(error)\n", to: STDERR_FILENO)
        }
        try service.start()
        if arguments.pcmSocket != nil {
            try pcms?.start()
        } else {
            pcms?.startWhenPossible { write("Warning: \($0); it is tried again\n", to: STDERR_FILENO) }
        }
        if let interval = ServiceManager.watchdogInterval {
            Watchdog.start(device, loop: loop, pcmLoop: pcmLoop, clock: loop, interval: interval) {
                do throws(RingerError) {
                    try ServiceManager.reportAlive()
                } catch {
                    write("Warning: \(error)\n", to: STDERR_FILENO)
                }
            }
        }
        // Without the bus nobody can ask for anything: whatever started the service starts it again.
        let (losses, loss) = AsyncStream<RingerError>.makeStream()
        connection.onDisconnect { loss.yield($0) }
        for await error in losses { throw error }
    }
}

let words = Array(CommandLine.arguments.dropFirst())
if words.contains("--help") {
    write(Arguments.help, to: STDOUT_FILENO)
    exit(EXIT_SUCCESS)
}
if words.contains("--version") {
    write("ringerd \(RingerVersion.text)\n", to: STDOUT_FILENO)
    exit(EXIT_SUCCESS)
}
if words.contains("--introspect") {
    write(Introspection([.ringer, .session, .simulatedBoard, .feedback, .haptic]).text(), to: STDOUT_FILENO)
    exit(EXIT_SUCCESS)
}

/// Prints an error, and ends.
func fail(_ error: any Error, status: CInt) -> Never {
    write("Error: \(error)\n", to: STDERR_FILENO)
    exit(status)
}

// The memory of a large message, or of a long sound, is the system's again when it goes.
ringer_return_large_memory(32 * 1024)
// What this process plays to PipeWire's ALSA PCM was judged here: ringer-pipewire lets it pass.
setenv("PIPEWIRE_ALSA", "{ media.role = ringer-judged }", 0)

let arguments: Arguments
do {
    arguments = try Arguments(words)
} catch {
    write("Error: \(error.message)\nSee 'ringerd --help' for more information.\n", to: STDERR_FILENO)
    exit(64)
}
let settings: ServiceConfiguration
do {
    settings = try configuration(arguments)
} catch {
    fail(error, status: EX_CONFIG)
}
do {
    try serve(arguments, settings)
} catch {
    fail(error, status: EXIT_FAILURE)
}
