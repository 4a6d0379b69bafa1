import CRinger
import Glibc
import RingerLinux
import Testing

@testable import RingerC

/// ringer.h as a C program uses it.
@Suite struct RingerCTests {
    static let package = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()

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
                0 ms: sound 1 started
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

    @Test("every constant of the header has its counterpart")
    func constants() {
        func check<Value: CCounterpart>(_ type: Value.Type, first: UInt32) {
            #expect(
                Set(Value.allCases.map(\.constant.rawValue)) == Set(first..<first + UInt32(Value.allCases.count)),
                "\(type)")
        }
        check(SwitchPosition.self, first: 1)
        check(AudioRoute.self, first: 1)
        check(AudioCategory.self, first: 0)
        check(AudioInput.self, first: 1)
        check(AlertWay.self, first: 0)
        check(DeviceKey.self, first: 1)
        check(MuteReading.Verdict.self, first: 0)
        check(Decision.Reason.self, first: 1)
        check(SoundOutcome.StopCause.self, first: 1)
        for (bits, option) in [
            (RINGER_OPTION_MIX_WITH_OTHERS, CategoryOptions.mixWithOthers), (RINGER_OPTION_DUCK_OTHERS, .duckOthers),
            (RINGER_OPTION_ALLOW_BLUETOOTH, .allowBluetooth), (RINGER_OPTION_DEFAULT_TO_SPEAKER, .defaultToSpeaker),
            (RINGER_OPTION_INTERRUPT_SPOKEN_AUDIO_AND_MIX, .interruptSpokenAudioAndMixWithOthers),
            (RINGER_OPTION_HONOURS_RING_SILENT_SWITCH, .honoursRingSilentSwitch),
        ] { #expect(UInt32(bits) == option.rawValue) }
    }

    @Test("a program with enums of one byte does not compile, and reads why")
    func shortEnums() throws {
        for compiler in ["gcc -std=c99 -x c", "clang -std=c99 -x c", "g++ -std=c++17 -x c++"] {
            let result = try run(
                "printf '#include <ringer.h>\\n' | \(compiler) -fshort-enums -fsyntax-only "
                    + "-I '\(Self.package)/Sources/C/CRinger/include' -")
            #expect(result.status != 0 && result.output.contains("compile without -fshort-enums"), "\(result.output)")
        }
    }

    // 0xff was accepted: no reserved byte could ever have got a meaning.
    @Test("reserved bytes, and those of a later version, must be zero where the program fills them")
    func reservedBytes() throws {
        let bench = try TestDevice()
        var notification = ringer_notification()
        notification.reserved.0 = 1
        #expect(ringer_device_notify(bench.device, &notification, notificationSize, nil) == -EINVAL)
        #expect(lastError == "reserved bytes of notification are not zero")

        var later = [ringer_notification(), ringer_notification()]
        #expect(ringer_device_notify(bench.device, &later, notificationSize * 2, nil) == 0)
        later[1].volume = 1
        #expect(ringer_device_notify(bench.device, &later, notificationSize * 2, nil) == -EINVAL)
        #expect(ringer_device_notify(bench.device, &later, notificationSize - 1, nil) == -EINVAL)
        #expect(ringer_device_notify(bench.device, &later, -1, nil) == -EINVAL)
    }

