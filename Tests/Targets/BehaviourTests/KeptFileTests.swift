import Glibc
import RingerBus
import RingerCore
import ServiceSupport
import Synchronization
import Testing

/// The kept position of a service that is killed, or whose machine loses power, at any moment: after the restart it is the last one
/// whose change was answered, or one that was set after it.
@Suite struct KeptFileTests {
    /// A folder with the service's configuration and its file of the position.
    private final class Folder: Sendable {
        let path: String
        let bus: TestBus
        let client: BusClient
        /// How many changes were answered.
        let answers = Atomic(0)

        init() throws {
            path = "/tmp/ringer-kept-\(getpid())-\(UInt32.random(in: 0 ... .max))"
            mkdir(path, 0o700)
            bus = try TestBus()
            client = try BusClient(bus.address)
            try TextFile.replace(configuration, with: "position-file = \(file)\npreferences-file = none\n")
        }

        deinit {
            for name in ["ringerd.conf", "position", "position.new", "power_cut.so"] { unlink("\(path)/\(name)") }
            rmdir(path)
        }

        var configuration: String { path + "/ringerd.conf" }
        var file: String { path + "/position" }

        func start(_ environment: [String: String] = [:]) async throws -> ServiceProcess {
            let service = try ServiceProcess(
                bus, isRealTime: true, configuration: configuration, environment: environment)
            try await service.serves(client)
            return service
        }

        /// Sets one position after the other until the service is gone, and returns those that may be in the file: the last one that
        /// was answered, and the one after it.
        func set(after position: String) async -> Set<String> {
            var answered = position
            for number in 0... {
                let next = ["silent", "ring", "vibrate", "ring"][number % 4]
                if await client.error("SetPosition", [.string(next)]) != nil { return [answered, next] }
                answered = next
                answers.add(1, ordering: .relaxed)
            }
            return []
        }

        /// What the file has, as the service reads it: without a file it is at ring, as before the first change.
        func stored() throws -> String {
            if access(file, F_OK) != 0 { return "ring" }
            let words = try TextFile.read(file)
            return ["ring\n", "vibrate\n", "silent\n"].contains(words) ? String(words.dropLast()) : "damaged: \(words)"
        }
    }

    @Test("killed 200 times while positions are set")
    func killed() async throws {
        let folder = try Folder()
        let observer = try BusClient(folder.bus.address)
        var position = "ring"
        for round in 0..<200 {
            let service = try await folder.start()
            let found = try await folder.client.property("KeptPosition")?.string ?? "none"
            #expect(found == position, "round \(round)")
            async let allowed = folder.set(after: position)
            // After so many answers, and then at any moment.
            let end = folder.answers.load(ordering: .relaxed) + round % 4
            while folder.answers.load(ordering: .relaxed) < end { _ = try await observer.property("Board") }
            for _ in 0..<round % 3 { _ = try await observer.property("Board") }
            kill(service.process, SIGKILL)
            let after = await allowed
            position = try folder.stored()
            #expect(after.contains(position), "round \(round): \(position) is none of \(after)")
        }
        #expect(folder.answers.load(ordering: .relaxed) >= 300)
    }

    @Test(
        "the power goes at each system call, and the disk has neither names nor data that were not synced",
        arguments: ["names", "data"])
    func powerCut(_ loses: String) async throws {
        let folder = try Folder()
        let source =
            #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/Support/PowerCut/power_cut.c"
        let library = folder.path + "/power_cut.so"
        try #require(system("cc -std=gnu11 -O1 -fPIC -shared -o '\(library)' '\(source)'") == 0)
        var answers = 0
        // Twice the six of one change, and the first of the next one.
        for cut in 1...13 {
            unlink(folder.file)
            let service = try await folder.start([
                "LD_PRELOAD": library, "CUT_FILE": folder.file, "CUT": "\(cut)", "CUT_LOSES": loses,
            ])
            let allowed = await folder.set(after: "ring")
            withExtendedLifetime(service) {}
            answers += folder.answers.exchange(0, ordering: .relaxed)
            let found = try folder.stored()
            #expect(allowed.contains(found), "before call \(cut): \(found) is none of \(allowed)")
        }
        // The change whose calls were all made was answered: once for those from the 7th on, twice for the last.
        #expect(answers == 8)
    }
}
