import PacedSupport
import RingerCore
import Synchronization
import Testing

@testable import RingerLinux

/// Sounds that obey their gates, without a message to their thread.
@Suite struct ALSAGateTests {
    private func options(_ gate: Gate) -> PlaybackOptions {
        var options = PlaybackOptions()
        options.gate = gate
        return options
    }

    @Test("a sound whose gate is shut ends as stopped", arguments: [480_000, 480])
    func shut(frames: Int) async throws {
        // The short sound is written whole at once, and heard late.
        let name =
            frames == 480
            ? PacedSink.name(.latency(milliseconds: 60_000), .waitsForWriter) : PacedSink.name(.waitsForWriter)
        let output = try output(name)
        let gate = Gate()
        let hearing = Hearing()
        var options = options(gate)
        options.reportAt = .milliseconds(30)
        _ = output.play(.noise(frames: frames), options) { event in
            if event.name == "progress" { gate.shut() }
            hearing.handler(event)
        }
        let events = await hearing.untilEnd()
        #expect(events.names == ["started", "progress", "stopped"])
        #expect(try #require(events.position).played < frames)
    }

    @Test("nothing is opened for a sound whose gate is shut while it waits for another sound")
    func shutWhileWaiting() async throws {
        let (lock, file) = (TemporaryFile(), TemporaryFile())
        let output = try output(PacedSink.name(.lock(lock.path), .capture(file.path), .waitsForWriter))
        let (first, second) = (Hearing(), Hearing())
        let long = PCMBuffer.noise(frames: 480_000)
        let playback = output.play(long, PlaybackOptions(), first.handler)
        let gate = Gate()
        // In a format of its own, so that its PCM would be opened anew.
        _ = output.play(.noise(frames: 4_800, channels: 1), options(gate)) { event in
            if event.name == "waiting" {
                #expect(!gate.shut())
                playback.stop()
            }
            second.handler(event)
        }
        #expect(await first.untilEnd().end == .stopped)
        #expect(await second.untilEnd().names == ["waiting", "stopped"])
        let heard = file.samples
        #expect(heard.elementsEqual(long.samples.prefix(heard.count)))
        #expect(output.lastGrant?.channels == 2)
    }

    @Test("nothing is opened for a sound whose gate is shut while an earlier open is under way")
    func shutBehindOpen() async throws {
        let pcm = LockedFile()
        let output = try output(PacedSink.name(.gate(pcm.path), .waitsForWriter))
        let (first, second) = (Hearing(), Hearing())
        _ = output.play(.noise(frames: 480), PlaybackOptions(), first.handler)
        let gate = Gate()
        _ = output.play(.noise(frames: 480, channels: 1), options(gate), second.handler)
        while !pcm.isAwaited { await Task.yield() }
        // The sound thread has asked for the second open, too.
        output.thread.loop.sync {}
        gate.shut()
        pcm.open()
        #expect(await first.untilEnd().names == ["started", "drained"])
        #expect(await second.untilEnd().names == ["stopped"])
        #expect(output.lastGrant?.channels == 2)
    }

    @Test("nothing is opened for a sound whose gate is shut already")
    func shutBefore() async throws {
        let file = TemporaryFile()
        let output = try output(PacedSink.name(.capture(file.path), .waitsForWriter))
        let gate = Gate()
        gate.shut()
        let hearing = Hearing()
        _ = output.play(.noise(frames: 4_800), options(gate), hearing.handler)
        #expect(await hearing.untilEnd().names == ["stopped"])
        #expect(file.samples.isEmpty && output.lastGrant == nil)
    }

    @Test("a sound takes its gate's gain, evenly, in the gate's time", arguments: [20, 0, 300])
    func gain(milliseconds: Int) async throws {
        let file = TemporaryFile()
        let output = try output(PacedSink.name(.capture(file.path), .waitsForWriter))
        let steady = PCMBuffer(sampleRate: 48_000, channels: 1, samples: .init(repeating: 20_000, count: 48_000))
        let gate = Gate()
        let hearing = Hearing()
        _ = output.play(steady, options(gate)) { event in
            if event.name == "started" { gate.setGain(0, over: .milliseconds(milliseconds)) }
            hearing.handler(event)
        }
        #expect(await hearing.untilEnd().names == ["started", "drained"])
        let heard = Array(file.samples.prefix(48_000))
        let begin = try #require(heard.firstIndex { $0 != 20_000 })
        let end = try #require(heard.firstIndex(of: 0))
        let frames = milliseconds * 48
        #expect((max(0, frames - 10)...frames).contains(end - begin))
        for frame in begin..<end {
            let gain = 1 - Float(frame - end + frames) / Float(max(1, frames))
            #expect(abs(Float(heard[frame]) - 20_000 * gain) <= 1, "frame \(frame)")
        }
        #expect(heard[end...].allSatisfy { $0 == 0 })
    }

    @Test("the rounds that a gate asks for while they play join without a gap", arguments: [(1 << 40, 3), (60, 70)])
    func rounds(before: Int, after: Int) async throws {
        let file = TemporaryFile()
        let output = try output(PacedSink.name(.capture(file.path), .waitsForWriter))
        let sound = PCMBuffer.noise(frames: 1_000)
        let gate = Gate()
        let hearing = Hearing()
        var options = options(gate)
        options.manner = SoundManner(first: 400, rounds: before)
        _ = output.play(sound, options) { event in
            if event.name == "started" { gate.rounds = after }
            hearing.handler(event)
        }
        let events = await hearing.untilEnd()
        #expect(events.names == ["started", "drained"])
        let position = try #require(events.position)
        // The buffer had a part of later rounds already: the last of them is whole.
        let rounds = Int((position.played + 400) / 1_000)
        #expect((after...70).contains(rounds))
        #expect(position.played == rounds * 1_000 - 400 && position.total == position.played)
        let expected = (0..<rounds).flatMap { _ in sound.samples }.dropFirst(400 * sound.channels)
        #expect(file.samples.prefix(expected.count).elementsEqual(expected))
        #expect(file.samples.dropFirst(expected.count).allSatisfy { $0 == 0 })
    }
}