    // 2 to 255 counted as true: none of them could ever have got a meaning.
    @Test("members that say whether something holds must be 0 or 1 where the program fills them")
    func flags() throws {
        let bench = try TestDevice()
        var read = ringer_preferences()
        let size = MemoryLayout<ringer_preferences>.stride
        #expect(ringer_device_get_preferences(bench.device, &read, size) == 0)
        let members: [(String, WritableKeyPath<ringer_preferences, UInt8>)] = [
            ("vibrate_on_ring", \.vibrate_on_ring), ("vibrate_on_silent", \.vibrate_on_silent),
            ("sound_effects", \.sound_effects), ("haptics_while_recording", \.haptics_while_recording),
            ("do_not_disturb", \.do_not_disturb),
        ]
        for (name, member) in members {
            for value: UInt8 in [0, 1, 2, 255] {
                var preferences = read
                preferences[keyPath: member] = value
                #expect(ringer_device_set_preferences(bench.device, &preferences, size) == (value < 2 ? 0 : -EINVAL))
                if value >= 2 { #expect(lastError == "\(name) is \(value), which is neither 0 nor 1") }
            }
        }
        var notification = ringer_notification()
        notification.is_critical = 2
        #expect(ringer_device_notify(bench.device, &notification, notificationSize, nil) == -EINVAL)
        #expect(lastError == "is_critical is 2, which is neither 0 nor 1")
        (notification.is_critical, notification.allows_critical) = (1, 255)
        #expect(ringer_device_notify(bench.device, &notification, notificationSize, nil) == -EINVAL)
        #expect(lastError == "allows_critical is 255, which is neither 0 nor 1")
    }

    @Test("a program of a later version gets what this one knows, and zero for the rest")
    func laterStructures() throws {
        let bench = try TestDevice()
        var bytes = [UInt8](repeating: 0xff, count: 600)
        bytes.withUnsafeMutableBytes { bytes in
            let event = bytes.baseAddress?.assumingMemoryBound(to: ringer_event.self)
            #expect(ringer_device_read_event(bench.device, event, eventSize - 1) == -EINVAL)
            #expect(lastError == "event has \(eventSize - 1) bytes, which is not from \(eventSize) to 4096")
            #expect(ringer_device_read_event(bench.device, event, 599) == 1)
            #expect(event?.pointee.type == RINGER_EVENT_STATE)
            #expect(event?.pointee.u.state.position == RINGER_POSITION_RING)
        }
        #expect(bytes[eventSize..<599].allSatisfy { $0 == 0 } && bytes[599] == 0xff)

        for _ in 0..<2 {
            #expect(ringer_device_play_system_sound(bench.device, 1104, 0, nil) == 0)
            bench.advance(milliseconds: 1_000)
        }
        // Two elements of 64 bytes.
        var recordings = [UInt64](repeating: .max, count: 16)
        recordings.withUnsafeMutableBytes { bytes in
            let first = bytes.baseAddress?.assumingMemoryBound(to: ringer_recording.self)
            #expect(ringer_simulated_get_recordings(bench.device, first, 64, 2) == 2)
        }
        #expect(recordings[2] == recordings[10] && recordings[2] > 0 && recordings[0] < recordings[8])
        #expect(recordings[6...7].allSatisfy { $0 == 0 } && recordings[14...15].allSatisfy { $0 == 0 })
    }

    @Test("NULL, bytes that are not UTF-8, numbers that are none and wrong sizes are errors with a sentence")
    func badInput() throws {
        let bench = try TestDevice()
        let device = bench.device
        var id: UInt64 = 7
        let bad: [CChar] = [-1, -2, 0]
        #expect(ringer_device_open(nil, nil) == -EINVAL && lastError == "device is NULL")
        #expect(ringer_device_get_state(device, nil, 32) == -EINVAL && lastError == "state is NULL")
        #expect(ringer_device_get_state(nil, nil, 32) == -EINVAL && lastError == "device is NULL")
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
            let result = play(device, samples, &id) { playback in
                (playback.channels, playback.rate, playback.category) = (channels, rate, category)
                playback.options = options
            }
            #expect(result == -EINVAL)
            #expect(!lastError.isEmpty)
        }
        #expect(id == 0)
        #expect(play(device, samples) { $0.frames = -1 } == -E2BIG)
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
        #expect(ringer_device_get_preferences(device, &preferences, MemoryLayout.size(ofValue: preferences)) == 0)
        preferences.alert_volume = 2
        #expect(ringer_device_set_preferences(device, &preferences, MemoryLayout.size(ofValue: preferences)) == -EINVAL)
        preferences.alert_volume = 1
        preferences.alarm_volume = .nan
        #expect(ringer_device_set_preferences(device, &preferences, MemoryLayout.size(ofValue: preferences)) == -EINVAL)
        var alert = ringer_alert()
        alert.kind = ringer_alert_kind(rawValue: 2)
        #expect(ringer_device_alert(device, &alert, MemoryLayout.size(ofValue: alert), nil) == -EINVAL)
        #expect(ringer_simulated_advance(device, .max) == -EINVAL)
        #expect(ringer_device_stop(device, 12_345) == 0)
    }

