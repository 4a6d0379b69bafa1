import RingerCore
import Testing

@testable import RingerLinux

@Suite struct SleepDetectorTests {
    /// A reading of clocks that differ by `difference`, which took `length` in all.
    private func reading(at now: Int64, difference: Int64, taking length: Int64 = 100) -> ClockReading {
        ClockReading(before: now, after: now + length, sinceBoot: now + length / 2 + difference)
    }

    /// A detector that expectations can use: they evaluate nothing that changes a value.
    private final class Detector {
        private var detector: SleepDetector

        init(_ reading: ClockReading) {
            detector = SleepDetector(reading)
        }

        func slept(_ reading: ClockReading) -> Duration? { detector.slept(until: reading) }
    }

    @Test("clocks that advance together mean no sleep, however long it was")
    func awake() {
        let detector = Detector(reading(at: 0, difference: 5_000))
        for now: Int64 in [1, 1_000, 1_000_000_000, 900_000_000_000_000] {
            #expect(detector.slept(reading(at: now, difference: 5_000)) == nil)
        }
    }

    @Test("a sleep is reported once, its length within the accuracy of the readings")
    func slept() throws {
        let detector = Detector(reading(at: 0, difference: 0))
        let found = detector.slept(reading(at: 10_000, difference: 3_000_000_000))
        let slept = try #require(found)
        #expect(slept <= .seconds(3) && slept >= .seconds(3) - .nanoseconds(200))
        #expect(detector.slept(reading(at: 20_000, difference: 3_000_000_000)) == nil)
        #expect(detector.slept(reading(at: 30_000, difference: 4_000_000_000)) != nil)
    }

    @Test("a thread that was held up between the clocks is no sleep, before or after the other clock was read")
    func heldUp() {
        let detector = Detector(reading(at: 0, difference: 0))
        let late = ClockReading(before: 1_000, after: 2_000_000_000, sinceBoot: 1_050)
        let early = ClockReading(before: 3_000_000_000, after: 5_000_000_000, sinceBoot: 5_000_000_000)
        #expect(detector.slept(late) == nil)
        #expect(detector.slept(early) == nil)
        #expect(detector.slept(reading(at: 6_000_000_000, difference: 0)) == nil)
        // Inexact readings do not widen the range that exact ones found.
        #expect(detector.slept(reading(at: 7_000_000_000, difference: 1_000)) != nil)
    }

    @Test("a first reading that was vague is made exact by the next")
    func vagueFirst() {
        let detector = Detector(ClockReading(before: 0, after: 1_000_000_000, sinceBoot: 500_000_000))
        #expect(detector.slept(reading(at: 2_000_000_000, difference: 0)) == nil)
        #expect(detector.slept(reading(at: 3_000_000_000, difference: 1_000_000)) != nil)
    }

    @Test("this machine's clocks, read again and again, show no sleep")
    func thisMachine() {
        let detector = Detector(.now)
        for _ in 0..<1_000 { #expect(detector.slept(.now) == nil) }
    }
}
