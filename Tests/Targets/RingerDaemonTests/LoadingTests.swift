import Glibc
import RingerCore
import RingerBus
import RingerTestKit
import ServiceSupport
import Synchronization
import SystemPackage
import Testing

@testable import RingerDaemon

/// Requests whose sounds are read and decoded on other threads, while the service goes on.
@Suite struct LoadingTests {
    /// A request for a sound.
    struct Call: Sendable, CustomTestStringConvertible {
        var member: String
        var options: [String: BusValue] = [:]
        var isFile = true

        var testDescription: String { "\(member) \(isFile ? "file" : "number") \(options.keys.sorted())" }

        func arguments(_ file: PrivateFile) -> [BusValue] {
            let sound = BusValue.variant(isFile ? .descriptor(file.descriptor) : .uint32(1007))
            return [member == "Announce" ? .array(element: "v", [sound]) : sound, .dictionary(options)]
        }
    }

    // Its sound began and was stopped at once: that replaced a system sound, and interrupted a session.
    @Test(
        "a request that is stopped before its sound is decoded ends as stopped, begins nothing and cuts off nobody",
        arguments: [
            Call(member: "Play"), Call(member: "Play", isFile: false),
            Call(member: "Play", options: ["alert": .boolean(true)]),
            Call(member: "Play", options: ["category": .string("playback")]),
            Call(member: "Play", options: ["category": .string("playback")], isFile: false),
            Call(member: "Play", options: ["as": .string("alert")]),
            Call(member: "Alert"), Call(member: "Notify"), Call(member: "Announce"),
            Call(member: "Announce", isFile: false),
        ])
    func stopped(_ call: Call) async throws {
        let bench = try ServiceBench()
        let other = try bench.client()
        _ = try await other.play(.uint32(1005))
        _ = try await other.play(.uint32(1005), ["category": .string("playback")])
        try await other.advance(.milliseconds(50))
        #expect(bench.board.speaker.playing.count == 2)
        // Both messages of a caller that is not known yet wait for the bus's word, and are handled one right after the other.
        let (caller, gate, file) = (try bench.client(), Latch(), try PrivateFile(seconds: 1))
        await withCheckedContinuation { isHeld in
            bench.loop.execute {
                isHeld.resume()
                gate.wait()
            }
        }
        let (member, arguments) = (call.member, call.arguments(file))
        let request = Task.immediate { try await caller.request(member, arguments) }
        let stop = Task.immediate { try await caller.call("Stop", [.uint32(3)]) }
        await caller.flush()
        gate.open()
        #expect(try await request.value == 3)
        withExtendedLifetime(file) {}
        _ = try await stop.value
        #expect(await caller.ended() == .init(request: 3, outcome: "stopped", reason: "caller"))
        try await other.advance(.milliseconds(50))
        #expect(bench.board.speaker.recordings.map(\.outcome) == [nil, nil])
        #expect(bench.board.motor.turns.isEmpty)
    }

    /// A share of a budget of its own.
    private func share() throws -> BudgetShare {
        try ServiceBudget(clock: VirtualClock()).share(
            .descriptors, for: Budget.Payer(user: 0, connection: "", permission: .control))
    }

