import RingerLinux
import RingerCore
import RingerTestKit
import Synchronization
import Testing

@Suite struct DebouncerTests {
    @Test("a change is reported once it stood for the duration, with its edge's timestamp")
    func change() {
        let contacts = Contacts(level: false, duration: .milliseconds(10))
        contacts.go(to: true, after: .milliseconds(3))
        contacts.wait(.microseconds(9_999))
        #expect(contacts.changes == [])
        contacts.wait(.microseconds(1))
        #expect(contacts.changes == [.init(true, at: .milliseconds(3), told: .milliseconds(13))])
    }

    @Test("a burst of bounces is one change, with the stamp of its last edge")
    func burst() {
        let contacts = Contacts(level: false, duration: .milliseconds(10))
        for _ in 0..<5 {
            contacts.go(to: true, after: .milliseconds(1))
            contacts.go(to: false, after: .milliseconds(1))
        }
        contacts.go(to: true, after: .milliseconds(1))
        contacts.wait(.seconds(1))
        #expect(contacts.changes == [.init(true, at: .milliseconds(11), told: .milliseconds(21))])
    }

    @Test("a burst that ends where it began is no change")
    func bounceBack() {
        let contacts = Contacts(level: true, duration: .milliseconds(10))
        contacts.go(to: false, after: .milliseconds(1))
        contacts.go(to: true, after: .microseconds(9_999))
        contacts.wait(.seconds(1))
        #expect(contacts.changes == [])
    }

    @Test("contacts that bounce again within the duration start it anew, however long it takes")
    func longBurst() {
        let contacts = Contacts(level: false, duration: .milliseconds(10))
        for edge in 1...101 { contacts.go(to: edge % 2 == 1, after: .microseconds(9_999)) }
        #expect(contacts.changes == [])
        contacts.wait(.milliseconds(10))
        let last = Duration.microseconds(9_999 * 101)
        #expect(contacts.changes == [.init(true, at: last, told: last + .milliseconds(10))])
    }

    @Test("a thousand flips are a thousand changes, in order")
    func flips() {
        let contacts = Contacts(level: false, duration: .milliseconds(10))
        for flip in 1...1_000 { contacts.go(to: flip % 2 == 1, after: .milliseconds(10)) }
        contacts.wait(.seconds(1))
        let expected = (1...1_000).map { flip in
            let at = Duration.milliseconds(10 * flip)
            return Contacts.Change(flip % 2 == 1, at: at, told: at + .milliseconds(10))
        }
        #expect(contacts.changes == expected)
    }

