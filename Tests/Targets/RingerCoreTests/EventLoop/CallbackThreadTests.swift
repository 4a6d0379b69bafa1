import RingerCore
import Synchronization
import Testing

@Suite("The callback thread")
struct CallbackThreadTests {
    @Test("user code that blocks delays neither timers nor work of the device's thread")
    func blocked() throws {
        let loop = try EventLoop(name: "test-loop")
        let (timerFired, isOver) = (Latch(), Latch())
        let onOtherThread = Atomic(false)
        loop.execute {
            loop.callBack {
                // It ends only once the device's thread has gone on.
                if timerFired.wait(until: .now + .seconds(60)) {
                    onOtherThread.store(!loop.isCurrentThread, ordering: .relaxed)
                }
                isOver.open()
            }
            _ = loop.schedule(at: loop.now + .milliseconds(1)) { timerFired.open() }
        }
        #expect(isOver.wait(until: .now + .seconds(60)))
        let wasOnOtherThread = onOtherThread.load(ordering: .relaxed)
        #expect(wasOnOtherThread)
        loop.close()
    }

    @Test("user code runs in the order in which it was handed over, one piece at a time")
    func order() throws {
        let loop = try EventLoop(name: "test-loop")
        let isOver = Latch()
        let numbers = Mutex<[Int]>([])
        let atWork = Atomic(0)
        let most = Atomic(0)
        for number in 0..<200 {
            loop.callBack {
                let count = atWork.add(1, ordering: .relaxed).newValue
                most.max(count, ordering: .relaxed)
                numbers.withLock { $0.append(number) }
                atWork.subtract(1, ordering: .relaxed)
                if number == 199 { isOver.open() }
            }
        }
        #expect(isOver.wait(until: .now + .seconds(60)))
        #expect(numbers.withLock { $0 } == Array(0..<200))
        let mostAtOnce = most.load(ordering: .relaxed)
        #expect(mostAtOnce == 1)
        loop.close()
    }

    @Test("what was handed over before and after the loop was closed still runs")
    func closed() throws {
        let loop = try EventLoop(name: "test-loop")
        let (before, after) = (Latch(), Latch())
        loop.callBack { before.open() }
        loop.close()
        #expect(before.wait(until: .now + .seconds(60)))
        loop.sync {}
        loop.callBack { after.open() }
        #expect(after.wait(until: .now + .seconds(60)))
    }
}
