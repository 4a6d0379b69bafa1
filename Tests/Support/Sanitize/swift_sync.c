/*
 * Tells ThreadSanitizer of the two kinds of synchronisation that the Swift library does in code of its own, which is not
 * instrumented. scripts/sanitize links it into the tests, and has the linker lead the calls here (--wrap):
 *
 *   - A Mutex of Synchronization that somebody holds waits in the kernel (futex). The path of a free one is inlined
 *     into the caller, and instrumented there: both use the lock's word, so ThreadSanitizer sees one lock.
 *   - swift_once makes the value of a global or static variable when it is first used.
 *
 * Without it, every wait for a lock and every such variable is reported as a race.
 */
#include <stdint.h>

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

extern void __tsan_acquire(void *address);
extern void __tsan_release(void *address);

/* In Swift's calling convention: `self`, the lock's word, is in a register of its own. */
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

extern SWIFT void real_lock_slow(uint32_t thread, SELF lock) __asm__("__real_" LOCK_SLOW) __attribute__((weak));
SWIFT void lock_slow(uint32_t thread, SELF lock) __asm__("__wrap_" LOCK_SLOW);

SWIFT void lock_slow(uint32_t thread, SELF lock)
{
    real_lock_slow(thread, lock);
    __tsan_acquire(lock);
}

extern SWIFT void real_unlock_slow(SELF lock) __asm__("__real_" UNLOCK_SLOW) __attribute__((weak));
SWIFT void unlock_slow(SELF lock) __asm__("__wrap_" UNLOCK_SLOW);

SWIFT void unlock_slow(SELF lock)
{
    __tsan_release(lock);
    real_unlock_slow(lock);
}

struct making {
    void (*make)(void *context);
    void *context;
    void *token;
};

static void make(void *argument)
{
    const struct making *making = argument;
    making->make(making->context);
    __tsan_release(making->token);
}

extern void __real_swift_once(void *token, void (*make)(void *), void *context);

void __wrap_swift_once(void *token, void (*initialize)(void *), void *context)
{
    struct making making = {initialize, context, token};
    __real_swift_once(token, make, &making);
    __tsan_acquire(token);
}
