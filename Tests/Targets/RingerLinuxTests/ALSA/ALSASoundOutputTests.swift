import Glibc
import PacedSupport
import RingerCore
import Synchronization
import Testing

@testable import RingerLinux

@Suite struct ALSASoundOutputTests {
    /// 0.1 s: more than the buffer holds.
    private let clip = PCMBuffer.noise(frames: 4_800)
    /// 10 s: stopped before it ends.
    private static let long = PCMBuffer.noise(frames: 480_000)

    // MARK: - Playing

    @Test("a sound on a PCM that keeps time starts, and ends drained, once")
    func drains() async throws {
        let events = try await output(PacedSink.name(.waitsForWriter)).hear(clip)
        #expect(events.names == ["started", "drained"])
        #expect(events.position?.played == 4_800)
    }

    @Test("the end lies after the last instant at which frames were left, and not before the sound's duration")
    func end() async throws {
        let starts = TemporaryFile()
        let events = try await output(PacedSink.name(.starts(starts.path), .waitsForWriter)).hear(clip)
        guard case .started(let started) = events.first, case .ended(_, let ended, let position) = events.last,
            let unfinished = position.unfinishedAt
        else { throw TestFailure("no start, no end or never unfinished: \(events)") }
        #expect(started <= unfinished)
        #expect(unfinished < ended)
        #expect(ended - (try #require(starts.time)) >= .milliseconds(100))
    }

    @Test(
        "what is heard is the file's samples, and zeros behind them",
        arguments: [1, 100, 479, 480, 481, 3_840, 3_841, 4_800, 10_007])
    func samples(frames: Int) async throws {
        let file = TemporaryFile()
        let sound = PCMBuffer.noise(frames: frames)
        let events = try await output(PacedSink.name(.capture(file.path), .waitsForWriter), linger: .zero).hear(sound)
        #expect(events.names == ["started", "drained"])
        let heard = file.samples
        #expect(heard.prefix(sound.samples.count).elementsEqual(sound.samples))
        #expect(heard.dropFirst(sound.samples.count).allSatisfy { $0 == 0 })
    }

    @Test("a file gets the sound's samples and nothing else")
    func file() async throws {
        let file = TemporaryFile()
        let events = try await output("tee:null,\(file.path)", linger: .zero).hear(clip)
        #expect(events.names == ["started", "drained"])
        #expect(file.samples == clip.samples)
    }

    @Test("a sound on null drains at once, and never had frames left")
    func null() async throws {
        let events = try await output("null").hear(Self.long)
        #expect(events.names == ["started", "drained"])
        #expect(events.position == StreamPosition(played: 480_000, total: 480_000))
    }

    @Test("a sound on a sink that keeps no time drains, all of it")
    func unpaced() async throws {
        let events = try await output(PacedSink.name(.fault(.unpaced, times: 0))).hear(Self.long)
        #expect(events.names == ["started", "drained"])
        #expect(events.position?.played == 480_000)
    }

    @Test("a sound without frames starts and drains, even where there is no PCM")
    func empty() async throws {
        let events = try await output("nowhere").hear(.noise(frames: 0))
        #expect(events.names == ["started", "drained"])
    }

    @Test(
        "a rate and a channel count that the device has not are converted",
        arguments: [(8_000.0, 1), (11_025, 2), (44_100, 1), (96_000, 2)])
    func conversion(rate: Double, channels: Int) async throws {
        let sound = PCMBuffer.noise(frames: Int(rate / 20), channels: channels, sampleRate: rate)
        let name = PacedSink.name(plugged: false, .rate(48_000), .channels(2), .waitsForWriter)
        let output = try output(name)
        let events = await output.hear(sound)
        #expect(events.names == ["started", "drained"])
        #expect(events.position?.played == Int64(sound.frames))
        let grant = try #require(output.lastGrant)
        #expect(grant.pcm == "plug:'\(name)'")
        #expect(grant.sampleRate == Int(rate))
        #expect(grant.channels == channels)
    }

