/// The least that Swift firmware has: an actor and a task. It waits, as firmware waits for its switch.
@main
struct Empty {
    actor Counter {
        private var count = 0

        func add() -> Int {
            count += 1
            return count
        }
    }

    static func main() async {
        let counter = Counter()
        let task = Task { await counter.add() }
        _ = await task.value
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        for await _ in stream {}
        continuation.finish()
    }
}
