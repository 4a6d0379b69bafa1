import Glibc
import RingerCore
import RingerBus
import RingerTestKit
import ServiceSupport
import Synchronization
import SystemPackage
import Testing

@testable import RingerDaemon

/// What a user without any permission can do to others, on a bus with the system bus's policies: nothing.
@Suite struct StrangerTests {
    private let denied = "org.freedesktop.DBus.Error.AccessDenied"
    private let tooMuch = "org.freedesktop.DBus.Error.LimitsExceeded"

    // The service used to believe anybody's NameOwnerChanged.
    @Test("a forged report that a client has left the bus ends nothing of it")
    func forgedDeparture() async throws {
        let bench = try ServiceBench(bus: .system())
        let (root, nobody) = (try bench.client(), try bench.client(as: .nobody))
        _ = try await root.request("Alert", [.variant(.uint32(1007)), .dictionary(["limit": .double(0)])])
        for name in try await nobody.everybody() {
            for sender in try await nobody.everybody() {
                try await nobody.signal(
                    "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged",
                    [.string(name), .string(name), .string("")], to: sender)
            }
        }
        #expect(await nobody.error("Stop", [.uint32(1)]) == denied)
        #expect(
            try await root.property("Requests")
                == .array(element: "(us)", [.structure([.uint32(1), .string("Alert")])]))
        try await root.advance(.seconds(5))
        #expect(bench.board.motor.turnCount > 1)
    }

    // A denied caller used to keep the slot that it got for the question who it is.
    @Test("callers that are denied, stop nothing or set a property take no place from other users")
    func deniedCallers() async throws {
        let limits = Budget.Limits([.clients: 4])
        var authorization = Authorization()
        authorization.playingGroups = [29]
        let bench = try ServiceBench(authorization: authorization, limits: limits, bus: .system())
        var setters: [BusClient] = []
        for _ in 0..<2 * limits[.clients] {
            let nobody = try bench.client(as: .nobody)
            #expect(await nobody.error("Play", [.variant(.uint32(1007)), .dictionary([:])]) == denied)
            #expect(await nobody.error("Stop", [.uint32(0)]) == nil)
            // It would keep the PCM from a program that plays to the hardware itself.
            #expect(await nobody.error("Detect") == denied)
            // Who sets a property takes none either.
            let setter = try bench.client()
            setters.append(setter)
            #expect(await setter.set("Volume", .double(0.5)) == nil)
        }
        #expect(bench.clientCount == 0)
        let root = try bench.client()
        #expect(await root.error("Play", [.variant(.uint32(1007)), .dictionary([:])]) == nil)
        let players = try (0..<2).map { _ in try bench.client(as: TestUser(1, groups: [29])) }
        #expect(await players[0].error("Play", [.variant(.uint32(1007)), .dictionary([:])]) == nil)
    }

    // Such a caller kept its place for as long as it was on the bus.
    @Test("callers whose requests are refused take no place")
    func refusedCallers() async throws {
        var authorization = Authorization()
        authorization.playingGroups = [29]
        let bench = try ServiceBench(
            authorization: authorization, limits: .init([.clients: 8, .requests: 2]), bus: .system())
        let programs = try (0..<6).map { _ in try bench.client(as: TestUser(1, groups: [29])) }
        var detecting = 0
        for program in programs where await program.error("Detect") == nil { detecting += 1 }
        #expect(detecting == 2)
        #expect(bench.clientCount == 2)
    }

    // All users shared 64 places, and each program had a quota of its own.
    @Test(
        "a user who takes all that there is for one takes nothing from other users, and users together none from root")
    func greedyUsers() async throws {
        var authorization = Authorization()
        authorization.playingGroups = [29]
        let limits = Budget.Limits([.clients: 3, .sessions: 4])
        let bench = try ServiceBench(authorization: authorization, limits: limits, bus: .system())
        var programs: [BusClient] = []
        func sessions(_ user: TestUser?) async throws -> Int {
            var count = 0
            for _ in 0..<4 {
                let program = try bench.client(as: user)
                programs.append(program)
                while await program.error("CreateSession", [.dictionary([:])]) == nil { count += 1 }
            }
            return count
        }
        // The bus knows the users 1 to 4 of every machine.
        for user in 1...4 as ClosedRange<UInt32> {
            // Three users' shares are for those who do not control the device.
            #expect(try await sessions(TestUser(user, groups: [29])) == (user < 4 ? 4 : 0))
        }
        #expect(try await sessions(nil) == 4)
        #expect(bench.refusals.all.map { $0.prefix(6) } == ["user 1", "user 2", "user 3", "user 4", "user 0"])
    }

    // The service used to handle all that had arrived, and all that arrived meanwhile, before anything else: a motor that was
    // asked for 1 s turned for 22 s, and a program on a PCM waited as long.
    @Test("while somebody floods the service with calls, the motor stops in time and a PCM program is greeted")
    func flood() async throws {
        let bench = try ServiceBench(isRealTime: true, bus: .system())
        let folder = try TemporaryFolder()
        let socket = folder.path + "/pcm"
        var authorization = Authorization()
        authorization.controllingUsers.insert(getuid())
        let server = PCMServer(
            bench.device, loop: bench.loop, path: socket, authorization: authorization, budget: bench.budget,
            ownProcess: 0)
        try bench.loop.syncThrowing { () throws(RingerError) in try server.start() }
        defer { bench.loop.sync { server.stop() } }
        let root = try bench.client()
        let nobody = try RawCaller(bench.bus.address, as: .nobody)
        _ = try await root.request("Vibrate", [.string("200"), .dictionary([:])])
        while bench.board.motor.turnCount == 0 { await Task.yield() }

        let isOver = Atomic(false)
        async let isSent: Void = flood(nobody, until: isOver)
        while bench.board.motor.isOn { try await Task.sleep(for: .milliseconds(1)) }
        let client = try PCMClient(socket)
        client.greet("playback")
        #expect(try await client.receive() != nil)
        isOver.store(true, ordering: .relaxed)
        try await isSent
        #expect(bench.board.motor.turnCount == 1)
    }

    /// Sends calls that need no reply until `isOver`: what waits for the end of the flood waits for ever.
    private func flood(_ caller: RawCaller, until isOver: borrowing Atomic<Bool>) async throws {
        let calls = [RawCaller.Call](repeating: .introspect, count: 100)
        while !isOver.load(ordering: .relaxed) {
            try caller.send(calls)
            await Task.yield()
        }
    }

    // A descriptor used to be duplicated for each time that a call named it, before anybody asked who the caller is: the
    // next message that brought one arrived in pieces, and the process ended.
    @Test("calls that name a descriptor a thousand times leave the service room for the descriptors of others")
    func descriptors() async throws {
        let bus = try TestBus.system()
        let process = try ServiceProcess(bus, descriptors: 1024)
        let root = try BusClient(bus.address)
        try await process.serves(root)
        let owner = try await root.bus("GetNameOwner", [.string(RingerNames.service)])
        let folder = try TemporaryFolder()
        let file = try FileDescriptor.open(FilePath(try folder.write("no sound", to: "clip")), .readOnly)
        defer { try? file.close() }
        for user in [TestUser.nobody, nil] {
            let caller = try RawCaller(bus.address, as: user)
            // What fits into the table is kept until the bus has said who the caller is.
            var calls = [1012, 512, 256, 128, 64, 32, 16, 8, 4, 2, 1, 1].map {
                RawCaller.Call.announce(file.rawValue, count: $0)
            }
            calls[11].descriptors = [CInt](repeating: file.rawValue, count: 16)
            try caller.send(calls)
            #expect(
                await root.error(
                    "Announce", [.array(element: "v", [.variant(.descriptor(file.rawValue))]), .dictionary([:])]) == nil
            )
            #expect(try await root.property("Board") == .string("simulated"))
            #expect(try await root.bus("GetNameOwner", [.string(RingerNames.service)]) == owner)
        }
        #expect(process.isRunning)
    }

    // The error repeated the text, and was longer than the bus takes of anybody: it disconnected the service, which ended.
    @Test("a text or a path that fills the largest message of the bus is refused in short, and the service stays")
    func longTexts() async throws {
        let bus = try TestBus.system()
        let process = try ServiceProcess(bus)
        let root = try BusClient(bus.address)
        try await process.serves(root)
        let owner = try await root.bus("GetNameOwner", [.string(RingerNames.service)])
        let nobody = try BusClient(bus.address, as: .nobody)
        let raw = try RawCaller(bus.address, as: .nobody)
        // system.conf of dbus-daemon: max_message_size.
        let most = 32 << 20
        /// So many letters fill a message besides what `call` has with none.
        func fill(_ call: RawCaller.Call) -> String {
            String(repeating: "x", count: most - raw.messages([call]).count)
        }

        var decide = RawCaller.Call("Decide")
        (decide.signature, decide.body) = ("sa{sv}", [UInt8](repeating: 0, count: 16))
        #expect(await nobody.error("Decide", [.string(fill(decide)), .dictionary([:])]) == tooMuch)
        var getAll = RawCaller.Call("GetAll")
        (getAll.interface, getAll.signature) = (BusInterface.properties, "s")
        getAll.body = [UInt8](repeating: 0, count: 5)
        #expect(await nobody.error("GetAll", [.string(fill(getAll))], interface: getAll.interface) == tooMuch)
        // sd-bus makes no call of such a path.
        var get = RawCaller.Call("Get")
        (get.path, get.expectsReply) = (RingerNames.path + "/", true)
        // The path is aligned to 8 bytes.
        get.path += fill(get).dropLast(8)
        try raw.send([get])
        #expect(try await root.property("Board") == .string("simulated"))
        #expect(try await root.bus("GetNameOwner", [.string(RingerNames.service)]) == owner)
        #expect(process.isRunning)
    }

    // sd-bus reports an error where a message's own answer fails, and the service used to take that for the end of the bus.
    @Test("a call that the bus library itself cannot answer does not end the service")
    func unanswerable() async throws {
        let bus = try TestBus.system()
        let process = try ServiceProcess(bus, descriptors: 1024, withoutMachineID: true)
        let root = try BusClient(bus.address)
        try await process.serves(root)
        let nobody = try BusClient(bus.address, as: .nobody)
        for _ in 0..<2 {
            #expect(
                await nobody.error("GetMachineId", interface: "org.freedesktop.DBus.Peer")
                    == "org.freedesktop.DBus.Error.Failed")
        }
        #expect(try await root.property("Board") == .string("simulated"))
        #expect(process.isRunning)
    }
}