    @Test("an alarm is heard at silent; a program of an earlier header leaves the user's choice about alarms alone")
    func alarm() throws {
        let bench = try TestDevice()
        let device = bench.device
        #expect(ringer_simulated_set_position(device, RINGER_POSITION_SILENT) == 0)
        func decision() -> ringer_decision { decide(device, RINGER_SOUND_ALARM) }
        #expect(decision().heard == 1 && decision().felt == 1 && decision().reason == RINGER_REASON_ALARM)
        var alert = ringer_alert()
        (alert.sound, alert.limit_ms, alert.kind) = (1005, 1_000, RINGER_ALERT_KIND_ALARM)
        #expect(ringer_device_alert(device, &alert, MemoryLayout.size(ofValue: alert), nil) == 0)
        #expect(ringer_simulated_advance(device, 2_000_000) == 0)
        let board = try #require(try DeviceHandle.at(device).board)
        #expect(board.speaker.recordingCount > 0)
        var preferences = ringer_preferences()
        let (first, size) = (16, MemoryLayout.size(ofValue: preferences))
        #expect(ringer_device_get_preferences(device, &preferences, size) == 0)
        (preferences.alarm_volume, preferences.alarms_ignore_silence) = (0.5, 1)
        #expect(ringer_device_set_preferences(device, &preferences, size) == 0)
        (preferences.do_not_disturb, preferences.alarm_volume, preferences.alarms_ignore_silence) = (1, 0, 0)
        #expect(ringer_device_set_preferences(device, &preferences, first) == 0)
        #expect(decision().heard == 1 && decision().gain == 0.5)
        #expect(ringer_device_set_preferences(device, &preferences, size) == 0)
        #expect(decision().heard == 0)
    }

    @Test("volumes of kinds count; a program of an earlier header leaves them alone; an announcement has its own")
    func volumes() throws {
        let (bench, device) = try TestDevice.opened()
        var preferences = ringer_preferences()
        let size = MemoryLayout.size(ofValue: preferences)
        #expect(ringer_device_get_preferences(device, &preferences, size) == 0)
        #expect(preferences.announcement_volume == 1 && preferences.media_volume == 1 && preferences.call_volume == 1)
        preferences.announcement_volume = 0.5
        (preferences.media_volume, preferences.call_volume) = (0.25, 0.125)
        #expect(ringer_device_set_preferences(device, &preferences, size) == 0)
        func gains() -> [Float] {
            [
                decide(device, RINGER_SOUND_ANNOUNCEMENT, RINGER_CATEGORY_PLAYBACK).gain,
                decide(device, RINGER_SOUND_CATEGORY, RINGER_CATEGORY_AMBIENT).gain,
                decide(device, RINGER_SOUND_CATEGORY, RINGER_CATEGORY_PLAY_AND_RECORD).gain,
            ]
        }
        #expect(gains() == [0.5, 0.25, 0.125])
        (preferences.media_volume, preferences.do_not_disturb) = (1, 1)
        #expect(ringer_device_set_preferences(device, &preferences, 24) == 0)
        #expect(gains() == [0.5, 0.25, 0.125])
        for wrong: Float in [-0.5, 2, .nan] {
            preferences.call_volume = wrong
            #expect(ringer_device_set_preferences(device, &preferences, size) == -EINVAL)
            #expect(lastError.contains("call volume"))
        }
        let path = "/tmp/ringer-volumes-\(getpid()).wav"
        defer { unlink(path) }
        let bytes = try SoundFiles.encode(
            PCMBuffer(sampleRate: 48_000, channels: 1, samples: [Int16](repeating: 7, count: 4_800)), container: .wave,
            codec: .linearPCM(LinearPCM(.signedInteger, bytesPerSample: 2, byteOrder: .little)))
        let file = try #require(fopen(path, "w"))
        #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
        fclose(file)
        path.withCString { path in
            let paths: [UnsafePointer<CChar>?] = [path]
            paths.withUnsafeBufferPointer { paths in
                var announcement = ringer_announcement()
                let size = MemoryLayout.size(ofValue: announcement)
                (announcement.paths, announcement.count) = (paths.baseAddress, 1)
                announcement.category = RINGER_CATEGORY_PLAYBACK
                for volume: Float in [0, 0.75] {
                    announcement.volume = volume
                    #expect(ringer_device_queue_announcement(device, &announcement, size, nil) == 0)
                }
                announcement.volume = -1
                #expect(ringer_device_queue_announcement(device, &announcement, size, nil) == 0)
                for wrong: Float in [1.5, .nan] {
                    announcement.volume = wrong
                    #expect(ringer_device_queue_announcement(device, &announcement, size, nil) == -EINVAL)
                }
                (announcement.volume, announcement.reserved.0) = (1, 1)
                #expect(ringer_device_queue_announcement(device, &announcement, size, nil) == -EINVAL)
                #expect(ringer_device_queue_announcement(device, nil, size, nil) == -EINVAL)
            }
        }
        bench.advance(milliseconds: 1_000)
        let board = try #require(try DeviceHandle.at(device).board)
        #expect(board.speaker.recordings.map(\.gains) == [[0.5], [0.75]])
        // A key changes the preferences as well.
        #expect(ringer_simulated_press_key(device, RINGER_KEY_VOLUME_DOWN) == 0)
        #expect(ringer_device_get_preferences(device, &preferences, MemoryLayout.size(ofValue: preferences)) == 0)
        #expect(preferences.alert_volume == 0.9375)
        let config = ringer_config_new()
        defer { ringer_config_free(config) }
        #expect(ringer_config_set_volume_keys(config, 1) == 0 && ringer_config_set_volume_keys(nil, 1) == -EINVAL)
        #expect(ringer_device_set_quiet_hours(device, "daily 00:00-23:59 volume=0.5") == 0)
        let state = try #require(bench.events().last { $0.type == RINGER_EVENT_STATE }?.u.state)
        #expect(state.quiet_hours == 0 && state.quiet_hours_volume == 0.5)
        #expect(state.quiet_hours_volume_until == 1_767_225_600 + 86_340)
        #expect(gains() == [0.25, 0.125, 0.125])
    }

