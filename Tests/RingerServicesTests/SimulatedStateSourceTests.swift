import RingerServices
import RingerTestKit
import Synchronization
import Testing

@Suite("The simulated board's state")
struct SimulatedStateSourceTests {
    // Each change used to wrap the handler once more, until a call of it went deeper than the stack.
    @Test("it may be changed any number of times")
    func manyChanges() throws {
        let source = SimulatedStateSource()
        let count = Atomic(0)
        try source.start { _ in count.add(1, ordering: .relaxed) }
        for step in 0..<200_000 { source.set(.screenLocked(step.isMultiple(of: 2))) }
        #expect(count.load(ordering: .relaxed) == 200_000)
        source.close()
        source.set(.screenLocked(true))
        #expect(count.load(ordering: .relaxed) == 200_000)
    }
}
