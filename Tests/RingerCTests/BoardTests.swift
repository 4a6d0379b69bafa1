import CRinger
import Glibc
import ServiceSupport
import Testing

/// What owns the hardware of a device of ringer.h.
@Suite(.timeLimit(.minutes(2))) struct BoardTests {
    /// What `c-client` prints on the board that the environment names.
    private func client(_ environment: String) throws -> (output: String, status: Int32) {
        try run("env \(environment) '\(try programs())/c-client' environment")
    }

    @Test("RINGER_BOARD=service uses the service: a session there, its sound, and a flip of its switch")
    func service() throws {
        let service = try ServiceBench(isRealTime: true)
        service.board.ringSilent.position = .vibrate
        let environment = "RINGER_BUS=session DBUS_SESSION_BUS_ADDRESS='\(service.bus.address)'"
        let used = try client("RINGER_BOARD=service \(environment)")
        #expect(
            used == ("position 2\nactivated 0\nended 1, 4800 of 4800 frames\n", 0), "\(used.output)")
        #expect(service.board.speaker.recordings.map(\.played) == [4_800])
        // Without the variable the service is found.
        #expect(try client(environment).output.hasPrefix("position 2\n"))
        #expect(try client("RINGER_BOARD=simulated \(environment)").output.hasPrefix("position 1\n"))
        let silent = try client("RINGER_BOARD=simulated RINGER_POSITION=silent \(environment)")
        #expect(silent.output.hasPrefix("position 3\n"))
    }

    @Test("without a service, the machine's own hardware is opened; a board that is none is an error")
    func hardware() throws {
        let bus = try TestBus()
        let environment = "RINGER_BUS=session DBUS_SESSION_BUS_ADDRESS='\(bus.address)'"
        #expect(try client("RINGER_BOARD=service \(environment)").output.contains("org.ringer.Ringer1"))
        let wrong = try client("RINGER_BOARD=teapot")
        #expect(wrong.output.contains("RINGER_BOARD=teapot") && wrong.status != 0)
        // Whatever this machine has: there is a state, and the end is clean.
        let config = ringer_config_new()
        defer { ringer_config_free(config) }
        #expect(ringer_config_set_board(config, RINGER_BOARD_HARDWARE) == 0)
        #expect(ringer_config_set_motor(config, "none") == 0)
        var device: OpaquePointer?
        #expect(ringer_device_open(config, &device) == 0, "\(lastError)")
        var event = ringer_event()
        #expect(ringer_device_read_event(device, &event) == 1 && event.type == RINGER_EVENT_STATE)
        #expect(ringer_simulated_set_position(device, RINGER_POSITION_RING) == -ENOTSUP)
        ringer_device_close(device)
    }

    @Test("a simulated board in real time has no clock to advance")
    func realTime() throws {
        let config = ringer_config_new()
        defer { ringer_config_free(config) }
        #expect(ringer_config_set_board(config, RINGER_BOARD_SIMULATED_REAL_TIME) == 0)
        #expect(ringer_config_set_board(config, ringer_board(5)) == -EINVAL)
        var device: OpaquePointer?
        #expect(ringer_device_open(config, &device) == 0)
        #expect(ringer_simulated_advance(device, 1) == -ENOTSUP)
        #expect(ringer_simulated_set_position(device, RINGER_POSITION_SILENT) == 0)
        ringer_device_close(device)
    }
}
