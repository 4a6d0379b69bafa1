import RingerLinux
import RingerBus
import ServiceSupport
import Synchronization

/// Raised once. Any thread.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isRaised: Bool { value.load(ordering: .relaxed) }
    func raise() { value.store(true, ordering: .relaxed) }
}

/// What others have of the device meanwhile: root an alarm in a session, one as an alert, and the motor, a user of the group
/// `audio` sounds.
final class Others: Sendable {
    struct Times: Sendable {
        /// How late the motor stopped after 1.0 s, and how much of it its thread did not wait for a processor.
        var motor: [(late: Duration, byService: Duration)] = []
        /// From the call of SetSwitch to the end of the sound.
        var flips: [Duration] = []
        /// From the call of Play to the first frame.
        var starts: [Duration] = []
        /// Round trips to the bus itself meanwhile.
        var bus: [Duration] = []
        /// Pulses that another vibration replaced.
        var replaced = 0
        /// Sounds that another session silenced.
        var silenced = 0
    }

    /// The path of the alarm's session.
    let alarm: String
    private let root: BusClient
    private let ringing: BusClient
    private let motor: BusClient
    private let player: BusClient
    private let request: UInt32
    private let alert: Mutex<UInt32>
    private let sound: PrivateFile
    private let service: ServiceProcess

    /// - Parameter user: Who plays.
    init(_ bus: TestBus, _ service: ServiceProcess, player user: TestUser) async throws {
        self.service = service
        (root, ringing, motor, player) = (
            try BusClient(bus.address), try BusClient(bus.address), try BusClient(bus.address),
            try BusClient(bus.address, as: user)
        )
        sound = try PrivateFile(seconds: 1)
        let long = try PrivateFile(
            SoundFiles.encode(
                PCMBuffer(sampleRate: 8_000, channels: 1, samples: [Int16](repeating: 100, count: 600 * 8_000)),
                container: .wave, codec: .linearPCM(LinearPCM(.signedInteger, bytesPerSample: 2, byteOrder: .little))))
        let options: [String: BusValue] = [
            "name": .string("alarm"), "category": .string("playback"), "options": .strings(["mixWithOthers"]),
            "priority": .int32(200),
        ]
        alarm = try await root.call("CreateSession", [.dictionary(options)])[0].string ?? ""
        _ = try await root.call("Activate", interface: RingerNames.sessionInterface, path: alarm)
        request = try await root.request(
            "Play", [.variant(.descriptor(long.descriptor)), .dictionary(["rounds": .uint32(100)])], path: alarm)
        alert = Mutex(try await Self.ring(ringing))
    }

    /// Begins an alert without a limit, which leaves the motor to the pulses.
    private static func ring(_ client: BusClient) async throws -> UInt32 {
        try await client.request(
            "Alert", [.variant(.uint32(1005)), .dictionary(["limit": .double(0), "way": .string("sound")])])
    }

    /// Whether the alert rings on. Where another one has taken its place, it is begun anew.
    func alertRings() async throws -> Bool {
        let id = alert.withLock { $0 }
        if try await requests().contains(id) { return true }
        let end = await signal("Ended", of: id, to: ringing)
        guard end?[1].string == "stopped", end?[2].string == "replaced" else {
            throw Failure(message: "the alert has ended: \(end ?? [])")
        }
        let next = try await Self.ring(ringing)
        alert.withLock { $0 = next }
        return false
    }

    /// The requests of all programs.
    private func requests() async throws -> [UInt32] {
        try await root.property("Requests")?.elements?.compactMap { $0.elements?.first?.uint32 } ?? []
    }

    /// Waits until nothing runs but the alarm and the alert: an attacker that has left the bus has nothing more.
    func areAlone() async throws -> Bool {
        for _ in 0..<6000 {
            if Set(try await requests()).subtracting([request, alert.withLock { $0 }]).isEmpty { return true }
            try await Task.sleep(for: .milliseconds(20))
        }
        return false
    }

    /// Whether the alarm's sound goes on, in an active session.
    func alarmRings() async throws -> Bool {
        let phase = try await root.call(
            "Get", [.string(RingerNames.sessionInterface), .string("Phase")], interface: BusInterface.properties,
            path: alarm)
        let isPlaying = try await requests().contains(request)
        return phase.first?.contents == .string("active") && isPlaying
    }

    /// Uses the device until `isOver`: a task that was cancelled would get no signal any more.
    func use(until isOver: Flag) async throws -> Times {
        var times = Times()
        // Calls of an attack before this one may wait in the bus.
        try await Task.sleep(for: .seconds(1))
        while !isOver.isRaised {
            async let pulse = vibrate()
            let asked = MonotonicTime.now
            _ = try await root.bus("GetId")
            times.bus.append(.now - asked)
            try await play(&times)
            switch try await pulse {
            case let late?: times.motor.append(late)
            case nil: times.replaced += 1
            }
        }
        return times
    }

    /// How long the thread that ends vibrations has waited for a processor so far.
    private var waited: Duration { ProcessUsage.waited("ringer-device", of: service.process) }

    /// Turns the motor for 1.0 s, and returns how late it stopped; nil where another vibration replaced it, as one may.
    private func vibrate() async throws -> (late: Duration, byService: Duration)? {
        let (called, before) = (MonotonicTime.now, waited)
        let request = try await motor.request("Vibrate", [.string("1000"), .dictionary([:])])
        let end = await signal("Ended", of: request, to: motor)
        // A motor that does not rest for 0.1 s is limited.
        try await Task.sleep(for: .milliseconds(150))
        guard end?[1].string == "finished" else {
            say("    a pulse ended: \(end.map { "\($0)" } ?? "no signal")")
            return nil
        }
        let turns = try await call("MotorTurns")[0].elements ?? []
        let lengths = turns.compactMap { turn -> Duration? in
            guard let start = turn.dictionary?["start"]?.uint64, let end = turn.dictionary?["end"]?.uint64,
                Int64(start) >= called.nanoseconds / 1000
            else { return nil }
            return .microseconds(Int64(end - start))
        }
        let waited = waited - before
        return lengths.last.map { ($0 - .seconds(1), $0 - .seconds(1) - waited) }
    }

    /// Plays a sound, and has the switch silence it.
    private func play(_ times: inout Times) async throws {
        var time = MonotonicTime.now
        let request = try await player.play(.descriptor(sound.descriptor), ["category": .string("ambient")])
        let first = await signal(nil, of: request, to: player) ?? []
        guard first.count == 2, let started = first[1].uint64 else {
            times.silenced += 1
            return
        }
        times.starts.append(MonotonicTime(nanoseconds: Int64(started)) - time)
        time = .now
        _ = try await call("SetSwitch", [.string("silent")])
        let end = await signal("Ended", of: request, to: player)
        if end?[2].string == "ringSilentSwitch", let ended = end?[3].dictionary?["ended"]?.uint64 {
            times.flips.append(MonotonicTime(nanoseconds: Int64(ended)) - time)
        }
        _ = try await call("SetSwitch", [.string("ring")])
    }

    private func call(_ member: String, _ arguments: [BusValue] = []) async throws -> [BusValue] {
        try await root.call(member, arguments, interface: RingerNames.simulatedBoardInterface)
    }

    /// The arguments of the next signal of a request; nil for any member.
    private func signal(_ member: String?, of request: UInt32, to client: BusClient) async -> [BusValue]? {
        for await signal in client.signals
        where signal.arguments.first?.uint32 == request && signal.member == member ?? signal.member {
            return signal.arguments
        }
        return nil
    }
}
