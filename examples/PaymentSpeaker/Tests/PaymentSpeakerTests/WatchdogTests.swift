import Ringer
import RingerTestKit
import Testing

@testable import PaymentSpeaker

// Scenes run one after another.
extension SpeakerTests {
    @Suite struct WatchdogTests {
        @PaymentActor final class Log {
            var reports: [Duration] = []
        }

        @Test func reportsFollowInTimeAlsoDuringAnnouncements() async throws {
            try await Scene.run(now: Scene.sinceNoon) { scene in
                let log = Log()
                // A child, so that it runs where the scene does.
                async let watchdog: Void = Watchdog.run(scene.device, within: .seconds(2)) {
                    log.reports.append(scene.clock.now - Scene.start)
                }
                for number in 0..<10 { try scene.take(Scene.notice("\(number)")) }
                try await scene.advance { log.reports.count == 5 }
                for (one, next) in zip(log.reports, log.reports.dropFirst()) { #expect(next - one < .seconds(1.5)) }
                #expect(scene.hasReport)
                // The device's end is its end.
                scene.device.close()
                _ = try? await watchdog
            }
        }
    }
}
