import CRinger
import Glibc
import Ringer
import Testing

@testable import RingerC

/// ringer.h as a C program uses it.
@Suite struct RingerCTests {
    private static let package = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()

    @Test(
        "the header compiles as C99 and C++17, without a warning",
        arguments: ["gcc -std=c99 -x c", "clang -std=c99 -x c", "g++ -std=c++17 -x c++", "clang++ -std=c++17 -x c++"])
    func header(_ compiler: String) throws {
        let result = try run(
            "printf '#include <ringer.h>\\nint main(void) { return ringer_version() != RINGER_VERSION; }\\n' | "
                + "\(compiler) -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I '\(Self.package)/Sources/C/CRinger/include' -"
        )
        #expect(result.status == 0, "\(result.output)")
    }

    @Test("a C program sees the flip, the sound that it ended at its sample, the vibration, the detection and a key")
    func client() throws {
        let result = try run("'\(try programs())/c-client'")
        #expect(
            result.output == """
                0 ms: state, position 1, route 1
                motor 1
                250 ms: state, position 3, route 1
                an alert: heard 0, felt 1, ringSilentSwitch
                250 ms: sound 1, outcome 2, reason ringSilentSwitch, 12000 of 48000 frames
                1000 ms: vibration 2, outcome 1
                1250 ms: detection 3, verdict 1
                1250 ms: key 1 pressed
                1250 ms: key 1 released
                recordings 1
                heard 12000 of 48000 frames
                -2: /no/such/file: cannot open: No such file or directory

                """)
        #expect(result.status == 0)
    }

    @Test("every constant of the header has its counterpart, and every reason its name")
    func constants() {
        func check<Value: CCounterpart>(_ type: Value.Type, first: UInt32) {
            #expect(
                Set(Value.allCases.map(\.constant.rawValue)) == Set(first..<first + UInt32(Value.allCases.count)),
                "\(type)")
        }
        check(SwitchPosition.self, first: 1)
        check(AudioRoute.self, first: 1)
        check(AudioCategory.self, first: 0)
        check(DeviceKey.self, first: 1)
        check(MuteReading.Verdict.self, first: 0)
        check(Decision.Reason.self, first: 1)
        for reason in Decision.Reason.allCases {
            #expect(String(cString: ringer_reason_name(reason.constant)) == reason.rawValue)
        }
        #expect(String(cString: ringer_reason_name(ringer_reason(99))) == "")
        for (bits, option) in [
            (RINGER_OPTION_MIX_WITH_OTHERS, CategoryOptions.mixWithOthers), (RINGER_OPTION_DUCK_OTHERS, .duckOthers),
            (RINGER_OPTION_ALLOW_BLUETOOTH, .allowBluetooth), (RINGER_OPTION_DEFAULT_TO_SPEAKER, .defaultToSpeaker),
            (RINGER_OPTION_INTERRUPT_SPOKEN_AUDIO_AND_MIX, .interruptSpokenAudioAndMixWithOthers),
            (RINGER_OPTION_HONOURS_RING_SILENT_SWITCH, .honoursRingSilentSwitch),
        ] { #expect(UInt32(bits) == option.rawValue) }
        // A program that was built with this header works with later libraries.
        #expect(MemoryLayout<ringer_state>.size == 64 && MemoryLayout<ringer_preferences>.size == 32)
        #expect(MemoryLayout<ringer_decision>.size == 32 && MemoryLayout<ringer_event>.size == 184)
    }

    @Test("NULL, bytes that are not UTF-8, numbers that are none and wrong sizes are errors with a sentence")
    func badInput() throws {
        let bench = try TestDevice()
        let device = bench.device
        var id: UInt64 = 7
        let bad: [CChar] = [-1, -2, 0]
        #expect(ringer_device_open(nil, nil) == -EINVAL && lastError == "device is NULL")
        #expect(ringer_device_get_state(device, nil) == -EINVAL && lastError == "state is NULL")
        #expect(ringer_device_get_state(nil, nil) == -EINVAL && lastError == "device is NULL")
        #expect(ringer_device_play_file(device, nil, RINGER_CATEGORY_PLAYBACK, 0, &id) == -EINVAL)
        #expect(ringer_device_play_file(device, bad, RINGER_CATEGORY_PLAYBACK, 0, &id) == -EILSEQ)
        #expect(lastError == "path is not UTF-8")
        let samples: [Int16] = [1, 2, 3, 4]
        for (channels, rate, category, options) in [
            (0, 48_000, RINGER_CATEGORY_PLAYBACK, 0), (33, 48_000, RINGER_CATEGORY_PLAYBACK, 0),
            (1, 0, RINGER_CATEGORY_PLAYBACK, 0), (1, 48_000, ringer_category(7), 0),
            (1, 48_000, RINGER_CATEGORY_PLAYBACK, 1 << 20), (1, 48_000, RINGER_CATEGORY_AMBIENT, 65_536),
        ] as [(UInt32, UInt32, ringer_category, UInt32)] {
            id = 7
            #expect(ringer_device_play_samples(device, samples, 4, channels, rate, category, options, &id) == -EINVAL)
            #expect(!lastError.isEmpty)
        }
        #expect(id == 0)
        #expect(ringer_device_play_samples(device, samples, -1, 1, 48_000, RINGER_CATEGORY_PLAYBACK, 0, nil) == -E2BIG)
        for (times, count, strength) in [
            ([400], 0, 1), ([0], 1, 1), ([400], 1, 0), ([400], 1, .nan), ([3_600_001], 1, 1),
        ]
            as [([UInt32], Int, Float)]
        {
            #expect(ringer_device_vibrate(device, times, count, strength, 1, nil) == -EINVAL)
        }
        let config = ringer_config_new()
        defer { ringer_config_free(config) }
        #expect(ringer_config_set_switch(config, "teapot:") == -EINVAL && lastError.contains("teapot"))
        #expect(ringer_config_set_following(config, 64) == -EINVAL)
        #expect(ringer_config_set_route_pcm(config, RINGER_ROUTE_NONE, "hw:0") == -EINVAL)
        #expect(ringer_config_set_board(nil, RINGER_BOARD_SIMULATED) == -EINVAL)
        var preferences = ringer_preferences()
        #expect(ringer_device_get_preferences(device, &preferences) == 0)
        preferences.alert_volume = 2
        #expect(ringer_device_set_preferences(device, &preferences) == -EINVAL)
        #expect(ringer_simulated_advance(device, .max) == -EINVAL)
        #expect(ringer_device_stop(device, 12_345) == 0)
    }

    @Test("states that wait are merged to the newest; ends of requests are never lost, keys are counted")
    func queue() throws {
        let bench = try TestDevice()
        let device = bench.device
        #expect(bench.events().map(\.type) == [RINGER_EVENT_STATE])
        for position in [RINGER_POSITION_SILENT, RINGER_POSITION_RING, RINGER_POSITION_VIBRATE] {
            #expect(ringer_simulated_set_position(device, position) == 0)
        }
        let states = bench.events()
        #expect(states.map(\.type) == [RINGER_EVENT_STATE] && states[0].u.state.position == RINGER_POSITION_VIBRATE)
        for _ in 0..<200 { #expect(ringer_simulated_press_key(device, RINGER_KEY_SILENCE) == 0) }
        var id: UInt64 = 0
        for _ in 0..<100 { #expect(ringer_device_vibrate(device, [1], 1, 1, 1, &id) == 0) }
        #expect(ringer_simulated_advance(device, 1_000_000) == 0)
        let events = bench.events()
        #expect(events.count { $0.type == RINGER_EVENT_KEY } == 256)
        #expect(events.count { $0.type == RINGER_EVENT_VIBRATION_ENDED } == 100)
        #expect(events.last?.type == RINGER_EVENT_LOST && events.last?.u.lost == 144)
        // The queue works as before.
        #expect(ringer_simulated_press_key(device, RINGER_KEY_REPEAT) == 0)
        #expect(bench.events().map(\.u.key.key) == [RINGER_KEY_REPEAT, RINGER_KEY_REPEAT])
    }

    @Test("an alert is stopped by its number, and not by that of the one that it replaced")
    func alerts() throws {
        let bench = try TestDevice()
        let device = bench.device
        var (first, second): (UInt64, UInt64) = (0, 0)
        #expect(ringer_device_alert(device, 1005, 0, &first) == 0)
        #expect(ringer_simulated_advance(device, 100_000) == 0)
        #expect(ringer_device_alert(device, 1007, 0, &second) == 0)
        #expect(ringer_device_stop(device, first) == 0)
        #expect(ringer_simulated_advance(device, 3_000_000) == 0)
        let replaced = bench.events().filter { $0.type == RINGER_EVENT_SOUND_ENDED }
        #expect(replaced.map(\.id) == [first] && replaced.map(\.u.result.outcome) == [RINGER_OUTCOME_STOPPED])
        #expect(ringer_device_stop(device, second) == 0)
        #expect(ringer_simulated_advance(device, 1_000_000) == 0)
        #expect(bench.events().filter { $0.type == RINGER_EVENT_SOUND_ENDED }.map(\.id) == [second])
        #expect(ringer_simulated_is_motor_on(device) == 0)
    }

    @Test("an alert is stopped by its number after a start of another one failed")
    func alertBesideUnknownSound() throws {
        let bench = try TestDevice()
        let device = bench.device
        var (alert, unknown): (UInt64, UInt64) = (0, 0)
        #expect(ringer_device_alert(device, 1005, 0, &alert) == 0)
        bench.advance(milliseconds: 100)
        #expect(ringer_device_alert(device, 424_242, 0, &unknown) == 0)
        #expect(bench.ends().map(\.id) == [unknown])
        #expect(ringer_device_stop(device, alert) == 0)
        bench.advance(milliseconds: 1_000)
        let ends = bench.ends()
        #expect(ends.map(\.id) == [alert] && ends.map(\.u.result.outcome) == [RINGER_OUTCOME_STOPPED])
        #expect(ringer_simulated_is_motor_on(device) == 0)
    }

    @Test("an alert of the sound that rings joins it, has its limit, and either number stops both")
    func joinedAlerts() throws {
        let bench = try TestDevice()
        let device = bench.device
        for stopsFirst in [true, false] {
            var (first, second): (UInt64, UInt64) = (0, 0)
            #expect(ringer_device_alert(device, 1005, 0, &first) == 0)
            bench.advance(milliseconds: 100)
            #expect(ringer_device_alert(device, 1005, 500, &second) == 0)
            bench.advance(milliseconds: 2_000)
            #expect(bench.ends().isEmpty)
            #expect(ringer_device_stop(device, stopsFirst ? first : second) == 0)
            bench.advance(milliseconds: 1_000)
            #expect(Set(bench.ends().map(\.id)) == [first, second])
        }
    }

    @Test("a request that is stopped while it is being made is stopped once it has begun")
    func stoppedWhileBeginning() throws {
        let bench = try TestDevice()
        let handle = try DeviceHandle.at(bench.device)
        let session = try bench.session(RINGER_CATEGORY_PLAYBACK)
        defer { ringer_session_free(session) }
        let sound = PCMBuffer(sampleRate: 48_000, channels: 1, samples: [Int16](repeating: 7, count: 48_000))
        var id: UInt64 = 0
        let result = try handle.begin(&id, in: try SessionHandle.at(session).session) { number in
            handle.stop(number)
            return try handle.device.start(sound, category: .playback) { handle.ended(number, $0) }
        }
        #expect(result == 0)
        bench.advance(milliseconds: 2_000)
        let ends = bench.ends()
        #expect(ends.map(\.id) == [id] && ends.map(\.u.result.outcome) == [RINGER_OUTCOME_STOPPED])
    }

    @Test(
        "a motor that cannot be turned, lost edges, a lost switch and one that is contradicted are events with a sentence"
    )
    func problems() throws {
        let bench = try TestDevice()
        let device = bench.device
        let board = try #require(try DeviceHandle.at(device).board)
        func problems() -> [String] {
            bench.events().filter { $0.type == RINGER_EVENT_DEGRADED }.map { event in
                withUnsafeBytes(of: event.u.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            }
        }
        _ = bench.events()
        board.speaker.fault = .unpaced
        #expect(ringer_device_detect(device, nil) == 0)
        bench.advance(milliseconds: 1)
        #expect(problems() == ["the switch is at ring, and sounds are measured to be muted"])
        board.speaker.fault = nil
        board.motor.failTurnOff(with: [RingerError("turn off", "motor", .ioError)])
        #expect(ringer_device_vibrate(device, [100], 1, 1, 1, nil) == 0)
        bench.advance(milliseconds: 1_000)
        #expect(problems() == ["\(RingerError("turn off", "motor", .ioError))"])
        board.motor.failTurnOn(with: RingerError("turn on", "motor", .ioError))
        #expect(ringer_device_play_system_sound(device, 1005, 1, nil) == 0)
        bench.advance(milliseconds: 1_000)
        #expect(problems() == ["\(RingerError("turn on", "motor", .ioError))"])
        board.ringSilent.drop(3)
        let edges = problems()
        #expect(edges.count == 1 && edges.allSatisfy { $0.contains("3 edges were lost") }, "\(edges)")
        board.ringSilent.unplug()
        #expect(problems().count == 1)
    }

    @Test("ends of requests without a number wait as keys do: the newest are lost, and counted")
    func unreadEnds() throws {
        let bench = try TestDevice()
        _ = bench.events()
        var id: UInt64 = 0
        for _ in 0..<300 { #expect(ringer_device_vibrate(bench.device, [1], 1, 1, 1, nil) == 0) }
        #expect(ringer_device_vibrate(bench.device, [1], 1, 1, 1, &id) == 0)
        bench.advance(milliseconds: 1_000)
        let events = bench.events()
        #expect(events.count { $0.type == RINGER_EVENT_VIBRATION_ENDED && $0.id != id } == 256)
        #expect(events.count { $0.id == id } == 1)
        #expect(events.last?.type == RINGER_EVENT_LOST && events.last?.u.lost == 44)
    }

    @Test("two threads that set parts of one configuration lose neither")
    func sharedConfiguration() async throws {
        let config = ringer_config_new()
        defer { ringer_config_free(config) }
        let handle = try ConfigurationHandle.at(config)
        // Each thread is the only one that sets its part.
        nonisolated(unsafe) let shared = config
        async let pcms = DetachedThread.run {
            (0..<20_000).count { number in
                ringer_config_set_pcm(shared, "\(number)") != 0
                    || handle.values.withLock { $0.hardware.pcm } != "\(number)"
            }
        }
        async let lights = DetachedThread.run {
            (0..<20_000).count { number in
                ringer_config_set_status_light(shared, "\(number)") != 0
                    || handle.values.withLock { $0.hardware.statusLight } != "\(number)"
            }
        }
        #expect(await (pcms, lights) == (0, 0))
    }

    @Test("errors have a number above 0 that says the same")
    func numbers() {
        #expect(RingerError("read", "file", .init(rawValue: 0)).number == EIO)
        #expect(RingerError(.soundTooLong, "register", "file").number == E2BIG)
        #expect(RingerError(.sessionNotActive, "play", "session").number == EBUSY)
        #expect(attempt { throw RingerError("read", "file", .init(rawValue: 0)) } == -EIO)
    }

    @Test("after a signal sounds and the motor are off before the program's own handler is called")
    func termination() throws {
        let result = try run("'\(try programs())/c-client' termination")
        #expect(result == ("motor 1\nmotor 0\n", 0), "\(result.output)")
        #expect(ringer_device_close_on_termination(nil) == -EINVAL)
    }
}
