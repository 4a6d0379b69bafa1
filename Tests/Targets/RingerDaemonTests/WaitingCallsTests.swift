import RingerBus
import Testing

/// The calls that wait for their turn, as a value.
@Suite struct WaitingCallsTests {
    private let caller = BusCaller(user: 1000)

    private func order(_ calls: inout WaitingCalls<String>) -> [String] {
        var order: [String] = []
        while let next = calls.next() { order.append(next.call) }
        return order
    }

    // A call of another program was answered after the 10,000 that somebody had sent before.
    @Test("a program's call waits for one of each other program, however many those have sent before")
    func turns() {
        var calls = WaitingCalls<String>()
        for number in 1...30 { _ = calls.add("a\(number)", size: 1, of: ":1.1", by: caller) }
        for number in 1...30 { _ = calls.add("b\(number)", size: 1, of: ":1.2", by: caller) }
        _ = calls.add("c1", size: 1, of: ":1.3", by: caller)
        #expect(order(&calls).prefix(6) == ["a1", "b1", "c1", "a2", "b2", "a3"])
        #expect(!calls.hasNext)
    }

    @Test("the calls of a program wait until the bus has said who it is, and hold up nobody")
    func strangers() {
        var calls = WaitingCalls<String>()
        #expect(calls.add("a1", size: 1, of: ":1.1", by: nil).mustAsk)
        #expect(!calls.add("a2", size: 1, of: ":1.1", by: nil).mustAsk)
        _ = calls.add("b1", size: 1, of: ":1.2", by: caller)
        #expect(order(&calls) == ["b1"])
        calls.know(":1.1", as: caller)
        calls.know(":1.1", as: nil)
        #expect(calls.next()?.caller == caller)
        #expect(order(&calls) == ["a2"])
        // It has left the bus.
        _ = calls.add("d1", size: 1, of: ":1.4", by: nil)
        calls.know(":1.4", as: nil)
        let last = calls.next()
        #expect(last?.call == "d1" && last?.caller == nil)
    }

    // Each program that the bus had yet to identify could have a gigabyte kept.
    @Test("where calls take too much memory, the newest of those who have taken the most have no place")
    func memory() {
        var calls = WaitingCalls<String>(mostMemory: 100)
        for number in 1...9 { #expect(calls.add("a\(number)", size: 10, of: ":1.1", by: caller).refused == []) }
        #expect(calls.add("b1", size: 20, of: ":1.2", by: nil).refused == ["a9"])
        let large = calls.add("c1", size: 200, of: ":1.3", by: nil)
        #expect(large.refused == ["c1"] && !large.mustAsk)
        #expect(calls.add("b2", size: 20, of: ":1.2", by: nil).refused == ["a8", "a7"])
        calls.know(":1.2", as: caller)
        #expect(order(&calls) == ["a1", "b1", "a2", "b2", "a3", "a4", "a5", "a6"])
        // What has gone takes nothing.
        for number in 1...10 { #expect(calls.add("a\(number)", size: 10, of: ":1.1", by: caller).refused == []) }
    }

    // Where nobody's calls had a descriptor left, everybody's were refused.
    @Test("where descriptors are used up, the newest call of the program with the most is refused, and no other's")
    func descriptors() {
        var calls = WaitingCalls<String>()
        _ = calls.add("b1", size: 90, of: ":1.2", by: caller)
        for number in 1...3 { _ = calls.add("a\(number)", size: 10, of: ":1.1", by: nil) }
        #expect(calls.removeNewest() == "a3")
        #expect(calls.removeNewest() == "a2")
        // As many calls, which take less memory.
        _ = calls.add("c1", size: 100, of: ":1.3", by: caller)
        #expect(calls.removeNewest() == "c1")
        calls.know(":1.1", as: caller)
        #expect(order(&calls).sorted() == ["a1", "b1"])
        #expect(calls.removeNewest() == nil)
    }
}