    @Test("edges that are read late are judged by their stamps")
    func lateReading() {
        var debouncer = Debouncer(level: false, duration: .milliseconds(10))
        var changes: [Debouncer<Bool>.Action] = []
        for edge in [(true, 0), (false, 2), (true, 3), (false, 13), (true, 40), (false, 41)] {
            changes += debouncer.handle(.edge(edge.0, at: .milliseconds(edge.1))).filter { $0.isChange }
        }
        #expect(
            changes == [
                .changed(true, at: .milliseconds(3)), .changed(false, at: .milliseconds(13)),
            ])
    }

    // The queue of kernel ABI v1 holds 16 edges and drops the newest without a word.
    @Test("a level that no edge accounts for settles from the time at which it was read")
    func lostEdge() {
        let contacts = Contacts(level: false, duration: .milliseconds(10))
        contacts.go(to: true, after: .milliseconds(1))
        contacts.go(to: false, after: .milliseconds(1), isSeen: false)
        contacts.wait(.milliseconds(5))
        contacts.go(to: true, after: .zero, isSeen: false)
        contacts.go(to: false, after: .milliseconds(3), isSeen: false)
        contacts.wait(.seconds(1))
        // Read at 11 ms: low, as it was before.
        #expect(contacts.changes == [])

        contacts.go(to: true, after: .zero)
        contacts.go(to: false, after: .milliseconds(1))
        contacts.go(to: true, after: .milliseconds(1), isSeen: false)
        contacts.wait(.seconds(1))
        let last = Duration.milliseconds(1_010 + 1)
        #expect(
            contacts.changes == [
                .init(true, at: last + .milliseconds(10), told: last + .milliseconds(20))
            ])
    }

    @Test("after edges were missed, the level before them is not believed to have lasted")
    func missed() {
        var debouncer = Debouncer(level: false, duration: .milliseconds(10))
        _ = debouncer.handle(.edge(true, at: .milliseconds(0)))
        #expect(debouncer.handle(.missed) == [])
        let actions = debouncer.handle(.edge(false, at: .milliseconds(50)))
        #expect(actions == [.schedule(at: .milliseconds(60))])
        #expect(debouncer.handle(.timer(at: .milliseconds(60))) == [.readLevel])
        #expect(debouncer.handle(.level(false, at: .milliseconds(60))) == [])
    }

    @Test("an early timer, or one that was replaced, does nothing")
    func staleTimer() {
        var debouncer = Debouncer(level: false, duration: .milliseconds(10))
        #expect(debouncer.handle(.timer(at: .milliseconds(0))) == [])
        _ = debouncer.handle(.edge(true, at: .milliseconds(0)))
        _ = debouncer.handle(.edge(false, at: .milliseconds(5)))
        #expect(debouncer.handle(.timer(at: .milliseconds(10))) == [])
        #expect(debouncer.handle(.timer(at: .milliseconds(15))) == [.readLevel])
        #expect(debouncer.handle(.timer(at: .milliseconds(15))) == [])
    }

    @Test("without a duration each edge is a change at once, and the level is read again after it")
    func noDuration() {
        var debouncer = Debouncer(level: false, duration: .milliseconds(-1))
        #expect(
            debouncer.handle(.edge(true, at: .milliseconds(1))) == [
                .changed(true, at: .milliseconds(1)), .schedule(at: .milliseconds(1)),
            ])
        #expect(debouncer.handle(.edge(true, at: .milliseconds(2))) == [.schedule(at: .milliseconds(2))])
        #expect(debouncer.handle(.timer(at: .milliseconds(3))) == [.readLevel])
        #expect(
            debouncer.handle(.level(false, at: .milliseconds(3))) == [
                .changed(false, at: .milliseconds(3)), .schedule(at: .milliseconds(3)),
            ])
    }

    @Test("a slider that passes through 0 reports only the position at which it arrives")
    func slider() {
        var debouncer = Debouncer<Int32?>(level: 2, duration: .milliseconds(50))
        _ = debouncer.handle(.edge(0, at: .milliseconds(0)))
        #expect(debouncer.handle(.edge(1, at: .milliseconds(30))) == [.schedule(at: .milliseconds(80))])
        #expect(debouncer.handle(.timer(at: .milliseconds(80))) == [.readLevel])
        #expect(debouncer.handle(.level(1, at: .milliseconds(80))) == [.changed(1, at: .milliseconds(30))])
    }
}

extension Debouncer.Action {
    fileprivate var isChange: Bool {
        if case .changed = self { return true }
        return false
    }
}

extension MonotonicTime {
    fileprivate static func milliseconds(_ count: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64(count) * 1_000_000)
    }
}

/// Contacts with a debouncer on the test's clock.
private final class Contacts: Sendable {
    struct Change: Hashable, CustomStringConvertible {
        var level: Bool
        var at: Duration
        var told: Duration

        init(_ level: Bool, at: Duration, told: Duration) {
            self.level = level
            self.at = at
            self.told = told
        }

        var description: String { "\(level) at \(at), told at \(told)" }
    }

    private struct State {
        var debouncer: Debouncer<Bool>
        var level: Bool
        var changes: [Change] = []
    }

    private let clock = VirtualClock(start: MonotonicTime(nanoseconds: 0))
    private let state: Mutex<State>

    init(level: Bool, duration: Duration) {
        state = Mutex(State(debouncer: Debouncer(level: level, duration: duration), level: level))
    }

    var changes: [Change] { state.withLock { $0.changes } }

    /// Lets `time` pass, then moves the contacts; the debouncer gets the edge unless it is lost.
    func go(to level: Bool, after time: Duration, isSeen: Bool = true) {
        wait(time)
        state.withLock { $0.level = level }
        if isSeen { send(.edge(level, at: clock.now)) }
    }

    func wait(_ time: Duration) {
        clock.advance(by: time)
    }

    private func send(_ event: Debouncer<Bool>.Event) {
        for action in state.withLock({ $0.debouncer.handle(event) }) {
            switch action {
            case .schedule(let at):
                _ = clock.schedule(at: at) { self.send(.timer(at: self.clock.now)) }
            case .readLevel:
                send(.level(state.withLock { $0.level }, at: clock.now))
            case .changed(let level, let at):
                let told = clock.now
                let origin = MonotonicTime(nanoseconds: 0)
                state.withLock { $0.changes.append(Change(level, at: at - origin, told: told - origin)) }
            }
        }
    }
}
