import Glibc
import RingerBus
import RingerCore
import ServiceSupport
import Testing

extension VirtualTime {
    /// Programs that share the service, over a system bus: this one, and one that is killed.
    @Suite struct ServiceClientTests {
        private let interface = RingerNames.sessionInterface

        /// A session of this program, which is active.
        private func session(_ client: BusClient) async throws -> String {
            let options: [String: BusValue] = ["category": .string("playback")]
            let path = try await client.call("CreateSession", [.dictionary(options)])[0].string ?? ""
            _ = try await client.call("Activate", interface: interface, path: path)
            return path
        }

        private func play(_ client: BusClient, in session: String) async throws -> UInt32 {
            try await client.request("Play", [.variant(.uint32(1005)), .dictionary([:])], path: session)
        }

        /// Starts a program with a session that plays.
        private func start(_ bench: LabService, _ arguments: String...) throws -> ChildProcess {
            let folder = RingerCommandLine.path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            return try ChildProcess([folder.joined(separator: "/") + "/bus-session", bench.address] + arguments)
        }

        /// Waits for the next of these signals.
        private func next(_ members: String..., of client: BusClient) async -> (member: String, arguments: [BusValue])?
        {
            for await signal in client.signals where members.contains(signal.member) { return signal }
            return nil
        }

        private func configuration() throws -> String {
            let path = "\(Lab.temporaryFolder)/mixed.conf"
            try write(Array("pcm = mixed\n".utf8), to: path)
            return path
        }

        /// The service, and a client whose session plays: its path, and the request.
        private func playing() async throws -> (LabService, BusClient, session: String, id: UInt32) {
            let bench = try await LabService("--config", configuration())
            let music = try BusClient(bench.address)
            let session = try await session(music)
            return (bench, music, session, try await play(music, in: session))
        }

        @Test("a process interrupts another's session; killed in the middle of its sound, it is silent within 100 ms")
        func interrupt() async throws {
            let (bench, music, session, id) = try await playing()
            let call = try start(bench, "playback", "none", "100")
            #expect(await next("InterruptionBegan", of: music) != nil)
            #expect(await music.ended() == .init(request: id, outcome: "silenced", reason: "interruption"))
            try await heard(true)
            let killed = MonotonicTime.now
            try call.send(SIGKILL)
            let resumed = await next("InterruptionEnded", of: music)
            #expect(MonotonicTime.now - killed <= .milliseconds(100))
            #expect(resumed?.arguments == [.boolean(true)])
            try await Task.sleep(for: Duration.milliseconds(100) - killed.duration(to: .now))
            try await heard(false)
            _ = try await music.call("Activate", interface: interface, path: session)
            let again = try await play(music, in: session)
            #expect(await music.ended() == .init(request: again, outcome: "finished", reason: ""))
        }

        @Test("a process ducks another's session while it lives, and the sound goes on")
        func duck() async throws {
            let (bench, music, _, id) = try await playing()
            let voice = try start(bench, "playback", "duckOthers", "0")
            #expect(await next("Ducked", of: music)?.arguments == [.boolean(true)])
            try voice.send(SIGKILL)
            #expect(await next("Ducked", of: music)?.arguments == [.boolean(false)])
            #expect(await music.ended() == .init(request: id, outcome: "finished", reason: ""))
        }

        /// Listens for 0.3 s whether something is heard.
        private func heard(_ isHeard: Bool, at location: SourceLocation = #_sourceLocation) async throws {
            let recorder = try LoopbackRecorder()
            try await Task.sleep(for: .milliseconds(200))
            let samples = try await recorder.stop()
            #expect(samples.contains { $0 != 0 } == isHeard, sourceLocation: location)
        }
    }
}
