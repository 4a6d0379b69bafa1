import RingerTestKit
import Testing

@testable import RingerCore

/// A PCM that takes so many sounds at a time, and its queue, in virtual time.
private struct QueueBench {
    var queue: PCMQueue
    var now = MonotonicTime(nanoseconds: 1_000_000_000)
    /// Until when another process holds the PCM.
    var heldUntil: MonotonicTime?
    /// How many sounds play at once.
    var room = 1
    var playing: [UInt64] = []
    /// What happened: "open 1", "plays 1", "waits 2", "fails 2".
    var log: [String] = []
    var retryAt: MonotonicTime?
    /// Sounds whose PCM takes its time to open.
    var slow: Set<UInt64> = []
    var opening: [UInt64] = []
    /// What the PCMs that are opened lead to.
    var hardware = "hw:0,0,0"
    let start = MonotonicTime(nanoseconds: 1_000_000_000)

    init(patience: Duration = .seconds(2)) {
        queue = PCMQueue(patience: patience)
    }

    mutating func play(_ sound: UInt64, pcm: String = "hw", waits: Bool = true) {
        send(.add(sound, pcm: pcm, waits: waits, now: now))
    }

    mutating func end(_ sound: UInt64) {
        playing.removeAll { $0 == sound }
        opening.removeAll { $0 == sound }
        send(.removed(sound))
    }

    /// Moves time on, through every retry.
    mutating func advance(to time: Duration) {
        let end = start + time
        while let at = retryAt, at <= end {
            now = at
            retryAt = nil
            send(.retry(now: now))
        }
        now = end
    }

    mutating func send(_ event: PCMQueue.Event) {
        for action in queue.handle(event) {
            switch action {
            case .open(let sound):
                if slow.contains(sound) { opening.append(sound) } else { open(sound) }
            case .waiting(let sound, _): log.append("waits \(sound)")
            case .fail(let sound, let error):
                log.append("\(error.code.rawValue) \(sound) at \((now - start).inSeconds)")
            case .retry(let at): retryAt = at
            case .doesNotMix(let sound): log.append("unmixed \(sound)")
            }
        }
    }

    mutating func open(_ sound: UInt64) {
        let isHeld = heldUntil.map { now < $0 } ?? false
        guard !isHeld, playing.count < room else {
            return send(.refused(sound, RingerError(.busy, "open", "PCM hw"), now: now))
        }
        playing.append(sound)
        log.append("plays \(sound)")
        send(.opened(sound, hardware: hardware))
    }
}

@Suite("The queue for a PCM")
struct PCMQueueTests {
    @Test("sounds of one process on a PCM that does not mix play one after another, in order, and no timer runs")
    func firstComeFirstServed() {
        var bench = QueueBench()
        for sound in UInt64(1)...4 { bench.play(sound) }
        #expect(bench.log == ["plays 1", "unmixed 2", "waits 2", "waits 3", "waits 4"])
        #expect(bench.retryAt == nil)
        bench.advance(to: .seconds(3600))
        bench.end(1)
        // One that was stopped while it waited is passed over.
        bench.end(3)
        bench.end(2)
        bench.end(4)
        #expect(bench.log.suffix(2) == ["plays 2", "plays 4"])
        #expect(bench.retryAt == nil && bench.playing.isEmpty)
    }

    @Test("sounds on a PCM that mixes do not wait")
    func mixing() {
        var bench = QueueBench()
        bench.room = .max
        for sound in UInt64(1)...3 { bench.play(sound) }
        #expect(bench.log == ["plays 1", "plays 2", "plays 3"])
    }

    @Test("hardware with room for two plays two, and is not said to play one at a time")
    func twoStreams() {
        var bench = QueueBench()
        bench.room = 2
        for sound in UInt64(1)...4 { bench.play(sound) }
        #expect(bench.log == ["plays 1", "plays 2", "waits 3", "waits 4"])
        bench.end(2)
        bench.end(1)
        #expect(bench.log.suffix(2) == ["plays 3", "plays 4"])
    }

