import Glibc
import Ringer
import RingerCore
import RingerClient
import Synchronization

/// A VoIP handset: rings for SIP calls as the Ring/Silent switch says, and lets them be heard.
@main
struct VoIPHandset {
    private let options: Options

    static func main() {
        // What is printed after its reader ended is lost, and the handset goes on.
        signal(SIGPIPE, SIG_IGN)
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.contains("--help") { return Output.write(Options.usage, to: STDOUT_FILENO) }
        do {
            let handset = VoIPHandset(options: try Options(arguments))
            // On a loop's thread, not on Swift's pool, whose threads wake up once a second.
            let loop = try EventLoop(name: "handset")
            try loop.run { try await handset.serve(Output(loop)) }
        } catch let error as UsageError {
            Output.write("VoIPHandset: \(error.message) (--help lists the options)", to: STDERR_FILENO)
            exit(64)
        } catch {
            Output.write("VoIPHandset: \(error)", to: STDERR_FILENO)
            exit(1)
        }
    }

    private func serve(_ output: Output) async throws {
        let (device, board) = try await options.openDevice()
        let events = device.events
        let handset = try makeHandset(device, output)
        let registration = makeRegistration(device, output)
        let pcm = options.callPCM ?? (board != nil ? "null" : device.isConnected ? "ringer_output" : "default")
        let watchdog = makeWatchdog(device, output)
        let endpoint = try makeEndpoint(pcm, device.clock) { event in
            handset.take(event)
            registration?.take(event)
            watchdog?.take(event)
        }
        // The device's motor and sounds stop first, then the callers hear of it. Before the first call.
        try device.closeOnTermination { endpoint.stop() }
        handset.connect(endpoint)
        let address = options.address.contains(":") ? "[\(options.address)]" : options.address
        output.complaint("Listening at \(address):\(endpoint.port).")
        registration?.start(endpoint)
        watchdog?.start { endpoint.ask() }
        async let commands: Void = Console(handset, registration, board, output).read(from: device)
        for await event in events { handset.take(event) }
        await commands
        // The device was closed by a signal, which ends the process once the callers have been told.
        try await Task.sleep(for: .seconds(5))
    }

    private func makeHandset(_ device: Device, _ output: Output) throws -> Handset {
        let tone = try options.ringTone.map { path throws(RingerError) in try SoundLoader.load(path) }
        return try Handset(
            device, ringTone: tone ?? RingTone.standard(),
            rings: try options.rings.mapValues { path throws(RingerError) in try SoundLoader.load(path) },
            rules: options.rules,
            report: { [options] event in output.line(options.printsJSON ? event.json : event.sentence) },
            complain: { output.complaint($0) })
    }

    /// - Parameter pcm: The PCM of a call's sound, and of the microphone where none is named.
    private func makeEndpoint(
        _ pcm: String, _ clock: any DeviceClock, _ handler: @escaping @Sendable (TelephonyEvent) -> Void
    ) throws -> SIPEndpoint {
        let screen = Mutex(CallerScreen(rules: options.callers))
        let settings = SIPEndpoint.Options(
            address: options.address, port: options.port, udp: options.transport != .tcp,
            tcp: options.transport != .udp, certificate: options.certificate,
            callerAuthorities: options.callerAuthorities, calls: options.calls, silenceLimit: options.silenceLimit,
            holdLimit: options.holdLimit, playback: pcm,
            capture: options.microphonePCM ?? pcm, account: try options.accountWithPassword())
        return try SIPEndpoint(
            settings, screen: { caller in screen.withLock { $0.judge(caller, at: clock.now) } }, handler: handler)
    }

    private func makeRegistration(_ device: Device, _ output: Output) -> Registration? {
        guard let account = options.account else { return nil }
        return Registration(account.registrars, clock: device.clock) { [options] event, registrar in
            output.line(options.printsJSON ? event.json(registrar) : event.sentence(registrar))
        }
    }

    private func makeWatchdog(_ device: Device, _ output: Output) -> Watchdog? {
        guard let interval = Watchdog.interval else { return nil }
        return Watchdog(device.clock, within: interval) {
            do throws(RingerError) {
                try Watchdog.report()
            } catch {
                output.complaint("\(error)")
            }
        }
    }
}
