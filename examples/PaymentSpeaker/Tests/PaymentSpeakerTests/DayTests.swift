import Foundation
import PaymentRules
import Ringer
import RingerTestKit
import Testing

@testable import PaymentSpeaker

/// A day of payments in virtual time, in a process of its own, whose memory is counted.
@Suite struct DayTests {
    /// RFC 3339, minutes after ``Scene/noon``.
    static func time(_ minute: Int) -> String {
        func padded(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
        let hour = 12 + minute / 60
        return "2026-11-\(22 + hour / 24)T\(padded(hour % 24)):\(padded(minute % 60)):00Z"
    }

    /// The resident memory of this process.
    static func residentPages() throws -> Int {
        let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return try #require(Int(fields[1]))
    }

    @Test func aDayOfPaymentsIsAnnouncedEachOnceInTheSameMemory() async throws {
        await #expect(processExitsWith: .success) {
            try await Scene.run(now: Scene.sinceNoon, retention: Retention(size: 64 << 10)) { scene in
                scene.board.speaker.recordingLimit = 1
                var pages: [Int] = []
                for minute in stride(from: 0, to: 24 * 60, by: 5) {
                    scene.clock.advance(to: Scene.start + Duration.seconds(60 * minute))
                    await scene.settle()
                    let time = Self.time(minute)
                    for name in ["a\(minute)", "b\(minute)", "a\(minute)"] {
                        try scene.take(Scene.notice(name, time: time))
                    }
                    var outcomes: [Report.Outcome] = []
                    for _ in 0..<3 { outcomes.append(try await scene.report().outcome) }
                    #expect(outcomes.sorted { $0.rawValue < $1.rawValue } == [.announced, .announced, .duplicate])
                    await scene.settle()
                    #expect(scene.speaker.arrivals.isEmpty && scene.clock.pendingTimers == 0 && !scene.hasReport)
                    if minute % 60 == 55 { pages.append(try Self.residentPages()) }
                }
                #expect(scene.speaker.status.announced == 2 * 24 * 12 && scene.speaker.status.problems == [:])
                // What leaks grows in each quarter of the day after its first hour; a new arena of the allocator only in one.
                let growth = [5, 11, 17, 23].map { pages[$0] - pages[$0 - 5] }
                #expect(growth.min()! < 25, "\(growth) pages")
            }
        }
    }
}
