import ArgumentParser
import Glibc
import Ringer
import RingerTestKit

/// A VoIP handset: rings for SIP calls as the Ring/Silent switch says, and lets them be heard.
@main
struct VoIPHandset: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "VoIPHandset",
        abstract: "A VoIP handset: rings for SIP calls by the ring/silent switch.",
        discussion: """
            Commands are read from standard input, one on each line: answer, reject, hang up, silence, status. On a simulated board \
            also: position ring|vibrate|silent.
            """)

    @Option(
        help: ArgumentHelp(
            "The address and port for SIP, which callers reach. Port 0: one that is free.", valueName: "address:port"))
    var listen: ListenAddress
    @Option(help: "The transport: udp, tcp or both.")
    var transport = Transport.both
    @OptionGroup var board: DeviceOptions
    @Option(help: "The file of the ring tone. (default: two bursts)")
    var ringTone: String?
    @Option(help: "How long a call rings before it is refused, in seconds.")
    var ringFor = 60.0
    @Option(help: "Answers calls by itself after so many seconds.")
    var answerAfter: Double?
    @Option(help: "How many calls there may be at a time: one that is talked to, and others that wait.")
    var calls: UInt32 = 2
    @Option(
        help: ArgumentHelp(
            "The ALSA PCM of a call's sound.",
            discussion:
                "By default the device's: default; ringer_output beside the service; null on a simulated board.",
            valueName: "pcm"))
    var callPcm: String?
    @Option(help: "The ALSA PCM of the microphone. (default: that of --call-pcm)")
    var microphonePcm: String?
    @Flag(help: "Prints an object for each event.")
    var json = false

    enum Transport: String, CaseIterable, ExpressibleByArgument {
        case udp, tcp, both
    }

    func validate() throws {
        guard ringFor > 0, ringFor <= 3600 else { throw ValidationError("--ring-for takes up to 3600 s.") }
        if let answerAfter, !(0...3600).contains(answerAfter) {
            throw ValidationError("--answer-after takes 0 to 3600 s.")
        }
        guard (1...16).contains(calls) else { throw ValidationError("--calls takes 1 to 16.") }
    }

    func run() throws {
        // What is printed after its reader ended is lost, and the handset goes on.
        signal(SIGPIPE, SIG_IGN)
        // On a loop's thread, not on Swift's pool, whose threads wake up once a second.
        let loop = try EventLoop(name: "handset")
        defer { loop.close() }
        try loop.run { try await serve(Output(loop)) }
    }

    private func serve(_ output: Output) async throws {
        let (device, board) = try await board.open()
        let events = device.events
        let rules = HandsetMachine.Rules(
            ringLimit: .seconds(ringFor), answersAfter: answerAfter.map { .seconds($0) })
        let tone = try ringTone.map { path throws(RingerError) in try SoundLoader.load(path) } ?? RingTone.standard()
        let handset = try Handset(
            device, ringTone: tone, rules: rules,
            report: { [json] event in output.line(json ? event.json : event.sentence) },
            complain: { output.complaint($0) })
        let pcm = callPcm ?? (board != nil ? "null" : device.isConnected ? "ringer_output" : "default")
        let endpoint = try SIPEndpoint(
            SIPEndpoint.Options(
                address: listen.address, port: listen.port, udp: transport != .tcp, tcp: transport != .udp,
                calls: calls,
                playback: pcm, capture: microphonePcm ?? pcm)
        ) { handset.take($0) }
        handset.connect(endpoint)
        // The device's motor and sounds stop first, then the callers hear of it.
        try device.closeOnTermination { endpoint.stop() }
        output.complaint("Listening at \(ListenAddress.written(listen.address, endpoint.port)).")
        async let commands: Void = Console(handset, board, output).read(from: device)
        for await event in events { handset.take(event) }
        await commands
        // The device was closed by a signal, which ends the process once the callers have been told.
        try await Task.sleep(for: .seconds(5))
    }
}
