import FourCharacterCodes
import RingerCore
import RingerTestKit
import SessionRules
import Testing

@testable import SessionProperties

@Suite("Audio sessions' properties by their codes")
struct AudioSessionCodeTests {
    @Test("listeners get changes in order, each of its own property")
    func listeners() async throws {
        let (bench, session) = try PropertyBench.session(.soloAmbient)
        var routes = try session.changes(of: "rout").makeAsyncIterator()
        var reasons = try session.changes(of: "roch").makeAsyncIterator()
        var deaths = try session.changes(of: "died").makeAsyncIterator()
        var volumes = try session.changes(of: "chov").makeAsyncIterator()
        bench.board.ringSilent.position = .silent
        #expect(await routes.next()?.change.value == .string(""))
        bench.board.surroundings.set(.headphoneInserted(true))
        #expect(await routes.next()?.change.value == .string("Headphone"))
        #expect(await reasons.next()?.change.value == .routeChange(.newDeviceAvailable, oldRoute: "Speaker"))
        bench.board.surroundings.set(.outputLost(true))
        bench.board.surroundings.set(.outputLost(false))
        #expect(await deaths.next()?.change.value == .uint32(1))
        #expect(await deaths.next()?.change.value == .uint32(0))
        bench.board.surroundings.set(.outputVolume(0.5))
        #expect(await volumes.next()?.change.value == .float32(0.5))
    }

    @Test("a listener takes the place of the one of the same property and client data")
    func replaced() async throws {
        let (bench, session) = try PropertyBench.session(.playback)
        let told = Record<String>()
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        try session.addListener("chov", clientData: 1) { _ in told.append("first") }
        try session.addListener("chov", clientData: 1) { _ in
            told.append("second")
            continuation.yield()
        }
        bench.board.surroundings.set(.outputVolume(0.5))
        var tells = stream.makeAsyncIterator()
        await tells.next()
        #expect(told.all == ["second"])
        try session.removeListener("chov", clientData: 1)
        try session.removeListeners(of: "chov")
    }

    @Test("typed and untyped setters change one table, and preferences are held at their limits")
    func preferences() throws {
        let bench = try PropertyBench()
        let session = bench.sessions.make(category: .playback)
        try session.setPreferredSampleRate(1_000_000)
        #expect(session.preferredSampleRate == 192_000 && (try? session.value(of: "hwsr")) == .float64(192_000))
        try session.setPreferredIOBufferDuration(0.02)
        #expect(abs(session.preferredIOBufferDuration - 0.02) < 1e-6)
        try session.set("acat", to: .uint32(FourCharacterCode("ambi").rawValue))
        #expect(session.category == .ambient)
        try session.set("acat", bytes: SessionPropertyValue.uint32(FourCharacterCode("plar").rawValue).bytes)
        #expect(session.category == .playAndRecord && (try? session.size(of: "acat")) == 4)
        #expect(try session.bytes(of: "rout", capacity: 64) == Array("ReceiverAndMicrophone".utf8) + [0])
    }

