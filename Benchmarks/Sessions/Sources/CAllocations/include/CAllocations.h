#ifndef C_ALLOCATIONS_H
#define C_ALLOCATIONS_H

// How often this thread asked for memory since it began: malloc, calloc, realloc, aligned_alloc and posix_memalign,
// which are defined here in front of the C library's.
unsigned long allocations_of_this_thread(void);

#endif
