import Ringer
import RingerTestKit
import Testing

@testable import PaymentSpeaker

// Scenes run one after another.
extension SpeakerTests {
    @Suite struct HealthTests {
        @Test func healthSaysWhatAFleetWatches() async throws {
            let directory = try TemporaryDirectory()
            try await Scene.run(
                position: .vibrate, ledger: directory.path + "/payments.sqlite", now: Scene.sinceNoon
            ) { scene in
                await scene.settle()
                scene.board.surroundings.set(.outputVolume(0.25))
                scene.device.setRoute(.headphone)
                for number in 0..<3 { try scene.take(Scene.notice("\(number)")) }
                await scene.settle()
                let health = scene.speaker.health
                #expect(health.status.position == .vibrate && health.status.volume == 0.25)
                #expect(health.status.route == .headphone && health.clock == .set)
                #expect(health.status.queue == 3)
                #expect(try #require(health.ledger) > 0)
                for _ in 0..<3 { _ = try await scene.report() }
                #expect(scene.speaker.status.queue == 0)
                // It is over, and stays the last one.
                scene.board.statusLight.fail(with: RingerError(.disconnected, "test", "light"))
                try scene.take(Scene.notice("dark"))
                _ = try await scene.report()
                #expect(scene.speaker.status.problems.keys.sorted() == ["status light"])
                scene.board.statusLight.fail(with: nil)
                try scene.take(Scene.notice("light"))
                _ = try await scene.report()
                #expect(scene.speaker.status.problems == [:])
                #expect(scene.speaker.status.lastError?.contains("light") == true)
                scene.clock.advance(by: .seconds(100) - (scene.clock.now - Scene.start))
                let object = try #require(JSONObject(scene.speaker.health.json(uptime: scene.speaker.uptime).utf8))
                #expect(object.string("version")?.hasPrefix("0.2.0") == true)
                #expect(object.string("switch") == "vibrate" && object.string("route") == "headphone")
                #expect(scene.speaker.uptime == .seconds(100))
            }
        }

        @Test func theQueueOfAProcessThatEndedIsCounted() async throws {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/payments.sqlite"
            for expected in [5, 4] {
                try await Scene.run(ledger: path, now: Scene.sinceNoon) { scene in
                    if expected == 5 { for number in 0..<5 { try scene.take(Scene.notice("\(number)")) } }
                    await scene.settle()
                    #expect(scene.speaker.status.queue == expected)
                    _ = try await scene.report()
                    #expect(scene.speaker.status.queue == expected - 1)
                }
            }
        }

        @Test func healthSaysThatTheClockIsMissing() async throws {
            try await Scene.run(now: { _ in nil }, clockPatience: .seconds(60)) { scene in
                #expect(scene.speaker.health.clock == .waiting)
                try scene.take(Scene.notice("a"))
                _ = try await scene.report()
                #expect(scene.speaker.health.clock == .unset)
            }
        }
    }
}
