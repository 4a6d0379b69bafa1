// Announces the payments that an MQTT broker reports. README.md beside this folder has the configuration.
import CPaymentSpeaker
import Glibc
import PaymentRules
import Ringer
import RingerClient
import RingerTestKit

func write(_ text: String, to descriptor: CInt) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count < 0 && errno != EINTR { return }
        bytes = bytes.dropFirst(max(count, 0))
    }
}

func contents(of path: String) throws(RingerError) -> String {
    guard let file = fopen(path, "re") else {
        throw RingerError(.system, "read", path, detail: String(cString: strerror(errno)))
    }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
        bytes += buffer[..<count]
        guard bytes.count <= 1 << 20 else {
            throw RingerError(.invalid, "read", path, detail: "it is larger than 1 MB")
        }
    }
    guard ferror(file) == 0 else {
        throw RingerError(.system, "read", path, detail: String(cString: strerror(errno)))
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
        throw RingerError(.invalid, "read", path, detail: "it is not UTF-8")
    }
    return text
}

extension Options {
    /// The device that the options name.
    func open() async throws -> Device {
        switch board {
        case .simulated:
            let (simulated, loop) = try SimulatedBoard.inRealTime(position: position)
            // What was heard is of no interest here, and takes memory.
            simulated.speaker.recordingLimit = 1
            if sound == .skip { simulated.speaker.fault = .unpaced }
            return try Device(Device.Ports(simulated: simulated) { loop.close() })
        case .service: return try await Device.connect()
        case .auto:
            if await Device.isServiceAvailable() { return try await Device.connect() }
            var hardware = hardware
            hardware.following.insert(.volume)
            return try await Device.discover(hardware)
        }
    }

    /// How to reach the broker.
    func brokerSettings() throws(RingerError) -> MQTTClient.Settings {
        let password = try passwordFile.map { path throws(RingerError) in
            String(try contents(of: path).prefix { $0 != "\n" })
        }
        return MQTTClient.Settings(
            host: host, port: port ?? (authorities == nil ? 1883 : 8883), identifier: "payment-speaker-\(device)",
            keepAlive: keepAlive, username: username, password: password, authorities: authorities,
            certificate: certificate, key: key)
    }

    /// The wall clock; nil while it is not set.
    @Sendable static func wallClock(_ clock: Clock) -> WallTime? {
        let isSet =
            switch clock {
            case .auto: payment_clock_is_synchronised()
            case .set: true
            case .unset: false
            }
        guard isSet else { return nil }
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return WallTime(microseconds: Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000)
    }
}

@PaymentActor
func serve(_ options: Options) async throws {
    let announcer = Announcer(directory: options.clips, language: options.language, policy: options.policy)
    let device = try await options.open()
    defer { device.close() }
    try device.closeOnTermination()
    let speaker = PaymentSpeaker(
        device, ledger: LedgerFile(options.ledgerPath),
        settings: .init(
            announcer: announcer, staleness: options.staleness,
            envelope: try options.keys.map { path throws(RingerError) in
                try Envelope(contents(of: path), path: path, device: options.device)
            },
            wallClock: { [clock = options.clock] in Options.wallClock(clock) },
            clockPatience: options.clock == .auto ? .seconds(600) : nil, withoutClock: options.withoutClock,
            retention: options.retention))
    let connection = try Connection(
        device, speaker, try options.brokerSettings(), topic: "payments/\(options.device)")
    let output = Output(STDOUT_FILENO)
    let complaints = Output(STDERR_FILENO)
    speaker.reportProblem = { complaints.line("PaymentSpeaker: \($0)") }
    speaker.report = { report in
        output.line(options.printsJSON ? report.json : report.text)
        connection.publish(report)
    }
    for warning in options.warnings { complaints.line("PaymentSpeaker: warning: \(warning)") }
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await speaker.run() }
        group.addTask { try await connection.run() }
        group.addTask { try await connection.publishStatus() }
        group.addTask { try await output.run(device) }
        group.addTask { try await complaints.run(device) }
        if let interval = Watchdog.interval {
            group.addTask {
                try await Watchdog.run(device, within: interval) {
                    do throws(RingerError) {
                        try Watchdog.report()
                    } catch {
                        speaker.setProblem("watchdog", error)
                    }
                }
            }
        }
        try await group.next()
        group.cancelAll()
    }
}

if CommandLine.arguments.dropFirst().contains("--help") {
    write(CommandLine.arguments[1] == "voices" ? Voices.help : Options.help, to: STDOUT_FILENO)
    exit(0)
}
do {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "voices" {
        exit(try Voices.run(Array(arguments.dropFirst())) { write($0 + "\n", to: STDOUT_FILENO) })
    }
    let options = try Options(arguments)
    // libmosquitto writes to sockets that the broker may have closed.
    signal(SIGPIPE, SIG_IGN)
    // A ledger that has reached a limit of the system is an error, not the end: see `ulimit -f`.
    signal(SIGXFSZ, SIG_IGN)
    // On the main thread, so that no pool of threads is started.
    let loop = try EventLoop(onThisThreadAs: "payments")
    defer { loop.close() }
    try loop.run { try await serve(options) }
} catch let error as UsageError {
    write("PaymentSpeaker: \(error.message); see --help\n", to: STDERR_FILENO)
    exit(64)
} catch {
    write("PaymentSpeaker: \(error)\n", to: STDERR_FILENO)
    exit(1)
}
