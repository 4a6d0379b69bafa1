import Glibc
import RingerLinux
import Synchronization

/// When sounds started.
final class Starts: Sendable {
    private let time = Mutex<MonotonicTime?>(nil)

    var newest: MonotonicTime? { time.withLock { $0 } }

    func note(_ new: MonotonicTime) { time.withLock { $0 = new } }

    func forget() { time.withLock { $0 = nil } }
}

/// Waits for a completion on another thread.
final class Semaphore: Sendable {
    // SAFETY: a POSIX semaphore is made for several threads; it is freed after the last of them dropped it.
    nonisolated(unsafe) private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(semaphore, 0, 0) }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func signal() { sem_post(semaphore) }

    func wait() {
        while sem_wait(semaphore) != 0 {}
    }
}
