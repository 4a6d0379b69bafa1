import ArgumentParser
import Ringer
import RingerClient
import RingerTestKit

/// Where the device comes from, and its preferences.
struct DeviceOptions: ParsableArguments {
    enum Board: String, CaseIterable, ExpressibleByArgument {
        case auto, service, simulated
    }

    @Option(
        help: ArgumentHelp(
            "The service, a simulated board, or auto.",
            discussion:
                "auto is the service, ringerd, where it runs or the bus can start it; else the hardware of this machine."
        ))
    var board = Board.auto
    @Option(help: "The position of a simulated board's switch: ring, vibrate or silent.")
    var position: SwitchPosition?
    @Option(
        help: ArgumentHelp(
            "The ALSA PCM of the ring. With a simulated board, its sounds are played there too. (default: default)"))
    var pcm: String?
    @Flag(inversion: .prefixedNo, help: "A ring that is heard is felt as well.")
    var vibrateOnRing = true
    @Flag(inversion: .prefixedNo, help: "A call is felt while the switch is at silent.")
    var vibrateOnSilent = true
    @Flag(help: "A second call is felt while one is talked to.")
    var hapticsWhileRecording = false

    func validate() throws {
        if position != nil, board != .simulated { throw ValidationError("--position takes --board simulated.") }
        if pcm != nil, board == .service {
            throw ValidationError("--board service has the PCM of the service: name none.")
        }
    }

    private var preferences: UserPreferences {
        UserPreferences(
            vibrateOnRing: vibrateOnRing, vibrateOnSilent: vibrateOnSilent, hapticsWhileRecording: hapticsWhileRecording
        )
    }

    /// The device, and the simulated board behind it.
    func open() async throws -> (device: Device, board: SimulatedBoard?) {
        let configuration = Device.Configuration(preferences: preferences)
        if board == .simulated {
            let (board, loop) = try SimulatedBoard.inRealTime(position: position ?? .ring)
            var ports = Device.Ports(simulated: board) { loop.close() }
            if let pcm { ports.speaker = try ALSASoundOutput(pcm: pcm) }
            return (try Device(ports, configuration: configuration), board)
        }
        if board == .service { return (try await Device.connect(configuration: configuration), nil) }
        if pcm == nil, await Device.isServiceAvailable() {
            return (try await Device.connect(configuration: configuration), nil)
        }
        return (try await Device.discover(Device.Hardware(pcm: pcm ?? "default"), configuration: configuration), nil)
    }
}

extension SwitchPosition: @retroactive ExpressibleByArgument {}

/// An address and a port: `192.0.2.5:5060`, `[2001:db8::5]:5060`.
struct ListenAddress: ExpressibleByArgument {
    var address: String
    var port: UInt16

    init?(argument: String) {
        guard let colon = argument.lastIndex(of: ":"), let port = UInt16(argument[argument.index(after: colon)...])
        else {
            return nil
        }
        var address = argument[..<colon]
        if address.hasPrefix("["), address.hasSuffix("]") { address = address.dropFirst().dropLast() }
        guard !address.isEmpty else { return nil }
        self.address = String(address)
        self.port = port
    }

    /// The address as it is written before a port.
    static func written(_ address: String, _ port: UInt16) -> String {
        address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
    }
}
