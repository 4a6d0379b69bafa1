import PaymentRules
import Ringer
import RingerTestKit
import Testing

@testable import PaymentSpeaker

// Scenes run one after another.
extension SpeakerTests {
    /// What the switch means, by the policy.
    @Suite struct SwitchTests {
        @Test func announceIsHeardWhateverTheSwitchSays() async throws {
            try await Scene.run(policy: .announce, position: .silent) { scene in
                try scene.take(Scene.notice("a"))
                #expect(try await scene.report().outcome == .announced)
            }
        }

        @Test func whatTheSwitchSilencedIsAnnouncedOnRequestAtRingAndOnlyThen() async throws {
            try await Scene.run(policy: .obey, position: .silent) { scene in
                try scene.take(Scene.notice("a"))
                try scene.take(Scene.notice("b"))
                for _ in 0..<2 {
                    let silenced = try await scene.report()
                    #expect(silenced.outcome == .silenced && silenced.reason == "ringSilentSwitch")
                }
                #expect(scene.speaker.status.unheard == 2)
                #expect(scene.board.statusLight.pattern == .blinking(on: .milliseconds(500), off: .milliseconds(500)))
                // At silent it stays silent.
                scene.pressRepeat()
                await scene.settle()
                scene.board.ringSilent.position = .ring
                scene.clock.advance(by: .seconds(10))
                #expect(scene.board.speaker.recordings.allSatisfy { $0.played == 0 })
                scene.pressRepeat()
                for transaction in ["a", "b"] {
                    let announced = try await scene.report()
                    #expect(announced.transaction == transaction && announced.outcome == .announced)
                    #expect(announced.isRequested && !announced.isRepeated)
                }
                #expect(scene.speaker.status.unheard == 0)
                #expect(scene.board.statusLight.pattern == .off)
            }
        }

        @Test func vibrateIsFeltAtSilent() async throws {
            try await Scene.run(policy: .vibrate, position: .silent) { scene in
                try scene.take(Scene.notice("a"))
                #expect(try await scene.report().outcome == .vibrated)
                #expect(scene.speaker.status.unheard == 1)
                #expect(scene.board.motor.turnCount > 0)
            }
        }

        @Test func thePositionThatSoftwareSetsCountsAsTheSwitchs() async throws {
            try await Scene.run(policy: .vibrate, position: .ring) { scene in
                try await scene.device.setPosition(.silent)
                for transaction in ["a", "b"] {
                    try scene.take(Scene.notice(transaction))
                    let felt = try await scene.report()
                    #expect(felt.outcome == .vibrated && felt.reason == "softwareSilent")
                }
                #expect(scene.board.motor.turnCount == 2)
                // At silent it stays silent, and is not felt again.
                scene.pressRepeat()
                await scene.settle()
                #expect(scene.board.motor.turnCount == 2 && scene.speaker.status.unheard == 2)
                try await scene.device.setPosition(.ring)
                scene.pressRepeat()
                for _ in 0..<2 { #expect(try await scene.report().outcome == .announced) }
            }
        }

        @Test func quietHoursCountAsTheSwitch() async throws {
            try await Scene.run(policy: .vibrate, position: .ring) { scene in
                scene.device.preferences.quietHours = try QuietHours("daily 00:00-00:00")
                try scene.take(Scene.notice("a"))
                let felt = try await scene.report()
                #expect(felt.outcome == .vibrated && felt.reason == "quietHours")
                scene.pressRepeat()
                await scene.settle()
                #expect(scene.board.motor.turnCount == 1 && scene.speaker.status.unheard == 1)
                scene.device.preferences.quietHours = QuietHours()
                scene.pressRepeat()
                #expect(try await scene.report().outcome == .announced)
            }
        }

        @Test func whatWorksAgainIsNoProblem() async throws {
            try await Scene.run(policy: .vibrate, position: .silent) { scene in
                let error = RingerError(.disconnected, "test", "part")
                scene.board.motor.failTurnOn(with: error)
                scene.board.statusLight.fail(with: error)
                scene.board.ringSilent.becomeUnreadable()
                try scene.take(Scene.notice("a"))
                #expect(try await scene.report().outcome == .silenced)
                #expect(scene.speaker.status.problems.keys.sorted() == ["motor", "status light", "switch"])
                scene.board.motor.failTurnOn(with: nil)
                scene.board.statusLight.fail(with: nil)
                scene.board.ringSilent.becomeReadable()
                try scene.take(Scene.notice("b"))
                #expect(try await scene.report().outcome == .vibrated)
                #expect(scene.speaker.status.problems == [:])
            }
        }

        @Test func aSwitchThatIsMovedWhileTheSpeakerStartsHasItsNewPosition() async throws {
            try await Scene.run { scene in
                // The light is shown first when the speaker starts.
                scene.board.statusLight.fail(with: RingerError(.disconnected, "test", "light"))
                scene.speaker.reportProblem = { [board = scene.board] _ in board.ringSilent.position = .silent }
                await scene.settle()
                #expect(scene.speaker.status.position == .silent)
            }
        }

        @Test func anAnnouncementThatTheSwitchCutsOffCountsAsSilenced() async throws {
            try await Scene.run(policy: .obey) { scene in
                try scene.take(Scene.notice("a"))
                _ = scene.clock.schedule(at: scene.clock.now + .milliseconds(100)) { [board = scene.board] in
                    board.ringSilent.position = .silent
                }
                #expect(try await scene.report().outcome == .silenced)
            }
        }
    }
}
