import Glibc
import Ringer
import RingerDaemon
import RingerTestKit
import ServiceSupport
import Synchronization
import Testing

@testable import RingerClient

/// What a program sees of its device while the service is killed and started again.
@Suite struct RestartTests {
    /// A program, and the service that it uses, which keeps the preferences in a file.
    private final class Bench: Sendable {
        let service: any RestartedService
        let clock = VirtualClock()
        let device: Device
        let session: AudioSession
        /// How each request ended, by its name.
        let ends = Results<(name: String, outcome: String)>()
        private let position = Mutex(SwitchPosition.ring)
        private let kind: Kind

        init(_ kind: Kind) async throws {
            self.kind = kind
            switch kind {
            case .sameProcess: service = try ServiceInProcess(clock)
            case .ownProcess, .ownProcessInMidStep: service = try ServiceOfItsOwn(clock)
            }
            try await service.start()
            device = try await Device.connect(to: .address(service.bus.address), clock: clock)
            session = try device.sessions.make(name: "music", category: .playback, options: .mixWithOthers)
            service.settle(with: device)
        }

        deinit {
            device.close()
        }

        /// Kills the service, and starts it again on the same hardware.
        func restart() async throws {
            let wasActive = session.isActive
            service.kill()
            if kind == .ownProcessInMidStep {
                // While the device finds it, it is killed again.
                try await service.start()
                service.kill()
            }
            try await eventually("the service is lost") { !device.state.isSwitchConnected }
            try await service.start()
            try await service.move(to: position.withLock { $0 })
            try await eventually("the service is found") { device.state.isSwitchConnected }
            service.settle(with: device)
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

    /// How the service runs, and when it is killed.
    enum Kind: String, Sendable {
        case sameProcess = "in the test's process, when all has settled"
        case ownProcess = "as a process of its own, when all has settled"
        case ownProcessInMidStep = "as a process of its own, while messages are on their way"
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
    private func outcomes(_ kind: Kind, restartBefore restart: Int?) async throws -> [String: String] {
        let bench = try await Bench(kind)
        for (index, step) in Self.steps.enumerated() {
            if index == restart { try await bench.restart() }
            try await step.perform(bench)
            if index + 1 == restart, kind == .ownProcessInMidStep { continue }
            try await bench.advance(.milliseconds(100))
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
    func anyTwoSteps() async throws { try await restartBeforeEachStep(.sameProcess) }

    @Test("so it is with a process", arguments: [Kind.ownProcess, .ownProcessInMidStep])
    func process(_ kind: Kind) async throws { try await restartBeforeEachStep(kind) }

    private func restartBeforeEachStep(_ kind: Kind) async throws {
        let undisturbed = try await outcomes(kind, restartBefore: nil)
        var failed = 0
        for restart in 0...Self.steps.count {
            let outcomes = try await outcomes(kind, restartBefore: restart)
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
