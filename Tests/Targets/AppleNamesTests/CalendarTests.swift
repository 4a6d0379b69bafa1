import ProcessDevice
import RingerLinux
import RingerTestKit
import Testing
import UserNotifications

extension AppleNames {
    /// Notifications at dates of the wall clock, which tests set.
    @Suite @MainActor struct Calendars {
        private let bench: ProcessBench
        private let center = UNUserNotificationCenter.current()
        private let calendar: Calendar

        init() throws {
            center.removeAllPendingNotificationRequests()
            bench = try ProcessBench()
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
            self.calendar = calendar
        }

        /// Sets the wall clock: "2026-05-01 07:00".
        private func set(_ date: String) throws {
            let date = try Date("\(date.replacing(" ", with: "T")):00Z", strategy: .iso8601)
            bench.clock.setWallTime(.seconds(date.timeIntervalSince1970))
        }

        private func add(
            _ parts: DateComponents, repeats: Bool = false, as identifier: String = "one"
        ) async throws {
            let content = UNMutableNotificationContent()
            content.sound = .default
            var parts = parts
            if parts.calendar == nil { parts.calendar = calendar }
            let trigger = UNCalendarNotificationTrigger(dateMatching: parts, repeats: repeats)
            try await center.add(UNNotificationRequest(identifier: identifier, content: content, trigger: trigger))
        }

        /// How many were delivered.
        private var delivered: Int { bench.board.speaker.recordingCount }

        private func pending() async -> Int { await center.pendingNotificationRequests().count }

        // It came once more: the time until it was due had been computed before the clock was set.
        @Test func `A date comes once, though the clock is set back behind it`() async throws {
            try set("2026-05-01 07:00")
            try await add(DateComponents(hour: 8))
            bench.clock.advance(by: .seconds(3_600) - .microseconds(1))
            #expect(delivered == 0)
            bench.clock.advance(by: .microseconds(1))
            #expect(delivered == 1)
            try set("2026-05-01 07:30")
            bench.clock.advance(by: .seconds(86_400 * 2))
            #expect(delivered == 1)
            #expect(await pending() == 0)
        }

        @Test func `A date that repeats does not come twice where the clock is set back, and comes the next day`()
            async throws
        {
            try set("2026-05-01 07:00")
            try await add(DateComponents(hour: 8), repeats: true)
            bench.clock.advance(by: .seconds(3_600))
            for time in ["07:00", "07:59", "01:00"] {
                try set("2026-05-01 \(time)")
                bench.clock.advance(by: .seconds(7_200))
                #expect(delivered == 1, "\(time)")
            }
            try set("2026-05-02 07:59")
            bench.clock.advance(by: .seconds(60))
            #expect(delivered == 2)
            // More than a day: another time has begun.
            try set("2020-05-02 07:59")
            bench.clock.advance(by: .seconds(60))
            #expect(delivered == 3)
        }

        // 15:00 alone had been delivered, by a wrong clock: the others were left out until then.
        @Test func `Dates that were not delivered come, though the clock is set back behind one that was`() async throws
        {
            try set("2026-05-01 14:50")
            try await add(DateComponents(minute: 0), repeats: true)
            bench.clock.advance(by: .seconds(900))
            #expect(delivered == 1)
            try set("2026-05-01 07:02")
            for hour in 1...7 {
                bench.clock.advance(by: .seconds(3_600))
                #expect(delivered == 1 + hour)
            }
            bench.clock.advance(by: .seconds(3_600))
            #expect(delivered == 8, "15:00 again")
            bench.clock.advance(by: .seconds(3_600))
            #expect(delivered == 9)
        }

        // It came as much later as the clock was set forward.
        @Test func `Where the clock is set forward beyond dates, they come at once, and once`() async throws {
            try set("2026-05-01 07:00")
            try await add(DateComponents(hour: 8), repeats: true)
            try await add(DateComponents(hour: 9), as: "other")
            try set("2026-05-01 08:30")
            bench.clock.advance()
            #expect(delivered == 1)
            bench.clock.advance(by: .seconds(10))
            try set("2026-05-07 08:30")
            // One is heard after the other.
            bench.clock.advance(by: .seconds(10))
            #expect(delivered == 3)
            #expect(await pending() == 1)
            bench.clock.advance(by: .seconds(86_400 - 1_811))
            #expect(delivered == 3)
            bench.clock.advance(by: .seconds(1))
            #expect(delivered == 4)
        }

        @Test func `A date that has not come yet follows the clock, forward and back`() async throws {
            try set("2026-05-01 07:00")
            try await add(DateComponents(hour: 8))
            for time in ["07:45", "02:00", "07:15"] { try set("2026-05-01 \(time)") }
            bench.clock.advance(by: .seconds(2_699))
            #expect(delivered == 0)
            bench.clock.advance(by: .seconds(1))
            #expect(delivered == 1)
        }

