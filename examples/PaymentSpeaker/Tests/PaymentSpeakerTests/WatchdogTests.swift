import Ringer
import RingerTestKit
import Testing

@testable import PaymentSpeaker

// Scenes run one after another.
extension SpeakerTests {
    @Suite struct WatchdogTests {
        @Test func reportsFollowInTimeAlsoDuringAnnouncements() async throws {
            try await Scene.run(now: Scene.sinceNoon) { scene in
                var reports: [Duration] = []
                let watchdog = Task {
                    try await Watchdog.run(scene.device, within: .seconds(2)) {
                        reports.append(scene.clock.now - Scene.start)
                    }
                }
                for number in 0..<10 { try scene.take(Scene.notice("\(number)")) }
                try await scene.advance { reports.count == 5 }
                for (one, next) in zip(reports, reports.dropFirst()) { #expect(next - one < .seconds(1.5)) }
                #expect(scene.hasReport)
                watchdog.cancel()
                _ = await watchdog.result
            }
        }
    }
}
