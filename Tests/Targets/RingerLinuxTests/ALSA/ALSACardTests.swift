import PacedSupport
import RingerCore
import Synchronization
import Testing

@testable import RingerLinux

/// An output that switches its card, which stands in for one with use cases.
@Suite struct ALSACardTests {
    private func output(
        _ card: StandInCard, _ pcm: String, routes: [AudioRoute: String] = [:], linger: Duration = .seconds(3600)
    ) throws -> ALSASoundOutput {
        try PacedSink.install()
        return try ALSASoundOutput(
            pcm: pcm, routes: routes, useCases: card.selector(pcm: pcm), linger: linger, limits: .patient)
    }

    @Test(
        "one table names the PCM of each route, and a headset's sound does not go to the speaker",
        arguments: [[AudioRoute.headphone: "b"], [.headset: "b"], [.headphone: "b", .headset: "c"], [:], [.line: "d"]])
    func table(routes: [AudioRoute: String]) throws {
        let output = try ALSASoundOutput(pcm: "a", routes: routes)
        let board = RouteBoard(pcm: "a", routes: routes)
        for route in AudioRoute.allCases { #expect(output.pcm(for: route) == board.pcm(for: route) ?? "a") }
        #expect(output.pcm(for: .headset) == routes[.headset] ?? routes[.headphone] ?? "a")
        #expect(output.pcm(for: .headphone) == routes[.headphone] ?? routes[.headset] ?? "a")
    }

    @Test("a sound in a headset is heard in the headphones' PCM, not in the speaker's")
    func headset() async throws {
        try PacedSink.install()
        let (speaker, jack) = (TemporaryFile(), TemporaryFile())
        let output = try ALSASoundOutput(
            pcm: PacedSink.name(.capture(speaker.path), .waitsForWriter),
            routes: [.headphone: PacedSink.name(.capture(jack.path), .waitsForWriter)], limits: .patient)
        #expect(await output.hear(.noise(frames: 480), PlaybackOptions(route: .headset)).end == .drained)
        #expect(speaker.samples.isEmpty && jack.samples.count >= 960)
    }

    @Test("the card is switched when a sound's turn has come: one that waited is heard on its route")
    func whenItOpens() async throws {
        let lock = TemporaryFile()
        let pcm = PacedSink.name(.lock(lock.path), .waitsForWriter)
        let card = StandInCard(sharing: pcm)
        let output = try output(card, pcm, linger: .zero)
        let hearings = (0..<3).map { _ in Hearing() }
        let (othersWait, continuation) = AsyncStream<Void>.makeStream()
        let atStart = Mutex<[Set<String>]>([])
        // The second waits for the first; the third, back on the speaker, comes behind it.
        let waiting = Mutex(0)
        var playbacks: [any Playback] = []
        for (hearing, route) in zip(hearings, [AudioRoute.speaker, .headphone, .speaker]) {
            playbacks.append(
                output.play(.noise(frames: 480_000), PlaybackOptions(route: route)) { event in
                    if event.name == "started" { atStart.withLock { $0.append(card.on) } }
                    if event.name == "waiting",
                        waiting.withLock({
                            $0 += 1; return $0
                        }) == 2
                    {
                        continuation.finish()
                    }
                    hearing.handler(event)
                })
            // The attempt to open the PCM for the second switches the card.
            if playbacks.count == 1 { await hearing.until("started") }
        }
        for await _ in othersWait {}
        playbacks[0].stop()
        _ = await hearings[0].untilEnd()
        await hearings[1].until("started")
        playbacks[1].stop()
        _ = await hearings[1].untilEnd()
        await hearings[2].until("started")
        playbacks[2].stop()
        _ = await hearings[2].untilEnd()
        #expect(atStart.withLock { $0 } == [["Speaker"], ["Headphones"], ["Speaker"]])
    }

    @Test("each sound's switch is reported before it is heard, and a failed one as the problem that it is")
    func reports() async throws {
        let file = TemporaryFile()
        let pcm = PacedSink.name(.capture(file.path), .waitsForWriter)
        let card = StandInCard(sharing: pcm)
        let output = try output(card, pcm)
        let changes = Mutex<[(route: AudioRoute, error: RingerError?)]>([])
        let problems = Mutex<[RingerError]>([])
        let gate = Mutex<Gate?>(nil)
        output.followCard { route, error in
            changes.withLock { $0.append((route, error)) }
            // As the player does for a sound that may not be heard everywhere.
            if error != nil { gate.withLock { $0 }?.shut() }
        }
        output.reportProblems { problem in problems.withLock { $0.append(problem) } }
        func play(_ route: AudioRoute) async -> PlaybackEnd? {
            var options = PlaybackOptions(route: route)
            let own = Gate()
            gate.withLock { $0 = own }
            options.gate = own
            return await output.hear(.noise(frames: 480), options).end
        }
        #expect(await play(.speaker) == .drained)
        #expect(await play(.speaker) == .drained)
        let heard = file.samples.count
        card.fail(["_disdev Speaker"])
        // The PCM of a sound that was stopped by then is not written to, neither one that is open already.
        #expect(await play(.headphone) == .stopped)
        #expect(await play(.headset) == .stopped)
        #expect(file.samples.count == heard)
        card.fail([])
        #expect(await play(.headphone) == .drained)
        #expect(card.on == ["Headphones"])
        #expect(changes.withLock { $0.map(\.route) } == [.speaker, .speaker, .headphone, .headset, .headphone])
        #expect(changes.withLock { $0.map { $0.error == nil } } == [true, true, false, false, true])
        #expect(problems.withLock { $0.map(\.operation) } == Array(repeating: "set _disdev to Speaker", count: 2))
    }

    @Test("a sound whose card is not switched in time is heard only where every route of its PCM allows it")
    func timeOut() async throws {
        try PacedSink.install()
        let file = TemporaryFile()
        let pcm = PacedSink.name(.capture(file.path), .waitsForWriter)
        let (card, isSwitched) = (StandInCard(sharing: pcm), Latch())
        card.block("_enadev Headphones", until: isSwitched)
        var limits = PlaybackMachine.Limits()
        limits.open = .milliseconds(500)
        let output = try ALSASoundOutput(pcm: pcm, useCases: card.selector(pcm: pcm), linger: .zero, limits: limits)
        let publisher = StatePublisher()
        let player = SoundPlayer(output: output, clock: output.thread.loop, publisher: publisher)
        publisher.ringSilent(.position(.silent, at: .now), from: "switch")
        publisher.change(.route(.headphone), from: "jack", at: .now)
        /// Plays until `isExpected`: on a busy machine an open may wait for its thread until its own deadline.
        func play(_ request: SoundRequest, until isExpected: (SoundOutcome) -> Bool) async -> Bool {
            for _ in 0..<20 {
                let outcome = await player.playOutsideSessions(.noise(frames: 480), as: request).outcome
                if isExpected(outcome) { return true }
                guard case .failed(let error) = outcome, error.code == .timedOut else { return false }
            }
            return false
        }
        func isHeldBack(_ outcome: SoundOutcome) -> Bool {
            guard case .failed(let error) = outcome else { return false }
            return error.code == .timedOut && error.subject == "sound card"
        }
        // The switch silences it at the speaker, where the card may be.
        #expect(await play(.systemSound(), until: isHeldBack))
        #expect(await play(.systemSound(), until: isHeldBack))
        #expect(file.samples.count == 0)
        #expect(await play(.session(.playback)) { $0 == .finished })
        #expect(file.samples.count > 0)
        isSwitched.open()
        // The thread that was blocked has to end first.
        while await !play(.systemSound(), until: { $0 == .finished }) {}
        #expect(card.on == ["Headphones"])
        output.close()
    }

    @Test("a route without an output is a problem once, and its sounds' switches fail; a PCM elsewhere needs no switch")
    func noOutput() async throws {
        let pcm = PacedSink.name(.waitsForWriter)
        let card = StandInCard(sharing: pcm)
        let output = try output(card, pcm, routes: [.bluetooth: PacedSink.name(.fault(.unpaced))])
        let changes = Mutex<[(route: AudioRoute, error: RingerError?)]>([])
        let problems = Mutex<[RingerError]>([])
        output.followCard { route, error in changes.withLock { $0.append((route, error)) } }
        output.reportProblems { problem in problems.withLock { $0.append(problem) } }
        for route in [AudioRoute.speaker, .line, .line, .bluetooth, .speaker] {
            #expect(await output.hear(.noise(frames: 48), PlaybackOptions(route: route)).end == .drained)
        }
        #expect(changes.withLock { $0.map(\.route) } == [.speaker, .line, .line, .speaker])
        #expect(changes.withLock { $0.map { $0.error?.code } } == [nil, .notFound, .notFound, nil])
        #expect(problems.withLock { $0.map(\.operation) } == ["switch to line"])
        #expect(card.on == ["Speaker"])
    }

    /// An output on `pcms`, and the outputs of another program, each of which holds one of them.
    private func heldOutput(
        _ card: StandInCard, _ pcms: [String], routes: [AudioRoute: String], patience: Duration
    ) async throws -> (ALSASoundOutput, [ALSASoundOutput]) {
        try PacedSink.install()
        var holders: [ALSASoundOutput] = []
        for pcm in pcms {
            let hearing = Hearing()
            let holder = try ALSASoundOutput(pcm: pcm, linger: .zero, limits: .patient)
            _ = holder.play(.noise(frames: 4_800_000), PlaybackOptions(), hearing.handler)
            await hearing.until("started")
            holders.append(holder)
        }
        let output = try ALSASoundOutput(
            pcm: pcms[0], routes: routes, useCases: card.selector(pcm: pcms[0]), busyPatience: patience,
            linger: .zero, limits: .patient)
        return (output, holders)
    }

    // 100 managers were opened, and 100 errors reported, in the 2 s for which a sound waits.
    @Test("a card that cannot be switched is tried once for a sound that waits for another program")
    func failingWhileBusy() async throws {
        let lock = TemporaryFile()
        let pcm = PacedSink.name(.lock(lock.path), .waitsForWriter)
        let card = StandInCard(sharing: pcm)
        card.fail(["_enadev Headphones"])
        let (output, holders) = try await heldOutput(card, [pcm], routes: [:], patience: .seconds(1))
        let problems = Mutex<[RingerError]>([])
        output.reportProblems { problem in problems.withLock { $0.append(problem) } }
        let hearing = await output.hear(.noise(frames: 48), PlaybackOptions(route: .headphone))
        if case .failed(let error)? = hearing.end { #expect(error.code == .busy) } else { Issue.record("it was heard") }
        #expect(problems.withLock { $0.map(\.operation) } == ["set _enadev to Headphones"])
        #expect(card.managers == 1)
        for holder in holders { holder.release(stoppingSounds: true) {} }
    }

    // Each switched the card 50 times a second.
    @Test("sounds that wait for other programs switch the card once each, and again when their PCM is free")
    func switchingWhileBusy() async throws {
        let locks = [TemporaryFile(), TemporaryFile()]
        let pcms = locks.map { PacedSink.name(.lock($0.path), .waitsForWriter) }
        let card = StandInCard([(.speaker, "Speaker", pcm: pcms[0]), (.headphone, "Headphones", pcm: pcms[1])])
        let (output, holders) = try await heldOutput(
            card, pcms, routes: [.headphone: pcms[1]], patience: .seconds(3600))
        let hearings = [Hearing(), Hearing()]
        let playbacks = zip(hearings, [AudioRoute.headphone, .speaker]).map { hearing, route in
            output.play(.noise(frames: 4_800_000), PlaybackOptions(route: route), hearing.handler)
        }
        for hearing in hearings { await hearing.until("waiting") }
        // Each tries again a few times.
        try await Task.sleep(for: .milliseconds(200))
        #expect(card.calls.count { $0.hasPrefix("_enadev") } == 2 && card.on == ["Speaker"])
        holders[1].release(stoppingSounds: true) {}
        await hearings[0].until("started")
        #expect(card.on == ["Headphones"])
        holders[0].release(stoppingSounds: true) {}
        await hearings[1].until("started")
        #expect(card.on == ["Speaker"])
        for (hearing, playback) in zip(hearings, playbacks) {
            playback.stop()
            _ = await hearing.untilEnd()
        }
    }

    @Test("a sound that ends before its turn is followed by the route at which the card stayed")
    func endedBeforeItsTurn() async throws {
        let lock = TemporaryFile()
        let pcm = PacedSink.name(.lock(lock.path), .waitsForWriter)
        let output = try output(StandInCard(sharing: pcm), pcm, linger: .zero)
        let changes = Mutex<[AudioRoute]>([])
        output.followCard { route, _ in changes.withLock { $0.append(route) } }
        let hearings = (0..<3).map { _ in Hearing() }
        var playbacks: [any Playback] = []
        // The third waits behind the second, and nothing is switched for it.
        for (hearing, route) in zip(hearings, [AudioRoute.speaker, .speaker, .headphone]) {
            playbacks.append(
                output.play(.noise(frames: 4_800_000), PlaybackOptions(route: route), hearing.handler))
            await hearing.until(playbacks.count == 1 ? "started" : "waiting")
        }
        playbacks[2].stop()
        _ = await hearings[2].untilEnd()
        output.thread.loop.sync {}
        #expect(changes.withLock { $0 } == [.speaker, .speaker, .speaker])
        playbacks[1].stop()
        playbacks[0].stop()
        for hearing in hearings[..<2] { _ = await hearing.untilEnd() }
    }
}
