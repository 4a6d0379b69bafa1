import Glibc
import RingerLinux
import RingerDaemon
import RingerTestKit
import ServiceSupport
import Synchronization
import Testing

@testable import RingerClient

/// What a program sees of its device while the service, a process of its own, is killed and started again.
@Suite struct RestartTests {
    /// A program, and the service that it uses.
    private final class Bench: Sendable {
        let service: RestartedService
        let clock = VirtualClock()
        let device: Device
        let session: AudioSession
        /// How each request ended, by its name.
        let ends = Results<(name: String, outcome: String)>()
        private let position = Mutex(SwitchPosition.ring)

        init() async throws {
            service = try RestartedService(clock)
            try await service.start()
            device = try await Device.connect(to: .address(service.bus.address), clock: clock)
            session = try device.sessions.make(name: "music", category: .playback, options: .mixWithOthers)
        }

        deinit {
            device.close()
        }

        /// Kills the service while messages are on their way, again while the device finds it, and starts it on the same
        /// hardware.
        func restart() async throws {
            let wasActive = session.isActive
            service.kill()
            try await service.start()
            service.kill()
            try await eventually("the service is lost") { !device.state.isSwitchConnected }
            try await service.start()
            try await service.move(to: position.withLock { $0 })
            try await eventually("the service is found") { device.state.isSwitchConnected }
            try await advance(.zero)
            try await eventually("the session is active again") { session.isActive == wasActive }
        }

        func advance(_ duration: Duration) async throws {
            try await service.advance(duration, with: device)
        }

        func flip(to new: SwitchPosition) async throws {
            position.withLock { $0 = new }
            try await service.move(to: new)
        }

        func end(_ name: String, _ outcome: some Any) { ends.append((name, "\(outcome)")) }
    }

    /// A step, and the names of the requests that it begins.
    private struct Step: Sendable {
        var begins: [String] = []
        var perform: @Sendable (Bench) async throws -> Void
    }

    private static let tone = PCMBuffer(sampleRate: 8_000, channels: 1, samples: [Int16](repeating: 7, count: 2_400))

    private static let steps: [Step] = [
        Step { try await $0.session.activate() },
        Step(begins: ["in the session"]) { bench in
            bench.session.start(tone) { bench.end("in the session", $0.outcome) }
        },
        Step { try await $0.flip(to: .silent) },
        Step(begins: ["ambient", "playback"]) { bench in
            try bench.device.start(tone, category: .ambient) { bench.end("ambient", $0.outcome) }
            try bench.device.start(tone, category: .playback, options: .mixWithOthers) {
                bench.end("playback", $0.outcome)
            }
        },
        Step { try await $0.flip(to: .ring) },
        Step { bench in
            var preferences = bench.device.preferences
            preferences.vibrateOnRing = false
            bench.device.preferences = preferences
            try await bench.advance(.zero)
            // What is being written while the service is killed may be lost.
            try await eventually("the preferences are written") { bench.service.storedPreferences == preferences }
        },
        Step(begins: ["system sound"]) { bench in
            bench.device.sounds.start(1007) { bench.end("system sound", $0.outcome) }
        },
        Step(begins: ["vibration"]) { bench in
            bench.device.vibrator?.start(try VibrationPattern(milliseconds: "300")) { bench.end("vibration", $0) }
        },
        Step { try $0.device.statusLight?.show(.on) },
        Step(begins: ["alert"]) { bench in
            bench.device.alerts.start(1005, limit: .seconds(2)) { bench.end("alert", $0.outcome) }
        },
        Step { $0.device.alerts.stop() },
        Step(begins: ["notification"]) { bench in
            bench.device.notifications.start(.standard, in: nil) { bench.end("notification", $0.outcome) }
        },
        Step(begins: ["announcement 1", "announcement 2"]) { bench in
            for name in ["announcement 1", "announcement 2"] {
                try bench.device.announcements.add(Announcement(tone, options: .mixWithOthers)) {
                    bench.end(name, $0.outcome)
                }
            }
        },
    ]

