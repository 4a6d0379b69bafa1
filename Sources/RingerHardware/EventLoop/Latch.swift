import Glibc

/// A gate that one thread opens once and another waits at.
final class Latch: @unchecked Sendable {
    // SAFETY: a POSIX semaphore may be used from any thread; its memory is freed after the last reference is gone.
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
}
