import Foundation
import Glibc
import ProcessDevice
import RingerLinux
import RingerTestKit
import Testing
import UserNotifications

extension RealTime {
    /// Dates, while the kernel's clock is set.
    @Suite struct WallClockTests {
        /// Sets the clock back when it is let go of.
        private final class OwnClock {
            private let wall = OwnClock.now(CLOCK_REALTIME)
            private let monotonic = OwnClock.now(CLOCK_MONOTONIC)

            deinit {
                var time = timespec(tv_sec: wall + OwnClock.now(CLOCK_MONOTONIC) - monotonic, tv_nsec: 0)
                clock_settime(CLOCK_REALTIME, &time)
            }

            private static func now(_ clock: clockid_t) -> Int {
                var time = timespec()
                clock_gettime(clock, &time)
                return time.tv_sec
            }
        }

        private let ownClock = OwnClock()

        private func setClock(to seconds: Int) throws {
            var time = timespec(tv_sec: seconds, tv_nsec: 0)
            guard clock_settime(CLOCK_REALTIME, &time) == 0 else { throw LabFailure.system("clock_settime") }
        }

        private func add(_ identifier: String, at date: Int) async throws {
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
            let start = 1_777_618_800
            try setClock(to: start)
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
            try setClock(to: start + 7_200)
            try await until(1, board)
            try setClock(to: start)
            // By itself.
            try await add("second", at: start + 2)
            try await until(2, board)
            // The clock comes to the first one's date again, and then to this one's.
            try await add("third", at: start + 3_602)
            try setClock(to: start + 3_599)
            try await until(3, board)
            let left = await UNUserNotificationCenter.current().pendingNotificationRequests()
            #expect(left.isEmpty)
        }

        @Test("a timer of the wall clock is called when the clock is set, forward or back, and when it is due")
        func timer() async throws {
            let loop = try EventLoop(name: "lab-wall")
            defer { loop.close() }
            let start = 1_777_618_800
            try setClock(to: start)
            for (date, clock) in [(3_600, 7_200), (10_000, 5_000), (1 << 40, 6_000), (6_001, nil)] as [(Int, Int?)] {
                let told = Probe<Duration>(loop)
                _ = loop.schedule(atWallTime: .seconds(start + date)) { told.tell(loop.wallTime) }
                if let clock { try setClock(to: start + clock) }
                let time = try await told.next()
                #expect(time >= .seconds(start + (clock ?? date)))
            }
        }
    }
}