    @Test("a caller's file is not read on for a request that was stopped")
    func stoppedReading() throws {
        let sound = try PrivateFile(seconds: 10)
        let file = try CallerFile(sound.descriptor, try share())
        let reads = Atomic(0)
        let source = try file.open { reads.add(1, ordering: .relaxed).newValue < 3 }
        let error = #expect(throws: RingerError.self) {
            try SoundLoader.load(source, maximumDuration: nil) { _ throws(SoundFileError) in }
        }
        #expect(error?.errno == .canceled && reads.load(ordering: .relaxed) == 3)
        withExtendedLifetime(sound) {}
    }

    // Alert knew no caller's file, and a call whose file cannot be decoded was not felt.
    @Test(
        "an alert by a caller's file is heard and felt; one whose file cannot be decoded is felt",
        arguments: [("Alert", true), ("Alert", false), ("Play", true), ("Play", false)])
    func alertByFile(_ method: String, isSound: Bool) async throws {
        let bench = try ServiceBench()
        let client = try bench.client()
        let file = try PrivateFile(seconds: 0.5)
        if !isSound { #expect(pwrite(file.descriptor, "none", 4, 0) == 4) }
        let options: [String: BusValue] = method == "Play" ? ["alert": .boolean(true)] : ["limit": .double(1)]
        let request = try await client.request(
            method, [.variant(.descriptor(file.descriptor)), .dictionary(options)])
        try await client.advance(.seconds(2))
        let ended = await client.ended()
        #expect(ended?.request == request)
        #expect(!bench.board.motor.turns.isEmpty && bench.board.speaker.recordings.isEmpty != isSound)
        withExtendedLifetime(file) {}
    }

    @Test("an alert by MP3 vibrates, and says why it was not heard, where libmpg123 is missing or the file is damaged")
    func alertByMP3() async throws {
        let (bus, folder) = (try TestBus(), try TemporaryFolder())
        // The loader takes the first file of the name, and that is no library.
        _ = try folder.write("", to: "libmpg123.so.0")
        let process = try ServiceProcess(bus, isRealTime: true, libraries: folder.path)
        let client = try BusClient(bus.address)
        try await process.serves(client)
        let damaged = Array(PrivateFile.silentMP3.prefix(4)) + [UInt8](repeating: 0x55, count: 1000)
        for (bytes, reason) in [(PrivateFile.silentMP3, "libmpg123-0"), (damaged, "not a sound")] {
            let file = try PrivateFile(bytes)
            let alert = BusValue.variant(.descriptor(file.descriptor))
            var (end, details): ([BusValue], [String: BusValue]) = ([], [:])
            // Longer where the machine was too slow to read the file in time.
            for limit in [0.3, 20] where details["soundError"] == nil {
                _ = try await client.request("Alert", [alert, .dictionary(["limit": .double(limit)])])
                end = try #require(await client.signals.first { $0.member == "Ended" }?.arguments)
                details = end[3].dictionary ?? [:]
            }
            #expect(end[1].string == "timedOut" && details["vibrated"] == .boolean(true), "\(end)")
            #expect(details["sounded"] == .boolean(false))
            #expect(details["soundError"]?.string?.contains(reason) == true, "\(details)")
        }
    }

    @Test(
        "without libsndfile what plays Ogg or FLAC fails by its package's name; a notification's default sound and an event's own stand in"
    )
    func withoutSndfile() async throws {
        let (bus, folder) = (try TestBus(), try TemporaryFolder())
        // The loader takes the first file of the name, and that is no library.
        _ = try folder.write("", to: "libsndfile.so.1")
        let configuration = try folder.write("feedback = yes\n", to: "ringerd.conf")
        let process = try ServiceProcess(bus, configuration: configuration, libraries: folder.path)
        let client = try BusClient(bus.address)
        try await process.serves(client)
        for start in ["OggS", "fLaC"] {
            let bytes = Array(start.utf8) + [UInt8](repeating: 0, count: 100)
            let file = try PrivateFile(bytes)
            let sound = BusValue.variant(.descriptor(file.descriptor))
            for (member, sound) in [
                ("Play", sound), ("Notify", sound), ("Announce", .array(element: "v", [sound])), ("Alert", sound),
            ] {
                let limit = member == "Alert" ? ["limit": BusValue.double(0.3)] : [:]
                _ = try await client.request(member, [sound, .dictionary(limit)])
                try await client.advance(.seconds(2))
                let end = try #require(await client.signals.first { $0.member == "Ended" }?.arguments)
                let details = end[3].dictionary ?? [:]
                // A notification has its default sound.
                let (outcome, key) =
                    ["Alert": ("timedOut", "soundError"), "Notify": ("finished", "fallback")][member]
                    ?? ("failed", "message")
                #expect(end[1].string == outcome, "\(member): \(end)")
                let reason = details[key]?.string
                #expect(reason?.contains("libsndfile1") == true, "\(member): \(details)")
                if member == "Alert" { #expect(details["vibrated"] == .boolean(true)) }
            }
            let path = try folder.write(bytes, to: "tune")
            _ = try await client.trigger("message-new-instant", ["sound-file": .string(path)])
            var problem = ""
            for await signal in client.signals {
                if signal.member == "Degraded" { problem = signal.arguments[0].string ?? "" }
                if signal.member == "Degraded", problem.contains(path) { break }
            }
            #expect(problem.contains("libsndfile1"), "\(problem)")
            try await client.advance(.seconds(3))
            #expect(await client.feedbackEnded() == [start == "OggS" ? 1 : 2, 0])
        }
    }

    // They were read and decoded on the service's thread where they were played in a category.
    @Test("a system sound that is not in memory is read aside, and the next time it is in memory")
    func numbersAside() async throws {
        let (bench, client, reads) = try heldReads()
        for count in [1, 0] {
            _ = try await client.play(.uint32(1007), ["category": .string("playback")])
            try await client.advance(.milliseconds(10))
            let due = reads.take()
            #expect(due.count == count && bench.board.speaker.playing.count == 1 - count)
            for read in due { read() }
            try await client.advance(.seconds(5))
        }
    }

    // The caller's thread did the work then: the service's.
    @Test("where the system has no thread left, what is to be read is an error, and nothing is read")
    func noThread() async throws {
        // Of 32 bits one thread can have a half.
        let pipe = try FileDescriptor.pipe()
        let waiting = try? DetachedThread.start(stackSize: .max) {
            var byte: UInt8 = 0
            _ = withUnsafeMutableBytes(of: &byte) { try? pipe.readEnd.read(into: $0) }
            try? pipe.readEnd.close()
        }
        await #expect(throws: Errno.self) {
            try await DetachedThread.run(stackSize: .max) { Issue.record("it runs") }
        }
        if waiting == nil { try pipe.readEnd.close() }
        try pipe.writeEnd.close()
    }

    // A path of somebody else was opened with the service's rights before it was looked at: a device notices that.
    @Test("what is no regular file is refused without being opened")
    func notOpened() throws {
        let folder = try TemporaryFolder()
        let (sound, fifo) = (try folder.write("sound", to: "sound"), folder.path + "/fifo")
        mkfifo(fifo, 0o600)
        let watch = inotify_init1(CInt(IN_NONBLOCK))
        defer { close(watch) }
        for path in [fifo, sound] { #expect(inotify_add_watch(watch, path, UInt32(IN_OPEN)) >= 0) }
        var events = [UInt8](repeating: 0, count: 4096)
        #expect(throws: RingerError(.invalid, "read", fifo, errno: .illegalSeek, detail: "it is no file")) {
            try FileByteSource(fifo)
        }
        #expect(throws: RingerError.self) { try FileByteSource(folder.path) }
        #expect(read(watch, &events, events.count) < 0)
        #expect(try FileByteSource(sound).size == 5)
        #expect(read(watch, &events, events.count) > 0)
    }

    // A sparse file of 4 KiB became a gigabyte, a descriptor in 980 clips became that many sounds, and the clip that is copied
    // while clips are joined, which is there twice, cost nothing.
    @Test("decoded sounds count before they are decoded: what is too much is refused, the next caller is served")
    func decodedBytes() async throws {
        // Two programs of one user, each of which may have three sounds of a second.
        let bench = try ServiceBench(limits: .init([.decoded: 6 * 192_000]))
        let (client, other) = (try bench.client(), try bench.client())
        let sound = try PrivateFile(seconds: 1)
        let clip = BusValue.variant(.descriptor(sound.descriptor))
        func announce(_ count: Int, by client: BusClient) async throws -> BusClient.Ended? {
            let clips = BusValue.array(element: "v", [BusValue](repeating: clip, count: count))
            let request = try await client.request("Announce", [clips, .dictionary([:])])
            try await client.advance(.seconds(5))
            let ended = await client.ended()
            #expect(ended?.request == request)
            return ended
        }
        #expect(try await announce(3, by: client)?.outcome == "failed")
        #expect(bench.refusals.all.first?.contains("decoded-mib-per-user is used up: 576000 bytes") == true)
        let sparse = try PrivateFile(bytes: 1 << 30)
        let request = try await client.play(.descriptor(sparse.descriptor))
        try await client.advance(.zero)
        #expect(await client.ended() == .init(request: request, outcome: "failed", reason: "error"))
        for client in [client, other] { #expect(try await announce(2, by: client)?.outcome == "finished") }
        withExtendedLifetime((sound, sparse)) {}
        for client in [client, other] { client.close() }
        while !bench.budget.isUntouched { await Task.yield() }
    }

    // They cost nothing, and neither did the sound that they were joined to: six calls ended the service.
    @Test("clips by number count as the sound that they are joined to, before it is made")
    func joinedNumbers() async throws {
        // Half of it is each program's.
        let bench = try ServiceBench(limits: .init([.decoded: 1 << 20]))
        let client = try bench.client()
        for count in [32, 16, 1] {
            let clips = BusValue.array(element: "v", [BusValue](repeating: .variant(.uint32(1005)), count: count))
            let request = try await client.request("Announce", [clips, .dictionary([:])])
            try await client.advance(.seconds(60))
            let ended = await client.ended()
            #expect(ended?.request == request && ended?.outcome == (count == 1 ? "finished" : "failed"))
        }
        #expect(bench.refusals.all.first?.contains("decoded-mib-per-user is used up: 524288 bytes") == true)
        client.close()
        while !bench.budget.isUntouched { await Task.yield() }
    }

    @Test("the descriptors that callers send count until their requests have ended")
    func descriptors() async throws {
        let bench = try ServiceBench(limits: .init([.descriptors: 4]))
        let client = try bench.client()
        let files = try (0..<3).map { _ in try PrivateFile(seconds: 0.1) }
        func clips(_ files: some Sequence<PrivateFile>) -> [BusValue] {
            [.array(element: "v", files.map { .variant(.descriptor($0.descriptor)) }), .dictionary([:])]
        }
        for _ in 0..<2 {
            #expect(
                await client.error("Announce", clips(files)) == "org.freedesktop.DBus.Error.LimitsExceeded")
            _ = try await client.request("Announce", clips(files[..<2]))
            try await client.advance(.seconds(1))
            #expect(await client.ended()?.outcome == "finished")
        }
        withExtendedLifetime(files) {}
        client.close()
        while !bench.budget.isUntouched { await Task.yield() }
    }

    // A caller's leaving closed its system sounds, before the file was one of them.
    @Test("a sound from a descriptor that is to outlive its caller is heard, however soon the caller leaves")
    func leave() async throws {
        for _ in 0..<3 {
            let bench = try ServiceBench()
            let (caller, other) = (try bench.client(), try bench.client())
            let file = try PrivateFile(seconds: 20)
            _ = try await caller.play(.descriptor(file.descriptor), ["completePlaybackIfAppDies": .boolean(true)])
            withExtendedLifetime(file) { caller.close() }
            _ = try await other.call("Stop", [.uint32(0)])
            while bench.clientCount > 1 { await Task.yield() }
            try await other.advance(.seconds(21))
            #expect(bench.board.speaker.recordings.map(\.outcome) == [.drained])
            #expect(try await other.property("Requests") == .array(element: "(us)", []))
        }
    }

    /// Announces files of these lengths in seconds, one after the other, and returns the requests' numbers.
    private func announce(_ files: [PrivateFile], by client: BusClient) async throws -> [UInt32] {
        var requests: [UInt32] = []
        for file in files {
            let clips = BusValue.array(element: "v", [.variant(.descriptor(file.descriptor))])
            requests.append(try await client.request("Announce", [clips, .dictionary([:])]))
        }
        return requests
    }

    // Each was added to the queue when its clips were decoded.
    @Test("announcements play in the order of their calls, however long it takes to decode them")
    func order() async throws {
        let bench = try ServiceBench()
        let client = try bench.client()
        let files = try [20, 5, 0.1].map { try PrivateFile(seconds: $0) }
        let requests = try await announce(files, by: client)
        try await client.advance(.seconds(30))
        #expect(
            bench.board.speaker.recordings.map(\.sound.duration) == [.seconds(20), .seconds(5), .milliseconds(100)])
        for request in requests {
            #expect(await client.ended() == .init(request: request, outcome: "finished", reason: ""))
        }
    }

    // Its read was waited for without a limit, and so was its turn in the queue, by every other program.
    @Test(
        "a file system that does not answer fails its request after 5 s, and holds up no other program's announcement")
    func hung() async throws {
        let (bench, client, reads) = try heldReads()
        let other = try bench.client()
        let files = try [3, 2, 1, 0.5].map { try PrivateFile(seconds: $0) }
        let hung = try await announce([files[0], files[1]], by: client)
        try await other.advance(.zero)
        let heard = try await announce([files[2]], by: other)
        try await other.advance(.zero)
        /// Reads, but for the first two files, and joins what was read.
        func finish() async throws {
            try await reads.finish(except: 2, joinedBy: other)
        }
        try await finish()
        try await other.advance(.milliseconds(4990))
        #expect(bench.board.speaker.recordings.map(\.sound.duration) == [.seconds(1)])
        #expect(await other.ended() == .init(request: heard[0], outcome: "finished", reason: ""))
        try await other.advance(.milliseconds(10))
        try await finish()
        for request in hung {
            #expect(await client.ended() == .init(request: request, outcome: "failed", reason: "error"))
        }
        // Stopped, it ends at once.
        let stopped = try await announce([files[3]], by: client)
        try await other.advance(.zero)
        _ = try await client.call("Stop", [.uint32(stopped[0])])
        #expect(await client.ended() == .init(request: stopped[0], outcome: "stopped", reason: "caller"))
        withExtendedLifetime(files) {}
    }

    // It began as loud as it was, and was turned down then.
    @Test("a volume that is set while a file is read holds from the first frame")
    func volume() async throws {
        let (bench, client, reads) = try heldReads()
        let file = try PrivateFile(seconds: 1)
        let request = try await client.play(.descriptor(file.descriptor), ["category": .string("playback")])
        _ = try await client.call("SetVolume", [.uint32(request), .double(0.25)])
        try await client.advance(.zero)
        try await reads.finish(joinedBy: client)
        try await client.advance(.seconds(2))
        #expect(await client.ended() == .init(request: request, outcome: "finished", reason: ""))
        #expect(bench.board.speaker.recordings.map(\.gains) == [[0.25]])
        withExtendedLifetime(file) {}
    }

    // It began when the file had been read.
    @Test("the time within which an announcement may begin includes that of reading its file")
    func expiry() async throws {
        let (bench, client, reads) = try heldReads()
        let file = try PrivateFile(seconds: 1)
        let clips = BusValue.array(element: "v", [.variant(.descriptor(file.descriptor))])
        let request = try await client.request("Announce", [clips, .dictionary(["expiry": .double(2)])])
        try await client.advance(.seconds(3))
        try await reads.finish(joinedBy: client)
        try await client.advance(.seconds(1))
        #expect(await client.ended() == .init(request: request, outcome: "stopped", reason: "expired"))
        #expect(bench.board.speaker.recordings.isEmpty)
        withExtendedLifetime(file) {}
    }

    @Test("an announcement that is stopped before it is its turn, or cannot be decoded, holds up none that follows")
    func endedOutOfTurn() async throws {
        let bench = try ServiceBench()
        let client = try bench.client()
        let files = try [20, 20, 0.1, 20, 0.2].map { try PrivateFile(seconds: $0) }
        files[3].truncate(to: 40)
        let requests = try await announce(files, by: client)
        for request in [requests[2], requests[0]] { _ = try await client.call("Stop", [.uint32(request)]) }
        try await client.advance(.seconds(21))
        var outcomes: [UInt32: String] = [:]
        for _ in requests {
            let ended = await client.ended()
            outcomes[ended?.request ?? 0] = ended?.outcome
        }
        #expect(requests.map { outcomes[$0] } == ["stopped", "finished", "stopped", "failed", "finished"])
        #expect(bench.board.speaker.recordings.last?.sound.duration == .milliseconds(200))
    }
}

/// A service whose reads are held, and a client of it.
private func heldReads() throws -> (ServiceBench, BusClient, HeldReads) {
    let reads = HeldReads()
    let bench = try ServiceBench(aside: reads.add)
    return (bench, try bench.client(), reads)
}

/// What a service would read aside, until the test has it read.
private final class HeldReads: Sendable {
    private let reads = Mutex<[@Sendable () -> Void]>([])

    func add(_ read: @escaping @Sendable () -> Void) { reads.withLock { $0.append(read) } }

    /// Takes all that have not been carried out.
    func take() -> [@Sendable () -> Void] {
        reads.withLock { reads in
            defer { reads = [] }
            return reads
        }
    }

    /// Carries out all but the oldest `hung` ones, and those that follow; each is joined by a call of `client`.
    func finish(except hung: Int = 0, joinedBy client: BusClient) async throws {
        while let read = reads.withLock({ $0.count > hung ? $0.remove(at: hung) : nil }) {
            read()
            try await client.advance(.zero)
        }
    }
}
