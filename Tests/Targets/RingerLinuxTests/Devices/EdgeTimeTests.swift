import CGPIOD
import Testing

@Suite("The time of a GPIO edge, on kernels whose timestamps are of either clock")
struct EdgeTimeTests {
    private static let second: Int64 = 1_000_000_000
    /// 2026.
    private static let today = 1_790_000_000 * second

    @Test(
        "the kernel's version decides where it can",
        arguments: [
            ("5.7.0", true), ("5.10.160-rockchip", true), ("6.1.192", true), ("10.0", true), ("5.7-rc1", true),
            ("5.6.19", false), ("4.19.0-27-amd64", false), ("3.18", false), ("", false), ("linux", false),
        ])
    func version(_ release: String, _ isMonotonic: Bool) {
        #expect(ringer_gpio_stamps_are_monotonic(release) == isMonotonic)
    }

    @Test("an edge stamped with the time of day is an edge of the monotonic clock's time")
    func realtime() {
        let now = 100 * Self.second
        #expect(ringer_gpio_edge_time(Self.today - 5_000, now, Self.today) == now - 5_000)
        #expect(ringer_gpio_edge_time(now - 5_000, now, Self.today) == now - 5_000)
    }

    @Test("edges are timed right before and after a clock that began at 1970 is set")
    func clockIsSet() {
        // Without a clock chip both clocks begin at 0.
        let early = 20 * Self.second
        #expect(ringer_gpio_edge_time(early - 5_000, early, early) == early - 5_000)
        let later = 30 * Self.second
        #expect(ringer_gpio_edge_time(Self.today - 5_000, later, Self.today) == later - 5_000)
        // An edge from before the clock was set, read afterwards.
        #expect(ringer_gpio_edge_time(later - 5_000, later, Self.today) == later - 5_000)
    }

    @Test("no edge is of the future, however the clock was set")
    func setBack() {
        let now = 100 * Self.second
        let hour = 3_600 * Self.second
        // Stamped before the time of day was set back by an hour.
        #expect(ringer_gpio_edge_time(Self.today + hour - 5_000, now, Self.today) == now)
    }
}