        @Test func `Before the clock is set for the first time no date comes, and then it counts from there`()
            async throws
        {
            for unset in ["1970-01-01 00:00", "2000-01-01 00:00"] {
                let before = delivered
                try set(unset)
                try await add(DateComponents(hour: 8), repeats: true)
                try await add(DateComponents(year: 2026, month: 4, day: 30), as: "gone by then")
                try await add(DateComponents(year: 2026, month: 5, day: 2), as: "to come")
                bench.clock.advance(by: .seconds(86_400))
                #expect(delivered == before)
                try set("2026-05-01 08:30")
                bench.clock.advance(by: .seconds(3_600))
                #expect(delivered == before)
                #expect(await pending() == 2)
                bench.clock.advance(by: .seconds(86_400))
                #expect(delivered == before + 2)
                center.removeAllPendingNotificationRequests()
            }
        }

        @Test func `A date that the machine slept through comes when it wakes`() async throws {
            try set("2026-05-01 07:00")
            try await add(DateComponents(hour: 8))
            bench.clock.sleep(for: .seconds(7_200))
            bench.clock.advance()
            #expect(delivered == 1)
        }

        @Test func `An interval is one of the monotonic clock, whatever the other is set to`() async throws {
            let content = UNMutableNotificationContent()
            content.sound = .default
            let trigger = UNTimeIntervalNotificationTrigger(timeInterval: 60, repeats: false)
            try await center.add(UNNotificationRequest(identifier: "one", content: content, trigger: trigger))
            for date in ["2026-05-01 07:00", "2030-01-01 00:00", "1970-01-01 00:00"] { try set(date) }
            bench.clock.advance(by: .seconds(59))
            #expect(delivered == 0)
            bench.clock.advance(by: .seconds(1))
            #expect(delivered == 1)
        }

        // They waited for the next request that was added.
        @Test func `Where another device is in use, it carries out what is pending`() async throws {
            // Every virtual clock begins at 2026-01-01 00:16:40.
            try await add(DateComponents(hour: 1))
            let content = UNMutableNotificationContent()
            content.sound = .default
            for (name, repeats) in [("once", false), ("again", true)] {
                let trigger = UNTimeIntervalNotificationTrigger(timeInterval: 60, repeats: repeats)
                try await center.add(UNNotificationRequest(identifier: name, content: content, trigger: trigger))
            }
            bench.clock.advance(by: .seconds(20))
            let other = try ProcessBench()
            // Those of the device before come no more.
            bench.clock.advance(by: .seconds(7_200))
            #expect(delivered == 0 && other.board.speaker.recordingCount == 0)
            #expect(await pending() == 3)
            other.clock.advance(by: .seconds(40) - .microseconds(1))
            #expect(other.board.speaker.recordingCount == 0)
            other.clock.advance(by: .seconds(2_560))
            #expect(other.board.speaker.recordingCount == 44)
            other.clock.advance(by: .microseconds(1))
            #expect(other.board.speaker.recordingCount == 45)
            #expect(await pending() == 1)
            center.removeAllPendingNotificationRequests()
        }

        @Test(arguments: [("2026-03-28", 2), ("2026-10-24", 2)])
        func `Where summer time begins or ends, a time of day comes once a day`(first: String, hour: Int) async throws {
            var local = calendar
            local.timeZone = try #require(TimeZone(identifier: "Europe/Berlin"))
            try set("\(first) 12:00")
            try await add(DateComponents(calendar: local, hour: hour, minute: 30), repeats: true)
            for days in 1...4 {
                bench.clock.advance(by: .seconds(86_400))
                #expect(delivered == days)
            }
        }

        @Test func `A request that is removed or replaced does not come, and those due together come in order`()
            async throws
        {
            try set("2026-05-01 07:00")
            let notes = Notes()
            let delegate = Presenter(notes)
            center.delegate = delegate
            defer { center.delegate = nil }
            for hour in [9, 8] { try await add(DateComponents(hour: hour), as: "at \(hour)") }
            try await add(DateComponents(hour: 8), as: "removed")
            try await add(DateComponents(hour: 8), as: "replaced")
            try await add(DateComponents(hour: 10), as: "replaced")
            center.removePendingNotificationRequests(withIdentifiers: ["removed"])
            try set("2026-05-01 09:30")
            try await eventually { notes.all.count == 2 }
            bench.clock.advance(by: .seconds(1_800))
            try await eventually { notes.all.count == 3 }
            #expect(
                notes.all == [
                    "at 8, 2026-05-01T09:30:00Z", "at 9, 2026-05-01T09:30:00Z", "replaced, 2026-05-01T10:00:00Z",
                ])
        }

        /// Notes what is presented, and when.
        private final class Presenter: UNUserNotificationCenterDelegate {
            private let notes: Notes

            init(_ notes: Notes) { self.notes = notes }

            func userNotificationCenter(
                _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
                withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
            ) {
                notes.add("\(notification.request.identifier), \(notification.date.formatted(.iso8601))")
                completionHandler([])
            }
        }
    }
}
