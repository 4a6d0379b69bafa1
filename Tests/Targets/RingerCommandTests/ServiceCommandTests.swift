import Ringer
import RingerDaemon
import RingerHardware
import RingerTestKit
import ServiceSupport
import Testing

/// The command over the service.
@Suite struct ServiceCommandTests {
    private func command(_ bus: TestBus) throws -> Command {
        try Command(environment: ["RINGER_BUS": "session", "DBUS_SESSION_BUS_ADDRESS": bus.address])
    }

    @Test("the service is used where there is one and no option names a part, and status says which device it is")
    func auto() throws {
        let bus = try TestBus()
        let command = try command(bus)
        #expect(try command("status").output.hasPrefix("board           hardware\n"))
        let service = try ServiceBench(isRealTime: true, bus: bus)
        service.board.ringSilent.position = .silent
        let status = try command("status")
        #expect(status.output.hasPrefix("board           service\nringSilent      silent\n"))
        #expect(try command("status", "--board", "service", "--json").output.hasPrefix(#"{"board":"service""#))
        #expect(try command("status", "--board", "simulated").output.hasPrefix("board           simulated\n"))
        #expect(try command("status", "--position", "ring").output.hasPrefix("board           hardware\n"))
        #expect(try command("status", "--board", "hardware").output.hasPrefix("board           hardware\n"))
    }

    @Test("sounds and vibrations go to the service, and its silence is reported")
    func play() throws {
        let service = try ServiceBench(isRealTime: true)
        let command = try command(service.bus)
        let sound = try command("play", "1057")
        #expect(sound.status == 0 && sound.output.hasPrefix("finished after "))
        #expect(service.board.speaker.recordings.map(\.outcome) == [.drained])
        #expect(try command("vibrate", "--pattern", "50").status == 0)
        #expect(service.board.motor.turns.count == 1)
        service.board.ringSilent.position = .silent
        #expect(try command("play", "1057").output.hasPrefix("silenced"))
        #expect(service.board.speaker.recordings.count == 1)
    }

    @Test("without a service --board service fails, and with a part of the device it is bad usage")
    func missing() throws {
        let bus = try TestBus()
        let command = try command(bus)
        let missing = try command("status", "--board", "service")
        #expect(missing.status == 1 && missing.errors.contains("org.ringer.Ringer1"))
        #expect(try command("status", "--board", "service", "--pcm", "x").status == 64)
    }

    @Test("doctor reports a service that does not listen for the ALSA plug-in")
    func plugIn() throws {
        let bus = try TestBus()
        let command = try command(bus)
        let socket = command.folder.path + "/pcm"
        #expect(try !command("doctor", "--pcm-socket", socket).output.contains("plug-in"))
        let service = try ServiceBench(isRealTime: true, bus: bus)
        // The plug-in's service is the system bus's, unless a socket is named.
        #expect(try !command("doctor").output.contains("plug-in"))
        let missing = try command("doctor", "--pcm-socket", socket)
        #expect(missing.output.contains("missing  plug-in  \(socket): cannot connect to: No such file or directory\n"))
        #expect(missing.status == 1)
        let server = PCMServer(
            service.device, loop: service.loop, path: socket, authorization: Authorization(),
            budget: ServiceBudget(Budget.Limits(), clock: service.device.clock))
        try service.loop.syncThrowing { () throws(RingerError) in try server.start() }
        defer { service.loop.sync { server.stop() } }
        #expect(try command("doctor", "--pcm-socket", socket).output.contains("ok       plug-in"))
    }

    @Test("preferences of the command line do not apply at the service, and a warning says so")
    func preferences() throws {
        let service = try ServiceBench(isRealTime: true)
        let status = try command(service.bus)("status", "--do-not-disturb")
        #expect(status.errors.hasPrefix("Warning: the service's preferences apply"))
    }
}