    @Test(
        "an alert during a call is felt, quiet or neither, as the user chose; a program of an earlier header leaves that alone"
    )
    func alertsDuringCall() throws {
        let bench = try TestDevice()
        let device = bench.device
        var call: OpaquePointer?
        #expect(ringer_session_new(device, "call", RINGER_CATEGORY_PLAY_AND_RECORD, 0, 100, &call) == 0)
        defer { ringer_session_free(call) }
        #expect(ringer_session_activate(call, nil) == 0)
        #expect(ringer_simulated_advance(device, 1_000) == 0)
        func decision() -> ringer_decision { decide(device, RINGER_SOUND_ALERT) }
        #expect(decision().heard == 0 && decision().felt == 1 && decision().reason == RINGER_REASON_CALL)
        var preferences = ringer_preferences()
        let (earlier, size) = (24, MemoryLayout.size(ofValue: preferences))
        #expect(ringer_device_get_preferences(device, &preferences, size) == 0)
        #expect(preferences.alerts_during_call == UInt8(RINGER_ALERTS_AUTOMATIC.rawValue))
        #expect(preferences.ducking_depth == 14 && preferences.ducking_down_ms == 20 && preferences.ducking_up_ms == 20)
        preferences.alerts_during_call = UInt8(RINGER_ALERTS_QUIET.rawValue)
        (preferences.ducking_depth, preferences.ducking_down_ms, preferences.ducking_up_ms) = (50, 0, 2_000)
        #expect(ringer_device_set_preferences(device, &preferences, size) == 0)
        #expect(decision().heard == 1 && decision().gain == 0.1)
        var old = ringer_preferences()
        #expect(ringer_device_get_preferences(device, &old, earlier) == 0 && old.ducking_depth == 0)
        #expect(ringer_device_set_preferences(device, &old, earlier) == 0)
        var read = ringer_preferences()
        #expect(ringer_device_get_preferences(device, &read, size) == 0)
        #expect(read.ducking_depth == 50 && read.ducking_down_ms == 0 && read.ducking_up_ms == 2_000)
        #expect(read.alerts_during_call == UInt8(RINGER_ALERTS_QUIET.rawValue))
        func refuses(_ words: String, _ change: (inout ringer_preferences) -> Void) {
            var wrong = read
            change(&wrong)
            #expect(ringer_device_set_preferences(device, &wrong, size) == -EINVAL)
            #expect(lastError.contains(words), "\(lastError)")
        }
        for depth: Float in [-0.1, 50.1, .nan] { refuses("ducking_depth") { $0.ducking_depth = depth } }
        refuses("ducking_down_ms of 2001 is not from 0 to 2000") { $0.ducking_down_ms = 2_001 }
        refuses("ducking_up_ms of 65535 is not from 0 to 2000") { $0.ducking_up_ms = .max }
        refuses("5 is no alerts_during_call") { $0.alerts_during_call = 5 }
        refuses("reserved") { $0.reserved_after_call.2 = 1 }
    }

    @Test("states that wait are merged to the newest; ends of requests are never lost, keys are counted")
    func queue() throws {
        let (bench, device) = try TestDevice.opened()
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
        let (bench, device) = try TestDevice.opened()
        var (first, second): (UInt64, UInt64) = (0, 0)
        #expect(alert(device, 1005, &first) == 0)
        #expect(ringer_simulated_advance(device, 100_000) == 0)
        #expect(alert(device, 1007, &second) == 0)
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
        let (bench, device) = try TestDevice.opened()
        var (ringing, unknown): (UInt64, UInt64) = (0, 0)
        #expect(alert(device, 1005, &ringing) == 0)
        bench.advance(milliseconds: 100)
        #expect(alert(device, 424_242, &unknown) == 0)
        #expect(bench.ends().map(\.id) == [unknown])
        #expect(ringer_device_stop(device, ringing) == 0)
        bench.advance(milliseconds: 1_000)
        let ends = bench.ends()
        #expect(ends.map(\.id) == [ringing] && ends.map(\.u.result.outcome) == [RINGER_OUTCOME_STOPPED])
        #expect(ringer_simulated_is_motor_on(device) == 0)
    }

