import Glibc
import RingerLinux
import RingerBus
import ServiceSupport

/// Programs that the service does not know and that may do nothing: sixteen at a time send ten messages each, of up to 32 MiB, the
/// most that the bus takes, and leave.
struct Strangers {
    let bus: TestBus
    /// What may be above rest at the peak and a minute later, in KiB.
    static let (peak, rest) = (64 << 10, 4 << 10)

    /// A call with texts of so many bytes, none of which is longer than the service reads unless all of them are one.
    private static func call(bytes: Int, isOneText: Bool) -> RawCaller.Call {
        let text = String(repeating: "x", count: isOneText ? bytes : 8000)
        let texts = [BusValue](repeating: .string(text), count: isOneText ? 1 : bytes / 8000)
        return RawCaller.Call(
            .init(
                path: RingerNames.path, interface: RingerNames.interface, member: "CreateSession",
                arguments: [.dictionary(["name": .array(element: "s", texts)])]))
    }

    /// Sends waves for so long, or so many, and looks at the service's memory meanwhile and a minute later.
    ///
    /// - Parameter limit: The control group's limit of memory for the service in bytes; nil for none.
    func run(waves: Int, for time: Duration, limit: Int? = nil) async throws {
        let process = try ServiceProcess(bus, isRealTime: true)
        let observer = try BusClient(bus.address)
        try await process.serves(observer)
        let group = try limit.map { try MemoryGroup(process.process, limit: $0) }
        defer { group?.remove() }
        let name = "\(process.process)"
        // What is loaded once is not the strangers'.
        try await wave([RawCaller.Call.introspect], count: 1)
        try await Task.sleep(for: .seconds(2))
        let before = try ProcessUsage(of: name)
        let memory = Task { try await peakMemory(of: name) }
        let clock = ContinuousClock()
        let start = clock.now
        let calls = [(32 << 20) - 512, 4 << 20, 60_000, 500_000].enumerated().map {
            Self.call(bytes: $1, isOneText: $0 < 2)
        }
        var count = 0
        while count < waves || clock.now - start < time {
            try await wave([calls[count % calls.count]], count: 10)
            count += 1
            guard process.isRunning else { throw Failure(message: "the service has ended after \(count) waves") }
        }
        // The bus refuses calls while so much waits for the service.
        let end = clock.now + .seconds(120)
        while (try? await observer.property("Board")) == nil {
            guard clock.now < end else { throw Failure(message: "nobody is answered 120 s after the strangers") }
            try await Task.sleep(for: .milliseconds(10))
        }
        memory.cancel()
        let most = try await memory.value
        try await Task.sleep(for: .seconds(60))
        let after = try ProcessUsage(of: name)
        var descriptors = after.descriptors
        while descriptors > before.descriptors, clock.now < end {
            try await Task.sleep(for: .seconds(1))
            descriptors = try ProcessUsage(of: name).descriptors
        }
        say(
            "\(count) waves of strangers in \(clock.now - start): private memory \(before.memory) KiB before, "
                + "at most \(most), \(after.memory) a minute later; \(descriptors) descriptors")
        guard most - before.memory <= Self.peak, after.memory - before.memory <= Self.rest else {
            throw Failure(message: "strangers take memory")
        }
        guard descriptors <= before.descriptors, process.isRunning else {
            throw Failure(message: "\(before.descriptors) descriptors have become \(descriptors)")
        }
    }

    private func wave(_ calls: [RawCaller.Call], count: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<16 {
                let caller = try RawCaller(bus.address, as: .nobody)
                let messages = caller.messages(calls)
                group.addTask {
                    // The bus may disconnect it.
                    try await DetachedThread.run { for _ in 0..<count { try? caller.send(messages) } }
                }
            }
            try await group.waitForAll()
        }
    }
}

/// A control group that limits a process's memory as the unit's MemoryMax does.
private struct MemoryGroup {
    private let path: String
    private let process: pid_t

    init(_ process: pid_t, limit: Int) throws {
        self.process = process
        let isFirstVersion = access("/sys/fs/cgroup/memory", F_OK) == 0
        path = "/sys/fs/cgroup/\(isFirstVersion ? "memory/" : "")ringer-hostile-\(process)"
        guard mkdir(path, 0o755) == 0 else { throw Failure(message: "there is no control group of memory") }
        for (name, value) in [
            (isFirstVersion ? "memory.limit_in_bytes" : "memory.max", limit), ("cgroup.procs", Int(process)),
        ] {
            guard let file = fopen("\(path)/\(name)", "w") else {
                throw Failure(message: "there is no \(path)/\(name)")
            }
            let isWritten = fputs("\(value)\n", file) >= 0
            guard fclose(file) == 0, isWritten else { throw Failure(message: "\(path)/\(name) takes no \(value)") }
        }
    }

    /// Ends the process, and removes its group.
    func remove() {
        kill(process, SIGKILL)
        // It stays a zombie, which its owner waits for, and is in no group's way.
        waitid(P_PID, id_t(process), nil, WEXITED | WNOWAIT)
        rmdir(path)
    }
}
