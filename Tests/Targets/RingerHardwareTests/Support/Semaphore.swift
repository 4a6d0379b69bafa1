import Glibc

/// Counts what one thread has for another to take.
final class Semaphore: @unchecked Sendable {
    // SAFETY: a POSIX semaphore may be used from any thread; its memory is freed after the last reference is gone.
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() {
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func signal() {
        sem_post(semaphore)
    }

    /// Takes one, and waits for it at most so long; false if none came.
    func wait(seconds: Int) -> Bool {
        var limit = timespec()
        clock_gettime(CLOCK_REALTIME, &limit)
        limit.tv_sec += seconds
        while sem_timedwait(semaphore, &limit) == -1 {
            if errno != EINTR { return false }
        }
        return true
    }
}