    @Test("misuse has the documented code, and changes nothing")
    func misuse() throws {
        let bench = try PropertyBench()
        let session = bench.sessions.make(category: .soloAmbient)
        let before = session.state
        func code(_ body: () throws(SessionError) -> Void) -> SessionError.Code? {
            do throws(SessionError) { try body() } catch { return error.code }
            return nil
        }
        #expect(code { () throws(SessionError) in _ = try session.value(of: "none") } == .unsupportedProperty)
        #expect(code { () throws(SessionError) in _ = try session.value(of: "ovrd") } == .unsupportedProperty)
        #expect(code { () throws(SessionError) in _ = try session.size(of: "roch") } == .unsupportedProperty)
        #expect(
            code { () throws(SessionError) in _ = try session.bytes(of: "chsr", capacity: 4) } == .badPropertySize)
        #expect(code { () throws(SessionError) in try session.set("acat", bytes: [1]) } == .badPropertySize)
        #expect(code { () throws(SessionError) in try session.set("rout", to: .string("x")) } == .unsupportedProperty)
        #expect(code { () throws(SessionError) in try session.set("cmix", to: .uint32(1)) } == .incompatibleCategory)
        #expect(code { () throws(SessionError) in try session.set("hwsr", to: .float64(-1)) } == .badParameter)
        #expect(code { () throws(SessionError) in try session.set("acat", to: .uint32(7)) } == .incompatibleCategory)
        #expect(code { () throws(SessionError) in _ = try session.changes(of: "ovrd") } == .unsupportedProperty)
        #expect(session.state == before)
    }

    @Test("a sound's granted format reaches listeners, once where it does not change")
    func formats() async throws {
        let (bench, session) = try PropertyBench.session(.playback)
        var rates = try session.changes(of: "chsr").makeAsyncIterator()
        bench.activate(session)
        #expect(await rates.next()?.change.value == .float64(48_000))
        for (rate, isNew) in [(48_000, false), (44_100, true), (44_100, false), (48_000, true)] as [(Double, Bool)] {
            bench.start(session, milliseconds: 10, sampleRate: rate)
            bench.clock.advance(by: .seconds(1))
            guard isNew else { continue }
            let notification = await rates.next()
            #expect(notification?.change.value == .float64(rate) && notification?.missed == 0)
        }
    }

    @Test("typed and untyped properties report the same")
    func typed() throws {
        let (bench, session) = try PropertyBench.session(.playAndRecord)
        let set = bench.board.surroundings.set
        set(.inputFormat(.init(sampleRate: 44_100, channels: 1, bufferDuration: .zero, latency: .milliseconds(250))))
        set(.outputVolume(0.25))
        set(.otherAudioPlaying(true))
        bench.activate(session)
        try session.setPreferredIOBufferDuration(0.02)
        let numbers: [(FourCharacterCode, Double)] = [
            ("hwsr", session.preferredSampleRate), ("iobd", session.preferredIOBufferDuration),
            ("chsr", session.sampleRate), ("chic", Double(session.inputChannels)),
            ("choc", Double(session.outputChannels)), ("chov", session.outputVolume), ("cilt", session.inputLatency),
            ("colt", session.outputLatency), ("chbd", session.ioBufferDuration),
            ("othr", session.isOtherAudioPlaying ? 1 : 0), ("aiav", session.isInputAvailable ? 1 : 0),
            ("cspk", session.overrides.contains(.defaultToSpeaker) ? 1 : 0),
        ]
        for (code, typed) in numbers {
            switch try session.value(of: code) {
            case .uint32(let number): #expect(Double(number) == typed, "\(code)")
            case .float32(let number): #expect(Double(number) == typed, "\(code)")
            case .float64(let number): #expect(number == typed, "\(code)")
            default: Issue.record("\(code) is not a number")
            }
        }
        #expect(session.sampleRate > 0 && session.outputVolume == 0.25 && session.isOtherAudioPlaying)
        #expect(try session.value(of: "rout") == .string(session.routeName))
        #expect(try session.value(of: "acat") == .uint32(0x706C_6172))
    }

    @Test("a stream of changes that nobody reads any more ends its listener")
    func dropped() async throws {
        // It was kept, and notified of each change, for as long as the session lived.
        let bench = try PropertyBench()
        let session = bench.sessions.make(category: .playback)
        for _ in 0..<3 { _ = try session.changes(of: "chov") }
        let reader = Task { [changes = try session.changes(of: "chov")] in for await _ in changes {} }
        reader.cancel()
        await reader.value
        #expect(try !hasListeners(session))
        let kept = try session.changes(of: "chov")
        #expect(try hasListeners(session))
        withExtendedLifetime(kept) {}
    }

    private func hasListeners(_ session: AudioSession) throws -> Bool {
        let follower = try #require(SessionPropertyFollower.of(session.service))
        return try follower.with(session, "count the listeners of") { !$0.listeners.isEmpty }
    }

    @Test("a closed device has no properties, and its streams of changes end")
    func closed() async throws {
        let (bench, session) = try PropertyBench.session(.playback)
        let changes = try session.changes(of: "chov")
        bench.sessions.close()
        for await _ in changes { Issue.record("a change of a closed device") }
        #expect(throws: SessionError.self) { try session.value(of: "chov") }
        #expect(throws: SessionError.self) { try session.changes(of: "chov") }
    }
}
