import RingerPolicy
import Testing

@Suite("The presses of a button")
struct PressDetectorTests {
    private static func at(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: 5_000_000_000 + milliseconds * 1_000_000)
    }

    /// The milliseconds at which presses count, of a button whose contact closes and opens by turns at these milliseconds. Timers
    /// are called when they are due, with `latency`.
    private func presses(
        _ edges: [Int64], _ button: PositionButton = .init(), isDown: Bool = false, latency: Duration = .zero,
        until end: Int64 = 1_000_000
    ) -> [Int64] {
        var detector = PressDetector(button)
        var counted: [MonotonicTime?] = [detector.handle(.found(isDown: isDown))]
        for (index, edge) in edges.enumerated() {
            if let deadline = detector.deadline, deadline + latency <= Self.at(edge) {
                counted.append(detector.handle(.timer(at: deadline + latency)))
            }
            counted.append(detector.handle(.changed(isDown: (index % 2 == 0) != isDown, at: Self.at(edge))))
        }
        if let deadline = detector.deadline, deadline + latency <= Self.at(end) {
            counted.append(detector.handle(.timer(at: deadline + latency)))
        }
        #expect(detector.deadline == nil)
        return counted.compactMap { $0 }.map { ($0.nanoseconds - 5_000_000_000) / 1_000_000 }
    }

    @Test("a press counts when the button is down, once however long it is held")
    func press() {
        #expect(presses([0, 50, 1_000, 1_001, 2_000]) == [0, 1_000, 2_000])
    }

    @Test("a press within the debounce time of the last release is the one before")
    func bounces() {
        #expect(presses([0, 1, 2, 3, 4, 100, 101, 102, 103, 500]) == [0])
        #expect(presses([0, 4, 8, 12]) == [0])
        #expect(presses([0, 4, 14, 20]) == [0, 14])
        #expect(presses([0, 4, 33, 34], .init(debounce: .milliseconds(30))) == [0])
        #expect(presses([0, 0, 0, 0], .init(debounce: .zero)) == [0, 0])
    }

    @Test("a button that is down at the start counts from its next press on")
    func heldAtStart() {
        #expect(presses([10, 300], isDown: true) == [300])
        #expect(presses([], isDown: true) == [])
        #expect(presses([5_000], .init(longPress: .milliseconds(600)), isDown: true) == [])
    }

    @Test("a long press counts when its time is reached, a shorter one never", arguments: [Duration.zero, .seconds(3)])
    func long(latency: Duration) {
        let button = PositionButton(longPress: .milliseconds(600))
        #expect(presses([0, 599, 1_000, 1_600, 2_000, 2_601], button, latency: latency) == [1_600, 2_600])
        // It is stuck.
        #expect(presses([0], button, latency: latency) == [600])
        // It bounces at both ends, and in between.
        #expect(presses([0, 1, 2, 300, 305, 598, 599, 700, 702, 705], button, latency: latency) == [600])
        #expect(presses([0, 300, 320, 900], button, latency: latency) == [])
    }

    @Test("a repeated state, an early timer and a loss count nothing")
    func nothing() {
        var detector = PressDetector(.init(longPress: .milliseconds(600)))
        #expect(detector.handle(.changed(isDown: false, at: Self.at(0))) == nil)
        #expect(detector.handle(.changed(isDown: true, at: Self.at(1))) == nil)
        #expect(detector.handle(.changed(isDown: true, at: Self.at(500))) == nil)
        #expect(detector.handle(.timer(at: Self.at(600))) == nil)
        #expect(detector.deadline == Self.at(601))
        #expect(detector.handle(.lost) == nil)
        #expect(detector.deadline == nil)
        #expect(detector.handle(.timer(at: Self.at(601))) == nil)
        // It is back, and still down.
        #expect(detector.handle(.found(isDown: true)) == nil)
        #expect(detector.handle(.timer(at: Self.at(9_000))) == nil)
        #expect(detector.handle(.changed(isDown: false, at: Self.at(9_001))) == nil)
        #expect(detector.handle(.changed(isDown: true, at: Self.at(9_002))) == nil)
    }

    @Test("where edges were lost, a long press has its whole time before it again")
    func missed() {
        var detector = PressDetector(.init(longPress: .milliseconds(600)))
        _ = detector.handle(.changed(isDown: true, at: Self.at(0)))
        _ = detector.handle(.missed(at: Self.at(500)))
        #expect(detector.handle(.timer(at: Self.at(1_099))) == nil)
        #expect(detector.handle(.timer(at: Self.at(1_100))) == Self.at(1_100))
        _ = detector.handle(.missed(at: Self.at(1_200)))
        #expect(detector.deadline == nil)
    }

    @Test("toggle goes from ring to silent and back, cycle by way of vibrate")
    func order() {
        typealias Order = PositionButton.Order
        let positions: [SwitchPosition?] = [nil, .ring, .vibrate, .silent]
        #expect(positions.map(Order.toggle.position) == [.silent, .silent, .ring, .ring])
        #expect(positions.map(Order.cycle.position) == [.vibrate, .vibrate, .silent, .ring])
    }
}