    @Test("what another process holds is tried every 20 ms, and played when it is free")
    func otherProcess() {
        var bench = QueueBench()
        bench.heldUntil = bench.start + .milliseconds(1_010)
        bench.play(1)
        bench.play(2)
        #expect(bench.log == ["waits 1", "waits 2"])
        #expect(bench.retryAt == bench.start + .milliseconds(20))
        bench.advance(to: .milliseconds(1_019))
        #expect(bench.log.count == 2)
        bench.advance(to: .milliseconds(1_020))
        #expect(bench.log == ["waits 1", "waits 2", "plays 1", "unmixed 2"])
        // The second one waits for the first now, however long.
        bench.advance(to: .seconds(60))
        #expect(bench.retryAt == nil)
        bench.end(1)
        #expect(bench.log.last == "plays 2")
    }

    @Test("a sound gives up when its patience with another process ends, each one at its own time")
    func patience() {
        var bench = QueueBench()
        bench.heldUntil = bench.start + .seconds(60)
        bench.play(1)
        bench.advance(to: .milliseconds(505))
        bench.play(2)
        bench.advance(to: .seconds(10))
        #expect(bench.log == ["waits 1", "waits 2", "busy 1 at 2.0", "busy 2 at 2.505"])
        #expect(bench.retryAt == nil)
    }

    @Test("without patience a sound fails at once where another process holds the PCM, and waits for one of its own")
    func noPatience() {
        var bench = QueueBench(patience: .zero)
        bench.heldUntil = bench.start + .seconds(1)
        bench.play(1)
        #expect(bench.log == ["busy 1 at 0.0"])
        bench.advance(to: .seconds(1))
        bench.play(2)
        bench.play(3)
        bench.advance(to: .seconds(60))
        #expect(bench.log.suffix(3) == ["plays 2", "unmixed 3", "waits 3"])
    }

    @Test("a sound that does not wait fails at once, and delays none that does")
    func impatient() {
        var bench = QueueBench()
        bench.play(1)
        bench.play(2, waits: false)
        bench.play(3)
        bench.play(4, waits: false)
        #expect(bench.log == ["plays 1", "unmixed 2", "busy 2 at 0.0", "waits 3", "busy 4 at 0.0"])
        bench.end(1)
        bench.end(3)
        bench.heldUntil = bench.start + .seconds(60)
        bench.play(5, waits: false)
        #expect(bench.log.suffix(2) == ["plays 3", "busy 5 at 0.0"])
        #expect(bench.retryAt == nil)
    }

    @Test("patience with another process begins when our own sound has ended and the PCM is still busy")
    func patienceBeginsLater() {
        var bench = QueueBench()
        bench.play(1)
        bench.play(2)
        bench.advance(to: .seconds(30))
        bench.heldUntil = bench.start + .seconds(60)
        bench.end(1)
        bench.advance(to: .seconds(40))
        #expect(bench.log.last == "busy 2 at 32.0")
    }

    @Test("a PCM that fails for another reason fails its sound, and the next one tries")
    func otherFailure() {
        var bench = QueueBench()
        bench.slow = [1]
        bench.play(1)
        bench.send(.refused(1, RingerError(.notFound, "open", "PCM hw"), now: bench.now))
        bench.play(2)
        #expect(bench.log == ["notFound 1 at 0.0", "plays 2"])
        bench.play(3)
        bench.play(4)
        bench.slow = [3]
        bench.end(2)
        bench.send(.refused(3, RingerError(.disconnected, "open", "PCM hw"), now: bench.now))
        #expect(bench.log.suffix(2) == ["disconnected 3 at 0.0", "plays 4"])
    }

