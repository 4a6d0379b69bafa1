import CALSA
import PacedSupport
import RingerCore
import Synchronization
import Testing

@testable import RingerLinux

/// PCMs that take one stream at a time.
@Suite struct ALSABusyTests {
    private let clip = PCMBuffer.noise(frames: 4_800)
    /// 10 min: a test that is delayed on a busy machine stops it before its end all the same.
    private static let long = PCMBuffer.silence(duration: .seconds(600), sampleRate: 4_000)

    private func output(_ name: String, busyPatience: Duration = .seconds(60)) throws -> ALSASoundOutput {
        try PacedSink.install()
        // A PCM that a test holds is not closed by its timer.
        return try ALSASoundOutput(pcm: name, busyPatience: busyPatience, linger: .seconds(3600), limits: .patient)
    }

    @Test("sounds of one output on a PCM that does not mix are heard one after another, each whole", arguments: [0, 2])
    func queue(linger: Int) async throws {
        try PacedSink.install()
        let (lock, file) = (TemporaryFile(), TemporaryFile())
        let name = PacedSink.name(.lock(lock.path), .capture(file.path), .waitsForWriter)
        let output = try ALSASoundOutput(pcm: name, busyPatience: .zero, linger: .seconds(linger), limits: .patient)
        let problems = Mutex<[RingerError]>([])
        output.reportProblems { error in problems.withLock { $0.append(error) } }
        let order = Mutex<[String]>([])
        let (othersWait, continuation) = AsyncStream<Void>.makeStream()
        let hearings = (0..<4).map { _ in Hearing() }
        let playbacks = hearings.indices.map { index in
            // Formats of their own: what is idle has to give way. The first plays until all others wait for it.
            let sound = index == 0 ? Self.long : PCMBuffer.noise(frames: 4_800, channels: 1 + index % 2)
            return output.play(sound, PlaybackOptions()) { event in
                let count = order.withLock { order in
                    order.append("\(index) \(event.name)")
                    return order.count { $0.hasSuffix("waiting") }
                }
                if count == 3 { continuation.finish() }
                hearings[index].handler(event)
            }
        }
        for await _ in othersWait {}
        playbacks[0].stop()
        for hearing in hearings { _ = await hearing.untilEnd() }
        let (heard, waiting) = order.withLock { order in
            (order.filter { !$0.hasSuffix("waiting") }, order.filter { $0.hasSuffix("waiting") })
        }
        #expect(heard == ["0 started", "0 stopped"] + (1..<4).flatMap { ["\($0) started", "\($0) drained"] })
        // Each has a thread that opens its PCM: which of them finds it busy first is not said.
        #expect(waiting.sorted() == ["1 waiting", "2 waiting", "3 waiting"])
        #expect(problems.withLock { $0.map(\.operation) } == ["play two sounds at once"])
    }

    @Test("a sound that is stopped while it waits ends at once, and the one behind it has its turn")
    func stopWhileWaiting() async throws {
        let lock = TemporaryFile()
        let output = try output(PacedSink.name(.lock(lock.path), .waitsForWriter))
        let (first, second, third) = (Hearing(), Hearing(), Hearing())
        let playing = output.play(Self.long, PlaybackOptions(), first.handler)
        let waiting = output.play(clip, PlaybackOptions(), second.handler)
        _ = output.play(clip, PlaybackOptions(), third.handler)
        await second.until("waiting")
        await third.until("waiting")
        waiting.stop()
        #expect(await second.untilEnd().names == ["stopped"])
        playing.stop()
        #expect(await first.untilEnd().names == ["started", "stopped"])
        #expect(await third.untilEnd().names == ["started", "drained"])
    }

    @Test("a sound waits for another process, which lets the PCM go")
    func otherProcess() async throws {
        let lock = TemporaryFile()
        let name = PacedSink.name(.lock(lock.path), .waitsForWriter)
        // Another output knows nothing of this one, as another process would not.
        let (holder, output) = (try output(name), try output(name))
        _ = try holder.grant(sampleRate: 48_000, channels: 2)
        let hearing = Hearing()
        _ = output.play(clip, PlaybackOptions()) { event in
            hearing.handler(event)
            if event.name == "waiting" { Task { holder.close() } }
        }
        #expect(await hearing.untilEnd().names == ["waiting", "started", "drained"])
    }

    @Test("a sound that does not wait fails as busy at once")
    func impatient() async throws {
        let lock = TemporaryFile()
        let output = try output(PacedSink.name(.lock(lock.path), .waitsForWriter))
        let first = Hearing()
        let playing = output.play(Self.long, PlaybackOptions(), first.handler)
        let events = await output.hear(clip, PlaybackOptions(waitsWhenBusy: false))
        #expect(events.names == ["failed"] && events.error?.code == .busy)
        playing.stop()
        _ = await first.untilEnd()
    }

    @Test("an output that is closed while sounds wait ends all of them as stopped")
    func close() async throws {
        let lock = TemporaryFile()
        let output = try output(PacedSink.name(.lock(lock.path), .waitsForWriter))
        let hearings = (0..<3).map { _ in
            let hearing = Hearing()
            _ = output.play(Self.long, PlaybackOptions(), hearing.handler)
            return hearing
        }
        output.close()
        for hearing in hearings { #expect(await hearing.untilEnd().end == .stopped) }
        #expect(lock.openCount == 0)
    }

    @Test("whether a PCM mixes is found out by opening it twice")
    func mixingProblem() throws {
        let lock = TemporaryFile()
        let name = PacedSink.name(.lock(lock.path))
        let error = try #require(try output(name).mixingProblem())
        #expect(error.code == .unsupported && error.subject == "PCM \(name)")
        #expect(lock.openCount == 0)
        #expect(try output(PacedSink.name()).mixingProblem() == nil)
        #expect(throws: RingerError.self) { try output("nowhere").mixingProblem() }
    }

    @Test("alsa-lib's description shows whether streams are mixed on the way")
    func description() {
        let tail = "\nrate : 48000\nchannels : 2\nperiod_size : 480\nbuffer_size : 3840"
        let direct = PCMDescription("Plug PCM: Hardware PCM card 0 'Codec' device 0 subdevice 0" + tail)
        #expect(!direct.isShared)
        let mixed = PCMDescription("Plug PCM: Route conversion PCM\nSlave: Direct Stream Mixing PCM" + tail)
        #expect(mixed.isShared)
    }
}