    @Test("an alert of the sound that rings joins it, has its limit, and either number stops both")
    func joinedAlerts() throws {
        let (bench, device) = try TestDevice.opened()
        for stopsFirst in [true, false] {
            var (first, second): (UInt64, UInt64) = (0, 0)
            #expect(alert(device, 1005, &first) == 0)
            bench.advance(milliseconds: 100)
            #expect(alert(device, 1005, limit: 500, &second) == 0)
            bench.advance(milliseconds: 2_000)
            #expect(bench.ends().isEmpty)
            #expect(ringer_device_stop(device, stopsFirst ? first : second) == 0)
            bench.advance(milliseconds: 1_000)
            #expect(Set(bench.ends().map(\.id)) == [first, second])
        }
    }

    // An expired announcement and a replaced alert both ended with outcome 3 and nothing else; an alert at its limit as finished.
    @Test("what ends says why: the cause of a stop, the sentence of a failure")
    func causes() throws {
        let (bench, device) = try TestDevice.opened()
        func causes() -> [ringer_stop_cause] { bench.ends().map(\.u.result.cause) }
        #expect(alert(device, 1005, limit: 500) == 0)
        bench.advance(milliseconds: 3_000)
        #expect(causes() == [RINGER_STOP_CAUSE_LIMITED])
        #expect(alert(device, 1005) == 0)
        #expect(alert(device, 1000) == 0)
        bench.advance(milliseconds: 3_000)
        #expect(causes() == [RINGER_STOP_CAUSE_REPLACED])
        #expect(ringer_device_stop_all(device) == 0)
        bench.advance(milliseconds: 3_000)
        #expect(causes() == [RINGER_STOP_CAUSE_CALLER])

        #expect(ringer_device_vibrate(device, [400], 1, 1, 1, nil) == 0)
        #expect(ringer_device_vibrate(device, [400], 1, 1, 1, nil) == 0)
        bench.advance(milliseconds: 3_000)
        let vibrations = bench.events().filter { $0.type == RINGER_EVENT_VIBRATION_ENDED }.map(\.u.result)
        #expect(vibrations.map(\.cause) == [RINGER_STOP_CAUSE_REPLACED, RINGER_STOP_CAUSE_NONE])

        #expect(alert(device, 424_242) == 0)
        let failed = try #require(bench.ends().first?.u.result)
        #expect(failed.outcome == RINGER_OUTCOME_FAILED && sentence(of: failed).contains("424242"))
        let board = try #require(try DeviceHandle.at(device).board)
        board.speaker.fault = .missing
        #expect(play(device, [1]) == 0)
        bench.advance(milliseconds: 1)
        let missing = try #require(bench.ends().first?.u.result)
        #expect(missing.error == -ENOENT && sentence(of: missing).contains("simulated speaker"))
        // It ended with a number of Apple's.
        var sound: UInt32 = 0
        #expect(ringer_device_register_sound(device, "/no/such/file", &sound) == -ENOENT)
        #expect(lastError == "/no/such/file: cannot open: No such file or directory")
    }

