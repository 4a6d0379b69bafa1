import CRinger
import Glibc
import RingerLinux
import RingerTestKit
import Synchronization
import Testing

@testable import RingerC

/// How sounds and alerts are played: gain, loops, pauses and positions, from descriptors.
@Suite struct PlaybackTests {
    /// A second of samples that differ.
    private let samples = (0..<48_000).map { Int16(truncatingIfNeeded: $0) }

    @Test("a sound begins at its frame, is repeated as one sound, and has its gain")
    func manner() throws {
        let bench = try TestDevice()
        let board = try #require(try DeviceHandle.at(bench.device).board)
        let played = play(bench.device, samples) { playback in
            (playback.first_frame, playback.loops, playback.gain) = (24_000, 2, 0.5)
        }
        #expect(played == 0)
        bench.advance(milliseconds: 2_499)
        #expect(bench.ends().isEmpty)
        bench.advance(milliseconds: 1)
        let result = try #require(bench.ends().first?.u.result)
        #expect(result.outcome == RINGER_OUTCOME_FINISHED && result.frames_played == 120_000)
        #expect(result.frames == 120_000)
        #expect(board.speaker.recordings.map(\.gains) == [[0.5]])
        let heard = try #require(board.speaker.recordings.first)
        let expected = Array(samples[24_000...]) + samples + samples
        #expect(Array(heard.samples) == expected)

        #expect(play(bench.device, samples) { $0.first_frame = .max } == 0)
        bench.advance(milliseconds: 1)
        let nothing = try #require(bench.ends().first?.u.result)
        #expect(nothing.frames == 0 && nothing.outcome == RINGER_OUTCOME_FAILED)
        #expect(play(bench.device, samples) { $0.gain = -1 } == 0)
        bench.advance(milliseconds: 1)
        #expect(board.speaker.recordings.last?.gains == [0])
        #expect(play(bench.device, samples) { $0.gain = 1.5 } == -EINVAL)
        #expect(play(bench.device, samples) { $0.gain = .nan } == -EINVAL)
        #expect(play(bench.device, samples) { $0.reserved.3 = 1 } == -EINVAL)
    }

