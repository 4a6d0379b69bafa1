import Glibc
import PacedSupport
import RingerCore
import Synchronization
import SystemPackage
import Testing

@testable import RingerLinux

/// The outcome of a sound whose PCM fails.
@Suite struct ALSAFaultTests {
    private let clip = PCMBuffer.noise(frames: 9_600)
    private static let long = PCMBuffer.noise(frames: 480_000)

    private func output(_ name: String, stall: Duration = .seconds(1)) throws -> ALSASoundOutput {
        try PacedSink.install()
        var limits = PlaybackMachine.Limits()
        limits.stall = stall
        return try ALSASoundOutput(pcm: name, busyPatience: .zero, linger: .zero, limits: limits)
    }

    // MARK: - While it plays

    @Test(
        "an underrun is told, recovered from, and costs no sample: not in the middle, not behind the last write",
        arguments: [1, 479, 2_400, 9_000])
    func underrun(frame: Int) async throws {
        let file = TemporaryFile()
        let name = PacedSink.name(.fault(.xrun, frame: frame), .capture(file.path), .waitsForWriter)
        let events = try await output(name).hear(clip)
        #expect(events.names == ["started", "underrun", "recovered", "drained"])
        #expect(events.position?.played == 9_600)
        #expect(file.samples.prefix(clip.samples.count).elementsEqual(clip.samples))
    }

    @Test("a stream that underruns again and again without a frame heard fails")
    func underrunsForEver() async throws {
        let events = try await output(PacedSink.name(.fault(.xrun, frame: 0, times: 0), .waitsForWriter)).hear(clip)
        #expect(events.error?.code == .system)
        #expect(events.error?.errno == .brokenPipe)
        #expect(events.names.filter { $0 == "failed" }.count == 1)
    }

    @Test("a suspended stream that can be resumed plays on, and costs no sample")
    func suspended() async throws {
        let file = TemporaryFile()
        let name = PacedSink.name(.fault(.suspend, frame: 2_400), .capture(file.path), .waitsForWriter)
        let events = try await output(name).hear(clip)
        #expect(events.names == ["started", "suspended", "resumed", "drained"])
        #expect(file.samples.prefix(clip.samples.count).elementsEqual(clip.samples))
    }

    @Test("a suspended stream that cannot be resumed is prepared anew, and costs no sample")
    func suspendedForGood() async throws {
        let file = TemporaryFile()
        let name = PacedSink.name(
            .fault(.suspend, frame: 2_400), .refusesResume, .capture(file.path), .waitsForWriter)
        let events = try await output(name).hear(clip)
        #expect(events.names == ["started", "suspended", "resumed", "drained"])
        #expect(file.samples.prefix(clip.samples.count).elementsEqual(clip.samples))
    }

    @Test("a device that is unplugged while it plays is disconnected", arguments: [0, 2_400, 9_000])
    func gone(frame: Int) async throws {
        let events = try await output(PacedSink.name(.fault(.gone, frame: frame), .waitsForWriter)).hear(clip)
        #expect(events.names.last == "failed")
        #expect(events.names.count { $0 == "failed" } == 1)
        #expect(events.error?.code == .disconnected)
        #expect(events.error?.errno == Errno(rawValue: ENODEV))
        #expect(try #require(events.position).played < 9_600)
    }

    @Test("a stream that stands still fails in time, and nothing hangs", arguments: [0, 2_400, 9_000])
    func stalled(frame: Int) async throws {
        let file = TemporaryFile()
        let name = PacedSink.name(.fault(.stall, frame: frame), .capture(file.path), .waitsForWriter)
        let events = try await output(name, stall: .milliseconds(50)).hear(clip)
        #expect(events.names == ["started", "failed"])
        #expect(events.error?.code == .timedOut)
        #expect(events.position?.played == Int64(frame))
        #expect(file.openCount == 0)
    }

    @Test("a sound that is stopped on a stream that stands still is stopped")
    func stopStalled() async throws {
        let output = try output(PacedSink.name(.fault(.stall, frame: 480), .waitsForWriter))
        let hearing = Hearing()
        let playback = Mutex<(any Playback)?>(nil)
        playback.withLock {
            $0 = output.play(clip, PlaybackOptions(reportAt: .milliseconds(30))) { event in
                hearing.handler(event)
                if event.name == "progress" { playback.withLock { $0?.stop() } }
            }
        }
        #expect(await hearing.untilEnd().names == ["started", "progress", "stopped"])
    }

