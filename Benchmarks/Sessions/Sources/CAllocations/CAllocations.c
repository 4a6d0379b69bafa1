#include "CAllocations.h"

#include <errno.h>
#include <stddef.h>

// The C library's own functions, under their internal names.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static __thread unsigned long count;

unsigned long allocations_of_this_thread(void) { return count; }

void *malloc(size_t size) {
    count++;
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count++;
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
    count++;
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    count++;
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}
