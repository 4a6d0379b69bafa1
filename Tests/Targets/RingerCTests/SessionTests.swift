import CRinger
import Glibc
import RingerLinux
import ServiceSupport
import Testing

@testable import RingerC

/// Sessions, notifications, routes and registered sounds of ringer.h.
@Suite struct SessionTests {
    private let samples = [Int16](repeating: 7, count: 48_000)

    /// The changes of a session among events.
    private func changes(_ events: [ringer_event], of session: OpaquePointer) -> [ringer_session_event] {
        events.filter { $0.type == RINGER_EVENT_SESSION && $0.u.session.session == ringer_session_get_number(session) }
            .map(\.u.session)
    }

    private func ends(_ events: [ringer_event]) -> [ringer_event] {
        events.filter { $0.type == RINGER_EVENT_SOUND_ENDED || $0.type == RINGER_EVENT_SESSION_ANSWERED }
    }

    @Test("a call's session interrupts music, which may resume afterwards, and each learns it from events")
    func interruption() throws {
        let bench = try TestDevice()
        let music = try bench.session(RINGER_CATEGORY_PLAYBACK)
        let call = try bench.session(RINGER_CATEGORY_PLAY_AND_RECORD, priority: RINGER_PRIORITY_CALL)
        defer { [music, call].forEach { ringer_session_free($0) } }
        var (activation, sound): (UInt64, UInt64) = (0, 0)
        #expect(ringer_session_activate(music, &activation) == 0)
        #expect(play(bench.device, samples, in: music, &sound) == 0)
        bench.advance(milliseconds: 250)
        var state = ringer_session_state()
        #expect(ringer_session_get_state(music, &state, MemoryLayout.size(ofValue: state)) == 0)
        #expect(state.phase == RINGER_SESSION_ACTIVE && state.is_audible == 1 && state.route == RINGER_ROUTE_SPEAKER)
        #expect(state.category == RINGER_CATEGORY_PLAYBACK && state.number == ringer_session_get_number(music))
        let before = bench.events()
        #expect(ends(before).map(\.id) == [activation] && ends(before)[0].u.result.error == 0)
        #expect(changes(before, of: music).map(\.change).contains(RINGER_SESSION_ACTIVATED))

        #expect(ringer_session_activate(call, nil) == 0)
        bench.advance(milliseconds: 10)
        let interrupted = bench.events()
        let began = try #require(
            changes(interrupted, of: music).first { $0.change == RINGER_SESSION_INTERRUPTION_BEGAN })
        #expect(began.cause == RINGER_CAUSE_SESSION && began.cause_number == ringer_session_get_number(call))
        let stopped = try #require(changes(interrupted, of: music).first { $0.change == RINGER_SESSION_SOUND_STOPPED })
        #expect(stopped.why == RINGER_STOP_INTERRUPTION.rawValue)
        #expect(ends(interrupted).contains { $0.id == sound && $0.u.result.frames_played == 12_000 })
        #expect(
            ringer_session_get_state(music, &state, MemoryLayout.size(ofValue: state)) == 0
                && state.phase == RINGER_SESSION_INTERRUPTED)

        // Beside a call nobody becomes active.
        #expect(ringer_session_activate(music, &activation) == 0)
        bench.advance(milliseconds: 10)
        #expect(ends(bench.events()).map(\.u.result.error) == [-EBUSY])

        #expect(ringer_session_deactivate(call, 1, &activation) == 0)
        bench.advance(milliseconds: 10)
        let resumed = bench.events()
        #expect(ends(resumed).map(\.id) == [activation])
        #expect(
            changes(resumed, of: music).contains {
                $0.change == RINGER_SESSION_INTERRUPTION_ENDED && $0.should_resume == 1
            })
        #expect(
            ringer_session_get_state(music, &state, MemoryLayout.size(ofValue: state)) == 0
                && state.phase == RINGER_SESSION_ACTIVE)
    }

    @Test("an interruption from outside begins, is ended or answered, and keeps sessions from being activated")
    func outside() throws {
        let bench = try TestDevice()
        let music = try bench.session(RINGER_CATEGORY_PLAYBACK)
        defer { ringer_session_free(music) }
        #expect(ringer_session_activate(music, nil) == 0)
        var interruption: UInt64 = 0
        #expect(ringer_device_begin_interruption(bench.device, &interruption) == 0)
        let began = changes(bench.events(), of: music).last { $0.change == RINGER_SESSION_INTERRUPTION_BEGAN }
        #expect(began?.cause == RINGER_CAUSE_OUTSIDE && began?.cause_number == interruption)
        #expect(ringer_device_end_interruption(bench.device, interruption, 0) == 0)
        let ended = changes(bench.events(), of: music).last { $0.change == RINGER_SESSION_INTERRUPTION_ENDED }
        #expect(ended?.should_resume == 0)
        #expect(ringer_device_end_interruption(bench.device, interruption, 1) == 0)

        #expect(ringer_session_activate(music, nil) == 0)
        #expect(ringer_device_begin_interruption(bench.device, &interruption) == 0)
        #expect(ringer_device_answer_interruption(bench.device, interruption) == 0)
        let dropped = changes(bench.events(), of: music).last { $0.change == RINGER_SESSION_INTERRUPTION_DROPPED }
        #expect(dropped?.why == RINGER_DROP_ANSWERED.rawValue)
    }

    @Test("a session follows the route, and pulling a headphone out pauses it")
    func routes() throws {
        let bench = try TestDevice()
        let music = try bench.session(RINGER_CATEGORY_PLAYBACK)
        defer { ringer_session_free(music) }
        #expect(ringer_session_activate(music, nil) == 0)
        #expect(ringer_simulated_set_headphone(bench.device, 1) == 0)
        #expect(play(bench.device, samples, in: music) == 0)
        bench.advance(milliseconds: 100)
        _ = bench.events()
        #expect(ringer_simulated_set_headphone(bench.device, 0) == 0)
        bench.advance(milliseconds: 1)
        let events = changes(bench.events(), of: music)
        let change = try #require(events.first { $0.change == RINGER_SESSION_ROUTE_CHANGED })
        #expect(change.old_route == RINGER_ROUTE_HEADPHONE && change.route == RINGER_ROUTE_SPEAKER)
        #expect(change.why == RINGER_ROUTE_CHANGE_OLD_DEVICE_UNAVAILABLE.rawValue)
        #expect(
            events.first { $0.change == RINGER_SESSION_SOUND_STOPPED }?.why
                == RINGER_STOP_OLD_DEVICE_UNAVAILABLE.rawValue)
        #expect(ringer_device_set_route(bench.device, RINGER_ROUTE_BLUETOOTH) == 0)
        var state = ringer_state()
        #expect(ringer_device_get_state(bench.device, &state, 32) == 0 && state.route == RINGER_ROUTE_BLUETOOTH)
        #expect(ringer_device_set_route(bench.device, RINGER_ROUTE_NONE) == -EINVAL)
    }

    @Test("properties have the sizes of their types, and wrong ones are refused with the size that is needed")
    func properties() throws {
        let bench = try TestDevice()
        let session = try bench.session(RINGER_CATEGORY_PLAY_AND_RECORD)
        defer { ringer_session_free(session) }
        var rate = 44_100.0
        #expect(ringer_session_set_property(session, RINGER_PROPERTY_PREFERRED_SAMPLE_RATE, &rate, 8) == 0)
        var (read, size) = (0.0, 8)
        #expect(ringer_session_get_property(session, RINGER_PROPERTY_PREFERRED_SAMPLE_RATE, &read, &size) == 0)
        #expect(read == 44_100 && size == 8)
        size = 4
        #expect(ringer_session_get_property(session, RINGER_PROPERTY_SAMPLE_RATE, &read, &size) == -EMSGSIZE)
        #expect(size == 8)
        #expect(ringer_session_set_property(session, RINGER_PROPERTY_PREFERRED_SAMPLE_RATE, &rate, 4) == -EMSGSIZE)
        #expect(ringer_session_set_property(session, RINGER_PROPERTY_PREFERRED_SAMPLE_RATE, &rate, -1) == -EMSGSIZE)
        rate = -1
        #expect(ringer_session_set_property(session, RINGER_PROPERTY_PREFERRED_SAMPLE_RATE, &rate, 8) == -EINVAL)
        #expect(ringer_session_set_property(session, ringer_property(1), &rate, 8) == -ENOENT)
        size = 8
        #expect(ringer_session_get_property(session, ringer_property(1), &rate, &size) == -ENOENT)
        #expect(ringer_session_get_property(session, RINGER_PROPERTY_ROUTE, nil, &size) == -EMSGSIZE)
        var route = [CChar](repeating: 1, count: size)
        #expect(ringer_session_get_property(session, RINGER_PROPERTY_ROUTE, &route, &size) == 0)
        #expect(route.withUnsafeBufferPointer { String(cString: $0.baseAddress!) } == "ReceiverAndMicrophone")
        var speaker: UInt32 = 0x7370_6b72
        #expect(ringer_session_activate(session, nil) == 0)
        #expect(ringer_session_set_property(session, RINGER_PROPERTY_OVERRIDE_ROUTE, &speaker, 4) == 0)
        var state = ringer_session_state()
        #expect(ringer_session_get_state(session, &state, MemoryLayout.size(ofValue: state)) == 0)
        #expect(state.route == RINGER_ROUTE_SPEAKER && state.input == RINGER_INPUT_MICROPHONE)
        // Every code of the header is known.
        for property in [
            RINGER_PROPERTY_PREFERRED_SAMPLE_RATE, RINGER_PROPERTY_PREFERRED_BUFFER_DURATION, RINGER_PROPERTY_CATEGORY,
            RINGER_PROPERTY_ROUTE, RINGER_PROPERTY_SAMPLE_RATE, RINGER_PROPERTY_INPUT_CHANNELS,
            RINGER_PROPERTY_OUTPUT_CHANNELS, RINGER_PROPERTY_OUTPUT_VOLUME, RINGER_PROPERTY_INPUT_LATENCY,
            RINGER_PROPERTY_OUTPUT_LATENCY, RINGER_PROPERTY_BUFFER_DURATION, RINGER_PROPERTY_OTHER_AUDIO_PLAYING,
            RINGER_PROPERTY_INPUT_AVAILABLE, RINGER_PROPERTY_DUCK_OTHERS, RINGER_PROPERTY_MIX_WITH_OTHERS,
            RINGER_PROPERTY_DEFAULT_TO_SPEAKER, RINGER_PROPERTY_BLUETOOTH_INPUT,
        ] {
            var bytes = [UInt8](repeating: 0, count: 64)
            size = 64
            #expect(ringer_session_get_property(session, property, &bytes, &size) == 0, "\(lastError)")
        }
    }

    @Test("sessions refuse what their category does not allow, and end with their device")
    func refusals() throws {
        let bench = try TestDevice()
        var session: OpaquePointer?
        #expect(
            ringer_session_new(
                bench.device, nil, RINGER_CATEGORY_AMBIENT, RINGER_OPTION_DEFAULT_TO_SPEAKER, 0, &session) == -EINVAL)
        #expect(session == nil && !lastError.isEmpty)
        #expect(ringer_session_new(bench.device, nil, ringer_category(9), 0, 0, &session) == -EINVAL)
        #expect(ringer_session_new(bench.device, [-1, 0], RINGER_CATEGORY_AMBIENT, 0, 0, &session) == -EILSEQ)
        #expect(ringer_session_new(nil, nil, RINGER_CATEGORY_AMBIENT, 0, 0, &session) == -EINVAL)
        #expect(ringer_session_new(bench.device, nil, RINGER_CATEGORY_AMBIENT, 0, 0, nil) == -EINVAL)
        #expect(ringer_session_activate(nil, nil) == -EINVAL && ringer_session_get_number(nil) == 0)
        ringer_session_free(nil)
        let music = try bench.session(RINGER_CATEGORY_AMBIENT)
        #expect(
            ringer_session_set_category(music, RINGER_CATEGORY_PLAYBACK, RINGER_OPTION_DEFAULT_TO_SPEAKER) == -EINVAL)
        #expect(ringer_session_set_category(music, RINGER_CATEGORY_PLAYBACK, RINGER_OPTION_DUCK_OTHERS) == 0)
        #expect(ringer_session_set_spoken(music, 1) == 0 && ringer_session_set_in_background(music, 1) == 0)
        var state = ringer_session_state()
        #expect(ringer_session_get_state(music, &state, MemoryLayout.size(ofValue: state)) == 0)
        #expect(state.is_spoken == 1 && state.is_in_background == 1 && state.options & RINGER_OPTION_DUCK_OTHERS != 0)
        // A sound in a session that is not active fails.
        var sound: UInt64 = 0
        #expect(play(bench.device, samples, in: music, &sound) == 0)
        bench.advance(milliseconds: 1)
        #expect(
            ends(bench.events()).contains { event in
                event.id == sound && event.u.result.outcome == RINGER_OUTCOME_FAILED && event.u.result.error == -EBUSY
            })
        let other = try TestDevice()
        #expect(play(other.device, samples, in: music) == -EINVAL && lastError == "the session is another device's")

        let config = ringer_config_new()
        defer { ringer_config_free(config) }
        #expect(ringer_config_set_board(config, RINGER_BOARD_SIMULATED) == 0)
        var device: OpaquePointer?
        #expect(ringer_device_open(config, &device) == 0)
        #expect(ringer_session_new(device, nil, RINGER_CATEGORY_AMBIENT, 0, 0, &session) == 0)
        ringer_device_close(device)
        #expect(ringer_session_get_state(session, &state, MemoryLayout.size(ofValue: state)) == -ESHUTDOWN)
        #expect(lastError == "device: cannot use it: closed")
        #expect(ringer_session_set_spoken(session, 1) == -ESHUTDOWN)
        #expect(ringer_device_get_state(device, nil, 32) == -ESHUTDOWN)
        ringer_device_close(device)
        ringer_session_free(session)
    }

    @Test("a notification plays its application's sound, or the default one with the reason")
    func notifications() throws {
        let bench = try TestDevice()
        var notification = ringer_notification()
        notification.volume = 1
        var id: UInt64 = 0
        #expect(ringer_device_notify(bench.device, &notification, notificationSize, &id) == 0)
        bench.advance(milliseconds: 5_000)
        #expect(ends(bench.events()).map(\.id) == [id])
        "chime.wav".withCString { name in
            "/no/such/application".withCString { directory in
                (notification.sound, notification.directory) = (name, directory)
                #expect(ringer_device_notify(bench.device, &notification, notificationSize, &id) == 0)
            }
        }
        bench.advance(milliseconds: 5_000)
        let events = bench.events()
        #expect(ends(events).map(\.id) == [id] && events.contains { $0.type == RINGER_EVENT_DEGRADED })
        #expect(ringer_simulated_get_recordings(bench.device, nil, 0, 0) == 2)
        // At silent only a critical one of an application that may send it is heard.
        #expect(ringer_simulated_set_position(bench.device, RINGER_POSITION_SILENT) == 0)
        for (allows, outcome): (UInt8, ringer_outcome) in [
            (0, RINGER_OUTCOME_SILENCED), (1, RINGER_OUTCOME_FINISHED),
        ] {
            var critical = ringer_notification()
            (critical.volume, critical.is_critical, critical.allows_critical) = (1, 1, allows)
            "/no/such/application".withCString { directory in
                critical.directory = directory
                #expect(ringer_device_notify(bench.device, &critical, notificationSize, &id) == 0)
            }
            bench.advance(milliseconds: 5_000)
            #expect(ends(bench.events()).map(\.u.result.outcome) == [outcome])
        }
        // It needs no directory for that.
        var critical = ringer_notification()
        (critical.is_critical, critical.allows_critical) = (1, 1)
        #expect(ringer_device_notify(bench.device, &critical, notificationSize, &id) == 0)
        bench.advance(milliseconds: 5_000)
        #expect(ends(bench.events()).map(\.u.result.outcome) == [RINGER_OUTCOME_FINISHED])
        [CChar](arrayLiteral: -1, 0).withUnsafeBufferPointer { text in
            critical.bundle = text.baseAddress
            #expect(ringer_device_notify(bench.device, &critical, notificationSize, &id) == -EILSEQ)
        }
        notification.volume = .nan
        #expect(ringer_device_notify(bench.device, &notification, notificationSize, &id) == -EINVAL)
        #expect(ringer_device_notify(bench.device, nil, notificationSize, &id) == -EINVAL)
    }

    @Test("a notification is heard at full volume unless it has a volume; below 0 it is not heard")
    func volumes() throws {
        let bench = try TestDevice()
        let board = try #require(try DeviceHandle.at(bench.device).board)
        var notification = ringer_notification()
        for volume: Float in [0, 0.25, -1] {
            notification.volume = volume
            #expect(ringer_device_notify(bench.device, &notification, notificationSize, nil) == 0)
            bench.advance(milliseconds: 5_000)
        }
        #expect(board.speaker.recordings.map(\.gains) == [[1], [0.25]])
        let last = bench.ends().last
        #expect(last?.u.result.outcome == RINGER_OUTCOME_SILENCED && last?.u.result.reason == RINGER_REASON_VOLUME_ZERO)
        notification.volume = 1.5
        #expect(ringer_device_notify(bench.device, &notification, notificationSize, nil) == -EINVAL)
    }

    @Test("a registered sound has a number until it is disposed of")
    func registered() throws {
        let bench = try TestDevice()
        let path = "/tmp/ringer-registered-\(getpid()).wav"
        defer { unlink(path) }
        /// Writes so many frames at 8000 Hz.
        func write(frames: Int) throws {
            func bytes(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
            let format: [UInt8] = [16, 0, 0, 0, 1, 0, 1, 0, 0x40, 0x1f, 0, 0, 0x80, 0x3e, 0, 0, 2, 0, 16, 0]
            var wave = Array("RIFF".utf8) + bytes(36 + frames * 2)
            wave += Array("WAVEfmt ".utf8) + format + Array("data".utf8)
            wave += bytes(frames * 2) + [UInt8](repeating: 1, count: frames * 2)
            let file = try #require(fopen(path, "w"))
            #expect(fwrite(wave, 1, wave.count, file) == wave.count)
            fclose(file)
        }
        try write(frames: 48)
        var sound: UInt32 = 0
        #expect(ringer_device_register_sound(bench.device, path, &sound) == 0 && sound != 0, "\(lastError)")
        #expect(ringer_device_play_system_sound(bench.device, sound, 0, nil) == 0)
        while ringer_simulated_get_recordings(bench.device, nil, 0, 0) == 0 { usleep(1000) }
        bench.advance(milliseconds: 100)
        #expect(ends(bench.events()).map(\.u.result.outcome) == [RINGER_OUTCOME_FINISHED])
        #expect(ringer_device_dispose_sound(bench.device, sound) == 0)
        #expect(ringer_device_dispose_sound(bench.device, sound) < 0)
        #expect(ringer_device_register_sound(bench.device, "/no/such/file", &sound) == -ENOENT)
        #expect(ringer_device_register_sound(bench.device, path, nil) == -EINVAL)
        try write(frames: 31 * 8_000)
        #expect(ringer_device_register_sound(bench.device, path, &sound) == -E2BIG)
    }

    // It ended as limited, without a word of its sound.
    @Test("an alert by an MP3 file that has become damaged vibrates, and says why it was not heard")
    func damaged() throws {
        let bench = try TestDevice()
        let path = "/tmp/ringer-damaged-\(getpid()).mp3"
        defer { unlink(path) }
        func write(_ bytes: [UInt8]) throws {
            let file = try #require(fopen(path, "w"))
            #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
            fclose(file)
        }
        try write(PrivateFile.silentMP3)
        var sound: UInt32 = 0
        #expect(ringer_device_register_sound(bench.device, path, &sound) == 0, "\(lastError)")
        try write(PrivateFile.silentMP3.prefix(4) + [UInt8](repeating: 0x55, count: 1000))
        #expect(alert(bench.device, sound, limit: 2_000) == 0)
        var ended: [ringer_event] = []
        // The file is read on another thread.
        for _ in 0..<10_000 {
            guard ended.isEmpty else { break }
            usleep(1000)
            bench.advance(milliseconds: 1)
            ended = bench.ends()
        }
        let result = try #require(ended.first?.u.result)
        #expect(result.outcome == RINGER_OUTCOME_STOPPED && result.cause == RINGER_STOP_CAUSE_LIMITED)
        #expect(result.felt == 1 && result.error < 0)
        let sentence = withUnsafeBytes(of: result.sentence) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        #expect(sentence.hasPrefix(path + ": cannot decode the sound"), "\(sentence)")
    }
}