    private func sentence(of result: ringer_result) -> String {
        withUnsafeBytes(of: result.sentence) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    // The first sound was followed by a state in which nothing had changed.
    @Test("a state is an event only if a member differs from the one that was read last")
    func statesThatDiffer() throws {
        let bench = try TestDevice()
        #expect(bench.events().map(\.type) == [RINGER_EVENT_STATE])
        #expect(ringer_device_play_system_sound(bench.device, 1104, 0, nil) == 0)
        while ringer_simulated_get_recordings(bench.device, nil, 0, 0) == 0 { usleep(1000) }
        bench.advance(milliseconds: 1_000)
        #expect(bench.events().map(\.type) == [RINGER_EVENT_SOUND_STARTED, RINGER_EVENT_SOUND_ENDED])
        #expect(ringer_device_set_screen_locked(bench.device, 1) == 0)
        #expect(ringer_device_set_screen_locked(bench.device, 1) == 0)
        #expect(bench.events().map(\.u.state.screen_locked) == [1])
    }

    @Test("the kept position is set, changed and in the state; a configuration names its file")
    func keptPosition() throws {
        let bench = try TestDevice()
        _ = bench.events()
        #expect(ringer_device_set_position(bench.device, RINGER_POSITION_SILENT) == 0)
        #expect(bench.events().map(\.u.state.kept_position) == [UInt8(RINGER_POSITION_SILENT.rawValue)])
        #expect(ringer_device_set_position(bench.device, RINGER_POSITION_UNKNOWN) == -EINVAL)
        #expect(ringer_device_toggle_position(bench.device) == 0)
        #expect(bench.events().map(\.u.state.kept_position) == [UInt8(RINGER_POSITION_RING.rawValue)])
        #expect(ringer_device_set_position(bench.device, ringer_position(rawValue: 9)) == -EINVAL)
        #expect(ringer_reason_name(RINGER_REASON_SOFTWARE_SILENT).map { String(cString: $0) } == "softwareSilent")
        let config = ringer_config_new()
        defer { ringer_config_free(config) }
        #expect(ringer_config_set_position_file(config, nil, RINGER_POSITION_RING) == -EINVAL)
        #expect(ringer_config_set_position_file(config, "/tmp/position", RINGER_POSITION_UNKNOWN) == -EINVAL)
        #expect(ringer_config_set_position_file(config, "/tmp/position", RINGER_POSITION_VIBRATE) == 0)
    }

    @Test("a position until a time ends by itself, and is in the state with its end; a time that is none is refused")
    func keptPositionUntil() throws {
        let bench = try TestDevice()
        _ = bench.events()
        let until: Int64 = 1_767_225_600 + 3_600
        #expect(ringer_device_set_position_until(bench.device, RINGER_POSITION_SILENT, until) == 0)
        #expect(bench.events().map(\.u.state.kept_position_until) == [until])
        var effective = ringer_effective_position()
        #expect(ringer_device_get_effective_position(bench.device, &effective, 16) == 0 && effective.until == until)
        for wrong in [0, -1, .min, .max, 1_767_225_600] as [Int64] {
            #expect(ringer_device_set_position_until(bench.device, RINGER_POSITION_RING, wrong) == -EINVAL)
            #expect(String(cString: ringer_last_error()).contains("until \(wrong)"))
        }
        #expect(ringer_device_set_position_until(bench.device, RINGER_POSITION_UNKNOWN, until) == -EINVAL)
        #expect(ringer_device_set_position_until(nil, RINGER_POSITION_RING, until) == -EINVAL)
        bench.advance(milliseconds: 3_600_000)
        #expect(bench.events().map(\.u.state.kept_position) == [UInt8(RINGER_POSITION_RING.rawValue)])
    }

    @Test("quiet hours are set as text, count in state and decision, and stay when other preferences are set")
    func quietHours() throws {
        let bench = try TestDevice()
        _ = bench.events()
        func text(_ size: Int) -> (Int32, String) {
            var bytes = [CChar](repeating: 7, count: 64)
            let length = ringer_device_get_quiet_hours(bench.device, &bytes, size)
            return (length, String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
        }
        #expect(text(64) == (0, ""))
        #expect(ringer_device_set_quiet_hours(bench.device, "daily 25:00-07:00") == -EINVAL)
        #expect(String(cString: ringer_last_error()).contains("character 7"))
        // The board is at the beginning of 2026, at 0:16 of a Thursday.
        #expect(ringer_device_set_quiet_hours(bench.device, "thu 00:00-01:00") == 0)
        #expect(text(64) == (15, "Thu 00:00-01:00") && text(4) == (15, "Thu"))
        #expect(ringer_device_get_quiet_hours(bench.device, nil, 0) == 15)
        #expect(ringer_device_get_quiet_hours(bench.device, nil, 1) == -EINVAL)
        let quiet = try #require(bench.events().last?.u.state)
        #expect(quiet.quiet_hours == UInt8(RINGER_POSITION_SILENT.rawValue))
        #expect(quiet.quiet_hours_until == 1_767_225_600 + 3_600)
        var effective = ringer_effective_position()
        let size = MemoryLayout<ringer_effective_position>.size
        #expect(ringer_device_get_effective_position(bench.device, &effective, size) == 0)
        #expect(effective.position == RINGER_POSITION_SILENT && effective.until == quiet.quiet_hours_until)
        #expect(effective.silenced_by == RINGER_SILENCED_BY_QUIET_HOURS)
        let decision = decide(bench.device, RINGER_SOUND_SYSTEM, RINGER_CATEGORY_SOLO_AMBIENT)
        #expect(decision.heard == 0 && decision.reason == RINGER_REASON_QUIET_HOURS)
        // A program of an earlier version gives 0 for what it does not know.
        var preferences = ringer_preferences()
        let sizeOfPreferences = MemoryLayout<ringer_preferences>.size
        #expect(ringer_device_get_preferences(bench.device, &preferences, sizeOfPreferences) == 0)
        #expect(preferences.quiet_hours_position == UInt8(RINGER_POSITION_SILENT.rawValue))
        (preferences.quiet_hours_position, preferences.when_clock_unset) = (UInt8(RINGER_POSITION_VIBRATE.rawValue), 0)
        #expect(ringer_device_set_preferences(bench.device, &preferences, sizeOfPreferences) == 0)
        #expect(bench.events().last?.u.state.quiet_hours == UInt8(RINGER_POSITION_VIBRATE.rawValue))
        preferences.when_clock_unset = 9
        #expect(ringer_device_set_preferences(bench.device, &preferences, sizeOfPreferences) == -EINVAL)
        bench.advance(milliseconds: 3_600_000)
        #expect(bench.events().last?.u.state.quiet_hours == 0)
        // 23:30 in Berlin is 22:30 in UTC.
        #expect(ringer_device_set_quiet_hours(bench.device, "thu 23:00-24:00") == -EINVAL)
        #expect(ringer_device_set_quiet_hours(bench.device, "thu 23:00-23:59") == 0)
        #expect(ringer_simulated_set_wall_time(bench.device, 1_767_225_600 + 22 * 3_600 + 1_800) == 0)
        #expect(ringer_device_get_effective_position(bench.device, &effective, size) == 0 && effective.silenced_by == 0)
        #expect(ringer_simulated_set_time_zone(bench.device, "Berlin+") == -EINVAL)
        #expect(ringer_simulated_set_time_zone(bench.device, "CET-1CEST,M3.5.0,M10.5.0/3") == 0)
        #expect(ringer_device_get_effective_position(bench.device, &effective, size) == 0)
        #expect(effective.position == RINGER_POSITION_VIBRATE && effective.until == 1_767_225_600 + 23 * 3_600 - 60)
        #expect(ringer_simulated_set_wall_time(bench.device, -1) == -EINVAL)
        #expect(ringer_device_set_quiet_hours(bench.device, nil) == 0 && text(64) == (0, ""))
    }

    @Test("the start of a file's samples, of a system sound and of an announcement is an event, before their ends")
    func starts() throws {
        let bench = try TestDevice()
        let handle = try DeviceHandle.at(bench.device)
        let samples = [Int16](repeating: 7, count: 4_800)
        var (sound, announcement, system): (UInt64, UInt64, UInt64) = (0, 0, 0)
        #expect(
            play(bench.device, samples, &sound)
                == 0)
        bench.advance(milliseconds: 200)
        let sentence = Announcement(PCMBuffer(sampleRate: 48_000, channels: 1, samples: samples))
        #expect(try handle.announce(sentence, &announcement) == 0)
        bench.advance(milliseconds: 200)
        #expect(ringer_device_play_system_sound(bench.device, 1104, 0, &system) == 0)
        while ringer_simulated_get_recordings(bench.device, nil, 0, 0) < 3 { usleep(1000) }
        bench.advance(milliseconds: 1_000)
        let events = bench.events().filter { $0.id != 0 }
        #expect(events.map(\.id) == [sound, sound, announcement, announcement, system, system])
        let types = [RINGER_EVENT_SOUND_STARTED, RINGER_EVENT_SOUND_ENDED]
        #expect(events.map(\.type) == types + types + types)
        for index in [0, 2, 4] { #expect(events[index].at == events[index + 1].u.result.started_at) }
    }

    @Test("an announcement is paused and begins anew, is skipped, and is repeated before those that wait")
    func announcementsControlled() throws {
        let bench = try TestDevice()
        let (device, handle) = (bench.device, try DeviceHandle.at(bench.device))
        let sound = PCMBuffer(sampleRate: 48_000, channels: 1, samples: [Int16](repeating: 7, count: 48_000))
        var (first, second, again): (UInt64, UInt64, UInt64) = (0, 0, 0)
        #expect(ringer_device_repeat_announcement(device, &again) == -ENOENT && again == 0)
        #expect(try handle.announce(Announcement(sound), &first) == 0)
        #expect(try handle.announce(Announcement(sound), &second) == 0)
        bench.advance(milliseconds: 500)
        #expect(ringer_device_pause_announcements(device, 1) == 0)
        bench.advance(milliseconds: 5_000)
        #expect(bench.ends().isEmpty)
        #expect(ringer_device_pause_announcements(device, 0) == 0)
        bench.advance(milliseconds: 500)
        #expect(ringer_device_repeat_announcement(device, &again) == 0)
        #expect(ringer_device_skip_announcement(device) == 0)
        bench.advance(milliseconds: 5_000)
        let ends = bench.ends()
        #expect(ends.map(\.id) == [first, again, second])
        #expect(
            ends.map(\.u.result.cause) == [RINGER_STOP_CAUSE_SKIPPED, RINGER_STOP_CAUSE_NONE, RINGER_STOP_CAUSE_NONE])
        #expect(ringer_device_skip_announcement(device) == 0)
    }

    @Test("the output is released: what sounds ends with that cause, then an event tells that the PCMs are closed")
    func releasedOutput() throws {
        let bench = try TestDevice()
        let board = try #require(try DeviceHandle.at(bench.device).board)
        var (sound, release): (UInt64, UInt64) = (0, 0)
        let samples = [Int16](repeating: 7, count: 48_000)
        #expect(
            play(bench.device, samples, &sound)
                == 0)
        bench.advance(milliseconds: 100)
        #expect(ringer_device_release_output(bench.device, &release) == 0)
        bench.advance(milliseconds: 100)
        let events = bench.events().filter { $0.id != 0 && $0.type != RINGER_EVENT_SOUND_STARTED }
        #expect(events.map(\.id) == [sound, release])
        #expect(events.first?.u.result.cause == RINGER_STOP_CAUSE_OUTPUT_RELEASED)
        #expect(events.last?.type == RINGER_EVENT_OUTPUT_RELEASED)
        #expect(board.speaker.recordings.map(\.played) == [4_800])
        #expect(ringer_device_release_output(nil, nil) == -EINVAL)
    }

