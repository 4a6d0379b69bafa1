import Ringer
import RingerTestKit
import Testing

@testable import PaymentSpeaker

// Scenes run one after another.
extension SpeakerTests {
    /// The mixer's volume, and the volume of quiet hours.
    @Suite struct VolumeTests {
        // It was reported as announced, and nothing said that nobody had heard it.
        @Test func whatTheMixerMakesInaudibleIsUnheardUntilItIsTurnedUp() async throws {
            try await Scene.run { scene in
                await scene.settle()
                scene.board.surroundings.set(.outputVolume(0))
                try scene.take(Scene.notice("a"))
                let silenced = try await scene.report()
                #expect(silenced.outcome == .silenced && silenced.reason == "volumeZero")
                #expect(scene.speaker.status.unheard == 1 && scene.speaker.status.announced == 0)
                #expect(scene.speaker.status.problems.keys.sorted() == ["volume"])
                // At 0 it stays unheard.
                scene.pressRepeat()
                scene.clock.advance(by: .seconds(10))
                await scene.settle()
                #expect(!scene.hasReport && scene.speaker.status.unheard == 1)
                scene.board.surroundings.set(.outputVolume(0.5))
                await scene.settle()
                #expect(scene.speaker.status.problems == [:])
                scene.pressRepeat()
                let announced = try await scene.report()
                #expect(announced.outcome == .announced && announced.isRequested)
                #expect(scene.speaker.status.unheard == 0)
            }
        }

        @Test(arguments: [(0, 1), (1, 0)])
        func aVolumeOfZeroAtEitherEndOfAnAnnouncementCutsItOff(before: Float, after: Float) async throws {
            try await Scene.run { scene in
                await scene.settle()
                scene.board.surroundings.set(.outputVolume(before))
                try scene.take(Scene.notice("a"))
                _ = scene.clock.schedule(at: scene.clock.now + .milliseconds(100)) { [board = scene.board] in
                    board.surroundings.set(.outputVolume(after))
                }
                #expect(try await scene.report().outcome == .silenced)
            }
        }

        @Test func aVolumeOfZeroIsFeltWhereTheSwitchWouldBe() async throws {
            try await Scene.run(policy: .vibrate) { scene in
                await scene.settle()
                scene.board.surroundings.set(.outputVolume(0))
                try scene.take(Scene.notice("a"))
                #expect(try await scene.report().outcome == .vibrated)
                #expect(scene.board.motor.turnCount == 1)
            }
        }

        @Test func aBoardWithoutAMixerIsHeard() async throws {
            try await Scene.run { scene in
                scene.board.surroundings.set(.outputVolume(nil))
                try scene.take(Scene.notice("a"))
                #expect(try await scene.report().outcome == .announced)
                #expect(scene.speaker.status.problems == [:])
            }
        }

        @Test func theVolumeDependsOnTheTimeOfDay() async throws {
            try await Scene.run { scene in
                scene.clock.setWallTime(.microseconds(Scene.noon.microseconds))
                scene.device.preferences.quietHours = try QuietHours("daily 12:00-13:00 volume=0.25")
                try scene.take(Scene.notice("soft"))
                #expect(try await scene.report().outcome == .announced)
                #expect(scene.speaker.status.quietHoursVolume == 0.25)
                scene.clock.setWallTime(.microseconds(Scene.noon.microseconds) + .seconds(3600))
                try scene.take(Scene.notice("loud"))
                #expect(try await scene.report().outcome == .announced)
                #expect(scene.speaker.status.quietHoursVolume == nil)
                #expect(scene.board.speaker.recordings.map(\.gains) == [[0.25], [1]])
                // At 0 nothing is heard, and the light says so.
                scene.device.preferences.quietHours = try QuietHours("daily 12:00-14:00 volume=0")
                try scene.take(Scene.notice("none"))
                let silenced = try await scene.report()
                #expect(silenced.outcome == .silenced && silenced.reason == "volumeZero")
                #expect(scene.speaker.status.unheard == 1)
            }
        }

        @Test func aPersonMovesASimulatedBoard() async throws {
            try await Scene.run(policy: .obey) { scene in
                var complaints: [String] = []
                let console = Console(board: scene.board) { complaints.append($0) }
                for line in ["position silent", "", "position loud", "volume 2", "volume", "quiet", "repeat twice"] {
                    console.obey(line)
                }
                #expect(complaints.count == 5)
                try scene.take(Scene.notice("a"))
                #expect(try await scene.report().outcome == .silenced)
                console.obey("position ring")
                console.obey("volume 0.5")
                console.obey("repeat")
                #expect(try await scene.report().outcome == .announced)
                #expect(scene.speaker.status.volume == 0.5 && complaints.count == 5)
            }
        }
    }
}
