import Ringer
import RingerClient
import RingerTestKit

/// What the command line asks for.
struct Options: Sendable {
    enum Board: String, CaseIterable, Sendable {
        case auto, service, simulated
    }

    enum Transport: String, CaseIterable, Sendable {
        case udp, tcp, both
    }

    /// The address to listen at, without brackets; empty until it was named.
    var address = ""
    var port: UInt16 = 5060
    var transport = Transport.both
    var calls: UInt32 = 2
    var board = Board.auto
    var position: SwitchPosition?
    /// The ALSA PCM of the ring.
    var pcm: String?
    var preferences = UserPreferences()
    var ringTone: String?
    var rules = HandsetMachine.Rules()
    var holdLimit = Duration.seconds(600)
    /// The ALSA PCMs of a call.
    var callPCM: String?
    var microphonePCM: String?
    var printsJSON = false

    static let usage = """
        usage: VoIPHandset --listen ADDRESS:PORT [OPTION...]

        Rings for SIP calls by the ring/silent switch. Commands are read from standard input, one on each line: answer,
        reject, hang up, silence, status. On a simulated board also: position ring|vibrate|silent.

          --listen ADDRESS:PORT     The address and port for SIP, which callers reach. Port 0: one that is free.
          --transport udp|tcp|both  (default: both)
          --calls N                 Calls at a time: one that is talked to, and others that wait (default: 2).
          --board auto|service|simulated      The service where it runs, else this machine's hardware (auto, the
                                    default); the service; a simulated board.
          --position ring|vibrate|silent      The simulated switch.
          --pcm PCM                 The ALSA PCM of the ring (default: that of the card's use cases, or "default"). With a
                                    simulated board, its sounds are played there too.
          --ring-tone FILE          One round of the ring tone (default: two bursts).
          --ring-for SECONDS        How long a call rings before it is refused (default: 60).
          --answer-after SECONDS    Answer calls by itself, except beside one that is talked to.
          --hold-for SECONDS        How long a call may be on hold before it is ended (default: 600).
          --call-pcm PCM            The ALSA PCM of a call's sound (default: default; ringer_output beside the service;
                                    null on a simulated board).
          --microphone-pcm PCM      The ALSA PCM of the microphone (default: that of --call-pcm).
          --no-vibrate-on-ring      A ring that is heard is not felt.
          --no-vibrate-on-silent    A call is not felt while the switch is at silent.
          --haptics-while-recording A second call is felt while one is talked to.
          --json                    Print an object for each event.
          --help                    Print this text.

        Exit status: by SIGTERM; with one line on standard error 1 failed, 64 bad usage.
        """

    init(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if setFlag(argument) { continue }
            guard argument.hasPrefix("--") else { throw UsageError("unknown argument \(argument)") }
            guard let value = rest.popFirst() else { throw UsageError("\(argument) needs a value") }
            do throws(UsageError) {
                try set(argument, value)
            } catch {
                throw UsageError("\(argument) \(value): \(error.message)")
            }
        }
        if address.isEmpty { throw UsageError("--listen ADDRESS:PORT is needed") }
        if position != nil, board != .simulated { throw UsageError("--position needs --board simulated") }
        if pcm != nil, board == .service { throw UsageError("--board service has the PCM of the service: name none") }
    }

    /// Takes an option without a value; false if it is none.
    private mutating func setFlag(_ option: String) -> Bool {
        switch option {
        case "--json": printsJSON = true
        case "--no-vibrate-on-ring": preferences.vibrateOnRing = false
        case "--no-vibrate-on-silent": preferences.vibrateOnSilent = false
        case "--haptics-while-recording": preferences.hapticsWhileRecording = true
        default: return false
        }
        return true
    }

    private mutating func set(_ option: String, _ value: String) throws(UsageError) {
        switch option {
        case "--listen": try setListen(value)
        case "--transport": transport = try Self.choice(value)
        case "--calls": calls = UInt32(try Self.number(value, 1...16))
        case "--board": board = try Self.choice(value)
        case "--position": position = try Self.choice(value)
        case "--pcm": pcm = value
        case "--ring-tone": ringTone = value
        case "--ring-for": rules.ringLimit = .seconds(try Self.number(value, 1...3600))
        case "--answer-after": rules.answersAfter = .seconds(try Self.number(value, 0...3600))
        case "--hold-for": holdLimit = .seconds(Int(try Self.number(value, 1...86400)))
        case "--call-pcm": callPCM = value
        case "--microphone-pcm": microphonePCM = value
        default: throw UsageError("there is no such option")
        }
    }

    private mutating func setListen(_ value: String) throws(UsageError) {
        guard let colon = value.lastIndex(of: ":"), let port = UInt16(value[value.index(after: colon)...]) else {
            throw UsageError("ADDRESS:PORT is needed")
        }
        // An IPv6 address is in brackets.
        var address = value[..<colon]
        if address.hasPrefix("["), address.hasSuffix("]") { address = address.dropFirst().dropLast() }
        self.address = String(address)
        self.port = port
    }

    private static func number(_ text: String, _ range: ClosedRange<Double>) throws(UsageError) -> Double {
        guard let number = Double(text), range.contains(number) else {
            throw UsageError("a number from \(Int(range.lowerBound)) to \(Int(range.upperBound)) is needed")
        }
        return number
    }

    private static func choice<Choice: RawRepresentable & CaseIterable>(
        _ text: String
    ) throws(UsageError) -> Choice where Choice.RawValue == String {
        guard let choice = Choice(rawValue: text) else {
            throw UsageError("the choices are \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }

    /// The device, and the simulated board behind it.
    func openDevice() async throws(RingerError) -> (device: Device, board: SimulatedBoard?) {
        let configuration = Device.Configuration(preferences: preferences)
        if board == .simulated {
            let (board, loop) = try SimulatedBoard.inRealTime(position: position ?? .ring)
            var ports = Device.Ports(simulated: board) { loop.close() }
            if let pcm { ports.speaker = try ALSASoundOutput(pcm: pcm) }
            return (try Device(ports, configuration: configuration), board)
        }
        var usesService = board == .service
        if !usesService, pcm == nil { usesService = await Device.isServiceAvailable() }
        if usesService { return (try await Device.connect(configuration: configuration), nil) }
        return (try await Device.discover(Device.Hardware(pcm: pcm), configuration: configuration), nil)
    }
}

/// The command line is wrong.
struct UsageError: Error {
    var message: String

    init(_ message: String) {
        self.message = message
    }
}
