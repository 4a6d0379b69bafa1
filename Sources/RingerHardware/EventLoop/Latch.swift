import CLinux
import Glibc
import RingerPolicy

/// A gate that one thread opens once and another waits at.
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

    /// Lets one waiter through: the one that waits, or the next one.
    package func open() {
        sem_post(semaphore)
    }

    /// Waits for the gate to open.
    package func wait() {
        while sem_wait(semaphore) == -1 && errno == EINTR {}
    }

    /// Waits for the gate to open, until `deadline` at most. The corresponding C function is `sem_clockwait`, with
    /// `CLOCK_MONOTONIC`: setting the clock of the day changes nothing.
    ///
    /// - Returns: Whether it opened.
    @discardableResult
    package func wait(until deadline: MonotonicTime) -> Bool {
        ringer_wait(semaphore, deadline.nanoseconds) == 0
    }
}