    @Test("two names of one device are one line, once both were opened")
    func sameHardware() {
        var bench = QueueBench()
        for (sound, pcm) in [(UInt64(1), "default"), (2, "plughw:0")] {
            bench.play(sound, pcm: pcm)
            bench.end(sound)
        }
        bench.play(3, pcm: "default")
        bench.play(4, pcm: "plughw:0")
        bench.advance(to: .seconds(60))
        #expect(bench.log.suffix(2) == ["unmixed 4", "waits 4"])
        bench.end(3)
        #expect(bench.log.last == "plays 4")
    }

    @Test("one that comes while the first in line is opening the PCM does not overtake it")
    func noOvertaking() {
        var bench = QueueBench()
        bench.play(1)
        bench.slow = [2]
        bench.play(2)
        // The second was refused, and tries again when the first has ended: that takes its time.
        bench.opening = []
        bench.send(.refused(2, RingerError(.busy, "open", "PCM hw"), now: bench.now))
        bench.end(1)
        #expect(bench.opening == [2])
        bench.play(3)
        #expect(bench.log.last == "waits 3")
        bench.open(2)
        bench.end(2)
        #expect(bench.log.suffix(2) == ["plays 2", "plays 3"])
    }

    // It waited for ever: the sound that it waited for ended in another line.
    @Test("a sound that waits tries again when the PCM of the sound in its way turns out to lead to other hardware")
    func movedAway() {
        var bench = QueueBench()
        bench.room = 2
        bench.play(1, pcm: "default")
        bench.play(2, pcm: "plughw:0")
        bench.end(2)
        bench.slow = [3, 4]
        bench.play(3, pcm: "plughw:0")
        bench.play(4, pcm: "default")
        bench.send(.refused(3, RingerError(.busy, "open", "PCM plughw:0"), now: bench.now))
        bench.opening = []
        bench.hardware = "hw:1,0,0"
        bench.open(4)
        #expect(bench.opening == [3])
    }

    @Test("whatever comes, is stopped and is held, no sound is lost, and no timer is left", arguments: UInt64(1)...300)
    func anything(seed: UInt64) {
        var random = seed &* 6_364_136_223_846_793_005 | 1
        func next(_ bound: UInt64) -> UInt64 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (random >> 33) % bound
        }
        var bench = QueueBench(patience: .milliseconds(Int(next(3)) * 50))
        bench.room = Int(next(2)) + 1
        var last: UInt64 = 0
        var stopped = 0
        for _ in 0..<60 {
            switch next(5) {
            case 0, 1:
                last += 1
                if next(4) == 0 { bench.slow.insert(last) }
                bench.play(last, pcm: next(2) == 0 ? "default" : "plughw:0", waits: next(4) != 0)
            case 2:
                if let sound = bench.playing.first { bench.end(sound) }
            case 3:
                if let sound = bench.opening.first {
                    bench.opening.removeFirst()
                    if next(3) == 0 {
                        stopped += 1
                        bench.end(sound)
                    } else {
                        bench.open(sound)
                    }
                }
            default:
                if next(2) == 0 { bench.heldUntil = bench.now + .milliseconds(Int(next(100))) }
                bench.advance(to: bench.now - bench.start + .milliseconds(Int(next(80))))
            }
            if next(4) == 0 { bench.hardware = "hw:\(next(2)),0,0" }
            #expect(bench.playing.count <= bench.room)
        }
        bench.slow = []
        for _ in 0..<200 {
            if !bench.opening.isEmpty { bench.open(bench.opening.removeFirst()) }
            if let sound = bench.playing.first { bench.end(sound) }
            bench.advance(to: bench.now - bench.start + .milliseconds(20))
        }
        let ends = bench.log.count { $0.hasPrefix("plays") || $0.hasPrefix("busy") }
        #expect(ends + stopped == Int(last), "\(bench.log)")
        #expect(bench.retryAt == nil && bench.playing.isEmpty && bench.opening.isEmpty)
    }
}
