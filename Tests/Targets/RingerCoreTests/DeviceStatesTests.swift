import RingerPolicy
import RingerCore
import RingerTestKit
import Testing

@Suite("The states of a device")
struct DeviceStatesTests {
    @Test("every subscriber that waits gets the next state")
    func waiting() throws {
        let bench = try PlayerBench()
        let executor = ManualExecutor()
        let seen = Record<SwitchPosition?>()
        let subscribers = (0..<2).map { _ in
            Task(executorPreference: executor) {
                for await state in bench.publisher.states { seen.append(state.ringSilent) }
            }
        }
        defer { executor.end(subscribers) }
        executor.run()
        // Both have the state that was there, and wait.
        #expect(seen.all == [.ring, .ring])
        bench.board.ringSilent.position = .silent
        executor.run()
        #expect(seen.all == [.ring, .ring, .silent, .silent])
    }

    @Test("the newest state comes before the end, and after the end nothing")
    func end() async throws {
        let bench = try PlayerBench()
        bench.publisher.finish()
        var states = bench.publisher.states.makeAsyncIterator()
        #expect(await states.next()?.ringSilent == .ring)
        #expect(await states.next() == nil)
        #expect(await states.next() == nil)
    }

    @Test(
        "the end, or cancelling its task, ends a subscription that waits, and one that never ran",
        arguments: [true, false], [true, false])
    func endWhileWaiting(waits: Bool, isCancelled: Bool) throws {
        let bench = try PlayerBench()
        let executor = ManualExecutor()
        let counts = Record<Int>()
        let subscriber = Task(executorPreference: executor) {
            var count = 0
            for await _ in bench.publisher.states { count += 1 }
            counts.append(count)
        }
        defer { executor.end([subscriber]) }
        if waits { executor.run() }
        #expect(counts.all.isEmpty)
        if isCancelled { executor.end([subscriber]) } else { bench.publisher.finish() }
        executor.run()
        // Who never ran has the newest state before the end.
        #expect(counts.all == [isCancelled && !waits ? 0 : 1])
    }

    @Test("cancelling its task ends a subscription, whenever it comes", arguments: 0..<50)
    func cancellation(round: Int) async throws {
        let bench = try PlayerBench()
        let task = Task {
            for await _ in bench.publisher.states { for _ in 0..<round { await Task.yield() } }
        }
        for _ in 0..<(round % 7) { await Task.yield() }
        if round.isMultiple(of: 3) { bench.board.ringSilent.position = .silent }
        task.cancel()
        await task.value
        // The others do not notice.
        var states = bench.publisher.states.makeAsyncIterator()
        #expect(await states.next() != nil)
    }

    @Test("no subscriber misses the last of many states, on however many threads they come and go")
    func many() async throws {
        let bench = try PlayerBench()
        let (arrivals, arrived) = AsyncStream<Void>.makeStream()
        await withTaskGroup(of: SwitchPosition?.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var isFirst = true
                    for await state in bench.publisher.states {
                        if isFirst { arrived.yield() }
                        isFirst = false
                        if state.ringSilent == .vibrate { return .vibrate }
                    }
                    return nil
                }
            }
            // Each has the first state, and waits for the next or is about to: the flips race with that.
            var waiting = 0
            for await _ in arrivals {
                waiting += 1
                if waiting == 8 { break }
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
