import PacedSupport
import RingerCore
import RingerTestKit
import SessionProperties
import Synchronization
import Testing

@testable import RingerLinux

/// Preferred formats, granted formats, and their reports.
@Suite struct ALSAPreferenceTests {
    /// The formats that an output reported, in order.
    private final class Told: Sendable {
        let formats: AsyncStream<SoundPortFormat>
        private let continuation: AsyncStream<SoundPortFormat>.Continuation

        init(_ output: ALSASoundOutput) {
            (formats, continuation) = AsyncStream.makeStream()
            output.follow { [continuation] in continuation.yield($0) }
        }

        /// All reports until the output was closed.
        func end() async -> [SoundPortFormat] {
            continuation.finish()
            var all: [SoundPortFormat] = []
            for await format in formats { all.append(format) }
            return all
        }
    }

    private func ask(_ output: ALSASoundOutput, _ route: AudioRoute = .speaker) async -> RingerError? {
        await withCheckedContinuation { continuation in
            output.ask(route) { continuation.resume(returning: $0) }
        }
    }

    private func format(
        _ rate: Double, _ channels: Int = 2, period: Duration = .milliseconds(10), delay: Duration = .zero
    ) -> SoundPortFormat {
        SoundPortFormat(sampleRate: rate, channels: channels, bufferDuration: period, latency: period + delay)
    }

    @Test("a format is reported once when it plays, and a new one when it changes")
    func playing() async throws {
        let output = try output(PacedSink.name(.waitsForWriter))
        let told = Told(output)
        _ = await output.hear(.noise(frames: 480))
        _ = await output.hear(.noise(frames: 480))
        _ = await output.hear(.noise(frames: 441, channels: 1, sampleRate: 44_100))
        output.close()
        let formats = await told.end()
        #expect(formats == [format(48_000), format(44_100, 1)])
    }

    // Each report wrapped its handler once more, until the sound thread's stack was full, after some 1,600.
    @Test("20,000 reports of problems need no more of the stack than one")
    func problems() async throws {
        let output = try output("nowhere")
        let count = Atomic(0)
        output.reportProblems { _ in count.add(1, ordering: .relaxed) }
        let error = RingerError(.busy, "open", "PCM nowhere")
        await withCheckedContinuation { done in
            output.thread.loop.execute {
                for _ in 0..<20_000 { output.thread.reports.report(error) }
                done.resume()
            }
        }
        #expect(count.load(ordering: .relaxed) == 20_000)
    }

    @Test("3,000 sounds of two formats in turn are reported, each change once")
    func alternating() async throws {
        let output = try output(PacedSink.name(.fault(.unpaced)))
        let count = Atomic(0)
        output.follow { _ in count.add(1, ordering: .relaxed) }
        let sounds = [48_000.0, 44_100].map { PCMBuffer.noise(frames: 48, sampleRate: $0) }
        for number in 0..<3_000 { #expect(await output.hear(sounds[number % 2]).end == .drained) }
        output.close()
        #expect(count.load(ordering: .relaxed) >= 3_000)
    }

    @Test("a delay beyond the buffer is part of the latency once a sound was played")
    func delay() async throws {
        var latency = Duration.zero
        // The sink's position moves between two looks at it, on a busy machine by much.
        for _ in 0..<20 where abs(latency / .milliseconds(1) - 22) > 1 {
            let output = try output(PacedSink.name(.latency(milliseconds: 12), .waitsForWriter))
            let told = Told(output)
            _ = await output.hear(.noise(frames: 4_800))
            _ = await output.hear(.noise(frames: 4_800))
            output.close()
            let formats = await told.end()
            #expect(formats.count == 2 && formats.first == format(48_000))
            latency = try #require(formats.last?.latency)
        }
        #expect(latency >= .milliseconds(21) && latency <= .milliseconds(23), "\(latency)")
    }

    @Test("asking reports the granted format, and leaves the PCM closed")
    func asking() async throws {
        let lock = TemporaryFile()
        let output = try output(PacedSink.name(.lock(lock.path), .waitsForWriter))
        let told = Told(output)
        #expect(await ask(output) == nil)
        #expect(lock.openCount == 0)
        #expect(await ask(output) == nil)
        output.close()
        #expect(await told.end() == [format(48_000)])
    }

    @Test("a period and a rate that are preferred are asked for from the next opening on, and no longer than preferred")
    func preferred() async throws {
        let output = try output(PacedSink.name(.waitsForWriter))
        let told = Told(output)
        #expect(await ask(output) == nil)
        output.prefer(SessionPreferences(sampleRate: 44_100, ioBufferDuration: 0.02))
        #expect(await ask(output) == nil)
        output.prefer(SessionPreferences())
        #expect(await ask(output) == nil)
        output.close()
        #expect(
            await told.end() == [format(48_000), format(44_100, period: .milliseconds(20)), format(48_000)])
    }

    @Test("a sound of another rate than the preferred one is converted, and heard whole")
    func converted() async throws {
        let file = TemporaryFile()
        let output = try output(PacedSink.name(.capture(file.path), .waitsForWriter))
        let told = Told(output)
        output.prefer(SessionPreferences(sampleRate: 48_000))
        let events = await output.hear(.noise(frames: 2_400, channels: 2, sampleRate: 24_000))
        #expect(events.names == ["started", "drained"] && events.position?.played == 2_400)
        output.close()
        #expect(await told.end().first == format(48_000))
        // Two channels of two bytes, at twice the rate; zeros fill the last period.
        #expect(file.samples.count >= 4_800 * 2)
    }