    @Test("a PCM that takes the format is not converted")
    func direct() async throws {
        let name = PacedSink.name(plugged: false, .rate(48_000), .channels(2), .waitsForWriter)
        let grant = try output(name).grant(sampleRate: 48_000, channels: 2)
        #expect(
            grant == HardwareFormat(pcm: name, sampleRate: 48_000, channels: 2, periodFrames: 480, bufferFrames: 3_840))
        #expect(grant.period == .milliseconds(10))
        #expect(grant.latency == .milliseconds(80))
    }

    @Test("a device's own latency counts as time in which the sound is not over")
    func latency() async throws {
        let starts = TemporaryFile()
        let name = PacedSink.name(.latency(milliseconds: 150), .starts(starts.path), .waitsForWriter)
        let events = try await output(name).hear(clip)
        guard case .ended(.drained, let ended, _) = events.last else { throw TestFailure("\(events)") }
        #expect(ended - (try #require(starts.time)) >= .milliseconds(250))
    }

    @Test("two sounds at once are both heard whole")
    func two() async throws {
        let files = (TemporaryFile(), TemporaryFile())
        let output = try output(
            PacedSink.name(.capture(files.0.path), .waitsForWriter),
            routes: [.headphone: PacedSink.name(.capture(files.1.path), .waitsForWriter)])
        let other = PCMBuffer.noise(frames: 9_600, channels: 1)
        async let first = output.hear(clip)
        async let second = output.hear(other, PlaybackOptions(route: .headphone))
        #expect(await first.names == ["started", "drained"])
        #expect(await second.names == ["started", "drained"])
        #expect(files.0.samples.prefix(clip.samples.count).elementsEqual(clip.samples))
        #expect(files.1.samples.prefix(other.samples.count).elementsEqual(other.samples))
    }

    @Test("progress is reported once, with the stream's own position")
    func progress() async throws {
        let events = try await output(PacedSink.name(.waitsForWriter))
            .hear(clip, PlaybackOptions(reportAt: .milliseconds(50)))
        #expect(events.names == ["started", "progress", "drained"])
        guard case .progress(let position, _) = events[1] else { throw TestFailure("\(events)") }
        #expect((2_400...4_800).contains(position.played))
        #expect(position.total == 4_800)
        #expect(position.unfinishedAt != nil)
    }

    @Test("a sound that is over before the report's time reports nothing")
    func noProgress() async throws {
        let events = try await output("null").hear(clip, PlaybackOptions(reportAt: .seconds(3600)))
        #expect(events.names == ["started", "drained"])
    }

    @Test("a priority that the system does not have is reported, and the sound plays without it")
    func priority() async throws {
        try PacedSink.install()
        let output = try ALSASoundOutput(pcm: "null", realTimePriority: 1_000)
        #expect(output.schedulingError?.errno == .invalidArgument)
        #expect(await output.hear(clip).names == ["started", "drained"])
    }

    // MARK: - Gain

    @Test("a sound begins at its frame and is repeated without a gap", arguments: [1, 0.5] as [Float])
    func rounds(gain: Float) async throws {
        let file = TemporaryFile()
        let output = try output(PacedSink.name(.capture(file.path), .waitsForWriter))
        // Rounds shorter than a buffer, and than a write.
        let sound = PCMBuffer.noise(frames: 1_000)
        var options = PlaybackOptions(gain: gain)
        options.manner = SoundManner(first: 400, rounds: 10)
        let events = await output.hear(sound, options)
        #expect(events.names == ["started", "drained"])
        let position = try #require(events.position)
        #expect(position.played == 9_600 && position.total == 9_600)
        let rounds = (0..<10).flatMap { _ in sound.samples }.dropFirst(400 * sound.channels)
        let isAsExpected = file.samples.prefix(rounds.count).elementsEqual(
            rounds.map { Int16((Float($0) * gain).rounded()) })
        let isSilentAfterwards = file.samples.dropFirst(rounds.count).allSatisfy { $0 == 0 }
        #expect(isAsExpected && isSilentAfterwards)
    }

    @Test("a gain of a half halves the samples")
    func gain() async throws {
        let file = TemporaryFile()
        _ = try await output("tee:null,\(file.path)").hear(clip, PlaybackOptions(gain: 0.5))
        #expect(file.samples == clip.samples.map { Int16((Float($0) / 2).rounded()) })
    }

    @Test("a gain that is set while the sound plays takes it there evenly")
    func ramp() async throws {
        let file = TemporaryFile()
        let output = try output(PacedSink.name(.capture(file.path), .waitsForWriter))
        let steady = PCMBuffer(sampleRate: 48_000, channels: 1, samples: .init(repeating: 20_000, count: 19_200))
        let hearing = Hearing()
        let playback = Mutex<(any Playback)?>(nil)
        playback.withLock {
            $0 = output.play(steady, PlaybackOptions()) { event in
                if event.name == "started" { playback.withLock { $0?.setGain(0, over: .milliseconds(100)) } }
                hearing.handler(event)
            }
        }
        #expect(await hearing.untilEnd().names == ["started", "drained"])
        let heard = Array(file.samples.prefix(19_200))
        let begin = try #require(heard.firstIndex { $0 != 20_000 })
        let end = try #require(heard.firstIndex(of: 0))
        #expect((4_790...4_800).contains(end - begin))
        #expect(heard[begin...].allSatisfy { $0 >= 0 })
        #expect(zip(heard[begin...], heard[begin...].dropFirst()).allSatisfy { $0 >= $1 && $0 - $1 <= 6 })
        #expect(heard[end...].allSatisfy { $0 == 0 })
    }

    // MARK: - Stopping

    @Test("a sound that is stopped before it starts ends as stopped, and nothing is opened for it")
    func stopBeforeStart() async throws {
        let output = try output("paced")
        let hearing = Hearing()
        let stopped = Mutex<(any Playback)?>(nil)
        let isHeld = Latch()
        // Holds the sound thread until the second sound was played and stopped.
        let first = output.play(.noise(frames: 0), PlaybackOptions()) { if $0.name == "started" { isHeld.wait() } }
        let playback = output.play(clip, PlaybackOptions(), hearing.handler)
        stopped.withLock { $0 = playback }
        playback.stop()
        isHeld.open()
        #expect(await hearing.untilEnd().names == ["stopped"])
        #expect(output.lastGrant == nil)
        _ = first
    }

    @Test("a sound that is stopped in the middle ends as stopped, and no more of it is heard")
    func stop() async throws {
        let file = TemporaryFile()
        let output = try output(PacedSink.name(.capture(file.path), .waitsForWriter))
        let hearing = Hearing()
        let playback = Mutex<(any Playback)?>(nil)
        playback.withLock {
            $0 = output.play(Self.long, PlaybackOptions(reportAt: .milliseconds(50))) { event in
                hearing.handler(event)
                if event.name == "progress" { playback.withLock { $0?.stop() } }
            }
        }
        let events = await hearing.untilEnd()
        #expect(events.names == ["started", "progress", "stopped"])
        guard case .progress(let middle, _) = events[1], let end = events.position else {
            throw TestFailure("\(events)")
        }
        // Stopping takes a fraction of a period; the thread that does it may have been held up.
        #expect(end.played >= middle.played)
        #expect(end.played < Self.long.frames)
        let heard = file.samples
        #expect(heard.count / 2 >= end.played)
        #expect(heard.count < Self.long.samples.count)
        #expect(heard.elementsEqual(Self.long.samples.prefix(heard.count)))
    }

    @Test("a stop after the end reports nothing")
    func stopAfterEnd() async throws {
        let output = try output("null")
        let ends = Mutex(0)
        let hearing = Hearing()
        let playback = output.play(clip, PlaybackOptions()) { event in
            if case .ended = event { ends.withLock { $0 += 1 } }
            hearing.handler(event)
        }
        _ = await hearing.untilEnd()
        playback.stop()
        playback.setGain(0, over: .zero)
        // Sounds are served in order: when the next is over, so is whatever the stop did.
        _ = await output.hear(clip)
        #expect(ends.withLock { $0 } == 1)
    }

    @Test("closing stops what plays, and what is played later fails as closed")
    func close() async throws {
        let file = TemporaryFile()
        let output = try output(PacedSink.name(.capture(file.path), .waitsForWriter))
        let hearing = Hearing()
        _ = output.play(Self.long, PlaybackOptions(), hearing.handler)
        output.close()
        output.close()
        #expect(await hearing.untilEnd().end == .stopped)
        #expect(file.openCount == 0)
        #expect(await output.hear(clip).error?.code == .closed)
        #expect(throws: RingerError.self) { try output.grant(sampleRate: 48_000, channels: 2) }
    }

    @Test("an output that is dropped stops what plays on it")
    func dropped() async throws {
        let hearing = Hearing()
        do {
            let output = try output(PacedSink.name(.waitsForWriter))
            _ = output.play(Self.long, PlaybackOptions(), hearing.handler)
        }
        #expect(await hearing.untilEnd().end == .stopped)
    }

    @Test("a handler may close the output that calls it")
    func closeFromHandler() async throws {
        let output = try output(PacedSink.name(.waitsForWriter))
        let hearing = Hearing()
        let playback = output.play(Self.long, PlaybackOptions()) { event in
            hearing.handler(event)
            if event.name == "started" { output.close() }
        }
        #expect(await hearing.untilEnd().names == ["started", "stopped"])
        _ = playback
    }
}
