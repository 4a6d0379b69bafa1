import Glibc
import Synchronization
import SystemPackage
import Testing

@testable import RingerCore

@Suite("Detached threads")
struct DetachedThreadTests {
    @Test(
        "a thread under SCHED_BATCH or SCHED_IDLE starts threads with the same policy: without rights it cannot set another",
        arguments: [3, 5])  // SCHED_BATCH and SCHED_IDLE of <linux/sched.h>
    func keepsPolicy(policy: CInt) throws {
        let found = Mutex<Result<CInt, Errno>?>(nil)
        let isOver = Latch()
        try DetachedThread.start(stackSize: DetachedThread.workStackSize) {
            defer { isOver.open() }
            var parameters = sched_param()
            guard sched_setscheduler(0, policy, &parameters) == 0 else { return }
            let isStarted = Latch()
            do throws(Errno) {
                try DetachedThread.start(stackSize: DetachedThread.workStackSize) {
                    found.withLock { $0 = .success(sched_getscheduler(0)) }
                    isStarted.open()
                }
                isStarted.wait()
            } catch {
                found.withLock { $0 = .failure(error) }
            }
        }
        isOver.wait()
        #expect(try found.withLock { try $0?.get() } == policy)
    }
}