    // One of them made a subtraction overflow, which ends a process.
    @Test("a delay that no device can have does not end the process, but the sound", arguments: [0, 4_000_000])
    func absurdDelay(frame: Int) async throws {
        let output = try output(
            PacedSink.name(.fault(.absurd, frame: frame), .waitsForWriter), stall: .milliseconds(50))
        let events = await output.hear(clip)
        #expect(events.names.first == "started" && ["failed", "drained"].contains(events.names.last))
        let position = try #require(events.position)
        #expect((0...9_600).contains(position.played))
    }

    @Test(
        "numbers that no hardware has become the nearest ones with which nothing overflows",
        arguments: [Int.min, -1, 0, 1 << 40, .max])
    func absurdFormat(number: Int) {
        #expect(abs(HardwareFormat.clamp(number)) <= 1 << 28 && HardwareFormat.clamp(480) == 480)
        #expect(HardwareFormat.clamp(UInt.max) == 1 << 28 && HardwareFormat.clamp(-480) == -480)
        let format = HardwareFormat(
            pcm: "", sampleRate: number, channels: number, periodFrames: number, bufferFrames: number)
        let numbers = [format.sampleRate, format.channels, format.periodFrames, format.bufferFrames]
        #expect(numbers.allSatisfy { (1...1 << 28).contains($0) })
        #expect(format.duration(ofFrames: HardwareFormat.clamp(number)) <= .seconds(1 << 28))
        #expect(format.period > .zero && format.latency > .zero && format.frames(in: .seconds(1)) >= 1)
        let described = PCMDescription("rate : \(number)\nchannels : 2\nperiod_size : \(number)\nbuffer_size : 9")
        #expect(described.hardware(behind: "a")?.period ?? .zero >= .zero)
        // A plug-in that claims a buffer of hours is written to, and filled with zeros, in parts.
        var machine = PlaybackMachine(frames: 1 << 30, options: PlaybackOptions(), subject: "PCM")
        _ = machine.handle(.play(at: .now))
        guard case .write(let frames, _)? = machine.handle(.opened(format, isMixed: false, isCoarse: false)).last else {
            Issue.record("it is not written to")
            return
        }
        #expect(frames.count <= 1 << 16)
    }

    // MARK: - When it is opened

    @Test(
        "a PCM that cannot be opened says why, by its name",
        arguments: [
            ("EBUSY", RingerError.Code.busy), ("EACCES", .permissionDenied), ("ENOENT", .notFound),
            ("ENODEV", .notFound), ("EIO", .disconnected),
        ])
    func opening(number: String, code: RingerError.Code) async throws {
        let name = PacedSink.name(.openError(number))
        let events = try await output(name).hear(clip)
        #expect(events.names == ["failed"])
        #expect(events.error?.code == code)
        #expect(events.error?.subject == "PCM \(name)")
        #expect(events.position == StreamPosition(played: 0, total: 9_600))
    }

    @Test("a PCM that is not configured is not found, in ALSA's own words")
    func missing() async throws {
        let error = try await #require(output("nowhere").hear(clip).error)
        #expect(error.code == .notFound)
        #expect(error.subject == "PCM nowhere")
        #expect(error.detail == "Unknown PCM nowhere")
        #expect(error.description == "PCM nowhere: cannot open: No such file or directory (Unknown PCM nowhere)")
    }

    @Test(
        "a format that nothing converts is not supported",
        arguments: [(0.5, 1), (1e12, 2), (100, 2), (48_000, 1_000)])
    func format(rate: Double, channels: Int) async throws {
        let sound = PCMBuffer(sampleRate: rate, channels: channels, samples: .init(repeating: 1, count: channels * 10))
        let name = PacedSink.name(plugged: false)
        let error = try await #require(output(name).hear(sound).error)
        #expect(error.code == .unsupported)
        #expect(error.subject == "PCM \(name)")
    }

    @Test("a device that another holds is busy, and free when that has let it go")
    func busy() async throws {
        let lock = TemporaryFile()
        let name = PacedSink.name(.lock(lock.path), .waitsForWriter)
        let holder = try output(name)
        let other = try output(name)
        let hearing = Hearing()
        let playback = holder.play(Self.long, PlaybackOptions(), hearing.handler)
        // The holder's thread has opened the device when its grant, which waits for it, is refused.
        #expect(throws: RingerError.self) { try holder.grant(sampleRate: 48_000, channels: 2) }
        #expect(await other.hear(clip).error?.code == .busy)
        playback.stop()
        _ = await hearing.untilEnd()
        #expect(await other.hear(clip).names == ["started", "drained"])
    }
}