    /// Performs the steps, with a restart before one of them.
    private func outcomes(restartBefore restart: Int?) async throws -> [String: String] {
        let bench = try await Bench()
        for (index, step) in Self.steps.enumerated() {
            if index == restart { try await bench.restart() }
            try await step.perform(bench)
            if index + 1 != restart { try await bench.advance(.milliseconds(100)) }
        }
        if restart == Self.steps.count { try await bench.restart() }
        try await bench.advance(.seconds(10))

        let begun = Self.steps.flatMap(\.begins)
        #expect(bench.ends.all.map(\.name).sorted() == begun.sorted())
        #expect(bench.device.state.ringSilent == .ring && !bench.device.preferences.vibrateOnRing)
        #expect(bench.session.isActive)
        try await bench.service.checkRest(with: bench.device)
        bench.session.start(Self.tone) { bench.end("last", $0.outcome) }
        try await bench.advance(.seconds(1))
        #expect(bench.ends.all.last?.outcome == "\(SoundOutcome.finished)")
        bench.device.close()
        return Dictionary(bench.ends.all.map { ($0.name, $0.outcome) }) { first, _ in first }
    }

    @Test("whenever the service is killed and started again, each request ends once, and nothing that was set is lost")
    func process() async throws {
        let undisturbed = try await outcomes(restartBefore: nil)
        var failed = 0
        for restart in 0...Self.steps.count {
            let outcomes = try await outcomes(restartBefore: restart)
            let later = Self.steps.dropFirst(restart).flatMap(\.begins)
            // What began afterwards ends as it does without a restart; what began before may have failed with it.
            for (name, outcome) in outcomes where outcome != undisturbed[name] {
                failed += 1
                #expect(
                    outcome.contains("disconnected") && !later.contains(name),
                    "restarted before step \(restart): \(name) ended with \(outcome), not \(undisturbed[name] ?? "")")
            }
        }
        #expect(failed > 5)
    }

    /// Begins one request of each kind, each of which has an end.
    private func begin(on device: Device, _ session: AudioSession, _ ends: Results<(name: String, outcome: String)>) {
        func request(_ name: String, _ wait: @escaping @Sendable () async throws -> Any?) {
            Task {
                do { ends.append((name, "\(try await wait() ?? "")")) } catch { ends.append((name, "\(error)")) }
            }
        }
        request("play") { await device.sounds.play(1007).outcome }
        request("alert") { await device.sounds.playAlert(1005).outcome }
        request("vibrate") { await device.vibrate(.standard) }
        request("announce") { try await device.announcements.announce(Announcement(Self.tone)).outcome }
        request("activate") { try await session.activate() }
        request("session") { await session.play(Self.tone).outcome }
        request("detect") { await device.muteDetector.measure().verdict }
    }

    // An announcement that could not begin waits, as beside a call.
    @Test(
        "whatever is requested while the service is killed ends before the next one; announcements are played by that one"
    )
    func killedMeanwhile() async throws {
        let bus = try TestBus()
        let observer = try BusClient(bus.address)
        var service = try ServiceProcess(bus, isRealTime: true)
        try await service.serves(observer)
        let device = try await Device.connect(to: .address(bus.address))
        let session = try device.sessions.make(name: "music", category: .playback, options: .mixWithOthers)
        for round in 0..<12 {
            // Some begin before the device has found the service, some when it has.
            if round % 3 > 0 { try await eventually("the service is found") { device.state.isSwitchConnected } }
            let ends = Results<(name: String, outcome: String)>()
            begin(on: device, session, ends)
            for _ in 0..<round % 4 { _ = try await observer.property("Requests") }
            kill(service.process, SIGKILL)
            try await eventually("all but the announcement have ended") {
                ends.all.count { $0.name != "announce" } == 6
            }
            try await eventually("the service is lost") { !device.state.isSwitchConnected }
            let late = try await device.announcements.announce(Announcement(Self.tone, expiry: .milliseconds(10)))
            #expect(late.outcome == .stopped(.expired))
            service = try ServiceProcess(bus, isRealTime: true)
            try await service.serves(observer)
            try await eventually("the announcement has ended") { ends.all.count == 7 }
            let announced = ends.all.first { $0.name == "announce" }?.outcome ?? ""
            #expect(announced == "finished" || announced.contains("disconnected"), "\(announced)")
        }
        device.close()
    }
}
