import Glibc
import RingerPolicy

/// A gate that one thread opens once and another waits at.
// SAFETY: a POSIX semaphore may be used from any thread; its memory is freed after the last reference is gone.
final class Latch: @unchecked Sendable {
    private let semaphore: UnsafeMutablePointer<sem_t>

    init() {
        semaphore = .allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func open() {
        sem_post(semaphore)
    }

    func wait() {
        while sem_wait(semaphore) == -1 && errno == EINTR {}
    }

    /// Waits for the gate to open, `bound` at most by the wall clock: for waits that end anyway, unless what they wait
    /// for was closed meanwhile.
    func wait(atMost bound: Duration) {
        var deadline = timespec()
        clock_gettime(CLOCK_REALTIME, &deadline)
        let end = MonotonicTime(deadline) + bound
        deadline.tv_sec = Int(end.nanoseconds / 1_000_000_000)
        deadline.tv_nsec = Int(end.nanoseconds % 1_000_000_000)
        while sem_timedwait(semaphore, &deadline) == -1 && errno == EINTR {}
    }
}
