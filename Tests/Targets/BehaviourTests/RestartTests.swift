import Glibc
import Ringer
import RingerDaemon
import RingerTestKit
import ServiceSupport
import Synchronization
import Testing

@testable import RingerClient

/// What a program sees of its device while the service is killed and started again.
@Suite(.timeLimit(.minutes(5))) struct RestartTests {
    /// A program, and the service that it uses, which keeps the preferences in a file.
    private final class Bench: Sendable {
        let bus: TestBus
        let clock = VirtualClock()
        let preferences: PreferencesFile
        let device: Device
        let session: AudioSession
        /// How each request ended, by its name.
        let ends = Results<(name: String, outcome: String)>()
        private let running: Mutex<ServiceBench>

        init() async throws {
            bus = try TestBus()
            preferences = PreferencesFile(path: "/tmp/ringer-restart-\(getpid())-\(UInt32.random(in: 0 ... .max))")
            let service = try ServiceBench(clock: clock, preferencesFile: preferences, bus: bus)
            running = Mutex(service)
            device = try await Device.connect(to: .address(bus.address), clock: clock)
            session = try device.sessions.make(name: "music", category: .playback, options: .mixWithOthers)
            service.settle(with: device)
        }

        deinit {
            device.close()
            unlink(preferences.path)
        }

        var service: ServiceBench { running.withLock { $0 } }

        /// Kills the service, and starts it again on the same hardware.
        func restart() async throws {
            let position = service.board.ringSilent.position
            service.crash()
            while device.state.isSwitchConnected { await Task.yield() }
            let next = try ServiceBench(clock: clock, preferencesFile: preferences, bus: bus)
            next.board.ringSilent.position = position
            running.withLock { $0 = next }
            while !device.state.isSwitchConnected { await Task.yield() }
            next.settle(with: device)
            advance(.zero)
        }

        func advance(_ duration: Duration) {
            clock.advance(by: duration)
            service.settle()
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
        Step { $0.service.board.ringSilent.position = .silent },
        Step(begins: ["ambient", "playback"]) { bench in
            try bench.device.start(tone, category: .ambient) { bench.end("ambient", $0.outcome) }
            try bench.device.start(tone, category: .playback, options: .mixWithOthers) {
                bench.end("playback", $0.outcome)
            }
        },
        Step { $0.service.board.ringSilent.position = .ring },
        Step { bench in
            var preferences = bench.device.preferences
            preferences.vibrateOnRing = false
            bench.device.preferences = preferences
            bench.advance(.zero)
            // What is being written while the service is killed may be lost.
            while bench.preferences.read({ _ in }) != preferences { await Task.yield() }
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
            bench.advance(.milliseconds(100))
        }
        if restart == Self.steps.count { try await bench.restart() }
        bench.advance(.seconds(60))

        let begun = Self.steps.flatMap(\.begins)
        #expect(bench.ends.all.map(\.name).sorted() == begun.sorted())
        #expect(bench.device.state.ringSilent == .ring && !bench.device.preferences.vibrateOnRing)
        #expect(bench.service.device.preferences == bench.device.preferences)
        #expect(bench.session.isActive)
        #expect(bench.service.device.sessions.all.filter(\.isActive).map(\.name) == ["music"])
        #expect(bench.service.board.statusLight.pattern == .on)
        #expect(!bench.service.board.motor.isOn && bench.service.board.speaker.playing.isEmpty)
        bench.session.start(Self.tone) { bench.end("last", $0.outcome) }
        bench.advance(.seconds(1))
        #expect(bench.ends.all.last?.outcome == "\(SoundOutcome.finished)")
        bench.device.close()
        return Dictionary(bench.ends.all.map { ($0.name, $0.outcome) }) { first, _ in first }
    }

    @Test("whenever the service is killed and started again, each request ends once, and nothing that was set is lost")
    func anyTwoSteps() async throws {
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
}
