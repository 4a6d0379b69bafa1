import RingerPolicy
import RingerServices
import RingerTestKit
import Testing

@Suite("The states of a device")
struct DeviceStatesTests {
    @Test("a subscriber that waits is told the next state, and so is every other")
    func waiting() async throws {
        let bench = try PlayerBench()
        var first = bench.store.states.makeAsyncIterator()
        var second = bench.store.states.makeAsyncIterator()
        #expect(await first.next()?.ringSilent == .ring)
        #expect(await second.next()?.ringSilent == .ring)
        async let firstNext = first.next()?.ringSilent
        async let secondNext = second.next()?.ringSilent
        bench.board.ringSilent.position = .silent
        #expect(await [firstNext, secondNext] == [.silent, .silent])
    }

    @Test("the newest state comes before the end, and after the end nothing")
    func end() async throws {
        let bench = try PlayerBench()
        bench.store.finish()
        var states = bench.store.states.makeAsyncIterator()
        #expect(await states.next()?.ringSilent == .ring)
        #expect(await states.next() == nil)
        #expect(await states.next() == nil)
    }

    @Test("the end wakes a subscriber that waits")
    func endWhileWaiting() async throws {
        let bench = try PlayerBench()
        let count = Task {
            var count = 0
            for await _ in bench.store.states { count += 1 }
            return count
        }
        bench.store.finish()
        #expect(await count.value == 1)
    }

    @Test("cancelling its task ends a subscription, whenever it comes", arguments: 0..<50)
    func cancellation(round: Int) async throws {
        let bench = try PlayerBench()
        let task = Task {
            for await _ in bench.store.states { for _ in 0..<round { await Task.yield() } }
        }
        for _ in 0..<(round % 7) { await Task.yield() }
        if round.isMultiple(of: 3) { bench.board.ringSilent.position = .silent }
        task.cancel()
        await task.value
        // The others do not notice.
        var states = bench.store.states.makeAsyncIterator()
        #expect(await states.next() != nil)
    }

    @Test("no subscriber misses the last of many states, on however many threads they come and go")
    func many() async throws {
        let bench = try PlayerBench()
        await withTaskGroup(of: SwitchPosition?.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for await state in bench.store.states where state.ringSilent == .vibrate { return .vibrate }
                    return nil
                }
            }
            for _ in 0..<200 {
                bench.board.ringSilent.position = .silent
                bench.board.ringSilent.position = .ring
            }
            bench.board.ringSilent.position = .vibrate
            for await position in group { #expect(position == .vibrate) }
        }
    }
}
