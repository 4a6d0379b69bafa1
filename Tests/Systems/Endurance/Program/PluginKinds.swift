import CEndurance
import CLinux
import CPCMProtocol
import Glibc
import RingerLinux
import RingerBus
import RingerDaemon
import RingerTestKit
import ServiceSupport

extension Kinds {
    /// The connections of the ALSA plug-in, and the interface of feedbackd.
    static var plugin: [Kind] {
        [
            Kind("connections of the plug-in: greeted, running, refused, silent and broken off", share: 2) {
                let server = try PluginServer()
                return { number in
                    let connection = ringer_connect(server.socket)
                    try require(connection >= 0, "connect: \(errno)")
                    defer { close(connection) }
                    var packet = ringer_pcm_packet()
                    packet.version = UInt8(number % 7 == 0 ? 99 : RINGER_PCM_VERSION)
                    packet.kind = UInt8(RINGER_PCM_HELLO)
                    packet.value = UInt8(number % 5 == 0 ? RINGER_PCM_CAPTURE : RINGER_PCM_PLAYBACK)
                    let (category, options) = Variations.categories[round: number]
                    let names = CategoryOptions.named.filter { options.contains($0.option) }.map(\.name)
                    put(number % 11 == 0 ? "unknown" : category.rawValue, into: &packet.category)
                    put(names.joined(separator: " "), into: &packet.options)
                    put("program \(number % 4)", into: &packet.name)
                    if number % 13 != 0 { send(packet, connection) }
                    if number % 13 != 0 { try receive(connection) }
                    for kind in [RINGER_PCM_STARTED, RINGER_PCM_PING, RINGER_PCM_STOPPED, 77].prefix(number % 5) {
                        var next = ringer_pcm_packet()
                        (next.version, next.kind) = (UInt8(RINGER_PCM_VERSION), UInt8(kind))
                        send(next, connection)
                    }
                    server.board.ringSilent.position = Variations.positions[round: number, each: 3]
                    server.turn()
                }
            },
            Kind("the plug-in itself: PCMs of every category that are opened, play and are closed", share: 40) {
                let server = try PluginServer()
                try server.configurePlugin()
                return { number in
                    let (category, _) = Variations.categories[round: number]
                    let bench = try ALSABench("ringer:\(category.rawValue)")
                    try bench.play(Variations.sounds[round: number], mayFail: true)
                    bench.output.close()
                    server.board.ringSilent.position = Variations.positions[round: number, each: 3]
                }
            },
            Kind("the plug-in itself: programs that record through it", share: 40) {
                let server = try PluginServer()
                try server.configurePlugin()
                return { number in
                    let (category, _) = Variations.categories[round: number]
                    let pcm = try endurance_pcm_open("ringer:\(category.rawValue)", 1).unwrapped()
                    let result = endurance_pcm_pass(pcm, 1)
                    endurance_pcm_close(pcm)
                    try require(result == 0, "\(category.rawValue): \(result)")
                    server.board.ringSilent.position = Variations.positions[round: number, each: 3]
                }
            },
            Kind("the plug-in itself: a service that is started again under running PCMs", share: 500) {
                var server = try PluginServer()
                try server.configurePlugin()
                let pcms = try [CInt(0), 1].map { (try endurance_pcm_open("ringer:playAndRecord", $0).unwrapped(), $0) }
                return { number in
                    server.stop()
                    server = try PluginServer()
                    // It tries again after 250 ms.
                    for _ in 0..<3_000 {
                        guard !server.hasConnections else { break }
                        usleep(20_000)
                        for (pcm, capture) in pcms { _ = endurance_pcm_pass(pcm, capture) }
                    }
                    try require(server.hasConnections, "the plug-in did not find the service")
                    for (pcm, capture) in pcms {
                        let result = endurance_pcm_pass(pcm, capture)
                        try require(result == 0, "the PCM ended: \(result)")
                    }
                    server.board.ringSilent.position = Variations.positions[round: number]
                }
            },
            Kind(
                "events of feedbackd's interface", share: 20,
                asynchronous: {
                    let bench = try ServiceBench(feedback: FeedbackService.Configuration())
                    bench.limitRecords()
                    let client = try bench.client()
                    let files = try SoundFolder()
                    let events = ["message-new-instant", "phone-incoming-call", "no-such-event", "button-pressed"]
                    return { number in
                        let reply = try await client.call(
                            "TriggerFeedback",
                            [
                                .string("org.example.app\(number % 4)"), .string(events[round: number]),
                                .dictionary(
                                    [
                                        [:], ["profile": .string("quiet")],
                                        ["sound-file": .string(files.file(round: number))],
                                    ][round: number]),
                                .int32([-1, 1][round: number, each: 4]),
                            ], interface: FeedbackNames.interface, path: FeedbackNames.path)
                        bench.board.ringSilent.position = Variations.positions[round: number, each: 5]
                        if number % 6 == 0 {
                            _ = try await client.call(
                                "EndFeedback", [.uint32(reply[0].uint32 ?? 0)], interface: FeedbackNames.interface,
                                path: FeedbackNames.path)
                        }
                        if number % 7 == 0 {
                            _ = try await client.call(
                                "Set",
                                [
                                    .string(FeedbackNames.interface), .string("Profile"),
                                    .variant(.string(["full", "quiet", "silent"][round: number])),
                                ], interface: BusInterface.properties, path: FeedbackNames.path)
                        }
                        try await bench.pass {
                            for await signal in client.signals where signal.member == "FeedbackEnded" { break }
                        }
                        let pattern = (0..<number % 4).map {
                            BusValue.structure([.double(Double($0) / 4), .uint32(UInt32(20 + number % 30))])
                        }
                        _ = try await client.call(
                            "Vibrate", [.string("org.example.app"), .array(element: "(du)", pattern)],
                            interface: FeedbackNames.hapticInterface, path: FeedbackNames.path)
                        if number % 2 == 0 { bench.clock.advance(by: .milliseconds(200)) }
                    }
                }),
        ]
    }
}

