import CLinux
import Glibc
import RingerPolicy

/// A semaphore: one thread waits until another opens it.
// SAFETY: a POSIX semaphore may be used from any thread; its memory is freed after the last reference is gone.
package final class Latch: @unchecked Sendable {
    private let semaphore: UnsafeMutablePointer<sem_t>

    package init() {
        semaphore = .allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// Lets one waiter through: the present one, or the next.
    package func open() {
        sem_post(semaphore)
    }

    /// Waits until the latch is opened.
    package func wait() {
        while sem_wait(semaphore) == -1 && errno == EINTR {}
    }

    /// Waits until the latch is opened, at most until `deadline`. The corresponding C function is `sem_clockwait` with
    /// `CLOCK_MONOTONIC`: setting the system's clock has no effect.
    ///
    /// - Returns: Whether it was opened.
    @discardableResult
    package func wait(until deadline: MonotonicTime) -> Bool {
        ringer_wait(semaphore, deadline.nanoseconds) == 0
    }
}
