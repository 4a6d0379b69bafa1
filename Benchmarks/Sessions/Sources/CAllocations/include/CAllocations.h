#ifndef C_ALLOCATIONS_H
#define C_ALLOCATIONS_H

// How often this thread has allocated memory since it began: malloc, calloc, realloc, aligned_alloc and posix_memalign,
// which are defined here and override the C library's.
unsigned long allocations_of_this_thread(void);

#endif
