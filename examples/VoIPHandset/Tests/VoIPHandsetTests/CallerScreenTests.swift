import Ringer
import Testing

@testable import VoIPHandset

@Suite("Handset: who may ring")
struct CallerScreenTests {
    private let door = Caller(user: "door", host: "example.org", source: "192.0.2.7")
    private let stranger = Caller(user: "mallory", host: "example.net", source: "198.51.100.9")

    private func at(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }

    @Test("A known caller is matched by its name or by its address")
    func matches() throws {
        for text in [
            "door@example.org", "door@EXAMPLE.org", "*@example.org", "192.0.2.7", "192.0.2.0/24", "192.0.2.6/31",
            "0.0.0.0/0",
        ] {
            #expect(try #require(KnownCaller(text)).matches(door), "\(text)")
        }
        for text in [
            "Door@example.org", "door@example.net", "*@example", "192.0.2.8", "192.0.3.0/24", "192.0.2.8/31", "::/0",
            "2001:db8::7",
        ] {
            #expect(try #require(KnownCaller(text)).matches(door) == false, "\(text)")
        }
        let six = Caller(user: "", host: "example.org", source: "2001:db8::7")
        #expect(try #require(KnownCaller("2001:db8::/32")).matches(six))
        // Without a name, it is nobody of that host.
        #expect(try #require(KnownCaller("*@example.org")).matches(six) == false)
    }

    @Test(
        "What is no caller is refused",
        arguments: [
            "", "@", "door@", "@example.org", "example.org", "192.0.2.0/33", "192.0.2.0/", "192.0.2/24", "::/129", "/8",
        ])
    func refused(_ text: String) {
        #expect(KnownCaller(text) == nil)
    }

    @Test("Without rules everybody rings; with known callers, strangers do not")
    func known() throws {
        var open = CallerScreen(rules: .init())
        #expect(open.judge(stranger, at: at(0)) == .admitted)
        var screen = CallerScreen(rules: .init(known: [try #require(KnownCaller("192.0.2.7"))]))
        #expect(screen.judge(door, at: at(0)) == .admitted && screen.judge(stranger, at: at(0)) == .forbidden)
    }

    @Test("So many strangers ring in a time, whatever they call themselves; known callers are not counted")
    func strangers() throws {
        var screen = CallerScreen(
            rules: .init(
                known: [try #require(KnownCaller("door@example.org"))],
                strangers: .init(calls: 2, period: .seconds(60))))
        #expect(screen.judge(stranger, at: at(0)) == .admitted)
        #expect(screen.judge(Caller(user: "a", host: "b", source: "203.0.113.1"), at: at(20)) == .admitted)
        for second in 20..<60 {
            let retry = Duration.seconds(60 - second)
            #expect(screen.judge(stranger, at: at(Int64(second))) == .tooMany(retryAfter: retry))
            #expect(screen.judge(door, at: at(Int64(second))) == .admitted)
        }
        // The first one's time is over; those that were refused do not count.
        #expect(screen.judge(stranger, at: at(60)) == .admitted)
        #expect(screen.judge(stranger, at: at(61)) == .tooMany(retryAfter: .seconds(19)))
    }
}
