#define _GNU_SOURCE
#include "endurance.h"

#include <malloc.h>
#include <pthread.h>
#include <stdint.h>

size_t endurance_stack_depth(void)
{
    static __thread uintptr_t beginning;

    if (beginning == 0) {
        pthread_attr_t attributes;
        void *lowest;
        size_t size;

        if (pthread_getattr_np(pthread_self(), &attributes) != 0)
            return 0;
        pthread_attr_getstack(&attributes, &lowest, &size);
        pthread_attr_destroy(&attributes);
        beginning = (uintptr_t)lowest + size;
    }
    return beginning - (uintptr_t)__builtin_frame_address(0);
}

size_t endurance_heap(void)
{
    struct mallinfo2 all = mallinfo2();

    return all.uordblks + all.hblkhd;
}