    @Test("what is there of a file that was cut off is heard, and the result and an event say so; as a clip it fails")
    func incomplete() throws {
        let bench = try TestDevice()
        let path = "/tmp/ringer-cut-\(getpid()).wav"
        defer { unlink(path) }
        let sound = PCMBuffer(sampleRate: 48_000, channels: 1, samples: samples)
        let bytes = try SoundFiles.encode(
            sound, container: .wave, codec: .linearPCM(LinearPCM(.signedInteger, bytesPerSample: 2, byteOrder: .little))
        )
        func write(_ count: Int) throws {
            let file = try #require(fopen(path, "w"))
            #expect(fwrite(bytes, 1, count, file) == count)
            fclose(file)
        }
        func sentence(_ event: ringer_event) -> String {
            withUnsafeBytes(of: event.u.result.sentence) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        try write(44 + 960)
        #expect(ringer_device_play_file(bench.device, path, RINGER_CATEGORY_PLAYBACK, 0, nil) == 0)
        bench.advance(milliseconds: 20)
        let events = bench.events()
        let end = try #require(events.first { $0.type == RINGER_EVENT_SOUND_ENDED })
        #expect(end.u.result.outcome == RINGER_OUTCOME_FINISHED && end.u.result.frames_played == 480)
        #expect(sentence(end).hasPrefix("\(path): cannot play all of it"))
        #expect(events.contains { $0.type == RINGER_EVENT_DEGRADED })
        // Nothing is missing of what the rules silence.
        #expect(ringer_simulated_set_position(bench.device, RINGER_POSITION_SILENT) == 0)
        #expect(ringer_device_play_file(bench.device, path, RINGER_CATEGORY_AMBIENT, 0, nil) == 0)
        bench.advance(milliseconds: 20)
        let silenced = try #require(bench.ends().first)
        #expect(silenced.u.result.outcome == RINGER_OUTCOME_SILENCED && sentence(silenced).isEmpty)
        try path.withCString { path in
            var clips: [UnsafePointer<CChar>?] = [path]
            #expect(ringer_device_announce(bench.device, &clips, 1, RINGER_CATEGORY_PLAYBACK, 0, 0, 0, nil) == 0)
            bench.advance(milliseconds: 20)
            #expect(bench.ends().map(\.u.result.outcome) == [RINGER_OUTCOME_FAILED])
            try write(44)
            #expect(ringer_device_play_file(bench.device, path, RINGER_CATEGORY_PLAYBACK, 0, nil) == -EINVAL)
        }
        #expect(play(bench.device, []) { _ in } == 0)
        bench.advance(milliseconds: 1)
        #expect(bench.ends().map(\.u.result.outcome) == [RINGER_OUTCOME_FAILED])
    }

    @Test("of a sound that was cut off, the result says so in a session and after a pause, once at its end")
    func incompleteInParts() throws {
        let bench = try TestDevice()
        let sound = PCMBuffer(sampleRate: 48_000, channels: 1, samples: samples)
        let bytes = try SoundFiles.encode(
            sound, container: .wave, codec: .linearPCM(LinearPCM(.signedInteger, bytesPerSample: 2, byteOrder: .little))
        )
        let path = "/tmp/ringer-cut-parts-\(getpid()).wav"
        defer { unlink(path) }
        let file = try #require(fopen(path, "w"))
        #expect(fwrite(bytes, 1, 44 + 48_000, file) == 44 + 48_000)
        fclose(file)
        let session = try bench.session(RINGER_CATEGORY_PLAYBACK)
        defer { ringer_session_free(session) }
        #expect(ringer_session_activate(session, nil) == 0)
        for session in [nil, session] {
            for isStopped in [false, true] {
                var id: UInt64 = 0
                path.withCString { path in
                    var playback = ringer_playback()
                    (playback.path, playback.session, playback.loops) = (path, session, isStopped ? -1 : 0)
                    playback.category = session == nil ? RINGER_CATEGORY_PLAYBACK : RINGER_CATEGORY_AMBIENT
                    #expect(ringer_device_play(bench.device, &playback, playbackSize, &id) == 0, "\(lastError)")
                }
                bench.advance(milliseconds: 250)
                #expect(ringer_device_pause(bench.device, id, 1) == 0)
                bench.advance(milliseconds: 10)
                #expect(bench.ends().isEmpty)
                #expect(ringer_device_pause(bench.device, id, 0) == 0)
                bench.advance(milliseconds: 10)
                if isStopped { #expect(ringer_device_stop(bench.device, id) == 0) }
                bench.advance(milliseconds: 1_000)
                let ends = bench.ends()
                #expect(ends.map(\.id) == [id])
                let text = ends.first.map {
                    withUnsafeBytes(of: $0.u.result.sentence) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
                }
                #expect(text?.hasPrefix("\(path): cannot play all of it") == true, "\(text ?? "")")
            }
        }
    }

    @Test("a sound that is paused at its very end is at its end, and finishes when it goes on", arguments: [0, 2])
    func pausedAtItsEnd(loops: Int32) throws {
        let bench = try TestDevice()
        let handle = try DeviceHandle.at(bench.device)
        let (speaker, clock) = (try handle.simulated().speaker, handle.device.clock)
        var (id, frame): (UInt64, UInt64) = (0, 0)
        nonisolated(unsafe) let device = bench.device
        let next = Mutex<UInt64>(0)
        // At the sound's end, and before it: it was asked for before.
        _ = clock.schedule(at: clock.now + .seconds(Int64(loops) + 1)) {
            #expect(ringer_device_pause(device, next.withLock { $0 }, 1) == 0)
        }
        #expect(play(bench.device, samples, &id) { $0.loops = loops } == 0)
        next.withLock { $0 = id }
        bench.advance(milliseconds: 5_000)
        #expect(bench.ends().isEmpty)
        #expect(ringer_device_get_position(bench.device, id, &frame) == 0 && frame == 48_000)
        #expect(ringer_device_pause(bench.device, id, 0) == 0)
        bench.advance(milliseconds: 1)
        let result = try #require(bench.ends().first?.u.result)
        let total = UInt64(48_000 * (loops + 1))
        #expect(result.outcome == RINGER_OUTCOME_FINISHED && result.frames_played == total && result.frames == total)
        #expect(speaker.recordingCount == 1)
        #expect(ringer_device_pause(bench.device, id, 1) == -ENOENT)
    }

    @Test("a sound that is repeated until it is stopped plays on, and says how much was heard")
    func endless() throws {
        let bench = try TestDevice()
        var (id, frame): (UInt64, UInt64) = (0, 0)
        #expect(play(bench.device, samples, &id) { $0.loops = -1 } == 0)
        bench.advance(milliseconds: 60_250)
        #expect(ringer_device_get_position(bench.device, id, &frame) == 0 && frame == 12_000)
        #expect(ringer_device_stop(bench.device, id) == 0)
        bench.advance(milliseconds: 10)
        let result = try #require(bench.ends().first?.u.result)
        #expect(result.frames_played == 60 * 48_000 + 12_000 && result.frames == Int64.max)
    }

    @Test("the gain of a sound that plays is changed, also where the rules change it")
    func gain() throws {
        let bench = try TestDevice()
        let board = try #require(try DeviceHandle.at(bench.device).board)
        let music = try bench.session(RINGER_CATEGORY_PLAYBACK, RINGER_OPTION_MIX_WITH_OTHERS)
        let speech = try bench.session(RINGER_CATEGORY_PLAYBACK, RINGER_OPTION_DUCK_OTHERS)
        defer { [music, speech].forEach { ringer_session_free($0) } }
        var id: UInt64 = 0
        #expect(ringer_session_activate(music, nil) == 0)
        #expect(play(bench.device, samples, in: music, &id) == 0)
        bench.advance(milliseconds: 10)
        #expect(ringer_device_set_gain(bench.device, id, 0.5) == 0)
        #expect(ringer_session_activate(speech, nil) == 0)
        bench.advance(milliseconds: 10)
        let gains = board.speaker.recordings.first?.gains ?? []
        #expect(gains.prefix(2) == [1, 0.5] && gains.count == 3 && gains[2] < 0.5 && gains[2] > 0)
        for gain: Float in [-0.1, 1.1, .nan] { #expect(ringer_device_set_gain(bench.device, id, gain) == -EINVAL) }
        #expect(ringer_device_set_gain(bench.device, 77, 1) == -ENOENT)
        bench.advance(milliseconds: 2_000)
        #expect(ringer_device_set_gain(bench.device, id, 1) == -ENOENT)
    }

    @Test("a sound is paused and goes on where it was, as one request")
    func pause() throws {
        let bench = try TestDevice()
        let board = try #require(try DeviceHandle.at(bench.device).board)
        var (id, frame): (UInt64, UInt64) = (0, 0)
        func position() -> UInt64 {
            #expect(ringer_device_get_position(bench.device, id, &frame) == 0)
            return frame
        }
        #expect(play(bench.device, samples, &id) { $0.loops = 1 } == 0)
        #expect(position() == 0)
        bench.advance(milliseconds: 1_250)
        #expect(position() == 12_000)
        for _ in 0..<2 { #expect(ringer_device_pause(bench.device, id, 1) == 0) }
        bench.advance(milliseconds: 5_000)
        #expect(position() == 12_000 && bench.ends().isEmpty && board.speaker.playing.isEmpty)
        #expect(ringer_device_set_gain(bench.device, id, 0.5) == 0)
        for _ in 0..<2 { #expect(ringer_device_pause(bench.device, id, 0) == 0) }
        bench.advance(milliseconds: 250)
        #expect(position() == 24_000)
        bench.advance(milliseconds: 499)
        #expect(bench.ends().isEmpty)
        bench.advance(milliseconds: 1)
        let result = try #require(bench.ends().first?.u.result)
        #expect(result.frames_played == 96_000 && result.frames == 96_000)
        #expect(result.started_at == board.speaker.recordings.first?.start?.nanoseconds)
        #expect(board.speaker.recordings.map(\.played) == [60_000, 36_000])
        #expect(board.speaker.recordings.map(\.gains) == [[1], [0.5]])
        #expect(ringer_device_pause(bench.device, id, 1) == -ENOENT)
        #expect(ringer_device_get_position(bench.device, id, &frame) == -ENOENT)
    }

    @Test("a pause that is taken back before the sound has stopped is short; each stretch begins with an event")
    func shortPause() throws {
        let bench = try TestDevice()
        let board = try #require(try DeviceHandle.at(bench.device).board)
        var id: UInt64 = 0
        #expect(play(bench.device, samples, &id) == 0)
        bench.advance(milliseconds: 250)
        board.speaker.soundAnswers.areLate = true
        #expect(ringer_device_pause(bench.device, id, 1) == 0 && ringer_device_pause(bench.device, id, 0) == 0)
        board.speaker.soundAnswers.areLate = false
        bench.advance(milliseconds: 2_000)
        let events = bench.events().filter { $0.id == id }
        #expect(
            events.map(\.type) == [
                RINGER_EVENT_SOUND_STARTED, RINGER_EVENT_SOUND_STARTED, RINGER_EVENT_SOUND_ENDED,
            ])
        #expect(events.last?.u.result.frames_played == 48_000)
    }

    @Test("what is paused ends when it is stopped, with everything, and with its session")
    func pausedEnds() throws {
        let bench = try TestDevice()
        let session = try bench.session(RINGER_CATEGORY_PLAYBACK, RINGER_OPTION_MIX_WITH_OTHERS)
        #expect(ringer_session_activate(session, nil) == 0)
        var ids: [UInt64] = [0, 0, 0]
        for index in 0..<3 {
            #expect(play(bench.device, samples, in: index == 2 ? session : nil, &ids[index]) == 0)
        }
        bench.advance(milliseconds: 250)
        for id in ids { #expect(ringer_device_pause(bench.device, id, 1) == 0) }
        bench.advance(milliseconds: 250)
        ringer_session_free(session)
        #expect(ringer_device_stop(bench.device, ids[0]) == 0)
        #expect(ringer_device_stop_all(bench.device) == 0)
        let ends = bench.ends()
        #expect(ends.map(\.id) == [ids[2], ids[0], ids[1]])
        #expect(
            ends.map(\.u.result.cause) == [
                RINGER_STOP_CAUSE_SESSION_REMOVED, RINGER_STOP_CAUSE_CALLER, RINGER_STOP_CAUSE_CALLER,
            ])
        #expect(ends.allSatisfy { $0.u.result.frames_played == 12_000 })
    }

    // It never ended.
    @Test("a sound that is paused while its session is being freed ends with it")
    func pausedWhileFreed() throws {
        let bench = try TestDevice()
        let session = try bench.session(RINGER_CATEGORY_PLAYBACK)
        #expect(ringer_session_activate(session, nil) == 0)
        var id: UInt64 = 0
        #expect(play(bench.device, samples, in: session, &id) == 0)
        bench.advance(milliseconds: 250)
        let handle = try SessionHandle.at(session)
        // The first step of ringer_session_free.
        handle.device.remove(handle.session)
        #expect(ringer_device_pause(bench.device, id, 1) == 0)
        bench.advance(milliseconds: 250)
        let ends = bench.ends()
        #expect(ends.map(\.u.result.cause) == [RINGER_STOP_CAUSE_SESSION_REMOVED])
        #expect(ends.map(\.u.result.frames_played) == [12_000])
        withExtendedLifetime(handle) { ringer_session_free(session) }
    }

    // A call from another thread, which had read the sound's number, found none by it.
    @Test("a sound that is about to begin has a gain and a position, and a pause of it holds")
    func pausedWhileBeginning() async throws {
        let bench = try TestDevice()
        let handle = try DeviceHandle.at(bench.device)
        let sound = PCMBuffer(sampleRate: 48_000, channels: 1, samples: samples)
        let played = PlayedSound(
            sound, in: SoundManner(), total: 48_000, place: .category(.playback, []), session: nil, on: handle.device
        ) { handle.ended(1, $0) }
        let result = Mutex<CInt?>(nil)
        nonisolated(unsafe) let device = bench.device
        // The core holds up the sound, whose request has begun.
        let results = try handle.device.core.transition {
            Result {
                try DetachedThread.start(stackSize: 512 * 1024) {
                    var id: UInt64 = 0
                    let begun = try? handle.begin(played, 1, &id)
                    result.withLock { $0 = begun ?? -1 }
                }
                let limit = MonotonicTime.now + .seconds(60)
                while ringer_device_pause(device, 1, 1) == -ENOENT, .now < limit { sched_yield() }
                var frame: UInt64 = 0
                return [
                    ringer_device_pause(device, 1, 1), ringer_device_set_gain(device, 1, 0.5),
                    ringer_device_get_position(device, 1, &frame),
                ]
            }
        }.get()
        #expect(results == [0, 0, 0])
        while result.withLock({ $0 }) == nil { await Task.yield() }
        #expect(result.withLock { $0 } == 0)
        bench.advance(milliseconds: 2_000)
        #expect(bench.ends().isEmpty)
        #expect(ringer_device_pause(device, 1, 0) == 0)
        bench.advance(milliseconds: 1_000)
        #expect(bench.ends().map(\.u.result.outcome) == [RINGER_OUTCOME_FINISHED])
        #expect(try handle.simulated().speaker.recordings.last?.gains == [0.5])
    }

    // It stayed paused, and went on when that was asked for.
    @Test("a sound that was stopped ends, whatever is asked for while its end is on the way", arguments: [true, false])
    func stoppedBeforePause(isPausedFirst: Bool) throws {
        let bench = try TestDevice()
        let speaker = try DeviceHandle.at(bench.device).simulated().speaker
        var id: UInt64 = 0
        #expect(play(bench.device, samples, &id) == 0)
        bench.advance(milliseconds: 250)
        speaker.soundAnswers.areLate = true
        if isPausedFirst { #expect(ringer_device_pause(bench.device, id, 1) == 0) }
        #expect(ringer_device_stop(bench.device, id) == 0)
        for isPaused: Int32 in [1, 0] { #expect(ringer_device_pause(bench.device, id, isPaused) == 0) }
        speaker.soundAnswers.areLate = false
        bench.advance(milliseconds: 250)
        #expect(bench.ends().map(\.u.result.cause) == [RINGER_STOP_CAUSE_CALLER])
        #expect(speaker.recordings.count == 1)
    }

    @Test("what goes on after a pause is judged anew")
    func judgedAnew() throws {
        let bench = try TestDevice()
        var id: UInt64 = 0
        #expect(play(bench.device, samples, &id) { $0.category = RINGER_CATEGORY_SOLO_AMBIENT } == 0)
        bench.advance(milliseconds: 250)
        #expect(ringer_device_pause(bench.device, id, 1) == 0)
        bench.advance(milliseconds: 10)
        #expect(ringer_simulated_set_position(bench.device, RINGER_POSITION_SILENT) == 0)
        #expect(bench.ends().isEmpty)
        #expect(ringer_device_pause(bench.device, id, 0) == 0)
        bench.advance(milliseconds: 1)
        let result = try #require(bench.ends().first?.u.result)
        #expect(result.outcome == RINGER_OUTCOME_SILENCED && result.reason == RINGER_REASON_RING_SILENT_SWITCH)
        #expect(result.frames_played == 12_000 && result.frames == 48_000)
    }

    @Test("a file is played from a descriptor, whose offset stays, and which may be closed")
    func descriptor() throws {
        let bench = try TestDevice()
        let board = try #require(try DeviceHandle.at(bench.device).board)
        let path = "/tmp/ringer-descriptor-\(getpid()).wav"
        defer { unlink(path) }
        func bytes(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
        let format: [UInt8] = [16, 0, 0, 0, 1, 0, 1, 0, 0x40, 0x1f, 0, 0, 0x80, 0x3e, 0, 0, 2, 0, 16, 0]
        let wave = Array("RIFF".utf8) + bytes(44) + Array("WAVEfmt ".utf8) + format + Array("data".utf8) + bytes(8)
        let contents = wave + [1, 0, 2, 0, 3, 0, 4, 0]
        let file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
        #expect(write(file, contents, contents.count) == contents.count)
        func playFile(_ descriptor: CInt) -> CInt {
            var playback = ringer_playback()
            (playback.category, playback.fd) = (RINGER_CATEGORY_PLAYBACK, descriptor)
            return ringer_device_play(bench.device, &playback, playbackSize, nil)
        }
        #expect(playFile(file) == 0, "\(lastError)")
        #expect(lseek(file, 0, SEEK_CUR) == contents.count)
        close(file)
        bench.advance(milliseconds: 100)
        #expect(bench.ends().map(\.u.result.outcome) == [RINGER_OUTCOME_FINISHED])
        #expect(board.speaker.recordings.first.map { Array($0.samples) } == [1, 2, 3, 4])
        #expect(playFile(-1) == -EBADF && lastError.contains("descriptor -1"))
        var ends: [CInt] = [0, 0]
        #expect(pipe(&ends) == 0 && playFile(ends[0]) == -ESPIPE)
        ends.forEach { close($0) }
        "path".withCString { path in #expect(play(bench.device, samples) { $0.path = path } == -EINVAL) }
    }

    @Test("an alert has its way, its vibration and its pause between rounds")
    func alerts() throws {
        let bench = try TestDevice()
        let board = try #require(try DeviceHandle.at(bench.device).board)
        let times: [UInt32] = [100, 50, 100]
        let started = times.withUnsafeBufferPointer { times in
            alert(bench.device, 1005, limit: 3_000) { alert in
                (alert.times_ms, alert.count) = (times.baseAddress, times.count)
                (alert.way, alert.pause_ms, alert.strength) = (RINGER_ALERT_VIBRATION, 1_000, 0.5)
            }
        }
        #expect(started == 0)
        var turns: [Int] = []
        for time in stride(from: 0, to: 3_100, by: 50) {
            if ringer_simulated_is_motor_on(bench.device) == 1 { turns.append(time) }
            bench.advance(milliseconds: 50)
        }
        #expect(turns == [0, 50, 150, 200, 1_250, 1_300, 1_400, 1_450, 2_500, 2_550, 2_650, 2_700])
        #expect(board.speaker.recordingCount == 0)
        #expect(bench.ends().map(\.u.result.cause) == [RINGER_STOP_CAUSE_LIMITED])

        #expect(alert(bench.device, 1005, limit: 500) { $0.way = RINGER_ALERT_SOUND } == 0)
        #expect(ringer_simulated_is_motor_on(bench.device) == 0)
        bench.advance(milliseconds: 1_000)
        #expect(board.speaker.recordingCount == 1)
        #expect(alert(bench.device, 1005) { $0.way = ringer_alert_way(4) } == -EINVAL)
        #expect(alert(bench.device, 1005) { $0.kind = ringer_alert_kind(2) } == -EINVAL)
        times.withUnsafeBufferPointer { times in
            #expect(alert(bench.device, 1005) { $0.times_ms = times.baseAddress } == -EINVAL)
        }
    }
}