/// The service's end of the plug-in, in real time.
private final class PluginServer {
    let board: SimulatedBoard
    let socket: String
    private let loop: EventLoop
    private let streamLoop: EventLoop
    private let device: Device
    private let server: PCMServer
    private let budget: ServiceBudget
    private var isStopped = false

    init() throws {
        loop = try EventLoop(name: "service", stackSize: 1024 * 1024)
        streamLoop = try EventLoop(name: "streams")
        board = SimulatedBoard(clock: loop)
        device = try Device.simulated(board)
        socket = "/tmp/ringer-endurance-pcm-\(getpid())"
        var own = Authorization()
        own.controllingUsers.insert(getuid())
        budget = ServiceBudget(.init([.pcms: 1_000]), clock: device.clock)
        let made = PCMServer(
            device, loop: loop, streamLoop: streamLoop, path: socket, authorization: own, budget: budget, ownProcess: 0)
        server = made
        try loop.syncThrowing { () throws(RingerError) in try made.start() }
    }

    /// Whether a program is connected.
    var hasConnections: Bool { !budget.isUntouched }

    deinit {
        stop()
    }

    /// Ends as the service does.
    func stop() {
        if isStopped { return }
        isStopped = true
        loop.sync { [server] in server.stop() }
        device.close()
        loop.close()
        streamLoop.close()
    }

    /// Waits for a turn of each loop.
    func turn() {
        loop.sync {}
        streamLoop.sync {}
    }

    /// Makes `ringer` a PCM of this process, over this server.
    func configurePlugin() throws {
        _ = try ALSABench()
        let package = #filePath.split(separator: "/").dropLast(5).map { "/" + $0 }.joined()
        let built = package + "/.build/alsa"
        guard system("'\(package)/Sources/Service/ALSAPlugin/build' '\(built)' >/dev/null </dev/null") == 0 else {
            throw Unexpected("the plug-in was not built")
        }
        let text = """
            <\(package)/.build/paced/asound.conf>
            pcm_type.ringer { lib "\(built)/libasound_module_pcm_ringer.so" }
            pcm.ringer {
                @args [ CATEGORY ]
                @args.CATEGORY { type string default soloAmbient }
                type plug
                slave.pcm { type ringer category $CATEGORY slave null socket "\(socket)" }
            }
            """
        let path = socket + ".conf"
        try writeFile(text, to: path)
        setenv("ALSA_CONFIG_PATH", path, 1)
    }
}

private func put<Field>(_ text: String, into field: inout Field) {
    withUnsafeMutableBytes(of: &field) { $0.copyBytes(from: Array(text.utf8)) }
}

private func send(_ packet: ringer_pcm_packet, _ connection: CInt) {
    withUnsafeBytes(of: packet) { _ = ringer_send(connection, $0.baseAddress, $0.count) }
}

/// Waits for an answer, or the end of the connection.
private func receive(_ connection: CInt) throws {
    var waiting = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
    try require(poll(&waiting, 1, 60_000) > 0, "the service does not answer")
    var packet = ringer_pcm_packet()
    _ = ringer_receive(connection, &packet, MemoryLayout<ringer_pcm_packet>.size)
}