    @Test("hardware of one rate keeps it, whatever is preferred")
    func oneRate() async throws {
        for plugged in [true, false] {
            let output = try output(PacedSink.name(plugged: plugged, .rate(48_000), .channels(2), .waitsForWriter))
            let told = Told(output)
            output.prefer(SessionPreferences(sampleRate: 44_100))
            #expect(await ask(output) == nil)
            let events = await output.hear(.noise(frames: 441, channels: 1, sampleRate: 44_100))
            #expect(events.names == ["started", "drained"])
            output.close()
            let formats = await told.end()
            #expect(formats.allSatisfy { $0.sampleRate == 48_000 && $0.channels == 2 }, "\(formats)")
            #expect(!formats.isEmpty)
        }
    }

    @Test("an idle PCM that was opened under other preferences is not played on")
    func idle() async throws {
        let lock = TemporaryFile()
        let output = try output(PacedSink.name(.lock(lock.path), .waitsForWriter))
        let told = Told(output)
        _ = await output.hear(.noise(frames: 480))
        output.prefer(SessionPreferences(ioBufferDuration: 0.02))
        let events = await output.hear(.noise(frames: 480))
        #expect(events.names == ["started", "drained"])
        output.close()
        #expect(await told.end().last == format(48_000, period: .milliseconds(20)))
    }

    @Test("each route's own PCM is asked, and a different format is reported")
    func routes() async throws {
        let output = try output(
            PacedSink.name(.waitsForWriter), routes: [.receiver: PacedSink.name(.rate(16_000), .channels(1))])
        let told = Told(output)
        #expect(await ask(output, .speaker) == nil)
        #expect(await ask(output, .receiver) == nil)
        #expect(await ask(output, .speaker) == nil)
        output.close()
        #expect(await told.end() == [format(48_000), format(16_000, 1), format(48_000)])
    }

    @Test("a PCM that plays is not opened a second time to be asked")
    func whilePlaying() async throws {
        let lock = TemporaryFile()
        let output = try output(PacedSink.name(.lock(lock.path), .waitsForWriter))
        let hearing = Hearing()
        let playback = output.play(.noise(frames: 48_000 * 5), PlaybackOptions(), hearing.handler)
        output.prefer(SessionPreferences(sampleRate: 44_100))
        // The sink takes one stream only: a second opening would be refused.
        #expect(await ask(output) == nil)
        playback.stop()
        // A busy machine may have come to its end meanwhile.
        #expect(await hearing.untilEnd().error == nil)
        output.close()
    }

    @Test("a PCM that cannot be opened reports the reason only", arguments: ["EBUSY", "ENOENT", "EACCES"])
    func refused(error: String) async throws {
        let output = try output(PacedSink.name(.openError(error)))
        let told = Told(output)
        let refusal = try #require(await ask(output))
        #expect(["EBUSY": .busy, "ENOENT": .notFound, "EACCES": .permissionDenied][error] == refusal.code)
        output.close()
        #expect(await told.end().isEmpty)
        #expect(await ask(output)?.code == .closed)
    }

    @Test("a session knows its hardware when its activation is reported")
    func session() async throws {
        let output = try output(PacedSink.name(.waitsForWriter))
        let publisher = StatePublisher()
        output.follow { publisher.change(.outputFormat($0), from: "output", at: .now) }
        let player = SoundPlayer(output: output, clock: output.thread.loop, publisher: publisher)
        let input = ALSASoundInput(pcm: "null", beside: output)
        let sessions = AudioSessions(
            player: player, publisher: publisher, clock: output.thread.loop, output: output, input: input)
        let session = sessions.make(name: "call", category: .playAndRecord)
        try session.setPreferredSampleRate(44_100)
        try session.setPreferredIOBufferDuration(0.02)
        #expect(session.sampleRate == 0 && session.outputChannels == 0)
        try await session.activate()
        #expect(session.sampleRate == 44_100 && session.outputChannels == 2)
        #expect(abs(session.ioBufferDuration - 0.02) < 1e-6 && abs(session.outputLatency - 0.02) < 1e-6)
        #expect(session.inputChannels == 2 && abs(session.inputLatency - 0.02) < 1e-6)
        try await session.deactivate()
        sessions.close()
        output.close()
    }

    @Test("a session whose sound moves to another route's PCM reports that PCM's format")
    func moved() async throws {
        let routes: [AudioRoute: String] = [.headphone: PacedSink.name(.rate(16_000), .channels(1))]
        let name = PacedSink.name(.waitsForWriter)
        let output = try output(name, routes: routes)
        let publisher = StatePublisher()
        output.follow { publisher.change(.outputFormat($0), from: "output", at: .now) }
        let player = SoundPlayer(output: output, clock: output.thread.loop, publisher: publisher)
        let sessions = AudioSessions(
            player: player, publisher: publisher, clock: output.thread.loop,
            board: RouteBoard(pcm: name, routes: routes),
            output: output)
        let session = sessions.make(name: "music", category: .playback)
        try await session.activate()
        #expect(session.sampleRate == 48_000)
        var rates = try session.changes(of: "chsr").makeAsyncIterator()
        publisher.change(.headphoneInserted(true), from: "jack", at: .now)
        #expect(await rates.next()?.change.value == .float64(16_000))
        #expect(session.sampleRate == 16_000 && session.outputChannels == 1)
        publisher.change(.headphoneInserted(false), from: "jack", at: .now)
        #expect(await rates.next()?.change.value == .float64(48_000))
        sessions.close()
        output.close()
    }

    @Test("a microphone is the first capture PCM of the lowest card")
    func input() throws {
        let directory = try TemporaryDirectory()
        #expect(ALSASoundInput.first(in: directory.path) == nil)
        for name in ["pcmC1D0c", "pcmC0D2c", "pcmC0D10c", "pcmC0D0p", "controlC0"] { try directory.write("", to: name) }
        #expect(ALSASoundInput.first(in: directory.path) == "hw:0,2")
    }
}
