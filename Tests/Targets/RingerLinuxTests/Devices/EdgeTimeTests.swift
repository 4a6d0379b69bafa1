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

    /// A timestamp, what both clocks show when it is read, and the edge's time.
    private static let edges: [(stamp: Int64, monotonic: Int64, realtime: Int64, time: Int64)] = [
        (today - 5_000, 100 * second, today, 100 * second - 5_000),
        (100 * second - 5_000, 100 * second, today, 100 * second - 5_000),
        // Without a clock chip both clocks begin at 0.
        (20 * second - 5_000, 20 * second, 20 * second, 20 * second - 5_000),
        (today - 5_000, 30 * second, today, 30 * second - 5_000),
        // From before the clock was set, read afterwards.
        (30 * second - 5_000, 30 * second, today, 30 * second - 5_000),
        // Stamped before the time of day was set back by an hour: no edge is of the future.
        (today + 3_600 * second - 5_000, 100 * second, today, 100 * second),
    ]

    @Test("an edge has its time on the monotonic clock, whichever clock stamped it, and however the other one was set")
    func time() {
        for edge in Self.edges {
            #expect(ringer_gpio_edge_time(edge.stamp, edge.monotonic, edge.realtime) == edge.time, "\(edge)")
        }
    }
}
