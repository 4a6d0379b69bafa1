import CRinger
import Glibc
import RingerLinux
import RingerTestKit
import ServiceSupport
import Testing

/// What owns the hardware of a device of ringer.h.
@Suite struct BoardTests {
    /// What `c-client` prints on the board that the environment names.
    private func client(
        _ environment: String, _ argument: String = "environment"
    ) throws -> (output: String, status: Int32) {
        try run("env \(environment) '\(try programs())/c-client' \(argument)")
    }

    // It ended as limited, without a word of its sound.
    @Test("an alert by MP3 vibrates, and says why it was not heard, where libmpg123 is missing")
    func alertWithoutLibrary() throws {
        let folder = "/tmp/ringer-without-\(getpid())"
        let zeros = [UInt8](repeating: 0, count: 100)
        // The loader takes the first file of the name, and that is no library.
        let files = [
            ("libmpg123.so.0", []), ("silence.mp3", PrivateFile.silentMP3), ("libsndfile.so.1", []),
            ("tune.ogg", Array("OggS".utf8) + zeros), ("tune.flac", Array("fLaC".utf8) + zeros),
        ]
        defer { for name in files.map(\.0) + [""] { remove("\(folder)/\(name)") } }
        for (name, bytes) in files {
            mkdir(folder, 0o700)
            let file = try #require(fopen("\(folder)/\(name)", "w"))
            #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
            fclose(file)
        }
        let heard = try client("", "alert \(folder)/silence.mp3")
        #expect(heard == ("stopped by limited, felt 1, error 0, \n", 0), "\(heard.output)")
        let felt = try client("LD_LIBRARY_PATH=\(folder)", "alert \(folder)/silence.mp3")
        #expect(felt.output.hasPrefix("stopped by limited, felt 1, error -") && felt.status == 0, "\(felt.output)")
        #expect(felt.output.contains("silence.mp3: cannot decode the sound") && felt.output.contains("libmpg123-0"))
        // Libsndfile reads their headers too: they are no system sounds without it.
        for name in ["tune.ogg", "tune.flac"] {
            for mode in ["alert", "play"] {
                let refused = try client("LD_LIBRARY_PATH=\(folder)", "\(mode) \(folder)/\(name)")
                #expect(refused.status != 0 && refused.output.contains("\(name): cannot decode the sound"))
                #expect(refused.output.contains("libsndfile1"), "\(refused.output)")
            }
        }
    }

    // They could be had in Swift alone.
    @Test("RINGER_VARIANT=player chooses the files of a player")
    func variant() throws {
        let folder = "/tmp/ringer-variant-\(getpid())"
        let file = "\(folder)/ringer/sounds/sq_tock.caf"
        defer { for name in [file, "\(folder)/ringer/sounds", "\(folder)/ringer", folder] { remove(name) } }
        for name in [folder, "\(folder)/ringer", "\(folder)/ringer/sounds"] { mkdir(name, 0o700) }
        let sound = PCMBuffer.silence(duration: .milliseconds(10), sampleRate: 48_000)
        let bytes = try SoundFiles.encode(sound, container: .caf, codec: .ima4)
        let stream = try #require(fopen(file, "w"))
        #expect(fwrite(bytes, 1, bytes.count, stream) == bytes.count)
        fclose(stream)
        let player = try client("XDG_DATA_HOME=\(folder) RINGER_VARIANT=player", "predefined 1103")
        #expect(player == ("480 frames\n", 0), "\(player.output)")
        for words in ["", "RINGER_VARIANT=phone", "RINGER_VARIANT=other"] {
            let phone = try client("XDG_DATA_HOME=\(folder) \(words)", "predefined 1103")
            #expect(phone.output.hasSuffix(" frames\n") && phone.output != player.output, "\(phone.output)")
        }
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

    @Test(
        "a system sound's and an alert's results, and an event, report that another sound stands in for a broken file")
    func standIn() async {
        await #expect(processExitsWith: .success) {
            let folder = "/tmp/ringer-stand-in-\(getpid())"
            let path = folder + "/ringer/sounds/new-mail.caf"
            try #require(try run("mkdir -p '\(folder)/ringer/sounds' && printf caff > '\(path)'").status == 0)
            defer { _ = try? run("rm -r '\(folder)'") }
            setenv("XDG_DATA_HOME", folder, 1)
            let bench = try TestDevice()
            let starts: [() -> CInt] = [
                { ringer_device_play_system_sound(bench.device, 1000, 0, nil) },
                { ringer_device_play_system_sound(bench.device, 1000, 1, nil) },
                { alert(bench.device, 1000, limit: 500) },
            ]
            for (index, start) in starts.enumerated() {
                #expect(start() == 0)
                bench.advance(milliseconds: 5_000)
                let events = bench.events()
                let end = try #require(events.first { $0.type == RINGER_EVENT_SOUND_ENDED }).u.result
                let words = withUnsafeBytes(of: end.sentence) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
                #expect(words.hasPrefix("another sound is played: \(path): cannot decode"), "\(index): \(words)")
                #expect(end.error == 0 && end.outcome != RINGER_OUTCOME_FAILED)
                #expect(events.contains { $0.type == RINGER_EVENT_DEGRADED }, "\(index)")
            }
            // Nothing stands in for what is not heard.
            #expect(ringer_simulated_set_position(bench.device, RINGER_POSITION_SILENT) == 0)
            #expect(ringer_device_play_system_sound(bench.device, 1000, 0, nil) == 0)
            bench.advance(milliseconds: 5_000)
            let silenced = try #require(bench.ends().first).u.result
            #expect(silenced.outcome == RINGER_OUTCOME_SILENCED && silenced.sentence.0 == 0)
        }
    }

