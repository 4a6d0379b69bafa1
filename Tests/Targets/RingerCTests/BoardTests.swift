import CRinger
import Glibc
import Ringer
import RingerTestKit
import ServiceSupport
import Testing

/// What owns the hardware of a device of ringer.h.
@Suite(.timeLimit(.minutes(2))) struct BoardTests {
    /// What `c-client` prints on the board that the environment names.
    private func client(
        _ environment: String, _ argument: String = "environment"
    ) throws -> (output: String, status: Int32) {
        try run("env \(environment) '\(try programs())/c-client' \(argument)")
    }

    @Test("RINGER_BOARD=service uses the service: a session there, its sound, and a flip of its switch")
    func service() throws {
        let service = try ServiceBench(isRealTime: true)
        service.board.ringSilent.position = .vibrate
        let environment = "RINGER_BUS=session DBUS_SESSION_BUS_ADDRESS='\(service.bus.address)'"
        let used = try client("RINGER_BOARD=service \(environment)")
        #expect(
            used == ("position 2\nactivated 0, rate 48000\nended 1, 4800 of 4800 frames\n", 0), "\(used.output)")
        #expect(service.board.speaker.recordings.map(\.played) == [4_800])
        // Without the variable the service is found.
        #expect(try client(environment).output.hasPrefix("position 2\n"))
        #expect(try client("RINGER_BOARD=simulated \(environment)").output.hasPrefix("position 1\n"))
        let silent = try client("RINGER_BOARD=simulated RINGER_POSITION=silent \(environment)")
        #expect(silent.output.hasPrefix("position 3\n"))
    }

    private static func value<Value: BitwiseCopyable>(
        of property: ringer_property, _ session: OpaquePointer?, _ none: Value
    ) -> Value {
        var (value, size) = (none, MemoryLayout<Value>.size)
        return ringer_session_get_property(session, property, &value, &size) == 0 ? value : none
    }

    @Test("at the service a session's properties report its hardware, and its state whether others play")
    func figures() async {
        await #expect(processExitsWith: .success) {
            let service = try ServiceBench(isRealTime: true)
            service.board.speaker.limits.delay = .milliseconds(5)
            service.board.surroundings.set(.inputAvailable(true))
            setenv("RINGER_BUS", "session", 1)
            setenv("DBUS_SESSION_BUS_ADDRESS", service.bus.address, 1)
            var (device, session): (OpaquePointer?, OpaquePointer?)
            #expect(ringer_device_open(nil, &device) == 0, "\(lastError)")
            #expect(
                ringer_session_new(
                    device, "game", RINGER_CATEGORY_PLAY_AND_RECORD, RINGER_OPTION_MIX_WITH_OTHERS,
                    RINGER_PRIORITY_ORDINARY, &session) == 0, "\(lastError)")
            var event = ringer_event()
            func next(_ type: ringer_event_type) async throws {
                repeat {
                    while ringer_device_read_event(device, &event) == 0 { try await Task.sleep(for: .milliseconds(1)) }
                } while event.type != type
            }
            #expect(ringer_session_activate(session, nil) == 0)
            try await next(RINGER_EVENT_SESSION_ANSWERED)
            #expect(Self.value(of: RINGER_PROPERTY_SAMPLE_RATE, session, 0.0) == 48_000)
            #expect(Self.value(of: RINGER_PROPERTY_OUTPUT_CHANNELS, session, UInt32(0)) == 2)
            #expect(Self.value(of: RINGER_PROPERTY_INPUT_CHANNELS, session, UInt32(0)) == 1)
            #expect(Self.value(of: RINGER_PROPERTY_OUTPUT_LATENCY, session, Float(0)) == 0.015)
            #expect(Self.value(of: RINGER_PROPERTY_INPUT_LATENCY, session, Float(0)) == 0.01)
            #expect(Self.value(of: RINGER_PROPERTY_BUFFER_DURATION, session, Float(0)) == 0.01)
            var state = ringer_session_state()
            #expect(ringer_session_get_state(session, &state) == 0 && state.is_other_audio_playing == 0)
            let sound = PCMBuffer(sampleRate: 48_000, channels: 1, samples: Array(repeating: 7, count: 4_800_000))
            try service.device.start(sound, category: .ambient)
            while state.is_other_audio_playing == 0 {
                #expect(ringer_session_get_state(session, &state) == 0)
                try await Task.sleep(for: .milliseconds(1))
            }
            service.device.stopAll()
            while state.is_other_audio_playing == 1 {
                #expect(ringer_session_get_state(session, &state) == 0)
                try await Task.sleep(for: .milliseconds(1))
            }
            ringer_session_free(session)
            ringer_device_close(device)
        }
    }

    // Each thread changed the table of the sessions at the service itself: the program crashed.
    @Test("sessions at the service are freed by several threads after their device was closed")
    func freedAfterClose() throws {
        let service = try ServiceBench(isRealTime: true)
        let environment = "RINGER_BUS=session DBUS_SESSION_BUS_ADDRESS='\(service.bus.address)'"
        let freed = try client("RINGER_BOARD=service \(environment)", "sessions")
        #expect(freed == ("freed the sessions of 40 devices\n", 0), "\(freed)")
    }

    // The child's SIGTERM closed its parent's device and did not end the child; a child hung in close.
    @Test(
        "a child of fork has no device, ends by signals as any other, and leaves the device of its parent alone",
        arguments: ["simulated", "service", "hardware"])
    func fork(_ board: String) throws {
        let service = try ServiceBench(isRealTime: true)
        let environment = "RINGER_BUS=session DBUS_SESSION_BUS_ADDRESS='\(service.bus.address)'"
        let result = try client("RINGER_BOARD=\(board) \(environment)", "fork")
        let refusal = "device: cannot use it: opened by another process (open a device after fork)"
        let motor = board == "hardware" ? "" : "the vibration ended: 1\n"
        #expect(
            result.output == """
                ECHILD: \(refusal)
                others: 1 1 1 1
                a child that uses the device: status 0
                a child that gets SIGTERM: signal 15
                a child that cannot execute a program: status 127
                a child with a device of its own: signal 15
                the device is open: 1
                the screen is locked
                \(motor)
                """)
        #expect(result.status == 0)
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
