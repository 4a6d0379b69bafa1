import RingerTestKit
import Testing

@testable import RingerServices

@Suite("Audio sessions' properties")
struct AudioSessionPropertyTests {
    @Test("properties tell what the hardware told")
    func hardware() throws {
        let bench = try SessionBench()
        let session = try bench.make("music", .playback)
        bench.board.surroundings.set(
            .outputFormat(
                .init(sampleRate: 44_100, channels: 2, bufferDuration: .milliseconds(80), latency: .milliseconds(90))))
        bench.board.surroundings.set(
            .inputFormat(.init(sampleRate: 44_100, channels: 1, bufferDuration: .zero, latency: .zero)))
        bench.board.surroundings.set(.outputVolume(0.25))
        bench.board.surroundings.set(.inputAvailable(true))
        #expect(session.sampleRate == 44_100 && session.outputChannels == 2 && session.inputChannels == 1)
        #expect(session.outputVolume == 0.25 && session.isInputAvailable)
        #expect(abs(session.ioBufferDuration - 0.08) < 1e-6 && abs(session.outputLatency - 0.09) < 1e-6)
        #expect(try session.value(of: "chov") == .float32(0.25))
    }

    @Test("audio of another process is other audio")
    func otherProcess() throws {
        let bench = try SessionBench()
        let session = try bench.make("music", .playback)
        bench.board.surroundings.set(.otherAudioPlaying(true))
        #expect(session.isOtherAudioPlaying && (try? session.value(of: "othr")) == .uint32(1))
        bench.board.surroundings.set(.otherAudioPlaying(false))
        #expect(!session.isOtherAudioPlaying)
    }

    @Test("listeners are told changes, in order, each of its own property")
    func listeners() async throws {
        let bench = try SessionBench()
        let session = try bench.make("music", .soloAmbient)
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
        let bench = try SessionBench()
        let session = try bench.make("music", .playback)
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
        let bench = try SessionBench()
        let session = try bench.make("music", .playback)
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
        let bench = try SessionBench()
        let session = try bench.make("music", .soloAmbient)
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
        #expect(
            code { () throws(SessionError) in try session.setCategory(.ambient, options: .mixWithOthers) }
                == .incompatibleCategory)
        #expect(
            code { () throws(SessionError) in
                _ = try bench.bench.sessions.make(category: .ambient, options: .duckOthers)
            } == .incompatibleCategory)
        #expect(session.state == before && bench.bench.sessions.all.count == 1)
    }

    @Test("recording without an input is refused with its code")
    func noInput() throws {
        let bench = try SessionBench()
        bench.board.surroundings.set(.inputAvailable(false))
        let session = try bench.make("recorder", .record)
        #expect(bench.activate(session) == .noHardware)
        #expect(!session.isActive && !session.isInputAvailable)
    }
}