    @Test("a request that is stopped while it is being made is stopped once it has begun")
    func stoppedWhileBeginning() throws {
        let bench = try TestDevice()
        let handle = try DeviceHandle.at(bench.device)
        let sound = PCMBuffer(sampleRate: 48_000, channels: 1, samples: [Int16](repeating: 7, count: 48_000))
        var id: UInt64 = 0
        let result = try handle.begin(&id) { number in
            handle.stop(number)
            let played = PlayedSound(
                sound, in: SoundManner(), total: 48_000, place: .category(.playback, []), session: nil,
                on: handle.device
            ) { handle.ended(number, $0) }
            try played.begin()
            return .sound(played)
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
        let (bench, device) = try TestDevice.opened()
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

    @Test("a closed device has no events, though its session is not freed yet")
    func eventsOfAClosedDevice() throws {
        let bench = try TestDevice()
        let session = try bench.session(RINGER_CATEGORY_PLAYBACK)
        let handle = try DeviceHandle.at(bench.device)
        #expect(ringer_simulated_press_key(bench.device, RINGER_KEY_SILENCE) == 0)
        ringer_device_close(bench.device)
        handle.queue.add(ringer_event())
        var event = ringer_event()
        let waited = try withUnsafeMutablePointer(to: &event) { event in
            handle.queue.next(
                try Structure(event, eventSize, "event"), { handle.device.state }, now: { handle.device.clock.now })
        }
        #expect(!waited)
        ringer_session_free(session)
    }

    // It was closed where the closing thread had read the events: a thread that waited for it in epoll_wait slept for ever.
    @Test("a closed device's descriptor is readable until its end is read, whichever thread read before")
    func descriptorOfAClosedDevice() throws {
        var isKept = false
        // Other tests may have closed 16 devices by the time that it is looked at.
        for _ in 0..<20 where !isKept {
            let bench = try TestDevice()
            _ = bench.events()
            weak let queue = try DeviceHandle.at(bench.device).queue
            let descriptor = ringer_device_get_fd(bench.device)
            ringer_device_close(bench.device)
            #expect(ringer_device_get_fd(bench.device) == -ESHUTDOWN)
            if let queue {
                isKept = true
                var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                #expect(poll(&ready, 1, 0) == 1 && ready.revents == Int16(POLLIN))
                withExtendedLifetime(queue) {}
            }
            var event = ringer_event()
            #expect(ringer_device_read_event(bench.device, &event, eventSize) == -ESHUTDOWN)
            #expect(queue == nil)
        }
        #expect(isKept)
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
        let wrong = try await (pcms, lights)
        #expect(wrong == (0, 0))
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
