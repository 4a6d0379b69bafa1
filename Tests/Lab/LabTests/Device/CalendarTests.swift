import Foundation
import ProcessDevice
import RingerLinux
import RingerTestKit
import Testing
import UserNotifications

extension RealTime {
    /// Dates of notifications, while the kernel's clock is set.
    @Suite struct CalendarTests {
        private let wallClock = WallClock()

        private func add(_ identifier: String, at date: Int64) async throws {
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
            var parts = calendar.dateComponents(
                [.year, .month, .day, .hour, .minute, .second], from: Date(timeIntervalSince1970: Double(date)))
            parts.calendar = calendar
            let content = UNMutableNotificationContent()
            content.sound = .default
            try await UNUserNotificationCenter.current().add(
                UNNotificationRequest(
                    identifier: identifier, content: content,
                    trigger: UNCalendarNotificationTrigger(dateMatching: parts, repeats: false)))
        }

        private func until(_ count: Int, _ board: SimulatedBoard) async throws {
            for _ in 0..<6_000 {
                guard board.speaker.recordingCount < count else { break }
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(board.speaker.recordingCount == count)
        }

        @Test(
            "a notification's date comes once, at once where the clock is set beyond it, and not again when it is set back"
        )
        func calendar() async throws {
            let start: Int64 = 1_777_618_800
            try wallClock.set(to: start)
            let (board, loop) = try SimulatedBoard.inRealTime()
            let device = try Device.simulated(board)
            defer {
                ProcessDevice.use(nil)
                device.close()
                loop.close()
            }
            ProcessDevice.use(device)
            // An hour later it was due, by the clock that was not told.
            try await add("first", at: start + 3_600)
            try wallClock.set(to: start + 7_200)
            try await until(1, board)
            try wallClock.set(to: start)
            // By itself.
            try await add("second", at: start + 2)
            try await until(2, board)
            // The clock comes to the first one's date again, and then to this one's.
            try await add("third", at: start + 3_602)
            try wallClock.set(to: start + 3_599)
            try await until(3, board)
            let left = await UNUserNotificationCenter.current().pendingNotificationRequests()
            #expect(left.isEmpty)
        }
    }
}
