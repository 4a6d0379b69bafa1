// Announces the payments that an MQTT broker reports. README.md beside this folder has the configuration.
import Glibc
import Ringer
import RingerCore

@PaymentActor
func serve(_ options: Options) async throws {
    let announcer = Announcer(directory: options.clips, language: options.language, policy: options.policy)
    let (device, board) = try await options.open()
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
            retention: options.retention, providers: options.providers))
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
    if options.quietHours != nil, device.isConnected {
        complaints.line("PaymentSpeaker: warning: --quiet-hours is not used: the service has its own (ringer quiet)")
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
        if let board {
            let console = Console(board: board) { complaints.line("PaymentSpeaker: \($0)") }
            group.addTask {
                try await console.read(from: device)
                // Its end is not the speaker's.
                try await device.sleep(for: .seconds(Int64.max))
            }
        }
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
    // In the background of a terminal its input is another program's.
    signal(SIGTTIN, SIG_IGN)
    // A ledger that has reached a limit of the system is an error, not the end: see `ulimit -f`.
    signal(SIGXFSZ, SIG_IGN)
    // On the main thread, so that no pool of threads is started.
    let loop = try EventLoop(onThisThreadAs: "payments")
    defer { loop.close() }
    try loop.run { try await serve(options) }
    throw RingerError(.closed, "wait", "device")
} catch let error as UsageError {
    write("PaymentSpeaker: \(error.message); see --help\n", to: STDERR_FILENO)
    exit(64)
} catch {
    // A signal has closed the device, and ends the process once that is done: its exit status is the signal.
    if (error as? RingerError)?.code == .closed { sleep(5) }
    write("PaymentSpeaker: \(error)\n", to: STDERR_FILENO)
    exit(1)
}