    @Test("at the service a session's properties report its hardware, and its state whether others play")
    func figures() async {
        await #expect(processExitsWith: .success) {
            let service = try ServiceBench(isRealTime: true)
            service.board.speaker.limits.delay = .milliseconds(5)
            service.board.surroundings.set(.inputAvailable(true))
            let device = Self.open(service)
            var session: OpaquePointer?
            #expect(
                ringer_session_new(
                    device, "game", RINGER_CATEGORY_PLAY_AND_RECORD, RINGER_OPTION_MIX_WITH_OTHERS,
                    RINGER_PRIORITY_ORDINARY, &session) == 0, "\(lastError)")
            #expect(ringer_session_activate(session, nil) == 0)
            _ = Self.events(device, until: RINGER_EVENT_SESSION_ANSWERED)
            #expect(Self.value(of: RINGER_PROPERTY_SAMPLE_RATE, session, 0.0) == 48_000)
            #expect(Self.value(of: RINGER_PROPERTY_OUTPUT_CHANNELS, session, UInt32(0)) == 2)
            #expect(Self.value(of: RINGER_PROPERTY_INPUT_CHANNELS, session, UInt32(0)) == 1)
            #expect(Self.value(of: RINGER_PROPERTY_OUTPUT_LATENCY, session, Float(0)) == 0.015)
            #expect(Self.value(of: RINGER_PROPERTY_INPUT_LATENCY, session, Float(0)) == 0.01)
            #expect(Self.value(of: RINGER_PROPERTY_BUFFER_DURATION, session, Float(0)) == 0.01)
            var state = ringer_session_state()
            #expect(
                ringer_session_get_state(session, &state, MemoryLayout.size(ofValue: state)) == 0
                    && state.is_other_audio_playing == 0)
            let sound = PCMBuffer(sampleRate: 48_000, channels: 1, samples: Array(repeating: 7, count: 4_800_000))
            try service.device.start(sound, category: .ambient)
            while state.is_other_audio_playing == 0 {
                #expect(ringer_session_get_state(session, &state, MemoryLayout.size(ofValue: state)) == 0)
                try await Task.sleep(for: .milliseconds(1))
            }
            service.device.stopAll()
            while state.is_other_audio_playing == 1 {
                #expect(ringer_session_get_state(session, &state, MemoryLayout.size(ofValue: state)) == 0)
                try await Task.sleep(for: .milliseconds(1))
            }
            ringer_session_free(session)
            ringer_device_close(device)
        }
    }

    /// The service's device, in a process of a test's own.
    private static func open(_ service: ServiceBench) -> OpaquePointer? {
        setenv("RINGER_BUS", "session", 1)
        setenv("DBUS_SESSION_BUS_ADDRESS", service.bus.address, 1)
        var device: OpaquePointer?
        #expect(ringer_device_open(nil, &device) == 0, "\(lastError)")
        return device
    }

    /// The events up to the next one of a type for which `matches` is true, which is the last of them.
    private static func events(
        _ device: OpaquePointer?, until type: ringer_event_type, _ matches: (ringer_event) -> Bool = { _ in true }
    ) -> [ringer_event] {
        var events: [ringer_event] = []
        var event = ringer_event()
        repeat {
            var descriptor = pollfd(fd: ringer_device_get_fd(device), events: Int16(POLLIN), revents: 0)
            poll(&descriptor, 1, -1)
            if ringer_device_read_event(device, &event, eventSize) == 1 { events.append(event) }
        } while events.last.map { $0.type == type && matches($0) } != true
        return events
    }

    // Each loss was reported twice.
    @Test("the loss of the service is reported once, and the switch is not connected then")
    func serviceLost() async {
        await #expect(processExitsWith: .success) {
            let service = try ServiceBench(isRealTime: true)
            let device = Self.open(service)
            service.crash()
            let events = Self.events(device, until: RINGER_EVENT_STATE) { $0.u.state.switch_connected == 0 }
            var all = events
            var event = ringer_event()
            while ringer_device_read_event(device, &event, eventSize) == 1 { all.append(event) }
            #expect(all.count { $0.type == RINGER_EVENT_DEGRADED } == 1)
            ringer_device_close(device)
        }
    }

    @Test("at the service a sound has its gain, and is paused")
    func playback() async {
        await #expect(processExitsWith: .success) {
            let service = try ServiceBench(isRealTime: true)
            let device = Self.open(service)
            let samples = [Int16](repeating: 1_000, count: 480_000)
            var (id, frame): (UInt64, UInt64) = (0, 0)
            let played = play(device, samples, &id) { ($0.gain, $0.first_frame) = (0.5, 48_000) }
            #expect(played == 0)
            _ = Self.events(device, until: RINGER_EVENT_SOUND_STARTED)
            #expect(service.board.speaker.recordings.map(\.gains) == [[0.5]])
            #expect(ringer_device_set_gain(device, id, 1) == 0)
            while service.board.speaker.recordings.first?.gains != [0.5, 1] {
                try await Task.sleep(for: .milliseconds(1))
            }
            #expect(ringer_device_pause(device, id, 1) == 0)
            while !service.board.speaker.playing.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
            #expect(ringer_device_pause(device, id, 0) == 0)
            _ = Self.events(device, until: RINGER_EVENT_SOUND_STARTED)
            let heard = try #require(service.board.speaker.recordings.first?.played)
            let rest = try #require(service.board.speaker.recordings.last?.sound.frames)
            #expect(heard > 0 && rest == 480_000 - 48_000 - heard)
            #expect(ringer_device_get_position(device, id, &frame) == 0 && frame >= 48_000 + heard)
            #expect(ringer_device_stop(device, id) == 0)
            let end = Self.events(device, until: RINGER_EVENT_SOUND_ENDED).last?.u.result
            let all = service.board.speaker.recordings.map(\.played).reduce(0, +)
            #expect(end.map { Int($0.frames_played) } == all && end?.cause == RINGER_STOP_CAUSE_CALLER)
            ringer_device_close(device)
        }
    }

    // It was refused, so that a program whose ringing is a loop was silent beside the service.
    @Test("at the service a sound is repeated without a gap, and goes on in its round after a pause")
    func loops() async {
        await #expect(processExitsWith: .success) {
            let service = try ServiceBench(isRealTime: true)
            let device = Self.open(service)
            let samples = [Int16](repeating: 1_000, count: 4_800)
            var id: UInt64 = 0
            #expect(play(device, samples, &id) { $0.loops = 2 } == 0)
            let end = Self.events(device, until: RINGER_EVENT_SOUND_ENDED).last?.u.result
            #expect(end?.outcome == RINGER_OUTCOME_FINISHED && end?.frames_played == 14_400 && end?.frames == 14_400)
            #expect(service.board.speaker.recordings.map(\.played) == [14_400])

            #expect(play(device, samples, &id) { $0.loops = -1 } == 0)
            _ = Self.events(device, until: RINGER_EVENT_SOUND_STARTED)
            try await Task.sleep(for: .milliseconds(120))
            #expect(ringer_device_pause(device, id, 1) == 0)
            while !service.board.speaker.playing.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
            #expect(ringer_device_set_gain(device, id, 0.25) == 0)
            #expect(ringer_device_pause(device, id, 0) == 0)
            _ = Self.events(device, until: RINGER_EVENT_SOUND_STARTED)
            let last = try #require(service.board.speaker.recordings.last)
            #expect(last.gains == [0.25] && last.end == nil)
            #expect(ringer_device_stop(device, id) == 0)
            _ = Self.events(device, until: RINGER_EVENT_SOUND_ENDED)
            #expect(service.board.speaker.recordings.dropFirst().map(\.played).reduce(0, +) > 4_800)
            ringer_device_close(device)
        }
    }

    // It failed as -EBUSY.
    @Test("a sound at the service ends as stopped when its session is freed, also one that has not begun")
    func freedWhilePlaying() async {
        await #expect(processExitsWith: .success) {
            let service = try ServiceBench(isRealTime: true)
            let device = Self.open(service)
            let samples = [Int16](repeating: 7, count: 480_000)
            for waits in [true, false] {
                var session: OpaquePointer?
                #expect(ringer_session_new(device, nil, RINGER_CATEGORY_PLAYBACK, 0, 0, &session) == 0)
                #expect(ringer_session_activate(session, nil) == 0)
                _ = Self.events(device, until: RINGER_EVENT_SESSION_ANSWERED)
                #expect(play(device, samples, in: session) == 0)
                if waits { _ = Self.events(device, until: RINGER_EVENT_SOUND_STARTED) }
                ringer_session_free(session)
                let result = Self.events(device, until: RINGER_EVENT_SOUND_ENDED).last?.u.result
                #expect(result?.outcome == RINGER_OUTCOME_STOPPED && result?.error == 0)
                #expect(result?.cause == RINGER_STOP_CAUSE_SESSION_REMOVED)
            }
            ringer_device_close(device)
        }
    }

    @Test("at the service an interruption from outside is this program's: others play on")
    func interruptionBesideOthers() async {
        await #expect(processExitsWith: .success) {
            let service = try ServiceBench(isRealTime: true)
            let music = service.device.sessions.make(name: "music", category: .playback)
            try await music.activate()
            let device = Self.open(service)
            var session: OpaquePointer?
            var interruption: UInt64 = 0
            #expect(
                ringer_session_new(
                    device, nil, RINGER_CATEGORY_PLAYBACK, RINGER_OPTION_MIX_WITH_OTHERS, 0, &session) == 0)
            #expect(ringer_session_activate(session, nil) == 0)
            _ = Self.events(device, until: RINGER_EVENT_SESSION_ANSWERED)
            #expect(ringer_device_begin_interruption(device, &interruption) == 0)
            _ = Self.events(device, until: RINGER_EVENT_SESSION) {
                $0.u.session.change == RINGER_SESSION_INTERRUPTION_BEGAN
            }
            #expect(music.isActive)
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

    // A call that had begun came to freed memory, and a thread that waited for events never woke.
    @Test(
        "a device is closed while eight threads use it: their calls end with -ESHUTDOWN, and each frees its session",
        arguments: ["virtual", "simulated", "service"])
    func closedWhileUsed(_ board: String) throws {
        let service = try ServiceBench(isRealTime: true)
        let environment = "RINGER_BUS=session DBUS_SESSION_BUS_ADDRESS='\(service.bus.address)'"
        let name = board == "virtual" ? "simulated" : board
        let used = try client("RINGER_BOARD=\(name) \(environment)", board == "virtual" ? "virtual" : "threads")
        #expect(used == ("closed 20 devices, 0 unexpected results\n", 0), "\(used)")
    }

    // Each closed device kept its descriptor for the thread that had read its events, until that thread's next call, which never came.
    @Test("a closed device has no descriptor for long where the thread that read its events has ended")
    func readers() throws {
        let closed = try client("RINGER_BOARD=simulated", "readers")
        #expect(closed == ("closed 256 devices\n", 0), "\(closed)")
    }

    // The child's SIGTERM closed its parent's device and did not end the child; a child hung in close. Children of _Fork, and
    // handlers of fork that were registered early, read the events of the parent.
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
                the first handler of fork: 1
                a child that uses the device: status 0
                a child that gets SIGTERM: signal 15
                a child that cannot execute a program: status 127
                a child with a device of its own: signal 15
                a child of _Fork: status 0
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
        #expect(ringer_device_read_event(device, &event, eventSize) == 1 && event.type == RINGER_EVENT_STATE)
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
